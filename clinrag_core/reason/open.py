"""Opens multi-stage retrieval over an engine, with what a profile gives to its stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from clinrag_core.errors import QueryError
from clinrag_core.reason.staged_engine import StagedEngine
from clinrag_core.reason.statement_order import StatementOrder
from clinrag_core.retrieve.concept_first import open_expander
from clinrag_core.retrieve.stages.multistage import MultistageRetriever
from clinrag_core.settings import SEED
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.settings import Settings

StagedPipeline = Literal["multistage", "multistage_seed"]
PipelineName = Literal["hybrid", "multistage", "multistage_seed"]
"""The plain search, the stages as the profile sets them, the stages as seed 004 has them."""
PIPELINES: dict[str, PipelineName] = {
    "hybrid": "hybrid",
    "multistage": "multistage",
    "multistage_seed": "multistage_seed",
}


def open_multistage(
    settings: Settings, engine: SearchEngine, pipeline: StagedPipeline = "multistage"
) -> MultistageRetriever:
    """Return the stages over an engine.

    The thesaurus is opened only for stages that use it: it is compiled in the workspace.

    Raises:
        ComponentUnavailableError: a stage needs the thesaurus, and it cannot be read.
    """
    stages = SEED if pipeline == "multistage_seed" else settings.multistage
    needed = stages.expansion.enabled or stages.recall.appended
    expander = (
        open_expander(settings.concepts, Workspace(settings.home).thesauri) if needed else None
    )
    statements = StatementOrder(engine).passage_scores if has_statements(engine) else None
    return MultistageRetriever(engine, stages, expander, statements)


def open_staged_engine(settings: Settings, engine: SearchEngine) -> StagedEngine:
    """Return an engine whose `search` is in the order of the stages, to answer from."""
    return StagedEngine(engine, open_multistage(settings, engine))


def has_statements(engine: SearchEngine) -> bool:
    """Return whether every knowledge base has statements."""
    return all(base.statements is not None for base in engine.knowledge_bases.values())


def pipeline_named(name: str) -> PipelineName:
    """Return a pipeline by its name.

    Raises:
        QueryError: there is none of that name.
    """
    found = PIPELINES.get(name)
    if found is None:
        raise QueryError(f"unknown pipeline {name!r}; there are: {', '.join(PIPELINES)}")
    return found

"""Settings that definitions are built for.

Modules under `defs/` are imported by Dagster and take no arguments, yet asset names of knowledge
bases carry the encoder's name. They read it here.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from clinrag_core.index.knowledge_base import knowledge_base_name
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.stages import BASELINE, KINDS, stage_table
from clinrag_core.settings import Settings, load_settings

_SETTINGS: ContextVar[Settings | None] = ContextVar("settings", default=None)


@contextmanager
def definitions_for(settings: Settings | None) -> Generator[None]:
    """Build definitions for these settings inside the block; None means the environment's."""
    token = _SETTINGS.set(settings)
    try:
        yield
    finally:
        _SETTINGS.reset(token)


def knowledge_base_names() -> dict[DocumentKind, str]:
    """Return the name of each knowledge base of the profile."""
    encoder = (_SETTINGS.get() or load_settings()).encoder.name
    return {kind: knowledge_base_name(kind, encoder) for kind in KINDS}


def stage_inputs(name: str) -> list[str]:
    """Return the assets whose stored outputs an asset reads.

    The accepted baseline is read if there is one. The served release that the corpus report
    compares with comes from an earlier run, so it is not an input.
    """
    stages = {stage.name: stage for stage in stage_table(knowledge_base_names())}
    stage = stages[name]
    return [*stage.inputs, *(other for other in stage.optional if other == BASELINE)]

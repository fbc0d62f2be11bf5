"""The stage table is the real data flow: without an output exactly its readers fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clinrag_core.errors import BaselineError, ClinragError, MissingInputError
from clinrag_core.pipeline import evaluation, reports
from clinrag_core.pipeline.baselines import promote
from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.pages import make_report_page
from clinrag_core.pipeline.parse_audit import make_parse_audit
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.release import publish_release
from clinrag_core.pipeline.stages import BASELINE, CHUNKS, KINDS, PAGE, SECTIONS, stage_table


@pytest.fixture(scope="module")
def built(make_tiny_settings, build_reports, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("stages"))
    pipeline = build_reports(settings)
    make_parse_audit(pipeline)
    promote(pipeline, author="a test", reason="to measure others by")
    publish_release(pipeline)
    return pipeline


def _again(pipeline: Pipeline) -> None:
    """Promote the same evaluation, which is refused after its inputs were read."""
    with pytest.raises(BaselineError, match="already accepted"):
        promote(pipeline, author="a test", reason="again")


def _stages(pipeline: Pipeline) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {
        "benchmark": lambda: evaluation.make_benchmark(pipeline),
        "retrieval_runs": lambda: evaluation.make_runs(pipeline),
        "thresholds": lambda: evaluation.make_thresholds(pipeline),
        "benchmark_answers": lambda: evaluation.make_answers(pipeline),
        "retrieval_report": lambda: reports.make_retrieval_report(pipeline),
        "answer_report": lambda: reports.make_answer_report(pipeline),
        "safety_report": lambda: reports.make_safety_report(pipeline),
        "latency_report": lambda: reports.make_latency_report(pipeline),
        "corpus_report": lambda: reports.make_corpus_report(pipeline),
        "parse_audit": lambda: make_parse_audit(pipeline),
        PAGE: lambda: make_report_page(pipeline),
        BASELINE: lambda: _again(pipeline),
        "release": lambda: publish_release(pipeline),
    }
    models = pipeline.models
    for kind in KINDS:
        base = pipeline.knowledge_base_name(kind)
        first = pipeline.partition(kind, pipeline.keys(kind)[0])
        found |= {
            SECTIONS[kind]: first.parse,
            CHUNKS[kind]: lambda p=first: p.chunk(models.chunker, models.chunker_fingerprint),
            f"{base}_corpus": lambda k=kind: make_corpus(pipeline, k),
            f"{base}_embeddings": lambda k=kind: make_embeddings(pipeline, k),
            f"{base}_candidate": lambda k=kind: make_candidate(pipeline, k),
        }
    return found


def _bases() -> dict:
    return {"guideline": "kb_guidelines_tiny", "label": "kb_druglabels_tiny"}


OUTPUTS = [
    (stage.name, path)
    for stage in stage_table(_bases())
    for path in stage.outputs
    if stage.name not in (BASELINE, "release")
]


@pytest.mark.parametrize(("owner", "pattern"), OUTPUTS, ids=[path for _, path in OUTPUTS])
def test_without_an_output_exactly_its_readers_fail(built: Pipeline, owner: str, pattern: str):
    table = {stage.name: stage for stage in stage_table(_bases())}
    path = sorted(built.workspace.home.glob(pattern))[0]
    if pattern.startswith("partitions"):
        path = built.workspace.home / pattern.replace("*", built.keys(_kind(pattern))[0])
    aside = path.with_name(f"aside-{path.name}")
    path.rename(aside)
    failed: dict[str, str] = {}
    try:
        for name, run in _stages(built).items():
            if name == owner:
                continue
            try:
                run()
            except MissingInputError as error:
                failed[name] = error.stage
            except ClinragError as error:
                pytest.fail(f"{name}: {error!r}")
    finally:
        aside.rename(path)
    readers = {name for name, stage in table.items() if owner in stage.inputs}
    assert failed == dict.fromkeys(readers, owner)


def _kind(pattern: str) -> str:
    return Path(pattern).parts[1]

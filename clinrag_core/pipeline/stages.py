"""The stages of the graph: what each stores and which stored outputs it reads.

Orchestration takes its dependencies from this table; a test deletes each output in turn and sees
exactly the stages that name it fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.pipeline.outputs import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.model.source import DocumentKind

KINDS: tuple[DocumentKind, ...] = ("guideline", "label")
FILES: dict[DocumentKind, str] = {"guideline": "guideline_file", "label": "label_files"}
SECTIONS: dict[DocumentKind, str] = {"guideline": "guideline_sections", "label": "label_sections"}
CHUNKS: dict[DocumentKind, str] = {"guideline": "guideline_chunks", "label": "label_chunks"}
REPORTS = (
    "retrieval_report",
    "answer_report",
    "safety_report",
    "latency_report",
    "corpus_report",
)
PAGE = "report_page"
BASELINE = "accepted_baseline"


class Stage(NamedTuple):
    """One stage; a path may hold `*` for the partition key or a fingerprint."""

    name: str
    inputs: tuple[str, ...]
    """Stages whose stored outputs it reads, and fails without."""
    outputs: tuple[str, ...]
    """Paths relative to the workspace."""
    optional: tuple[str, ...] = ()
    """Stages whose output it reads if it exists: a first run has none."""


def stage_table(bases: Mapping[DocumentKind, str]) -> tuple[Stage, ...]:
    """Every stage from files to the release; `bases` names the knowledge base of each kind."""
    stages: list[Stage] = []
    for kind, base in bases.items():
        folder = f"partitions/{kind}/*"
        stages += [
            Stage(FILES[kind], (), (f"{folder}/acquired.json",)),
            Stage(SECTIONS[kind], (FILES[kind],), (f"{folder}/documents.json",)),
            Stage(
                CHUNKS[kind], (SECTIONS[kind],), (f"{folder}/chunks.json", f"{folder}/chunks.arrow")
            ),
            Stage(
                f"{base}_corpus",
                (CHUNKS[kind],),
                (f"{FOLDER}/{base}_corpus.json", f"{FOLDER}/{base}_corpus/*"),
            ),
            _stage(f"{base}_embeddings", f"{base}_corpus", CHUNKS[kind]),
            Stage(
                f"{base}_candidate",
                (f"{base}_corpus", f"{base}_embeddings", CHUNKS[kind]),
                (f"{FOLDER}/{base}_candidate.json", f"knowledge_bases/{base}/*"),
            ),
        ]
    candidates = [f"{base}_candidate" for base in bases.values()]
    corpora = [f"{base}_corpus" for base in bases.values()]
    answered = (*candidates, "benchmark", "thresholds")
    return (
        *stages,
        _stage("parse_audit", *FILES.values(), *SECTIONS.values()),
        _stage("benchmark"),
        _stage("retrieval_runs", *candidates, "benchmark"),
        _stage("thresholds", *candidates, "benchmark", "retrieval_runs"),
        _stage("benchmark_answers", *answered, "retrieval_runs"),
        Stage(
            BASELINE,
            ("benchmark", "retrieval_runs", "benchmark_answers", "safety_report"),
            ("baselines/*.json",),
        ),
        _stage("retrieval_report", "benchmark", "retrieval_runs", optional=(BASELINE,)),
        _stage("answer_report", "benchmark", "benchmark_answers", optional=(BASELINE,)),
        _stage("safety_report", *answered, "benchmark_answers"),
        _stage("latency_report", *answered, "benchmark_answers"),
        _stage("corpus_report", *corpora, *candidates, "benchmark_answers", optional=("release",)),
        Stage(PAGE, REPORTS, (f"{FOLDER}/{PAGE}.json", "reports/evaluation-*.html")),
        Stage(
            "release",
            (*answered, "retrieval_runs", "benchmark_answers", *REPORTS, PAGE),
            ("releases/*", "releases/current.json"),
        ),
    )


def _stage(name: str, *inputs: str, optional: tuple[str, ...] = ()) -> Stage:
    return Stage(name, inputs, (f"{FOLDER}/{name}.json",), optional)

"""The pool of the stored evaluation, and judgements of it for the benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.pooled_judgements import FOLDER, load_judgements, write_judgements
from clinrag_core.evaluate.pooling import PoolText, pool, read_judged, to_judge
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.pipeline.pipeline import Pipeline


def write_pool(pipeline: Pipeline, out: Path) -> int:
    """Write the passages of the stored runs that nobody has judged; return how many.

    Raises:
        MissingInputError: the benchmark, the candidates or the runs are absent.
        StaleInputError: they are of different evaluations.
        BenchmarkError: the judgements there are cannot be read.
    """
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    runs = pipeline.retrieval_runs.read()
    merge_lineages([*candidates, benchmark, runs])
    problems: list[str] = []
    done = load_judgements(pipeline.settings.benchmark / FOLDER, problems)
    if problems:
        raise BenchmarkError(*problems)
    passages: dict[str, PoolText] = {}
    for base in candidate_engine(pipeline, candidates).knowledge_bases.values():
        columns = ["id", "document_id", "section_path", "text"]
        for row in base.table.select(columns).to_pylist():
            place = " > ".join(row["section_path"])
            passages[row["id"]] = PoolText(row["document_id"], place, row["text"])
    questions, judgements = benchmark.value.questions, runs.value.judgements
    pooled = pool(runs.value.runs, questions, judgements, done, passages)
    write_atomic(out, to_judge(pooled).encode())
    return len(pooled)


def keep_judged(judged: Path, out: Path) -> int:
    """Write the judgements of a filled table, without its texts; return how many.

    Raises:
        BenchmarkError: naming the line of each problem; then nothing is written.
    """
    try:
        text = judged.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchmarkError(f"{judged} cannot be read: {error}") from error
    judgements = read_judged(text, judged.name)
    write_atomic(out, write_judgements(judgements).encode())
    return len(judgements)

"""The pools of the candidates, and judgements of them for the benchmark.

Passages come from the stored runs of the benchmark's test questions, statements from rankings of
the nugget questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.nugget_answers import nugget_judge
from clinrag_core.evaluate.pooled_judgements import FOLDER, load_judgements, write_judgements
from clinrag_core.evaluate.pooling import DEPTH, PoolText, first_of, pool, read_judged, to_judge
from clinrag_core.evaluate.statement_runs import StatementRankings
from clinrag_core.pipeline.candidates import answer_engine, candidate_engine, read_candidates
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.benchmark import Split
    from clinrag_core.evaluate.pooled_judgements import PooledJudgement
    from clinrag_core.evaluate.pooling import PooledText
    from clinrag_core.pipeline.pipeline import Pipeline


def write_passage_pool(pipeline: Pipeline, out: Path) -> int:
    """Write the passages of the stored runs that nobody has judged; return how many.

    Only of test questions to answer: no setting is chosen on those.

    Raises:
        MissingInputError: the benchmark, the candidates or the runs are absent.
        StaleInputError: they are of different evaluations.
        BenchmarkError: the judgements there are cannot be read.
    """
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    runs = pipeline.retrieval_runs.read()
    merge_lineages([*candidates, benchmark, runs])
    passages: dict[str, PoolText] = {}
    for base in candidate_engine(pipeline, candidates).knowledge_bases.values():
        columns = ["id", "document_id", "section_path", "text"]
        for row in base.table.select(columns).to_pylist():
            place = " > ".join(row["section_path"])
            passages[row["id"]] = PoolText(row["document_id"], place, row["text"])
    relevant = runs.value.judgements.relevant
    found = {
        question_id: names - relevant.get(question_id, {}).keys()
        for question_id, names in first_of(runs.value.runs.values(), DEPTH["passage"]).items()
    }
    asked = [q for q in benchmark.value.questions if q.split == "test" and q.expect == "answer"]
    return _write(pool("passage", asked, found, passages, _done(pipeline)), out)


def write_statement_pool(
    pipeline: Pipeline,
    out: Path,
    split: Split | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write the statements that nobody has judged, of nugget questions; return how many.

    Those that hold a nugget are left out: they are relevant.

    Raises:
        MissingInputError: the candidates or their thresholds are absent.
        BenchmarkError: the benchmark or the judgements there are cannot be read.
    """
    thresholds = pipeline.thresholds.read().value
    engine = answer_engine(pipeline, read_candidates(pipeline), thresholds)
    judge = nugget_judge(engine, load_benchmark(pipeline.settings.benchmark).nuggets)
    asked = [q for q in judge.questions if q.expect == "answer" and split in (None, q.split)]
    found = StatementRankings(engine).find(asked, on_progress)
    left = {
        question.id: [
            name
            for name in found.candidates[question.id]
            if not judge.holds_nugget(question, found.texts[name].text)
        ]
        for question in asked
    }
    return _write(pool("statement", asked, left, found.texts, _done(pipeline)), out)


def _done(pipeline: Pipeline) -> list[PooledJudgement]:
    """Return the judgements of earlier pools.

    Raises:
        BenchmarkError: they cannot be read.
    """
    problems: list[str] = []
    done = load_judgements(pipeline.settings.benchmark / FOLDER, problems)
    if problems:
        raise BenchmarkError(*problems)
    return done


def _write(pooled: Sequence[PooledText], out: Path) -> int:
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

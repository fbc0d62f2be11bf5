"""The pool: passages that any pipeline ranks high and nobody has judged, for a person to judge.

A benchmark judged on the passages of one system is unfair to the next (Buckley and Voorhees 2004),
so the first passages of all pipelines are judged together. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.pooled_judgements import judgement_of, passage_digest
from clinrag_core.text.normalise import contains_term, normalise_for_match
from clinrag_core.text.tsv import parse_tsv, write_tsv

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clinrag_core.evaluate.benchmark import BenchmarkQuestion
    from clinrag_core.evaluate.judge import Judgements
    from clinrag_core.evaluate.metrics import Run
    from clinrag_core.evaluate.pooled_judgements import PooledJudgement

DEPTH = 10
COLUMNS: tuple[str, ...] = (
    "grade",
    "terms",
    "question_id",
    "question",
    "document",
    "place",
    "passage",
)


class PoolText(NamedTuple):
    """What a person needs of a chunk to judge it."""

    document_id: str
    place: str
    text: str


class PooledPassage(NamedTuple):
    """A passage to judge for a question."""

    question: BenchmarkQuestion
    passage: PoolText


def pool(
    runs: Mapping[str, Run],
    questions: Iterable[BenchmarkQuestion],
    judgements: Judgements,
    done: Iterable[PooledJudgement],
    passages: Mapping[str, PoolText],
) -> list[PooledPassage]:
    """The first passages of every pipeline that have no judgement, best rank first.

    Only of test questions to answer: no setting is chosen on those.

    Args:
        runs: ranked chunk ids by pipeline and question.
        questions: of the benchmark.
        judgements: of the locators.
        done: judgements of earlier pools.
        passages: by chunk id.
    """
    known = {(judgement.question_id, judgement.passage) for judgement in done}
    pooled: list[PooledPassage] = []
    for question in questions:
        if question.split != "test" or question.expect != "answer":
            continue
        ranks: dict[str, int] = {}
        for run in runs.values():
            for rank, chunk_id in enumerate(run.get(question.id, [])[:DEPTH]):
                ranks[chunk_id] = min(rank, ranks.get(chunk_id, rank))
        relevant = judgements.relevant.get(question.id, {})
        pooled += [
            PooledPassage(question, passages[chunk_id])
            for chunk_id in sorted(ranks, key=lambda name: (ranks[name], name))
            if chunk_id not in relevant
            and (question.id, passage_digest(passages[chunk_id].text)) not in known
        ]
    return pooled


def to_judge(pooled: Sequence[PooledPassage]) -> str:
    """A table for a person to fill in: a grade and, for a relevant passage, terms with ';' between.

    Grade 2 answers the question, 1 helps, 0 does neither. Terms are chosen as in a locator.
    """
    return write_tsv(
        COLUMNS,
        [("", "", p.question.id, p.question.text, *p.passage[:2], p.passage.text) for p in pooled],
    )


def read_judged(text: str, name: str) -> list[PooledJudgement]:
    """The judgements of a filled table; rows without a grade are left out.

    Raises:
        BenchmarkError: naming the line of each problem.
    """
    table = parse_tsv(text)
    if table.header != COLUMNS:
        raise BenchmarkError(f"{name}: the columns must be {', '.join(COLUMNS)}")
    judged: list[PooledJudgement] = []
    problems: list[str] = []
    for line, cells in table.rows:
        row = dict(zip(COLUMNS, cells, strict=False))
        if not row["grade"]:
            continue
        where = f"{name}, line {line}"
        found = judgement_of(row, passage_digest(row["passage"]), where, problems)
        passage = normalise_for_match(row["passage"])
        problems += [
            f"{where}: {term!r} is not in the passage"
            for judgement in found
            for term in judgement.terms
            if not any(contains_term(passage, option) for option in term.split("|"))
        ]
        judged += found
    if problems:
        raise BenchmarkError(*problems)
    return judged

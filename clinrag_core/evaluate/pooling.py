"""The pool: what any ranking puts first and nobody has judged, for a person to judge.

A benchmark judged on the results of one system is unfair to the next (Buckley and Voorhees 2004),
so the first passages or statements of all rankings are judged together. Their order says nothing
of who found them. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.pooled_judgements import judgement_of, text_digest
from clinrag_core.text.normalise import contains_term, normalise_for_match
from clinrag_core.text.tsv import parse_tsv, write_tsv

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from clinrag_core.evaluate.metrics import Run
    from clinrag_core.evaluate.pooled_judgements import PooledJudgement, Unit

DEPTH: Mapping[Unit, int] = {"passage": 10, "statement": 5}
"""Results of each ranking that are judged: as many as a page of hits, or as an answer may show."""
COLUMNS: tuple[str, ...] = (
    "grade",
    "terms",
    "unit",
    "question_id",
    "question",
    "document",
    "place",
    "text",
)


class Asked(Protocol):
    """A question of the benchmark, of either kind."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def text(self) -> str:
        """Its words."""
        ...


class PoolText(NamedTuple):
    """What a person needs of a passage or statement to judge it."""

    document_id: str
    place: str
    text: str


class PooledText(NamedTuple):
    """A passage or statement to judge for a question."""

    unit: Unit
    question: Asked
    source: PoolText


def first_of(runs: Iterable[Run], depth: int) -> dict[str, set[str]]:
    """Return by question the first results of all runs together."""
    first: dict[str, set[str]] = {}
    for run in runs:
        for question_id, ranked in run.items():
            first.setdefault(question_id, set()).update(ranked[:depth])
    return first


def pool(
    unit: Unit,
    questions: Iterable[Asked],
    candidates: Mapping[str, Collection[str]],
    texts: Mapping[str, PoolText],
    done: Iterable[PooledJudgement],
) -> list[PooledText]:
    """Return the candidates of questions that have no judgement, each text once a question.

    Questions and their texts come in the order of digests: the same each time, and a part of the
    pool from its beginning is a random sample.

    Args:
        unit: what the candidates are.
        questions: those to pool for.
        candidates: ids by question.
        texts: by id.
        done: judgements of earlier pools.
    """
    known = {(j.question_id, j.digest) for j in done if j.unit == unit}
    pooled: list[PooledText] = []
    for question in sorted(questions, key=lambda one: text_digest(one.id)):
        found = [texts[name] for name in sorted(candidates.get(question.id, ()))]
        by_digest = {text_digest(source.text): source for source in reversed(found)}
        pooled += [
            PooledText(unit, question, by_digest[digest])
            for digest in sorted(by_digest)
            if (question.id, digest) not in known
        ]
    return pooled


def to_judge(pooled: Sequence[PooledText]) -> str:
    """Return a table for a person to fill in: a grade and, for a relevant passage, terms.

    Grade 2 answers the question, 1 helps or is a part, 0 does neither. Terms are chosen as in a
    locator, with ';' between.
    """
    return write_tsv(
        COLUMNS, [("", "", p.unit, p.question.id, p.question.text, *p.source) for p in pooled]
    )


def read_judged(text: str, name: str) -> list[PooledJudgement]:
    """Return the judgements of a filled table; rows without a grade are left out.

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
        found = judgement_of(row, text_digest(row["text"]), where, problems)
        passage = normalise_for_match(row["text"])
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

"""Relevance judgements of a corpus: which of its chunks each locator points at."""

from __future__ import annotations

import fnmatch
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.benchmark import BaseKind
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import contains_term, normalise_for_match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from clinrag_core.evaluate.benchmark import Benchmark, BenchmarkQuestion, Locator


class _JudgedChunk(NamedTuple):
    """What a locator is matched against, of one chunk."""

    id: str
    base: BaseKind
    document_id: str
    path: str
    loinc: str | None
    drug_names: frozenset[str]
    text: str


class Judgements(Record):
    """Graded relevance per question: chunk id to grade.

    `unjudged` questions expect an answer but no chunk of this corpus matches their locators;
    `answerable` refusals contain a term that should be absent. Both stay out of every mean.
    """

    relevant: dict[str, dict[str, int]]
    unjudged: tuple[str, ...]
    answerable: tuple[str, ...]


class RelevanceJudge:
    """Matches locators against the chunk tables of a corpus, one per kind of knowledge base."""

    def __init__(self, tables: Mapping[BaseKind, pa.Table]) -> None:
        self._rows = [row for base, table in tables.items() for row in _rows(base, table)]

    def judge(self, benchmark: Benchmark) -> Judgements:
        """Judge every question."""
        relevant: dict[str, dict[str, int]] = {}
        unjudged: list[str] = []
        answerable: list[str] = []
        for question in benchmark.questions:
            if question.expect == "refuse":
                if any(self._any_has(term) for term in question.absent):
                    answerable.append(question.id)
                continue
            rows = [row for row in self._rows if row.base in question.knowledge_bases]
            grades: dict[str, int] = {}
            for locator in question.relevant:
                for row in _matching(rows, locator):
                    grades[row.id] = max(grades.get(row.id, 0), locator.grade)
            if grades:
                relevant[question.id] = dict(sorted(grades.items()))
            else:
                unjudged.append(question.id)
        return Judgements(relevant=relevant, unjudged=tuple(unjudged), answerable=tuple(answerable))

    def unmatched(self, question: BenchmarkQuestion) -> list[str]:
        """Return each locator of a question that no passage meets, with what its conditions meet.

        Conditions are counted one by one, so that the one that is misspelt shows.
        """
        rows = [row for row in self._rows if row.base in question.knowledge_bases]
        lines: list[str] = []
        for number, locator in enumerate(question.relevant, start=1):
            if next(iter(_matching(rows, locator)), None) is None:
                counts = [f"{name} in {count}" for name, count in _condition_counts(rows, locator)]
                lines.append(f"locator {number} of {len(rows)} passages: {', '.join(counts)}")
        return lines

    def _any_has(self, term: str) -> bool:
        wanted = [normalise_for_match(t) for t in term.split("|")]
        return any(contains_term(row.text, t) for row in self._rows for t in wanted)


def _rows(base: BaseKind, table: pa.Table) -> Iterable[_JudgedChunk]:
    """Return the chunks of a table as locators see them."""
    columns = ["id", "document_id", "section_path", "loinc", "drug_names", "text", "embed_text"]
    for row in table.select(columns).to_pylist():
        text = row["text"]
        if row["embed_text"] != text:
            text = f"{text}\n{row['embed_text']}"
        yield _JudgedChunk(
            id=row["id"],
            base=base,
            document_id=row["document_id"],
            path=" > ".join(row["section_path"]),
            loinc=row["loinc"],
            drug_names=frozenset(row["drug_names"] or ()),
            text=normalise_for_match(text),
        )


def _matching(rows: Iterable[_JudgedChunk], locator: Locator) -> Iterable[_JudgedChunk]:
    """Chunks that meet every condition of a locator."""
    conditions = [meets for _, meets in _conditions(locator)]
    return (row for row in rows if all(meets(row) for meets in conditions))


def _condition_counts(rows: Sequence[_JudgedChunk], locator: Locator) -> Iterable[tuple[str, int]]:
    """Return how many chunks meet each condition of a locator by itself."""
    return ((name, sum(meets(row) for row in rows)) for name, meets in _conditions(locator))


def _conditions(locator: Locator) -> list[tuple[str, Callable[[_JudgedChunk], bool]]]:
    """Return the conditions of a locator, each with its name for messages; the cheapest first."""
    document, drug, section = locator.document, locator.drug, locator.section
    conditions: list[tuple[str, Callable[[_JudgedChunk], bool]]] = []
    if document is not None:
        name = f"document {document!r}"
        conditions.append((name, lambda row: fnmatch.fnmatchcase(row.document_id, document)))
    if drug is not None:
        conditions.append((f"drug {drug!r}", lambda row: drug in row.drug_names))
    if locator.loinc:
        name = f"loinc {'|'.join(locator.loinc)}"
        conditions.append((name, lambda row: row.loinc in locator.loinc))
    if section is not None:
        pattern = re.compile(section, re.IGNORECASE)
        conditions.append((f"section {section!r}", lambda row: bool(pattern.search(row.path))))
    for term in locator.terms:
        options = [normalise_for_match(t) for t in term.split("|")]
        conditions.append((f"term {term!r}", partial(_has_any, options)))
    return conditions


def _has_any(options: Sequence[str], row: _JudgedChunk) -> bool:
    return any(contains_term(row.text, option) for option in options)

"""Relevance judgements of a corpus: which of its chunks each locator points at."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.benchmark import BaseKind
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import contains_term, normalise_for_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from clinrag_core.evaluate.benchmark import Benchmark, Locator


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

    def _any_has(self, term: str) -> bool:
        wanted = [normalise_for_match(t) for t in term.split("|")]
        return any(contains_term(row.text, t) for row in self._rows for t in wanted)


def _rows(base: BaseKind, table: pa.Table) -> Iterable[_JudgedChunk]:
    """The chunks of a table as locators see them."""
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
    section = re.compile(locator.section, re.IGNORECASE) if locator.section else None
    terms = [[normalise_for_match(t) for t in term.split("|")] for term in locator.terms]
    for row in rows:
        if (
            (locator.document is None or fnmatch.fnmatchcase(row.document_id, locator.document))
            and (locator.drug is None or locator.drug in row.drug_names)
            and (not locator.loinc or row.loinc in locator.loinc)
            and (section is None or section.search(row.path))
            and all(any(contains_term(row.text, t) for t in options) for options in terms)
        ):
            yield row

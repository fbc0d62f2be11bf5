"""Plays the answer engine and the labels of a release for the check of a note."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa

from clinrag_core.answer.records import Answer, Claim
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.citation import Citation
from clinrag_core.model.statement import IndexedStatement
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.guideline import check_guidelines
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note

GUIDELINE = "guideline"
"""Group of a row that is of a guideline; its first field is the title, not a drug."""


def stated(n: int, drug: str, group: str, said: str) -> IndexedStatement:
    group, _, heading = group.partition(":")
    is_label = group != GUIDELINE
    return IndexedStatement(
        id=f"s{n:015}", document_id=drug, document_title=drug.capitalize(),
        kind="label" if is_label else "guideline",
        statement_kind="sentence", order=n, section_ordinal=0, block=0,
        headings=(heading or group,),
        text=said, said=said, quotes=(), group=group if is_label else None,
        ingredients=tuple(drug.split("+")) if is_label else (),
    )  # fmt: skip


class Labels:
    """Plays the statements of labels: what is in some groups of the labels of some drugs."""

    def __init__(self, *rows: tuple[str, str, str]) -> None:
        self.rows = [stated(n, *row) for n, row in enumerate(rows)]
        columns = {"kind": [one.kind for one in self.rows], "said": [r.said for r in self.rows]}
        self.table = pa.table(columns)

    def rows_of(self, drugs: list[str], groups: tuple[str, ...]) -> list[int]:
        return [
            n
            for n, one in enumerate(self.rows)
            if set(drugs) & set(one.ingredients) and one.group in groups
        ]

    def statements(self, rows: list[int]) -> list[IndexedStatement]:
        return [self.rows[row] for row in rows]


class Search:
    """Plays the search engine of a release with one knowledge base of labels."""

    def __init__(self, labels: Labels) -> None:
        self.knowledge_bases = {"labels": SimpleNamespace(statements=labels)}


class Answers:
    """Plays the answer engine: fixed claims by a part of the question; keeps what it was asked."""

    def __init__(self, *rows: tuple[str, str, str], **claims: tuple[str, str]) -> None:
        self.claims = claims
        self.asked: list[str] = []
        self.search = Search(Labels(*rows))
        labelled = {
            "isoniazid",
            "pyrazinamide",
            "linezolid",
            *(r[0] for r in rows if r[1] != GUIDELINE),
        }
        self.drugs = DrugLexicon({n: [n] for n in sorted(labelled) if "+" not in n})

    def ask(self, question: str) -> Answer:
        self.asked.append(question)
        for part, (text, title) in self.claims.items():
            if all(word in question for word in part.split("_")):
                cited = Citation(
                    chunk_id="c", document_id="d", document_title=title, section_path=(),
                    start=0, end=1, snippet=text,
                )  # fmt: skip
                return Answer(status="answered", claims=(Claim(text=text, citations=(cited,)),))
        return Answer(status="abstained", reason="no_evidence")


def verdicts(engine: Answers, text: str) -> dict[str, str]:
    """Return the verdict on each question about a note."""
    note = read_note(text, 1_000)
    summary = extractive_summary(note).summary
    findings = check_guidelines(summary, extractive_plan(note, summary), engine)
    return {finding.question: finding.verdict for finding in findings}

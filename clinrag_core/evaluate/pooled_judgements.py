"""Judgements of pooled passages and statements, kept as tables without any text of a corpus.

A relevant passage is kept as a locator would be, by document and terms, so that it is found in
another cut of the document too. Passages of no relevance and statements are kept by a digest of
their text: a statement is the same in any cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, ValidationError, model_validator

from clinrag_core.model.base import Record, described
from clinrag_core.text.tsv import parse_tsv, write_tsv
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FOLDER = "judged"
"""Folder of the benchmark with the tables."""
COLUMNS: tuple[str, ...] = ("grade", "terms", "unit", "question_id", "document", "digest")
Unit = Literal["passage", "statement"]
_TERMS = re.compile(r"\s*;\s*")


class PooledJudgement(Record):
    """What a person found: the grade of a passage or statement for a question."""

    question_id: str = Field(min_length=1)
    unit: Unit
    grade: Literal[0, 1, 2]
    document: str = Field(min_length=1)
    terms: tuple[str, ...] = Field((), description="of a relevant passage, as in a locator")
    digest: str = Field(description="of the text", min_length=16, max_length=16)

    @model_validator(mode="after")
    def _relevant_passages_can_be_found(self) -> Self:
        if bool(self.terms) != (self.unit == "passage" and self.grade > 0):
            raise ValueError("a relevant passage, and only that, has terms")
        return self


def text_digest(text: str) -> str:
    """Return the digest of a text's words, whatever its white space."""
    return sha256_hex(" ".join(text.split()).encode())[:16]


def judgement_of(
    row: Mapping[str, str], digest: str, where: str, problems: list[str]
) -> list[PooledJudgement]:
    """Return the judgement of a row; none if something is wrong, which is added to `problems`."""
    grades = {"0": 0, "1": 1, "2": 2}
    if row["grade"] not in grades:
        problems.append(f"{where}: the grade is 0, 1 or 2")
        return []
    fields = {
        "question_id": row["question_id"],
        "unit": row["unit"],
        "grade": grades[row["grade"]],
        "document": row["document"],
        "terms": tuple(term for term in _TERMS.split(row["terms"]) if term),
        "digest": digest,
    }
    try:
        return [PooledJudgement.model_validate(fields)]
    except ValidationError as error:
        problems.append(f"{where}: {described(error)}")
        return []


def load_judgements(folder: Path, problems: list[str]) -> list[PooledJudgement]:
    """Return the judgements of every `*.tsv` of a folder; what is wrong is added to `problems`."""
    found: list[PooledJudgement] = []
    for file in sorted(folder.glob("*.tsv")):
        table = parse_tsv(file.read_text(encoding="utf-8"))
        if table.header != COLUMNS:
            problems.append(f"{FOLDER}/{file.name}: the columns must be {', '.join(COLUMNS)}")
            continue
        for line, cells in table.rows:
            row = dict(zip(COLUMNS, cells, strict=False))
            where = f"{FOLDER}/{file.name}, line {line}"
            found += judgement_of(row, row["digest"], where, problems)
    return found


def write_judgements(judgements: Iterable[PooledJudgement]) -> str:
    """Return a table of judgements, in order of question, document and digest."""
    ordered = sorted(judgements, key=lambda j: (j.question_id, j.document, j.digest))
    rows = [
        (j.grade, "; ".join(j.terms), j.unit, j.question_id, j.document, j.digest) for j in ordered
    ]
    return write_tsv(COLUMNS, rows)

"""Judgements of pooled passages, kept with the benchmark as tables without any text of a corpus.

A relevant passage is kept as a locator would be, by document and terms, so that it is found in
another cut of the document too; one of no relevance by a digest of its text, so that it is not
pooled again.
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
COLUMNS: tuple[str, ...] = ("grade", "terms", "question_id", "document", "passage")
_TERMS = re.compile(r"\s*;\s*")


class PooledJudgement(Record):
    """What a person found: the grade of a passage for a question."""

    question_id: str = Field(min_length=1)
    grade: Literal[0, 1, 2]
    document: str = Field(min_length=1)
    terms: tuple[str, ...] = Field((), description="of a relevant passage, as in a locator")
    passage: str = Field(description="digest of the passage's text", min_length=16, max_length=16)

    @model_validator(mode="after")
    def _relevant_ones_can_be_found(self) -> Self:
        if bool(self.terms) != (self.grade > 0):
            raise ValueError("a relevant passage, and only that, has terms")
        return self


def passage_digest(text: str) -> str:
    """Digest of a passage's words, whatever its white space."""
    return sha256_hex(" ".join(text.split()).encode())[:16]


def judgement_of(
    row: Mapping[str, str], passage: str, where: str, problems: list[str]
) -> list[PooledJudgement]:
    """The judgement of a row; none if something is wrong, which is added to `problems`."""
    grades = {"0": 0, "1": 1, "2": 2}
    if row["grade"] not in grades:
        problems.append(f"{where}: the grade is 0, 1 or 2")
        return []
    fields = {
        "question_id": row["question_id"],
        "grade": grades[row["grade"]],
        "document": row["document"],
        "terms": tuple(term for term in _TERMS.split(row["terms"]) if term),
        "passage": passage,
    }
    try:
        return [PooledJudgement.model_validate(fields)]
    except ValidationError as error:
        problems.append(f"{where}: {described(error)}")
        return []


def load_judgements(folder: Path, problems: list[str]) -> list[PooledJudgement]:
    """The judgements of every `*.tsv` of a folder; what is wrong is added to `problems`."""
    found: list[PooledJudgement] = []
    for file in sorted(folder.glob("*.tsv")):
        table = parse_tsv(file.read_text(encoding="utf-8"))
        if table.header != COLUMNS:
            problems.append(f"{FOLDER}/{file.name}: the columns must be {', '.join(COLUMNS)}")
            continue
        for line, cells in table.rows:
            row = dict(zip(COLUMNS, cells, strict=False))
            where = f"{FOLDER}/{file.name}, line {line}"
            found += judgement_of(row, row["passage"], where, problems)
    return found


def write_judgements(judgements: Iterable[PooledJudgement]) -> str:
    """A table of judgements, in order of question, document and passage."""
    ordered = sorted(judgements, key=lambda j: (j.question_id, j.document, j.passage))
    rows = [(j.grade, "; ".join(j.terms), j.question_id, j.document, j.passage) for j in ordered]
    return write_tsv(COLUMNS, rows)

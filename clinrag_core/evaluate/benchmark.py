"""The benchmark: questions with graded relevance as locators, so that any corpus can be judged.

A locator says where an answer is (document, drug, section, LOINC code) and which terms the
passage must contain. It never names a chunk, so re-chunking or another corpus keeps it valid.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from clinrag_core.errors import BenchmarkError
from clinrag_core.model.base import Record
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from pathlib import Path

Split = Literal["dev", "test"]
BaseKind = Literal["guidelines", "labels"]
Expectation = Literal["answer", "refuse"]


class Locator(Record):
    """The place of an answer; every given condition must be met."""

    grade: Literal[1, 2] = Field(description="2 answers the question, 1 helps")
    document: str | None = Field(None, description="fnmatch pattern on the document id")
    drug: str | None = Field(None, description="one of the label's names, lower case")
    section: str | None = Field(None, description="regular expression on the heading path")
    loinc: tuple[str, ...] = Field((), description="effective LOINC codes, any of")
    terms: tuple[str, ...] = Field(
        min_length=1, description="all must occur; '|' separates alternatives"
    )

    @field_validator("section")
    @classmethod
    def _section_compiles(cls, section: str | None) -> str | None:
        if section is not None:
            try:
                re.compile(section)
            except re.error as error:
                raise ValueError(f"section is not a regular expression: {error}") from error
        return section

    @field_validator("terms")
    @classmethod
    def _terms_say_something(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        if any(not alternative.strip() for term in terms for alternative in term.split("|")):
            raise ValueError("a term or alternative is empty")
        return terms


class BenchmarkQuestion(Record):
    """One benchmark question."""

    id: str = Field(pattern=r"^[a-z]-\d{3}$")
    family: str = Field(min_length=1, description="close variants; wholly in one split")
    split: Split
    intent: str = Field(min_length=1)
    knowledge_bases: tuple[BaseKind, ...] = Field(min_length=1)
    text: str = Field(min_length=3)
    expect: Expectation
    reason: Literal["out_of_domain", "not_in_corpus"] | None = None
    absent: tuple[str, ...] = Field((), description="terms whose presence makes it answerable")
    relevant: tuple[Locator, ...] = ()

    @model_validator(mode="after")
    def _expectation_fits(self) -> BenchmarkQuestion:
        if (self.expect == "answer") != bool(self.relevant):
            raise ValueError("questions to answer, and only those, have relevant locators")
        if (self.expect == "refuse") != (self.reason is not None):
            raise ValueError("questions to refuse, and only those, have a reason")
        return self


class Benchmark(Record):
    """All questions, ordered by id."""

    questions: tuple[BenchmarkQuestion, ...]
    fingerprint: str


def load_benchmark(folder: Path) -> Benchmark:
    """Read every `*.toml` of a folder.

    Raises:
        BenchmarkError: no file, malformed file or question, an id used twice, a family in both
            splits; names the file and the question.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise BenchmarkError(f"no benchmark: {folder} has no .toml file")
    questions: dict[str, BenchmarkQuestion] = {}
    splits: dict[str, BenchmarkQuestion] = {}
    for file in files:
        for question in _read(file):
            if question.id in questions:
                raise BenchmarkError(f"{file.name}, {question.id}: the id is used twice")
            other = splits.setdefault(question.family, question)
            if other.split != question.split:
                raise BenchmarkError(
                    f"{file.name}, {question.id}: family {question.family!r} is in both splits "
                    f"(see {other.id})"
                )
            questions[question.id] = question
    content = "".join(sha256_hex(file.read_bytes()) for file in files)
    ordered = tuple(questions[key] for key in sorted(questions))
    return Benchmark(questions=ordered, fingerprint=sha256_hex(content.encode())[:16])


def _read(file: Path) -> list[BenchmarkQuestion]:
    """The questions of one file."""
    try:
        tree: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BenchmarkError(f"{file.name}: {error}") from error
    questions: list[BenchmarkQuestion] = []
    for number, row in enumerate(tree.get("question", []), start=1):
        name = row.get("id", f"question {number}") if isinstance(row, dict) else number
        try:
            questions.append(BenchmarkQuestion.model_validate(row))
        except ValidationError as error:
            raise BenchmarkError(f"{file.name}, {name}: {error}") from error
    if not questions:
        raise BenchmarkError(f"{file.name} has no [[question]]")
    return questions

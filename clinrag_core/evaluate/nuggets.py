"""Nugget questions: facts that a complete answer holds, and traps that no answer may say.

Nuggets as in TREC's question answering tracks (Voorhees 2003): *vital* ones make an answer
complete, *okay* ones are welcome. Each names the documents that hold it, so that any corpus can be
judged by what it has. Traps are figures of another drug, population or regimen.
"""

from __future__ import annotations

import fnmatch
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import Field, ValidationError, field_validator, model_validator

from clinrag_core.model.base import Record, described

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.benchmark import BenchmarkQuestion

FOLDER = "nuggets"
"""Folder of the benchmark with the files of nugget questions."""
ABSENT = "absent"
"""File, without its ending, of the questions in the domain that the corpus cannot answer."""
CorpusName = Literal["reference", "sample"]
DOSES = "doses"
"""File, without its ending, of the questions for the usual dose of each drug of a corpus."""
NuggetExpectation = Literal["answer", "refuse", "either"]


def _check_terms(terms: Sequence[str]) -> None:
    """Raise ValueError if a term or one of its alternatives is empty."""
    if any(not alternative.strip() for term in terms for alternative in term.split("|")):
        raise ValueError("a term or alternative is empty")


class Nugget(Record):
    """A fact; said if one claim holds all of its terms."""

    vital: bool = Field(True, description="an answer without it is not complete")
    terms: tuple[str, ...] = Field(min_length=1, description="'|' separates alternatives")
    document: str = Field(min_length=1, description="fnmatch patterns on document ids, '|' between")
    corpora: tuple[CorpusName, ...] = Field((), description="where it counts; empty: as question")
    first_claim: bool = Field(False, description="belongs in the first claim")
    why: str = ""

    @model_validator(mode="after")
    def _terms_say_something(self) -> Nugget:
        _check_terms(self.terms)
        return self

    def is_in(self, document_ids: Sequence[str]) -> bool:
        """Return whether one of its documents is among these."""
        patterns = [pattern.strip() for pattern in self.document.split("|")]
        return any(fnmatch.fnmatchcase(name, p) for p in patterns for name in document_ids)


class Trap(Record):
    """What would be wrong to say; said if a claim holds all of its terms and none of `unless`."""

    terms: tuple[str, ...] = Field(min_length=1, description="'|' separates alternatives")
    unless: tuple[str, ...] = Field((), description="terms that make the claim harmless")
    corpora: tuple[CorpusName, ...] = Field((), description="where it counts; empty: everywhere")
    why: str = ""

    @model_validator(mode="after")
    def _terms_say_something(self) -> Trap:
        _check_terms((*self.terms, *self.unless))
        return self


class NuggetQuestion(Record):
    """A question with its nuggets and traps."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    text: str = Field(min_length=3)
    split: Literal["dev", "test"]
    topic: Literal["tb", "cap", "other"]
    kind: str = Field(min_length=1, description="what is asked for, or how it tries to mislead")
    expect: NuggetExpectation = "answer"
    corpora: tuple[CorpusName, ...] = Field(
        (), description="where it can be answered; of a refusal: where it cannot; empty: anywhere"
    )
    why: str = ""
    nuggets: tuple[Nugget, ...] = Field(())
    traps: tuple[Trap, ...] = Field(())
    file: str = Field("", description="name of its file without the ending")

    @field_validator("kind")
    @classmethod
    def _kind_has_spaces(cls, kind: str) -> str:
        return kind.replace("_", " ")

    @property
    def is_absent(self) -> bool:
        """True if it asks, within the domain, for what the corpus does not hold."""
        return self.file == ABSENT

    @property
    def asks_usual_dose(self) -> bool:
        """True if it asks for the dose of a drug and nothing else."""
        return self.file == DOSES

    @model_validator(mode="after")
    def _nuggets_fit(self) -> NuggetQuestion:
        if self.expect == "answer" and not any(nugget.vital for nugget in self.nuggets):
            raise ValueError("a question to answer has at least one vital nugget")
        if self.expect == "refuse" and self.nuggets:
            raise ValueError("a question to refuse has no nuggets")
        return self


def load_nuggets(
    folder: Path, questions: Sequence[BenchmarkQuestion], problems: list[str]
) -> tuple[NuggetQuestion, ...]:
    """Return the nugget questions of every `*.toml` of a folder, ordered by id; none without one.

    `of` takes text and split from a question of the benchmark. What is wrong, each with file and
    question, is added to `problems`.
    """
    known = {question.id: question for question in questions}
    found: list[NuggetQuestion] = []
    for file in sorted(folder.glob("*.toml")):
        for number, row in enumerate(_rows(file, problems), start=1):
            name = str(row.get("id", row.get("of", f"question {number}")))
            where = f"{FOLDER}/{file.name}, {name}"
            try:
                question = _question(row, file.stem, known)
            except (ValidationError, ValueError) as error:
                what = described(error) if isinstance(error, ValidationError) else str(error)
                problems.append(f"{where}: {what}")
                continue
            problems += [f"{where}: {what}" for what in _conflicts(question, found, questions)]
            found.append(question)
    return tuple(sorted(found, key=lambda question: question.id))


def _conflicts(
    question: NuggetQuestion,
    others: Sequence[NuggetQuestion],
    questions: Sequence[BenchmarkQuestion],
) -> Iterator[str]:
    """Yield what is wrong between a question and those before it, or those of the benchmark."""
    text = _folded(question.text)
    for other in others:
        if other.id == question.id:
            yield "the id is used twice"
        elif _folded(other.text) == text:
            apart = question.corpora and other.corpora
            if not apart or set(question.corpora) & set(other.corpora):
                yield f"the same text as {other.id} for the same corpus"
            if question.split != other.split:
                yield f"the same text as {other.id} in the other split"
    for other in questions:
        if other.id != question.id and _folded(other.text) == text:
            yield f'the same text as {other.id}; write of = "{other.id}"'


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _rows(file: Path, problems: list[str]) -> list[dict[str, Any]]:
    """Return the tables `[[question]]` of a file; what is wrong is added to `problems`."""
    try:
        tree: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{FOLDER}/{file.name}: {error}")
        return []
    rows = tree.get("question")
    if set(tree) != {"question"} or not isinstance(rows, list):
        problems.append(f"{FOLDER}/{file.name}: must hold [[question]] and nothing else")
        return []
    return cast("list[dict[str, Any]]", rows)


def _question(
    row: dict[str, Any], file: str, known: dict[str, BenchmarkQuestion]
) -> NuggetQuestion:
    """Return one question.

    Raises:
        ValueError: it names a question that the benchmark does not have, or disagrees with it.
        ValidationError: a field is missing, unknown or invalid.
    """
    fields = dict(row)
    if (of := fields.pop("of", None)) is not None:
        if of not in known:
            raise ValueError(f"of = {of!r} is no question of the benchmark")
        if given := sorted({"id", "text", "split"} & set(fields)):
            raise ValueError(f"{', '.join(given)}: comes from {of}, leave it out")
        fields |= {"id": of, "text": known[of].text, "split": known[of].split}
    elif fields.get("id") in known:
        raise ValueError('the benchmark has this id: write of = "..." if that is meant')
    lists = {f"{name}s": fields.pop(name) for name in ("nugget", "trap") if name in fields}
    return NuggetQuestion.model_validate(fields | lists | {"file": file})

"""The benchmark: questions with graded relevance as locators, so that any corpus can be judged.

The shipped questions are asked of every corpus; a corpus folder may add questions (ADR 0020).

A locator says where an answer is (document, drug, section, LOINC code) and which terms the
passage must contain. It never names a chunk, so re-chunking or another corpus keeps it valid.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from pydantic import Field, ValidationError, field_validator, model_validator

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.nuggets import FOLDER as NUGGETS
from clinrag_core.evaluate.nuggets import NuggetQuestion, load_nuggets
from clinrag_core.evaluate.pooled_judgements import FOLDER as JUDGED
from clinrag_core.evaluate.pooled_judgements import load_judgements
from clinrag_core.model.base import Record, described
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.evaluate.pooled_judgements import PooledJudgement

Split = Literal["dev", "test"]
BaseKind = Literal["guidelines", "labels"]
Expectation = Literal["answer", "refuse"]
QUESTIONS = "questions.toml"
"""File of a corpus folder with the questions of its users."""
OF_CORPUS = "corpus/"
"""What ids and families of those questions begin with."""


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

    id: str = Field(pattern=r"^(corpus/)?[a-z0-9]+(-[a-z0-9]+)*$")
    family: str = Field("", description="close variants; wholly in one split; its id if not given")
    split: Split = "test"
    intent: str = Field("OTHER", min_length=1)
    knowledge_bases: tuple[BaseKind, ...] = Field(("guidelines", "labels"), min_length=1)
    text: str = Field(min_length=3)
    expect: Expectation = "answer"
    reason: Literal["out_of_domain", "not_in_corpus"] | None = None
    absent: tuple[str, ...] = Field((), description="terms whose presence makes it answerable")
    relevant: tuple[Locator, ...] = ()

    @property
    def is_of_corpus(self) -> bool:
        """True if the corpus's folder has it, not the shipped benchmark."""
        return self.id.startswith(OF_CORPUS)

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
    nuggets: tuple[NuggetQuestion, ...] = ()
    statements: dict[str, dict[str, int]] = Field(
        default_factory=dict[str, dict[str, int]],
        description="grades of pooled statements, by nugget question and digest of the text",
    )
    fingerprint: str


def load_benchmark(folder: Path, corpus: Path | None = None) -> Benchmark:
    """Read every `*.toml` of a folder, and the questions of a corpus folder if it has any.

    Of its folders, `nuggets` holds nugget questions and `judged` judgements of pooled texts.
    Ids and families of the corpus's questions begin with `corpus/`, so that they meet no other's.

    Raises:
        BenchmarkError: no file, malformed file or question, an id or a text used twice, a family in
            both splits; names the file and the question of every problem.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise BenchmarkError(f"no benchmark: {folder} has no .toml file")
    extra = corpus / QUESTIONS if corpus is not None else None
    extra = extra if extra is not None and extra.is_file() else None
    return _benchmark(files, extra, folder)


def load_questions(corpus: Path) -> Benchmark:
    """Read the questions of a corpus folder alone.

    Raises:
        BenchmarkError: as `load_benchmark`, or there is no such file.
    """
    if not (corpus / QUESTIONS).is_file():
        raise BenchmarkError(
            f"{QUESTIONS} is missing from {corpus}: write one (docs/own-corpus.md has an example)"
        )
    return _benchmark([], corpus / QUESTIONS)


class _Placed(NamedTuple):
    """A question and its file."""

    file: str
    question: BenchmarkQuestion


def _benchmark(shipped: list[Path], corpus: Path | None, folder: Path | None = None) -> Benchmark:
    """Return the questions of files, those of a corpus last, with the nuggets of a folder."""
    problems: list[str] = []
    placed = [_Placed(f.name, q) for f in shipped for q in _read(f, "", problems)]
    if corpus is not None:
        placed += [_Placed(corpus.name, q) for q in _read(corpus, OF_CORPUS, problems)]
    problems += _problems_between(placed)
    files = [*shipped, *([corpus] if corpus is not None else [])]
    nuggets: tuple[NuggetQuestion, ...] = ()
    statements: dict[str, dict[str, int]] = {}
    if folder is not None:
        judgements = load_judgements(folder / JUDGED, problems)
        placed = _with_locators(placed, judgements, problems)
        own = [p.question for p in placed if not p.question.is_of_corpus]
        nuggets = load_nuggets(folder / NUGGETS, own, problems)
        statements = _grades(nuggets, judgements, problems)
        files += [*sorted((folder / NUGGETS).glob("*.toml"))]
        files += [*sorted((folder / JUDGED).glob("*.tsv"))]
    if problems:
        raise BenchmarkError(*problems)
    content = "".join(sha256_hex(file.read_bytes()) for file in files)
    ordered = sorted((p.question for p in placed), key=lambda q: q.id)
    return Benchmark(
        questions=tuple(ordered),
        nuggets=nuggets,
        statements=statements,
        fingerprint=sha256_hex(content.encode())[:16],
    )


def _with_locators(
    placed: list[_Placed], judgements: list[PooledJudgement], problems: list[str]
) -> list[_Placed]:
    """Return the questions with a locator for each relevant passage that was pooled."""
    locators: dict[str, list[Locator]] = {}
    for judgement in judgements:
        if judgement.unit != "passage":
            continue
        found = locators.setdefault(judgement.question_id, [])
        if judgement.grade:
            fields = judgement.model_dump(include={"grade", "document", "terms"})
            found.append(Locator.model_validate(fields))
    known = {p.question.id for p in placed if p.question.expect == "answer"}
    problems += [
        f"{JUDGED}: {name} is no question to answer of the benchmark"
        for name in sorted(locators.keys() - known)
    ]
    return [
        p._replace(
            question=p.question.model_copy(
                update={"relevant": (*p.question.relevant, *locators.get(p.question.id, ()))}
            )
        )
        for p in placed
    ]


def _grades(
    nuggets: tuple[NuggetQuestion, ...], judgements: list[PooledJudgement], problems: list[str]
) -> dict[str, dict[str, int]]:
    """Return the grades of pooled statements, by nugget question and digest of the text."""
    grades: dict[str, dict[str, int]] = {}
    for judgement in judgements:
        if judgement.unit == "statement":
            found = grades.setdefault(judgement.question_id, {})
            if found.setdefault(judgement.digest, judgement.grade) != judgement.grade:
                name = f"{judgement.question_id}, {judgement.digest}"
                problems.append(f"{JUDGED}: {name}: judged twice with different grades")
    unknown = sorted(grades.keys() - {question.id for question in nuggets})
    problems += [f"{JUDGED}: {name} is no nugget question" for name in unknown]
    return grades


def _problems_between(placed: list[_Placed]) -> list[str]:
    """Return what is wrong between questions: ids, texts and families."""
    problems: list[str] = []
    ids: set[str] = set()
    texts: dict[tuple[bool, str], str] = {}
    splits: dict[str, BenchmarkQuestion] = {}
    for file, question in placed:
        where = f"{file}, {question.id}"
        if question.id in ids:
            problems.append(f"{where}: the id is used twice")
        ids.add(question.id)
        text = (question.is_of_corpus, " ".join(question.text.casefold().split()))
        if (first := texts.setdefault(text, question.id)) != question.id:
            problems.append(f"{where}: the same text as {first}")
        other = splits.setdefault(question.family, question)
        if other.split != question.split:
            problems.append(
                f"{where}: family {question.family!r} is in both splits (see {other.id})"
            )
    return problems


def _read(file: Path, prefix: str, problems: list[str]) -> list[BenchmarkQuestion]:
    """Return the valid questions of one file; what is wrong is added to `problems`."""
    try:
        tree: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{file.name}: {error}")
        return []
    if unknown := sorted(set(tree) - {"question"}):
        problems.append(f"{file.name}: unknown {', '.join(unknown)}; write [[question]]")
    rows = tree.get("question", [])
    if not isinstance(rows, list) or not rows:
        problems.append(f"{file.name} has no [[question]]")
        return []
    questions: list[BenchmarkQuestion] = []
    for number, row in enumerate(cast("list[object]", rows), start=1):
        fields = cast("dict[str, object]", row) if isinstance(row, dict) else {}
        name = str(fields.get("id", f"question {number}"))
        try:
            question = BenchmarkQuestion.model_validate(row)
        except ValidationError as error:
            problems.append(f"{file.name}, {name}: {described(error)}")
            continue
        family = f"{prefix}{question.family or question.id}"
        update = {"id": f"{prefix}{question.id}", "family": family}
        questions.append(question.model_copy(update=update))
    return questions

"""MIRAGE: multiple-choice questions, recorded outputs of models, and their accuracy.

Two scorers: the published one, to reproduce published figures from recorded outputs, and this
project's, in which an abstention is no answer and is counted apart (reference: `read_choice`).
"""

from __future__ import annotations

import gzip
import json
import math
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import BenchmarkError
from clinrag_core.model.base import Record
from clinrag_core.reason.read_choice import published_choice, stated_choice
from clinrag_core.reason.records import Choice, ChoiceQuestion
from clinrag_core.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SETS = ("mmlu", "medqa", "medmcqa", "pubmedqa", "bioasq")
ROUNDING = 0.005
"""Percentage points: published accuracies have two decimals."""
Z = 1.959964
"""Of a two-sided interval of 95 %."""


class ChoiceFigures(Record):
    """How a reasoner did on a set of questions, next to what needs no reasoning."""

    questions: int
    answered: int
    correct: int
    accuracy: float
    """Of all questions: an abstention is wrong."""
    low: float
    high: float
    """Wilson's 95 % interval of `accuracy` (Wilson 1927)."""
    answered_accuracy: float | None
    credited: float
    """An abstention counts as a guess among the options."""
    chance: float
    majority: float
    """Always the letter that is right most often, seen on these questions."""
    longest: float
    """Always the longest option; where several are, one of them."""


class PublishedCell(NamedTuple):
    """A published accuracy in per cent, and that of the recorded outputs."""

    system: str
    set: str
    published: float
    reproduced: float | None
    stated: float | None
    """Of the same outputs, where what states no option is wrong."""
    abstained: int

    @property
    def exact(self) -> bool:
        """True if both are equal as printed."""
        return self.reproduced is not None and abs(self.reproduced - self.published) < ROUNDING


def read_mirage(folder: Path) -> dict[str, list[ChoiceQuestion]]:
    """Read benchmark.json: the questions by set, ordered by id.

    Raises:
        BenchmarkError: it is missing or malformed.
    """
    path = folder / "benchmark.json"
    try:
        sets: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: [
                ChoiceQuestion(id=key, **{k: row[k] for k in ("question", "options", "answer")})
                for key, row in sorted(sets[name].items())
            ]
            for name in SETS
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchmarkError(f"{path}: {type(error).__name__}: {error}") from error


def read_outputs(file: Path) -> dict[str, str | None]:
    """Read recorded outputs, a line of JSON each, by question id.

    Raises:
        BenchmarkError: a line is malformed.
    """
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            return {row["id"]: row["output"] for row in map(json.loads, lines)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{file}: {type(error).__name__}: {error}") from error


def reproduce(folder: Path) -> list[PublishedCell]:
    """Return every published cell with what the recorded outputs give by the published rule.

    Raises:
        BenchmarkError: the questions or an output file cannot be read.
    """
    questions = read_mirage(folder)
    published = data_folder() / "benchmark" / "published" / "mirage.toml"
    cells: list[PublishedCell] = []
    for row in tomllib.loads(published.read_text(encoding="utf-8"))["cell"]:
        name: str = row["set"]
        file = folder / "predictions" / f"{name}.{row['outputs']}.jsonl.gz"
        if not file.is_file():
            cells.append(PublishedCell(row["system"], name, row["accuracy"], None, None, 0))
            continue
        outputs, asked = read_outputs(file), questions[name]
        right = sum(published_choice(outputs.get(q.id)) == q.answer for q in asked)
        stated = [stated_choice(outputs.get(q.id), "".join(q.options)) for q in asked]
        cells.append(
            PublishedCell(
                row["system"],
                name,
                row["accuracy"],
                round(100 * right / len(asked), 2),
                round(100 * sum(s == q.answer for s, q in zip(stated, asked, strict=True))
                      / len(asked), 2),
                stated.count(None),
            )
        )  # fmt: skip
    return cells


def choice_figures(
    questions: Sequence[ChoiceQuestion], choices: Mapping[str, Choice]
) -> ChoiceFigures:
    """Score choices by question id; a question without one is an abstention.

    Raises:
        BenchmarkError: no questions, or one without its answer.
    """
    if not questions or any(q.answer is None for q in questions):
        raise BenchmarkError("multiple choice needs questions with their answers")
    count = len(questions)
    letters = {q.id: choices[q.id].letter if q.id in choices else None for q in questions}
    correct = sum(letters[q.id] == q.answer for q in questions)
    answered = sum(letter is not None for letter in letters.values())
    guessed = math.fsum(1 / len(q.options) for q in questions if letters[q.id] is None)
    low, high = wilson(correct, count)
    return ChoiceFigures(
        questions=count,
        answered=answered,
        correct=correct,
        accuracy=correct / count,
        low=low,
        high=high,
        answered_accuracy=correct / answered if answered else None,
        credited=(correct + guessed) / count,
        chance=math.fsum(1 / len(q.options) for q in questions) / count,
        majority=Counter(q.answer for q in questions).most_common(1)[0][1] / count,
        longest=math.fsum(map(_longest, questions)) / count,
    )


def _longest(question: ChoiceQuestion) -> float:
    """Return the chance of being right with a longest option."""
    most = max(map(len, question.options.values()))
    longest = [letter for letter, text in question.options.items() if len(text) == most]
    return (question.answer in longest) / len(longest)


def wilson(successes: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    share, z2 = successes / count, Z * Z
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = Z * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count)) / (1 + z2 / count)
    return centre - half, centre + half

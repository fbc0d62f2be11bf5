"""Questions on every drug with a label and every pair of them, and whose claims the answers hold.

Each claim must be about a drug of its question, by its words, what heads it or its label; a drug
of the question that no claim is about must be named as not answered.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.claim_drugs import drugs_of_claim
from clinrag_core.evaluate.judging import in_this_process
from clinrag_core.model.base import Record
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Answer
    from clinrag_core.evaluate.judging import Spread

DRUG_QUESTIONS = (
    "What is the recommended dose of {0}?",
    "Which adverse reactions does {0} have?",
)
PAIR_QUESTION = "Can {0} be given together with {1}?"
DRUGS_AT_ONCE = 8
"""Pairs of so many drugs with so many others are asked one after the other. Of the reference
corpus, the statements of sixteen labels are kept in memory after they were read, those of all 68
are not: asked in the order of the alphabet, most were read again for each pair."""


class DrugPairs(Record):
    """Questions on drugs and pairs of drugs, and claims of their answers about other drugs."""

    drugs: int
    questions: int
    """Asked: all there are, or a sample of them."""
    answered: int
    wrong: int
    """Claims about no drug of their question, and drugs that an answer passes over in silence."""
    wrong_in: tuple[str, ...] = ()
    """The questions with such claims or drugs; of drug names only, so no patient data."""


class DrugQuestion(NamedTuple):
    """A question with the drugs it is on."""

    targets: tuple[str, ...]
    text: str


class DrugAnswer(NamedTuple):
    """An answer, with how many of its claims and passed-over drugs are wrong."""

    answer: Answer
    faults: int


def drug_questions(drugs: Iterable[str], most: int | None = None) -> list[DrugQuestion]:
    """Return the questions on each drug and each pair.

    With `most`, as many of them as that, in the order of their digests: the same sample each time,
    which a drug that is added changes little.
    """
    names = sorted(drugs)
    asked = [DrugQuestion((one,), text.format(one)) for one in names for text in DRUG_QUESTIONS]
    asked += [DrugQuestion(pair, PAIR_QUESTION.format(*pair)) for pair in combinations(names, 2)]
    if most is None or len(asked) <= most:
        return asked
    return sorted(asked, key=lambda one: sha256_hex(one.text.encode()))[:most]


def measure_drug_pairs(
    engine: AnswerEngine,
    most: int | None = None,
    spread: Spread | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[DrugPairs, list[Answer]]:
    """Ask about labelled drugs and pairs, `most` at most; count claims about other drugs.

    The answers are returned with the counts. `spread` does the work on an engine of the same
    state; without it this one does. `on_progress` gets how many are asked, of how many.
    """
    drugs = engine.drugs.labelled
    asked = drug_questions(drugs, most)
    groups = _grouped(asked, sorted(drugs))
    found: dict[DrugQuestion, DrugAnswer | None] = {}
    for group, answers in zip(
        groups, (spread or in_this_process(engine))(ask_about_drugs, groups), strict=True
    ):
        found |= zip(group, answers, strict=True)
        if on_progress is not None:
            on_progress(len(found), len(asked))
    answered = [(one, given) for one in asked if (given := found[one]) is not None]
    pairs = DrugPairs(
        drugs=len(drugs),
        questions=len(asked),
        answered=len(answered),
        wrong=sum(given.faults for _, given in answered),
        wrong_in=tuple(one.text for one, given in answered if given.faults),
    )
    return pairs, [given.answer for _, given in answered]


def ask_about_drugs(
    engine: AnswerEngine, questions: Sequence[DrugQuestion]
) -> list[DrugAnswer | None]:
    """Return the answer to each question; None where there is none."""
    return [_asked(engine, question) for question in questions]


def _asked(engine: AnswerEngine, question: DrugQuestion) -> DrugAnswer | None:
    answer = engine.ask(question.text)
    if answer.status != "answered":
        return None
    named = [drugs_of_claim(engine, claim) for claim in answer.claims]
    unmet = engine.drugs.ingredients(" ".join(answer.unmet))
    faults = sum(names.isdisjoint(question.targets) for names in named)
    return DrugAnswer(answer, faults + len(set(question.targets) - unmet.union(*named)))


def _grouped(asked: Sequence[DrugQuestion], names: Sequence[str]) -> list[list[DrugQuestion]]:
    """Return the questions in groups of a few drugs each, so that labels are read seldom."""
    of_drug = {name: number // DRUGS_AT_ONCE for number, name in enumerate(names)}
    groups: dict[tuple[int, int], list[DrugQuestion]] = {}
    for one in asked:
        key = (of_drug[one.targets[0]], of_drug[one.targets[-1]])
        groups.setdefault(key, []).append(one)
    return [groups[key] for key in sorted(groups)]

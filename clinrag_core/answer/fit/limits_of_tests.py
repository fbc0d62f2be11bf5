"""What a test does not show, where that is asked: of no use for it, or negative and not excluding.

A negative test that reads as an all-clear sends a patient with the disease home.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import asking_part
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots

_ASKS_OF_TEST = lazy_re(
    r"^\W*(?:can|could|is|are|does|do|should|may|will)\b"
    r"|\b(?:best|good|better|reliable|enough|useful|confirms?|proves?|diagnoses?)\b"
)
_AFTER = lazy_re(
    r"\b(?:cured?|(?:after|during|completed|finished|response to) (?:[\w-]+ ){0,2}"
    r"(?:treatment|therapy)|treatment success|still positive)\b"
)
"""What asks for a test in somebody who is treated, or was."""
_STAYS_POSITIVE = lazy_re(
    r"\b(?:remain|stay|be|persist)s?(?: \w+)? positive\b[^.;]{0,60}"
    r"\b(?:after|during|treatment|therapy|cured?|years)\b"
)
BOTH_TESTS = lazy_re(r"\bboth\b[^.;?]{0,40}\btests?\b")
_MOLECULAR = lazy_re(r"\b(?:gene-?xpert|xpert|(?:molecular|amplification) tests?|naats?)\b")
_FOLLOWS = lazy_re(
    r"\b(?:monitor\w*|follow(?:s|ing)?(?: up)?|respon[ds]\w*"
    r"|(?:is|if|whether)\b[^?]{0,30}\bworking)\b"
)
_NOT_TO_FOLLOW = lazy_re(
    r"\bnot (?:be )?(?:used|suitable|recommended|appropriate)\b[^.;]{0,30}\bmonitoring\b"
)
"""Tests that find dead bacilli, what they are asked to show, and that they do not."""
_NEGATIVE = {"smear": "smear_negative", "amplification": "naa_negative"}
"""Facets of tests for the disease, each with the value that finds none."""


def limits_test(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that the test asked about does not show what is asked."""
    return (
        _excludes_nothing(slots, said)
        or _denies_test(slots, said)
        or _stays(slots, said)
        or _is_not_to_follow(slots, said)
    )


def _is_not_to_follow(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that a molecular test does not show how a treatment works."""
    texts = (fold_chars(slots.text), fold_chars(said))
    if not all(_MOLECULAR.search(text) for text in texts):
        return False
    return bool(_FOLLOWS.search(texts[0]) and _NOT_TO_FOLLOW.search(texts[1]))


def _stays(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that a test stays positive, where it is to show a cure."""
    if slots.drugs or not names_diagnostics(slots.text):
        return False
    if not (_AFTER.search(fold_chars(slots.text)) and _STAYS_POSITIVE.search(fold_chars(said))):
        return False
    return slots.facet("skin_test") == facet_values(said, "skin_test")


def asks_both_tests(slots: QuestionSlots) -> bool:
    """Return whether it is asked if two kinds of tests are both done."""
    return (
        len(slots.facet("skin_test")) > 1 and BOTH_TESTS.search(fold_chars(slots.text)) is not None
    )


def _excludes_nothing(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that a negative test excludes no disease, where that is asked."""
    wordings = slot_lexicon().wordings
    if slots.drugs or not says(fold_chars(asking_part(slots.text)), wordings.asks_exclusion):
        return False
    is_negative = any(value in slots.facet(name) for name, value in _NEGATIVE.items())
    return is_negative and says(fold_chars(said), wordings.excludes_nothing)


def _denies_test(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that the test asked about is of no use for what is asked."""
    if "test" not in slots.aspects or slots.drugs or asks_both_tests(slots):
        return False
    named = slots.facet("skin_test")
    return (
        bool(named)
        and _ASKS_OF_TEST.search(fold_chars(slots.text)) is not None
        and slot_lexicon().wordings.denies_test.search(fold_chars(said)) is not None
        and bool(named & facet_values(said, "skin_test"))
        and slots.facet("stage") <= facet_values(said, "stage")
    )

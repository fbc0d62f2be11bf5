"""The patient summary and the medical entity safety guard (seed 000).

The guard compares a version in plain words with the clinician summary: a drug, a number, a
high-risk term or a population that the clinician summary does not say flags and suppresses it.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from clinrag_core.answer.records import PatientSummary
from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.facts.negation import polarity
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon

logger = logging.getLogger(__name__)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
# Words of a label or guideline in words of every day; each keeps what is said.
_PLAIN = (
    (r"\badverse (?:reactions|events)\b", "side effects"),
    (r"\badverse (?:reaction|event)\b", "side effect"),
    (r"\bcontraindicated\b", "not allowed"),
    (r"\badministered\b", "given"),
    (r"\badministration\b", "giving"),
    (r"\borally\b", "by mouth"),
    (r"\bonce daily\b", "once a day"),
    (r"\btwice daily\b", "twice a day"),
    (r"\bhepatic\b", "liver"),
    (r"\brenal\b", "kidney"),
    (r"\bpulmonary\b", "lung"),
    (r"\binitiat(?:e|ing|ion of)\b", "start"),
    (r"\bdiscontinue\b", "stop"),
    (r"\bdiscontinued\b", "stopped"),
    (r"\bpaediatric patients\b|\bpediatric patients\b", "children"),
    (r"\bhypersensitivity\b", "allergy"),
    (r"\bconcomitant(?:ly)?\b", "at the same time"),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in _PLAIN)


def plain_words(clinician: Sequence[str]) -> tuple[str, ...]:
    """The clinician sentences with professional words replaced; nothing is dropped."""
    return tuple(_plain(sentence) for sentence in clinician)


def _plain(sentence: str) -> str:
    for pattern, plain in _COMPILED:
        sentence = pattern.sub(plain, sentence)
    return sentence


def guard_patient_summary(
    sentences: Sequence[str], clinician: Sequence[str], drugs: DrugLexicon
) -> PatientSummary:
    """The patient summary, or, with what was wrong, none. A guard that fails suppresses it.

    Args:
        sentences: the version in plain words.
        clinician: the accepted claims.
        drugs: finds drug names.
    """
    try:
        flags = _flags("\n".join(sentences), "\n".join(clinician), drugs)
    except Exception as error:  # noqa: BLE001 - a guard that fails has not let it pass
        logger.error("the patient summary's guard failed: %s", type(error).__name__)  # noqa: TRY400 - its message may hold text
        return PatientSummary(suppressed=True, flags=("guard_error",))
    if flags:
        return PatientSummary(suppressed=True, flags=flags)
    return PatientSummary(sentences=tuple(sentences))


def _flags(text: str, source: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """What a text says that its source does not."""
    flags = [f"drug: {n}" for n in sorted(drugs.ingredients(text) - drugs.ingredients(source))]
    lexicon = safety_lexicon()
    for kind, concepts in (
        ("term", lexicon.high_risk),
        ("population", lexicon.populations),
        ("route", lexicon.routes),
    ):
        flags += [f"{kind}: {n}" for n in sorted(concepts.find(text) - concepts.find(source))]
    known = {(q.key, q.comparator) for q in quantities(source)}
    flags += [
        f"quantity: {text[q.start : q.end]}"
        for q in quantities(text)
        if (q.key, q.comparator) not in known
    ]
    flags += [f"number: {n}" for n in sorted(_numbers(text) - _numbers(source))]
    if _denials(text) != _denials(source):
        flags.append("negation")
    return tuple(flags)


def _numbers(text: str) -> set[str]:
    folded = fold(text)
    words = {str(NUMBER_WORDS[w]) for w in re.findall(r"[a-z-]+", folded) if w in NUMBER_WORDS}
    return words - {"1"} | {n.replace(",", "") for n in _DIGITS.findall(folded)}


def _denials(text: str) -> int:
    return sum(len(polarity(line).cues) for line in text.split("\n"))

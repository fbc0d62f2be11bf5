"""Orders what sources say of a note, and keeps the verdicts that are sure.

A guideline that neither supports nor contradicts what a note does is no evidence for it. What a
label warns of in a patient supports nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.notes.label_conditions import is_allergen
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clinrag_core.notes.records import GuidelineFinding, GuidelineVerdict

_NONE: GuidelineVerdict = "no guideline evidence"
_GRAVEST_FIRST: tuple[GuidelineVerdict, ...] = (
    "contradicts",
    "warns",
    "supports",
    "related",
    "no guideline evidence",
)
"""What a reader must not miss comes first."""
_DRUG_OF = re.compile(r"(?:What is the dose of|Is) (.+?) (?:in|recommended) ")
_ON_DRUG = re.compile(r"(?:What is the dose of|Is) (.+?) (?:in|recommended|contraindicated)\b")
_JOINED = re.compile(r" with ")


def gravest_first(said: Iterable[GuidelineFinding]) -> tuple[GuidelineFinding, ...]:
    """Return findings, the gravest first; what only relates to a drug, where nothing else is said.

    Of what relates to one drug the first finding is enough; what a guideline neither supports nor
    contradicts has no evidence.
    """
    ordered = sorted(said, key=lambda one: _GRAVEST_FIRST.index(one.verdict))
    kept: list[GuidelineFinding] = []
    named: set[str] = set()
    for one in ordered:
        words = _ON_DRUG.match(one.question)
        if one.verdict == "related" and words:
            if words[1] in named:
                continue
            named.add(words[1])
        elif one.verdict != _NONE:
            named |= set(_JOINED.split(words[1])) if words else set(one.question[:-1].split())
        kept.append(_or_silent(one))
    return tuple(kept)


def _or_silent(one: GuidelineFinding) -> GuidelineFinding:
    """Return a finding; without what is only on the same drug or test and decides nothing."""
    if one.verdict != "related" or one.kind == "contraindication":
        return one
    return one.model_copy(update={"verdict": _NONE, "evidence": ()})


def held_back(
    findings: Mapping[tuple[str, str], GuidelineFinding],
    warned: Sequence[GuidelineFinding],
    allergies: Sequence[str],
) -> Iterator[GuidelineFinding]:
    """Yield findings; what a label warns of in this patient supports no dose of that drug.

    Nor is a drug supported that the patient is allergic to, whether or not its label is there.
    """
    warns = [w for w in warned if w.verdict == "warns"]
    against = [w.question for w in warns if _is_of_condition(w) or _is_grave(w)]
    for one in findings.values():
        drug = _DRUG_OF.match(one.question)
        is_against = drug is not None and (
            any(drug[1] in q.rstrip("?").split() for q in against)
            or any(is_allergen(drug[1], allergy) for allergy in allergies)
        )
        is_held = is_against and one.verdict == "supports"
        yield one.model_copy(update={"verdict": "related"}) if is_held else one


def _is_of_condition(warning: GuidelineFinding) -> bool:
    """Return whether a label warns of what a patient has, and not only of an age to watch."""
    return warning.kind == "contraindication" and " an age " not in warning.question


def _is_grave(warning: GuidelineFinding) -> bool:
    """Return whether a label says not to give a drug: with another one, or at an age."""
    prohibits = slot_lexicon().wordings.prohibits
    return any(
        prohibits.search(fold_chars(e.text)) or "contraindic" in fold_chars(e.section)
        for e in warning.evidence
    )

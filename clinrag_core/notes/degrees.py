"""Says whether a warning about a condition holds for the stage of it that the note gives.

A drug to avoid in the first trimester may be given at 20 weeks, one to avoid in kidney failure at a
clearance of 55 mL/min. Where the note or the source does not say, a warning holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.people import ADULT, AGE_GROUPS, read_people
from clinrag_core.facts.pregnancy import names_pregnant, weeks_of_pregnancy
from clinrag_core.facts.ruled_out import rules_out_cirrhosis
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRIMESTER = re.compile(r"\b(first|second|third|1st|2nd|3rd)(?: (?:and|or) (?:\w+))? trimester")
_TRIMESTER_ENDS = (14, 28)
"""Weeks at which the second and the third trimester begin."""
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}
_NOT_YET = re.compile(r"\b(?:avoid|prevent|become|becomes|becoming) pregnan\w+")
"""What is said to somebody who is not pregnant."""
_GRAVE_KIDNEY = re.compile(
    r"\b(?:severe\w*|established|end[- ]stage|terminal)\b[^.;]{0,40}\b(?:kidney|renal)"
    r"|\b(?:kidney|renal) failure\b|\bdialysis\b|\banuri\w+"
)
_GRAVE_CLEARANCE = 30.0
"""mL/min under which kidney impairment is severe (FDA guidance of 2020)."""
_CHILD_PUGH = re.compile(r"\bchild[- ]pugh[^.;]{0,20}?\b(?P<class>[a-c])\b")
_GRAVE_LIVER = re.compile(
    r"\b(?:severe\w*|advanced|decompensat\w+|end[- ]stage|child[- ]pugh[^.;]{0,20}?\bc)\b"
    r"|\b(?:liver|hepatic) failure\b"
)
_LESS = re.compile(r"\b(?:mild|moderate|any degree|acute|active)\b|\bchild[- ]pugh[^.;]*\b[ab]\b")
"""Words of a warning that holds for less than the gravest stage as well."""
_IMPAIRED = re.compile(
    r"\b(?:hepatic|liver) (?:impairment|insufficiency|dysfunction|failure)\b|\bcirrho\w+"
    r"|\b(?:severe|advanced) (?:hepatic|liver) disease\b"
)
_ANY_LIVER = re.compile(r"\bhepatitis\b|\b(?:liver|hepatic) (?:disease|disorders?|injury|damage)\b")
_JAUNDICE = re.compile(r"\b(?<!no )(?:jaundiced?|icter\w+|ascites|encephalopathy)\b")
_OF_CHILDREN = re.compile(r"^(?!.*\badults?\b).*\b(?:in|for) pa?ediatric patients\b")
"""What is said of children alone, whatever ages it says."""
_NURSING = re.compile(r"\bnursing (?:women|mothers?|infants?)\b|\bbreast-?fe|\blactat|human milk")
_LIVER, _KIDNEY, _PREGNANT = "liver_disease", "kidney_disease", "pregnancy"
_YOUNG, _OLDER = "young_age", "older_age"


class Degrees(NamedTuple):
    """The stages of a person's conditions, each None where the note does not say."""

    age: float | None = None
    weeks: int | None = None
    """Of a pregnancy."""
    clearance: float | None = None
    """Of creatinine, in mL/min."""
    child_pugh: str | None = None
    has_no_cirrhosis: bool = False


def read_degrees(texts: Iterable[str], age: float, clearance: float | None) -> Degrees:
    """Return the stages that the statements of a note give."""
    folded = [fold_chars(text) for text in texts]
    weeks = (weeks_of_pregnancy(text) for text in folded)
    graded = next((m for text in folded for m in _CHILD_PUGH.finditer(text)), None)
    denied = any(rules_out_cirrhosis(text) for text in folded)
    return Degrees(
        age,
        next((one for one in weeks if one is not None), None),
        clearance,
        graded["class"] if graded else None,
        has_no_cirrhosis=denied and not any(_JAUNDICE.search(text) for text in folded),
    )


def holds_for(said: str, condition: str, degrees: Degrees) -> bool:
    """Return whether what is said of a condition is said of a person with these stages of it."""
    folded = fold_chars(said)
    if not _is_of_age(said, condition, degrees.age):
        return False
    if condition == _PREGNANT:
        return _is_of_trimester(folded, degrees.weeks)
    if condition == _KIDNEY and degrees.clearance is not None:
        return _is_of_clearance(said, degrees.clearance)
    if condition == _LIVER:
        return _is_of_liver(folded, degrees)
    return True


def _is_of_age(said: str, condition: str, age: float | None) -> bool:
    """Return whether a warning may be of people of an age: no child's is an adult's."""
    if age is None:
        return True
    if age >= ADULT and _OF_CHILDREN.search(fold_chars(said)):
        return False
    if condition == _YOUNG and _NURSING.search(fold_chars(said)):
        return False
    ages = read_people(said).ages
    if condition == _OLDER:  # "elderly (65 years or more)" is of those ages
        stated = [one for one in ages if (one.low, one.high) != AGE_GROUPS["elderly"]]
        return not ages or any(one.low <= age and one.high > ADULT for one in stated or ages)
    if condition == _YOUNG:
        return not ages or any(one.low <= age <= one.high for one in ages)
    is_adult = age >= ADULT
    return not ages or any(one.high > ADULT if is_adult else one.low < ADULT for one in ages)


def _is_of_trimester(folded: str, weeks: int | None) -> bool:
    if weeks is not None and _NOT_YET.search(folded) and not names_pregnant(folded):
        return False
    named = {_ORDINALS[match[1]] for match in _TRIMESTER.finditer(folded)}
    if weeks is None or not named or len(named) > 1:
        return True
    return sum(weeks >= end for end in _TRIMESTER_ENDS) in named


def _is_of_clearance(said: str, clearance: float) -> bool:
    ranges = read_people(said).kidney
    if ranges:
        return any(one.low <= clearance <= one.high for one in ranges)
    folded = fold_chars(said)
    is_grave = _GRAVE_KIDNEY.search(folded) is not None and _LESS.search(folded) is None
    return not is_grave or clearance < _GRAVE_CLEARANCE


def _is_of_liver(folded: str, degrees: Degrees) -> bool:
    is_early = degrees.child_pugh == "a" or degrees.has_no_cirrhosis
    if is_early and _GRAVE_LIVER.search(folded) and not _LESS.search(folded):
        return False
    rest = _IMPAIRED.sub(" ", folded)
    is_of_function = rest != folded and _ANY_LIVER.search(rest) is None
    return not (degrees.has_no_cirrhosis and is_of_function)

"""Finds results of tests that have the words of a disease or habit: "Xpert: MTB detected"."""

from __future__ import annotations

import re

from clinrag_core.facts.indications import diseases
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.lexicon import note_cues, note_findings
from clinrag_core.notes.measures import read_medications
from clinrag_core.text.normalise import fold_chars

_NAMED_FIRST = 30
"""Characters within which a disease begins that a statement is about."""
_LONGEST_TEST = 40
_DONE = frozenset({"started", "stopped", "switched", "finished", "tried"})
_BY_TEST = re.compile(r"\b(?:smear|culture|sputum|xpert)[- ](?:positive|negative)\b")
"""What a disease is called by a test of it."""
_NAMED_BY_TEST = re.compile(
    rf"{_BY_TEST.pattern}(?=,? (?:[\w-]+,? ){{0,3}}(?:tb|tuberculosis|pneumonia|disease)\b)"
)
_WITH_HIV = re.compile(r" ?hiv\b(?! (?:tests?|negative|neg|serology|status|unknown))")
_NEXT = 5
"""Characters between what somebody has and for how long: "for" and spaces."""
_YEAR = re.compile(r"\b(?:since|from) (?:19|20)\d\d\W*$")
_OF_DISEASE = re.compile(r"(?:hiv|hepatitis [abc]|h[bc]v|mrsa)(?: was)? positive")


def is_result(text: str) -> bool:
    """Return whether a statement is a result, and no disease or habit with a figure of it."""
    text = _NAMED_BY_TEST.sub(lambda match: " " * len(match[0]), text)
    found = note_cues().sections["labs_imaging"].search(text)
    if found is None or names_test_first(text):
        return names_test_first(text)
    if _says_illness(text) or _treats(text):
        return False
    if _is_of_person(text, found):
        return False
    if _YEAR.search(found.group()):
        return False  # "HIV since 2017" is when somebody fell ill
    if not found.group().rstrip(".,")[-1:].isdigit():
        return True  # a figure may be one of a disease, a verdict is a test's
    known = (finding_lexicon().conditions, note_findings().findings)
    starts = [span.start for table in known for span in concept_spans(text, table)]
    found_problems = note_cues().plan.problem.finditer(text)
    starts += [m.start() + m.group().rfind(" ") + 1 for m in found_problems]
    return not any(start < min(found.start(), _NAMED_FIRST) for start in starts)


def _says_illness(text: str) -> bool:
    """Return whether a statement says what somebody has, before any result: "living with HIV".

    "He was found to have smear-positive tuberculosis (Xpert: ...)" names it before the test.
    """
    subject = note_cues().frame.has_illness.match(text)
    if subject is None:
        return False
    if _WITH_HIV.match(text, subject.end()):
        return True
    said = _BY_TEST.sub(lambda match: " " * len(match[0]), text)
    found = note_cues().sections["labs_imaging"].search(said, subject.end())
    part = said[subject.end() : found.start() if found else len(said)]
    return bool(concept_spans(part, finding_lexicon().conditions) or diseases(part))


def _treats(text: str) -> bool:
    """Return whether a statement says what was done with a medicine that it begins with."""
    medicines = read_medications(text, "history")
    if not medicines or not text.startswith(fold_chars(medicines[0].name)):
        return False
    return medicines[0].status in _DONE


def names_test_first(text: str) -> bool:
    """Return whether a statement is a test with a colon before its result: "Xpert: trace"."""
    label, colon, _ = text.partition(":")
    if not colon or len(label) > _LONGEST_TEST or note_cues().blocks.orders.search(text):
        return False
    return note_cues().blocks.tests.search(label) is not None


def _is_of_person(text: str, found: re.Match[str]) -> bool:
    """Return whether words of a result tell of somebody: a habit, a relative, "HIV positive"."""
    cues = note_cues()
    if cues.frame.habits.match(text) or cues.assertion.relatives.search(text, 0, found.start()):
        return True
    lasts = [q.start - found.end() for q in quantities(text) if q.kind == "duration"]
    if any(0 <= at <= _NEXT for at in lasts):
        return True  # "HIV positive 3 years" is for how long
    is_late = found.start() > _NAMED_FIRST or _OF_DISEASE.fullmatch(found.group()) is not None
    return is_late and cues.frame.subjects.match(text) is not None

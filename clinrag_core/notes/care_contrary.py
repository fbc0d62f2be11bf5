"""Says what sources ask for that a plan leaves out, or does later or less often than they say.

A plan that calls a test unnecessary is contradicted by advice to do it in such a patient: advice
for everybody, or for people with a condition that the note names. A next test at week 24 is
contradicted by a source that asks for it at weeks 2, 12 and 24.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.notes.care_lexicon import label_conditions, note_care
from clinrag_core.notes.fits import binds
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from clinrag_core.notes.care_check import AskedCare
    from clinrag_core.notes.care_lexicon import CareMeasure
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient

SIGNS = "\u2022\u25cf*-\u2013 "
"""Of a list, before a sentence."""
ROW = re.compile(r"\b[\w)*-]+: [^;]+; [^;]+: ")
"""A row of a table, whose cells are no sentence."""
_SOME = re.compile(
    r"^\W*(?:for|in|among) (?!all\b|every\b|each\b)\w+|\bas indicated\b|\bregistered as\b"
)
"""Advice that is for some, or in words that say no more."""
_STAFF = re.compile(
    r"\b(?:staff|health workers?|policy|policies|plans?|programmes?|programs?|laboratories|annex"
    r"|registers?|forms?|containers?|supporters?|research)\b"
)
"""Who else is asked for something in a guideline."""
_PURPOSE = re.compile(r"\bto (?:reduce|prevent|protect|limit|avoid|minimi[sz]e)\b[^.;]*")
_ANY = re.compile(r"(?!)")
"""The names of nothing: a sentence is read with all its words."""
_REACH, _AFTER = 60, 120
"""Characters from words of advice to a name after them, and from a name to such words."""
_SENTENCE = re.compile(r"[.;](?:\s|$)")
_PART = re.compile(r"[.;,](?:\s|$)|\bbut\b")
_DAYS = {"day": 1.0, "week": 7.0, "wk": 7.0, "month": 30.0, "mth": 30.0, "year": 365.0}
_WHEN_WRONG = re.compile(r"\b(?:if|when) (?:abnormal|low|raised|deranged)\b")
"""What a result is acted on for, which limits nobody's test."""
_RARER = 1.5
"""How many times longer an interval must be to be another one: monthly is every four weeks."""
_SOON = 84.0
"""Days of the longest list of times that is one of weeks; a later one is of another phase."""


def is_refused(text: str, measure: CareMeasure) -> bool:
    """Return whether a statement of a plan leaves care out."""
    return refusal(text, measure) == "refused"


def refusal(text: str, measure: CareMeasure) -> Literal["refused", "for_now", ""]:
    """Return whether a statement leaves care out, or only for some time or under a condition."""
    says, folded = note_care().says, fold_chars(text)
    is_for_now = False
    for sentence in _SENTENCE.split(folded):
        if not measure.names.search(sentence):
            continue
        if measure.refused and measure.refused.search(sentence):
            return "refused"
        for part in _PART.split(sentence):
            match = measure.names.search(part)
            if match is None:
                continue
            after = says.refuses_after.search(part[match.end() :])
            if after or says.refuses_before.search(part[: match.start()]):
                if not says.refuses_for_now.search(part):
                    return "refused"
                is_for_now = True
    return "for_now" if is_for_now else ""


def asks_for(
    passage: GuidelinePassage, one: AskedCare, patient: NotePatient
) -> Literal["of_these", "of_all", ""]:
    """Return whether a passage asks for care in people like the patient, or in everybody."""
    folded = fold_chars(passage.text)
    asked: Literal["of_all", ""] = ""
    if ROW.search(folded):
        return asked
    for start, end in sentence_spans(folded):
        sentence = folded[start:end].lstrip(SIGNS)
        of = _asked_of(sentence, one, patient)
        rest = note_care().whom.hiv.sub(" ", sentence)  # a list of people is read by its parts
        if of and (
            not one.disease or binds(passage._replace(text=rest), one.disease, patient, _ANY)
        ):
            if of == "of_these":
                return of
            asked = of
    return asked


def _asked_of(
    sentence: str, one: AskedCare, patient: NotePatient
) -> Literal["of_these", "of_all", ""]:
    """Return of whom a sentence asks for care: of people like the patient, or of everybody."""
    says, whom, names = note_care().says, note_care().whom, one.measure.names
    is_of_staff = _STAFF.search(_PURPOSE.sub(" ", sentence)) is not None
    if not names.search(sentence) or says.against.search(sentence) or is_of_staff:
        return ""
    wanted = [m.span() for m in says.recommends.finditer(says.no_advice.sub(" ", sentence))]
    if not any(_is_near(span, m.span()) for span in wanted for m in names.finditer(sentence)):
        return ""
    rest = _WHEN_WRONG.sub(" ", says.times.sub(" ", names.sub(" ", sentence)))
    named = names_of(concept_spans(rest, label_conditions()))
    of_hiv = whom.hiv.search(rest) is not None
    if named & one.conditions or (of_hiv and patient.has_hiv):
        return "of_these"
    if says.for_all.search(rest) and not named - one.conditions:
        return "of_these"
    if named or of_hiv or says.limited.search(rest) or _SOME.search(rest):
        return ""
    return "of_all"


def _is_near(advice: tuple[int, int], name: tuple[int, int]) -> bool:
    """Return whether words of advice are those on the care: "ECGs are done", "obtain an ECG"."""
    return -_REACH <= name[0] - advice[1] <= _REACH or 0 <= advice[0] - name[1] <= _AFTER


def comes_late(text: str, passage: GuidelinePassage, measure: CareMeasure) -> bool:
    """Return whether a passage asks for care earlier, or more often, than a statement does."""
    if not measure.is_timed:
        return False
    folded, said = fold_chars(text), fold_chars(passage.text)
    own = [s for s in _SENTENCE.split(folded) if measure.names.search(s)]
    stated = [said[a:b] for a, b in sentence_spans(said) if measure.names.search(said[a:b])]
    first = min((t for s in own for t in _next_times(s)), default=None)
    listed = [t for s in stated for t in _listed_times(s)]
    if first is not None and listed and min(listed) * _RARER < first and min(listed) <= _SOON:
        return True
    rare = min((i for s in own for i in _intervals(s)), default=None)
    wanted = [i for s in stated for i in _intervals(s)]
    return rare is not None and bool(wanted) and max(wanted) * _RARER < rare


def _next_times(text: str) -> list[float]:
    """Return the days after which a statement has care done again."""
    found: list[float] = []
    for match in note_care().says.next_time.finditer(text):
        number = match["number"] or match["count"]
        unit = match["unit"] or match["counted"]
        value = int(number) if number.isdecimal() else int(NUMBER_WORDS[number])
        found.append(value * _DAYS[unit])
    return found


def _listed_times(text: str) -> list[float]:
    """Return the days of a list of times: "2, 12 and 24 weeks"."""
    return [
        int(number) * _DAYS[match["unit"]]
        for match in note_care().says.times.finditer(text)
        for number in re.findall(r"\d+", match["list"])
    ]


def _intervals(text: str) -> list[float]:
    """Return the days between two times, of what a text has done again and again."""
    return [
        _DAYS[q.per[0]] / float(max(q.values))
        for q in quantities(text)
        if q.kind == "frequency" and q.per and q.per[0] in _DAYS and max(q.values) > 0
    ]

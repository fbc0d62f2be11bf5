"""Compares how long and how often a plan gives regimens of tuberculosis with what guidelines state.

A course contradicts the guidelines where they state the same drugs in the same phase for such a
patient, and none of them for that long. How often is contradicted only by a sentence against it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.frequencies import HOW_OFTEN, INTERMITTENT
from clinrag_core.facts.negation import denies
from clinrag_core.facts.people import ADULT
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.ruled_out import without_meningitis_ruled_out
from clinrag_core.facts.short_lengths import day_of_treatment, lengths_in_full
from clinrag_core.notes.care_check import evidence_of
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.courses import Course, courses, phase_without_drugs
from clinrag_core.notes.fits import binds, suits
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.passages import care_passages
from clinrag_core.notes.patient import MILD, NOT_THEIRS, disease_words
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import GuidelineVerdict, SummaryItem

_TB = "tuberculosis"
_COURSE = re.compile(
    r"\b(?:\d{1,2}[hrzes]{1,5}|\d{1,2}hp|continuation phase|initial phase|intensive phase"
    rf"|months? of {HOW_OFTEN}|months? on isoniazid"
    r"|for (?:\d{1,2}|two|three|four|six|nine) months)\b"
)
_ART = re.compile(r"\b(?:antiretrovirals?|antiretroviral therapy|art|haart)\b")
_WITHIN = re.compile(
    r"\bwithin (?:the first )?(?:(?P<low>\d+) ?(?:-|to|\u2013) ?)?(?P<weeks>\d+) weeks\b"
)
_STARTS = re.compile(
    r"\b(?:start\w*|begin\w*|initiat\w+|commenc\w+|defer\w*|delay\w*|wait\w*|hold|go(?:es)? in)\b"
)
_AFTER_ALL = re.compile(
    r"\b(?:once|after|until|when|on completion)\b[^.;]{0,30}"
    r"\b(?:complet\w+|finish\w*|end\w*|over|done)\b"
)
_CD4 = re.compile(r"\bcd4\b[^.;\d<>]{0,30}(\d{1,4})\b")
_CUTOFF = re.compile(r"\bcd4\b[^.;\d]{0,30}(?:<|less than|below|under) ?(\d{2,3})")
_SITES = re.compile(
    r"\bmening\w+|\btbm\b|\bbones?\b|\bjoints?\b|\bspin(?:e|al)\b|\b\w*vertebra\w*|\bosteoarticular\b|\bpott"
)
_EXCLUDED = re.compile(
    r"\((?:excluding|except)[^)]*\)|\b(?:excluding|except(?: for)?|other than)\b[^;.]*"
)
_LONGER = re.compile(
    r"\b(?:longer|extended|prolonged)(?: [\w-]+){0,2} (?:durations?|courses?|treatment|regimens?)\b"
)
"""What a site asks for, in a sentence that says no length: more than the usual course."""
_SAME = 0.16
"""Share by which two lengths may differ and be the same: twelve weeks are three months."""
_WEEK, _MONTH = 7.0, 30.4
_TOLERATED = 3.0
"""Days late that are no delay."""
_EARLY = 28.0
"""Days of treatment before which antiretrovirals are early in meningitis (two months in trials)."""
_ALL_OF_TREATMENT = 180.0


class _Patient(NamedTuple):
    """What decides which courses are for a patient, in addition to `NotePatient`."""

    known: NotePatient
    sites: frozenset[str]
    cd4: float | None


def course_findings(
    items: Sequence[SummaryItem], patient: NotePatient, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines state against the length or the frequency of a plan's regimens."""
    texts = [fold_chars(item.text) for item in items if item.status not in NOT_THEIRS]
    is_mild = patient.age < ADULT and any(MILD.search(text) for text in texts)
    if _TB not in patient.diseases or is_mild:  # newer sources treat such children for less long
        return
    whole = _Patient(patient, _sites(" ".join(texts)), _cd4(texts))
    use = disease_words(_TB, patient)
    stated: list[tuple[Course, GuidelinePassage]] | None = None
    for item in items:
        if item.status in {*NOT_THEIRS, "past"}:
            continue
        own = courses(item.text, engine)
        if not own and not engine.drugs.ingredients(item.text) and not patient.is_multiresistant:
            own = phase_without_drugs(item.text)
        given = [c for c in own if _is_compared(c, patient)]
        if given and stated is None:
            stated = list(_stated(whole, engine))
        for one in given:
            against = _against(one, stated or []) or _too_short(one, item, whole, engine)
            if against:
                names = " with ".join(sorted(one.drugs))
                question = f"How long is {names} given for {use}?"
                yield _finding(item, question, "contradicts", against)
        yield from _frequency(item, whole, use, engine)
        yield from _antiretrovirals(item, whole, use, engine)


def _finding(
    item: SummaryItem,
    question: str,
    verdict: GuidelineVerdict,
    passages: Sequence[GuidelinePassage],
) -> GuidelineFinding:
    """Return a finding on an item of the plan, with the first passages."""
    return GuidelineFinding(
        about=item.text,
        source=item.source,
        kind="recommendation",
        question=question,
        verdict=verdict,
        evidence=evidence_of(passages),
    )


def _is_compared(one: Course, patient: NotePatient) -> bool:
    """Return whether a course of a note is one of a regimen that guidelines give a length."""
    if patient.is_latent:
        return one.drugs <= {"isoniazid", "rifampin", "rifapentine"}
    return one.phase != "" and {"isoniazid", "rifampin"} <= one.drugs


def _stated(whole: _Patient, engine: AnswerEngine) -> Iterator[tuple[Course, GuidelinePassage]]:
    """Yield the courses that guidelines state for such a patient."""
    for passage in care_passages(_COURSE, engine, most=None):
        if note_cues().labels.study.search(fold_chars(passage.text)):
            continue
        sites = _sites(_EXCLUDED.sub(" ", fold_chars(passage.text)))
        if bool(sites) != bool(whole.sites) or (sites and sites.isdisjoint(whole.sites)):
            continue
        if not suits(passage, whole.known) or not binds(passage, _TB, whole.known):
            continue
        found = courses(passage.text, engine)
        if not found and whole.known.is_latent and passage.path:
            found = courses(passage.path[-1], engine)
        yield from ((one, passage) for one in found)


def _against(
    one: Course, stated: Sequence[tuple[Course, GuidelinePassage]]
) -> list[GuidelinePassage]:
    """Return the passages on the same regimen, where none of them gives it that long."""
    same = [(c, p) for c, p in stated if c.drugs == one.drugs and c.phase == one.phase]
    if any(c.low * (1 - _SAME) <= one.low and one.high <= c.high * (1 + _SAME) for c, _ in same):
        return []
    return list(dict.fromkeys(p for _, p in same))


def _too_short(
    one: Course, item: SummaryItem, whole: _Patient, engine: AnswerEngine
) -> list[GuidelinePassage]:
    """Return what asks for a longer course at a patient's site than at others, if it is no longer.

    That is where a length is the one stated for disease of no such site.
    """
    if one.phase != "continuation" or not whole.sites:
        return []
    usual = list(_stated(whole._replace(sites=frozenset()), engine))
    same = [c for c, _ in usual if c.drugs == one.drugs and c.phase == one.phase]
    if not same or max(c.high for c in same) * (1 + _SAME) < one.high:
        return []
    return [
        p
        for p in care_passages(_LONGER, engine, most=None)
        if not whole.sites.isdisjoint(_sites(fold_chars("\n".join((p.text, *p.path[-1:])))))
        and suits(p, whole.known)
        and not denies(p.text)
    ]


def _frequency(
    item: SummaryItem, whole: _Patient, use: str, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines say against treatment as seldom as an item gives it."""
    weekly = {float(max(q.values)) for q in quantities(item.text) if _is_weekly(q.kind, q.per)}
    drugs = engine.drugs.ingredients(item.text)
    if not weekly or not drugs & {"isoniazid", "rifampin"} or whole.known.is_latent:
        return
    against = [
        p for p in care_passages(INTERMITTENT, engine, most=None) if _forbids(p, min(weekly), whole)
    ]
    if against:
        names = " with ".join(sorted(drugs))
        question = f"How often is {names} given for {use}?"
        yield _finding(item, question, "contradicts", against)


def _is_weekly(kind: str, per: Sequence[str]) -> bool:
    return kind == "frequency" and tuple(per) == ("week",)


def _forbids(passage: GuidelinePassage, times: float, whole: _Patient) -> bool:
    """Return whether a sentence for such a patient is against treatment some times a week."""
    folded = fold_chars(passage.text)
    words = note_care().cautions
    for start, end in sentence_spans(folded):
        sentence = folded[start:end]
        named = [float(max(q.values)) for q in quantities(sentence) if _is_weekly(q.kind, q.per)]
        if not words.forbids.search(sentence) or words.spares.search(sentence):
            continue
        of_hiv = note_care().whom.hiv.search(sentence) is not None
        if not named or times > max(named) or not INTERMITTENT.search(sentence):
            continue
        if (not of_hiv or whole.known.has_hiv) and _is_below(sentence, whole.cd4):
            return suits(passage, whole.known, conditions=False)
    return False


def _antiretrovirals(
    item: SummaryItem, whole: _Patient, use: str, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines say against starting antiretrovirals when an item does."""
    folded = fold_chars(lengths_in_full(item.text))
    days = _days(folded)
    if not whole.known.has_hiv or not _ART.search(folded) or days is None:
        return
    has_meningitis = "mening" in " ".join(whole.sites)
    limits: list[tuple[float, GuidelinePassage]] = []
    early: list[GuidelinePassage] = []
    for passage in care_passages(_ART, engine, most=None):
        said = fold_chars(passage.text)
        if note_cues().labels.study.search(said):
            continue
        for start, end in sentence_spans(said):
            sentence = said[start:end]
            match = _WITHIN.search(sentence)
            is_spared = has_meningitis and "unless" in sentence and "mening" in sentence
            if is_spared and match and _ART.search(sentence):
                early.append(passage)
            if has_meningitis and re.search(r"\bcaution\b[^.;]*\bearly\b[^.;]*\bmening", sentence):
                early.append(passage)
            if match and _ART.search(sentence) and not is_spared and _is_below(sentence, whole.cd4):
                limits.append((int(match["weeks"]) * _WEEK, passage))
    question = f"When are antiretrovirals started in {use}?"
    least = min((days_ for days_, _ in limits), default=None)
    if least is not None and days > least + _TOLERATED:
        against = [p for days_, p in limits if days_ == least]
        yield _finding(item, question, "contradicts", list(dict.fromkeys(against)))
    elif early and days < _EARLY:
        yield _finding(item, question, "warns", early)


def _days(folded: str) -> float | None:
    """Return the days of treatment after which an item starts something; None if it says none."""
    if not _STARTS.search(folded):
        return None
    if _AFTER_ALL.search(folded):
        return _ALL_OF_TREATMENT
    if (day := day_of_treatment(folded)) is not None:
        return day
    lengths = [q.key for q in quantities(folded) if q.kind == "duration"]
    found = [float(max(v)) * (1 / 1440 if unit == "minute" else _MONTH) for v, unit, _ in lengths]
    return found[0] if found else None


def _is_below(sentence: str, cd4: float | None) -> bool:
    """Return whether a patient's CD4 count is one that a sentence is for."""
    match = _CUTOFF.search(sentence)
    return match is None or (cd4 is not None and cd4 < int(match[1]))


def _cd4(texts: Sequence[str]) -> float | None:
    found = (match for text in texts if (match := _CD4.search(text)))
    return next((float(match[1]) for match in found), None)


def _sites(text: str) -> frozenset[str]:
    """Return the sites of the disease that make a course of their own."""
    found = {match.group()[:4] for match in _SITES.finditer(without_meningitis_ruled_out(text))}
    return frozenset("mening" if site in ("meni", "tbm") else "bone" for site in found)

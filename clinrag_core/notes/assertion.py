"""Reads how a statement asserts a finding: present, denied, of a relative, past, planned, possible.

After ConText (Harkema 2009): a word that denies reaches over a list to the end of its clause.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import NamedSpan, concept_spans
from clinrag_core.notes.lexicon import note_cues, note_findings
from clinrag_core.notes.records import NoteFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.notes.records import AssertionStatus

_AFTER = 40
"""Characters behind a finding that are searched for a word that denies it."""
_NEAR_START = 30
"""Characters within which a word that denies has the whole statement: "She denies any ..."."""
_CONTENT = 3
"""Words before a denial, other than who denies, that affirm something."""
_WORD = re.compile(r"[^\W_]+")
_NON = re.compile(r"\bnon[- ]?$")
_RESUMES = re.compile(r",\s*(?:with|in an?|has|have|is|was|takes|taking|who|which|known|now)\b")
_SOUND = re.compile(r"[^.;,]{0,12}\b(?:normal|intact|unremarkable|preserved)\b")
"""What says behind a name that nothing is wrong: "colour vision normal"."""
_LEAST_BEFORE = 5
"""What denies the word right after it, and its reach: "non-tender"."""
_OF_OTHERS = frozenset({"family"})
_PLAN, _MEDICATIONS, _CLOSING = "plan", "medications", "closing"
_SEEN = frozenset({"exam", "vitals", "organ", "narrative", "operation", "outcome"})
"""Kinds of headings of what is seen now: a scar is of a prior operation."""
_OWN = frozenset({"social", _PLAN, "allergies", "medications"})
"""Kinds of headings under which relatives are named for other reasons than their diseases."""
_ALWAYS_ABSENT = "afebrile"


def read_note_findings(text: str, offset: int, kind: str) -> tuple[NoteFinding, ...]:
    """Return the findings that a statement under a heading of some kind names.

    `offset` is the place of the statement in the note; spans are of the note.
    """
    spans = _widest(concept_spans(text, note_findings().findings))
    if not spans:
        return ()
    folded = fold_chars(text)
    clauses = _Clauses(folded)
    return tuple(
        NoteFinding(
            name="fever" if s.name == _ALWAYS_ABSENT else s.name,
            start=offset + s.start,
            end=offset + s.end,
            status=_of_finding(folded, s, clauses, kind),
        )
        for s in spans
    )


def affirmed_names(text: str, table: Mapping[str, re.Pattern[str]]) -> frozenset[str]:
    """Return the names of a table that a statement affirms: "not pregnant" affirms nothing."""
    spans = concept_spans(text, table)
    folded = fold_chars(text)
    clauses = _Clauses(folded) if spans else None
    return frozenset(
        s.name
        for s in spans
        if clauses
        and (clauses.resumes(s.start) or not _is_denied(folded, s, clauses))
        and not _SOUND.match(folded, s.end)
    )


def statement_status(text: str, findings: Sequence[NoteFinding], kind: str) -> AssertionStatus:
    """Return the status of a whole statement: that of its findings, or by its own words."""
    if kind == _CLOSING:  # what somebody was informed of may be of what is not
        return "present"
    return _status_of_words(text, findings, kind)


def _status_of_words(text: str, findings: Sequence[NoteFinding], kind: str) -> AssertionStatus:
    """Return the status of a statement by its findings, or by its own words."""
    statuses: set[AssertionStatus] = {finding.status for finding in findings}
    if kind == _PLAN:  # what is planned is not what it is planned for
        statuses -= {"present", "possible", "planned", "past", "family"}
    folded = fold_chars(text)
    cues = note_cues()
    clauses = _Clauses(folded)
    if kind == _PLAN and not _denies_first(clauses):
        statuses.discard("absent")  # "take it daily despite no recent attacks"
    if kind == _PLAN and cues.assertion.conditional.match(folded):
        return "conditional"
    if kind == _MEDICATIONS and clauses.first > _LEAST_BEFORE:
        return "present"  # "Microgynon, no side effects" is taken
    if statuses == {"absent"}:
        return _denied_status(folded, clauses)
    if statuses == {"past"} and cues.sections["patient_snapshot"].search(folded):
        statuses = {"present"}  # who the patient is, is not past
    if statuses:
        return statuses.pop() if len(statuses) == 1 else "mixed"
    denied = clauses.denied
    if denied and denied[0][0] <= _NEAR_START and kind not in _OF_OTHERS:
        return "mixed" if _affirms(folded, clauses) else "absent"
    status = _qualified(folded, folded, kind)
    is_of_whom = cues.sections["patient_snapshot"].search(folded) is not None
    is_habit = note_cues().frame.habits.match(folded) is not None
    is_now = status == "past" and (is_of_whom or is_habit or _is_past_of_one(folded))
    return "present" if is_now else status  # who the patient is, is not past


def _is_past_of_one(folded: str) -> bool:
    """Return whether only one of several things is past: "diabetes, previous stroke, gout"."""
    first, comma, rest = folded.partition(",")
    cues = note_cues().assertion
    return bool(comma and rest) and cues.past.search(first) is None


def _denied_status(folded: str, clauses: _Clauses) -> AssertionStatus:
    """Return the status of a statement all of whose findings are denied."""
    if not _affirms(folded, clauses):
        return "absent"
    return "mixed" if clauses.denied else "present"  # "an alert boy who is afebrile"


def _denies_first(clauses: _Clauses) -> bool:
    return bool(clauses.denied) and clauses.denied[0][0] <= _NEAR_START


def _affirms(folded: str, clauses: _Clauses) -> bool:
    """Return whether a statement that denies something affirms something else as well.

    What comes before the first denial affirms, but for who denies: "pulse 66, not breathless".
    """
    cues = note_cues().assertion
    before = folded[: clauses.first]
    label, colon, said = before.partition(":")
    if any(w for w in _WORD.findall(before.rpartition(",")[0]) if not cues.subjects.fullmatch(w)):
        return True
    words = [w for w in _WORD.findall(said if colon else label) if not cues.subjects.fullmatch(w)]
    if len(words) >= _CONTENT:
        return True
    return any(e.search(folded) for e in (cues.affirms_after, cues.affirms_before))


def _widest(spans: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return spans, ordered by start, without those inside a wider one."""
    kept: list[NamedSpan] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        is_same = bool(kept) and (span.start, span.end) == (kept[-1].start, kept[-1].end)
        if not kept or span.end > kept[-1].end or is_same:
            kept.append(span)
    return kept


class _Clauses:
    """The clauses of a statement: where they end, and what is denied in them."""

    def __init__(self, folded: str) -> None:
        cues = note_cues().assertion
        self._folded = folded
        self._ends = [m.span() for m in cues.ends.finditer(folded)]
        self._starts = [start for start, _ in self._ends]
        void = [m.span() for m in cues.negation_void.finditer(folded)]
        self.first = len(folded)
        """Where the first of the words that deny begins."""
        self.denied: list[tuple[int, int]] = []
        """What the words that deny reach over, in order."""
        for match in cues.negation.finditer(folded):
            if any(a <= match.start() < b for a, b in void):
                continue
            self.first = min(self.first, match.start())
            lead = cues.negation_leads.match(folded, match.end())
            self.denied.append((match.end(), self._end(lead.end() if lead else match.end())))

    def _end(self, at: int) -> int:
        place = bisect_left(self._starts, at)
        return self._starts[place] if place < len(self._starts) else len(self._folded)

    def denies(self, at: int) -> bool:
        """Return whether a place is denied."""
        return any(a <= at < b for a, b in self.denied)

    def resumes(self, at: int) -> bool:
        """Return whether words after a denial affirm again: "no fever, with heart failure"."""
        reach = next(((a, b) for a, b in self.denied if a <= at < b), None)
        return reach is not None and _RESUMES.search(self._folded, reach[0], at) is not None

    def around(self, span: NamedSpan) -> str:
        """Return the clause around a finding."""
        place = bisect_left(self._starts, span.start)
        start = self._ends[place - 1][1] if place else 0
        return self._folded[min(start, span.start) : self._end(span.end)]


def _is_denied(folded: str, span: NamedSpan, clauses: _Clauses) -> bool:
    """Return whether a statement denies what it names at a place."""
    return (
        clauses.denies(span.start)
        or note_cues().assertion.negation_after.search(folded[span.end : span.end + _AFTER])
        is not None
        or _NON.search(folded[max(0, span.start - _LEAST_BEFORE) : span.start]) is not None
    )


def _of_finding(folded: str, span: NamedSpan, clauses: _Clauses, kind: str) -> AssertionStatus:
    """Return the status of one finding."""
    if _is_denied(folded, span, clauses) or span.name == _ALWAYS_ABSENT:
        return "absent"
    if kind in _OF_OTHERS:
        return "family"
    return _qualified(folded, clauses.around(span), kind, span.start)


def _is_of_family(folded: str, until: int) -> bool:
    """Return whether something is said of a relative, and not with whom the patient lives."""
    relative = note_cues().assertion.family.search(folded, 0, until)
    if relative is None or note_cues().frame.habits.match(folded):
        return False
    whom = note_cues().sections["patient_snapshot"].search(folded)
    return whom is None or whom.start() > relative.start()


def _qualified(folded: str, clause: str, kind: str, until: int | None = None) -> AssertionStatus:
    """Return the status of what is not denied; whose it is, is said before `until`."""
    until = len(folded) if until is None else until
    cues = note_cues().assertion
    if kind in _OF_OTHERS or (kind not in _OWN and _is_of_family(folded, until)):
        return "family"
    if cues.conditional.search(folded):
        return "conditional"
    if kind == _PLAN:
        is_named = until < len(folded) and not cues.watched.search(folded, 0, until)
        return "present" if is_named else "planned"
    if cues.possible.search(clause):
        return "possible"
    is_past = kind == "surgical" or (kind not in _SEEN and cues.past.search(clause))
    if is_past and not cues.current_history.search(folded):
        return "past"
    return "planned" if kind == "" and cues.planned.match(clause.strip()) else "present"

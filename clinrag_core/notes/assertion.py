"""Reads how a statement asserts a finding: present, denied, of a relative, past, planned, possible.

After ConText (Harkema 2009): a word that denies reaches over a list to the end of its clause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.spans import NamedSpan, concept_spans
from clinrag_core.notes.lexicon import note_cues, note_findings
from clinrag_core.notes.records import NoteFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import AssertionStatus

_AFTER = 40
"""Characters behind a finding that are searched for a word that denies it."""
_NEAR_START = 30
"""Characters within which a word that denies has the whole statement: "She denies any ..."."""
_OF_OTHERS = frozenset({"family"})
_ALWAYS_ABSENT = "afebrile"


def read_note_findings(text: str, offset: int, kind: str) -> tuple[NoteFinding, ...]:
    """Return the findings that a statement under a heading of some kind names.

    `offset` is the place of the statement in the note; spans are of the note.
    """
    spans = _widest(concept_spans(text, note_findings().findings))
    folded = fold_chars(text)
    denied = _denied(folded)
    return tuple(
        NoteFinding(
            name="fever" if s.name == _ALWAYS_ABSENT else s.name,
            start=offset + s.start,
            end=offset + s.end,
            status=_of_finding(folded, s, denied, kind),
        )
        for s in spans
    )


def statement_status(text: str, findings: Sequence[NoteFinding], kind: str) -> AssertionStatus:
    """Return the status of a whole statement: that of its findings, or by its own words."""
    statuses: set[AssertionStatus] = {finding.status for finding in findings}
    if len(statuses) == 1:
        return statuses.pop()
    if statuses:
        return "mixed"
    folded = fold_chars(text)
    denied = _denied(folded)
    if denied and denied[0][0] <= _NEAR_START and kind not in _OF_OTHERS:
        return "absent"
    return _qualified(folded, folded, kind)


def _widest(spans: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return spans without those inside a wider one of another name."""
    return [
        s
        for s in spans
        if not any(
            o.start <= s.start and s.end <= o.end and (o.end - o.start) > (s.end - s.start)
            for o in spans
        )
    ]


def _denied(folded: str) -> list[tuple[int, int]]:
    """Return what the words that deny reach over."""
    cues = note_cues().assertion
    void = [m.span() for m in cues.negation_void.finditer(folded)]
    reached: list[tuple[int, int]] = []
    for match in cues.negation.finditer(folded):
        if any(a <= match.start() < b for a, b in void):
            continue
        lead = cues.negation_leads.match(folded, match.end())
        end = cues.ends.search(folded, lead.end() if lead else match.end())
        reached.append((match.end(), end.start() if end else len(folded)))
    return reached


def _of_finding(
    folded: str, span: NamedSpan, denied: Sequence[tuple[int, int]], kind: str
) -> AssertionStatus:
    """Return the status of one finding."""
    if kind in _OF_OTHERS:
        return "family"
    cues = note_cues().assertion
    after = folded[span.end : span.end + _AFTER]
    is_denied = any(a <= span.start < b for a, b in denied) or cues.negation_after.search(after)
    if is_denied or span.name == _ALWAYS_ABSENT:
        return "absent"
    return _qualified(folded, _clause(folded, span), kind, span.start)


def _clause(folded: str, span: NamedSpan) -> str:
    """Return the clause around a finding."""
    ends = note_cues().assertion.ends
    starts = [m.end() for m in ends.finditer(folded, 0, span.start)]
    end = ends.search(folded, span.end)
    return folded[starts[-1] if starts else 0 : end.start() if end else len(folded)]


def _qualified(folded: str, clause: str, kind: str, until: int | None = None) -> AssertionStatus:
    """Return the status of what is not denied; whose it is, is said before `until`."""
    until = len(folded) if until is None else until
    cues = note_cues().assertion
    if kind in _OF_OTHERS or (kind != "social" and cues.family.search(folded, 0, until)):
        return "family"
    if cues.conditional.search(folded):
        return "conditional"
    if kind == "plan":
        return "planned"
    if cues.possible.search(clause):
        return "possible"
    is_past = kind == "surgical" or cues.past.search(clause)
    if is_past and not cues.current_history.search(folded):
        return "past"
    return "planned" if kind == "" and cues.planned.match(clause.strip()) else "present"

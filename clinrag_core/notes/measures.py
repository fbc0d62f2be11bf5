"""Reads the medicines and vital signs of a statement as records with their fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans
from clinrag_core.facts.spelled import bare_number, spelled_quantities
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.notes.lexicon import note_cues, note_measures
from clinrag_core.notes.named_medicines import named_medicines
from clinrag_core.notes.records import NoteMedication, NoteVital
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.spans import NamedSpan
    from clinrag_core.notes.named_medicines import NamedMedicine

_STOPPED_WORDS = (
    r"(?:(?:were|are|have|was|be|been|now|put|placed) )*(?P<each>(?:all|both|each) )?(?:been )?"
    r"(?:stopped|held|withheld|suspended|on hold|off(?= (?:since|from|on))|d/c)\b"
)
_ALL_STOPPED = re.compile(rf"[\s,\u2013-]+{_STOPPED_WORDS}")
_EACH_STOPPED = re.compile(rf"(?:[^.;]|\.\d){{0,40}}?,? (?=(?:all|both|each) ){_STOPPED_WORDS}")
"""Behind the last of several medicines: "both stopped"; with its dose, only of "all" or "both"."""
_JOINED = re.compile(r"[\s,/+&]*(?:and\s+)?")
_CLAUSE_PART = re.compile(r"(?:[^.;]|\.\d)*")
_PROPOSED = re.compile(r"\s+(?:is|was|has been) (?:being )?(?:proposed|planned|considered)\b")
_EACH = re.compile(r"\b(?:all|each|both)\b[^.;]{0,12}$")
"""What makes a frequency that of every medicine before it."""
_DENIED_BEFORE = 25
_BY_KIND = {"plan": "planned", "assessment": "current", "allergies": "allergy"}
_UNSAID = frozenset({"current", "planned"})
"""Status of a medicine that nothing is said of."""
_ALWAYS = ("allergy", "stopped")
"""What is said of a medicine even behind it: "aspirin, currently stopped"."""
_IN_CLAUSE = frozenset({"stopped", "avoided"})
"""What is said of the medicines of its own clause alone."""
_IN_SENTENCE = frozenset({"continued", "increased", "decreased"})
"""What is said of the medicines of its own sentence."""
_SHORT = "cont"
_STOP = re.compile(r"(?<=[a-z)\d])\.(?=\s)")
_ONLY_BEFORE = "avoided"
"""What behind a medicine is said of something else: "codeine, and avoid heavy lifting"."""
_REACH_AFTER = 40
"""Characters behind a medicine that may say what is done with it."""
_CLAUSE = re.compile(r"(?<!:);(?=\s)|(?<=[a-z)])(?<!\b[a-z])(?<!no)\.(?=\s)|(?<=\d\d)\.(?=\s)")
"""Where what is stopped ends: "Stop A. B 40 mg daily" gives B."""
_STOPPED_IF = re.compile(
    r"^\W*(?:any|if|should|in case|in the event|at the first)\b[^.;]{2,100}?[:,] ?[^.;]*$"
)
"""What comes before a medicine to be stopped only should something happen."""
_OF_OTHERS = re.compile(r"\b(?:other|remaining) (?:[\w-]+ ){1,3}\w+$")
"""What a word stops that comes behind its own object, with that word."""
_BEGIN_OF_NEXT = 14
"""Characters behind a semicolon that may still say what is done with a medicine."""
_INTERVAL = re.compile(r"\b\d{1,2}(?:-\d{1,2})?[ -]$")
"""Figures before "hourly": "12-hourly"."""
_LONGEST_INTERVAL = 7
_NEVER = re.compile(
    r"\bnever (?:yet |previously )?(?:had|taken|been (?:on|given|exposed to)|received|used|tried)\b"
    r"(?:(?!\b(?:but|now|then)\b)[^.;:]){0,60}$"
)
"""What denies the medicines after it: "never had bedaquiline or linezolid"."""
_LATER = frozenset({"stopped", "decreased", "increased"})
_FIGURE = re.compile(r"\d{1,4}(?:\.\d{1,2})?(?= )")
_SINCE = re.compile(r"\bsince\b(?! (?:stopp|finish|complet|resolv))")
_FAR = 25
"""Characters between the figures of one dose."""


_SENTENCE = re.compile(r"(?<=[\w)%])\.(?=\s+[a-z]{3,})")
"""Where a sentence ends that another one follows: "A bd 5/7. Continue B"."""
_GIVEN_BEFORE = re.compile(r"\b(?:given|gave|received|treated with|had)\b[^.;]{0,60}$")
_OVER = "finished"
_BEGUN = frozenset({"current", "started"})
_NOT_TAKEN = frozenset({"stopped", "avoided", "allergy", "absent"})
_TELLING = frozenset({"history", "complaint", "overview", "past", "medications", "exam", "results"})
"""Kinds of headings under which a medicine was begun before the note was written."""
_END = re.compile(r"[.;]\s*$")
_NEXT = " |"
"""What marks the next medicine behind the words before it."""


def read_medications(text: str, kind: str) -> tuple[NoteMedication, ...]:
    """Return the medicines that a statement under a heading of some kind names, in order."""
    named = named_medicines(text)
    if not named:
        return ()
    figures = [
        q for q in spelled_quantities(text) if q.kind in ("dose", "concentration", "frequency")
    ]
    owners = [_owner(text, named, q) for q in figures]
    folded = fold_chars(text)
    shared = next((q for q in figures if _is_of_each(folded, q)), None)
    medications: list[NoteMedication] = []
    for place, one in enumerate(named):
        own = _near(
            [q for q, owner in zip(figures, owners, strict=True) if owner == place], one.end
        )
        until = named[place + 1].start if place + 1 < len(named) else len(text)
        part = folded[one.end : until]
        if until < len(text):
            stop = _SENTENCE.search(part)
            part = part[: stop.start()] if stop else part
            is_other = one.ingredients != named[place + 1].ingredients or not one.ingredients
            part += _NEXT if is_other and not _END.search(part) else ""  # "to replace B"
        status = _status(folded, one, part, kind)
        also = "" if status == "stopped" else _printed_shared(text, one, shared)
        routes = _routes(part)
        medications.append(
            NoteMedication(
                name=text[one.start : one.end],
                ingredients=one.ingredients,
                dose=_printed(text, own, "dose", "concentration") or _said_bare(text, one, own),
                frequency=_printed(text, own, "frequency") or also,
                route=routes[0].name if routes else "",
                status=status,
            )
        )
    return _stopped_together(folded, named, medications)


def _stopped_together(
    folded: str, named: Sequence[NamedMedicine], read: list[NoteMedication]
) -> tuple[NoteMedication, ...]:
    """Return medicines with what is said behind the last of them of all: "both stopped today"."""
    last = len(named) - 1
    match = _ALL_STOPPED.match(folded, named[last].end)
    of_each = _EACH_STOPPED.match(folded, named[last].end)
    if match is None and of_each is None:
        return tuple(read)
    joined = _CLAUSE_PART if of_each else _JOINED
    first = last
    while first and joined.fullmatch(folded, named[first - 1].end, named[first].start):
        first -= 1
    return tuple(
        one.model_copy(update={"status": "stopped"}) if place >= first else one
        for place, one in enumerate(read)
    )


def read_vitals(text: str) -> tuple[NoteVital, ...]:
    """Return the vital signs that a statement prints, in the order of their figures."""
    folded = fold_chars(text)
    if not any(char.isdigit() for char in folded):
        return ()
    found: dict[tuple[int, int], NoteVital] = {}
    for name, expressions in note_measures().vitals.items():
        for expression in expressions:
            for match in expression.finditer(folded):
                span = match.span("value")
                unit = match.groupdict().get("unit") or ""
                if not any(a < span[1] and span[0] < b for a, b in found):
                    found[span] = NoteVital(name=name, value=text[slice(*span)], unit=unit)
    return tuple(found[span] for span in sorted(found))


def _owner(text: str, named: Sequence[NamedMedicine], figure: Quantity) -> int | None:
    """Return whose figure it is: the medicine right after "mg of", else the last one before."""
    for place, one in enumerate(named):
        if one.start >= figure.end and note_measures().entries.before_name.fullmatch(
            text, figure.end, one.start
        ):
            if figure.kind != "frequency":
                return place
            break
    before = [place for place, one in enumerate(named) if one.end <= figure.start]
    return before[-1] if before else None


def _is_of_each(folded: str, figure: Quantity) -> bool:
    """Return whether a frequency is said of all medicines before it: "each once daily"."""
    return figure.kind == "frequency" and _EACH.search(folded[: figure.start]) is not None


def _printed_shared(text: str, one: NamedMedicine, shared: Quantity | None) -> str:
    """Return the frequency that several medicines share, for one before it."""
    return text[shared.start : shared.end] if shared and one.end < shared.start else ""


def _near(figures: list[Quantity], end: int) -> list[Quantity]:
    """Return the figures of a medicine without a frequency far from its others, or its name.

    "600 mg every 6 hours and ice the elbow for 20 minutes, 3 times daily" doses no ice.
    """
    kept: list[Quantity] = []
    if figures and figures[0].kind == "frequency" and figures[0].start - end > _FAR:
        return kept
    for one in figures:
        again = one.kind == "frequency" and any(q.kind == "frequency" for q in kept)
        if not (again and one.start - kept[-1].end > _FAR):
            kept.append(one)
    return kept


def _printed(text: str, figures: Sequence[Quantity], *kinds: str) -> str:
    """Return figures of some kinds as printed."""
    own = [q for q in figures if q.kind in kinds and not _is_level(q)]
    return "; ".join(text[_start(text, q) : q.end] for q in own)


def _is_level(figure: Quantity) -> bool:
    """Return whether a concentration is that of a sample: "phenytoin 58 umol/L"."""
    return figure.kind == "concentration" and figure.per[:1] == ("l",)


def _said_bare(text: str, one: NamedMedicine, figures: Sequence[Quantity]) -> str:
    """Return a dose without its unit right behind a medicine, in words or figures; "" for none.

    A figure is one where the route and how often follow: "clarithro 500 IV bd".
    """
    at = one.end + 1
    end = bare_number(text, at) if one.ingredients else None
    if end:
        return text[at:end]
    figure = _FIGURE.match(text, at)
    if figure is None:
        return ""
    often = next((q.start for q in figures if q.kind == "frequency"), -1)
    between = text[figure.end() : often].strip() if often >= figure.end() else ""
    is_route = any(s.end - s.start == len(between) for s in _routes(between))
    return figure[0].strip() if often >= 0 and (not between or is_route) else ""


def _routes(text: str) -> Sequence[NamedSpan]:
    return concept_spans(text, safety_lexicon().routes)


def _start(text: str, figure: Quantity) -> int:
    """Return where a figure begins; "12-hourly" begins with its interval."""
    if not text[figure.start : figure.end].lower().startswith("hourly"):
        return figure.start
    interval = _INTERVAL.search(text[max(0, figure.start - _LONGEST_INTERVAL) : figure.start])
    return figure.start - len(interval.group()) if interval else figure.start


def _status(folded: str, one: NamedMedicine, part: str, kind: str) -> str:
    """Return what is done with a medicine; one that a history says was given may be over."""
    status = _said_of(folded, one, part, kind)
    if status not in _NOT_TAKEN and note_measures().entries.over_behind.match(part):
        return _OVER
    is_given = kind in _TELLING and status in _BEGUN
    return _OVER if is_given and _is_over(folded[: one.start], part) else status


def _is_over(before: str, part: str) -> bool:
    """Return whether a medicine was given for a time that is over."""
    words = note_measures().entries
    if words.course_before.search(before):
        return True
    return _GIVEN_BEFORE.search(before) is not None and words.course_after.search(part) is not None


def _said_of(folded: str, one: NamedMedicine, part: str, kind: str) -> str:
    """Return what is done with a medicine: by the words before it, else by those right after."""
    before = folded[: one.start]
    if plainly := _said_plainly(before, part):
        return plainly
    table = note_measures().medicines
    for name in _ALWAYS:
        is_before = name == "allergy" and table[name].search(before)
        own = part if name == "allergy" else _without_next(table[name], part)
        if is_before or _said_behind(table[name], name, own):
            return "absent" if name == "allergy" and _is_denied(before) else name
    if _is_denied(before):
        return "absent"
    said = [
        (match.end(), -match.start(), name)
        for name, expression in table.items()
        for match in expression.finditer(before)
        if name not in _IN_CLAUSE or _reaches(before, match.end())
        if _is_same_sentence(name, before, match.end())
    ]
    if said:
        name = max(said)[2]
        if name == "tried" and _SINCE.search(part):
            return "current"  # "has taken three tablets daily since"
        return (
            "planned"
            if name == "started" and note_measures().entries.to_come.search(folded)
            else name
        )
    after = _without_next(table["stopped"], part)[:_REACH_AFTER]
    follows = [
        (m.start(), n)
        for n, e in table.items()
        if n != _ONLY_BEFORE and (m := _said_behind(e, n, after))
    ]
    return min(follows)[1] if follows else _BY_KIND.get(kind, "current")


def _said_plainly(before: str, part: str) -> str:
    """Return what words right around a medicine say is done with it; "" where they say nothing."""
    words = note_measures().entries
    is_changed = words.changed_before.search(before) and words.changed_after.match(part)
    said = (
        ("continued", words.kept_before.search(before)),
        ("current", words.given_with.search(before)),
        (_ONLY_BEFORE, words.forbidden_after.match(part)),
        ("absent", words.not_given_after.match(part)),
        ("stopped", is_changed or words.changed_behind.match(part)),
        ("considered", _PROPOSED.match(part)),
    )
    return next((status for status, is_said in said if is_said), "")


def _reaches(before: str, at: int) -> bool:
    """Return whether a word that stops medicines is said of what follows it, and for now.

    "Stop A; B and C daily" stops A alone; "Any rash: stop B" stops nothing yet, and "Other drugs
    stopped: B is enough" not B.
    """
    rest = before[at:]
    if ":" in rest and _OF_OTHERS.search(before[:at]):
        return False
    if _CLAUSE.search(rest) and not rest.lstrip().startswith(":"):
        return False
    return _STOPPED_IF.search(before[:at]) is None


def _is_same_sentence(name: str, before: str, at: int) -> bool:
    """Return whether what is said before a medicine goes on: "A is continued. B 5 mg" does not."""
    is_short = before[:at].endswith(_SHORT)
    return name not in _IN_SENTENCE or _STOP.search(before, at + is_short) is None


def _without_next(stops: re.Pattern[str], part: str) -> str:
    """Return what follows a medicine without a next statement: "; the monitor may come off".

    "A, stop |" stops the medicine that comes next.
    """
    ends = note_measures().entries.next_stopped.search(part)
    part = part[: ends.start()] if ends else part
    own, semicolon, rest = part.partition("; ")
    begins = stops.search(rest[:_BEGIN_OF_NEXT]) is not None
    return part if semicolon and begins else own


def _said_behind(words: re.Pattern[str], name: str, part: str) -> re.Match[str] | None:
    """Return what behind a medicine says what is done with it, but not how its course ends."""
    found = words.search(part)
    if found is None or (
        name in _LATER and note_measures().entries.of_course.search(part[: found.start()])
    ):
        return None
    return found


def _is_denied(before: str) -> bool:
    """Return whether the clause before a medicine denies it."""
    cues = note_cues().assertion
    if _NEVER.search(before):
        return True
    before = (
        note_measures()
        .entries.if_none.sub(lambda m: " " * len(m.group()), before)
        .rpartition(" then ")[2]
    )
    ends = list(cues.ends.finditer(before))
    clause = before[ends[-1].end() if ends else 0 :][-_DENIED_BEFORE:]
    return cues.negation.search(clause) is not None and not cues.negation_void.search(clause)

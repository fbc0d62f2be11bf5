"""Finds the entries of a note that was written over several days: "Mon (day 1)", "D2", "14/11".

The last entry that orders something has the plan. What an earlier one ordered was done then, and a
medicine that a later one stops is no longer taken.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.drugs import known_drugs
from clinrag_core.notes.acting_lists import with_list_as_plan
from clinrag_core.notes.blocks import is_seen
from clinrag_core.notes.citations import start_of
from clinrag_core.notes.clipped import medicine_key
from clinrag_core.notes.lexicon import tb_drugs
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.plan_lines import PLAN
from clinrag_core.notes.records import SUMMARY_SECTIONS
from clinrag_core.notes.shorthand import in_full
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.notes.lists import NoteList
    from clinrag_core.notes.records import (
        NoteMedication,
        NoteSection,
        NoteUnit,
        SummaryItem,
        SummarySection,
    )

EARLIER = "earlier"
"""Kind of a statement that an entry ordered before the last one that orders."""
_MONTHS = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:(?:icu|itu|hospital|ward|admission|treatment|post-?op\w*) )?day ?(?P<day>\d{1,3})"
    r"|(?:d|pod|hd)[ -]?(?P<d>\d{1,3}))"
)
_DATE = (
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTHS}(?: \d{{2,4}})?)"
)
_MORE = (
    r"(?:(?:at )?\d{1,2}[:.]\d\d ?(?:hrs?|h|am|pm)?|\d{4} ?(?:hrs?|h)|am|pm|morning|afternoon"
    r"|evening|night|(?:consultant |ward )?round|wr|review|entry|note)"
)
_GAP = r"[ \t,;()/\u2013-]{1,4}"


def _plain(pattern: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern)


_TOKEN = _plain(rf"(?:{_DATE}|{_DAY}|{_MORE})")
_BEGIN = r"^[ \t]*(?:#{1,6} *|\*\*)?"
_ALONE = re.compile(
    rf"{_BEGIN}(?P<title>(?:{_MORE}{_GAP})?(?:{_plain(_DAY)}|{_DATE})(?:{_GAP}{_TOKEN})*\)?)"
    r"[ \t]*:?(?:\*\*)?[ \t]*:?[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line that only says when: a day, a number of a day, a date."""
_RUN_IN = re.compile(
    rf"{_BEGIN}(?P<title>{_plain(_DAY)}(?:{_GAP}{_TOKEN})*\)?)(?:\*\*)?[ \t]*"
    r"(?::|[\u2013-]{1,2}(?=[ \t]))(?:\*\*)?[ \t]*(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
"""A day before the text of its line; a bare date there is as often that of a result."""
_NUMBER = re.compile(_DAY, re.IGNORECASE)
_LEAST = 2
"""Entries of such a note, and items of a list of orders in one."""
_NO_ENTRIES = frozenset(
    {"plan", "medications", "results", "labs", "imaging", "allergies", "past", "vitals"}
)
"""Kinds of headings under which days are those of a schedule, of results or of what was."""
_TITLES = frozenset({"Overview", "Examination", "Assessment", "Plan"})
"""Titles of parts that no heading of the note has."""
_TAKEN = frozenset({"current", "started", "continued", "increased", "decreased", "switched",
                    "planned"})  # fmt: skip
_STOPPED = "stopped"
_NOT_ANTIBIOTIC = frozenset({"corticosteroid", "antiviral", "neuraminidase inhibitor"})
_CLASS = r"(?:antibiotics?|antimicrobials?|antibacterials?|abx)"
_OFF = r"(?:off|stopped|stop|discontinued|ceased|held|withheld)"
_ALL_OFF = re.compile(
    rf"\b(?:(?:all|other|remaining) (?:iv |the )?)?{_CLASS} (?:\w+ ){{0,2}}?{_OFF}\b"
    rf"|\b(?:stop|off|discontinue|cease|hold)\w* (?:all |the )?(?:other |remaining |iv )?{_CLASS}\b"
)
"""What stops the antibiotics that were given until then."""


_TB_OFF = re.compile(
    r"\b(?:(?:all|the|her|his|their|four|three|five|other|of|first[- ]line) ){1,4}"
    r"(?:anti-?)?(?:tb|tuberculosis|tuberculous) (?:drugs|medicines|medication|tablets|treatment)"
    r" (?:(?:was|were|has been|have been|are|is) )?(?:all )?(?:stopped|held|withheld|suspended)\b"
    r"|^\W*(?:hold|stop|withhold|suspend|discontinue) (?:(?:all|the|her|his|four|of) )+"
    r"(?:anti-?)?(?:tb|tuberculosis|tuberculous) (?:drugs|medicines|medication|tablets|treatment)\b"
)
"""What stopped the drugs against tuberculosis."""
_ONLY_IF = re.compile(r"\b(?:if|should|when|unless|until)\b")


class DayEntry(NamedTuple):
    """An entry of one day: its heading, where its text begins and where it ends."""

    start: int
    title: tuple[int, int]
    body: int
    end: int
    number: int | None
    """That of its day, where the heading has one."""


def day_entries(note: str) -> tuple[DayEntry, ...]:
    """Return the entries of a note by their days, in its order; none where it has fewer than two.

    Days that do not go on counting, up or down, head no entries: a schedule may begin twice.
    """
    found = {m.start("title"): m for form in (_ALONE, _RUN_IN) for m in form.finditer(note)}
    heads = [found[at] for at in sorted(found)]
    numbers = [_number(m["title"]) for m in heads]
    counted = [n for n in numbers if n is not None]
    if len(heads) < _LEAST or not (_goes(counted) or _goes(counted[::-1])):
        return ()
    ends = [*(m.start() for m in heads[1:]), len(note)]
    return tuple(
        DayEntry(m.start(), m.span("title"), m.end(), end, number)
        for m, end, number in zip(heads, ends, numbers, strict=True)
    )


def entries_in(note: str, kinds: Sequence[tuple[int, str]]) -> tuple[DayEntry, ...]:
    """Return the entries of a note, none where a heading of a schedule is above the first.

    `kinds` has the start and the kind of each other heading.
    """
    entries = day_entries(note)
    above = [kind for start, kind in kinds if entries and start < entries[0].start]
    return () if above and above[-1] in _NO_ENTRIES else entries


def entries_of(note: str, sections: Sequence[NoteSection]) -> tuple[DayEntry, ...]:
    """Return the entries of a note that its sections begin with."""
    starts = {section.start for section in sections}
    return tuple(entry for entry in day_entries(note) if entry.start in starts)


def _number(title: str) -> int | None:
    match = _NUMBER.search(title)
    digits = (match["day"] or match["d"]) if match else None
    for later in _NUMBER.finditer(title):
        digits = digits or later["day"] or later["d"]
    return int(digits) if digits else None


def _goes(numbers: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(numbers))


def with_day_plans(
    note: str, sections: Sequence[NoteSection], entries: Sequence[DayEntry]
) -> tuple[NoteSection, ...]:
    """Return the sections of a note, the list of orders that ends an entry as a plan.

    What no heading of the note names has the title of its day.
    """
    made = tuple(sections)
    for entry in entries:
        own = [s for s in made if entry.start <= s.start < entry.end]
        listed = [one for one in note_lists(note) if entry.body <= one.items[0].start < entry.end]
        if any(s.kind == PLAN for s in own) or not listed or not _is_ordered(note, listed[-1]):
            continue
        made = with_list_as_plan(note, made, listed[-1])
    titles = [(e.start, e.end, note[slice(*e.title)]) for e in entries]
    return tuple(
        section.model_copy(update={"title": title})
        if section.title in _TITLES and section.inferred and title
        else section
        for section in made
        for title in (next((t for a, b, t in titles if a <= section.start < b), ""),)
    )


def _is_ordered(note: str, one: NoteList) -> bool:
    """Return whether most items of a list under what was found are no findings themselves."""
    said = [in_full(note[item.body : item.end]) for item in one.items]
    return len(said) >= _LEAST and 2 * sum(map(is_seen, said)) < len(said)


def with_earlier_orders(
    units: Sequence[NoteUnit], entries: Sequence[DayEntry]
) -> tuple[NoteUnit, ...]:
    """Return units, what all entries but the last that orders something ordered as `EARLIER`."""
    ordered = [e for e in entries if any(u.kind == PLAN and _is_in(u.start, e) for u in units)]
    if len(ordered) < _LEAST:
        return tuple(units)
    numbers = [e.number for e in entries if e.number is not None]
    is_last_first = len(numbers) > 1 and numbers[0] > numbers[-1]
    last = ordered[0 if is_last_first else -1]
    earlier = [e for e in ordered if e != last]
    return tuple(
        unit._replace(kind=EARLIER)
        if unit.kind == PLAN and any(_is_in(unit.start, e) for e in earlier)
        else unit
        for unit in units
    )


def _is_in(at: int, entry: DayEntry) -> bool:
    return entry.start <= at < entry.end


def with_later_stops(
    filed: Mapping[SummarySection, Sequence[SummaryItem]],
) -> dict[SummarySection, list[SummaryItem]]:
    """Return the items of a note of several days, what a later one stops as stopped before too."""
    items = {item.source: item for name in SUMMARY_SECTIONS for item in filed[name]}
    ordered = sorted(items.values(), key=lambda item: start_of(item.source))
    read: dict[str, SummaryItem] = {}
    for place, item in enumerate(ordered):
        later = ordered[place + 1 :]
        given = tuple(_after(medicine, later) for medicine in item.medications)
        read[item.source] = item.model_copy(update={"medications": given})
    return {name: [read[item.source] for item in filed[name]] for name in SUMMARY_SECTIONS}


def with_stopped_treatment(
    filed: Mapping[SummarySection, Sequence[SummaryItem]],
) -> dict[SummarySection, list[SummaryItem]]:
    """Return the items of a note, the drugs of a treatment that it says was stopped as stopped.

    "All four TB drugs were stopped on Tuesday" is of what is named before it.
    """
    items = {item.source: item for name in SUMMARY_SECTIONS for item in filed[name]}
    stops = [start_of(item.source) for item in items.values() if _stops_treatment(item)]
    found: dict[SummarySection, list[SummaryItem]] = {n: list(filed[n]) for n in SUMMARY_SECTIONS}
    for name, own in found.items() if stops else ():
        found[name] = [
            item if start_of(item.source) >= max(stops) else _with_tb_stopped(item) for item in own
        ]
    return found


def _stops_treatment(item: SummaryItem) -> bool:
    text = fold_chars(item.text)
    return _TB_OFF.search(text) is not None and _ONLY_IF.search(text) is None


def _with_tb_stopped(item: SummaryItem) -> SummaryItem:
    read = tuple(
        m.model_copy(update={"status": _STOPPED})
        if m.status in _TAKEN and m.ingredients and tb_drugs().issuperset(m.ingredients)
        else m
        for m in item.medications
    )
    return item.model_copy(update={"medications": read})


def _after(medicine: NoteMedication, later: Sequence[SummaryItem]) -> NoteMedication:
    """Return a medicine as it is after what later statements say of it."""
    if medicine.status not in _TAKEN:
        return medicine
    is_taken = True
    for item in later:
        own = [m.status for m in item.medications if medicine_key(m) == medicine_key(medicine)]
        if own:
            is_taken = own[-1] in _TAKEN if own[-1] in _TAKEN | {_STOPPED} else is_taken
        elif _is_antibiotic(medicine) and _ALL_OFF.search(fold_chars(item.text)):
            is_taken = False
    return medicine if is_taken else medicine.model_copy(update={"status": _STOPPED})


def _is_antibiotic(medicine: NoteMedication) -> bool:
    """Return whether a medicine is of a class that the table has against pneumonia."""
    classes = {d.drug_class for d in known_drugs() if d.area == "cap"} - _NOT_ANTIBIOTIC
    return any(d.drug_class in classes for d in known_drugs() if d.name in medicine.ingredients)

"""The items of a note as the check reads them: figures, whole schedules, doses with their units.

Notes write "two hundred milligrams", "2/52" and "12-hourly", leave out a unit that they have just
said, and say in a line of its own how often the drugs of the line above it are given. The check
compares one statement at a time, so it reads a copy in which each says all of it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.facts.frequencies import says_how_often
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.short_lengths import lengths_in_full
from clinrag_core.facts.spelled import in_figures
from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.clipped import whole_name, with_whole_names
from clinrag_core.notes.measures import read_vitals
from clinrag_core.notes.records import SUMMARY_SECTIONS, GuidelineFinding, NoteSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clinrag_core.notes.records import SummaryItem

_HOURLY = re.compile(r"\b(\d{1,2})[ -]?(?:hourly|hrly)\b", re.IGNORECASE)
_THRICE_WEEKLY = re.compile(r"\b(?:tiw|t\.i\.w\.)(?!\w)", re.IGNORECASE)
_UNSAID_UNIT = re.compile(
    r"\b(?P<lead>then|(?:reduc\w+|down|up|increas\w+|chang\w+) to) (?P<figure>\d+(?:\.\d+)?) ",
    re.IGNORECASE,
)
_BARE_WEIGHT = re.compile(
    r"\b(weigh(?:s|ing|ed)?(?: (?:now|only|about))?) (\d{2,3})(?=[,.;]| and\b|$)"
)
_CLOSES = re.compile(r"[\s.;:]+$")
_NEAR = 12
"""Characters from the start of a line within which its schedule begins."""
_GAP = 8
"""Characters between two lines of one list: a break, an indent and a sign."""


def for_check(summary: NoteSummary) -> NoteSummary:
    """Return a summary with the texts of its items as the check reads them; sources stay."""
    texts = {item.source: plain(item.text) for _, item in summary.filed()}
    for first, text in _joined(summary, texts):
        texts[first.source] = text
    return NoteSummary(
        **{
            name: tuple(_read(item, texts[item.source]) for item in summary.section(name))
            for name in SUMMARY_SECTIONS
        }
    )


def as_written(
    findings: Iterable[GuidelineFinding], summary: NoteSummary
) -> tuple[GuidelineFinding, ...]:
    """Return findings with the words of the note in place of those that the check read."""
    texts = {item.source: item.text for _, item in summary.filed()}
    return tuple(f.model_copy(update={"about": texts.get(f.source, f.about)}) for f in findings)


def plain(text: str) -> str:
    """Return a statement with figures, lengths and frequencies written out."""
    text = lengths_in_full(in_figures(with_whole_names(text)).text)
    text = _HOURLY.sub(r"every \1 hours", text)
    text = _THRICE_WEEKLY.sub("three times a week", text)
    text = _BARE_WEIGHT.sub(r"\1 \2 kg", text)
    doses = [q for q in quantities(text) if q.kind == "dose" and len(q.values) == 1]
    for match in reversed(list(_UNSAID_UNIT.finditer(text))):
        before = [q for q in doses if q.end <= match.start()]
        if before and says_how_often(text, match.end()):
            at = match.end("figure")
            text = f"{text[:at]} {before[-1].unit}{text[at:]}"
    return text


def _read(item: SummaryItem, text: str) -> SummaryItem:
    if text == item.text:
        return item
    whole = [m.model_copy(update={"name": whole_name(m.name)}) for m in item.medications]
    read = {"text": text, "vitals": item.vitals or read_vitals(text), "medications": tuple(whole)}
    return item.model_copy(update=read)


def _joined(summary: NoteSummary, texts: Mapping[str, str]) -> Iterator[tuple[SummaryItem, str]]:
    """Yield statements on drugs with what the next line says of how often they are given."""
    placed: dict[str, tuple[int, int, SummaryItem]] = {}
    for _, item in summary.filed():
        source = parse_source(item.source)
        if source is not None:
            placed[item.source] = (source.start, source.end, item)
    ordered = sorted(placed.values(), key=lambda one: one[:2])
    for (_, end, first), (start, _, second) in pairwise(ordered):
        is_near = 0 <= start - end <= _GAP
        if is_near and _is_dosed(first, texts) and _is_schedule(second, texts):
            yield first, f"{_CLOSES.sub('', texts[first.source])}, {texts[second.source]}"


def _is_dosed(item: SummaryItem, texts: Mapping[str, str]) -> bool:
    """Return whether a statement gives drugs, and does not say how often."""
    kinds = _kinds(texts[item.source])
    return bool(item.medications) and "dose" in kinds and "frequency" not in kinds


def _is_schedule(item: SummaryItem, texts: Mapping[str, str]) -> bool:
    """Return whether a statement begins with how often, and names no drug."""
    if item.medications:
        return False
    text = texts[item.source]
    return any(q.kind == "frequency" and q.start <= _NEAR for q in quantities(text))


def _kinds(text: str) -> Sequence[str]:
    return [q.kind for q in quantities(text)]

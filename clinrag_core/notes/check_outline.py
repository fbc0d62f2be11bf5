"""What sources say of a note as a reader sees it: each verdict with the statements it is about.

The same quotes under several items or questions are one entry; a quote that an entry above has
shown is only named. The record keeps one finding for each item and question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.citations import start_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import CitedEvidence, GuidelineFinding

_LONGEST = 110
"""Characters of a statement of the note that are shown with a verdict."""
_NAMED = 60
"""Characters of a quote that name it where it was shown above."""


class CheckedItem(NamedTuple):
    """A statement of the note that a verdict is about: its first words and its source."""

    text: str
    source: str


class CheckedQuote(NamedTuple):
    """A quote with its place; one that was shown above has only its first words."""

    text: str
    place: str
    is_above: bool


class CheckEntry(NamedTuple):
    """A verdict with the questions it answers, the items it is about and its quotes."""

    verdict: str
    questions: tuple[str, ...]
    items: tuple[CheckedItem, ...]
    quotes: tuple[CheckedQuote, ...]


def check_entries(findings: Sequence[GuidelineFinding]) -> tuple[CheckEntry, ...]:
    """Return the findings that have evidence, those with one verdict and the same quotes as one."""
    groups: dict[tuple[str, tuple[CitedEvidence, ...]], list[GuidelineFinding]] = {}
    for one in findings:
        if one.evidence:
            groups.setdefault((one.verdict, one.evidence), []).append(one)
    shown: set[CitedEvidence] = set()
    entries: list[CheckEntry] = []
    for (verdict, evidence), own in groups.items():
        questions = tuple(dict.fromkeys(one.question for one in own))
        about = {one.source: one.about for one in own}
        items = sorted(about.items(), key=lambda item: start_of(item[0]))
        quotes = tuple(_quote(one, is_above=one in shown) for one in evidence)
        shown.update(evidence)
        named = tuple(CheckedItem(_short(text, _LONGEST), source) for source, text in items)
        entries.append(CheckEntry(verdict, questions, named, quotes))
    return tuple(entries)


def _quote(one: CitedEvidence, *, is_above: bool) -> CheckedQuote:
    text = _short(one.text, _NAMED) if is_above else one.text
    return CheckedQuote(text, f"{one.document}: {one.section}", is_above)


def _short(text: str, most: int) -> str:
    """Return the first whole words of a text."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most].rsplit(' ', 1)[0]} ..."

"""Leaves out what a summary has said already: the same words, or a medicine that is only continued.

A note says a diagnosis before and after an operation, who the patient is in the history and in the
assessment, and a medicine in its list and in the plan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.notes.records import SUMMARY_SECTIONS
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.notes.records import NoteMedication, SummaryItem, SummarySection

_NO_WORD = re.compile(r"[\W_]+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_PROBLEMS: SummarySection = "key_problems"
_MEASURED: tuple[SummarySection, ...] = ("objective_findings", "labs_imaging")
_MEDICINES: SummarySection = "medicines_allergies"
_SENTENCE = 60
"""Characters from which the same words in two sections are a repetition: names of problems may be
both a problem and part of the assessment."""
_UNCHANGED = frozenset({"current", "continued"})


def without_repeats(
    filed: Mapping[SummarySection, Sequence[SummaryItem]],
) -> dict[SummarySection, list[SummaryItem]]:
    """Return the items of each section without those that repeat an earlier one.

    The first of the same words stays. An item that belongs to two sections is no repetition.
    """
    kept: dict[SummarySection, list[SummaryItem]] = {}
    sentences: dict[str, str] = {}
    for name in SUMMARY_SECTIONS:
        seen: set[str] = set()
        kept[name] = []
        for item in filed[name]:
            words = _words(item)
            is_long = len(words) >= _SENTENCE
            said = f"{item.status} {words}"
            if said in seen or (is_long and sentences.get(words, item.source) != item.source):
                continue
            seen.add(said)
            sentences.setdefault(words, item.source)
            kept[name].append(item)
    kept[_PROBLEMS] = _without_shorter(kept[_PROBLEMS])
    assessed = {item.source for item in kept["assessment"]}
    for name in _MEASURED:
        kept[name] = _without_restated(kept[name], assessed)
    elsewhere = {i.source for n in SUMMARY_SECTIONS if n != _MEDICINES for i in kept[n]}
    kept[_MEDICINES] = _without_continued(kept[_MEDICINES], elsewhere)
    return kept


def _words(item: SummaryItem) -> str:
    return _NO_WORD.sub(" ", fold_chars(item.text)).strip()


def _without_shorter(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return problems without those that begin a longer one: "Kidney stone", "Kidney stones"."""
    said = [_words(item) for item in items]
    return [
        item
        for item, own in zip(items, said, strict=True)
        if not any(other != own and other.startswith(own) for other in said)
    ]


def _without_restated(items: Sequence[SummaryItem], assessed: set[str]) -> list[SummaryItem]:
    """Return results without statements of the assessment that say figures of them again."""
    own = [item for item in items if item.source not in assessed]
    if not own:
        return list(items)
    known = {figure for item in own for figure in _FIGURE.findall(item.text)}
    return [
        item
        for item in items
        if item.source not in assessed or not known.issuperset(_FIGURE.findall(item.text))
    ]


def _without_continued(items: Sequence[SummaryItem], elsewhere: set[str]) -> list[SummaryItem]:
    """Return medicines without statements made elsewhere that only continue what is listed."""
    listed = {_key(m) for i in items if i.source not in elsewhere for m in i.medications}
    kept: list[SummaryItem] = []
    for item in items:
        own = [_key(m) for m in item.medications]
        is_repeat = (
            bool(own)
            and item.source in elsewhere
            and all(
                m.status in _UNCHANGED and (key in listed or (not m.dose and _named(key, listed)))
                for key, m in zip(own, item.medications, strict=True)
            )
        )
        if not is_repeat:
            kept.append(item)
        listed.update(own)
    return kept


def _key(medicine: NoteMedication) -> tuple[str, str]:
    name = "+".join(medicine.ingredients) or fold_chars(medicine.name)
    return name, "".join(medicine.dose.split()).lower()


def _named(key: tuple[str, str], listed: set[tuple[str, str]]) -> bool:
    return any(key[0] == name for name, _ in listed)

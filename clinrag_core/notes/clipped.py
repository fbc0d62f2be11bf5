"""Names of medicines as notes write them: cut short before a dose, or a brand, in whole.

"levoflox 500", "pred 40 od", "Klacid". A word of five letters and more before a dose is the one
drug whose name it begins; shorter ones, and brands that the table of drugs lacks, are in a table.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.notes.lexicon import note_drugs, note_measures
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.notes.records import NoteMedication

_BEFORE_DOSE = re.compile(
    r"(?<![\w-])(?P<name>[a-z]{3,}(?:-[a-z]{3,})?)(?=\s+(?:po |iv |im |sc )?(?:\d|[obtq]d[sd]?\b))"
)


_LEAST_BEGUN = 4
"""Letters of a word that may be the beginning of a name."""


class ClippedName(NamedTuple):
    """A name that is cut short, and the whole of it."""

    start: int
    end: int
    whole: str


@lru_cache(maxsize=CACHED_TEXTS)
def clipped_names(text: str) -> tuple[ClippedName, ...]:
    """Return the names in a text that are brands, or cut short before a dose or a frequency."""
    folded = fold_chars(text)
    brands = note_measures().brand_names
    found = [
        ClippedName(*match.span(), brands[match.group()])
        for match in note_measures().branded.finditer(folded)
    ]
    for match in _BEFORE_DOSE.finditer(folded):
        whole = _whole(match["name"])
        if whole is not None and match["name"] not in brands:
            found.append(ClippedName(*match.span("name"), whole))
    return tuple(sorted(found))


def with_whole_names(text: str) -> str:
    """Return a text with the whole names of medicines."""
    for name in reversed(clipped_names(text)):
        text = f"{text[: name.start]}{name.whole}{text[name.end :]}"
    return text


def whole_name(name: str) -> str:
    """Return the name of a medicine that a dose follows, in whole."""
    folded = fold_chars(name)
    return note_measures().brand_names.get(folded) or _whole(folded) or name


def medicine_key(medicine: NoteMedication) -> str:
    """Return what two statements on one medicine have in common: ingredients, else its name."""
    return "+".join(medicine.ingredients) or whole_name(fold_chars(medicine.name))


@lru_cache(maxsize=CACHED_TEXTS)
def _whole(word: str) -> str | None:
    """Return the drug that a word is the beginning of; None where it is none or another word."""
    if note_drugs().ingredients(word):
        return None
    known = note_measures().short_names.get(word)
    if known is not None or len(word) < _LEAST_BEGUN:
        return known
    _, corrections = note_drugs().correct(word)
    begun = [c.meant for c in corrections if c.meant.startswith(word)]
    return begun[0] if begun else None

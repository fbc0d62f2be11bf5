"""A statement as its words are searched: folded, numbers in words as figures, short-hand in full.

Only for searches that need no place in the note: the text is of another length.
"""

from __future__ import annotations

from functools import lru_cache

from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.facts.spelled import in_figures
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.text.normalise import fold_chars


@lru_cache(maxsize=CACHED_TEXTS)
def in_full(text: str) -> str:
    """Return a folded statement with figures and without short-hand: "r/v 2/7" is "review 2/7"."""
    folded = fold_chars(in_figures(text).text)
    for full, short in note_cues().units.shorthand.items():
        folded = short.sub(full, folded)
    return folded

"""Reads how many doses in a row were missed: labels give one rule for few and another for many."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

_WORDS = {"a": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = re.compile(
    rf"(?P<below>(?:fewer|less) than|<)?(?P<above>at least|more than|[>≥])?\s*"
    rf"\b(?P<count>\d{{1,2}}|{'|'.join(_WORDS)})\b(?P<more> or more)?"
    r"(?: (?:consecutive|scheduled|daily|active|missed|in a row))*"
    r" (?:dos(?:es?|ings?)|tablets?|pills?|capsules?|injections?|days?)\b"
)


class MissedDoses(NamedTuple):
    """Numbers of missed doses, ends included; the upper end may be infinite."""

    low: float
    high: float

    def meets(self, other: MissedDoses) -> bool:
        """Return whether a number is in both."""
        return max(self.low, other.low) <= min(self.high, other.high)


@lru_cache(maxsize=CACHED_TEXTS)
def missed_doses(text: str) -> tuple[MissedDoses, ...]:
    """Return the numbers of missed doses that a text names; none where it is about no missed dose.

    "4 or more consecutive doses are missed" is 4 and more; "if fewer than 4" is 1 to 3.
    """
    folded = fold_chars(text)
    if not says(folded, slot_lexicon().wordings.missed):
        return ()
    found: list[MissedDoses] = []
    for match in _COUNT.finditer(folded):
        count = float(_WORDS.get(match["count"]) or match["count"])
        if match["below"]:
            found.append(MissedDoses(1.0, count - 1))
        elif match["above"] or match["more"]:
            low = count + 1 if match["above"] in ("more than", ">") else count
            found.append(MissedDoses(low, math.inf))
        else:
            found.append(MissedDoses(count, count))
    return tuple(found)

"""Reads how long after a dose somebody vomited: within half an hour it is given again."""

from __future__ import annotations

import math
from functools import lru_cache

from clinrag_core.facts.missed_doses import CountRange
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

_HOURS = {"m": 1 / 60, "h": 1.0}
_TIME = lazy_re(
    r"\b(?:vomit\w*|th(?:rew|rows?) up|sp[ia]ts? (?:it |them )?(?:up|out))\b[^.;?\d]{0,40}?"
    r"(?P<sign>more than|over|longer than|>|within|less than|under|<|up to)?\s*"
    r"\b(?P<count>\d{1,2}|half an|an|one|two) ?(?P<unit>m|h)(?:in|r|ou?r)?\w*"
)


@lru_cache(maxsize=CACHED_TEXTS)
def vomited_after(text: str) -> tuple[CountRange, ...]:
    """Return the times in hours between a dose and vomiting that a text names, mostly none."""
    words = {"half an": 0.5, "an": 1.0, "one": 1.0, "two": 2.0}
    found: list[CountRange] = []
    for match in _TIME.finditer(fold_chars(text)):
        hours = (words.get(match["count"]) or float(match["count"])) * _HOURS[match["unit"]]
        if match["sign"] in {"more than", "over", "longer than", ">"}:
            found.append(CountRange(math.nextafter(hours, math.inf), math.inf))
        else:
            found.append(CountRange(0.0 if match["sign"] else hours, hours))
    return tuple(found)

"""How long somebody has been treated, and how long must have been before a dose is meant.

"Done six months, what now?" is answered by what is given "after at least 6 months of treatment".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.times import DAYS, TOLERANCE
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import CACHED_TEXTS, fold_chars

if TYPE_CHECKING:
    from clinrag_core.facts.quantities import Quantity

_DONE_BEFORE = lazy_re(
    r"\b(?:done|finish(?:ed|es|ing)|complet(?:ed|es|ing)|had|received|taken|after|past"
    r"|been on (?:it|this|[\w-]+)(?: (?:\d+|[a-z]{2}))* (?:for|over))"
    r"(?: (?:her|his|their|my|the|a|full|initial|at least|first|already|about|over|now|nearly))* $"
)
_DONE_AFTER = lazy_re(
    r"(?: of [\w-]+)? (?:done|completed|finished|behind (?:him|her|them)|are (?:up|over)\b)"
)
_NEEDED_BEFORE = lazy_re(
    r"\bafter (?:at least |completing |completion of |the (?:first|initial) )*$"
)
_NEEDED_AFTER = lazy_re(
    r" (?:of|on) (?:[\w-]+ ){0,2}?(?:treatment|therapy|anticoagulat\w+|prophylaxis)\b"
)


def is_after_course(question: str, statement: str) -> bool:
    """Return whether a statement is for those who were treated as long as a question says."""
    needed = _days(statement, _NEEDED_BEFORE, _NEEDED_AFTER, both=True)
    if not needed:
        return False
    done = _days(question, _DONE_BEFORE, _DONE_AFTER, both=False)
    return any(mine >= theirs * (1 - TOLERANCE) for mine in done for theirs in needed)


@lru_cache(maxsize=CACHED_TEXTS)
def _days(
    text: str, before: re.Pattern[str], after: re.Pattern[str], *, both: bool
) -> tuple[float, ...]:
    """Return the days of each course in a text, found between words of these kinds."""
    folded = fold_chars(text)
    join = all if both else any
    return tuple(
        float(one.values[0]) * DAYS[one.unit]
        for one in quantities(text)
        if one.kind == "duration" and one.unit in DAYS and join(_around(folded, one, before, after))
    )


def _around(
    folded: str, one: Quantity, before: re.Pattern[str], after: re.Pattern[str]
) -> tuple[bool, bool]:
    """Return whether the words before, and those after, a length of time are of these kinds."""
    return before.search(folded[: one.start]) is not None, after.match(folded, one.end) is not None

"""Reads from which schedule to which a text changes: "from monthly to every two months".

What is done one way is not what is done the other way.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

CACHED_TEXTS = 4_096
"""Texts whose changes are kept, in memory only."""
REACH = 40
"""Characters before the first schedule among which "from" is."""
_FROM = lazy_re(r"\bfrom\b[^.;]*$")
_TO = lazy_re(r"\b(?:to|onto|into)\b")


class Switch(NamedTuple):
    """A change of schedule."""

    before: str
    after: str

    def reverses(self, other: Switch) -> bool:
        """Return whether this goes back where another one goes."""
        return (self.before, self.after) == (other.after, other.before)


@lru_cache(maxsize=CACHED_TEXTS)
def switches(text: str) -> tuple[Switch, ...]:
    """Return each change from one schedule to another that a text names.

    Raises:
        ConfigurationError: the table of schedules cannot be read.
    """
    folded = fold_chars(text)
    if "from" not in folded:
        return ()
    spans = concept_spans(text, slot_lexicon().schedules)
    return tuple(
        Switch(one.name, other.name)
        for one, other in pairwise(spans)
        if one.name != other.name
        and _FROM.search(folded[max(0, one.start - REACH) : one.start])
        and _TO.search(folded[one.end : other.start])
    )

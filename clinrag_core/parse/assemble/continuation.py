"""True if a sentence goes on over a line or paragraph break."""

from __future__ import annotations

import re

from clinrag_core.parse.assemble.wording import ends_sentence
from clinrag_core.text.abbreviations import JOINERS

_CONTINUES = re.compile(r"[a-z,.;:)\]%]|\((?![A-Z]{2,}\))")
_NO_SPACE_BEFORE = re.compile(r"[,.;:)\]](?:\s|$)")
_HYPHEN = re.compile(r"[a-z]-$")
# Words that links of web pages follow; 'as above' ends a cell.
_OPEN = JOINERS.difference(["above", "below"]).union(
    ["aged", "among", "but", "consult", "contact", "like", "nor", "other", "read", "see", "use"]
)


def continues(text: str) -> bool:
    """True if a line begins as no sentence does: in lower case, with a comma, in brackets."""
    return bool(_CONTINUES.match(text))


def ends_open(text: str) -> bool:
    """True if a text ends with a word or sign that no sentence ends with: 'to which the'."""
    words = text.split()
    if not words or not any(c.isalnum() for c in text):
        return True  # the sign of a note on a line of its own
    last = re.sub(r"\W", "", words[-1]).lower()
    return text[-1] in ",–/(" or last in _OPEN


def goes_on(last: str, following: str) -> bool:
    """True if the sentence that `last` ends in goes on in `following`."""
    if ends_sentence(last):
        return False
    return ends_open(last) or continues(following) or _splits_a_noun(last, following)


def _splits_a_noun(last: str, following: str) -> bool:
    """True where an article is two words before the end: 'either a positive' + 'IGRA result'."""
    words = last.split()
    return words[-2:-1] in (["a"], ["an"], ["the"]) and following[:2].isupper()


def glue(last: str, following: str) -> str:
    """Two parts of one sentence as one text; a link's neighbours lose the space of its line."""
    tight = _NO_SPACE_BEFORE.match(following) or last.endswith(("(", "[")) or _HYPHEN.search(last)
    return f"{last}{following}" if tight else f"{last} {following}"

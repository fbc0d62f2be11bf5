"""Word families: the root that derivations of one word share.

"inhibit", "inhibitor" and "inhibitory" share one. For asking whether documents speak of something,
not for ranking: a root is coarser than a stem.
"""

from __future__ import annotations

from functools import lru_cache

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.spelling import unify_spelling

MIN_ROOT = 5
"""Fewest letters of a root; shorter ones join unrelated words ("general", "genetic")."""
_ENDINGS = """
ability ibility ably able ible ally ance ant ancy ary ate ated ates ating ation ational ative ator
ed ence ency ent ently er ers ful iate iation ious iously itive itivity ivity ial ic ical ically ics
ing ion ional ions ise ised ism ist ity ive ively iveness ization ize ized izer izing less ly ment
ments ness or ors ory ous ously s al als es y
"""
_ENDING = lazy_re(rf"(?:{'|'.join(sorted(_ENDINGS.split(), key=len, reverse=True))})$")


@lru_cache(maxsize=65536)
def word_root(word: str) -> str:
    """Return the root of a word folded by `normalise.fold`, of five letters or more.

    A word that is too short to lose an ending is its own root.
    """
    root = unify_spelling(word)
    if not root.isalpha():
        return root
    while (ending := _ENDING.search(root)) and ending.start() >= MIN_ROOT:
        root = root[: ending.start()]
    return root

"""Finds what a claim says to be so, or not to be so, though its evidence says it is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.negation import says_unknown, shows_absence
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import containment
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext

REPEATED = 0.5
"""Least share of a claim in the clause that says what is not known, from which it is made of it."""

_DOUBT = lazy_re(
    r"\b(?:un(?:known|clear|certain|tested|proven|available)|in(?:sufficient|adequate)|lack\w*"
    r"|limited|few|whether|if|missing|absen\w+)\b"
)
_STUDIED = lazy_re(
    r"\b(?:stud\w+|data|evidence|know\w*|establish\w+|inform\w+|trials?|evaluat\w+|assess\w+|tested"
    r"|shown|demonstrated|determin\w+|investigat\w+|research\w*|experience)\b"
)
"""What a claim that denies says of what is known, not of what is so."""
_CLAUSE = lazy_re(r"[,;:](?!\d)")


def made_known(claim: ClaimInContext) -> bool:
    """Return whether a claim says what nothing is known of, as its sentence says.

    "Studies in rats have not been done" is no study in rats. The clause that denies must be what
    the claim is made from: more of the claim is in it than in the rest of the sentence.
    """
    for said, stated in claim.paired:
        if said.text == stated.text or not stated.polarity.cues:
            continue
        text, own = fold_chars(stated.text), fold_chars(said.text)
        found = says_unknown(text)
        if not found:
            continue
        if shows_absence(own) and not shows_absence(text):
            return True
        if _DOUBT.search(own) or (said.polarity.cues and _STUDIED.search(own)):
            continue
        cuts = [0, *(m.end() for m in _CLAUSE.finditer(text)), len(text)]
        start = max(cut for cut in cuts if cut <= found.start())
        end = min(cut for cut in cuts if cut >= found.end())
        wanted = set(said.stems)
        here = containment(wanted, set(key_stems(text[start:end])))
        elsewhere = containment(wanted, set(key_stems(f"{text[:start]} {text[end:]}")))
        if here >= REPEATED and here > elsewhere:
            return True
    return False

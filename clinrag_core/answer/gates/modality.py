"""How strongly a claim speaks, compared with its evidence: what it obliges to, allows and doubts.

"Should" may not replace "may", nor the other way round, nor a fact what only may be.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.facts.hedges import hedges
from clinrag_core.facts.negation import denies_ban, denies_need
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import containment
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.facts.negation import Polarity


_PAST = lazy_re(r"\b(?:was|were|had|did|received)\b")
_HAPPENS = lazy_re(
    r"\b(?:risks?|hazards?|danger|reports?|reported|cases? of|associated|occurs?|occurred)\b"
)
"""What happens to some: that it may happen says no more."""
_ALLOWS = lazy_re(r"\b(?:may|might|could|can) (?:also )?be (?!need)\w+|\bconsider(?:ed|ation)?\b")
"""What a sentence allows, or asks to think of, and does not prescribe."""
_GIVEN = frozenset({"dose", "concentration", "frequency", "duration"})
_MAY, _MUST = frozenset({"permission"}), frozenset({"obligation"})
_FORCE = frozenset({"obligation", "permission"})
_APPROVES = lazy_re(r"\b(?:(?:is|are|considered) (?:safe|suitable)|alternatives?)\b")
"""What makes a use one that may be chosen."""
_RESTRICTS = lazy_re(
    r"\b(?:only|solely|exclusively|(?:limited|restricted|confined) to|reserved for)\b"
)
_MAY_BE = lazy_re(r"\b(?:may|might|can|could|possibl[ey]|potentially|suggests?)\b")


def modality_changed(claim: ClaimInContext) -> tuple[str, ...]:
    """Return the modalities that a claim raises, lowers or drops."""
    own = [s.polarity for s in claim.claim.sentences]
    aligned = [s.polarity for s in claim.joined]
    hedged = any(_HAPPENS.search(fold_chars(s.text)) for s in claim.aligned[:1])
    approved = any(_APPROVES.search(fold_chars(s.text)) for s in claim.aligned[:1])
    texts = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    changed = _changed(
        own,
        aligned,
        prescribed=_prescribed(claim),
        hedged=hedged,
        approved=approved,
        restricted=all(map(_RESTRICTS.search, texts)),
        unneeded=_unneeded(*texts) or _unneeded(*texts[::-1]),
    )
    if not changed:
        changed = _made_firm(own, claim)
    return changed or _made_certain(claim) or _made_cause(*texts)


def _unneeded(said: str, stated: str) -> bool:
    """Return whether one text has without something what the other says needs none of it."""
    return "without" in said and denies_need(stated)


def _made_cause(said: str, stated: str) -> tuple[str, ...]:
    """Return "cause" where a claim says that one thing causes what its evidence finds with it."""
    causes = _CAUSES.search(said) and not hedges(said)
    found = _FOUND_WITH.search(stated) and not _BECAUSE.search(stated)
    return ("cause",) if causes and found else ()


_CAUSES = lazy_re(r"\b(?:caus(?:es?|ed)|leads? to|led to|bring(?:s)? about)\b")
_FOUND_WITH = lazy_re(
    r"\b(?:associat\w+|linked|correlat\w+|related to|found an? (?:increase|higher)|risk factors?)\b"
)
_BECAUSE = lazy_re(
    r"\b(?:caus\w+|lead(?:s|ing)?|led|due to|result\w*|because|induc\w+|produc\w+|attribut\w+"
    r"|owing|responsible|trigger\w*|by)\b"
)


def _made_certain(claim: ClaimInContext) -> tuple[str, ...]:
    """Return "permission" where a claim states as a fact what its only sentence says may be.

    What the sentence says besides may be a fact: the claim must speak of what may be.
    """
    if len(claim.source_sentences) != 1 or claim.claim.text in claim.cited.text:
        return ()
    text = fold_chars(claim.cited.text)
    found = _MAY_BE.search(text)
    if not found or hedges(fold_chars(claim.claim.text)):
        return ()
    part = frozenset(key_stems(_PART.split(text[found.end() :])[0]))
    own = frozenset(claim.claim.stems)
    if not part & own:
        return ()
    # A part of the sentence that only says what is so may be all that a claim is made from.
    cuts = [0, *(m.end() for m in _PART.finditer(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(cuts)]
    firm = [frozenset(key_stems(p)) for p in parts if not _MAY_BE.search(p)]
    unsure = [frozenset(key_stems(p)) for p in parts if _MAY_BE.search(p)]
    best = max((containment(own, p) for p in firm), default=0.0)
    is_firm = best >= FIRM and best > max(containment(own, p) for p in unsure)
    return () if is_firm else ("permission",)


FIRM = 0.6
"""Least share of a claim's key stems in a part of a sentence that says what is so, from which the
claim is made of that part; by judgement."""
_PART = lazy_re(r"[,;:](?!\d)")


def _prescribed(claim: ClaimInContext) -> bool:
    """Return whether a claim gives a figure that its evidence prescribes, not one of a past event.

    "The dose is 5 mg" is "give 5 mg"; "patients received 5 mg" is not.
    """
    if not claim.aligned or _PAST.search(fold_chars(claim.aligned[0].text)):
        return False
    stated = {q.key for q in claim.aligned[0].quantities if q.kind in _GIVEN}
    return bool(stated & {q.key for q in claim.claim.quantities})


def _changed(
    own: list[Polarity],
    aligned: list[Polarity],
    *,
    prescribed: bool,
    hedged: bool,
    approved: bool,
    restricted: bool,
    unneeded: bool,
) -> tuple[str, ...]:
    """Return modalities of the claim that its evidence lacks, or a "may" that the claim drops.

    Where both say "should" and "may", one may not have replaced the other.
    """
    said = _modalities(own)
    there = _modalities(aligned)
    extra: frozenset[str] = frozenset(said.keys() - there.keys())
    no_more = (
        extra == _MAY and hedged and said["obligation"] >= there["obligation"],
        extra == _MAY and approved and not there,
        extra in {_MUST, _MAY} and (unneeded or restricted),
    )
    if any(no_more):
        extra = frozenset()
    if extra and not (prescribed and not there and extra == _MUST):
        return tuple(sorted(extra))
    more, less = said - there, there - said
    if more and less.keys() & _FORCE and more.keys() & _FORCE:
        return tuple(sorted(more))
    stems = frozenset[str]().union(*(p.stems for p in own))
    dropped = [words for p in aligned for words in p.permitted if words and words <= stems]
    if dropped and "permission" not in said:
        return ("permission",)
    if "conditional" in there and "obligation" in said and "conditional" not in said:
        return ("conditional",)
    return ()


def _made_firm(own: list[Polarity], claim: ClaimInContext) -> tuple[str, ...]:
    """Return what a claim prescribes that a sentence it is made from only allows.

    "May be considered" is no "has to be started", whatever the other words.
    """
    said = _modalities(own)
    if said["permission"] or not said["obligation"]:
        return ()
    allowed = (fold_chars(s.text) for s in claim.joined)
    allows = (_ALLOWS.search(text) or denies_ban(text) for text in allowed)
    return ("permission",) if any(allows) else ()


def _modalities(polarities: list[Polarity]) -> Counter[str]:
    return sum((Counter[str](p.modality) for p in polarities), Counter())

"""Negation and modality gate: what the evidence denies, the claim denies, and no more.

Every denying word of the claim must have a partner in the evidence that governs the same words,
and the other way round where the claim speaks of what the evidence denies. "Should" may not replace
"may", nor the other way round.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.merges import names_before
from clinrag_core.answer.gates.modality import modality_changed
from clinrag_core.answer.gates.quantities import denies_bound
from clinrag_core.answer.gates.sides import keeps_order_by_denial
from clinrag_core.answer.gates.unknown import made_known
from clinrag_core.answer.records import GateDecision
from clinrag_core.facts.negation import (
    bounds_said,
    denied_by_prefix,
    in_list_denied,
    said_otherwise,
    undoes,
)
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems, stem

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.facts.negation import Cue, Polarity
    from clinrag_core.facts.reader import Facts


NEAREST = 2
PARTICLE_REACH = 2
REPEATED = 0.5
"""Share of a denied part's key stems with which a claim that denies nothing repeats it;
of the dev rewordings it refuses none."""
REPEATED_WHOLE = 0.67
"""The same share where the claim has other denials, of another sentence for instance."""
AFFIRMED = 0.4
"""Least share of the key stems of a part of a sentence that is made of a denied part."""
DENYING_PREFIXES = ("un", "non", "in", "im", "ir", "il", "dis")
LEAST_DENIED = 5
"""Letters of the shortest stem that a prefix denies: "improv" does not deny "prov". Of "un" and
"non", which begin few other words, one letter less."""


class NegationGate:
    """Rejects claims that deny, affirm or oblige where their evidence does not."""

    name = "negation"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `negation_added`, `negation_removed`, `modality_changed`."""
        if claim.is_quoted:
            return GateDecision(gate=self.name, passed=True, value=0.0)
        own = [s.polarity for s in claim.claim.sentences]
        if code := _denials_differ(own, claim) or _harmless_changed(own, claim):
            return GateDecision(gate=self.name, passed=False, code=code, value=1.0)
        if made_known(claim):
            return GateDecision(gate=self.name, passed=False, code="negation_removed", value=1.0)
        if changed := modality_changed(claim):
            return GateDecision(
                gate=self.name, passed=False, code="modality_changed", detail=changed, value=1.0
            )
        return GateDecision(gate=self.name, passed=True, value=0.0)


def _denials_differ(own: list[Polarity], claim: ClaimInContext) -> str | None:
    """Return the code for a denial that the claim adds or removes; None where there is none.

    A denial of the claim may have its partner in any sentence of the source.
    """
    aligned = [s.polarity for s in claim.aligned]
    others = [s.polarity for s in claim.source_sentences if s not in claim.aligned]
    there = [(cue, p) for p in (*aligned, *others) for cue in p.cues]
    said, stated = _stems(own), _stems(aligned + others)
    texts = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    cues = [cue for p in own for cue in p.cues]
    spoken_of = [_with_named_before(cue, p, claim) for cue, p in there]
    allowed = [
        [
            n
            for n, other in enumerate(spoken_of)
            if _is_partner(cue, other, said, stated)
            and (cue.lexical or not said_otherwise(other[0], texts[0]))
        ]
        for cue in cues
    ]
    partners = _matching(allowed)
    paired = set(partners.values())
    added = [
        cue
        for n, cue in enumerate(cues)
        if n not in paired
        and not _denied_in_list(cue, allowed[n], [cues[m] for m in paired], there, texts)
        and not said_otherwise(cue, texts[1])
        and not _in_one_word(cue, claim.cited, said)
    ]
    if added and not _are_excused(added, claim):
        return "negation_added"
    for position, (cue, of) in enumerate(there[: sum(len(p.cues) for p in aligned)]):
        if (
            position in partners
            or _in_list_of(cue, cues, texts[0])
            or said_otherwise(cue, texts[0])
            or _in_one_word(cue, claim.claim, stated)
        ):
            continue
        if (not cues and denies_bound(claim)) or _is_of_other_part(cue, of, said):
            continue
        segment = of.segments[cue.segment]
        least = REPEATED_WHOLE if cues else REPEATED
        repeated = len(segment & said) >= least * len(segment)
        if repeated or _mentions(cue, segment, said) or (not cues and _done_anyway(claim)):
            return "negation_removed"
    if any(_affirms(p, aligned) for p in own):
        return "negation_removed"
    return _prefix_changed(claim)


def _with_named_before(cue: Cue, of: Polarity, claim: ClaimInContext) -> tuple[Cue, Polarity]:
    """Return a denial with what the sentence before names, where its own says "such" or "these"."""
    source = claim.source_sentences
    at = next((n for n, one in enumerate(source) if one.polarity is of), 0)
    if not at or not names_before(source[at].text):
        return cue, of
    named = source[at - 1].polarity.stems
    segments = tuple(segment | named for segment in of.segments)
    return cue._replace(window=cue.window | named), of._replace(segments=segments)


def _prefix_changed(claim: ClaimInContext) -> str | None:
    """Return the code for a "non-" that a claim adds to a word of its evidence, or leaves out."""
    texts = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    said, stated = map(denied_by_prefix, texts)
    if not said and not stated:
        return None
    if claim.claim.polarity.cues or claim.cited.polarity.cues:
        return None  # said with a "not", perhaps
    plain = [set(key_stems(_NON.sub(" ", text))) for text in texts]
    if (stated - said - plain[1]) & plain[0]:
        return "negation_removed"
    return "negation_added" if (said - stated - plain[0]) & plain[1] else None


def _in_list_of(cue: Cue, own: list[Cue], claim: str) -> bool:
    """Return whether a claim denies in one list what its evidence denies by a cue of its own."""
    if cue.lexical:
        return False
    nearest = set(cue.governed[:NEAREST])
    return any(not one.lexical and nearest & in_list_denied(one, claim) for one in own)


def _denied_in_list(
    cue: Cue,
    allowed: list[int],
    paired: list[Cue],
    there: list[tuple[Cue, Polarity]],
    texts: tuple[str, str],
) -> bool:
    """Return whether the evidence denies a list by one word of which a claim denies each part.

    "Not diluted or mixed" is "do not dilute, and do not mix". A denial of what is denied already
    ("no films are not needed") is none of a part, nor one next to words that deny by their sense.
    """
    said, text = texts
    if cue.lexical or not cue.governed or not _LISTS.search(text):
        return False
    own = cue.governed[0]
    for n in allowed:
        if there[n][0].lexical:
            continue
        listed = set(there[n][0].governed) - {own}
        parts = [one for one in paired if not one.lexical and one.governed[:1]]
        if own in there[n][0].governed and any(
            one.governed[0] in listed and _are_joined(one, cue, said) for one in parts
        ):
            return True
    return False


def _are_joined(one: Cue, other: Cue, said: str) -> bool:
    """Return whether a word that joins parts is between two denials of a claim."""
    first, last = (re.escape(fold_chars(cue.text)) for cue in (one, other))
    between = r"(?:\b(?:and|or|nor)\b|,)[^.;]*"
    orders = ((first, last), (last, first))
    return any(re.search(rf"\b{a}\b[^.;]*{between}\b{b}\b", said) for a, b in orders)


def _is_of_other_part(cue: Cue, of: Polarity, said: set[str]) -> bool:
    """Return whether a claim is made from a part of a sentence that denies nothing.

    It has words that only that part has, and not what the denial of the other part is said of.
    """
    denying = {other.segment for other in of.cues}
    rest = [part for n, part in enumerate(of.segments) if n not in denying]
    if not rest:
        return False
    denied, affirmed = of.segments[cue.segment], frozenset[str]().union(*rest)
    leads = cue.segment < min(n for n in range(len(of.segments)) if n not in denying)
    if (set(cue.governed[:NEAREST]) - (frozenset() if leads else affirmed)) & said:
        return False
    return bool((affirmed - denied) & said) and (leads or not (denied - affirmed) & said)


_NON = lazy_re(r"\bnon-?\s?[a-z]{5,}")
_LISTS = lazy_re(r"\b(?:and|or|nor)\b|,")
_UNLESS = lazy_re(
    r"\b(?:unless|except(?:ing)?(?: for| in| when| if)?|excluding|other than|apart from) ([^.;:,]*)"
)
_ONLY_IF = lazy_re(r"\bonly (?:if|when|after|with|where|once)\b")
TWICE = 2


def _are_excused(added: list[Cue], claim: ClaimInContext) -> bool:
    """Return whether new denials say what the evidence says without one.

    "Not without a test" is "only after a test"; "not B before A" is "A before B".
    """
    twice = len(added) == TWICE and any(undoes(cue) for cue in added)
    if twice and _ONLY_IF.search(fold_chars(claim.cited.text)):
        return True
    alone = len(added) == 1 and not added[0].lexical
    exception = _UNLESS.search(fold_chars(claim.cited.text))
    if alone and exception and not _UNLESS.search(fold_chars(claim.claim.text)):
        return bool(set(added[0].governed[:NEAREST]) & set(key_stems(exception[1])))
    return alone and any(keeps_order_by_denial(pair) for pair in claim.reworded.compared)


_JOINS = lazy_re(r"\b(?:together|combin\w+|co-?administ\w+)\b")


def _done_anyway(claim: ClaimInContext) -> bool:
    """Return whether a claim without a denial combines the drugs of its one denying statement.

    Or has its bound: "not longer than 28 days" is no "more than four weeks".
    """
    if len(claim.source_sentences) != 1:
        return False
    (stated,) = claim.source_sentences
    bounds = {(q.key, q.comparator) for q in stated.quantities if q.comparator in {"<", ">"}}
    if bounds & {(q.key, q.comparator) for q in claim.claim.quantities}:
        return True
    several = len(stated.ingredients) > 1 and stated.ingredients <= claim.claim.ingredients
    return several and _JOINS.search(fold_chars(claim.claim.text)) is not None


def _in_one_word(cue: Cue, text: Facts, of: set[str]) -> bool:
    """Return whether one word of a text denies what a "not" denies: "not healed" is "unhealed".

    What is right before that word must be what the "not" is said of, where its own text has it.
    """
    if cue.lexical:
        return False
    denied = {
        prefix + one
        for one in cue.governed[:NEAREST]
        for prefix in DENYING_PREFIXES
        if len(one) >= LEAST_DENIED - (prefix in {"un", "non"})
    }
    for at, one in enumerate(text.stems):
        if any(one.endswith(word) for word in denied):
            before = set(text.stems[max(0, at - NEAREST) : at]) & of
            return before <= cue.window | set(cue.governed)
    return False


@cache
def _approval() -> frozenset[str]:
    words = (
        "suitable safe recommended advised indicated preferred acceptable allowed effective option"
    )
    return frozenset(map(stem, (*words.split(), "choice", "appropriate", "useful")))


def _affirms(said: Polarity, aligned: list[Polarity]) -> bool:
    """Return whether a part of a sentence that denies another part affirms what is denied.

    "Not advised in A, but suitable in B" of "not recommended in A or B".
    """
    denied = {cue.segment for cue in said.cues}
    parts = [part for n, part in enumerate(said.segments) if denied and n not in denied]
    there = [
        (n in {cue.segment for cue in p.cues if not cue.lexical}, segment)
        for p in aligned
        for n, segment in enumerate(p.segments)
    ]
    for part in parts if there else ():
        is_denied, best = max(there, key=lambda one: (len(part & one[1]), not one[0]))
        if is_denied and part & _approval() and len(part & best) >= AFFIRMED * len(part):
            return True
    return False


def _matching(allowed: list[list[int]]) -> dict[int, int]:
    """Return a largest pairing of cues with partners (Kuhn's algorithm), partner to cue."""
    paired: dict[int, int] = {}

    def place(cue: int, tried: set[int]) -> bool:
        for partner in allowed[cue]:
            if partner not in tried:
                tried.add(partner)
                if partner not in paired or place(paired[partner], tried):
                    paired[partner] = cue
                    return True
        return False

    for cue in range(len(allowed)):
        place(cue, set())
    return paired


def _stems(polarities: list[Polarity]) -> set[str]:
    return set[str]().union(*(p.stems for p in polarities))


def _is_partner(cue: Cue, partner: tuple[Cue, Polarity], said: set[str], stated: set[str]) -> bool:
    """Return whether a cue of the evidence denies what a cue of the claim denies."""
    other, of = partner
    if cue.text == "nor":
        return False  # "nor" without a "not" before it: that one was taken away
    if not _same_sort(cue, other, said):
        return False
    segment = of.segments[other.segment]
    nearest = [stem for stem in cue.governed[:NEAREST] if stem in stated]
    if set(nearest) - segment:
        return False  # the claim denies something that the evidence affirms elsewhere
    one_word = cue.lexical and stem(cue.text) == stem(other.text)
    all_of_it = cue.leads and other.governed and set(other.governed) <= set(cue.governed)
    if nearest and not (other.leads or one_word or all_of_it) and nearest[0] not in other.window:
        return False
    # What is denied in other words altogether is not affirmed elsewhere.
    governed = set(cue.governed) & stated
    return (
        not governed or bool(governed & (set(other.governed) | segment)) or cue.text == other.text
    )


def _same_sort(cue: Cue, other: Cue, said: set[str]) -> bool:
    """Return whether two cues are alike: "not" may mean "avoid", but not next to it."""
    if cue.lexical == other.lexical:
        return True
    return cue.lexical or stem(other.text) not in said


def _mentions(cue: Cue, segment: frozenset[str], said: set[str]) -> bool:
    """Return whether the claim speaks of what the evidence denies."""
    if cue.leads:
        return bool(segment & said)
    nearest = cue.governed[: 1 if cue.lexical else PARTICLE_REACH]
    return not nearest or bool(set(nearest) & said)


def _harmless_changed(own: list[Polarity], claim: ClaimInContext) -> str | None:
    """Return the code for a "not only" that became "only", or the other way round.

    A bound ("no later than") may be said in other words, on the same side.
    """
    said = Counter(phrase for p in own for phrase in p.harmless)
    there = Counter(phrase for s in claim.aligned for phrase in s.polarity.harmless)
    bounds = set[str]().union(*(bounds_said(fold_chars(s.text)) for s in claim.aligned))
    if any(not bounds_said(phrase) or bounds_said(phrase) - bounds for phrase in said - there):
        return "negation_added"
    text = fold_chars(claim.claim.text)
    lost = [phrase for phrase in there - said if phrase.split(maxsplit=1)[-1] in text]
    return "negation_removed" if lost else None

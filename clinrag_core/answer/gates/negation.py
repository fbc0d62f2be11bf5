"""Negation and modality gate: what the evidence denies, the claim denies, and no more.

Every denying word of the claim must have a partner in the evidence that governs the same words,
and the other way round where the claim speaks of what the evidence denies. "Should" may not stand
where the evidence says "may", nor the other way round.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.text.negation import polarity
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.text.negation import Cue, Polarity


NEAREST = 2
_FORCE = frozenset({"obligation", "permission"})


class NegationGate:
    """See the module."""

    name = "negation"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `negation_added`, `negation_removed`, `modality_changed`."""
        own = [polarity(s.text) for s in claim.claim.sentences]
        aligned = [polarity(s.text) for s in claim.aligned]
        if code := _denials_differ(own, aligned) or _harmless_changed(
            own, aligned, fold_chars(claim.claim.text)
        ):
            return GateDecision(gate=self.name, passed=False, code=code, value=1.0)
        if changed := _modality_changed(own, aligned):
            return GateDecision(
                gate=self.name, passed=False, code="modality_changed", detail=changed, value=1.0
            )
        return GateDecision(gate=self.name, passed=True, value=0.0)


def _denials_differ(own: list[Polarity], aligned: list[Polarity]) -> str | None:
    cues = [(cue, p) for p in own for cue in p.cues]
    partners = [(cue, p) for p in aligned for cue in p.cues]
    said = {stem for p in own for segment in p.segments for stem in segment}
    there = {stem for p in aligned for segment in p.segments for stem in segment}
    for cue, _ in cues:
        best = _partner(cue, partners, there)
        if best is None:
            return "negation_added"
        partners.pop(best)
    for cue, _ in partners:
        if _spoken_of(cue, said):
            return "negation_removed"
    return None


def _partner(cue: Cue, partners: list[tuple[Cue, Polarity]], there: set[str]) -> int | None:
    """Position of the evidence's cue that denies the same, the one that shares most."""
    governed = set(cue.governed)
    nearest = set(cue.governed[:NEAREST]) & there
    best: tuple[int, int] | None = None
    for position, (other, of) in enumerate(partners):
        segment = of.segments[other.segment]
        if nearest - segment:
            continue  # the claim denies something the evidence affirms elsewhere
        shared = len(governed & (set(other.governed) | segment))
        same_word = cue.text == other.text
        if (shared or same_word) and (best is None or shared > best[0]):
            best = (shared, position)
    return best[1] if best else None


def _spoken_of(cue: Cue, said: set[str]) -> bool:
    """Whether the claim speaks of what the evidence denies: of the word next to the cue."""
    return not cue.governed or cue.governed[0] in said


def _modality_changed(own: list[Polarity], aligned: list[Polarity]) -> tuple[str, ...]:
    """Modalities of the claim that its evidence lacks, or a "may" that the claim drops.

    Where both say "should" and "may", one may not have taken the other's place.
    """
    said = _modalities(own)
    there = _modalities(aligned)
    if extra := said.keys() - there.keys():
        return tuple(sorted(extra))
    more, less = said - there, there - said
    if more and less.keys() & _FORCE and more.keys() & _FORCE:
        return tuple(sorted(more))
    stems = {stem for p in own for segment in p.segments for stem in segment}
    dropped = [words for p in aligned for words in p.permitted if words and words <= stems]
    if dropped and "permission" not in said:
        return ("permission",)
    if "conditional" in there and "obligation" in said and "conditional" not in said:
        return ("conditional",)
    return ()


def _modalities(polarities: list[Polarity]) -> Counter[str]:
    return sum((Counter[str](p.modality) for p in polarities), Counter())


def _harmless_changed(own: list[Polarity], aligned: list[Polarity], claim: str) -> str | None:
    """A "not only" made of "only", or the other way round."""
    said = Counter(phrase for p in own for phrase in p.harmless)
    there = Counter(phrase for p in aligned for phrase in p.harmless)
    if said - there:
        return "negation_added"
    lost = [phrase for phrase in there - said if phrase.split(maxsplit=1)[-1] in claim]
    return "negation_removed" if lost else None

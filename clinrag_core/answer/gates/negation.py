"""Negation and modality gate: what the evidence denies, the claim denies, and no more.

Every denying word of the claim must have a partner in the evidence that governs the same words,
and the other way round where the claim speaks of what the evidence denies. "Should" may not stand
where the evidence says "may", nor the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.text.negation import polarity

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.text.negation import Cue, Polarity


class NegationGate:
    """See the module."""

    name = "negation"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `negation_added`, `negation_removed`, `modality_changed`."""
        own = [polarity(s.text) for s in claim.claim.sentences]
        aligned = [polarity(s.text) for s in claim.aligned]
        if code := _denials_differ(own, aligned):
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
    known = governed & there
    best: tuple[int, int] | None = None
    for position, (other, of) in enumerate(partners):
        segment = of.segments[other.segment]
        if known - segment:
            continue  # the claim denies something the evidence affirms elsewhere
        shared = len(governed & (set(other.governed) | segment))
        same_word = cue.text == other.text
        if (shared or same_word) and (best is None or shared > best[0]):
            best = (shared, position)
    return best[1] if best else None


def _spoken_of(cue: Cue, said: set[str]) -> bool:
    """Whether the claim speaks of what the evidence denies: of the word next to the cue."""
    return bool(set(cue.governed[:2]) & said) or not cue.governed


def _modality_changed(own: list[Polarity], aligned: list[Polarity]) -> tuple[str, ...]:
    """Modalities of the claim that its evidence lacks, or a "may" that the claim drops."""
    said = frozenset[str]().union(*(p.modality for p in own))
    there = frozenset[str]().union(*(p.modality for p in aligned))
    if extra := said - there:
        return tuple(sorted(extra))
    if there == {"permission"} and not said:
        return ("permission",)
    if "conditional" in there and "obligation" in said and "conditional" not in said:
        return ("conditional",)
    return ()

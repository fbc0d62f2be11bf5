"""Roles gate: a claim states no role that its evidence lacks, and none instead of another.

A role is a value of a family of words that exclude each other: kidney and liver, intensive and
continuation phase, latent and active. Words that are no roles may be new, but not in the slot of
one that is gone: a sentence that says everything else the same says this differently.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.comparisons import (
    compared_with_other,
    order_turned,
    sides_of,
    turned_comparison,
    turned_round,
)
from clinrag_core.answer.gates.drug_lists import drugs_joined_otherwise
from clinrag_core.answer.gates.joints import turned_joints
from clinrag_core.answer.gates.opposed import opposed_words
from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.answer.gates.quantities import bare_figures
from clinrag_core.answer.gates.sides import keeps_comparison, states_converse_comparison
from clinrag_core.answer.gates.word_slots import replaced_in_slot
from clinrag_core.facts.concepts import DRUG, FIGURE, JOINING, WORD, read_concepts
from clinrag_core.facts.populations import names_people
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.lexicon.roles import (
    RoleWord,
    implied_roles,
    is_said,
    rewritable,
    soft_roles,
)
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.concepts import Concept

_FORMS = frozenset({"tablet", "capsule"})
"""Units that are forms too: "1 tablet"."""
_NO_ROLES = frozenset({DRUG, FIGURE, JOINING, WORD})


class RolesGate:
    """Rejects claims with a role that their evidence does not state of the same thing."""

    name = "roles"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `comparison_changed`, `role_not_in_evidence`, or a code of `_changes`."""
        if changed := _role_changed(claim):
            return refused(self.name, *changed)
        for code, wrong in _relations_changed(claim):
            if wrong:
                return refused(self.name, code, wrong)
        return passed(self.name)


def _role_changed(claim: ClaimInContext) -> tuple[str, Iterable[str]] | None:
    """Return a code with the numbers or roles that a claim has and its evidence has not."""
    cited = read_concepts(claim.cited.text, claim.drugs)
    there = _numbers(cited) | bare_figures(claim)
    if wrong := _numbers(read_concepts(claim.claim.text, claim.drugs)) - there:
        return "comparison_changed", wrong
    there = _roles(cited)
    there |= _roles(read_concepts(claim.context.text, claim.drugs))
    there |= {RoleWord("sex", name) for name in claim.implied_people}
    there |= {RoleWord("age_group", name.removesuffix("s")) for name in claim.implied_people}
    there |= {one for role in there for one in implied_roles().get(role, ())}
    own = _roles(read_concepts(claim.claim.text, claim.drugs))
    new = _not_said(own - there - soft_roles(), fold_chars(claim.cited.text))
    turned = any(role.family == "direction" for role in new)
    if turned and states_converse_comparison(claim):
        new = {role for role in new if role.family != "direction"}
    if claim.is_rewritten:
        lost = {role.family for role in _roles(cited) - own}
        new = {role for role in new if role.family in lost or not _may_be_new(role)}
        new |= _in_place_of(own - there, _roles(cited) - own)
    if not new and _of_animals(claim, own, there):
        return "role_replaced", ["species"]
    return ("role_not_in_evidence", map(_printed, new)) if new else None


_SPECIES = "species"
_HUMAN = RoleWord(_SPECIES, "human")


def _of_animals(claim: ClaimInContext, own: set[RoleWord], there: set[RoleWord]) -> bool:
    """Return whether a claim says of people what its evidence says of animals alone."""
    animals = {role for role in there if role.family == _SPECIES}
    if not animals or _HUMAN in animals or any(role.family == _SPECIES for role in own):
        return False
    said, stated = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    return names_people(said) and not names_people(stated)


def _relations_changed(claim: ClaimInContext) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each code with what a claim turns round, joins or exchanges."""
    yield "role_replaced", _resistance_turned(claim)
    if claim.compared:
        yield "order_turned", turned_joints(claim)
    there = {c.key for c in read_concepts(claim.cited.text, claim.drugs)}
    for pair in claim.compared:
        if pair.is_rewritten:
            yield "comparison_changed", compared_with_other(pair, there)
        yield from _changes(pair)
        yield "word_turned", opposed_words(pair, claim.cited.text)


def _resistance_turned(claim: ClaimInContext) -> set[str]:
    """Return drugs that a claim says strains resist, and its evidence that they are sensitive to.

    And the other way round.
    """
    if claim.is_quoted or claim.claim.polarity.cues or claim.cited.polarity.cues:
        return set()  # what is denied may be the resistance
    said, stated = (read_resistance(f.text) for f in (claim.claim, claim.cited))
    return set((said.to & stated.susceptible) | (said.susceptible & stated.to - said.to))


_RESTART = RoleWord("starting", "restart")


def _may_be_new(role: RoleWord) -> bool:
    """Return whether a sentence worded anew may name a role: but not that a drug is restarted."""
    return role.family in rewritable() and role != _RESTART


def _in_place_of(new: set[RoleWord], gone: set[RoleWord]) -> set[RoleWord]:
    """Return values that need no evidence, where another one of their family is gone."""
    lost = {role.family for role in gone}
    return {role for role in new & soft_roles() if role.family in lost & STRICT}


STRICT = frozenset({"starting", "order", "timing", "inclusion", "following"})
"""Families of which a value that needs no evidence takes the place of another that is gone."""


def _changes(pair: AlignedSentences) -> Iterator[tuple[str, list[str]]]:
    """Yield each code with what it found in a sentence of the claim."""
    yield "role_replaced", _replaced(pair)
    if not turned_comparison(pair):
        yield "exchanged", [value for _, value in pair.exchanged]
    yield "order_turned", order_turned(pair)
    yield "word_turned", turned_round(pair)
    yield "word_replaced", drugs_joined_otherwise(pair)
    yield "word_replaced", [word for slot in pair.slots for word in replaced_in_slot(slot, pair)]


def _not_said(roles: set[RoleWord], evidence: str) -> set[RoleWord]:
    """Return roles that the evidence does not say in other words either."""
    return {one for one in roles if not is_said(one, evidence)}


def _roles(concepts: Sequence[Concept]) -> set[RoleWord]:
    found = {RoleWord(c.family, c.value) for c in concepts if c.family not in _NO_ROLES}
    units = {c.value.rpartition(" ")[2] for c in concepts if c.family == FIGURE}
    return found | {RoleWord("form", unit) for unit in units & _FORMS}


def _numbers(concepts: Iterable[Concept]) -> set[str]:
    """Return numbers without a unit, each with what compares it ("30below"), and strengths.

    "75/100 mg" is no strength of "75/50 mg" and 100 mg.
    """
    figures = [c.value for c in concepts if c.family == FIGURE]
    return {v for v in figures if " " not in v or ", " in v or v.endswith(" date")}


def _printed(role: RoleWord) -> str:
    return f"{role.family}.{role.value}"


_STAFF, _PATIENT = RoleWord("person", "health_worker"), (WORD, "patient")
_PREVENTION, _TREATMENT = RoleWord("purpose", "prevention"), RoleWord("purpose", "treatment")


def _replaced(pair: AlignedSentences) -> list[str]:
    """Return roles that the claim states more often, and another of the family less often."""
    said, stated = (
        Counter(c.key for c in side if c.family not in _NO_ROLES)
        for side in (pair.said, pair.stated)
    )
    gone = stated - said
    lost = {family for family, _ in gone}
    if _PREVENTION in stated - said and _TREATMENT in said:
        follows = any(
            one.key == _PREVENTION and two.key == _TREATMENT for one, two in pairwise(pair.stated)
        )
        if follows and not said[_PREVENTION] and not is_said(_PREVENTION, fold_chars(pair.claim)):
            return [_TREATMENT.value]  # "preventive treatment" is no treatment of a disease
    if _STAFF in stated - said and not said[_STAFF]:
        patients = [[c.key for c in side].count(_PATIENT) for side in sides_of(pair)]
        if patients[0] > patients[1] and pair.said_keys.count(
            (JOINING, "by")
        ) >= pair.stated_keys.count((JOINING, "by")):
            return [_PATIENT[1]]
    if "direction" in lost and keeps_comparison(pair):
        lost -= {"direction"}
    return [key[1] for key in said - stated if key[0] in lost and not _restated(key, gone, pair)]


def _restated(new: Key, gone: Iterable[Key], pair: AlignedSentences) -> bool:
    """Return whether a role only looks exchanged: each text says the other's in its own words."""
    if new[0] == "direction":
        return False
    lost = [RoleWord(*key) for key in gone if key[0] == new[0]]
    claim = fold_chars(pair.claim)
    kept = all(role in soft_roles() or is_said(role, claim) for role in lost)
    return kept and new not in pair.stated_keys and is_said(RoleWord(*new), fold_chars(pair.text))

"""Roles gate: a claim states no role that its evidence lacks, and none instead of another.

A role is a value of a family of words that exclude each other: kidney and liver, intensive and
continuation phase, latent and active. Words that are no roles may be new, but not in the slot of
one that is gone: a sentence that says everything else the same says this differently.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.joints import turned_joints
from clinrag_core.answer.gates.negation import DENYING_PREFIXES
from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.answer.gates.quantities import bare_figures
from clinrag_core.facts.concepts import DRUG, FIGURE, JOINING, WORD, read_concepts
from clinrag_core.lexicon.roles import (
    RoleWord,
    general_stems,
    implied_roles,
    is_said,
    neutral_stems,
    opposite_stems,
    rewritable,
    soft_roles,
)
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key, Slot
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.concepts import Concept

_FORMS = frozenset({"tablet", "capsule"})
"""Units that are forms too: "1 tablet"."""
_NO_ROLES = frozenset({DRUG, FIGURE, JOINING, WORD})
MOST_IN_SLOT = 3
"""Concepts on each side of a slot in which a word replaces another; longer ones are rewritten."""
LEAST_KEPT = 2
"""Concepts next to a slot that are the same: with fewer the sentence is rewritten."""
LEAST_REPEATED = 4
"""Concepts next to a slot that are the same where a sentence is repeated."""
SHARE = 0.34
"""Of a sentence's concepts, those that stay next to a slot in which a word may not be replaced:
with fewer it is rewritten. At .67 one false claim more of the review's 64 passed, at .34 none."""
SHARED_ROOT = 4
"""Letters that two forms of one word share at least ("infused", "infusion")."""


class RolesGate:
    """Rejects claims with a role that their evidence does not state of the same thing."""

    name = "roles"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `comparison_changed`, `role_not_in_evidence`, or a code of `_changes`."""
        cited = read_concepts(claim.cited.text, claim.drugs)
        there = _numbers(cited) | bare_figures(claim)
        if wrong := _numbers(read_concepts(claim.claim.text, claim.drugs)) - there:
            return refused(self.name, "comparison_changed", wrong)
        there = _roles(cited)
        there |= _roles(read_concepts(claim.context.text, claim.drugs))
        there |= {RoleWord("sex", name) for name in claim.implied_people}
        there |= {one for role in there for one in implied_roles().get(role, ())}
        own = _roles(read_concepts(claim.claim.text, claim.drugs))
        new = _not_said(own - there - soft_roles(), fold_chars(claim.cited.text))
        if claim.is_rewritten:
            lost = {role.family for role in _roles(cited) - own}
            new = {role for role in new if role.family in lost or role.family not in rewritable()}
            new |= _in_place_of(own - there, _roles(cited) - own)
        if new:
            return refused(self.name, "role_not_in_evidence", map(_printed, new))
        if claim.compared and (wrong := turned_joints(claim)):
            return refused(self.name, "order_turned", wrong)
        there_keys = {c.key for c in cited}
        for pair in claim.compared:
            if pair.is_rewritten and (wrong := _compared_with_other(pair, there_keys)):
                return refused(self.name, "comparison_changed", wrong)
            for code, wrong in _changes(pair):
                if wrong:
                    return refused(self.name, code, wrong)
        return passed(self.name)


def _in_place_of(new: set[RoleWord], gone: set[RoleWord]) -> set[RoleWord]:
    """Return values that need no evidence, where another one of their family is gone."""
    lost = {role.family for role in gone}
    return {role for role in new & soft_roles() if role.family in lost & STRICT}


STRICT = frozenset({"starting", "order", "timing", "inclusion", "following"})
"""Families of which a value that needs no evidence takes the place of another that is gone."""


def _changes(pair: AlignedSentences) -> Iterator[tuple[str, list[str]]]:
    """Yield each code with what it found in a sentence of the claim."""
    yield "role_replaced", _replaced(pair)
    if not _turned_comparison(pair):
        yield "exchanged", [value for _, value in pair.exchanged]
    yield "order_turned", _order_turned(pair)
    yield "word_turned", _turned_round(pair)
    yield "word_replaced", _drugs_joined_otherwise(pair)
    yield "word_replaced", [word for slot in pair.slots for word in _in_slot(slot, pair)]


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
    return {value for value in figures if " " not in value or ", " in value}


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
    lost = {family for family, _ in stated - said}
    if _PREVENTION in stated - said and _TREATMENT in said:
        follows = any(
            one.key == _PREVENTION and two.key == _TREATMENT for one, two in pairwise(pair.stated)
        )
        if follows and not said[_PREVENTION] and not is_said(_PREVENTION, fold_chars(pair.claim)):
            return [_TREATMENT.value]  # "preventive treatment" is no treatment of a disease
    if _STAFF in stated - said and not said[_STAFF]:
        patients = [[c.key for c in side].count(_PATIENT) for side in _sides(pair)]
        if patients[0] > patients[1] and pair.said_keys.count(
            (JOINING, "by")
        ) >= pair.stated_keys.count((JOINING, "by")):
            return [_PATIENT[1]]
    return [value for family, value in said - stated if family in lost]


def _in_slot(slot: Slot, pair: AlignedSentences) -> list[str]:
    """Return words of a claim in the place of words that are gone."""
    short = slot.kept >= LEAST_REPEATED and len(slot.stated) <= MOST_IN_SLOT
    if short and _may_dropped(slot, pair):
        return ["can"]
    few = len(slot.said) <= MOST_IN_SLOT and len(slot.stated) <= MOST_IN_SLOT
    if not slot.said or not slot.stated or not few or slot.kept < LEAST_KEPT:
        return []
    if wrong := _joined_otherwise(slot, pair):
        return wrong
    if slot.kept < SHARE * len(pair.stated) or pair.is_rewritten:
        return []
    left, had = Counter(pair.said_keys), Counter(pair.stated_keys)
    gone = [c for c in slot.stated if _says_something(c) and left[c.key] < had[c.key]]
    new = [c for c in slot.said if _is_telling(c) and _is_new(c, left, had)]
    if not gone:
        return []
    text = fold_chars(pair.text)
    new = [c for c in new if c.family == _AMOUNT or not is_said(RoleWord(*c.key), text)]
    return [c.value for c in new if not any(_one_word(c, other) for other in gone)]


_AMOUNT = "quantifier"
"""Said of one thing it does not say another: "both" is not "all" of what is next to it."""
_ALLOWED = frozenset({("permission", "permitted"), (WORD, "choice"), (WORD, "possible")})


def _may_dropped(slot: Slot, pair: AlignedSentences) -> bool:
    """Return whether a sentence is repeated without its "may"."""
    may = (JOINING, "can")
    less = pair.said_keys.count(may) < pair.stated_keys.count(may)
    there = (slot.said, slot.stated)
    less = less and not _ALLOWED & set(pair.said_keys)
    return less and [any(c.key == may for c in side) for side in there] == [False, True]


_EXCLUSIVE = (
    frozenset({"before", "after"}), frozenset({"before", "during"}), frozenset({"after", "during"}),
    frozenset({"within", "after"}), frozenset({"until", "after"}), frozenset({"until", "before"}),
    frozenset({"until", "since"}), frozenset({"if", "unless"}), frozenset({"before", "if"}),
    frozenset({"and", "or"}),
)  # fmt: skip
"""Joining words of which one excludes the other."""


def _joined_otherwise(slot: Slot, pair: AlignedSentences) -> list[str]:
    """Return a joining word that took the place of another one that it excludes."""
    said = {c.value for c in slot.said if c.family == JOINING}
    stated = {c.value for c in slot.stated if c.family == JOINING}
    if any(c.family == DRUG and "+" in c.value for c in slot.stated):
        stated.add("and")  # drugs that are named together are one concept
    for words in _EXCLUSIVE:
        if words == _LISTING and (_denied_list(slot, pair) or _denied_each(pair)):
            continue
        if words == _UNTIL and all(_DENIES in keys for keys in (pair.said_keys, pair.stated_keys)):
            continue  # "not before it is tested" is "not until it is tested"
        if (new := (said - stated) & words) and (stated - said) & words:
            return sorted(new)
    there = {c.value for c in pair.stated if c.family == JOINING}
    if "without" in fold_chars(pair.text) and _DENIES in pair.said_keys:
        there.add("unless")  # "not unless it is tested" is "not without a test"
    if {"until", "before"} & there and _DENIES in pair.stated_keys:
        there |= _UNTIL
    order = _ORDER - {"after"} if "if" in stated else _ORDER
    return sorted((said - there) & order) if slot.stated else []


def _drugs_joined_otherwise(pair: AlignedSentences) -> list[str]:
    """Return the "or" between two drugs of a sentence that denies nothing and has "and" there."""
    if _DENIES in (*pair.said_keys, *pair.stated_keys):
        return []
    said, stated = map(_joints_of_drugs, _sides(pair))
    if cut := _list_cut(pair):
        return cut
    return [joint for drugs, joint in said - stated if any(drugs == one for one, _ in stated)]


def _list_cut(pair: AlignedSentences) -> list[str]:
    """Return the drugs of a combination of which a claim names several, but not these."""
    own = {name for c in pair.said if c.family == DRUG for name in c.value.split("+")}
    for names in map(frozenset, _combinations(pair.stated)):
        kept = [set(one) & names for one in _combinations(pair.said)]
        if any(len(one) > 1 for one in kept) and (gone := names - own):
            return sorted(gone)
    return []


def _combinations(sentence: Sequence[Concept]) -> Iterator[list[str]]:
    """Yield the drugs that a sentence names one after the other, joined by "and" at most."""
    names: list[str] = []
    for concept in sentence:
        if concept.family == DRUG:
            names += concept.value.split("+")
        elif concept.key not in {(JOINING, "and"), (JOINING, "with")}:
            yield names
            names = []
    yield names


def _joints_of_drugs(sentence: Sequence[Concept]) -> set[tuple[frozenset[str], str]]:
    """Return pairs of drugs, or of one named with another, with the "and" or "or" between them."""
    found: set[tuple[frozenset[str], str]] = set()
    for n, one in enumerate(sentence):
        if one.family == DRUG and "+" in one.value:
            found.add((frozenset(one.value.split("+")), "and"))
        following = sentence[n + 1 : n + 3]
        if one.family == DRUG and [c.family for c in following] == [JOINING, DRUG]:
            joint, other = following
            if joint.value in _LISTING:
                found.add((frozenset({one.value, other.value}), joint.value))
    return found


def _denied_list(slot: Slot, pair: AlignedSentences) -> bool:
    """Return whether a list changed sides of a denial: "A and B do not" is "not A or B"."""
    sides = []
    for said, sentence in ((slot.said, pair.said), (slot.stated, pair.stated)):
        denials = [c.start for c in sentence if c.key in _DENIALS]
        joints = [c for c in said if c.family == JOINING and c.value in _LISTING]
        if not denials or not joints:
            return False
        sides.append((joints[0].value, joints[0].start > denials[0]))
    return set(sides) in ({("and", False), ("or", True)}, {("or", False), ("and", True)})


def _denied_each(pair: AlignedSentences) -> bool:
    """Return whether each part of a list is denied: "not in A or B" is "not in A, and not in B"."""
    return all(
        any(m.start() > min(denials) for m in _EACH.finditer(text))
        for text, side in ((pair.claim, pair.said), (pair.text, pair.stated))
        if (denials := [c.start for c in side if c.key in _DENIALS] or [len(text)])
    )


def _sides(pair: AlignedSentences) -> tuple[tuple[Concept, ...], tuple[Concept, ...]]:
    return pair.said, pair.stated


_COMPARED = {("direction", "up"), ("direction", "down"), (WORD, "more"), (WORD, "less")}
_ORDERED = ("before", "after", "than")


def _order_turned(pair: AlignedSentences) -> list[str]:
    """Return what comes before what it came after: "A two hours after B", "B more than A"."""
    said, stated = (Counter(c.value for c in side if c.family == JOINING) for side in _sides(pair))
    if said["after"] > stated["after"] and stated["within"] > said["within"]:
        return ["after"]  # "within a week" gives an end, "after a week" a beginning
    for word in _ORDERED:
        key = (JOINING, word)
        if pair.said_keys.count(key) != 1 or pair.stated_keys.count(key) != 1:
            continue
        said, stated = _around(key, pair.said), _around(key, pair.stated)
        if said is None or stated is None or said[1] == stated[1]:
            continue
        if said[1] in stated[0] and stated[1] in said[0] and not _turned_comparison(pair):
            return [word]
    return []


def _around(joint: Key, sentence: Sequence[Concept]) -> tuple[set[Key], Key] | None:
    """Return what a joining word follows, and the next that says something; None without one."""
    at = next((n for n, c in enumerate(sentence) if c.key == joint), len(sentence))
    after = [c.key for c in sentence[at + 1 :] if _says_something(c)]
    return ({c.key for c in sentence[:at]}, after[0]) if after else None


_BOUND = re.compile(r"\b(?:no|not) (?:\w+ )?(?:more|less|greater|higher|lower|longer) than\b")


def _compared_with_other(pair: AlignedSentences, there: set[Key]) -> list[str]:
    """Return what a claim compares something with that its evidence does not speak of."""
    if _BOUND.search(pair.claim):
        return []
    content = [c for c in pair.said if c.key == (JOINING, "than") or _says_something(c)]
    return [
        after.value
        for one, after in pairwise(content)
        if one.key == (JOINING, "than") and after.key not in there and after.family == WORD
    ]


def _turned_comparison(pair: AlignedSentences) -> bool:
    """Return whether a comparison was turned with its sides: "A more than B", "B less than A"."""
    if (JOINING, "than") not in pair.said_keys:
        return False
    said, stated = ({c.key for c in side} & _COMPARED for side in (pair.said, pair.stated))
    return bool(said and stated) and said.isdisjoint(stated)


_LISTING = frozenset({"and", "or"})
_UNTIL = frozenset({"until", "before"})
_DENIES = (JOINING, "not")
_EACH = re.compile(r"\b(?:and|or),? (?:also )?(?:in|on|for|with|within|during|after|when|if)\b")
_DENIALS = {_DENIES, (WORD, "avoid"), ("permission", "contraindicated")}
_ORDER = frozenset({"before", "after", "until", "unless"})


def _says_something(concept: Concept) -> bool:
    if concept.family == WORD:
        return concept.value not in general_stems()
    return concept.family not in {JOINING, FIGURE} and concept.key not in soft_roles()


def _turned_round(pair: AlignedSentences) -> list[str]:
    """Return words of a claim whose opposites its sentence has, and the claim has not."""
    said, stated = ({c.value for c in side if c.family != FIGURE} for side in _sides(pair))
    gone = stated - said
    turned = [new for new in said - stated for old in gone if (new, old) in opposite_stems()]
    if pair.said_keys.count(_DENIES) == pair.stated_keys.count(_DENIES):
        turned += [new for new in said - stated for old in gone if _denies_word(new, old)]
    return [] if _turned_comparison(pair) and _sides_exchanged(pair) else turned


_TURNING_PREFIXES = (*DENYING_PREFIXES, "de")
LEAST_TURNED = 5
"""Letters of the shortest stem that a prefix turns round: "involv" is one, "form" is not."""


def _denies_word(one: str, other: str) -> bool:
    """Return whether one of two stems is the other one with a prefix that denies it."""
    short, long = sorted((one, other), key=len)
    return len(short) >= LEAST_TURNED and any(
        long == prefix + short for prefix in _TURNING_PREFIXES
    )


def _sides_exchanged(pair: AlignedSentences) -> bool:
    """Return whether a claim compares the second of its sentence's two things with the first."""
    said, stated = (_around((JOINING, "than"), side) for side in _sides(pair))
    if said is None or stated is None:
        return False
    return said[1] != stated[1] and said[1] in stated[0]


def _is_new(concept: Concept, said: Counter[Key], stated: Counter[Key]) -> bool:
    """Return whether the evidence lacks a concept, or names a drug less often."""
    return not stated[concept.key] or (
        concept.family == DRUG and said[concept.key] > stated[concept.key]
    )


def _is_telling(concept: Concept) -> bool:
    """Return whether a concept, in the place of another one, may change what is said."""
    if concept.family == WORD:
        return concept.value not in neutral_stems()
    return _says_something(concept)


def _one_word(one: Concept, other: Concept) -> bool:
    """Return whether two concepts are forms of one word."""
    shared = 0
    for a, b in zip(one.value, other.value, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(SHARED_ROOT, min(len(one.value), len(other.value)) - 2)

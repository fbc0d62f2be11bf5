"""Finds words of a claim in the place of words that are gone, their neighbours unchanged.

A sentence that says everything else the same says this differently. Pure.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.comparisons import DENIES, says_something
from clinrag_core.answer.gates.sides import keeps_order
from clinrag_core.facts.concepts import DRUG, JOINING, WORD
from clinrag_core.facts.negation import denies_again
from clinrag_core.lexicon.roles import RoleWord, general_stems, is_said, neutral_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key, Slot
    from clinrag_core.facts.concepts import Concept

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
_LISTING = frozenset({"and", "or"})
_UNTIL = frozenset({"until", "before"})
_ORDER = frozenset({"before", "after", "until", "unless"})
_IN_TIME = frozenset({"before", "after", "until"})
_EACH = lazy_re(r"\b(?:and|or),? (?:also )?(?:in|on|by|for|to|with|within|during|after|when|if)\b")
_DENIALS = {DENIES, (WORD, "avoid"), ("permission", "contraindicated")}


def replaced_in_slot(slot: Slot, pair: AlignedSentences) -> list[str]:
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
    gone = [c for c in slot.stated if says_something(c) and left[c.key] < had[c.key]]
    new = [c for c in slot.said if _is_telling(c) and _is_new(c, left, had)]
    if not gone:
        return []
    text = fold_chars(pair.text)
    new = [c for c in new if c.family == _AMOUNT or not is_said(RoleWord(*c.key), text)]
    return [c.value for c in new if not any(_one_word(c, other) for other in gone)]


_AMOUNT = "quantifier"
"""Said of one thing it does not say another: "both" is not "all" of what is next to it."""
_ALLOWED = frozenset({("permission", "permitted"), (WORD, "choic"), (WORD, "possibl")})


def _may_dropped(slot: Slot, pair: AlignedSentences) -> bool:
    """Return whether a sentence is repeated without its "may"."""
    may = (JOINING, "can")
    less = pair.said_keys.count(may) < pair.stated_keys.count(may) - _denied_may(pair)
    there = (slot.said, slot.stated)
    less = less and not _ALLOWED & set(pair.said_keys)
    return less and [any(c.key == may for c in side) for side in there] == [False, True]


def _denied_may(pair: AlignedSentences) -> int:
    """Return how often a sentence says "can not", which is "does not" as well."""
    keys = pair.stated_keys
    return sum(pair == ((JOINING, "can"), DENIES) for pair in pairwise(keys))


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
    in_order = keeps_order(pair)
    for words in _EXCLUSIVE:
        if in_order and words <= _IN_TIME:
            continue
        if words == _LISTING and (not _lists_same(pair) or _is_denied_listing(slot, pair)):
            continue
        if words == _UNTIL and all(DENIES in keys for keys in (pair.said_keys, pair.stated_keys)):
            continue  # "not before it is tested" is "not until it is tested"
        if (new := (said - stated) & words) and (stated - said) & words:
            return sorted(new)
    there = {c.value for c in pair.stated if c.family == JOINING}
    if "without" in fold_chars(pair.text) and DENIES in pair.said_keys:
        there.add("unless")  # "not unless it is tested" is "not without a test"
    if {"until", "before"} & there and DENIES in pair.stated_keys:
        there |= _UNTIL
    order = _ORDER - {"after"} if "if" in stated else _ORDER
    if in_order:
        order -= _IN_TIME
    return sorted((said - there) & order) if slot.stated else []


def _lists_same(pair: AlignedSentences) -> bool:
    """Return whether an "or" of one sentence joins what an "and" of the other one joins."""
    said, stated = (_listed(side) for side in (pair.said, pair.stated))
    return any(
        other != joint and ends & said_ends for joint, ends in stated for other, said_ends in said
    )


def _listed(sentence: Sequence[Concept]) -> list[tuple[str, frozenset[tuple[int, Key]]]]:
    """Return each "and" and "or" of a sentence with what is right before and behind it."""
    content = [c for c in sentence if c.family != WORD or c.value not in general_stems()]
    return [
        (one.value, frozenset((n, c.key) for n, c in ((0, before), (1, after))))
        for before, one, after in zip(content, content[1:], content[2:], strict=False)
        if one.family == JOINING and one.value in _LISTING
    ]


def _is_denied_listing(slot: Slot, pair: AlignedSentences) -> bool:
    return (
        _denied_list(slot, pair)
        or _denied_each(pair)
        or _denied_again(pair)
        or _lists_apart(slot, pair)
    )


_HEADS = lazy_re(
    r"\b(?P<each>than|before|after|from|over|by|(?<=preferred )to)\b"
    r"|\b(?:if|when|who|with|both|either|plus|not|of|take|give|use|combin\w+|add\w*|has|have|is|are|be|should|must|can|may)\b"
)
"""Words that a list may follow, and those behind which what is listed is so one by one."""


def _lists_apart(slot: Slot, pair: AlignedSentences) -> bool:
    """Return whether what is listed is so one by one: "more than A and B" is "than A or B"."""
    if len(pair.slots) < 2:  # noqa: PLR2004 - nothing else is worded anew
        return False
    for said, text in ((slot.said, pair.claim), (slot.stated, pair.text)):
        joints = [c for c in said if c.family == JOINING and c.value in _LISTING]
        heads = list(_HEADS.finditer(fold_chars(text), 0, joints[0].start)) if joints else []
        if not heads or not heads[-1]["each"]:
            return False
    return True


def _denied_again(pair: AlignedSentences) -> bool:
    """Return whether a list is denied once or each part by itself: "not A, and not B"."""
    again = [denies_again(fold_chars(text)) for text in (pair.claim, pair.text)]
    both = all(DENIES in keys for keys in (pair.said_keys, pair.stated_keys))
    return both and again[0] != again[1]


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


def _is_new(concept: Concept, said: Counter[Key], stated: Counter[Key]) -> bool:
    """Return whether the evidence lacks a concept, or names a drug less often."""
    return not stated[concept.key] or (
        concept.family == DRUG and said[concept.key] > stated[concept.key]
    )


def _is_telling(concept: Concept) -> bool:
    """Return whether a concept, in the place of another one, may change what is said."""
    if concept.family == WORD:
        return concept.value not in neutral_stems()
    return says_something(concept)


def _one_word(one: Concept, other: Concept) -> bool:
    """Return whether two concepts are forms of one word."""
    shared = 0
    for a, b in zip(one.value, other.value, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(SHARED_ROOT, min(len(one.value), len(other.value)) - 2)

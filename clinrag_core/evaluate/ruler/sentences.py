"""Chooses real sentences and makes the ruler's claims of them: mutants, twins, rewordings.

The documents are dealt into a dev and a test half by a digest of their ids, so that no sentence of
one half resembles one of the other because it is of the same document.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.ruler.false_claims import FalseClaims
from clinrag_core.evaluate.ruler.tables import ClaimPair, compiled
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.evaluate.ruler.tables import Half, RulerTable

SEED = "ruler/1"
LEAST_WORDS, MOST_WORDS = 7, 45
"""Of a sentence, by judgement: shorter ones are titles, longer ones lists that were not parted."""
PER_KIND = 40
"""Mutants of a kind in each half, where the sentences allow it."""
PER_DOCUMENT = 3
"""Mutants of a kind from one document at most."""
REWORDED = 150
"""Rewordings in each half."""
CHANGES = 3
"""Rules applied to a sentence at most."""


class RealSentence(NamedTuple):
    """A statement of a corpus."""

    document_id: str
    text: str


class RulerClaims(NamedTuple):
    """What the gates are measured on."""

    mutants: tuple[ClaimPair, ...]
    twins: tuple[ClaimPair, ...]
    """The sentence of each mutant, true and verbatim, once."""
    rewordings: tuple[ClaimPair, ...]


def half_of(document_id: str) -> Half:
    """Return the half of a document."""
    return "dev" if int(sha256_hex(f"{SEED}{document_id}".encode())[:8], 16) % 2 else "test"


def make_claims(sentences: Iterable[RealSentence], table: RulerTable) -> RulerClaims:
    """Return mutants, twins and rewordings of sentences: the same ones each time."""
    ordered = [s for s in sentences if LEAST_WORDS <= len(s.text.split()) <= MOST_WORDS]
    made = FalseClaims(table)
    taken: Counter[tuple[str, Half]] = Counter()
    of_document: Counter[tuple[str, str]] = Counter()
    mutants: list[ClaimPair] = []
    twins: dict[ClaimPair, None] = {}
    chosen = _shuffled(list(pairwise(ordered)))
    wanted: dict[Half, set[str]] = {"dev": set(made.groups), "test": set(made.groups)}
    for one, following in chosen:
        half = half_of(one.document_id)
        found = list(made.of_sentence(one.text, _random(one.text), wanted[half]))
        if following.document_id == one.document_id:
            found += made.of_neighbours(one.text, following.text)
            found += made.of_rows(one.text, following.text)
        for claim in found:
            kind: tuple[str, Half] = (claim.kind, half)
            document = (claim.kind, one.document_id)
            if taken[kind] < PER_KIND and of_document[document] < PER_DOCUMENT:
                taken[kind] += 1
                of_document[document] += 1
                mutants.append(ClaimPair(claim.kind, claim.evidence, claim.claim, half))
                twins[ClaimPair("verbatim", claim.evidence, one.text, half)] = None
            if taken[kind] >= PER_KIND:
                wanted[half].discard(claim.kind)
    return RulerClaims(
        tuple(sorted(mutants)), tuple(twins), tuple(_rewordings(chosen, table, PER_DOCUMENT))
    )


def _rewordings(
    chosen: Sequence[tuple[RealSentence, RealSentence]], table: RulerTable, most: int
) -> list[ClaimPair]:
    """Return sentences reworded by two rules at least, as many of each half."""
    rules = compiled(table.rewordings.rules)
    taken: Counter[str] = Counter()
    pairs: list[ClaimPair] = []
    for one, _ in chosen:
        half = half_of(one.document_id)
        if taken[half] >= REWORDED or taken[one.document_id] >= most:
            continue
        rng = _random(one.text)
        applying = [rule for rule in rules if rule[0].search(one.text)]
        text = one.text
        changes = 0
        for expression, to in rng.sample(applying, min(len(applying), CHANGES)):
            text, count = expression.subn(to, text, count=1)
            changes += count
        if changes > 1 and text != one.text:
            taken[half] += 1
            taken[one.document_id] += 1
            pairs.append(ClaimPair("reworded", one.text, text, half))
    return pairs


def _shuffled(
    pairs: list[tuple[RealSentence, RealSentence]],
) -> list[tuple[RealSentence, RealSentence]]:
    return sorted(pairs, key=lambda pair: sha256_hex(f"{SEED}{pair[0].text}".encode()))


def _random(text: str) -> random.Random:
    return random.Random(sha256_hex(f"{SEED}{text}".encode()))  # noqa: S311 - a repeatable choice

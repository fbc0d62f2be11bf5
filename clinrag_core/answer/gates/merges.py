"""Finds what a claim merges of two statements that says neither.

A sentence on one drug does not speak of the drug of the next sentence; nor a row of a table of the
next row.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import is_row
from clinrag_core.facts.concepts import DRUG, JOINING, WORD, read_concepts
from clinrag_core.lexicon.roles import RoleWord, general_stems, soft_roles
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.gates.alignment import Key
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.facts.concepts import Concept

_CLAUSES = lazy_re(
    r";\s|,? \b(?:whereas|while|but|although|though|however|because|since)\b|, (?:and|so|as)\b"
)
"""Between clauses that each have a subject of their own."""
_JOINTS = lazy_re(
    r"[,;:](?!\d)\s*|\b(?:and|or|while|whereas|but|because|since|as|so|whose|which|although|though)\b"
)
"""Between the parts of a claim that may be made of different statements."""
_CELL = lazy_re(r"(?:^|; )([^;:\n]+): ([^;\n]+)")
"""A cell of a table's row behind its heading."""
_NAMED_BEFORE = lazy_re(r"\b(?:this|these|such|those|it|they|them)\b", re.IGNORECASE)
KEPT = 0.5
"""Largest share of a statement's own concepts in a claim that does not join it."""


def merged(claim: ClaimInContext) -> list[str]:
    """Return what a claim has of another row or sentence than the one it is made from."""
    return _rows_merged(claim) or _merged(claim) or _mixed(claim)


def names_before(sentence: str) -> bool:
    """Return whether a sentence speaks of what the one before it names: "such data", "they"."""
    return _NAMED_BEFORE.search(sentence) is not None


def content_of(concepts: Iterable[Concept]) -> list[Concept]:
    """Return concepts that say something by themselves."""
    general = general_stems()
    return [
        c for c in concepts if c.family != JOINING and not (c.family == WORD and c.value in general)
    ]


def _rows_merged(claim: ClaimInContext) -> list[str]:
    """Return the cells that a row of a claim has from other rows than the first of its cells."""
    rows = [
        set(_CELL.findall(line)) for part in claim.source_sentences for line in _lines(part.text)
    ]
    for line in _lines(claim.claim.text):
        own = {cell for cell in _CELL.findall(line) if any(cell in row for row in rows)}
        if own and not any(own <= row for row in rows):
            best = max(rows, key=lambda row: len(own & row))
            return [said.strip() for _, said in own - best]
    return []


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if is_row(line)]


def _merged(claim: ClaimInContext) -> list[str]:
    """Return what a sentence of a claim takes from another sentence than the one it is made from.

    A claim that says most of the other sentence as well joins the two, and may.
    """
    source = claim.source_sentences
    parts = [_keys(part.text, claim) for part in source]
    for at in range(len(parts) - 1, 0, -1):
        if names_before(source[at].text):
            parts[at] = parts[at] | parts[at - 1]
    if len(parts) < 2:  # noqa: PLR2004 - two can be merged
        return []
    around = _keys(claim.context.text, claim)
    for sentence in claim.claim.sentences:
        if any(sentence.text in part.text for part in claim.source_sentences):
            continue
        for clause in _CLAUSES.split(sentence.text):
            if taken := _of_another(_keys(clause, claim), parts, around | _topic(parts)):
                return [value for _, value in taken]
    return []


def _topic(parts: Sequence[set[Key]]) -> set[Key]:
    """Return the drug of evidence that names only one: it is what every sentence speaks of."""
    drugs = {key for part in parts for key in part if key[0] == DRUG}
    return drugs if len(drugs) == 1 else set()


def _of_another(said: set[Key], parts: Sequence[set[Key]], around: set[Key]) -> set[Key]:
    """Return what a clause takes from another sentence than the one that has most of it."""
    best = max(parts, key=lambda part: (len(said & part), -len(part)))
    missing = said - best - around
    for other in parts:
        taken = missing & other
        own = other - best
        if not _critical(own - said):
            continue  # what is taken leaves no owner behind
        if taken and all(len(said & one) <= KEPT * len(one) for one in (own, other)):
            return taken
    return set()


def _mixed(claim: ClaimInContext) -> list[str]:
    """Return what a part of a claim has of two statements, of each what no other one says.

    "Eyes are tested weekly, the liver monthly" of "the liver weekly" and "the eyes monthly".
    """
    source = claim.source_sentences
    reworded = [s for s in claim.claim.sentences if not any(s.text in part.text for part in source)]
    if not reworded or len(source) < 2:  # noqa: PLR2004 - two can be mixed
        return []
    whole = [_keys(part.text, claim) for part in source]
    parts = [_critical(keys) - _topic(whole) for keys in whole]
    own = [part.difference(*(other for other in parts if other is not part)) for part in parts]
    for part in (part for sentence in reworded for part in _JOINTS.split(sentence.text)):
        said = _keys(part, claim)
        found = [keys & said for keys in own if keys & said]
        if len(found) > 1:
            return [value for keys in found for _, value in keys]
    return []


def _critical(keys: set[Key]) -> set[Key]:
    return {key for key in keys if key[0] != WORD and RoleWord(*key) not in soft_roles()}


def _keys(text: str, claim: ClaimInContext) -> set[Key]:
    return {c.key for c in content_of(read_concepts(text, claim.drugs))}

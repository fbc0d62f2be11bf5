"""Reads whose figure a dose is: "isoniazid 300 mg and rifampin 600 mg" has two owners.

A drug that another is given with ("when taken with rifampin, dolutegravir 50 mg") owns no figure
of the sentence if the other is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import Mention
    from clinrag_core.facts.quantities import Quantity

_COMPANION = lazy_re(
    r"\b(?:with|plus|receiv\w+|taking|on|concomitant(?:ly)?|co-?administ\w+|containing|unlike|than"
    r"|versus|vs\.?|instead of|after|before|without|inhibitors?|inducers?|substrates?"
    r"|interactions?[^:;]{0,12}:)\s+(?:(?:a|an|the|oral|other|either|both|strong|moderate)\s+)*$"
)
_JOINED = lazy_re(r"\s*(?:,|and|or|/|\+|&|-|,\s*and|\(|\)|\))\s*")
_FIRST = lazy_re(r"[\s:(=,-]*(?:\([^()]{1,12}\)[\s:,]*)?(?:(?:dose\s+)?(?:is|of|at)\s+)?")
"""Between a drug and its figure: "isoniazid (INH), 300 mg"."""
_BARE = lazy_re(r"\s+(?:at\s+|\()?")
_BRACKETED = lazy_re(r"\s*\((?:usually|mostly|generally|typically|at|a|the|dose|of|\s)*")
"""Between a drug and its figure in brackets: "isoniazid (usually at a dose of 300 mg)"."""
_NEXT = lazy_re(r"\s*(?:doses?\s+)?(?:of\s+)?(?:oral\s+)?")
"""Between a figure and its drug: "300 mg of isoniazid"."""
_CLAUSE = lazy_re(r"\b(?:when|if|while|where)\b[^,;.]*$")


class _Group(NamedTuple):
    """Neighbouring mentions that share what is said of them."""

    start: int
    end: int
    ingredients: tuple[frozenset[str], ...]
    is_companion: bool


def owners(
    text: str, mentions: Sequence[Mention], figure: Quantity, default: frozenset[str] = frozenset()
) -> tuple[frozenset[str], ...]:
    """Return the ingredient sets that a figure of a text is said of; empty if unknown.

    `default` are the ingredients of the label: what a sentence is about that names no other drug
    as its subject.
    """
    folded = fold_chars(text)
    groups = _groups(folded, [m for m in mentions if m.about == "drug"])
    nothing = (default,) if default else ()
    after = next((g for g in groups if g.start >= figure.end), None)
    before = [g for g in groups if g.end <= figure.start]
    last = before[-1] if before else None
    heads = after is not None and folded[after.end :].lstrip().startswith(":")
    if after is not None and not heads and _NEXT.fullmatch(folded[figure.end : after.start]):
        adjacent = last is not None and _FIRST.fullmatch(folded[last.end : figure.start])
        if not adjacent:
            return after.ingredients
    subjects = [g for g in before if not g.is_companion]
    between = folded[last.end : figure.start] if last is not None else ""
    is_bare = last is not None and last.is_companion and _BARE.fullmatch(between)
    if last is not None and (is_bare or _BRACKETED.fullmatch(between)):
        return last.ingredients  # "with rifampin 600 mg", "with rifampin (usually 600 mg), ..."
    if subjects:
        return subjects[-1].ingredients
    if nothing:
        return nothing
    later = [g for g in groups if g.start >= figure.end and not g.is_companion]
    if later:
        return later[0].ingredients
    alone = {one for group in before for one in group.ingredients}
    return tuple(alone) if len(alone) == 1 else ()  # "treat with isoniazid at a dose of 300 mg"


def ends_clause(folded: str, start: int, between: str) -> bool:
    """Return whether the comma behind a drug ends a clause: "when taken with X, give Y"."""
    return between.strip() == "," and _CLAUSE.search(folded[:start]) is not None


def _groups(folded: str, mentions: Sequence[Mention]) -> list[_Group]:
    """Return the mentions, those joined by "and", a comma or a bracket as one."""
    groups: list[_Group] = []
    for mention in mentions:
        last = groups[-1] if groups else None
        between = folded[last.end : mention.start] if last else ""
        if (
            last is not None
            and _JOINED.fullmatch(between)
            and not (last.is_companion and ends_clause(folded, last.start, between))
        ):
            groups[-1] = _Group(
                last.start, mention.end, (*last.ingredients, mention.ingredients), last.is_companion
            )
            continue
        companion = _COMPANION.search(folded, lookback(mention.start), mention.start)
        groups.append(
            _Group(
                mention.start,
                mention.end,
                (mention.ingredients,),
                companion is not None,
            )
        )
    return groups

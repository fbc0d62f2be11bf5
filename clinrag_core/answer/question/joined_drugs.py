"""Drugs that a question joins by a sign or by "and": a regimen, or a pair of one with the other."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.lexicon.drugs import hiv_drugs, known_drugs, other_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.facts.drugs import Mention
    from clinrag_core.facts.reader import Facts

PAIR = 2
_RIFAMYCINS = frozenset({"rifampin", "rifabutin", "rifapentine"})
_AND = lazy_re(r"\s+and\s+")
_JOINED = lazy_re(
    r"(?:\s+(?:pd|xr|sr|er|cr|ds|od|bd|daily|twice|tab(?:let)?s?|\d+(?:\s?m?c?g)?))*"
    r"\s*(?:\+|&|\band\b|\bplus\b|\bwith\b)\s*"
)
"""What joins two drugs, after the form and strength of the first."""

_PRODUCT = lazy_re(r"\s*[/+-]\s*")
_COMBINED = lazy_re(
    r" (?:combo|combination|co-?formulation|fixed[- ]dose)\b(?! (?:therapy|treatment|with))"
)
"""What says after several names that they are one product: "the X Y combo tablet"."""


def goes_into_product(folded: str, mention: Mention, between: str) -> bool:
    """Return whether a drug is of one product with the one named before it.

    Args:
        folded: the question.
        mention: the drug.
        between: the text between it and the drug before it.
    """
    if _PRODUCT.fullmatch(between) or _closes_parentheses(folded, mention, between):
        return True
    return between.isspace() and _COMBINED.match(folded, mention.end) is not None


def _closes_parentheses(folded: str, mention: Mention, between: str) -> bool:
    """Return whether a drug is the last in parentheses after a product: "Brand (X and Y)"."""
    before = folded[: mention.start - len(between)]
    inside = before.rpartition("(")[2]
    is_closed = folded[mention.end :].lstrip().startswith(")")
    return bool(_AND.fullmatch(between)) and is_closed and "(" in before and ")" not in inside


def asks_of_pair(together: Sequence[frozenset[str]], folded: str) -> bool:
    """Return whether drugs that a sign joins are asked about as a pair: "X + Y, ok?".

    Drugs against tuberculosis that a sign joins are a regimen, unless their interaction is asked;
    one of them with one against HIV or of another field is a pair, and so are two of other fields.
    """
    is_mixed = any(not one <= of_regimens() for one in together)
    hiv = hiv_drugs()
    pairs = [one for one in together if len(one) == PAIR]
    is_across = any(one & of_regimens() and one & (other_drugs() | hiv) for one in pairs)
    is_other = any(not one & (of_regimens() | hiv) and one & other_drugs() for one in pairs)
    asks = slot_lexicon().wordings.asks_permission.search(folded) is not None
    is_asked = slot_lexicon().aspects["interaction"].search(folded) is not None
    return is_asked or is_across or is_other or (is_mixed and asks)


def with_rifamycin(
    facts: Facts, folded: str, own: list[frozenset[str]], partners: list[frozenset[str]]
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return a drug against HIV as what is asked about, with the rifamycin that is named with it.

    The dose of one is not what it is alone: "X and rifampin for TB, dose?".
    """
    others = [one for one in own if one & hiv_drugs()]
    rifamycins = [one for one in own if one & _RIFAMYCINS]
    gaps = [folded[a.end : b.start] for a, b in pairwise(facts.drugs)]
    is_pair = len(own) == PAIR and len(others) == len(rifamycins) == 1
    if not is_pair or not any(map(_JOINED.fullmatch, gaps)):
        return own, partners
    return others, [*rifamycins, *partners]


def as_product(
    own: tuple[frozenset[str], ...], partners: tuple[frozenset[str], ...], text: str,
    is_product: Callable[[frozenset[str]], bool],
) -> tuple[tuple[frozenset[str], ...], tuple[frozenset[str], ...]]:  # fmt: skip
    """Return a drug and the one it is given with as their product, where neither has its own.

    Only where a dose is asked for: not the highest of one, nor whether the two go together.
    """
    lexicon, folded = slot_lexicon(), fold_chars(text)
    other = (lexicon.aspects["interaction"], lexicon.wordings.maximum)
    if not lexicon.aspects["dose"].search(folded) or any(one.search(folded) for one in other):
        return own, partners
    every = (*own, *partners)
    whole = frozenset[str]().union(*every)
    is_pair = len(own) == len(partners) == 1 and len(whole) == PAIR
    if is_pair and is_product(whole) and not any(map(is_product, every)):
        return (whole,), ()
    return own, partners


@cache
def of_regimens() -> frozenset[str]:
    """Return the drugs against tuberculosis, which are given in regimens."""
    return frozenset(
        drug.name
        for drug in known_drugs()
        if drug.area in {"tb", "both"} and drug.name not in hiv_drugs()
    )

"""Reads a DailyMed title such as `SIRTURO (BEDAQUILINE FUMARATE) TABLET [JANSSEN PRODUCTS]`.

The result is enough to decide who the labeler is and whether the label is for a given drug alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


_CONNECTORS = frozenset({"and", "with", "in", "for", "or"})
_SALTS = frozenset(
    _tokens(
        "acetate anhydrous besylate bisulfate bromide calcium chloride citrate dihydrate "
        "disodium disoproxil esylate ethylsuccinate fumarate gluconate hcl hemifumarate "
        "hemihydrate hyclate hydrate hydrobromide hydrochloride lactate lactobionate magnesium "
        "malate maleate meglumine mesylate monohydrate monosodium nitrate phosphate potassium "
        "sesquihydrate sodium stearate succinate sulfate tartrate tosylate trihydrate"
    )
)
_FORMS = frozenset(
    _tokens(
        "aerosol capsule capsules cream drops elixir emulsion film gel granule granules implant "
        "inhalant injectable injection insert kit liquid lotion ointment paste patch pellet pill "
        "powder ring solution spray suppository suspension syrup tablet tablets"
    )
)


@dataclass(frozen=True, slots=True)
class LabelTitle:
    """The parts of a title; words are in lower case."""

    generics: tuple[frozenset[str], ...]
    """Words of each product's generic name."""
    words: frozenset[str]
    """All words except the labeler's: names, forms, routes."""
    labeler: str


def _in_brackets(text: str) -> list[str]:
    """Return the texts inside outermost round brackets."""
    inside: list[str] = []
    depth = 0
    for char in text:
        if char == ")" and depth:
            depth -= 1
        if depth:
            inside[-1] += char
        if char == "(":
            depth += 1
            if depth == 1:
                inside.append("")
    return inside


def _up_to_form(words: list[str]) -> list[str]:
    for position, word in enumerate(words):
        if word in _FORMS:
            return words[:position]
    return words


def parse_title(title: str) -> LabelTitle:
    """Split a title: `BRAND (GENERIC) FORM ... [LABELER]` or `GENERIC FORM [LABELER]`."""
    body, _, labeler = title.strip().removesuffix("]").rpartition("[")
    if not title.strip().endswith("]"):
        body, labeler = title, ""
    inside = _in_brackets(body)
    names = inside or [" ".join(_up_to_form(_tokens(body)))]
    generics = tuple(frozenset(_tokens(name)) - _CONNECTORS for name in names)
    return LabelTitle(generics, frozenset(_tokens(body)), labeler.strip())


def names_drug(title: LabelTitle, drug: str) -> bool:
    """Return True if every product of the title is the drug, or a salt or hydrate of it.

    A combination does not match its ingredients, nor the reverse. If both `drug` and the title
    name a salt, it must be the same one.
    """
    wanted = frozenset(_tokens(drug)) - _CONNECTORS
    core = wanted - _SALTS or wanted
    salts = wanted - core

    def fits(generic: frozenset[str]) -> bool:
        other_salts = (generic & _SALTS) - core
        return (
            core <= generic
            and generic - wanted <= _SALTS
            and (not salts or not other_salts or salts <= other_salts)
        )

    return bool(title.generics) and all(fits(generic) for generic in title.generics)


def names_all(title: LabelTitle, words: str) -> bool:
    """Return True if the title has all words of a brand or form, e.g. 'injection, powder'."""
    return frozenset(_tokens(words)) <= title.words

"""Reads a DailyMed title such as `SIRTURO (BEDAQUILINE FUMARATE) TABLET [JANSSEN PRODUCTS]`.

The result is enough to decide who the labeler is and whether the label is for a given drug alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


_CONNECTORS = frozenset({"and", "with", "in", "for", "or"})


class ListingTable(Record):
    """The words of `lexicons/label_listings.toml`."""

    salts: frozenset[str]
    forms: frozenset[str]
    repackagers: tuple[str, ...]


def _table() -> ListingTable:
    return load_table("label_listings", ListingTable)


@dataclass(frozen=True, slots=True)
class LabelTitle:
    """The parts of a title; words are in lower case."""

    generics: tuple[frozenset[str], ...]
    """Words of each product's generic name."""
    words: frozenset[str]
    """All words except the labeler's: names, forms, routes."""
    labeler: str


def _in_parentheses(text: str) -> list[str]:
    """Return the texts inside the outermost parentheses."""
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


def parse_title(title: str) -> LabelTitle:
    """Split a title: `BRAND (GENERIC) FORM ... [LABELER]` or `GENERIC FORM [LABELER]`."""
    body, _, labeler = title.strip().removesuffix("]").rpartition("[")
    if not title.strip().endswith("]"):
        body, labeler = title, ""
    inside = _in_parentheses(body)
    names = inside or [" ".join(takewhile(lambda w: w not in _table().forms, _tokens(body)))]
    generics = tuple(frozenset(_tokens(name)) - _CONNECTORS for name in names)
    return LabelTitle(generics, frozenset(_tokens(body)), labeler.strip())


def names_drug(title: LabelTitle, drug: str) -> bool:
    """Return True if every product of the title is the drug, or a salt or hydrate of it.

    A combination does not match its ingredients, nor the reverse. If both `drug` and the title
    name a salt, it must be the same one.
    """
    wanted = frozenset(_tokens(drug)) - _CONNECTORS
    known = _table().salts
    core = wanted - known or wanted
    salts = wanted - core

    def fits(generic: frozenset[str]) -> bool:
        other_salts = (generic & known) - core
        return (
            core <= generic
            and generic - wanted <= known
            and (not salts or not other_salts or salts <= other_salts)
        )

    return bool(title.generics) and all(fits(generic) for generic in title.generics)


def names_all(title: LabelTitle, words: str) -> bool:
    """Return True if the title has all words of a brand or form, e.g. 'injection, powder'."""
    return frozenset(_tokens(words)) <= title.words


def is_repackager(labeler: str) -> bool:
    """Return True if a labeler's name begins with the name of a known repackager."""
    name = " ".join(re.findall(r"[a-z0-9]+", labeler.casefold()))
    return name.startswith(_table().repackagers)

"""Drug names brought to one form, and every name a label's drug goes by.

Names come from coded product data, never from a label's title. All names are lower case. Salts are
stripped in addition to the full name, never instead of it: which salt a strength refers to matters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model.label import Product

CACHED_NAMES = 4_096
"""Names whose form is kept: a name is asked for with and without its salt, marks and parts."""
_MARKS = lazy_re(r"[®™©*†]|\((?:r|tm)\)", re.IGNORECASE)
_PARENTHESES = lazy_re(r"\s*\([^()]*\)")
_SPACE = lazy_re(r"\s+")
_DASHES = lazy_re(r"[\u2010-\u2015\u2212]")
_COMPENDIAL = lazy_re(r",?\s+(?:usp|nf|bp|ph\.?\s?eur\.?)\Z")
_JOINED = lazy_re(r",\s*and\s+|\s+and\s+|\s+with\s+|\s*[,;/+]\s*")
# What a drug is dissolved in is no part of its name: 'gentamicin sulfate in sodium chloride'.
_CARRIER = lazy_re(
    r"\s+in\s+(?:\d[\d.]*\s*%\s+)?(?:sodium chloride|dextrose|water|plastic container|lactated)\b.*"
)
_JOINERS = frozenset({"and", "in", "with", "for", "of"})
# FDA gives biologics a four-letter suffix that means nothing: natalizumab-sztn.
_BIOLOGIC_SUFFIX = lazy_re(
    r"\A(.*(?:mab|cept|stim|alfa|beta|kin|ase|insulin \w+|glargine|aspart|lispro|leucel|gene|tide))"
    r"-[a-z]{4}\Z"
)


class DrugNameTable(Record):
    """Words and equivalences that bring drug names to one form."""

    salts: frozenset[str]
    whole: frozenset[str]
    elements: frozenset[str]
    kit_accessories: frozenset[str]
    variants: tuple[tuple[str, ...], ...]


def _table() -> DrugNameTable:
    return load_table("drug_names", DrugNameTable)


@cache
def _variants_by_name() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for names in _table().variants:
        for name in names:
            table[name] = table.get(name, frozenset()) | frozenset(names)
    return table


@cache
def _first_variant() -> dict[str, str]:
    return {name: names[0] for names in reversed(_table().variants) for name in names}


@lru_cache(maxsize=CACHED_NAMES)
def normalise_drug_name(name: str) -> str:
    """Lower case, compatibility forms folded, trade marks, 'USP' and outer punctuation gone."""
    # Marks first: the compatibility form of a trade mark sign is the letters "TM".
    text = _DASHES.sub("-", unicodedata.normalize("NFKC", _MARKS.sub("", name)))
    text = _SPACE.sub(" ", text).strip(" .,;:").lower()
    return _COMPENDIAL.sub("", text)


def strip_salt(name: str) -> str:
    """Return a name without salt, hydrate, ester or carrier: 'X sodium in water' -> 'X'.

    Names that would lose what makes them a drug ('sodium bicarbonate', 'dimethyl fumarate') stay.
    """
    table = _table()
    words = _CARRIER.sub("", normalise_drug_name(name)).split()
    while (
        len(words) > 1
        and words[-1] in table.salts
        and not table.elements.issuperset(words[:-1])
        and words[-2] not in _JOINERS
        and " ".join(words) not in table.whole
    ):
        words.pop()
    return " ".join(words).rstrip(",")


def strip_biologic_suffix(name: str) -> str:
    """Return a biologic's name without FDA's suffix: 'natalizumab-sztn' -> 'natalizumab'."""
    match = _BIOLOGIC_SUFFIX.match(name)
    return match.group(1) if match else name


def split_combination(name: str) -> tuple[str, ...]:
    """Return the parts of a combination's name: 'a, b and c' -> three names."""
    return tuple(part for part in _JOINED.split(normalise_drug_name(name)) if part)


def name_variants(name: str) -> tuple[str, ...]:
    """Return a name as it is, without salts, and its US, British and international forms."""
    full = normalise_drug_name(name)
    plain = _CARRIER.sub("", full)
    bases = {full, plain, strip_biologic_suffix(full), _PARENTHESES.sub("", full)}
    parts = split_combination(plain)
    if len(parts) == 1:
        bases.add(strip_salt(plain))
    elif " and " in plain:
        bases.add(join_combination(strip_salt(part) for part in parts))
    bases -= {""}
    table = _variants_by_name()
    return tuple(sorted(bases.union(*(table.get(base, frozenset()) for base in bases))))


def join_combination(names: Iterable[str]) -> str:
    """Return the name of a combination: 'a and b', 'a, b and c'."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def ingredient(name: str) -> str:
    """Return the one name of an ingredient in any salt or spelling: 'Rifampicin' -> 'rifampin'."""
    base = strip_salt(strip_biologic_suffix(normalise_drug_name(name)))
    return _first_variant().get(base, base)


def product_names(product: Product) -> list[str]:
    """Return the brand, generic, substance and moiety names of a product, as printed.

    What a kit adds to the drug (a wipe, a diluent, inert tablets) is no name of it. Without coded
    substances, the parts of the generic name are used instead.
    """
    names = [product.name or "", *product.generic_names]
    accessories = _table().kit_accessories if product.parts else frozenset[str]()
    for active in product.actives:
        if normalise_drug_name(active.substance) not in accessories:
            names += [active.substance, *active.moieties]
    if not product.actives:
        names += [part for name in product.generic_names for part in split_combination(name)]
    return names


def label_names(products: Sequence[Product], drug: str | None = None) -> tuple[str, ...]:
    """Return every name of a label's drug, the manifest's too: lower case, unique, sorted."""
    printed = [name for product in products for name in product_names(product)]
    names = {variant for name in [*printed, drug or ""] for variant in name_variants(name)}
    return tuple(sorted(names))


def label_title(products: Sequence[Product]) -> str:
    """Return the title of a label from product data: 'ELIQUIS (apixaban)'; empty without products.

    The title in the file is boilerplate of 200 to 300 characters that names no drug first.
    """
    brands = dict.fromkeys(product.name for product in products if product.name)
    by_form = {normalise_drug_name(brand): brand for brand in reversed(brands)}
    brand = ", ".join(reversed(by_form.values()))
    generics = [g for p in products for g in p.generic_names]
    generics = generics or [a.substance for p in products for a in p.actives]
    named = dict.fromkeys(map(normalise_drug_name, generics))
    others = ", ".join(name for name in named if name not in normalise_drug_name(brand))
    return f"{brand} ({others})" if brand and others else brand or others

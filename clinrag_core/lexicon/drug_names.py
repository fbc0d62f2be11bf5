"""Drug names brought to one form, and every name a label's drug goes by.

Names come from coded product data, never from a label's title. All names are lower case. Salts are
stripped in addition to the full name, never instead of it: which salt a strength refers to matters.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.model import Record
from clinrag_core.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model import Product

_MARKS = re.compile(r"[®™©*†]|\((?:r|tm)\)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_COMPENDIAL = re.compile(r",?\s+(?:usp|nf|bp|ph\.?\s?eur\.?)\Z")
_JOINED = re.compile(r",\s*and\s+|\s+and\s+|\s+with\s+|\s*[,;/+]\s*")
# FDA gives biologics a four-letter suffix that means nothing: natalizumab-sztn.
_BIOLOGIC_SUFFIX = re.compile(
    r"\A(.*(?:mab|cept|stim|alfa|beta|kin|ase|insulin \w+|glargine|aspart|lispro|leucel|gene|tide))"
    r"-[a-z]{4}\Z"
)


class _Lexicon(Record):
    salts: frozenset[str]
    whole: frozenset[str]
    elements: frozenset[str]
    variants: tuple[tuple[str, ...], ...]


@cache
def _lexicon() -> _Lexicon:
    path = data_folder() / "lexicons" / "drug_names.toml"
    try:
        return _Lexicon.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from error


@cache
def _variants_by_name() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for names in _lexicon().variants:
        for name in names:
            table[name] = table.get(name, frozenset()) | frozenset(names)
    return table


def normalise_drug_name(name: str) -> str:
    """Lower case, compatibility forms folded, trade marks, 'USP' and outer punctuation gone."""
    text = _DASHES.sub("-", _MARKS.sub("", unicodedata.normalize("NFKC", name)))
    text = _SPACE.sub(" ", text).strip(" .,;:").lower()
    return _COMPENDIAL.sub("", text)


def strip_salt(name: str) -> str:
    """A name without its salt, hydrate or ester words: 'atorvastatin calcium trihydrate' ->
    'atorvastatin'.

    Names that would lose what makes them a drug ('sodium bicarbonate', 'dimethyl fumarate') stay.
    """  # noqa: D205 - the example belongs to the first sentence
    lexicon = _lexicon()
    words = normalise_drug_name(name).split()
    while (
        len(words) > 1
        and words[-1] in lexicon.salts
        and words[-2].rstrip(",") not in lexicon.elements
        and " ".join(words) not in lexicon.whole
    ):
        words.pop()
    return " ".join(words).rstrip(",")


def strip_biologic_suffix(name: str) -> str:
    """A biologic's name without FDA's four-letter suffix: 'natalizumab-sztn' -> 'natalizumab'."""
    match = _BIOLOGIC_SUFFIX.match(name)
    return match.group(1) if match else name


def split_combination(name: str) -> tuple[str, ...]:
    """Parts of a combination's name: 'rifampin, isoniazid and pyrazinamide' -> three names."""
    return tuple(part for part in _JOINED.split(normalise_drug_name(name)) if part)


def name_variants(name: str) -> tuple[str, ...]:
    """The name itself, without salt, and its US, British and international forms, sorted."""
    full = normalise_drug_name(name)
    bases = {full, strip_salt(full), strip_biologic_suffix(full)} - {""}
    table = _variants_by_name()
    return tuple(sorted(bases.union(*(table.get(base, frozenset()) for base in bases))))


def ingredient(name: str) -> str:
    """One name per ingredient, whatever salt, suffix or spelling: 'Rifampicin' -> 'rifampin'."""
    base = strip_salt(strip_biologic_suffix(normalise_drug_name(name)))
    for names in _lexicon().variants:
        if base in names:
            return names[0]
    return base


def product_names(product: Product) -> list[str]:
    """Brand, generic, substance and moiety names of a product, as printed."""
    names = [product.name or "", *product.generic_names]
    for active in product.actives:
        names += [active.substance, *active.moieties]
    return names


def label_names(products: Sequence[Product], drug: str | None = None) -> tuple[str, ...]:
    """Every name of a label's drug: lower case, unique, sorted.

    Args:
        products: the label's products; a combination lists each of its ingredients.
        drug: name the manifest gives the drug.
    """
    printed: Iterable[str] = [n for p in products for n in product_names(p)]
    names = {variant for name in [*printed, drug or ""] for variant in name_variants(name)}
    return tuple(sorted(names))


def label_title(products: Sequence[Product]) -> str:
    """Title of a label from product data: 'ELIQUIS (apixaban)'; empty without products.

    The title in the file is boilerplate of 200 to 300 characters that names no drug first.
    """
    brands = {normalise_drug_name(p.name): p.name for p in reversed(products) if p.name}
    generics = {normalise_drug_name(g): None for p in products for g in p.generic_names}
    if not generics:
        generics = {normalise_drug_name(a.substance): None for p in products for a in p.actives}
    brand = ", ".join(reversed(brands.values()))
    others = ", ".join(generic for generic in generics if generic not in brands)
    return f"{brand} ({others})" if brand and others else brand or others

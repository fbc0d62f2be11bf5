"""The table of drugs: those of tuberculosis and pneumonia and common others, with their names."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

Area = Literal["tb", "cap", "both", "other"]
NO_CLASSES = frozenset(["combination", "enzyme inhibitor", "polypeptide", "vitamin"])
"""Words of the table's class column that are ordinary words in a question."""


class DrugTable(Record):
    """Rows of name, area, class and other names."""

    drugs: tuple[tuple[str, Area, str, tuple[str, ...]], ...]
    class_words: dict[str, Expression]
    """How labels name a class otherwise, without word boundaries."""
    class_found_by: dict[str, tuple[str, ...]]
    """Words of these names, one of which is in every text that has one."""


class KnownDrug(NamedTuple):
    """A drug of the table."""

    name: str
    area: Area
    drug_class: str
    names: tuple[str, ...]


@cache
def known_drugs() -> tuple[KnownDrug, ...]:
    """Return every drug of the table."""
    return tuple(KnownDrug(*row) for row in load_table("drugs", DrugTable).drugs)


@cache
def classes_of(drug: str) -> frozenset[str]:
    """Return the class of a drug by its name and those it is within; empty for an unknown one."""
    own = (one.drug_class for one in known_drugs() if one.name == drug)
    return frozenset[str]().union(*map(wider_classes, own))


@cache
def wider_classes(name: str) -> frozenset[str]:
    """Return the classes that a class is within, itself included, as their names end.

    "ssri antidepressant" is within "antidepressant".
    """
    return frozenset(one for one in _class_names() if f" {name}".endswith(f" {one}")) | {name}


@cache
def members_of(name: str) -> frozenset[str]:
    """Return the names of the known drugs of a class, those of classes within it included."""
    return frozenset(one.name for one in known_drugs() if name in wider_classes(one.drug_class))


@cache
def class_words(name: str) -> re.Pattern[str]:
    """Match how a folded text names a class, singular or plural; not a class within it.

    What is said of tricyclic antidepressants is not said of all antidepressants.
    """
    within = (one for one in _class_names() if one.endswith(f" {name}"))
    narrower = "".join(sorted(rf"(?<!{re.escape(one.removesuffix(name))})" for one in within))
    words = "[ -]".join(map(re.escape, name.split()))
    own = rf"(?<!\w){narrower}{words}s?(?!\w)"
    others = other_class_words(name)
    return re.compile(f"{own}|{others.pattern}" if others else own)


@cache
def other_class_words(name: str) -> re.Pattern[str] | None:
    """Match how a folded text names a class otherwise: "MAOI"; None where no words are known."""
    others = load_table("drugs", DrugTable).class_words.get(name)
    return re.compile(rf"(?<!\w)(?:{others.pattern})(?!\w)") if others else None


@cache
def words_of_class(name: str) -> frozenset[str]:
    """Return the name of a class and words by which texts with its other names are found."""
    return frozenset({name, *load_table("drugs", DrugTable).class_found_by.get(name, ())})


@cache
def _class_names() -> frozenset[str]:
    return frozenset(one.drug_class for one in known_drugs())


@cache
def field_drugs() -> frozenset[str]:
    """Return the names of the drugs against tuberculosis or pneumonia."""
    return frozenset(drug.name for drug in known_drugs() if drug.area != "other")


@cache
def other_drugs() -> frozenset[str]:
    """Return the names of the known drugs that are for neither tuberculosis nor pneumonia."""
    return frozenset(drug.name for drug in known_drugs() if drug.area == "other")


@cache
def hiv_drugs() -> frozenset[str]:
    """Return the names of the drugs against HIV."""
    return members_of("antiretroviral")


@cache
def drug_classes() -> re.Pattern[str]:
    """Match the classes of drugs used in tuberculosis or pneumonia, singular or plural."""
    of_field = {drug.drug_class for drug in known_drugs() if drug.area != "other"} - NO_CLASSES
    names = "|".join(re.escape(name) for name in sorted(of_field, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})s?(?!\w)")

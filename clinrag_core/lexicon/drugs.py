"""The table of drugs: those of tuberculosis and pneumonia and common others, with their names."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record

Area = Literal["tb", "cap", "both", "other"]
NO_CLASSES = frozenset(["combination", "enzyme inhibitor", "polypeptide", "vitamin"])
"""Words of the table's class column that are ordinary words in a question."""


class DrugTable(Record):
    """Rows of name, area, class and other names."""

    drugs: tuple[tuple[str, Area, str, tuple[str, ...]], ...]


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
    """Return the class of a drug by its name; empty for an unknown one."""
    return frozenset(one.drug_class for one in known_drugs() if one.name == drug)


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
    return frozenset(drug.name for drug in known_drugs() if drug.drug_class == "antiretroviral")


@cache
def drug_classes() -> re.Pattern[str]:
    """Match the classes of drugs used in tuberculosis or pneumonia, singular or plural."""
    of_field = {drug.drug_class for drug in known_drugs() if drug.area != "other"} - NO_CLASSES
    names = "|".join(re.escape(name) for name in sorted(of_field, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})s?(?!\w)")

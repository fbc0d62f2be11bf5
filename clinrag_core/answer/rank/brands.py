"""What is asked of a product by its brand: its own label answers, not what is said of its drug.

Amikacin by its brand for inhalation is no amikacin from a vial for injection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.facts.dose_forms import named_forms
from clinrag_core.facts.indications import disease_name
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.routes import stated_routes
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.drugs import DrugLexicon

_ON_GIVING = ("dosage", "indications")


def named_brands(slots: QuestionSlots, drugs: DrugLexicon) -> frozenset[str]:
    """Return the folded names of a question that are brands: no ingredient is in them."""
    folded = fold_chars(slots.text)
    return frozenset(
        name
        for mention in read_facts(slots.text, drugs).drugs
        for name in [folded[mention.start : mention.end]]
        if not any(one in name for one in mention.ingredients)
    )


def of_brand(
    statements: Sequence[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return the statements that name the very product asked for by its brand; mostly none."""
    brands = named_brands(slots, drugs)
    said = [(one, fold_chars(one.statement.said)) for one in statements]
    return [one for one, folded in said if any(brand in folded for brand in brands)]


def of_brand_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with the dose of the brand named before those of its drug."""
    if not (fitting and slots.asks_dosing) or fitting[0].statement.kind == "label":
        return fitting
    labels = [one for one in fitting if one.statement.kind == "label"]
    own = [
        one
        for one in of_brand(labels, slots, drugs)
        if statement_slots(one.statement, drugs).has_amount
    ][:1]
    first = [one._replace(score=fitting[0].score) for one in own]
    return first + [one for one in fitting if one not in own]


def without_other_routes(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements without a guideline's doses by another route than the brand named has."""
    if not (fitting and slots.asks_dosing and named_brands(slots, sources.drugs)):
        return fitting
    own = of_brand(list(of_labels(slots, sources, _ON_GIVING)), slots, sources.drugs)
    routes = frozenset(route for one in own for route in one.statement.routes)
    return [
        one
        for one in fitting
        if one.statement.kind == "label"
        or not routes
        or not routes.isdisjoint(stated_routes(one.statement.said) or routes)
    ]


def without_other_forms(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return statements without those on another form, where some are on the form asked about.

    How tablets go through a tube is no leave for the granules of capsules.
    """
    asked = named_forms(slots.text)
    forms = [named_forms(one.statement.said) for one in fitting]
    if all(asked.isdisjoint(has) for has in forms):
        return fitting
    pairs = zip(fitting, forms, strict=True)
    return [one for one, has in pairs if not has or not asked.isdisjoint(has)]


def nothing_of_brand(slots: QuestionSlots, drugs: DrugLexicon) -> str:
    """Return in words that a brand has no dose for what is asked; empty where none is named."""
    brands = " or ".join(sorted(named_brands(slots, drugs)))
    for_what = " or ".join(sorted(map(disease_name, slots.diseases)))
    missing = f"No dose of {brands}{f' for {for_what}' if for_what else ''} in these sources."
    return missing if brands else ""

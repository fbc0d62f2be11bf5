"""Coded product data of an SPL label: products, active ingredients, kits, repackaging.

Reads today's schema and that of 2005 (`manufacturedMedicine`, `activeIngredient`,
`containerPackagedMedicine`). Ingredients of a kit are in its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.model.label import ActiveIngredient, Product
from clinrag_core.parse.spl.xml import V3, attribute, children, flat_text, local, path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.acquire.spl_header import Element


_PRODUCT_TAGS = ("manufacturedProduct", "manufacturedMedicine")
_INGREDIENT_TAGS = (f"{V3}ingredient", f"{V3}activeIngredient")
_PART_TAGS = (f"{V3}partProduct", f"{V3}partMedicine")
_PACKAGE_TAGS = (f"{V3}containerPackagedProduct", f"{V3}containerPackagedMedicine")
_SUBSTANCE_TAGS = (f"{V3}ingredientSubstance", f"{V3}activeIngredientSubstance")


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values in order of first appearance, blank ones left out."""
    return tuple(dict.fromkeys(value for value in values if value))


def _amount(quantity: Element, name: str) -> str:
    value = attribute(quantity, name, "value")
    # Files of 2005 may name the unit in a translation of it only.
    unit = attribute(quantity, name, "unit") or attribute(
        quantity, f"{name}/translation", "displayName"
    )
    if value is None:
        return ""
    return value if unit in {None, "1"} else f"{value} {unit}"


def _strength(ingredient: Element) -> str | None:
    """Return e.g. '500 mg / 1', '2.5 mg / 1 mL'; None if no quantity is given."""
    quantity = ingredient.find(f"{V3}quantity")
    if quantity is None:
        return None
    numerator, denominator = _amount(quantity, "numerator"), _amount(quantity, "denominator")
    return f"{numerator} / {denominator or '1'}" if numerator else None


def _active(ingredient: Element) -> ActiveIngredient | None:
    """Return the record of an ingredient of class ACTIB, ACTIM or ACTIR, None without a name."""
    inactive = not (ingredient.get("classCode") or "").upper().startswith("ACTI")
    if inactive and local(ingredient) != "activeIngredient":
        return None
    substance = next(ingredient.iter(*_SUBSTANCE_TAGS), None)
    name = flat_text(substance.find(f"{V3}name")) if substance is not None else ""
    if substance is None or not name:
        return None
    moieties = (
        flat_text(element) for element in substance.iterfind(path("activeMoiety/activeMoiety/name"))
    )
    return ActiveIngredient(
        substance=name,
        unii=attribute(substance, "code", "code"),
        moieties=unique(moieties),
        strength=_strength(ingredient),
    )


def _generic_names(product: Element) -> tuple[str, ...]:
    """Return the generic names of the product itself, else those of its parts."""

    def named(entities: Iterable[Element]) -> tuple[str, ...]:
        return unique(
            flat_text(kind.find(f"{V3}name"))
            for entity in entities
            for kind in entity.iter(f"{V3}genericMedicine", f"{V3}genericProduct")
        )

    return named(children(product, "asEntityWithGeneric")) or named([product])


def _applications(outer: Element) -> tuple[str, ...]:
    """Return the application numbers of the product itself, else those of its parts."""
    approvals = [
        a for subject in children(outer, "subjectOf") for a in children(subject, "approval")
    ]
    return unique(
        attribute(approval, "id", "extension") or ""
        for approval in approvals or outer.iter(f"{V3}approval")
    )


def _product(outer: Element, inner: Element) -> Product:
    """Return the record of a product; `outer` has its routes and approvals."""
    name_element = inner.find(f"{V3}name")
    suffix = flat_text(inner.find(path("name/suffix")))
    name = flat_text(name_element).removesuffix(suffix).strip()
    codes = (attribute(package, "code", "code") or "" for package in inner.iter(*_PACKAGE_TAGS))
    sources = (
        attribute(equivalent, "code", "code") or ""
        for entity in children(inner, "asEquivalentEntity")
        for equivalent in entity.iter(f"{V3}definingMaterialKind")
    )
    return Product(
        ndc=attribute(inner, "code", "code"),
        name=f"{name} {suffix}".strip() or None,
        generic_names=_generic_names(inner),
        form=attribute(inner, "formCode", "displayName"),
        routes=unique(route.get("displayName") or "" for route in outer.iter(f"{V3}routeCode")),
        actives=tuple(filter(None, map(_active, inner.iter(*_INGREDIENT_TAGS)))),
        parts=sum(1 for _ in inner.iter(*_PART_TAGS)),
        source_ndcs=unique(sources),
        applications=_applications(outer),
        package_ndcs=unique(codes),
    )


def read_products(root: Element) -> tuple[Product, ...]:
    """Return the products of a label in document order, one per strength."""
    products: list[Product] = []
    for subject in root.iter(f"{V3}subject"):
        for outer in children(subject, "manufacturedProduct"):
            products += [
                _product(outer, inner) for tag in _PRODUCT_TAGS for inner in children(outer, tag)
            ]
    return tuple(products)

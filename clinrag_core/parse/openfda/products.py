"""Products of an openFDA answer, from its `openfda` block.

The block lists names, substances and codes of all products without relating them to each other, so
every product of an answer carries the answer's names and substances.
"""

from __future__ import annotations

from clinrag_core.acquire.api import ApiRecord
from clinrag_core.model.label import ActiveIngredient, Product
from clinrag_core.parse.spl.products import unique


class OpenFdaBlock(ApiRecord):
    """Names and codes of all products of a label; each may be listed once per product."""

    product_type: tuple[str, ...] = ()
    manufacturer_name: tuple[str, ...] = ()
    substance_name: tuple[str, ...] = ()
    unii: tuple[str, ...] = ()
    brand_name: tuple[str, ...] = ()
    generic_name: tuple[str, ...] = ()
    route: tuple[str, ...] = ()
    application_number: tuple[str, ...] = ()
    product_ndc: tuple[str, ...] = ()
    package_ndc: tuple[str, ...] = ()
    original_packager_product_ndc: tuple[str, ...] = ()


def read_openfda_products(block: OpenFdaBlock) -> tuple[Product, ...]:
    """Return one product per NDC; one without NDC if there are only names; none without names."""
    substances, uniis = unique(block.substance_name), unique(block.unii)
    # Codes can be related to substances only if there is one of each.
    unii = uniis[0] if len(uniis) == len(substances) == 1 else None
    common = Product(
        name=next(iter(block.brand_name), None),
        generic_names=unique(block.generic_name),
        routes=unique(block.route),
        actives=tuple(ActiveIngredient(substance=name, unii=unii) for name in substances),
        source_ndcs=unique(block.original_packager_product_ndc),
        applications=unique(block.application_number),
    )
    if not block.product_ndc:
        return (common,) if substances or common.name or common.generic_names else ()
    packages = unique(block.package_ndc)
    return tuple(
        common.model_copy(
            update={
                "ndc": ndc,
                "package_ndcs": tuple(p for p in packages if p.startswith(f"{ndc}-")),
            }
        )
        for ndc in unique(block.product_ndc)
    )

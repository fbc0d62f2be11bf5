"""Products of an openFDA answer, from its `openfda` block.

The block lists names, substances and codes of all products side by side without saying which goes
with which, so every product of an answer carries the answer's names and substances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from clinrag_core.errors import ParseError
from clinrag_core.model.label import ActiveIngredient, Product

if TYPE_CHECKING:
    from collections.abc import Mapping


def _list(block: Mapping[str, Any], key: str, file: str) -> tuple[str, ...]:
    value: object = block.get(key, [])
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise ParseError(
            "not a list of strings",
            code="openfda_shape",
            file=file,
            place=f"results[0].openfda.{key}",
        )
    return tuple(dict.fromkeys(cast("list[str]", items)))


def read_openfda_products(block: Mapping[str, Any], file: str) -> tuple[Product, ...]:
    """One product per NDC; one without NDC where the block has names only; none where empty.

    Raises:
        ParseError: a value is not a list of strings; names the key.
    """
    substances = _list(block, "substance_name", file)
    uniis = _list(block, "unii", file)
    brands = _list(block, "brand_name", file)
    packages = _list(block, "package_ndc", file)
    # Codes can be told apart only where there is one of each.
    unii = uniis[0] if len(uniis) == len(substances) == 1 else None
    common = Product(
        name=brands[0] if brands else None,
        generic_names=_list(block, "generic_name", file),
        routes=_list(block, "route", file),
        actives=tuple(ActiveIngredient(substance=name, unii=unii) for name in substances),
        source_ndcs=_list(block, "original_packager_product_ndc", file),
        applications=_list(block, "application_number", file),
    )
    ndcs = _list(block, "product_ndc", file)
    if not ndcs:
        return (common,) if substances or brands or common.generic_names else ()
    return tuple(
        common.model_copy(
            update={
                "ndc": ndc,
                "package_ndcs": tuple(p for p in packages if p.startswith(f"{ndc}-")),
            }
        )
        for ndc in ndcs
    )

"""Identity and products of a drug label."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from clinrag_core.model.base import Record


class ActiveIngredient(Record):
    """One active ingredient of a product."""

    substance: str
    unii: str | None = None
    moieties: tuple[str, ...] = ()
    strength: str | None = Field(default=None, description="e.g. '300 mg / 1'")


class Product(Record):
    """One product of a label."""

    ndc: str | None = None
    name: str | None = Field(default=None, description="brand (proprietary) name")
    generic_names: tuple[str, ...] = ()
    form: str | None = None
    routes: tuple[str, ...] = ()
    actives: tuple[ActiveIngredient, ...] = ()
    parts: int = Field(default=0, ge=0, description="parts of a kit")
    source_ndcs: tuple[str, ...] = ()
    applications: tuple[str, ...] = Field(default=(), description="e.g. 'NDA202155'")
    package_ndcs: tuple[str, ...] = ()


class Label(Record):
    """Identity, dates and products of a drug label."""

    drug: str = Field(description="partition key, as the manifest has it")
    set_id: str | None = None
    version: int | None = Field(default=None, ge=0)
    version_id: str | None = Field(default=None, description="id of this version of the document")
    type_code: str | None = Field(default=None, description="LOINC document type, e.g. 34391-3")
    effective: dt.date | None = None
    published: dt.date | None = None
    labeler: str | None = None
    products: tuple[Product, ...] = ()
    names: tuple[str, ...] = Field(
        default=(), description="every name of the drug, lower case, sorted"
    )
    has_boxed_warning: bool = False
    is_partial: bool = False

"""openFDA drug label answers (JSON) to Documents.

The answer is SPL with its structure flattened: `sections` rebuilds what can be rebuilt. Files with
only some sections of a label have `Label.is_partial`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import StringConstraints, TypeAdapter, ValidationError

from clinrag_core.acquire.api import ApiRecord, first_problem
from clinrag_core.acquire.magic import openfda_file
from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.lexicon.drug_names import label_names, label_title
from clinrag_core.lexicon.sections import openfda_section
from clinrag_core.model.document import ParseWarning
from clinrag_core.model.label import Label
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.source_text import document
from clinrag_core.parse.openfda.products import OpenFdaBlock, read_openfda_products
from clinrag_core.parse.openfda.sections import Field, SectionWriter, nest, normalise
from clinrag_core.parse.openfda.tables import read_table
from clinrag_core.parse.spl.xml import checked_set_id, checked_version, hl7_date

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "openfda/9"
_DUPLICATES = ("_table", "spl_product_data_elements")
_MAIN_FIELDS = ("indications_and_usage", "dosage_and_administration")
_T = TypeVar("_T")
_Text = Annotated[str, StringConstraints(strip_whitespace=True)] | None


class _Identity(ApiRecord):
    """What an answer states about its label; all other keys are section texts."""

    id: _Text = None
    set_id: _Text = None
    version: _Text = None
    effective_time: _Text = None
    openfda: OpenFdaBlock = OpenFdaBlock()


_IDENTITY = TypeAdapter(_Identity)
_TEXTS = TypeAdapter(dict[str, list[str]])


def parse_openfda(data: bytes, source: DocumentSource) -> Document:
    """Read one openFDA drug label answer with exactly one result.

    The document's `id` is the set id, or `openfda-<drug>` if the answer has none.

    Raises:
        ParseError: not JSON, not of the answer's shape, or no text.
        RefusedDocumentError: the label of something other than a drug for people.
    """
    file = source.file.name
    answer = openfda_file(data, file)
    result = answer.results[0]
    identity = _validated(_IDENTITY, result, file)
    texts = _validated(
        _TEXTS, {k: v for k, v in result.items() if k not in _Identity.model_fields}, file
    )
    types = identity.openfda.product_type
    _refuse_other_products(types, file)
    products = read_openfda_products(identity.openfda)
    effective = hl7_date(identity.effective_time)
    fields, warnings = _fields(texts)
    outer, nest_warnings = nest(fields)
    names = label_names(products, source.drug)
    writer = SectionWriter(effective, names)
    for item in outer:
        writer.write(item)
    if not writer.items:
        raise ParseError("no section has any text", code="no_text", file=file, place="results[0]")
    set_id, version = identity.set_id, identity.version
    if set_id:
        set_id = checked_set_id(set_id, file, "results[0].set_id")
    drug = source.drug or (names[0] if names else None)
    if drug is None:
        raise ParseError(
            "neither the manifest nor the openfda block names the drug",
            code="no_drug_name",
            file=file,
            place="results[0].openfda",
        )
    otc = any("OTC" in kind.upper() for kind in types)
    label = Label(
        drug=drug,
        set_id=set_id or None,
        version=checked_version(version, file, "results[0].version") if version else None,
        version_id=identity.id or None,
        effective=effective,
        published=source.published,
        labeler=next(iter(identity.openfda.manufacturer_name), None),
        products=products,
        names=names,
        # A box inside another section is miscoded.
        has_boxed_warning=not otc and any(field.key == "boxed_warning" for field in outer),
        is_partial=_is_partial(answer.meta, fields),
    )
    sections = assemble(writer.items, "", repeat_cells=False)
    title = source.title or label_title(products) or drug
    return document(source, PARSER, title, sections, (*warnings, *nest_warnings), label=label)


def _validated(adapter: TypeAdapter[_T], result: Mapping[str, object], file: str) -> _T:
    try:
        return adapter.validate_python(result)
    except ValidationError as error:
        place, problem = first_problem(error)
        raise ParseError(
            problem, code="not_openfda", file=file, place=f"results[0].{place}"
        ) from error


def _refuse_other_products(types: Sequence[str], file: str) -> None:
    for kind in types:
        if re.search(r"\b(ANIMAL|BULK|COSMETIC|DIETARY)\b", kind.upper()):
            raise RefusedDocumentError(
                f"product type {kind!r} is not a finished drug for people",
                code="not_a_label",
                file=file,
                place="results[0].openfda.product_type",
            )


def _fields(texts: dict[str, list[str]]) -> tuple[list[Field], list[ParseWarning]]:
    """Return the section texts of a result, blank ones left out."""
    fields: list[Field] = []
    warnings: list[ParseWarning] = []
    read = cache(read_table)  # the fields of a section and its subsections repeat their tables
    for key, values in texts.items():
        if key.endswith(_DUPLICATES):
            continue
        info = openfda_section(key)
        if info is None:
            message = f"key {key!r} is not in the table"
            warnings.append(ParseWarning(code="unknown_field", message=message, place=key))
            info = openfda_section("spl_unclassified_section")
        if info is not None:
            name = f"{key}_table"
            tables = [read(markup) for markup in texts.get(name, [])]
            if malformed := tables.count(None):
                message = f"{malformed} tables cannot be read; their words stay in the text"
                warnings.append(ParseWarning(code="malformed_table", message=message, place=name))
            usable = tuple(table for table in tables if table is not None)
            fields += [Field(key, info, text, usable) for text in map(normalise, values) if text]
    return fields, warnings


def _is_partial(meta: Mapping[str, object], fields: list[Field]) -> bool:
    noted = "partial" in str(meta.get("note", "")).lower()
    keys = {field.key for field in fields}
    return noted or not all(key in keys for key in _MAIN_FIELDS)

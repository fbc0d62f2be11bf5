"""openFDA drug label answers (JSON) to Documents.

The answer is SPL with its structure flattened: `openfda_sections` rebuilds what can be rebuilt.
Files that hold only some sections of a label say so in `Label.is_partial`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.lexicon.drug_names import label_names, label_title, normalise_drug_name
from clinrag_core.lexicon.sections import openfda_section
from clinrag_core.model.document import Document, ParseWarning
from clinrag_core.model.label import Label
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.openfda.products import read_openfda_products
from clinrag_core.parse.openfda.sections import Field, SectionWriter, nest, normalise
from clinrag_core.parse.openfda.tables import read_table
from clinrag_core.parse.spl.xml import hl7_date

if TYPE_CHECKING:
    from clinrag_core.model.label import Product
    from clinrag_core.model.source import DocumentSource

PARSER = "openfda/4"
_NOT_SECTIONS = frozenset({"id", "set_id", "version", "effective_time", "openfda"})
_DUPLICATES = ("_table", "spl_product_data_elements")
_MAIN_FIELDS = ("indications_and_usage", "dosage_and_administration")
_SET_ID = re.compile(r"[0-9a-z][0-9a-z.\-]*")
_SLUG = re.compile(r"[^0-9a-z]+")


def parse_openfda(data: bytes, source: DocumentSource) -> Document:
    """Read one openFDA drug label answer.

    Args:
        data: the JSON answer, with exactly one result.
        source: what the manifest says; `source.drug` is the partition key.

    Returns:
        Document with `id` = set id, or `openfda-<drug>` where the answer has none.

    Raises:
        ParseError: not JSON, not of the answer's shape, no result or several, or no text.
        RefusedDocumentError: the label of something other than a drug for people.
    """
    file = source.file.name
    meta, result = _only_result(_load(data, file), file)
    block = _mapping(result.get("openfda", {}), "results[0].openfda", file)
    products = read_openfda_products(block, file)
    types = _strings(block.get("product_type", []), "results[0].openfda.product_type", file)
    _refuse_other_products(types, file)
    effective = hl7_date(_optional_text(result, "effective_time", file))
    fields, warnings = _fields(result, file)
    outer, nest_warnings = nest(fields)
    names = label_names(products, source.drug)
    writer = SectionWriter(effective, names)
    for item in outer:
        writer.write(item)
    if not writer.items:
        raise ParseError("no section has any text", code="no_text", file=file, place="results[0]")
    set_id = _set_id(result, file)
    drug = source.drug or (names[0] if names else None)
    if drug is None:
        raise ParseError(
            "neither the manifest nor the openfda block names the drug",
            code="no_drug_name",
            file=file,
            place="results[0].openfda",
        )
    label = Label(
        drug=drug,
        set_id=set_id,
        version=_version(result, file),
        version_id=_optional_text(result, "id", file),
        effective=effective,
        published=source.published,
        labeler=next(
            iter(_strings(block.get("manufacturer_name", []), "manufacturer_name", file)), None
        ),
        products=products,
        names=names,
        has_boxed_warning=_has_boxed_warning(outer, types),
        is_partial=_is_partial(meta, fields),
    )
    return Document(
        id=set_id or f"openfda-{_SLUG.sub('-', normalise_drug_name(drug)).strip('-')}",
        kind="label",
        format="openfda",
        title=source.title or _title(products, drug),
        file=source.file,
        parser=PARSER,
        organisation=source.organisation or "FDA",
        year=source.year or (effective.year if effective else None),
        topics=source.topics,
        licence=source.licence,
        label=label,
        sections=assemble(writer.items, "", repeat_cells=False),
        warnings=(*warnings, *nest_warnings),
    )


def _load(data: bytes, file: str) -> dict[str, Any]:
    if not data.strip():
        raise ParseError("the file is empty: fetch it again", code="empty_file", file=file)
    try:
        tree: object = json.loads(data)
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8 JSON: {error}", code="json_malformed", file=file) from error
    except json.JSONDecodeError as error:
        raise ParseError(
            f"not JSON: {error.msg}",
            code="json_malformed",
            file=file,
            place=f"line {error.lineno}",
        ) from error
    except RecursionError as error:
        raise ParseError(
            "nested deeper than any answer", code="json_malformed", file=file
        ) from error
    return _mapping(tree, "the answer", file)


def _mapping(value: object, place: str, file: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ParseError("not an object", code="openfda_shape", file=file, place=place)
    return cast("dict[str, Any]", value)


def _strings(value: object, place: str, file: str) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise ParseError("not a list of strings", code="openfda_shape", file=file, place=place)
    return cast("list[str]", items)


def _only_result(tree: dict[str, Any], file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer's `meta` and its one result."""
    if "error" in tree:
        raise ParseError(
            f"openFDA answered with an error: {json.dumps(tree['error'])[:200]}",
            code="openfda_error",
            file=file,
            place="error",
        )
    results: object = tree.get("results")
    if not isinstance(results, list) or not results:
        raise ParseError("the answer holds no label", code="no_result", file=file, place="results")
    found = cast("list[object]", results)
    if len(found) > 1:
        raise ParseError(
            f"the answer holds {len(found)} labels: keep one per file",
            code="several_results",
            file=file,
            place="results",
        )
    return _mapping(tree.get("meta", {}), "meta", file), _mapping(found[0], "results[0]", file)


def _optional_text(result: dict[str, Any], key: str, file: str) -> str | None:
    value: object = result.get(key)
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    raise ParseError("not a string", code="openfda_shape", file=file, place=f"results[0].{key}")


def _set_id(result: dict[str, Any], file: str) -> str | None:
    set_id = (_optional_text(result, "set_id", file) or "").lower()
    if set_id and not _SET_ID.fullmatch(set_id):
        raise ParseError(
            f"set id {set_id!r} is malformed",
            code="bad_set_id",
            file=file,
            place="results[0].set_id",
        )
    return set_id or None


def _version(result: dict[str, Any], file: str) -> int | None:
    version = _optional_text(result, "version", file)
    if version is not None and not (version.isascii() and version.isdigit()):
        raise ParseError(
            f"version {version!r} is not a number",
            code="bad_version",
            file=file,
            place="results[0].version",
        )
    return int(version) if version is not None else None


def _refuse_other_products(types: list[str], file: str) -> None:
    for kind in types:
        if re.search(r"\b(ANIMAL|BULK|COSMETIC|DIETARY)\b", kind.upper()):
            raise RefusedDocumentError(
                f"product type {kind!r} is not a finished drug for people",
                code="not_a_label",
                file=file,
                place="results[0].openfda.product_type",
            )


def _fields(result: dict[str, Any], file: str) -> tuple[list[Field], list[ParseWarning]]:
    """Section texts of a result, blank ones left out."""
    fields: list[Field] = []
    warnings: list[ParseWarning] = []
    read = cache(read_table)  # the fields of a section and its subsections repeat their tables
    for key, value in result.items():
        if key in _NOT_SECTIONS or key.endswith(_DUPLICATES):
            continue
        texts = _strings(value, f"results[0].{key}", file)
        info = openfda_section(key)
        if info is None:
            warnings.append(
                ParseWarning(
                    code="unknown_field", message=f"key {key!r} is not in the table", place=key
                )
            )
            info = openfda_section("spl_unclassified_section")
        if info is not None:
            name = f"{key}_table"
            markups = _strings(result.get(name, []), f"results[0].{name}", file)
            found = [read(markup) for markup in markups]
            warnings += _malformed(found.count(None), name)
            tables = tuple(table for table in found if table is not None)
            fields += [Field(key, info, text, tables) for text in map(normalise, texts) if text]
    return fields, warnings


def _malformed(count: int, place: str) -> list[ParseWarning]:
    message = f"{count} tables cannot be read; their words stay in the text"
    return [ParseWarning(code="malformed_table", message=message, place=place)] if count else []


def _has_boxed_warning(outer: list[Field], types: list[str]) -> bool:
    """Whether a box stands for itself: one inside another section is miscoded."""
    otc = any("OTC" in kind.upper() for kind in types)
    return not otc and any(field.key == "boxed_warning" for field in outer)


def _is_partial(meta: dict[str, Any], fields: list[Field]) -> bool:
    noted = "partial" in str(meta.get("note", "")).lower()
    keys = {field.key for field in fields}
    return noted or not all(key in keys for key in _MAIN_FIELDS)


def _title(products: tuple[Product, ...], drug: str) -> str:
    return label_title(products) or drug

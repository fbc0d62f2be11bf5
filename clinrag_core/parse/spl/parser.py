"""FDA drug labels in Structured Product Labeling (SPL, HL7 v3 XML) to Documents.

What a label is and who made it is read here; sections, narrative, tables and products have their
own modules. What is readable but is no approved label of a drug for people is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.acquire.spl_header import read_spl
from clinrag_core.errors import RefusedDocumentError
from clinrag_core.lexicon.drug_names import label_names, label_title
from clinrag_core.lexicon.sections import document_type
from clinrag_core.model.label import Label
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.flow import unmarked
from clinrag_core.parse.assemble.source_text import document
from clinrag_core.parse.spl.narrative import line_of
from clinrag_core.parse.spl.products import read_products
from clinrag_core.parse.spl.sections import read_sections
from clinrag_core.parse.spl.xml import (
    attribute,
    checked_set_id,
    checked_version,
    flat_text,
    hl7_date,
    path,
)

if TYPE_CHECKING:
    from clinrag_core.acquire.spl_header import Element
    from clinrag_core.lexicon.sections import DocumentType
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "spl/9"
_EUA = re.compile(r"\bemergency\s+use\s+authoriz", re.IGNORECASE)


def parse_spl(data: bytes, source: DocumentSource) -> Document:
    """Read one SPL label.

    Its `id` is the set id in lower case. Highlights follow the section they summarise, with role
    `highlights`; they are body where a part of that section is a title only.

    Raises:
        ParseError: not well-formed, not SPL, or without set id, version or text.
        RefusedDocumentError: an index file, EUA fact sheet, animal label or other non-label.
    """
    file = source.file.name
    root = read_spl(data, file)
    kind = _accepted_type(root, file)
    _refuse_fact_sheet(root, file)
    return read_label(root, kind, source)


def read_label(root: Element, kind: DocumentType, source: DocumentSource) -> Document:
    """Return the Document of an SPL tree of any document type; see `parse_spl`."""
    file = source.file.name
    reader = read_sections(root, otc=kind.otc)
    sections = assemble(reader.items, "", repeat_cells=False)
    products = read_products(root)
    set_id = checked_set_id(attribute(root, "setId", "root"), file, "setId")
    names = label_names(products, source.drug)
    label = Label(
        drug=source.drug or (names[0] if names else set_id),
        set_id=set_id,
        version=checked_version(attribute(root, "versionNumber", "value"), file, "versionNumber"),
        version_id=attribute(root, "id", "root"),
        type_code=kind.code,
        effective=hl7_date(attribute(root, "effectiveTime", "value")),
        published=source.published,
        labeler=flat_text(root.find(path("author/assignedEntity/representedOrganization/name")))
        or None,
        products=products,
        names=names,
        has_boxed_warning=reader.has_boxed_warning,
    )
    title = source.title or label_title(products) or flat_text(root.find(path("title"))) or file
    return document(source, PARSER, title, sections, tuple(reader.warnings), label=label)


def _accepted_type(root: Element, file: str) -> DocumentType:
    """Return the type of a document, refuse one that is no label of a drug for people."""
    code = attribute(root, "code", "code")
    kind = document_type(code)
    if kind is not None and kind.accept:
        return kind
    name = kind.name if kind else attribute(root, "code", "displayName") or "unknown type"
    raise RefusedDocumentError(
        f"document type {code or 'absent'} ({name}) is not a drug label for people",
        code=(kind.refusal if kind else None) or "not_a_label",
        file=file,
        place="document/code",
    )


def _refuse_fact_sheet(root: Element, file: str) -> None:
    """Refuse an emergency use fact sheet, which has the document code of a prescription label."""
    title = root.find(path("title"))
    places = {
        "document/title": [unmarked(line_of(title)) if title is not None else ""],
        "approval": [
            attribute(approval, "code", "displayName") or ""
            for approval in root.iter(path("approval"))
        ],
    }
    for place, texts in places.items():
        if any(_EUA.search(text) for text in texts):
            raise RefusedDocumentError(
                "an emergency use authorisation fact sheet, not an approved label: "
                "use the label of the approved product",
                code="eua_fact_sheet",
                file=file,
                place=place,
            )

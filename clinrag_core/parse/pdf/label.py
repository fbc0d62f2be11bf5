"""A label in print to a Document: what it is a label of, and the sections of its flow.

What an SPL file codes is printed in a few places: the product above the text, its ingredients in
the tables of product data that DailyMed prints at the end, the month of the last revision. The
manifest's drug counts where they say nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.acquire.label_title import parse_title
from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.lexicon.drug_names import join_combination, label_names, label_title
from clinrag_core.model.label import ActiveIngredient, Label, Product
from clinrag_core.parse.assemble.flow import Heading, Piece, unmarked
from clinrag_core.parse.pdf.label_flow import LEAST_SECTIONS, label_headings
from clinrag_core.parse.spl.xml import hl7_date

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Section
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.parse.assemble.flow import Item

_HEAD = 30  # items searched for the product: it is printed above the text
_EUA = re.compile(r"\bemergency\s+use\s+authoriz", re.IGNORECASE)
_REVISED = re.compile(r"\brevised:\s*(\d{1,2})\s*/\s*(\d{4})\b", re.IGNORECASE)
_DAILYMED = re.compile(r"(?P<brand>[^a-z]{3,60}?)\s*-\s+(?P<rest>[a-z][^\n]{3,200})")
"""'ZAPID- zapidine hydrochloride tablet, film coated Example Pharma', as DailyMed prints it."""
_HIGHLIGHTS = re.compile(
    r"(?P<brand>[A-Z][A-Z0-9 -]{2,40})\s*[®™]?\s*\((?P<generic>[a-z][a-z0-9 ,/-]{2,80})\)"
)
"""'ZAPID (zapidine) tablets, for oral use', as highlights name it."""
_ACTIVE = re.compile(
    r"(?P<substance>[A-Z][A-Z0-9 ,.'-]*?)\s*\(UNII:\s*(?P<unii>[A-Z0-9]{10})\)\s*"
    r"\((?P<moiety>[A-Z][A-Z0-9 ,.'-]*?)\s*-\s[^()]{0,80}?UNII:\s*[A-Z0-9]{10}\)"
)
"""An active ingredient of DailyMed's tables: only these have their moiety after them. What is in
the next column may come between the two lines of a cell."""
_LABELER = re.compile(r"^labeler\s*-\s*(.+?)\s*\(\d+\)", re.IGNORECASE)


def is_printed_label(document: Document) -> bool:
    """Return whether a guideline's sections are those of a label of one drug."""
    titles = [section.title for section in document.sections]
    front = [(*section.path, section.text[:500]) for section in document.sections[:3]]
    said = " ".join((document.title, *(part for parts in front for part in parts)))
    return label_headings(titles) >= LEAST_SECTIONS and not _EUA.search(said)


def printed_label(items: Sequence[Item], source: DocumentSource) -> Label:
    """Return what a label in print is a label of.

    Raises:
        ParseError: `not_a_label`, it has not the headings of one; `no_drug_name`, neither the
            manifest nor the file names the drug.
        RefusedDocumentError: the fact sheet of an emergency use authorisation.
    """
    file = source.file.name
    lines = [line for item in items if (line := _text(item))]
    if any(_EUA.search(line) for line in lines[:_HEAD]):
        raise RefusedDocumentError(
            "an emergency use authorisation fact sheet, not an approved label: "
            "use the label of the approved product",
            code="eua_fact_sheet",
            file=file,
        )
    if label_headings(unmarked(i.title) for i in items if isinstance(i, Heading)) < LEAST_SECTIONS:
        raise ParseError(
            "the headings are not those of a drug label: list it as [[guideline]]",
            code="not_a_label",
            file=file,
        )
    products = _products(lines)
    moieties = [name for p in products for a in p.actives for name in a.moieties]
    generics = [name for p in products for name in p.generic_names]
    drug = source.drug or join_combination(sorted({*map(str.lower, moieties or generics)} or {""}))
    if not drug:
        raise ParseError(
            "neither the manifest nor the file names the drug", code="no_drug_name", file=file
        )
    labeler = next((m[1] for line in reversed(lines) if (m := _LABELER.match(line))), None)
    return Label(
        drug=drug,
        effective=_revised(lines),
        published=source.published,
        labeler=labeler,
        products=products,
        names=label_names(products, source.drug or drug),
    )


def with_sections(label: Label, sections: Sequence[Section]) -> Label:
    """Return a label with what its sections tell: a boxed warning, indications and dosage."""
    groups = {section.group for section in sections if section.role == "body" and section.text}
    return label.model_copy(
        update={
            "has_boxed_warning": "boxed_warning" in groups,
            "is_partial": not {"indications", "dosage"} <= groups,
        }
    )


def printed_title(label: Label) -> str:
    """Return the title of a label: its products, else its drug."""
    return label_title(label.products) or label.drug


def _text(item: Item) -> str:
    if isinstance(item, Piece | Heading):
        text = item.text if isinstance(item, Piece) else item.title
        return " ".join(unmarked(text).split())
    return ""


def _revised(lines: Sequence[str]) -> dt.date | None:
    """Return the first day of the latest month in which the label says that it was revised."""
    found = _REVISED.findall("\n".join(lines))
    days = [hl7_date(f"{year}{int(month):02}") for month, year in found]
    return max((day for day in days if day is not None), default=None)


def _products(lines: Sequence[str]) -> tuple[Product, ...]:
    """Return the product that a label names, with the active ingredients that it lists."""
    found = {m["substance"]: m for line in lines for m in _ACTIVE.finditer(line)}
    actives = tuple(
        ActiveIngredient(substance=name, unii=m["unii"], moieties=(m["moiety"],))
        for name, m in found.items()
    )
    brand, generics, form = _named(lines[:_HEAD])
    if not brand and not actives:
        return ()
    return (Product(name=brand, generic_names=generics, form=form, actives=actives),)


def _named(lines: Sequence[str]) -> tuple[str | None, tuple[str, ...], str | None]:
    """Return brand, generic name and form of the product that is printed above the text."""
    for line in lines:
        if match := _DAILYMED.match(line):
            words = match["rest"].split()
            stems = parse_title(match["rest"]).generics[0]
            name = [w for w in words if w.strip(",").casefold() in stems]
            return match["brand"].strip(), (" ".join(name),), None
        if match := _HIGHLIGHTS.search(line):
            return match["brand"].strip(), (match["generic"].strip(),), None
    return None, (), None

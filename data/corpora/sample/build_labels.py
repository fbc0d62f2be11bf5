#!/usr/bin/env python3
"""Builds the sample drug labels (SPL XML) from their sources.

`source/labels/*.md` have a TOML header between `+++` lines and the label's text in the markup of
`label_markup`; the resulting `labels/*.xml` are committed. The same sources give the same bytes.
Run it after editing a source. With `--check` it only compares and fails if a file is out of date.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sys
import tomllib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from label_markup import NS, Element, Narrative, SourceSection, element, read_sections
from lxml import etree

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "source" / "labels"
LABELS = HERE / "labels"
PURPOSE = "for software testing, not for clinical use"
IDS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:clinrag:sample-labels")
XSI = "http://www.w3.org/2001/XMLSchema-instance"
NAMESPACES: Any = {None: NS, "xsi": XSI}  # the stubs do not know the default namespace
STYLESHEET = 'href="https://www.accessdata.fda.gov/spl/stylesheet/spl.xsl" type="text/xsl"'
LOINC = "2.16.840.1.113883.6.1"
NCI = "2.16.840.1.113883.3.26.1.1"
NDC = "2.16.840.1.113883.6.69"
UNII = "2.16.840.1.113883.4.9"

DOCUMENT_TYPES = {"34391-3": "HUMAN PRESCRIPTION DRUG LABEL", "34390-5": "HUMAN OTC DRUG LABEL"}
UNCLASSIFIED = "42229-5"
# Section number in the physician labeling rule -> LOINC code.
NUMBERED = {
    "1": "34067-9", "2": "34068-7", "3": "43678-2", "4": "34070-3", "5": "43685-7",
    "6": "34084-4", "7": "34073-7", "8": "43684-0", "8.1": "42228-7", "8.2": "77290-5",
    "8.3": "77291-3", "8.4": "34081-0", "8.5": "34082-8", "10": "34088-5", "11": "34089-3",
    "12": "34090-1", "12.1": "43679-0", "12.2": "43681-6", "12.3": "43682-4", "12.4": "49489-8",
    "13": "43680-8", "13.1": "34083-6", "14": "34092-7", "16": "34069-5", "17": "34076-0",
}  # fmt: skip
FORMS = {
    "TABLET": "C42998", "TABLET, FILM COATED": "C42931", "CAPSULE": "C25158", "KIT": "C47916",
    "INJECTION, POWDER, LYOPHILIZED, FOR SOLUTION": "C42957", "BOTTLE": "C43169",
    "VIAL, SINGLE-DOSE": "C43215", "BLISTER PACK": "C43168",
}  # fmt: skip
ROUTES = {"ORAL": "C38288", "INTRAVENOUS": "C38276", "INTRAMUSCULAR": "C28161"}
ORDER = ["about this sample label", "boxed warning", "recent major changes"]


@dataclass
class Source:
    """A label's source: its header and its sections."""

    stem: str
    header: dict[str, Any]
    sections: list[SourceSection]


def read_source(stem: str) -> Source:
    """Return a source; with a `base`, missing sections come from that source."""
    _, header_text, body = (SOURCES / f"{stem}.md").read_text(encoding="utf-8").split("+++\n", 2)
    header = tomllib.loads(header_text)
    sections = read_sections(body, str(header["effective"]))
    if base_stem := header.get("base"):
        base = read_source(str(base_stem))
        stated = {section.key for section in sections}
        sections += [section for section in base.sections if section.key not in stated]
        sections.sort(key=_rank)
        header = base.header | header
    return Source(stem, header, sections)


def _rank(section: SourceSection) -> tuple[int, int]:
    if section.number:
        return (1, int(section.number.split(".")[0]))
    return (0, ORDER.index(section.key)) if section.key in ORDER else (2, 0)


def _id(*parts: object) -> str:
    return str(uuid.uuid5(IDS, ":".join(map(str, parts))))


def _code(parent: Element, code: str | None, system: str, name: str = "") -> None:
    attributes = {"code": code, "codeSystem": system} if code else {"codeSystem": system}
    element(parent, "code", **attributes, **({"displayName": name} if name else {}))


def build(source: Source) -> bytes:
    """The label as SPL XML."""
    header = source.header
    label = str(header["set"])
    root = etree.Element(f"{{{NS}}}document", nsmap=NAMESPACES)
    root.set(f"{{{XSI}}}schemaLocation", f"{NS} https://www.accessdata.fda.gov/spl/schema/spl.xsd")
    element(root, "id", root=_id("document", label, header["version"]))
    _code(root, header["type"], LOINC, DOCUMENT_TYPES[header["type"]])
    title = element(root, "title", str(header["title"]))
    element(title, "br").tail = f"Sample label {PURPOSE}"
    element(root, "effectiveTime", value=str(header["effective"]))
    element(root, "setId", root=_id("set", label))
    element(root, "versionNumber", value=str(header["version"]))
    organisation = element(
        element(element(root, "author"), "assignedEntity"), "representedOrganization"
    )
    element(organisation, "id", root="1.3.6.1.4.1.519.1", extension="000000000")
    element(organisation, "name", "clinrag sample")
    body = element(element(root, "component"), "structuredBody")
    _product_section(body, source)
    narrative = Narrative({s.number: s.title.split(" ", 1)[1] for s in source.sections if s.number})
    for section in source.sections:
        _section(body, section, label, narrative)
    root.addprevious(etree.ProcessingInstruction("xml-stylesheet", STYLESHEET))
    tree = etree.ElementTree(root)
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _section(
    parent: Element, source: SourceSection, label: str, narrative: Narrative, above: str = ""
) -> None:
    """Append a section with its text, highlights and subsections."""
    key = source.key if source.number else f"{above}{source.key}"
    name = key if source.number else key.replace(" ", "_")
    section = element(element(parent, "component"), "section", ID=f"S{name}")
    element(section, "id", root=_id("section", label, key))
    _code(section, source.loinc or NUMBERED.get(source.number, UNCLASSIFIED), LOINC)
    narrative.inline(element(section, "title"), source.title)
    if any(line.strip() for line in source.lines):
        narrative.body(element(section, "text"), source.lines)
    element(section, "effectiveTime", value=source.effective)
    if source.highlights:
        highlight = element(element(section, "excerpt"), "highlight")
        narrative.body(
            element(highlight, "text"), [line[1:].removeprefix(" ") for line in source.highlights]
        )
    for child in source.children:
        _section(section, child, label, narrative, f"{key}/")


def _product_section(body: Element, source: Source) -> None:
    """Append the product data section: packages, ingredients, approval and routes."""
    section = element(element(body, "component"), "section")
    element(section, "id", root=_id("section", source.header["set"], "product data"))
    _code(section, "48780-1", LOINC, "SPL PRODUCT DATA ELEMENTS SECTION")
    element(section, "effectiveTime", value=str(source.header["effective"]))
    for product in source.header["product"]:
        outer = element(element(section, "subject"), "manufacturedProduct")
        inner = element(outer, "manufacturedProduct")
        _code(inner, product["ndc"], NDC)
        _substances(inner, product)
        package = element(inner, "asContent")
        _quantity(package, product.get("package", "30"))
        container = element(package, "containerPackagedProduct")
        _code(container, f"{product['ndc']}-01", NDC)
        _form(container, product.get("container", "BOTTLE"))
        for part in product.get("part", []):
            holder = element(inner, "part")
            _quantity(holder, str(part["count"]))
            _substances(element(holder, "partProduct"), part)
        approval = element(element(outer, "subjectOf"), "approval")
        _code(approval, "C73627", NCI, "unapproved drug other")
        act = element(element(outer, "subjectOf"), "marketingAct")
        _code(act, "C53292", NCI)
        element(act, "statusCode", code="completed")
        for route in product["routes"]:
            administration = element(element(outer, "consumedIn"), "substanceAdministration")
            element(
                administration, "routeCode", code=ROUTES[route], codeSystem=NCI, displayName=route
            )


def _form(parent: Element, form: str) -> None:
    element(parent, "formCode", code=FORMS[form], codeSystem=NCI, displayName=form)


def _quantity(parent: Element, numerator: str, denominator: str = "1") -> None:
    quantity = element(parent, "quantity")
    for tag, text in (("numerator", numerator), ("denominator", denominator)):
        value, _, unit = text.partition(" ")
        element(quantity, tag, value=value, unit=unit or "1")


def _substances(parent: Element, product: dict[str, Any]) -> None:
    """Append a product's name, form, generic name and ingredients."""
    element(parent, "name", str(product["name"]))
    _form(parent, product["form"])
    generic = element(element(parent, "asEntityWithGeneric"), "genericMedicine")
    element(generic, "name", str(product["generic"]))
    for active in product.get("active", []):
        kind = "ACTIM" if "moiety" in active else "ACTIB"
        ingredient = element(parent, "ingredient", classCode=kind)
        _quantity(ingredient, active["strength"], active.get("per", "1"))
        substance = element(ingredient, "ingredientSubstance")
        if "unii" in active:
            _code(substance, active["unii"], UNII)
        element(substance, "name", active["substance"])
        moiety = element(element(substance, "activeMoiety"), "activeMoiety")
        if code := active.get("moiety_unii", active.get("unii")):
            _code(moiety, code, UNII)
        element(moiety, "name", active.get("moiety", active["substance"]))
    for name in product.get("inactive", []):
        ingredient = element(parent, "ingredient", classCode="IACT")
        element(element(ingredient, "ingredientSubstance"), "name", name)


def update_checksums(manifest: Path) -> None:
    """Update `sha256` below every `path = "labels/..."` of the manifest."""

    def renewed(match: re.Match[str]) -> str:
        digest = hashlib.sha256((manifest.parent / match[2]).read_bytes()).hexdigest()
        return f'{match[1]}sha256 = "{digest}"'

    text = manifest.read_text(encoding="utf-8")
    pattern = r'(path = "(labels/[^"]+)"\n)sha256 = "[0-9a-f]*"'
    manifest.write_text(re.sub(pattern, renewed, text), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write the labels, or with `--check` only compare; return 1 if one is out of date."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    stale: list[str] = []
    for path in sorted(SOURCES.glob("*.md")):
        target = LABELS / f"{path.stem}.xml"
        data = build(read_source(path.stem))
        if not target.exists() or target.read_bytes() != data:
            stale.append(target.name)
            if "--check" not in arguments:
                target.write_bytes(data)
    if "--check" not in arguments:
        update_checksums(HERE / "corpus.toml")
    logging.info("%d labels %s", len(stale), "out of date" if "--check" in arguments else "written")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

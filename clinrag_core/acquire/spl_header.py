"""Reads the identity of an SPL document and checks that its XML is complete.

`clinrag_core.parse` reads the text of the label.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from clinrag_core.errors import ParseError

_DECLARATIONS = (b"<!ENTITY", b"<!DOCTYPE")
_PROLOG_BYTES = 4096
"""Bytes searched before libxml2 sees them; a later declaration is refused after parsing."""


@dataclass(frozen=True, slots=True)
class SplHeader:
    """Identity of an SPL document; `set_id` is in lower case."""

    set_id: str | None
    version: int | None
    type_code: str | None


def read_spl_header(data: bytes, name: str) -> SplHeader:
    """Return the identity of an SPL document after checking that it is well-formed.

    Raises:
        ParseError: `not_xml` (not well-formed, or incomplete), `xml_doctype` (a document type
            declaration, which no SPL has and which can contain entity bombs), `not_spl`.
    """
    head = data[:_PROLOG_BYTES].replace(b"\0", b"").upper()  # UTF-16 as well
    if any(mark in head for mark in _DECLARATIONS):
        raise ParseError("declares a document type", code="xml_doctype", file=name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = f"line {error.lineno}" if error.lineno else None
        raise ParseError(
            f"not well-formed XML: {error.msg}", code="not_xml", file=name, place=line
        ) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ParseError("declares a document type", code="xml_doctype", file=name)
    if etree.QName(root).localname != "document":
        raise ParseError(
            f"the root element is <{etree.QName(root).localname}>, not an SPL <document>",
            code="not_spl",
            file=name,
        )

    def attribute(child: str, name: str) -> str | None:
        element = root.find(f"{{*}}{child}")
        value = None if element is None else element.get(name)
        return None if value is None else value.strip().lower()

    version = attribute("versionNumber", "value")
    return SplHeader(
        set_id=attribute("setId", "root"),
        version=int(version) if version is not None and version.isdecimal() else None,
        type_code=attribute("code", "code"),
    )

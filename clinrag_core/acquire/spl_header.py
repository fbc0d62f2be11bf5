"""The head of an SPL document: enough to know which label, which version and that it is whole.

Reading what the label says is `clinrag_core.parse`'s task.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from clinrag_core.errors import ParseError

_DECLARATIONS = (b"<!ENTITY", b"<!DOCTYPE")
_DTD_WINDOW = 4096


@dataclass(frozen=True, slots=True)
class SplHeader:
    """Identity of an SPL document; set id and document id in lower case."""

    set_id: str | None
    version: int | None
    document_id: str | None
    type_code: str | None


def read_spl_header(data: bytes, name: str) -> SplHeader:
    """Check that the bytes are one well-formed SPL document and read its identity.

    Raises:
        ParseError: `not_xml` (not well-formed, or cut off), `xml_doctype` (a document type
            declaration, which no SPL has and which can hide entity bombs), `not_spl`.
    """
    head = data[:_DTD_WINDOW].replace(b"\0", b"").upper()  # UTF-16 as well
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
        document_id=attribute("id", "root"),
        type_code=attribute("code", "code"),
    )

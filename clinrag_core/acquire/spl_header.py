"""Reads untrusted SPL bytes as a checked XML tree, and the identity of the document.

The only reader of label XML: the check of a new file and `clinrag_core.parse` both use it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from clinrag_core.errors import ParseError

Element = etree._Element  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - lxml has no public name for it

NAMESPACE = "urn:hl7-org:v3"
_MAX_BYTES = 64 * 2**20
"""60 times the largest file of the reference labels."""
_DECLARATIONS = (b"<!ENTITY", b"<!DOCTYPE")
_PROLOG_BYTES = 4096
"""Bytes searched before libxml2 sees them; a later declaration is refused after parsing."""


@dataclass(frozen=True, slots=True)
class SplHeader:
    """Identity of an SPL document; `set_id` is in lower case."""

    set_id: str | None
    version: int | None
    type_code: str | None


def safe_parser() -> etree.XMLParser:
    """Return a parser for untrusted XML: no entity, no DTD, no network, no huge tree."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )


def read_spl(data: bytes, name: str) -> Element:
    """Return the root of an SPL document.

    Raises:
        ParseError: `not_xml` (not well-formed, or incomplete), `xml_doctype` (a document type
            declaration, which no SPL has and which can contain entity bombs), `not_spl`,
            `too_large`.
    """
    if len(data) > _MAX_BYTES:
        raise ParseError(
            f"more than {_MAX_BYTES:,} bytes of XML; no label is that large",
            code="too_large",
            file=name,
        )
    head = data[:_PROLOG_BYTES].replace(b"\0", b"").upper()  # UTF-16 as well
    if any(mark in head for mark in _DECLARATIONS):
        raise ParseError("declares a document type", code="xml_doctype", file=name)
    try:
        root = etree.fromstring(data, safe_parser())
    except etree.XMLSyntaxError as error:
        line = f"line {error.lineno}" if error.lineno else None
        raise ParseError(
            f"not well-formed XML: {error.msg}", code="not_xml", file=name, place=line
        ) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ParseError("declares a document type", code="xml_doctype", file=name)
    if root.tag != f"{{{NAMESPACE}}}document":
        raise ParseError(
            f"the root element is {root.tag!r}, not 'document' of {NAMESPACE}",
            code="not_spl",
            file=name,
        )
    return root


def read_spl_header(data: bytes, name: str) -> SplHeader:
    """Return the identity of an SPL document; raises as `read_spl`."""
    root = read_spl(data, name)

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

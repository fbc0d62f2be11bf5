"""Bytes to a checked SPL element tree, and the small helpers every SPL module needs.

No entity is resolved, no DTD is loaded, nothing is fetched: a label is untrusted input.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zlib
from gzip import BadGzipFile, GzipFile
from typing import TYPE_CHECKING

from lxml import etree

from clinrag_core.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

Element = etree._Element  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - lxml has no public name for it

NAMESPACE = "urn:hl7-org:v3"
V3 = f"{{{NAMESPACE}}}"
# Invisible characters nobody quotes: byte order mark, soft hyphen, zero-width space, word joiner.
INVISIBLE = "\ufeff\u00ad\u200b\u2060"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
MAX_BYTES = 64 * 2**20
_GZIP = b"\x1f\x8b"
_DATE = re.compile(r"(\d{4})(\d{2})?(\d{2})?")


def safe_parser() -> etree.XMLParser:
    """A parser for untrusted XML: no entity, no DTD, no network, no bomb."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )


def read_root(data: bytes, file: str) -> Element:
    """Parse bytes as an SPL document and return its root; XML compressed by gzip is unpacked.

    Raises:
        ParseError: empty, too large, an archive, not well-formed, has a DTD, or not `document` of
            HL7 v3.
    """
    if data.startswith(_GZIP):
        data = _unpacked(data, file)
    if not data.strip():
        raise ParseError("the file is empty: fetch it again", code="empty_file", file=file)
    if len(data) > MAX_BYTES:
        raise ParseError(
            f"more than {MAX_BYTES:,} bytes of XML: no label is that large",
            code="too_large",
            file=file,
        )
    if data.startswith((_GZIP, b"PK\x03\x04")):
        raise ParseError(
            "the file is compressed: unpack the XML inside it first", code="archive", file=file
        )
    try:
        root = etree.fromstring(data, safe_parser())
    except etree.XMLSyntaxError as error:
        raise ParseError(
            f"not well-formed XML: {error.msg}",
            code="xml_malformed",
            file=file,
            place=f"line {error.lineno}",
        ) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ParseError(
            "the file declares a DTD, which no SPL label does", code="xml_dtd", file=file
        )
    if root.tag != f"{V3}document":
        raise ParseError(
            f"root element is {root.tag!r}, not 'document' of {NAMESPACE}",
            code="not_spl",
            file=file,
            place=f"line {root.sourceline}",
        )
    return root


def _unpacked(data: bytes, file: str) -> bytes:
    """What a gzip file holds; of a file that unpacks to more than the limit, one byte more."""
    try:
        with GzipFile(fileobj=io.BytesIO(data)) as packed:
            return packed.read(MAX_BYTES + 1)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise ParseError(
            f"a gzip file that cannot be unpacked ({error}): fetch it again",
            code="archive",
            file=file,
        ) from error


def path(names: str) -> str:
    """A find path in the HL7 namespace: `path("code/name")`."""
    return "/".join(n if n in {".", "..", "*", ""} else f"{V3}{n}" for n in names.split("/"))


def local(element: Element) -> str:
    """Tag without its namespace."""
    return element.tag.rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    """Direct children of that name."""
    return element.iterchildren(f"{V3}{name}")


def attribute(element: Element | None, names: str, name: str) -> str | None:
    """Attribute of the first element at a path below; None where either is absent or blank."""
    found = element.find(path(names)) if element is not None and names else element
    value = (found.get(name) or "").strip() if found is not None else ""
    return value or None


def squeeze(text: str) -> str:
    """Drop invisible characters; every run of white space, no-break spaces too, is one space."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split())


def raw_text(element: Element) -> str:
    """All text below an element as it stands in the file."""
    return "".join(str(text) for text in element.itertext())


def flat_text(element: Element | None) -> str:
    """All text below an element on one line; None gives an empty string."""
    return squeeze(raw_text(element)) if element is not None else ""


def hl7_date(value: str | None) -> dt.date | None:
    """Date of an HL7 time stamp (YYYY[MM[DD...]]); None where it is absent or not a date."""
    match = _DATE.match(value or "")
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        return dt.date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None

"""Recognises the format of a document by its bytes, for manifests that do not state one.

Belongs here: which of the formats bytes are in. Whether they are usable is checked by `magic` and
by the parsers.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from clinrag_core.acquire.archive import DEFAULT_LIMITS, gunzip, label_in_zip
from clinrag_core.acquire.magic import (
    COMMENTS,
    GZIP,
    PDF_WINDOW,
    ZIP,
    check_payload,
    check_text,
    refuse_empty,
)
from clinrag_core.acquire.spl_header import NAMESPACE
from clinrag_core.errors import ParseError

if TYPE_CHECKING:
    from clinrag_core.model.source import Format

_ROOT_BYTES = 4096
"""Bytes searched for the namespace of SPL: it is declared on the root element."""
_OFFICE = re.compile(rb"\[Content_Types\]\.xml|mimetypeapplication/")
"""Names at the start of Office (OPC) and OpenDocument or EPUB packages."""
_HTML = re.compile(
    COMMENTS + rb"<(?:!doctype\s+html|html|head|body|title|meta|article|main|div|p|h[1-6]|"
    rb"table)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
"""A page, or a part of one that was saved: it begins with an element."""
_MARKDOWN = re.compile(rb"^#{1,6} +\S|^ {0,3}\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:? *)?$", re.M)
"""An ATX heading or the delimiter row of a table (CommonMark 4.2, GFM 4.10). Underlines are no
sign: plain text has them too."""


def recognise(data: bytes, name: str) -> Format:
    """Return the format of a document's bytes; the file name only appears in errors.

    Raises:
        ParseError: `empty_file`, `office_file`, `not_openfda`, `unknown_format`, `not_text`, or
            what a damaged archive gives.
    """
    refuse_empty(data, name)
    if data.startswith(GZIP):
        data = gunzip(data, name, DEFAULT_LIMITS)
    if data.startswith(ZIP):
        if _OFFICE.search(data[:_ROOT_BYTES]):
            raise ParseError(
                "an Office document or e-book: save it as PDF or HTML",
                code="office_file",
                file=name,
            )
        label_in_zip(data, name, DEFAULT_LIMITS)
        return "spl"
    if b"%PDF-" in data[:PDF_WINDOW]:
        return "pdf"
    text = check_text(data, name).data
    start = text.removeprefix(codecs.BOM_UTF8).lstrip()
    if _HTML.match(start):
        return "html"
    if start.startswith((b"{", b"[{")):
        check_payload(data, "openfda", name)
        return "openfda"
    if start.startswith((b"<?xml", b"<document")):
        return _of_xml(start, name)
    return "markdown" if _MARKDOWN.search(text.replace(b"\r\n", b"\n")) else "text"


def _of_xml(data: bytes, name: str) -> Format:
    """Return the format of an XML document: SPL, or a web page written as XML."""
    head = data[:_ROOT_BYTES]
    if NAMESPACE.encode() in head:
        return "spl"
    if _HTML.match(head.partition(b"?>")[2].lstrip()):
        return "html"
    raise ParseError(
        f"XML, but no drug label: its root is not of {NAMESPACE}", code="unknown_format", file=name
    )

"""Checks that bytes have their declared format, by the bytes and never by the file name.

Packed files are unpacked here, so that the stored bytes are those that a parser reads. Parsers
decide whether the content is usable.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from clinrag_core.acquire.api import ApiRecord, first_problem
from clinrag_core.acquire.archive import DEFAULT_LIMITS, ArchiveLimits, gunzip, label_in_zip
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.model.source import Format

PDF_WINDOW = 1024
"""Readers accept `%PDF-` anywhere in the first 1024 bytes (PDF 1.7, appendix H.3.4.1)."""
_HEAD_BYTES = 4096
"""Bytes searched for the root element of HTML, and from the end for `%%EOF`."""
_CHALLENGE_BYTES = 64 * 1024
"""Bot challenges are short pages; a longer page that mentions one is a document."""
GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TAG = re.compile(
    rb"<(!doctype html|html|head|body|title|meta|div|p|h[1-6]|table|[uo]l|main)[\s>]", re.IGNORECASE
)
COMMENTS = rb"(?>(?:<!--.*?-->\s*)*)"
"""Comments before the root. Atomic: else n comments before plain text take 2^n steps."""
_HTML_ROOT = re.compile(rb"^\s*" + COMMENTS + rb"<(!doctype\s+html|html)[\s>]", re.I | re.S)
_CHALLENGE = re.compile(
    rb"<title>\s*(Just a moment|Attention Required|Access Denied|Robot Check|Pardon Our|"
    rb"Are you a robot|Verify you are human)"
    rb"|Enable JavaScript and cookies to continue|Checking your browser before"
    rb"|cf-browser-verification|challenge-platform|_Incapsula_Resource|cf_chl_opt"
    rb"|Checking that you are not a bot",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes that a parser can read, and the codes of what was done to them."""

    data: bytes
    notes: tuple[str, ...] = ()
    """Stable codes: `gunzipped`, `unzipped`, `utf16`, `utf8_bom`, `pdf_offset`, `pdf_no_eof`."""


class OpenFdaFile(ApiRecord):
    """A reply of openFDA's label search with exactly one label."""

    meta: dict[str, object] = Field(default_factory=dict[str, object])
    results: list[dict[str, object]] = Field(min_length=1, max_length=1)


def check_payload(
    data: bytes, form: Format, name: str, limits: ArchiveLimits = DEFAULT_LIMITS
) -> Payload:
    """Unpack the bytes if they are packed, and check that they have the declared format.

    Raises:
        ParseError: with a code such as `empty_file`, `html_named_pdf`, `not_pdf`, `not_xml`,
            `bot_challenge`, `zip_bomb`.
    """
    refuse_empty(data, name)
    notes: list[str] = []
    if data.startswith(GZIP):
        data = gunzip(data, name, limits)
        notes.append("gunzipped")
    if form == "spl" and data.startswith(ZIP):
        data = label_in_zip(data, name, limits)
        notes.append("unzipped")
        if data.startswith(GZIP):  # some published zips contain gzip data named .xml
            data = gunzip(data, name, limits)
            notes.append("gunzipped")
    refuse_empty(data, name)
    payload = _CHECKS[form](data, name)
    return Payload(payload.data, (*notes, *payload.notes))


def refuse_empty(data: bytes, name: str) -> None:
    """Raise ParseError `empty_file` if the bytes are only white space."""
    if not data.strip(b" \t\r\n\0" + codecs.BOM_UTF8):
        problem = "contains only white space" if data else "is empty"
        raise ParseError(f"the file {problem}; fetch it again", code="empty_file", file=name)


def _is_html(data: bytes) -> bool:
    return bool(_HTML_ROOT.match(data[:_HEAD_BYTES].removeprefix(codecs.BOM_UTF8)))


def _refuse_challenge(data: bytes, name: str) -> None:
    if len(data) < _CHALLENGE_BYTES and _CHALLENGE.search(data):
        raise ParseError(
            "a bot challenge instead of the document; download it in a browser and save it in "
            "the drop folder",
            code="bot_challenge",
            file=name,
        )


def check_pdf(data: bytes, name: str) -> Payload:
    """Check the PDF header; an offset header and a missing end marker are only noted.

    Raises:
        ParseError: `html_named_pdf` or `not_pdf`.
    """
    offset = data[:PDF_WINDOW].find(b"%PDF-")
    if offset < 0:
        if _is_html(data):
            raise ParseError(
                "a web page instead of a PDF, as sites with a login send; download the PDF in a "
                "browser and save it in the drop folder",
                code="html_named_pdf",
                file=name,
            )
        raise ParseError("no PDF header in its first 1024 bytes", code="not_pdf", file=name)
    notes = ["pdf_offset"] if offset else []
    if b"%%EOF" not in data[-_HEAD_BYTES:]:
        notes.append("pdf_no_eof")
    return Payload(data, tuple(notes))


def check_html(data: bytes, name: str) -> Payload:
    """Check that text has an HTML element and is the document, not a bot challenge.

    Raises:
        ParseError: `not_text`, `not_html` or `bot_challenge`.
    """
    payload = check_text(data, name)
    if payload.data.lstrip()[:1] in {b"{", b"["} or not _TAG.search(payload.data):
        raise ParseError("contains no HTML element", code="not_html", file=name)
    _refuse_challenge(payload.data, name)
    return payload


def check_text(data: bytes, name: str) -> Payload:
    """Check text, Markdown or HTML; UTF-16 with a byte order mark is converted to UTF-8."""
    notes = ("utf8_bom",) if data.startswith(codecs.BOM_UTF8) else ()
    if data.startswith(_UTF16):
        try:
            data, notes = data.decode("utf-16").encode(), ("utf16",)
        except UnicodeError as error:
            raise ParseError(f"damaged UTF-16: {error}", code="not_text", file=name) from error
    if b"\0" in data or data.startswith((b"%PDF-", b"PK\x03\x04")):
        raise ParseError("contains binary data, not text", code="not_text", file=name)
    return Payload(data, notes)


def _check_plain(data: bytes, name: str) -> Payload:
    payload = check_text(data, name)
    if _is_html(payload.data):
        _refuse_challenge(payload.data, name)
        raise ParseError("a web page instead of plain text", code="html_named_text", file=name)
    return payload


def _check_spl(data: bytes, name: str) -> Payload:
    if _is_html(data):
        raise ParseError("a web page instead of XML", code="html_named_xml", file=name)
    read_spl_header(data, name)
    notes = ("utf16",) if data.startswith(_UTF16) else ()
    return Payload(data, ("utf8_bom",) if data.startswith(codecs.BOM_UTF8) else notes)


def openfda_file(data: bytes, name: str) -> OpenFdaFile:
    """Return a reply of openFDA's label search.

    Raises:
        ParseError: `not_json`, `html_named_json` or `not_openfda`.
    """
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        code = "html_named_json" if _is_html(data) else "not_json"
        raise ParseError(f"not JSON: {error}", code=code, file=name) from error
    try:
        return OpenFdaFile.model_validate(value)
    except ValidationError as error:
        place, problem = first_problem(error)
        raise ParseError(
            f"not a reply with exactly one label: {problem}",
            code="not_openfda",
            file=name,
            place=place,
        ) from error


def _check_openfda(data: bytes, name: str) -> Payload:
    openfda_file(data, name)
    return Payload(data)


_CHECKS: dict[Format, Callable[[bytes, str], Payload]] = {
    "pdf": check_pdf,
    "html": check_html,
    "text": _check_plain,
    "markdown": _check_plain,
    "spl": _check_spl,
    "openfda": _check_openfda,
}

"""Bytes -> text for the formats that are text, with the gates they share.

Refuses what is empty, too large or binary; decodes by byte order mark, declared charset, UTF-8,
then windows-1252, and says which in a warning where it had to guess.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.errors import ParseError
from clinrag_core.model.document import Document, ParseWarning
from clinrag_core.parse.assemble.characters import private_use

if TYPE_CHECKING:
    from clinrag_core.model.section import Section
    from clinrag_core.model.source import DocumentSource

MAX_TEXT_BYTES = 64 * 2**20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY = ((b"%PDF-", "a PDF"), (b"PK\x03\x04", "a zip archive"), (b"\x89PNG", "an image"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and how it was decoded."""

    text: str
    encoding: str
    warnings: tuple[ParseWarning, ...] = ()


def check_size(data: bytes, source: DocumentSource, limit: int) -> None:
    """Refuse an empty file and one above `limit` bytes.

    Raises:
        ParseError: `empty_document` or `too_large`.
    """
    if not data.strip():
        raise ParseError("the file is empty", code="empty_document", file=source.file.name)
    if len(data) > limit:
        raise ParseError(
            f"{len(data):,} bytes are more than the {limit:,} accepted: split the document",
            code="too_large",
            file=source.file.name,
        )


def decode(data: bytes, source: DocumentSource, *, declared: str | None = None) -> Decoded:
    """Decode a text file.

    Args:
        data: the bytes.
        source: what the manifest says; names the file in errors.
        declared: charset the document states, tried after a byte order mark.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text` (binary, NUL bytes, or bytes that are
            neither UTF-8 nor windows-1252).
    """
    check_size(data, source, MAX_TEXT_BYTES)
    for magic, what in _BINARY:
        if data.startswith(magic):
            raise ParseError(
                f"this is {what}, not text: name its real format in the manifest",
                code="not_text",
                file=source.file.name,
            )
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding, source)
    if b"\x00" in data:
        raise ParseError(
            "NUL bytes: this is a binary file, not text",
            code="not_text",
            file=source.file.name,
            place=f"byte {data.index(0)}",
        )
    tried = [e for e in (_known(declared), "utf-8") if e]
    for encoding in dict.fromkeys(tried):
        try:
            return Decoded(data.decode(encoding), encoding)
        except UnicodeDecodeError:
            continue  # the next encoding in order; the last one raises
    return _guessed(data, source)


def character_warnings(text: str) -> tuple[ParseWarning, ...]:
    """Warnings that count replacement and private-use characters."""
    counts = (
        ("replacement_characters", text.count("\ufffd")),
        ("private_use_characters", private_use(text)),
    )
    return tuple(
        ParseWarning(code=code, message=f"{count} characters without meaning")
        for code, count in counts
        if count
    )


def document(
    source: DocumentSource,
    parser: str,
    title: str,
    sections: tuple[Section, ...],
    warnings: tuple[ParseWarning, ...] = (),
    pages: int | None = None,
    running_characters: int | None = None,
) -> Document:
    """The Document of a guideline from its sections.

    Raises:
        ParseError: `empty_document` where no section holds a word.
    """
    name = source.file.name
    if not any(s.text.strip() for s in sections):
        raise ParseError("no text in the document", code="empty_document", file=name)
    return Document(
        id=source.id or name.rsplit(".", 1)[0],
        kind="guideline",
        format=source.format,
        title=title,
        file=source.file,
        parser=parser,
        organisation=source.organisation,
        year=source.year,
        topics=source.topics,
        licence=source.licence,
        pages=pages,
        running_characters=running_characters,
        sections=sections,
        warnings=warnings,
    )


def _known(declared: str | None) -> str | None:
    if not declared:
        return None
    try:
        name = codecs.lookup(declared.strip().strip("\"'")).name
    except LookupError:
        return None
    # HTML reads latin-1 as windows-1252: no page means the C1 controls.
    return "cp1252" if name in ("iso8859-1", "ascii") else name


def _strict(data: bytes, encoding: str, source: DocumentSource) -> Decoded:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ParseError(
            f"the byte order mark says {encoding}, but byte {error.start} is not",
            code="not_text",
            file=source.file.name,
            place=f"byte {error.start}",
        ) from error
    if "\x00" in text:
        raise ParseError("NUL characters", code="not_text", file=source.file.name)
    return Decoded(text, encoding)


def _guessed(data: bytes, source: DocumentSource) -> Decoded:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise ParseError(
            f"neither UTF-8 nor windows-1252 (byte {error.start}): convert it to UTF-8",
            code="not_text",
            file=source.file.name,
            place=f"byte {error.start}",
        ) from error
    warning = ParseWarning(
        code="encoding_guessed", message="not UTF-8; read as windows-1252", place=None
    )
    return Decoded(text, "cp1252", (warning,))

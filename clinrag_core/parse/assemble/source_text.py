"""Bytes -> text for the formats that are text, and the Document of every format.

Decodes by byte order mark, declared charset, UTF-8, then windows-1252; a guess is a warning.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.acquire.keys import partition_key
from clinrag_core.acquire.magic import check_text
from clinrag_core.errors import ParseError
from clinrag_core.model.document import Document, ParseWarning
from clinrag_core.parse.assemble.characters import private_use

if TYPE_CHECKING:
    from clinrag_core.model.label import Label
    from clinrag_core.model.section import Section
    from clinrag_core.model.source import DocumentSource, Format

MAX_TEXT_BYTES = 64 * 2**20  # the largest text or label of the reference corpus has 0.6 MB


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, and a warning if its encoding was guessed."""

    text: str
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

    `declared` is the charset that the document states, used unless it has a byte order mark.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text` (binary, NUL bytes, or bytes that are
            neither UTF-8 nor windows-1252).
    """
    check_size(data, source, MAX_TEXT_BYTES)
    payload = check_text(data, source.file.name)
    stated = _known(declared)
    marked = bool(payload.notes)
    for encoding in ["utf-8-sig"] if marked else [stated or "utf-8", "utf-8", "cp1252"]:
        try:
            text = payload.data.decode(encoding)
        except UnicodeDecodeError:
            continue  # the next encoding in order
        if encoding != "cp1252" or stated == "cp1252":
            return Decoded(text)
        message = "not UTF-8; read as windows-1252"
        return Decoded(text, (ParseWarning(code="encoding_guessed", message=message),))
    raise ParseError(
        "neither UTF-8 nor windows-1252: convert it to UTF-8",
        code="not_text",
        file=source.file.name,
    )


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
    label: Label | None = None,
) -> Document:
    """Return the Document of a guideline, or of a label where `label` is given.

    Raises:
        ParseError: no section has a word: `empty_document`, of a label `no_text`.
    """
    name = source.file.name
    if not any(s.text.strip() for s in sections):
        code = "no_text" if label else "empty_document"
        raise ParseError("no section has any text", code=code, file=name)
    if label is None:
        identity = source.id or name.rsplit(".", 1)[0]
    else:
        identity = label.set_id or _identity(source.format, label)
    effective = label.effective if label else None
    return Document(
        id=identity,
        kind="label" if label else "guideline",
        format=source.format,
        title=title,
        file=source.file,
        parser=parser,
        organisation=source.organisation or ("FDA" if label else None),
        year=source.year or (effective.year if effective else None),
        topics=source.topics,
        licence=source.licence,
        label=label,
        pages=pages,
        running_characters=running_characters,
        sections=sections,
        warnings=warnings,
    )


def _identity(form: Format, label: Label) -> str:
    """Return the id of a label without set id: later files of the same product replace it."""
    printed = (label.labeler, *(p.name for p in label.products[:1])) if form == "pdf" else ()
    return f"{form}-{partition_key(' '.join([label.drug, *filter(None, printed)]))}"


def _known(declared: str | None) -> str | None:
    """Return the codec of a declared charset, None if it is unknown or wrong.

    HTML reads latin-1 as windows-1252 (no page means the C1 controls), and UTF-16 as UTF-8: a
    declaration that can be read is not written in it.
    """
    try:
        name = codecs.lookup((declared or "").strip().strip("\"'")).name
    except LookupError:
        return None
    if name.startswith(("utf-16", "utf-32")):
        return None
    return "cp1252" if name in ("iso8859-1", "ascii") else name

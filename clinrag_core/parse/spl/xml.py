"""Small helpers that every SPL module needs: tags, attributes, text, dates and identity."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from clinrag_core.acquire.spl_header import NAMESPACE
from clinrag_core.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.acquire.spl_header import Element

V3 = f"{{{NAMESPACE}}}"
# Invisible characters nobody quotes: byte order mark, soft hyphen, zero-width space, word joiner.
INVISIBLE = "\ufeff\u00ad\u200b\u2060"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_DATE = re.compile(r"(\d{4})(\d{2})?(\d{2})?")
_SET_ID = re.compile(r"[0-9a-z][0-9a-z.\-]*")


def path(names: str) -> str:
    """Return a find path in the HL7 namespace: `path("code/name")`."""
    return "/".join(f"{V3}{name}" for name in names.split("/"))


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
    """Return all text below an element as it is in the file."""
    return "".join(str(text) for text in element.itertext())


def flat_text(element: Element | None) -> str:
    """Return all text below an element on one line; None gives an empty string."""
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


def checked_set_id(text: str | None, file: str, place: str) -> str:
    """Return a set id in lower case; `ParseError` `bad_set_id` if it is absent or malformed."""
    set_id = (text or "").lower()
    if not _SET_ID.fullmatch(set_id):
        raise ParseError(
            f"set id {set_id!r} is absent or malformed", code="bad_set_id", file=file, place=place
        )
    return set_id


def checked_version(text: str | None, file: str, place: str) -> int:
    """Return the version of a label; `ParseError` `bad_version` if it is not a number."""
    version = text or ""
    if not (version.isascii() and version.isdigit()):
        raise ParseError(
            f"version {version!r} is not a number", code="bad_version", file=file, place=place
        )
    return int(version)

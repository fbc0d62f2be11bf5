"""Unpacks gzip data and DailyMed's zips in memory, within limits.

Member names are never used as paths. Unsafe names, zip bombs, encryption and several labels in one
zip are refused with a code, because a guess could give the wrong label.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass

from clinrag_core.errors import ParseError

_CHUNK_BYTES = 2**20
"""Bytes unpacked before the size limit is checked again; smaller members are not bombs."""
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
"""`wbits` of zlib for data with a gzip header."""
_DOCUMENT_XML = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.xml", re.IGNORECASE)
_ENCRYPTED = 0x1
"""Flag bit 0 of a member (APPNOTE.TXT, 4.4.4)."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits on what is unpacked."""

    member_bytes: int = 64 * 2**20
    """Largest unpacked member, in bytes: 60 times the largest file of the reference labels."""
    members: int = 2_000
    """Most files in a zip; a label has one XML and its pictures."""
    ratio: int = 250
    """Largest ratio of unpacked to packed size of a member above 1 MiB; SPL XML has 5 to 9."""


DEFAULT_LIMITS = ArchiveLimits()


def gunzip(data: bytes, name: str, limits: ArchiveLimits = DEFAULT_LIMITS) -> bytes:
    """Return unpacked gzip data; several members are joined.

    Raises:
        ParseError: `gzip_corrupt`, `gzip_truncated` or `gzip_bomb`.
    """
    out = bytearray()
    rest = data
    try:
        while rest:
            unpacker = zlib.decompressobj(wbits=_GZIP_WINDOW)
            while rest and not unpacker.eof:
                out += unpacker.decompress(rest, _CHUNK_BYTES)
                rest = unpacker.unconsumed_tail
                if len(out) > limits.member_bytes:
                    raise ParseError(
                        f"unpacks to more than {limits.member_bytes} bytes",
                        code="gzip_bomb",
                        file=name,
                    )
            if not unpacker.eof:
                raise ParseError(
                    "the gzip data are incomplete; fetch the file again",
                    code="gzip_truncated",
                    file=name,
                )
            rest = unpacker.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise ParseError(f"damaged gzip data: {error}", code="gzip_corrupt", file=name) from error
    return bytes(out)


def label_in_zip(
    data: bytes, name: str, limits: ArchiveLimits = DEFAULT_LIMITS, *, nested: bool = False
) -> bytes:
    """Return the label's XML from a zip of one label, as DailyMed publishes it.

    Such a zip contains `<document id>.xml` and pictures. A release file of one label contains that
    zip, so one nested zip is unpacked.

    Raises:
        ParseError: `zip_corrupt`, `zip_encrypted`, `zip_unsafe_name`, `zip_bomb`,
            `zip_without_label` or `zip_ambiguous`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            _check_whole(archive.infolist(), name)
            _check_members(members, name, limits)
            member = _label_member(members, name, nested=nested)
            payload = archive.read(member)  # at most the size checked above
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise ParseError(f"damaged zip: {error}", code="zip_corrupt", file=name) from error
    if member.filename.lower().endswith(".zip"):
        return label_in_zip(payload, f"{name}/{member.filename}", limits, nested=True)
    return payload


def _check_whole(members: list[zipfile.ZipInfo], name: str) -> None:
    """Refuse an incomplete zip of zips: its last complete inner zip would be read instead."""
    if members and min(member.header_offset for member in members) != 0:
        raise ParseError(
            "damaged zip: it does not begin with its first file; fetch it again",
            code="zip_corrupt",
            file=name,
        )


def _check_members(members: list[zipfile.ZipInfo], name: str, limits: ArchiveLimits) -> None:
    """Refuse members with unsafe names, encrypted members and members beyond the limits."""
    if len(members) > limits.members:
        raise ParseError(
            f"contains {len(members)} files, more than {limits.members}", code="zip_bomb", file=name
        )
    for member in members:
        place = ascii(member.filename)
        parts = re.split(r"[/\\]", member.filename)
        if ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in member.filename:
            raise ParseError(
                "a member has an unsafe name", code="zip_unsafe_name", file=name, place=place
            )
        if member.flag_bits & _ENCRYPTED:
            raise ParseError("a member is encrypted", code="zip_encrypted", file=name, place=place)
        packed = max(member.compress_size, 1)
        bomb = member.file_size > _CHUNK_BYTES and member.file_size > limits.ratio * packed
        if bomb or member.file_size > limits.member_bytes:
            raise ParseError(
                f"unpacks from {packed} to {member.file_size} bytes",
                code="zip_bomb",
                file=name,
                place=place,
            )


def _label_member(members: list[zipfile.ZipInfo], name: str, *, nested: bool) -> zipfile.ZipInfo:
    """Return the member named by a document id, else the only XML, else the only nested zip."""
    names = {member: member.filename.rpartition("/")[2].lower() for member in members}
    labels = [m for m in members if _DOCUMENT_XML.fullmatch(names[m])]
    labels = labels or [m for m in members if names[m].endswith(".xml")]
    if not labels and not nested:
        labels = [m for m in members if names[m].endswith(".zip")]
    if not labels:
        raise ParseError("the zip contains no label XML", code="zip_without_label", file=name)
    if len(labels) > 1:
        raise ParseError(
            f"the zip contains {len(labels)} labels; a file must contain one label",
            code="zip_ambiguous",
            file=name,
        )
    return labels[0]

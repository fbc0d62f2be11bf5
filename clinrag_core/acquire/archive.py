"""Unpacking gzip and DailyMed's zips in memory, within limits.

Member names are never used as paths. Anything odd (unsafe names, bombs, encryption, two labels in
one zip) is refused with a code, because a wrong guess here is a wrong label there.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass

from clinrag_core.errors import ParseError

_CHUNK = 1 << 20
_DOCUMENT_XML = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.xml", re.IGNORECASE)
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may cost."""

    member_bytes: int = 64 * 2**20
    """Largest unpacked member, in bytes."""
    members: int = 2_000
    ratio: int = 250
    """Most times a member larger than 1 MiB may be of its packed size (SPL XML packs about 6:1)."""


DEFAULT_LIMITS = ArchiveLimits()


def gunzip(data: bytes, name: str, limits: ArchiveLimits = DEFAULT_LIMITS) -> bytes:
    """Unpack gzip data (several members follow each other as one).

    Raises:
        ParseError: `gzip_corrupt`, `gzip_truncated` or `gzip_bomb`.
    """
    out = bytearray()
    rest = data
    try:
        while rest:
            unpacker = zlib.decompressobj(wbits=31)
            while rest and not unpacker.eof:
                out += unpacker.decompress(rest, _CHUNK)
                rest = unpacker.unconsumed_tail
                if len(out) > limits.member_bytes:
                    raise ParseError(
                        f"unpacks to more than {limits.member_bytes} bytes",
                        code="gzip_bomb",
                        file=name,
                    )
            if not unpacker.eof:
                raise ParseError("the gzip data end early", code="gzip_truncated", file=name)
            rest = unpacker.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise ParseError(f"damaged gzip data: {error}", code="gzip_corrupt", file=name) from error
    return bytes(out)


def label_in_zip(
    data: bytes, name: str, limits: ArchiveLimits = DEFAULT_LIMITS, *, nested: bool = False
) -> bytes:
    """The label's XML in a single-label zip as DailyMed ships it.

    Such a zip holds `<document id>.xml` and pictures; a release file of one label holds that zip
    inside itself, which is followed once.

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
            payload = archive.read(member)  # never more than the size checked above
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise ParseError(f"damaged zip: {error}", code="zip_corrupt", file=name) from error
    if member.filename.lower().endswith(".zip"):
        return label_in_zip(payload, f"{name}/{member.filename}", limits, nested=True)
    return payload


def _unsafe(member: str) -> bool:
    parts = re.split(r"[/\\]", member)
    return ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in member


def _check_whole(members: list[zipfile.ZipInfo], name: str) -> None:
    """A zip cut inside shows the directory of a zip inside it: one label of many, by accident."""
    if members and min(member.header_offset for member in members) != 0:
        raise ParseError(
            "damaged zip: its files do not begin where it begins; fetch it again",
            code="zip_corrupt",
            file=name,
        )


def _check_members(members: list[zipfile.ZipInfo], name: str, limits: ArchiveLimits) -> None:
    if len(members) > limits.members:
        raise ParseError(f"holds {len(members)} files", code="zip_bomb", file=name)
    for member in members:
        place = ascii(member.filename)
        if _unsafe(member.filename):
            raise ParseError(
                "a file in it has an unsafe name", code="zip_unsafe_name", file=name, place=place
            )
        if member.flag_bits & _ENCRYPTED:
            raise ParseError("is encrypted", code="zip_encrypted", file=name, place=place)
        packed = max(member.compress_size, 1)
        bomb = member.file_size > _CHUNK and member.file_size > limits.ratio * packed
        if bomb or member.file_size > limits.member_bytes:
            raise ParseError(
                f"unpacks from {packed} to {member.file_size} bytes",
                code="zip_bomb",
                file=name,
                place=place,
            )


def _label_member(members: list[zipfile.ZipInfo], name: str, *, nested: bool) -> zipfile.ZipInfo:
    base = {m.filename: m.filename.rpartition("/")[2] for m in members}
    found = [m for m in members if _DOCUMENT_XML.fullmatch(base[m.filename])]
    found = found or [m for m in members if base[m.filename].lower().endswith(".xml")]
    if not found and not nested:
        found = [m for m in members if base[m.filename].lower().endswith(".zip")]
    if not found:
        raise ParseError("the zip holds no label XML", code="zip_without_label", file=name)
    if len(found) > 1:
        raise ParseError(
            f"the zip holds {len(found)} labels; one file is one label",
            code="zip_ambiguous",
            file=name,
        )
    return found[0]

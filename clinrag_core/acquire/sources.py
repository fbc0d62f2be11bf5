"""`DocumentSource` records from a manifest entry and its file, and whether they are up to date."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, get_args

from clinrag_core.acquire.entries import LabelEntry
from clinrag_core.acquire.folder import read_corpus_file
from clinrag_core.acquire.recognise import recognise
from clinrag_core.errors import AcquireError, ParseError
from clinrag_core.model.source import DocumentSource, GuidelineFormat, LabelFormat, SourceFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.acquire.store import FileStore
    from clinrag_core.model.source import Format


def entry_format(entry: CorpusEntry, data: bytes, name: str) -> Format:
    """Return the format that an entry states, else that of the bytes.

    Raises:
        ParseError: the bytes are of no known format, or a label where the entry is a guideline, or
            the other way round.
    """
    if entry.format is not None:
        return entry.format
    form = recognise(data, name)
    is_label = isinstance(entry, LabelEntry)
    if form not in get_args(LabelFormat if is_label else GuidelineFormat):
        what, table = ("no drug label", "guideline") if is_label else ("a drug label", "label")
        raise ParseError(
            f"the file is {what} ({form}): list it as [[{table}]]", code="other_kind", file=name
        )
    return form


def document_source(
    entry: CorpusEntry, file: SourceFile, form: Format, published: dt.date | None = None
) -> DocumentSource:
    """Return the source of an entry's file; `published` applies to a label without a date."""
    if isinstance(entry, LabelEntry):
        return DocumentSource(
            kind="label",
            format=form,
            file=file,
            drug=entry.key,
            published=entry.published or published,
            pinned_version=entry.pinned_version,
        )
    return DocumentSource(
        kind="guideline",
        format=form,
        file=file,
        id=entry.id,
        title=entry.title,
        organisation=entry.organisation,
        year=entry.year,
        topics=entry.topics,
        licence=entry.licence,
        ocr=entry.ocr,
    )


def as_acquired(
    root: Path, entries: Sequence[CorpusEntry], sources: Sequence[DocumentSource], store: FileStore
) -> bool:
    """Return True if acquiring these entries again would give exactly these sources.

    Every file is read and hashed once, because a copy or an archive can keep the size and time of
    a file that differs by one figure. Also False if only acquiring can decide: entries with an
    address or query, packed files, and labels whose set id the manifest states. `entries` are those
    of one partition, in the order of the manifest.
    """
    current: dict[str, DocumentSource] = {}
    for entry in entries:
        source = _corpus_source(root, entry)
        if source is None:
            return False
        current.setdefault(source.file.sha256, source)
    return tuple(current.values()) == tuple(sources) and all(
        store.path(sha256).is_file() for sha256 in current
    )


def _corpus_source(root: Path, entry: CorpusEntry) -> DocumentSource | None:
    """Return the source of an unpacked file in the corpus folder, None if it needs acquiring."""
    if entry.path is None or (isinstance(entry, LabelEntry) and entry.set_id is not None):
        return None
    try:
        data = read_corpus_file(root, entry.path, entry.where)
        form = entry_format(entry, data, PurePosixPath(entry.path).name)
    except (AcquireError, ParseError):
        return None  # acquiring reports the error
    sha256 = sha256_hex(data)
    if entry.sha256 not in {None, sha256}:
        return None
    name = PurePosixPath(entry.path).name
    file = SourceFile(name=name, sha256=sha256, size=len(data), url=entry.landing_page)
    return document_source(entry, file, form)

"""What a manifest entry and its file say together, and whether a file is still the one acquired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
from clinrag_core.acquire.folder import read_corpus_file
from clinrag_core.errors import AcquireError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.acquire.store import FileStore


def guideline_source(entry: GuidelineEntry, file: SourceFile) -> DocumentSource:
    """A publication and its file."""
    return DocumentSource(
        kind="guideline",
        format=entry.format,
        file=file,
        id=entry.id,
        title=entry.title,
        organisation=entry.organisation,
        year=entry.year,
        topics=entry.topics,
        licence=entry.licence,
        ocr=entry.ocr,
    )


def label_source(entry: LabelEntry, file: SourceFile, published: dt.date | None) -> DocumentSource:
    """A label and its file; `published` is what its source says, for entries that say nothing."""
    return DocumentSource(
        kind="label",
        format=entry.format,
        file=file,
        drug=entry.key,
        published=entry.published or published,
    )


def as_acquired(
    root: Path,
    entries: Sequence[GuidelineEntry | LabelEntry],
    sources: Sequence[DocumentSource],
    store: FileStore,
) -> bool:
    """Whether acquiring these entries again would give exactly these sources.

    Every file is read and hashed once: a copy or an archive can keep size and time of a file that
    differs by one figure. False also where only acquiring can tell: entries behind an address,
    packed files, and labels whose set id the manifest states.

    Args:
        root: the corpus folder.
        entries: of one partition, in the order of the manifest.
        sources: what was acquired.
        store: where their files should be.
    """
    found: dict[str, DocumentSource] = {}
    for entry in entries:
        source = _corpus_source(root, entry)
        if source is None:
            return False
        found.setdefault(source.file.sha256, source)
    return tuple(found.values()) == tuple(sources) and all(
        store.path(sha256).is_file() for sha256 in found
    )


def _corpus_source(root: Path, entry: GuidelineEntry | LabelEntry) -> DocumentSource | None:
    if entry.path is None or (isinstance(entry, LabelEntry) and entry.set_id is not None):
        return None
    try:
        data = read_corpus_file(root, entry.path, "")
    except AcquireError:
        return None  # acquiring says what is wrong
    url = entry.landing if isinstance(entry, GuidelineEntry) else None
    file = SourceFile(name=file_name(entry.path), sha256=sha256_hex(data), size=len(data), url=url)
    if entry.sha256 not in {None, file.sha256}:
        return None
    if isinstance(entry, GuidelineEntry):
        return guideline_source(entry, file)
    return label_source(entry, file, None)


def file_name(path: str) -> str:
    """The last part of a path in the corpus folder."""
    return path.rpartition("/")[2]

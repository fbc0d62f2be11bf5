"""Local files: the corpus folder and the drop folder.

The drop folder takes files that a program cannot download (login, form, bot challenge). A user
saves such a file there under the entry's id or under the publisher's file name.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from clinrag_core.acquire.entries import GuidelineEntry
from clinrag_core.acquire.fetch import FetchedFile
from clinrag_core.acquire.urls import file_name
from clinrag_core.errors import AcquireError
from clinrag_core.model.source import GuidelineFormat, LabelFormat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.acquire.manifest import Manifest

SUFFIXES: dict[str, tuple[str, ...]] = {
    "pdf": (".pdf",),
    "html": (".html", ".htm"),
    "text": (".txt",),
    "markdown": (".md", ".markdown"),
    "spl": (".xml", ".zip", ".xml.gz"),
    "openfda": (".json", ".json.gz"),
}
"""File name suffixes of each format, the usual one first."""
_GUIDELINE = tuple(s for form in get_args(GuidelineFormat) for s in SUFFIXES[form])
_LABEL = tuple(s for form in get_args(LabelFormat) for s in SUFFIXES[form])


def suffixes(entry: CorpusEntry) -> tuple[str, ...]:
    """Return the file name suffixes of an entry's format; of all that fit if it states none."""
    if entry.format is not None:
        return SUFFIXES[entry.format]
    return _GUIDELINE if isinstance(entry, GuidelineEntry) else _LABEL


def leaves_folder(root: Path, relative: str) -> bool:
    """Return True if a path leads out of the folder, symbolic links included."""
    return not (root / relative).resolve().is_relative_to(root.resolve())


def paths_leaving(root: Path, relatives: Iterable[str]) -> set[str]:
    """Return which of many paths lead out of the folder; each folder of them is resolved once."""
    inside: dict[str, bool] = {}
    found: set[str] = set()
    for relative in relatives:
        folder = relative.rpartition("/")[0]
        if folder not in inside:
            inside[folder] = not leaves_folder(root, folder)
        linked = os.path.islink(f"{root}/{relative}")  # noqa: PTH114 - of every file of a corpus
        if not inside[folder] or (linked and leaves_folder(root, relative)):
            found.add(relative)
    return found


def read_corpus_file(root: Path, relative: str, where: str) -> bytes:
    """Return the bytes of a file in the corpus folder.

    Raises:
        AcquireError: the file is missing, no file, not in the folder or unreadable.
    """
    path = root / relative
    if leaves_folder(root, relative):
        raise AcquireError(f"{where}: {relative} leads outside the corpus folder")
    if not path.is_file():
        problem = "is not a file" if path.exists() else "is missing from the corpus folder"
        raise AcquireError(f"{where}: {relative} {problem}")
    return _read(path, relative, where)


class DropFolder:
    """Finds the file that a user saved in the drop folder for an entry.

    The folder may be absent. The file name of an address counts only if no other entry shares it,
    because names such as 'index.html' are ambiguous.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        entries = (*manifest.guidelines, *manifest.labels)
        self._shared = Counter(file_name(entry.url) for entry in entries if entry.url is not None)

    def find(self, entry: CorpusEntry) -> FetchedFile | None:
        """Return the file of an entry, None if there is none.

        Raises:
            AcquireError: several files match, or the file is unreadable.
        """
        paths = [self._folder / name for name in self._names(entry)]
        paths = [path for path in paths if path.is_file()]
        if not paths:
            return None
        if len(paths) > 1:
            listed = ", ".join(path.name for path in paths)
            raise AcquireError(
                f"{entry.where}: several files in the drop folder match: {listed}; keep one"
            )
        path = paths[0]
        location = f"drop/{path.name}"
        data = _read(path, location, entry.where)
        notes = ("from_drop_folder",)
        return FetchedFile(location, path.name, data, url=entry.landing_page, notes=notes)

    def advice(self, entry: CorpusEntry) -> str:
        """Return how a user can supply the file, empty if no file name identifies the entry."""
        names = self._names(entry)
        return f"download it yourself and save it as $CLINRAG_HOME/drop/{names[0]}" if names else ""

    def _names(self, entry: CorpusEntry) -> list[str]:
        """Return the file names that identify an entry, the preferred one first."""
        stem = entry.drop_stem
        names = [f"{stem}{suffix}" for suffix in suffixes(entry)] if stem else []
        published = file_name(entry.url) if entry.url else ""
        if published and self._shared[published] == 1 and published not in names:
            names.append(published)
        return names


def _read(path: Path, shown: str, where: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AcquireError(f"{where}: {shown} cannot be read: {error.strerror}") from error

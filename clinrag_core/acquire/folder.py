"""Files that are already here: the corpus folder and the drop folder.

A person puts a file that cannot be fetched (a wall, a form, a challenge) into the drop folder
under the entry's id or under the name the publisher gave it.
"""

from __future__ import annotations

from pathlib import Path

from clinrag_core.errors import AcquireError

SUFFIXES: dict[str, tuple[str, ...]] = {
    "pdf": (".pdf",),
    "html": (".html", ".htm"),
    "text": (".txt",),
    "markdown": (".md", ".markdown"),
    "spl": (".xml", ".zip", ".xml.gz"),
    "openfda": (".json", ".json.gz"),
}
"""File name endings per format, the usual one first."""


def read_corpus_file(root: Path, relative: str, where: str) -> bytes:
    """Read a file of a corpus folder.

    Args:
        root: the corpus folder.
        relative: path in it, as the manifest has it.
        where: the manifest entry, for messages.

    Raises:
        AcquireError: it is missing, is no file, leads outside the folder or cannot be read.
    """
    path = root / relative
    if not path.resolve().is_relative_to(root.resolve()):
        raise AcquireError(f"{where}: {relative} leads outside the corpus folder")
    if not path.is_file():
        what = "is not a file" if path.exists() else "is missing from the corpus folder"
        raise AcquireError(f"{where}: {relative} {what}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise AcquireError(f"{where}: {relative} cannot be read: {error.strerror}") from error


def drop_names(stem: str, form: str, published_name: str | None = None) -> tuple[str, ...]:
    """Names under which the drop folder is searched for an entry, in order.

    Args:
        stem: guideline id, or set id of a label.
        form: the entry's format.
        published_name: last part of the entry's address, if no other entry shares it.
    """
    names = [f"{stem}{suffix}" for suffix in SUFFIXES[form]]
    if published_name and published_name not in names:
        names.append(published_name)
    return tuple(names)


def find_dropped(drop: Path, names: tuple[str, ...], where: str) -> Path | None:
    """The file of an entry in the drop folder, None where nobody put one there.

    Raises:
        AcquireError: several files could be meant.
    """
    found = [drop / name for name in names if (drop / name).is_file()]
    if len(found) > 1:
        listed = ", ".join(path.name for path in found)
        raise AcquireError(f"{where}: several files in the drop folder could be meant: {listed}")
    return found[0] if found else None

"""The versions of a label that were ever acquired.

Files are never thrown away: the ledger names every label file that was acquired, so the version
that a newer one replaced can still be read and compared.
"""

from __future__ import annotations

import datetime as dt
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clinrag_core.acquire.ledger import Ledger
from clinrag_core.acquire.recognise import recognise
from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import ChecksumError, DocumentError, LabelVersionError
from clinrag_core.evaluate.label_diff import LabelDiff, diff_labels
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.child import parse_bounded

if TYPE_CHECKING:
    from clinrag_core.acquire.ledger import LedgerRecord
    from clinrag_core.evaluate.drift import DocumentState
    from clinrag_core.model.document import Document
    from clinrag_core.workspace import Workspace


def label_versions(workspace: Workspace, set_id: str) -> list[Document]:
    """Every version of a label that can be read, oldest first, each version once.

    SPL is preferred over openFDA where both have a version.

    Raises:
        LabelVersionError: no file of this set id was ever acquired; names close ones.
    """
    wanted = set_id.strip().lower()
    known: dict[str, list[Document]] = {}
    for document in _labels(workspace):
        known.setdefault(document.id, []).append(document)
    if wanted not in known:
        close = get_close_matches(wanted, known, n=3, cutoff=0.6)
        hint = f"; close to it: {', '.join(close)}" if close else ""
        if not known:
            raise _none_acquired(workspace)
        raise LabelVersionError(
            f"no label of set id {wanted!r} was ever acquired; {len(known)} are known{hint}"
        )
    versions: dict[int, Document] = {}
    for document in sorted(known[wanted], key=lambda d: (d.format != "spl", d.file.sha256)):
        versions.setdefault((document.label and document.label.version) or 0, document)
    return [versions[number] for number in sorted(versions)]


def _none_acquired(workspace: Workspace) -> LabelVersionError:
    """The error of a home without labels: where was looked, and what acquires them."""
    return LabelVersionError(
        f"no label was ever acquired in {workspace.home}: `make run` acquires those of a "
        "corpus; CLINRAG_HOME names another home"
    )


class KnownLabel(Record):
    """A label of which at least one version was acquired."""

    set_id: str
    drug: str
    versions: tuple[int, ...]
    effective: dt.date | None = None
    """Of the newest version."""


def known_labels(workspace: Workspace) -> list[KnownLabel]:
    """Return every label that was ever acquired, by name."""
    documents: dict[str, list[Document]] = {}
    for document in _labels(workspace):
        documents.setdefault(document.id, []).append(document)
    labels: list[KnownLabel] = []
    for set_id, versions in documents.items():
        by_version = {(d.label and d.label.version) or 0: d for d in versions}
        newest = by_version[max(by_version)]
        labels.append(
            KnownLabel(
                set_id=set_id,
                drug=newest.title,
                versions=tuple(sorted(by_version)),
                effective=newest.label.effective if newest.label else None,
            )
        )
    return sorted(labels, key=lambda label: (label.drug.lower(), label.set_id))


def set_id_of(workspace: Workspace, name: str) -> str:
    """Return the set id that a set id or a drug's name means.

    Raises:
        LabelVersionError: several labels, or none, have the name; names those there are.
    """
    wanted = name.strip().lower()
    if not (labels := known_labels(workspace)):
        raise _none_acquired(workspace)
    if any(label.set_id == wanted for label in labels):
        return wanted
    named = [label for label in labels if label.drug.lower().split(" (")[0] == wanted]
    if len(named) == 1:
        return named[0].set_id
    if named:
        ids = ", ".join(label.set_id for label in named)
        raise LabelVersionError(f"{len(named)} labels are named {name!r}; give a set id: {ids}")
    close = get_close_matches(wanted, [label.drug.lower() for label in labels], n=3, cutoff=0.5)
    hint = f"; close to it: {', '.join(close)}" if close else ""
    raise LabelVersionError(f"no label is named {name!r}{hint}; `clinrag labels list` lists all")


def label_diff(
    workspace: Workspace, set_id: str, old: int | None = None, new: int | None = None
) -> LabelDiff:
    """Compare two versions of a label; the two newest by default.

    Raises:
        LabelVersionError: the set id or a version is unknown, or there is only one version.
    """
    versions = {(d.label and d.label.version) or 0: d for d in label_versions(workspace, set_id)}
    numbers = sorted(versions)
    listed = ", ".join(map(str, numbers))
    for asked in (old, new):
        if asked is not None and asked not in versions:
            raise LabelVersionError(f"{set_id}: there is no version {asked}; there are: {listed}")
    later = numbers[-1] if new is None else new
    earlier = [n for n in numbers if n < later]
    if old is None and not earlier:
        raise LabelVersionError(f"{set_id}: nothing to compare {later} with; there are: {listed}")
    return diff_labels(versions[earlier[-1] if old is None else old], versions[later])


def diff_of_files(workspace: Workspace, old: DocumentState, new: DocumentState) -> LabelDiff | None:
    """Compare two label files by their sha256; None if one of them cannot be read any more."""
    store = FileStore(workspace.files)
    try:
        versions = [read_label(store, state.sha256, state.name) for state in (old, new)]
    except (ChecksumError, DocumentError):
        return None
    return diff_labels(versions[0], versions[1])


def read_label(
    store: FileStore, sha256: str, drug: str, record: LedgerRecord | None = None
) -> Document:
    """A stored label file as a document, with name and date of its ledger record, if given.

    Raises:
        ChecksumError: the file is missing or damaged.
        DocumentError: it is not a label.
    """
    data = store.read(sha256)
    name = record.location.rpartition("/")[2] if record else sha256[:12]
    source = DocumentSource(
        kind="label",
        format=recognise(data, name),
        file=SourceFile(name=name, sha256=sha256, size=len(data)),
        drug=drug,
        published=record.published if record else None,
    )
    return parse_bounded(data, source)


def _labels(workspace: Workspace) -> list[Document]:
    """Every label file of the ledger that can still be parsed, each once."""
    store = FileStore(workspace.files)
    seen: set[str] = set()
    documents: list[Document] = []
    for record in Ledger(workspace.files / "ledger.jsonl").records():
        if not record.key.startswith("label/") or record.sha256 in seen:
            continue
        seen.add(record.sha256)
        if not store.has(record.sha256):
            continue
        try:
            documents.append(read_label(store, record.sha256, record.key.split("/")[1], record))
        except DocumentError:
            continue  # in quarantine: the parse stage has recorded why
    return documents

"""The folder of one release: written whole from sound parts, checked file by file when read."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import ValidationError

from clinrag_core.errors import ReleaseError, WorkspaceError
from clinrag_core.index.integrity import differences, file_digests
from clinrag_core.index.knowledge_base import read_manifest
from clinrag_core.index.release_record import LabelChange, Release
from clinrag_core.workspace import fingerprint, new_directory, read_json, write_json

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from clinrag_core.index.integrity import SeenFiles

FORMAT = "release/4"
RECORD = "release.json"
CALIBRATION = "calibration.json"
ENCODER = "encoder"
"""Folder of a release with its query encoder."""


class ReleaseDraft(NamedTuple):
    """Everything a release is made from."""

    candidates: Mapping[str, Path]
    """Knowledge base name to candidate directory."""
    encoder: Path
    """Folder of the exported query encoder."""
    profile: str
    corpus: str
    corpus_manifest: str = ""
    """Digest of the corpus manifest."""
    evaluation: str | None = None
    """Fingerprint of the evaluation that allowed it."""
    records: Mapping[str, object] = {}
    """File name to JSON value: its thresholds (required to answer) and the evaluated answers."""
    changes: tuple[LabelChange, ...] = ()
    """HIGH changes of labels since the served release."""
    reviewed: bool = False
    """Whether a person has promoted an evaluation of this profile and corpus."""


def new_release(draft: ReleaseDraft, sequence: int, created: dt.datetime) -> Release:
    """The record of a new release, before its files are known.

    Raises:
        ReleaseError: the candidates were built with different encoders.
    """
    manifests = {name: read_manifest(path) for name, path in sorted(draft.candidates.items())}
    encoders = {manifest.encoder for manifest in manifests.values()}
    if len(encoders) != 1:
        raise ReleaseError("the candidates were built with different encoders: build them again")
    thresholds = draft.records.get(CALIBRATION)
    digest = fingerprint(thresholds) if thresholds is not None else None
    bases = {name: manifest.fingerprint for name, manifest in manifests.items()}
    content = fingerprint(FORMAT, bases, digest)
    name = f"{sequence:04d}-{content[:8]}"
    return Release(
        format=FORMAT,
        id=name,
        sequence=sequence,
        fingerprint=content,
        created=created,
        profile=draft.profile,
        corpus=draft.corpus,
        corpus_manifest=draft.corpus_manifest,
        encoder=encoders.pop(),
        knowledge_bases=bases,
        evaluation=draft.evaluation,
        thresholds=digest,
        changes=tuple(c.model_copy(update={"release": name}) for c in draft.changes),
        files={},
    )


def read_record(folder: Path) -> Release:
    """The record of a release.

    Raises:
        ReleaseError: it is missing, altered, or of another version of this project.
    """
    try:
        value = read_json(folder / RECORD)
        fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        if (made := fields.get("format")) != FORMAT:
            raise ReleaseError(f"release {folder.name} was made by another version ({made})")
        release = Release.model_validate(fields)
    except (ValidationError, WorkspaceError) as error:
        raise ReleaseError(f"release {folder.name} cannot be read: {error}") from error
    if not release.is_sealed():
        raise ReleaseError(f"release {folder.name}: {RECORD} is changed")
    return release


def release_problems(folder: Path, seen: SeenFiles | None = None) -> list[str]:
    """What is damaged about a release; empty if every file is as it was written.

    With `seen`, files that are unchanged since they were last read are not read again.
    """
    try:
        release = read_record(folder)
    except ReleaseError as error:
        return [str(error)]
    return differences(folder, release.files, leave_out=(RECORD,), seen=seen)


def write_release(folder: Path, release: Release, draft: ReleaseDraft) -> Release:
    """Copy everything a release needs into its folder and seal its record.

    Raises:
        ReleaseError: a file of a candidate is not as it was built.
    """
    from clinrag_core.index.build import copy_knowledge_base  # only who releases needs to build

    with new_directory(folder) as tmp:
        for name, source in draft.candidates.items():
            if damaged := copy_knowledge_base(source, tmp / name):
                raise ReleaseError(
                    f"candidate {source.parent.name}/{source.name} is damaged ({damaged[0]}): "
                    f"delete knowledge_bases/{source.parent.name} and run the chain again"
                )
        shutil.copytree(draft.encoder, tmp / ENCODER)
        for name, record in draft.records.items():
            write_json(tmp / name, record)
        release = release.model_copy(update={"files": file_digests(tmp)}).sealed()
        write_json(tmp / RECORD, release.model_dump(mode="json"))
    return release

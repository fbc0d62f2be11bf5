"""Releases: what the engine serves, chosen by one pointer file.

A release is an immutable directory with its knowledge bases and a record of fingerprints. The
pointer is replaced atomically, so a reader sees the old release or the new one, whole.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from typing import TYPE_CHECKING

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.errors import ReleaseError, WorkspaceError
from clinrag_core.index.knowledge_base import read_manifest
from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint, new_directory, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FORMAT = "release/2"
RECORD = "release.json"
POINTER = "current.json"
CALIBRATION = "calibration.json"


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Release(Record):
    """The record of a release."""

    format: str
    id: str
    sequence: int
    fingerprint: str
    created: dt.datetime
    profile: str
    encoder: str
    knowledge_bases: dict[str, str]
    """Name to fingerprint."""
    evaluation: str | None = None
    """Fingerprint of the evaluation it was released on."""
    thresholds: str | None = None
    """Fingerprint of its thresholds."""


class Pointer(Record):
    """The served release, and the fingerprints a person has withdrawn."""

    release: str
    withdrawn: tuple[str, ...] = ()


class ReleaseStore:
    """The releases under one folder.

    Args:
        folder: the workspace's releases folder.
        keep: how many releases stay; the current one always does.
        now: the clock.
    """

    def __init__(
        self, folder: Path, keep: int = 5, now: Callable[[], dt.datetime] = _utc_now
    ) -> None:
        self._folder = folder
        self._keep = keep
        self._now = now

    def list(self) -> list[Release]:
        """All releases, newest first."""
        releases = [_read_record(p.parent) for p in self._folder.glob(f"[0-9]*/{RECORD}")]
        return sorted(releases, key=lambda release: -release.sequence)

    def pointer(self) -> Pointer | None:
        """What is served now; None before the first release."""
        path = self._folder / POINTER
        if not path.exists():
            return None
        try:
            return Pointer.model_validate(read_json(path))
        except ValidationError as error:
            raise ReleaseError(f"releases/{POINTER} is malformed: {error}") from error

    def current(self) -> Release:
        """The release that is served.

        Raises:
            ReleaseError: there is none, or the pointer names one that is missing.
        """
        pointer = self.pointer()
        if pointer is None:
            raise ReleaseError("nothing has been released yet: run `make run` first")
        return _read_record(self._folder / pointer.release)

    def directory(self, release: Release, knowledge_base: str) -> Path:
        """Directory of one knowledge base of a release."""
        return self.folder_of(release) / knowledge_base

    def folder_of(self, release: Release) -> Path:
        """The folder of a release."""
        return self._folder / release.id

    def publish(
        self,
        candidates: Mapping[str, Path],
        *,
        profile: str,
        evaluation: str | None = None,
        records: Mapping[str, object] | None = None,
    ) -> Release:
        """Release candidates and serve them; the same candidates again change nothing.

        Args:
            candidates: knowledge base name to candidate directory.
            profile: name of the profile.
            evaluation: fingerprint of the evaluation that allowed it.
            records: file name to JSON value, stored with the release: its thresholds (required to
                answer) and the evaluated answers.

        Raises:
            ReleaseError: they were built with different encoders, or a person has withdrawn
                exactly these.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            records = records or {}
            thresholds = records.get(CALIBRATION)
            release = self._record(candidates, profile, evaluation, thresholds)
            pointer = self.pointer()
            if pointer is not None and release.fingerprint in pointer.withdrawn:
                raise ReleaseError(
                    "these knowledge bases were withdrawn by a rollback; to serve them after all, "
                    "roll back to that release by its id"
                )
            known = next((r for r in self.list() if r.fingerprint == release.fingerprint), None)
            if known is None:
                with new_directory(self._folder / release.id) as tmp:
                    for name, source in candidates.items():
                        shutil.copytree(source, tmp / name, copy_function=os.link)
                    for name, record in records.items():
                        write_json(tmp / name, record)
                    write_json(tmp / RECORD, release.model_dump(mode="json"))
                known = release
            withdrawn = pointer.withdrawn if pointer else ()
            self._point(Pointer(release=known.id, withdrawn=withdrawn))
            self._prune(known)
            return known

    def rollback(self, release_id: str | None = None) -> Release:
        """Serve an earlier release and withdraw the current one; or serve any release by id.

        Raises:
            ReleaseError: there is no such release, or none before the current one.
        """
        with FileLock(self._folder / ".lock"):
            current = self.current()
            releases = self.list()
            if release_id is None:
                target = next((r for r in releases if r.sequence < current.sequence), None)
                if target is None:
                    raise ReleaseError(f"there is no release before {current.id}")
            else:
                target = next((r for r in releases if r.id == release_id), None)
                if target is None:
                    known = ", ".join(r.id for r in releases)
                    raise ReleaseError(f"there is no release {release_id!r}; there are: {known}")
            if target.id == current.id:
                return current
            pointer = self.pointer()
            withdrawn = set(pointer.withdrawn if pointer else ()) - {target.fingerprint}
            if target.sequence < current.sequence:
                withdrawn.add(current.fingerprint)
            self._point(Pointer(release=target.id, withdrawn=tuple(sorted(withdrawn))))
            return target

    def _record(
        self,
        candidates: Mapping[str, Path],
        profile: str,
        evaluation: str | None,
        thresholds: object,
    ) -> Release:
        """Return the record of a new release of some candidates."""
        manifests = {name: read_manifest(path) for name, path in sorted(candidates.items())}
        encoders = {manifest.encoder for manifest in manifests.values()}
        if len(encoders) != 1:
            raise ReleaseError(
                "the candidates were built with different encoders: build them again"
            )
        bases = {name: manifest.fingerprint for name, manifest in manifests.items()}
        digest = fingerprint(thresholds) if thresholds is not None else None
        content = fingerprint(FORMAT, bases, digest)
        sequence = max((release.sequence for release in self.list()), default=0) + 1
        return Release(
            format=FORMAT,
            id=f"{sequence:04d}-{content[:8]}",
            sequence=sequence,
            fingerprint=content,
            created=self._now(),
            profile=profile,
            encoder=encoders.pop(),
            knowledge_bases=bases,
            evaluation=evaluation,
            thresholds=digest,
        )

    def _point(self, pointer: Pointer) -> None:
        write_json(self._folder / POINTER, pointer.model_dump(mode="json"))

    def _prune(self, current: Release) -> None:
        for release in self.list()[self._keep :]:
            if release.id != current.id:
                shutil.rmtree(self._folder / release.id)


def _read_record(directory: Path) -> Release:
    try:
        return Release.model_validate(read_json(directory / RECORD))
    except (ValidationError, WorkspaceError) as error:
        raise ReleaseError(f"release {directory.name} cannot be read: {error}") from error

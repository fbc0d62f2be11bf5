"""Releases: what the engine serves, chosen by one pointer file.

A release is an immutable directory with everything it needs: its knowledge bases, its query encoder
and a record with the sha256 of every file. All of it is copied, so damage to one copy reaches no
other (ADR 0014). The pointer is replaced atomically: a reader sees the old release or the new one.
"""

from __future__ import annotations

import datetime as dt
import logging
import shutil
from typing import TYPE_CHECKING

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.errors import ReleaseError
from clinrag_core.index.integrity import SeenFiles
from clinrag_core.index.release_folder import (
    ReleaseDraft,
    new_release,
    read_record,
    release_problems,
    write_release,
)
from clinrag_core.index.release_record import (
    Decision,
    LabelChange,
    Pointer,
    Release,
    ServedRelease,
    line_of,
)
from clinrag_core.index.scope_record import SCOPE
from clinrag_core.workspace import Workspace, read_json, utc_now, write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal

logger = logging.getLogger(__name__)
POINTER = "current.json"


class ReleaseStore:
    """The releases under one folder.

    Args:
        folder: the workspace's releases folder.
        keep: how many releases stay; the current one always does.
        now: the clock.
    """

    def __init__(
        self, folder: Path, keep: int = 5, now: Callable[[], dt.datetime] = utc_now
    ) -> None:
        self._folder = folder
        self._keep = keep
        self._now = now

    def ids(self) -> list[str]:
        """Ids of all releases on disk, newest first, whether their records can be read or not."""
        found = [path.name for path in self._folder.glob("[0-9]*-*") if path.is_dir()]
        return sorted(found, key=_sequence, reverse=True)

    def list(self) -> list[Release]:
        """All releases that can be read, newest first."""
        releases: list[Release] = []
        for release_id in self.ids():
            try:
                releases.append(read_record(self._folder / release_id))
            except ReleaseError as error:
                logger.warning("%s", error)
        return releases

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
            raise ReleaseError(_nothing(self._folder))
        return read_record(self._folder / pointer.release)

    def problems(self, release_id: str, seen: SeenFiles | None = None) -> list[str]:
        """What is damaged about a release; empty if every file is as it was written."""
        return release_problems(self._folder / release_id, seen)

    def open(self, seen: Path | None = None) -> ServedRelease:
        """The served release, every file checked; the good one before it if it is damaged.

        Only a release of the same profile and corpus that nobody has withdrawn takes its place.
        With `seen`, a folder for the inodes, sizes and times of files, only files that changed
        since are read, or all of them if the last time is a day ago (ADR 0047).

        Raises:
            ReleaseError: there is none, or no release of this profile and corpus is undamaged.
        """
        pointer = self.pointer()
        if pointer is None:
            raise ReleaseError(_nothing(self._folder))
        record = SeenFiles(seen / f"{pointer.release}.json") if seen is not None else None
        problems = self.problems(pointer.release, record)
        if not problems:
            return ServedRelease.of(read_record(self._folder / pointer.release), pointer)
        logger.error("release %s cannot be served: %s", pointer.release, "; ".join(problems))
        for release in self.list():
            if (
                _sequence(release.id) < _sequence(pointer.release)
                and release.line == pointer.line
                and release.fingerprint not in pointer.withdrawn
                and not self.problems(release.id)
            ):
                served = ServedRelease.of(release, pointer)
                return served._replace(damaged=pointer.release, problems=tuple(problems))
        raise ReleaseError(
            f"release {pointer.release} cannot be served, nor is there a good one before it: "
            f"{problems[0]}; run the chain again"
        )

    def directory(self, release: Release, knowledge_base: str) -> Path:
        """Directory of one knowledge base of a release."""
        return self.folder_of(release) / knowledge_base

    def folder_of(self, release: Release) -> Path:
        """The folder of a release."""
        return self._folder / release.id

    def publish(self, draft: ReleaseDraft) -> Release:
        """Release candidates and serve them; the same candidates again change nothing.

        With another scope, as a newer version reads it from the same passages, they are released
        anew.

        Raises:
            ReleaseError: they were built with different encoders, a file of a candidate is
                damaged, or a person has withdrawn exactly these.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            sequence = max(map(_sequence, self.ids()), default=0) + 1
            new, pointer = new_release(draft, sequence, self._now()), self.pointer()
            if pointer is not None and new.fingerprint in pointer.withdrawn:
                raise ReleaseError(
                    "these knowledge bases were withdrawn by a rollback; to serve them after all, "
                    "roll back to that release by its id"
                )
            same = (
                r for r in self.list() if (r.fingerprint, r.line) == (new.fingerprint, new.line)
            )
            release = next(
                (r for r in same if not self.problems(r.id) and self._has_scope(r, draft)), None
            )
            if release is None:
                changes = (*self._open_changes(pointer, new.line), *new.changes)
                new = new.model_copy(update={"changes": changes})
                release = write_release(self._folder / new.id, new, draft)
            pointer = pointer or Pointer(release=release.id)
            reviewed = {*pointer.reviewed, *([release.line] if draft.reviewed else [])}
            update = {"release": release.id, "line": release.line, "reviewed": sorted(reviewed)}
            self._point(Pointer.model_validate(pointer.model_dump() | update))
            self._prune(release)
            return release

    def _has_scope(self, release: Release, draft: ReleaseDraft) -> bool:
        """Return whether a release has the scope of a draft."""
        path = self.folder_of(release) / SCOPE
        return (read_json(path) if path.is_file() else None) == draft.records.get(SCOPE)

    def rollback(self, release_id: str | None = None, *, author: str, reason: str) -> Release:
        """Serve an earlier release and withdraw the current one; or serve any release by id.

        Author and reason are recorded. The release is checked before it is served.

        Raises:
            ReleaseError: there is no such release, none before the current one, it is damaged, or
                author or reason is missing.
        """
        with FileLock(self._folder / ".lock"):
            current = self.current()
            releases = self.list()
            if release_id is None:
                earlier = (r for r in releases if r.sequence < current.sequence)
                target = next((r for r in earlier if r.line == current.line), None)
                if target is None:
                    raise ReleaseError(f"there is no release before {current.id}")
            else:
                target = next((r for r in releases if r.id == release_id), None)
                if target is None:
                    known = ", ".join(r.id for r in releases)
                    raise ReleaseError(f"there is no release {release_id!r}; there are: {known}")
            decision = self._decision("rollback", f"{current.id} to {target.id}", author, reason)
            if target.id == current.id:
                return current
            if problems := self.problems(target.id):
                raise ReleaseError(f"release {target.id} is damaged: {problems[0]}")
            pointer = self.pointer() or Pointer(release=current.id)
            withdrawn = {*pointer.withdrawn} - {target.fingerprint}
            if target.sequence < current.sequence:
                withdrawn.add(current.fingerprint)
            update: dict[str, object] = {
                "release": target.id,
                "line": target.line,
                "withdrawn": tuple(sorted(withdrawn)),
                "decisions": (*pointer.decisions, decision),
            }
            self._point(pointer.model_copy(update=update))
            return target

    def acknowledge(self, document_id: str, *, author: str, reason: str) -> list[LabelChange]:
        """Record that a person has read the HIGH changes of a label; returns them.

        Raises:
            ReleaseError: the served release has no unacknowledged change of this label, or author
                or reason is missing.
        """
        with FileLock(self._folder / ".lock"):
            decision = self._decision("acknowledge", document_id, author, reason)
            current, pointer = self.current(), self.pointer()
            served = ServedRelease.of(current, pointer or Pointer(release=current.id))
            changes = list(served.changes_of({document_id}))
            if pointer is None or not changes:
                listed = ", ".join(sorted({c.document_id for c in served.changes})) or "none"
                raise ReleaseError(
                    f"release {current.id} has no unacknowledged change of {document_id!r}; "
                    f"labels that have one: {listed}"
                )
            keys = {*pointer.acknowledged, *(change.key for change in changes)}
            update: dict[str, object] = {
                "acknowledged": tuple(sorted(keys)),
                "decisions": (*pointer.decisions, decision),
            }
            self._point(pointer.model_copy(update=update))
            return changes

    def mark_reviewed(self, profile: str, corpus: str) -> None:
        """Record that a person has promoted an evaluation of this profile and corpus."""
        if self.pointer() is None:
            return
        with FileLock(self._folder / ".lock"):
            if (pointer := self.pointer()) is not None:
                lines = tuple(sorted({*pointer.reviewed, line_of(profile, corpus)}))
                self._point(pointer.model_copy(update={"reviewed": lines}))

    def _decision(
        self, kind: Literal["rollback", "acknowledge"], about: str, author: str, reason: str
    ) -> Decision:
        """The record of a decision, which has an author and a reason."""
        if not author.strip() or not reason.strip():
            raise ReleaseError("this needs an author and a reason")
        words = {"author": author.strip(), "reason": reason.strip()}
        return Decision(kind=kind, about=about, time=self._now(), **words)

    def last_served(self, line: str) -> Release | None:
        """The undamaged release of a profile and corpus that was served last; None if none was.

        The served release if it is of them, else the newest one that nobody has withdrawn.
        """
        pointer = self.pointer()
        if pointer is None:
            return None
        known = [r for r in self.list() if r.line == line]
        served = [r for r in known if r.id == pointer.release]
        others = [r for r in known if r.fingerprint not in pointer.withdrawn]
        return next((r for r in (*served, *others) if not self.problems(r.id)), None)

    def _open_changes(self, pointer: Pointer | None, line: str) -> tuple[LabelChange, ...]:
        """Unacknowledged changes of the last release of a line, which its next one carries on."""
        before = self.last_served(line)
        return ServedRelease.of(before, pointer).changes if before and pointer else ()

    def _point(self, pointer: Pointer) -> None:
        write_json(self._folder / POINTER, pointer.model_dump(mode="json"))

    def _prune(self, current: Release) -> None:
        for release_id in self.ids()[self._keep :]:
            if release_id != current.id:
                shutil.rmtree(self._folder / release_id)


def _nothing(folder: Path) -> str:
    """Return what helps where nothing is served: a first run, or the report of one that stopped."""
    if (Workspace(folder.parent).reports / "index.html").is_file():
        return (
            f"nothing has been released yet in {folder.parent}: the last run stopped, "
            "`clinrag report open` shows why"
        )
    return (
        f"nothing has been released yet in {folder.parent}: run `make run` first, or set "
        "CLINRAG_HOME to the folder where it was run"
    )


def _sequence(release_id: str) -> int:
    number = release_id.partition("-")[0]
    return int(number) if number.isdigit() else 0

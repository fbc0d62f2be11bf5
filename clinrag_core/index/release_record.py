"""Records of a release, of the pointer to the served one, and of what people decided."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection


class LabelChange(Record):
    """A HIGH change of a label that came with a release: boxed warning, contraindication, dose."""

    document_id: str = Field(description="set id")
    name: str = Field(description="drug")
    old_version: int | None
    new_version: int | None
    sections: tuple[str, ...] = Field(
        description="group, change and path of each; empty: not comparable"
    )
    release: str = Field(default="", description="the first release that has it")

    @property
    def key(self) -> str:
        """Name of the change in acknowledgements."""
        return f"{self.document_id}@{self.new_version}"


class Release(Record):
    """The record of a release; `files` is the manifest that it is checked against."""

    format: str
    id: str
    sequence: int
    fingerprint: str
    created: dt.datetime
    profile: str
    corpus: str
    corpus_manifest: str = Field(description="digest of the corpus manifest")
    encoder: str
    knowledge_bases: dict[str, str] = Field(description="name to fingerprint")
    evaluation: str | None = Field(default=None, description="fingerprint of its evaluation")
    thresholds: str | None = Field(default=None, description="fingerprint of its thresholds")
    changes: tuple[LabelChange, ...] = Field(
        default=(), description="HIGH changes that nobody had acknowledged when it was made"
    )
    files: dict[str, str] = Field(description="path to sha256 of every other file of the release")
    seal: str = Field(default="", description="fingerprint of all other fields of this record")

    @property
    def line(self) -> str:
        """The profile and the corpus that this release continues."""
        return line_of(self.profile, self.corpus)

    def sealed(self) -> Release:
        """This record with its seal."""
        return self.model_copy(update={"seal": self._seal()})

    def is_sealed(self) -> bool:
        """Whether the record is as it was written."""
        return self.seal == self._seal()

    def _seal(self) -> str:
        return fingerprint(self.model_dump(mode="json", exclude={"seal"}))


def line_of(profile: str, corpus: str) -> str:
    """Name of the sequence of releases of one profile over one corpus."""
    return f"{profile}/{corpus}"


class Decision(Record):
    """What a person decided about releases, and why."""

    kind: Literal["rollback", "acknowledge"]
    about: str
    author: str
    reason: str
    time: dt.datetime


class Pointer(Record):
    """The served release and what people decided, in one file that is replaced as a whole."""

    release: str
    line: str = Field(default="", description="profile and corpus of the served release")
    withdrawn: tuple[str, ...] = Field(default=(), description="fingerprints rolled back from")
    reviewed: tuple[str, ...] = Field(
        default=(), description="profile and corpus whose evaluation a person has promoted"
    )
    acknowledged: tuple[str, ...] = Field(default=(), description="keys of label changes")
    decisions: tuple[Decision, ...] = ()


class ServedRelease(NamedTuple):
    """A release that was checked, as answers and reports show it."""

    release: Release
    unreviewed: bool
    """No person has promoted an evaluation of its profile and corpus yet."""
    changes: tuple[LabelChange, ...]
    """HIGH changes that nobody has acknowledged."""
    damaged: str | None = None
    """Id of the release that should be served but is damaged; this is the good one before it."""
    problems: tuple[str, ...] = ()
    """What is damaged about it."""

    @classmethod
    def of(cls, release: Release, pointer: Pointer) -> ServedRelease:
        """A release with what people have decided about it."""
        changes = tuple(c for c in release.changes if c.key not in pointer.acknowledged)
        return cls(release, release.line not in pointer.reviewed, changes)

    def changes_of(self, documents: Collection[str]) -> tuple[LabelChange, ...]:
        """Unacknowledged changes of these documents."""
        return tuple(change for change in self.changes if change.document_id in documents)

    @property
    def notices(self) -> list[str]:
        """What a reader must know of this release, one line each."""
        lines: list[str] = []
        if self.damaged is not None:
            lines.append(
                f"release {self.damaged} is damaged ({len(self.problems)} problem(s)); "
                f"serving {self.release.id}: run the chain again"
            )
        if self.unreviewed:
            lines.append("unreviewed: nobody has promoted an evaluation of this corpus yet")
        return lines

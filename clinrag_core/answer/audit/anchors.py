"""Anchors of the audit trail: what it was, kept where its machine cannot rewrite it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError

from clinrag_core.errors import AuditError, WorkspaceError
from clinrag_core.model.base import Record
from clinrag_core.workspace import Workspace, read_json, write_json

if TYPE_CHECKING:
    from clinrag_core.settings import Settings

ANCHOR = "audit-anchor/1"


class Anchor(Record):
    """What the trail was at some moment; kept elsewhere, it shows a cut or replaced trail."""

    format: Literal["audit-anchor/1"] = ANCHOR
    number: int = Field(ge=0)
    hash: str
    time: dt.datetime


def read_anchors(path: Path) -> list[Anchor]:
    """Return the anchor of a file, or those of a folder.

    Raises:
        AuditError: there is none, or one cannot be read.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    try:
        anchors = [Anchor.model_validate(read_json(file)) for file in files]
    except (WorkspaceError, ValidationError) as error:
        raise AuditError(f"an anchor of {path.name} cannot be read: {error}") from error
    if not anchors:
        raise AuditError(f"{path.name} holds no anchor")
    return anchors


def write_anchor(folder: Path, anchor: Anchor) -> Path:
    """Write an anchor into a folder of anchors and return its file."""
    file = folder / f"{anchor.time:%Y-%m-%dT%H%M%SZ}-{anchor.number}.json"
    write_json(file, anchor.model_dump(mode="json"))
    return file


def anchors_folder(settings: Settings) -> Path:
    """Return the folder of the daily anchors."""
    return settings.audit.anchors or Workspace(settings.home).audit_anchors

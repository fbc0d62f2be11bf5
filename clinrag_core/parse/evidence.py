"""Which of a drug's labels is evidence: near-identical generics are one source, not several."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model import Document


@dataclass(frozen=True, slots=True)
class EvidenceChoice:
    """What is indexed, and what is recorded beside it as (document id, version, reason)."""

    indexed: tuple[Document, ...]
    equivalents: tuple[tuple[str, int | None, str], ...]


def choose_evidence(documents: Sequence[Document]) -> EvidenceChoice:
    """Newest version of each set id."""
    newest: dict[str, Document] = {}
    older: list[tuple[str, int | None, str]] = []
    def order(d: Document):
        label = d.label
        version = label.version if label else None
        return (version or 0, label.effective or dt.date.min if label else dt.date.min, d.file.sha256)
    for document in sorted(documents, key=order):
        if (old := newest.get(document.id)) is not None:
            older.append((old.id, old.label.version if old.label else None, "older_version"))
        newest[document.id] = document
    return EvidenceChoice(tuple(newest[k] for k in sorted(newest)), tuple(older))

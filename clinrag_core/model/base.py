"""The base of every record."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

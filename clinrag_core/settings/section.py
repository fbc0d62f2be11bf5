"""What every section of the settings is made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class SettingsSection(BaseModel):
    """Base of all sections: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def section(kind: type[SettingsSection]) -> Any:
    """Return a field that holds a section with its defaults."""
    return Field(default_factory=kind)

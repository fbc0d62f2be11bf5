"""The record of a release's scope, and reading it from the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pydantic import Field, ValidationError

from clinrag_core.errors import ReleaseError
from clinrag_core.model.base import Record
from clinrag_core.workspace import read_json

if TYPE_CHECKING:
    from pathlib import Path

SCOPE = "scope.json"
"""File of a release with its scope."""
ANY = "any"
"""Aspect that every passage of a guideline counts for that names the condition."""
SCOPE_FORMAT = "scope/1"
COUNTED = "counted/3"
"""How passages are counted: a scope counted otherwise is made again, and stays readable."""


class DrugScope(Record):
    """What the sources say of one drug: passages by aspect, in labels and in guidelines."""

    label: dict[str, int] = Field(default_factory=dict[str, int])
    guideline: dict[str, int] = Field(default_factory=dict[str, int])
    conditions: dict[str, int] = Field(
        default_factory=dict[str, int],
        description="passages on it, by condition that they name",
    )
    partners: tuple[str, ...] = Field(
        default=(), description="other drugs that passages on it name, sorted"
    )

    def covers(self, aspect: str) -> bool:
        """Return whether any passage is about an aspect."""
        return bool(self.label.get(aspect) or self.guideline.get(aspect))


class ProductScope(Record):
    """The label of a product."""

    title: str
    ingredients: tuple[str, ...] = Field(description="sorted")
    names: tuple[str, ...] = Field(description="brands and other names, folded, sorted")


class ConditionScope(Record):
    """What the sources say of a condition."""

    guideline: dict[str, int] = Field(
        default_factory=dict[str, int], description="passages of guidelines, by aspect"
    )
    indicated: tuple[str, ...] = Field(
        default=(), description="drugs whose label names it as an indication, sorted"
    )


class ReleaseScope(Record):
    """Everything that a release can be asked about."""

    format: str = SCOPE_FORMAT
    drugs: dict[str, DrugScope]
    products: tuple[ProductScope, ...]
    conditions: dict[str, ConditionScope]
    combinations: tuple[str, ...] = Field(
        default=(), description="names of combinations that guidelines use, folded, sorted"
    )
    subjects: tuple[str, ...] = Field(
        default=(), description="stems of what the titles of guidelines say they are about, sorted"
    )
    fields: dict[str, int] = Field(
        default_factory=dict[str, int],
        description="passages of guidelines by each name of a disease of another field, folded",
    )


def read_scope(release: Path) -> ReleaseScope | None:
    """Return the scope of a release folder; None for a release made before there were scopes.

    Raises:
        ReleaseError: the file is of another version, or malformed.
    """
    path = release / SCOPE
    if not path.is_file():
        return None
    try:
        value = read_json(path)
        made = cast("dict[str, object]", value).get("format") if isinstance(value, dict) else None
        if made != SCOPE_FORMAT:
            raise ReleaseError(f"{SCOPE} of release {release.name} is of another version ({made})")
        return ReleaseScope.model_validate(value)
    except ValidationError as error:
        raise ReleaseError(f"{SCOPE} of release {release.name} is malformed: {error}") from error

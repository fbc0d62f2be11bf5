"""The settings as dotted names: which there are, which are nearest to a misspelt one."""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from clinrag_core.settings.tree import CorpusSettings, FolderOrName, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic.fields import FieldInfo

PREFIX = "CLINRAG_"


class Leaf(NamedTuple):
    """One setting."""

    name: str
    field: FieldInfo
    default: Any
    """`PydanticUndefined` if a value is required."""

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return PREFIX + self.name.replace(".", "__").upper()

    @property
    def is_secret_name(self) -> bool:
        """True if its value names the environment variable of a secret."""
        return self.name.endswith("_env")

    @property
    def is_text(self) -> bool:
        """True if text is its value as it is: a path or a string."""
        kinds = get_args(self.field.annotation) or (self.field.annotation,)
        return {Path, str, type(None)}.issuperset(kinds)

    @property
    def kind(self) -> Literal["path", "model", "value"]:
        """What a string in it is: a path, the folder or name of a model, or just a value."""
        parts = [self.field.annotation, *self.field.metadata]
        for part in parts:
            parts += get_args(part)
        if Path in parts:
            return "path"
        return "model" if any(isinstance(part, FolderOrName) for part in parts) else "value"


@cache
def leaves() -> dict[str, Leaf]:
    """Return every setting by dotted name, in the order of the tree."""
    defaults = Settings.model_construct(corpus=CorpusSettings.model_construct())
    return {leaf.name: leaf for leaf in _leaves(defaults)}


def _leaves(section: BaseModel, prefix: str = "") -> Iterator[Leaf]:
    """Yield the settings of a section, then those of the sections inside it, as TOML needs them."""
    fields = type(section).model_fields
    defaults = {name: getattr(section, name, PydanticUndefined) for name in fields}
    for name, default in sorted(defaults.items(), key=lambda d: isinstance(d[1], BaseModel)):
        if isinstance(default, BaseModel):
            yield from _leaves(default, f"{prefix}{name}.")
        else:
            yield Leaf(f"{prefix}{name}", fields[name], default)


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted names as a nested dict."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        inner = tree
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return tree


def flattened(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested dict as dotted names; an empty table counts only if it is no section."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        is_section = any(leaf.startswith(f"{name}.") for leaf in leaves())
        if isinstance(value, dict) and (value or is_section):
            flat |= flattened(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def nearest(name: str, known: Iterable[str], ending: str = "") -> str:
    """Return `; did you mean ...?` for the nearest known name, or a full stop if none is near."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    if not near:  # the right name in the wrong section
        last = name.rsplit(".", 1)[-1]
        near = [n for n in names if n.rsplit(".", 1)[-1] == last]
    return f"; did you mean {near[0]}{ending}?" if near else "."

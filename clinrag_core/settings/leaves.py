"""The settings as dotted names: which there are, which are nearest to a misspelt one."""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from clinrag_core.settings.tree import FolderOrName, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic.fields import FieldInfo

PREFIX = "CLINRAG_"
SIMILAR = 0.6
"""Least similarity of a suggested name: difflib's own default cutoff."""


class Leaf(NamedTuple):
    """One setting."""

    name: str
    field: FieldInfo
    kind: Literal["path", "model", "value"]
    """What a string in it is: a path, a model's folder or name, or just a value."""
    default: Any
    """`PydanticUndefined` where a value is required."""

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return PREFIX + self.name.replace(".", "__").upper()

    @property
    def is_secret_name(self) -> bool:
        """True if its value names the environment variable of a secret."""
        return self.name.endswith("_env")


@cache
def leaves() -> dict[str, Leaf]:
    """Every setting by dotted name, in the order of the tree."""
    return {leaf.name: leaf for leaf in _leaves(Settings, "", None)}


def _leaves(model: type[BaseModel], prefix: str, defaults: BaseModel | None) -> Iterator[Leaf]:
    """A section's own settings, then those of its sections, as TOML wants them."""
    fields = sorted(model.model_fields.items(), key=lambda item: section(item[1]) is not None)
    for name, field in fields:
        if defaults is not None:
            default = getattr(defaults, name)
        elif section(field) is not None and field.is_required():
            default = None
        else:
            default = field.get_default(call_default_factory=True, validated_data={})
        inner = section(field)
        if inner is not None:
            yield from _leaves(inner, f"{prefix}{name}.", default)
        else:
            yield Leaf(f"{prefix}{name}", field, _kind(field.annotation, field.metadata), default)


def section(field: FieldInfo) -> type[BaseModel] | None:
    """The section a field holds; None for a setting."""
    annotation: Any = field.annotation
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model else None


def _kind(annotation: Any, metadata: Iterable[Any]) -> Literal["path", "model", "value"]:
    """What a string in a field of this annotation is."""
    parts = [annotation, *metadata]
    for part in parts:
        parts += get_args(part)
    if Path in parts:
        return "path"
    return "model" if any(isinstance(part, FolderOrName) for part in parts) else "value"


def default_tree() -> dict[str, Any]:
    """All defaults as a nested dict; settings without one are absent."""
    flat = {
        n: leaf.default for n, leaf in leaves().items() if leaf.default is not PydanticUndefined
    }
    return nested(flat)


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names as a nested dict."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        inner = tree
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return tree


def flattened(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested dict as dotted names."""
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
    """`; did you mean ...?` for the nearest known name, or a full stop where none is near."""
    names = list(known)
    found = difflib.get_close_matches(name, names, 1, SIMILAR)
    if not found:  # the right name in the wrong section
        last = name.rsplit(".", 1)[-1]
        found = [n for n in names if n.rsplit(".", 1)[-1] == last][:1]
    return f"; did you mean {found[0]}{ending}?" if found else "."

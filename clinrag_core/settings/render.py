"""The settings as text: the effective values with their origins, and a commented TOML file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import PydanticUndefined

from clinrag_core.settings.leaves import leaves, nested

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.settings.leaves import Leaf
    from clinrag_core.settings.load import Loaded
    from clinrag_core.settings.tree import Settings

CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+(?=@)")


class EffectiveSetting(NamedTuple):
    """One effective setting."""

    name: str
    value: Any
    origin: str


def values(settings: Settings) -> dict[str, Any]:
    """Every effective value by dotted name, as JSON values."""
    tree = settings.model_dump(mode="json")
    found: dict[str, Any] = {}
    for name in leaves():
        value: Any = tree
        for part in name.split("."):
            value = value[part]
        found[name] = value
    return found


def effective(loaded: Loaded, environ: Mapping[str, str]) -> list[EffectiveSetting]:
    """Every setting with its value and origin.

    Secrets are never settings: of the variable that holds one only its name is given, and whether
    it is set. Credentials in an address are masked.
    """
    rows: list[EffectiveSetting] = []
    for name, value in values(loaded.settings).items():
        shown = CREDENTIALS.sub("***", value) if isinstance(value, str) else value
        if leaves()[name].is_secret_name:
            shown = f"{value} ({'set' if environ.get(value) else 'not set'})"
        rows.append(EffectiveSetting(name, shown, loaded.origins[name]))
    return rows


def effective_tree(rows: list[EffectiveSetting]) -> dict[str, Any]:
    """Rows as a nested dict of values and origins."""
    return nested({row.name: {"value": row.value, "origin": row.origin} for row in rows})


def toml_file(settings: Settings) -> str:
    """A TOML file of every setting with its description.

    Values that differ from the default are live; the others are commented out with their default,
    so that `clinrag config show` tells them apart and an upgrade may improve them.
    """
    lines = [
        "# Settings of clinrag. Relative paths are relative to this file.",
        "# Commented-out lines give the defaults. `clinrag config show` prints what is in force.",
    ]
    table = ""
    for name, value in values(settings).items():
        leaf = leaves()[name]
        *path, key = name.split(".")
        if ".".join(path) != table:
            table = ".".join(path)
            lines += ["", f"[{table}]"]
        lines += [f"# {leaf.field.description}", _line(leaf, key, value)]
    return "\n".join(lines) + "\n"


def _line(leaf: Leaf, key: str, value: Any) -> str:
    """One setting as TOML, commented out where it has its default or none."""
    default = leaf.default
    if isinstance(default, Path):
        default = str(default)
    elif isinstance(default, tuple):
        default = list(default)
    if value is None:
        return f"# {key} ="
    mark = "# " if value == default and default is not PydanticUndefined else ""
    return f"{mark}{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    """A JSON value as TOML; strings, numbers, booleans and lists are written the same in both."""
    return json.dumps(value, ensure_ascii=False)

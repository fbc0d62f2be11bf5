"""The settings as text: the effective values with their origins, and a commented TOML file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticUndefined, to_jsonable_python

from clinrag_core.settings.leaves import flattened, leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.settings.load import Loaded
    from clinrag_core.settings.tree import Settings

CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+(?=@)")


def effective(loaded: Loaded, environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the `value` and `origin` of every setting, by dotted name.

    Secrets are never settings: of the variable that contains one only its name is shown, and if it
    is set. Credentials in an address are masked.
    """
    values = flattened(loaded.settings.model_dump(mode="json"))
    rows: dict[str, dict[str, Any]] = {}
    for name, leaf in leaves().items():
        value = values[name]
        if isinstance(value, str):
            value = CREDENTIALS.sub("***", value)
        if leaf.is_secret_name:
            value = f"{value} ({'set' if environ.get(value) else 'not set'})"
        rows[name] = {"value": value, "origin": loaded.origins[name]}
    return rows


def toml_file(settings: Settings) -> str:
    """Return a TOML file of every setting with its description.

    Values that differ from the default are live; the others are commented out with their default,
    so that `clinrag config show` tells them apart and an upgrade may improve them.
    """
    lines = [
        "# Settings of clinrag. Relative paths are relative to this file.",
        "# Commented-out lines give the defaults. `clinrag config show` prints what is in force.",
    ]
    table = ""
    values = flattened(settings.model_dump(mode="json"))
    for name, leaf in leaves().items():
        path, _, key = name.rpartition(".")
        if path != table:
            table = path
            lines += ["", f"[{table}]"]
        value, required = values[name], leaf.default is PydanticUndefined
        is_default = not required and value == to_jsonable_python(leaf.default)
        # JSON and TOML write strings, numbers, booleans and lists the same way.
        text = "" if value is None else f" {json.dumps(value, ensure_ascii=False)}"
        mark = "# " if value is None or is_default else ""
        lines += [f"# {leaf.field.description}", f"{mark}{key} ={text}"]
    return "\n".join(lines) + "\n"

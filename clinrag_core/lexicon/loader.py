"""Loads the tables of `data/lexicons`: reads, validates and caches each of them.

Every table is a TOML file with a schema (`Record`) of its own, kept in the module that gives the
table its meaning. Expressions are compiled while the table is validated, so that a broken one is
reported with its place in the file. Everything that reads a table raises ConfigurationError where
the table is missing or malformed.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.kept import kept
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder
from clinrag_core.workspace import sha256_hex

Table = TypeVar("Table", bound=Record)


def _joined(expressions: object) -> object:
    if isinstance(expressions, list):
        return "|".join(str(one) for one in expressions)  # pyright: ignore[reportUnknownArgumentType]
    return expressions


Expression = Annotated[re.Pattern[str], BeforeValidator(_joined)]
"""A regular expression over case-folded text; a list of them is one that matches any."""


@cache
def load_table(name: str, schema: type[Table]) -> Table:
    """Return a shipped table; `name` is that of the file without its ending.

    Raises:
        ConfigurationError: the file is missing, is no TOML or breaks the schema; names the file and
            the entry.
    """
    path = data_folder() / "lexicons" / f"{name}.toml"
    try:
        text = path.read_text(encoding="utf-8")
        digest = sha256_hex(text.encode())
        return schema.model_validate(kept("toml", [digest], lambda: tomllib.loads(text)))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the table"
        raise ConfigurationError(f"{path}: {place}: {first['msg']}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from error

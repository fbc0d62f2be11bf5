"""Loads the tables of `data/lexicons`: reads, validates and caches each of them.

Every table is a TOML file with a schema (`Record`) of its own, kept in the module that gives the
table its meaning. Everything that reads a table raises ConfigurationError where it is missing or
malformed. An expression is compiled when it is first searched for; a test compiles all of them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, TypeVar, cast

import tomli
from pydantic import PlainValidator, ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder
from clinrag_core.text.expressions import LazyExpression

Table = TypeVar("Table", bound=Record)


def _expression(given: object) -> object:
    """Return an expression, or one of several that matches where any of them does."""
    if isinstance(given, str):
        return LazyExpression(given)
    if isinstance(given, list):
        return LazyExpression("|".join(map(str, cast("list[object]", given))))
    raise ValueError("an expression is a string, or a list of them")


Expression = Annotated[re.Pattern[str], PlainValidator(_expression)]
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
        return schema.model_validate(tomli.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the table"
        raise ConfigurationError(f"{path}: {place}: {first['msg']}") from error
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from error

"""Abbreviations that clinicians use, spelt out for searching.

A terse question ("INH + RIF, dose?") is near to no passage although documents answer it. Routing
and gates read the question as it was asked; only search sees this.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon

SHORT = 4
"""Most letters of a drug's abbreviation; longer names stay as they were written."""


class _File(Record):
    tuberculosis: dict[str, str]
    pneumonia: dict[str, str]
    general: dict[str, str]


@cache
def abbreviations() -> dict[str, str]:
    """Abbreviation to what it stands for.

    Raises:
        ConfigurationError: the table is missing or malformed.
    """
    path = data_folder() / "lexicons" / "abbreviations.toml"
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return {**file.tuberculosis, **file.pneumonia, **file.general}


@cache
def _pattern() -> re.Pattern[str]:
    shorts = sorted(abbreviations(), key=lambda short: (-len(short), short))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, shorts))})(?![\w-]*\w)")


def spell_out(question: str, drugs: DrugLexicon) -> str:
    """A question with drugs' short names in full, and other abbreviations beside their meaning.

    Raises:
        ConfigurationError: the table of abbreviations cannot be read.
    """
    parts: list[str] = []
    at = 0
    for mention in drugs.mentions(question):
        name = question[mention.start : mention.end]
        if len(name) <= SHORT and name.isupper() and len(mention.ingredients) == 1:
            parts += [question[at : mention.start], *mention.ingredients]
            at = mention.end
    text = "".join([*parts, question[at:]])
    meant = abbreviations()
    return _pattern().sub(lambda match: f"{meant[match.group()]} ({match.group()})", text)

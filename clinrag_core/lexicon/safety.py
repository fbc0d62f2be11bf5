"""What the safety gates look for: high-risk terms, populations, routes, diagnostic words.

One shipped table of concepts, each with the expressions that say it. Text is case-folded and has
one kind of dash and space (`fold_chars`) before it is searched.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern


class _Diagnostic(Record):
    terms: tuple[str, ...]


class _File(Record):
    high_risk: dict[str, tuple[str, ...]]
    populations: dict[str, tuple[str, ...]]
    routes: dict[str, tuple[str, ...]]
    diagnostic: _Diagnostic


class Concepts:
    """Finds concepts in text by any of the expressions that say them."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self._patterns: dict[str, Pattern[str]] = {
            name: re.compile("|".join(expressions)) for name, expressions in terms.items()
        }

    def find(self, text: str) -> frozenset[str]:
        """Concepts said in a text."""
        folded = fold_chars(text)
        return frozenset(n for n, pattern in self._patterns.items() if pattern.search(folded))

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Every mention as (start, end, concept), ordered by start."""
        folded = fold_chars(text)
        found = [
            (match.start(), match.end(), name)
            for name, pattern in self._patterns.items()
            for match in pattern.finditer(folded)
        ]
        return sorted(found)


class SafetyLexicon(NamedTuple):
    """The table, compiled."""

    high_risk: Concepts
    populations: Concepts
    routes: Concepts
    diagnostic: Pattern[str]


@cache
def safety_lexicon() -> SafetyLexicon:
    """The shipped table.

    Raises:
        ConfigurationError: it is missing or malformed.
    """
    path = data_folder() / "lexicons" / "safety.toml"
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        return SafetyLexicon(
            Concepts(file.high_risk),
            Concepts(file.populations),
            Concepts(file.routes),
            re.compile("|".join(file.diagnostic.terms)),
        )
    except (OSError, tomllib.TOMLDecodeError, ValidationError, re.error) as error:
        raise ConfigurationError(f"{path}: {error}") from error

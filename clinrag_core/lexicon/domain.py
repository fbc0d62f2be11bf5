"""What a question is about and what it asks to be done: the triggers of the router."""

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
    from re import Pattern


class _File(Record):
    tb: tuple[str, ...]
    cap: tuple[str, ...]
    related: tuple[str, ...]
    guideline_tasks: tuple[str, ...]
    drug_tasks: tuple[str, ...]
    other_fields: tuple[str, ...]


class DomainTriggers(NamedTuple):
    """The words of a question that say what it is about, as they stand in it."""

    tb: tuple[str, ...]
    cap: tuple[str, ...]
    related: tuple[str, ...]
    guideline_tasks: tuple[str, ...]
    drug_tasks: tuple[str, ...]
    other_fields: tuple[str, ...]


def domain_triggers(question: str) -> DomainTriggers:
    """Find the triggers of a question; each list sorted and without repeats.

    Raises:
        ConfigurationError: the table is missing or malformed.
    """
    text = fold_chars(question)
    return DomainTriggers(
        *(
            tuple(sorted({found for m in pattern.finditer(text) if (found := m.group().strip())}))
            for pattern in _patterns()
        )
    )


def domain_spans(question: str) -> list[tuple[int, int]]:
    """Spans of the words for TB and pneumonia in `fold_chars(question)`."""
    text = fold_chars(question)
    tb, cap, *_ = _patterns()
    return [match.span() for pattern in (tb, cap) for match in pattern.finditer(text)]


@cache
def _patterns() -> tuple[Pattern[str], ...]:
    path = data_folder() / "lexicons" / "domain.toml"
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        return tuple(re.compile("|".join(getattr(file, name))) for name in DomainTriggers._fields)
    except (OSError, tomllib.TOMLDecodeError, ValidationError, re.error) as error:
        raise ConfigurationError(f"{path}: {error}") from error

"""What a question asks for: intents, section cues, tabular cues, conditions; one shipped table.

Cues are regular expressions over case-folded text, compiled once.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

from pydantic import Field, ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup
from clinrag_core.settings import data_folder

if TYPE_CHECKING:
    from re import Pattern

Intent = Literal[
    "ELIGIBILITY",
    "ADVERSE_EVENTS",
    "RESULTS",
    "METHODS",
    "DOSAGE",
    "INDICATIONS",
    "DIAGNOSIS",
    "CONTRAINDICATIONS",
    "INTERACTIONS",
]
INTENTS: tuple[Intent, ...] = get_args(Intent)

_Confidence = Annotated[float, Field(gt=0, le=1)]
_Cue = tuple[str, _Confidence]


class _IntentEntry(Record):
    name: Intent
    groups: tuple[SectionGroup, ...] = ()
    headings: tuple[str, ...]
    cues: tuple[_Cue, ...]


class _SectionEntry(Record):
    group: SectionGroup
    cue: str


class _Tabular(Record):
    cues: tuple[_Cue, ...]


class _File(Record):
    function_words: tuple[str, ...]
    intent: tuple[_IntentEntry, ...]
    section: tuple[_SectionEntry, ...]
    tabular: _Tabular
    conditions: dict[str, tuple[str, ...]]


class Cues(NamedTuple):
    """Expressions with the confidence each gives."""

    patterns: tuple[tuple[Pattern[str], float], ...]

    def confidence(self, text: str) -> float:
        """The strongest cue found in case-folded text, from 0 to 1."""
        return max((c for pattern, c in self.patterns if pattern.search(text)), default=0.0)


class IntentRule(NamedTuple):
    """One intent: what asks for it, and which sections answer it."""

    name: Intent
    groups: frozenset[str]
    headings: Pattern[str]
    cues: Cues


class IntentLexicon(NamedTuple):
    """The table, compiled."""

    function_words: frozenset[str]
    intents: tuple[IntentRule, ...]
    sections: tuple[tuple[str, Pattern[str]], ...]
    tabular: Cues
    conditions: tuple[tuple[str, Pattern[str]], ...]


@cache
def intent_lexicon() -> IntentLexicon:
    """The shipped table.

    Raises:
        ConfigurationError: it is malformed or lacks an intent.
    """
    path = data_folder() / "lexicons" / "intents.toml"
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        lexicon = _compiled(file)
    except (OSError, tomllib.TOMLDecodeError, ValidationError, re.error) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    if missing := set(INTENTS) - {rule.name for rule in lexicon.intents}:
        raise ConfigurationError(f"{path}: no entry for {', '.join(sorted(missing))}")
    return lexicon


def _compiled(file: _File) -> IntentLexicon:
    return IntentLexicon(
        function_words=frozenset(file.function_words),
        intents=tuple(
            IntentRule(
                entry.name,
                frozenset(entry.groups),
                re.compile("|".join(entry.headings)),
                _cues(entry.cues),
            )
            for entry in file.intent
        ),
        sections=tuple((entry.group, re.compile(entry.cue)) for entry in file.section),
        tabular=_cues(file.tabular.cues),
        conditions=tuple(
            (name, re.compile("|".join(words))) for name, words in file.conditions.items()
        ),
    )


def _cues(cues: tuple[_Cue, ...]) -> Cues:
    return Cues(tuple((re.compile(pattern), confidence) for pattern, confidence in cues))

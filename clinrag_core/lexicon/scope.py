"""The table of what a release can be asked: aspects of drugs and conditions, and the conditions."""

from __future__ import annotations

from functools import cache, cached_property

from pydantic import model_validator

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup
from clinrag_core.text.stems import stem
from clinrag_core.text.word_starts import says


class DrugAspect(Record):
    """Something that is asked about a drug, and what is about it."""

    name: str
    phrase: str
    asked: Expression
    said: Expression
    groups: frozenset[SectionGroup] = frozenset()
    dose: bool = False
    """A sentence must name the drug and a dose."""
    subject: bool = False
    """In guidelines the drug must be what a sentence on the aspect is about."""
    population: bool = False
    """It narrows the other aspects asked: "the dose in pregnancy"."""


class ConditionAspect(Record):
    """Something that is asked about a condition, and what is about it."""

    name: str
    phrase: str
    asked: Expression
    said: Expression


class Condition(Record):
    """A disease, as questions and passages name it."""

    name: str
    names: Expression
    narrows: str | None = None
    """The condition that this is a form of."""
    with_wider: bool = False
    """Its names alone do not say so: "meningitis" is a form of tuberculosis in texts on it only."""


class AdviceWords(Record):
    """Words of a sentence that advises something."""

    words: Expression


class TitleWords(Record):
    """Words of the titles of guidelines on anything."""

    words: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """Their stems."""
        return frozenset(map(stem, self.words.split()))


class ScopeTable(Record):
    """The table."""

    titles: TitleWords
    drug_aspect: tuple[DrugAspect, ...]
    condition_aspect: tuple[ConditionAspect, ...]
    advice: AdviceWords
    condition: tuple[Condition, ...]

    @model_validator(mode="after")
    def _forms_are_of_known_conditions(self) -> ScopeTable:
        """Check that every form is one of a condition of the table."""
        known = {condition.name for condition in self.condition}
        if unknown := {c.narrows for c in self.condition if c.narrows} - known:
            raise ValueError(f"no condition {', '.join(sorted(unknown))}")
        return self

    def conditions_in(self, text: str) -> tuple[Condition, ...]:
        """Return the conditions that case-folded text names, without those that another narrows."""
        every = [c for c in self.condition if says(text, c.names)]
        names = {c.name for c in every}
        named = [c for c in every if not c.with_wider or c.narrows in names]
        wider = {c.narrows for c in named}
        return tuple(c for c in named if c.name not in wider)


@cache
def scope_table() -> ScopeTable:
    """Return the shipped table."""
    return load_table("scope", ScopeTable)

"""The tables of intents and topics: what a question asks for, and which sections answer it.

Cues are expressions over case-folded text with the confidence that each gives.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup

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


Topic = Literal["tb", "cap", "related", "guideline_task", "drug_task", "other_field", "no_source"]
"""What a question is about, and what it asks to be done."""

Disease = Literal["cap", "tb"]
DISEASES: tuple[Disease, ...] = get_args(Disease)


class CueTable(Record):
    """Expressions with the confidence that each gives."""

    cues: tuple[tuple[Expression, Annotated[float, Field(gt=0, le=1)]], ...]

    def confidence(self, text: str) -> float:
        """Return the confidence of the strongest cue in case-folded text, from 0 to 1."""
        return max((c for pattern, c in self.cues if pattern.search(text)), default=0.0)


class IntentRule(CueTable):
    """One intent: what asks for it, and which sections answer it."""

    name: Intent
    groups: frozenset[SectionGroup] = frozenset()
    headings: Expression
    boosts: bool = False
    """Reading it from a question boosts its sections, if boosts are on (ADR 0018)."""


class SectionRule(Record):
    """Words that ask for a section group of labels."""

    group: SectionGroup
    cue: Expression


class MakingDiagnosis(Record):
    """What asks how a diagnosis is made, and what only mentions one that is made already."""

    asks: Expression
    made: Expression

    def asked_in(self, text: str) -> bool:
        """Return whether case-folded text asks how a diagnosis is made."""
        return self.asks.search(self.made.sub(" ", text)) is not None


class IntentLexicon(Record):
    """The table."""

    function_words: frozenset[str]
    making_diagnosis: MakingDiagnosis
    intent: tuple[IntentRule, ...]
    section: tuple[SectionRule, ...]
    tabular: CueTable

    @model_validator(mode="after")
    def _every_intent_has_a_rule(self) -> IntentLexicon:
        if missing := set(INTENTS) - {rule.name for rule in self.intent}:
            raise ValueError(f"no entry for {', '.join(sorted(missing))}")
        return self


@cache
def intent_lexicon() -> IntentLexicon:
    """Return the shipped table."""
    return load_table("intents", IntentLexicon)


@cache
def boosting_intents() -> frozenset[Intent]:
    """Return the intents whose boost is applied if they are read from a question."""
    return frozenset(rule.name for rule in intent_lexicon().intent if rule.boosts)


class DiseaseTable(Record):
    """The expressions that name each disease."""

    tb: Expression
    cap: Expression


class TopicTable(Record):
    """The expressions of each topic, and of the diseases."""

    tb: Expression
    cap: Expression
    related: Expression
    guideline_task: Expression
    drug_task: Expression
    other_field: Expression
    no_source: Expression
    diseases: DiseaseTable


@cache
def topic_expressions() -> dict[str, Expression]:
    """Return the expression of each topic."""
    table = load_table("domain", TopicTable)
    return {name: value for name, value in table if name != "diseases"}


@cache
def disease_expressions() -> dict[str, Expression]:
    """Return the expression that names each disease."""
    return dict(load_table("domain", TopicTable).diseases)

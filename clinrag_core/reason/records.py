"""Multiple-choice questions and what is chosen; an abstention is a choice of none."""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import Field

from clinrag_core.model.base import Record

ChoiceReason = Literal[
    "chosen",
    "tie",  # several options have the same best score: the first letter is no answer
    "no_evidence",  # nothing was retrieved
    "not_entailable",  # the options only say yes, no or maybe
    "unreadable",  # a generator named no option, or several
    "generation_failed",
]


class ChoiceQuestion(Record):
    """A question with options by letter."""

    id: str
    question: str
    options: dict[str, str] = Field(min_length=2, description="letter to text")
    answer: str | None = Field(default=None, description="letter of the right option")


class Choice(Record):
    """What a reasoner chose and why."""

    letter: str | None = Field(description="null: it abstains")
    reason: ChoiceReason
    scores: dict[str, float] = Field(default_factory=dict[str, float], description="by letter")
    evidence: tuple[str, ...] = Field(default=(), description="ids of passages it read")
    contradicted: tuple[str, ...] = Field(
        default=(), description="letters of options that the evidence contradicts"
    )


class Reasoner(Protocol):
    """Chooses an option; sees the options only after evidence was retrieved by the question."""

    name: str

    def choose(self, question: ChoiceQuestion) -> Choice:
        """Return the choice, or an abstention with its reason."""
        ...

"""The table of topics: words that say what a question is about and what it asks to be done."""

from __future__ import annotations

from typing import Literal, get_args

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

Topic = Literal["tb", "cap", "related", "guideline_task", "drug_task", "other_field"]

Condition = Literal["tb", "cap"]
"""Topics that are a disease."""
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


class TopicTable(Record):
    """The expressions of each topic."""

    tb: Expression
    cap: Expression
    related: Expression
    guideline_task: Expression
    drug_task: Expression
    other_field: Expression


def topic_expressions() -> dict[str, Expression]:
    """Return the expression of each topic."""
    return dict(load_table("domain", TopicTable))

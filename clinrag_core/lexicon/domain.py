"""The table of topics: words that say what a question is about and what it asks to be done."""

from __future__ import annotations

from typing import Literal, get_args

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

Topic = Literal["tb", "cap", "related", "guideline_task", "drug_task", "other_field"]

Disease = Literal["cap", "tb"]
DISEASES: tuple[Disease, ...] = get_args(Disease)


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
    diseases: DiseaseTable


def topic_expressions() -> dict[str, Expression]:
    """Return the expression of each topic."""
    table = load_table("domain", TopicTable)
    return {name: value for name, value in table if name != "diseases"}


def disease_expressions() -> dict[str, Expression]:
    """Return the expression that names each disease."""
    return dict(load_table("domain", TopicTable).diseases)

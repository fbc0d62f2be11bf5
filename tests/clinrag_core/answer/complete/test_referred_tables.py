"""A table that the first statement only refers to is shown after it. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.complete.referred_tables import MOST_ROWS, with_referred_table
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
POINTER = statement("They are hard to tell apart. Table 3.2 gives the signs of both.")


def _table(count: int = 2, caption: str = "Table 3.2 Signs"):
    return [
        statement(f"Sign: {n}; Relapse: slow; Reaction: fast", statement_kind="row")
        .model_copy(update={"caption": caption})
        for n in range(count)
    ]  # fmt: skip


def _shown(question: str, rows) -> list[str]:
    ranked = [RankedStatement(POINTER, POINTER.kind, 5.0, 0.6)]
    sources = sources_of([POINTER, *rows], DRUGS)
    found = with_referred_table(ranked, read_slots(question, DRUGS), sources)
    return [one.statement.said for one in found]


def test_the_table_comes_right_after_what_refers_to_it() -> None:
    rows = _table()
    table = "; ".join(row.said for row in rows)
    assert _shown("Relapse or reaction?", rows) == [POINTER.said, table]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What dose of zolumycin for a relapse?", _table()),
        ("Relapse or reaction?", _table(MOST_ROWS + 1)),
        ("Relapse or reaction?", _table(caption="Table 3.20 Signs")),
        ("Relapse or reaction?", [row.model_copy(update={"unfit": ("unsure_binding",)})
                                  for row in _table()]),
    ],
    ids=["a-dose", "too-long", "another-table", "unsure"],
)  # fmt: skip
def test_a_table_is_not_shown_where_it_is_not_sure_or_not_short(question: str, rows) -> None:
    assert _shown(question, rows) == [POINTER.said]

"""Statements that answers often come from are read before the first question, up to a bound."""

from __future__ import annotations

from clinrag_core.answer.fit.statement_slots import StatementSlots
from clinrag_core.answer.readiness import read_ahead, warm_up_answers

FEW = 7


def test_no_more_is_read_ahead_than_is_kept(search, monkeypatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(StatementSlots, "read", lambda self: read.append(self.statement.id))
    assert read_ahead(search, most=FEW) == FEW
    every = read_ahead(search)
    assert every > FEW
    assert read[:FEW] == read[FEW : 2 * FEW]
    assert len(set(read)) == every


def test_all_that_a_statement_says_is_read(search, monkeypatch) -> None:
    read: list[StatementSlots] = []
    own = StatementSlots.read
    monkeypatch.setattr(StatementSlots, "read", lambda self: (own(self), read.append(self)))
    read_ahead(search, most=1)
    assert {"facts", "figures", "has_regimen"} <= vars(read[0]).keys()


def test_a_warm_up_is_not_recorded_and_asks_no_model(engine_with) -> None:
    class Refusing:
        name = revision = "refusing"

        def generate(self, task):
            raise AssertionError(task)

        def record(self, text, answer):
            raise AssertionError(text)

    engine = engine_with(generator=Refusing(), audit=Refusing())
    assert warm_up_answers(engine) > FEW

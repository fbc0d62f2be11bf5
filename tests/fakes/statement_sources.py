"""Sources of statements in memory: a label base and a guideline base, searched by their words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from clinrag_core.answer.sources import Sources
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement


class FakeRows(list[int]):
    """Rows as an array of numbers returns them."""

    def tolist(self) -> list[int]:
        """Return the rows."""
        return list(self)


class FakeStatementIndex:
    """The part of a statement index that looks statements up without vectors."""

    def __init__(self, statements: Sequence[IndexedStatement]) -> None:
        self._statements = list(statements)
        self.bm25 = SimpleNamespace(rows_with=self._rows_with)

    def statements(self, rows: Sequence[int]) -> list[IndexedStatement]:
        """Return the statements of some rows."""
        return [self._statements[row] for row in rows]

    def rows_of(self, ingredients: Iterable[str], groups: Sequence[str]) -> list[int]:
        """Return the rows in some section groups of the labels of some ingredients."""
        wanted = set(ingredients)
        return [
            row
            for row, one in enumerate(self._statements)
            if wanted & set(one.ingredients) and one.group in groups
        ]

    def next_to(self, statement: IndexedStatement) -> tuple[IndexedStatement | None, ...]:
        """Return the statements before and after one; none for sentences that were joined."""
        if statement not in self._statements:
            return None, None
        row = self._statements.index(statement)
        near = (row - 1, row + 1)
        return tuple(self._statements[n] if 0 <= n < len(self._statements) else None for n in near)

    def around(self, statement_id: str, reach: int) -> tuple[list[IndexedStatement], int]:
        """Return the statements near one in its section, and its position among them."""
        ids = [one.id for one in self._statements]
        if statement_id not in ids:
            return [], 0
        row = ids.index(statement_id)
        own = self._statements[row]
        near = [
            one
            for one in self._statements[max(0, row - reach) : row + reach + 1]
            if (one.document_id, one.section_ordinal) == (own.document_id, own.section_ordinal)
        ]
        return near, near.index(own)

    def _rows_with(self, tokens: Sequence[str]) -> FakeRows:
        return FakeRows(
            row
            for row, one in enumerate(self._statements)
            if set(tokens) <= set(tokenize(one.said))
        )


def sources_of(statements: Sequence[IndexedStatement], drugs: DrugLexicon) -> Sources:
    """Return sources with some statements, each in the base of its kind: "label", "guideline"."""
    bases: dict[str, Any] = {
        kind: SimpleNamespace(
            name=kind,
            manifest=SimpleNamespace(kind=kind),
            documents=(),
            statements=FakeStatementIndex([one for one in statements if one.kind == kind]),
        )
        for kind in ("label", "guideline")
    }
    engine: Any = SimpleNamespace(knowledge_bases=bases)
    return Sources([engine], drugs, {})

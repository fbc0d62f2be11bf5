"""Shows the table that the first statement of an answer only refers to: "see Table 3.2".

Not where a dose is asked for: rows of such a table are for people and weights, and are ranked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.schedules import joined_steps
from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

MOST_ROWS, MOST_WORDS = 8, 110
"""Rows of a table that is shown whole, and words of them, by judgement: about an answer."""
REACH = 20
"""Statements on each side of one among which the table is that it refers to."""
_REFERS = lazy_re(r"\btable (?P<number>\d+(?:[.-]\d+)*[a-z]?)\b", re.IGNORECASE)
_OF_ROW = frozenset({"aspect"})
"""What a row that is shown with its table may lack."""


def with_referred_table(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements with the short table that the first refers to right after it."""
    if not fitting or slots.asks_dosing:
        return fitting
    first = fitting[0]
    refers = _REFERS.search(first.statement.said)
    if refers is None or first.statement.statement_kind == "row":
        return fitting
    rows = _rows(first, refers["number"], slots, sources)
    ids = {row.id for row in rows}
    if not rows:
        return fitting
    table = first._replace(statement=joined_steps(rows))
    return [first, table, *(one for one in fitting[1:] if one.statement.id not in ids)]


def _rows(
    one: RankedStatement, number: str, slots: QuestionSlots, sources: Sources
) -> list[IndexedStatement]:
    """Return the rows of a table near a statement by its number; none if it is long or unsure."""
    title = re.compile(rf"table {re.escape(number)}(?![\w.-]*\d)", re.IGNORECASE)
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(one.statement.id, REACH)
        rows = [row for row in near if row.statement_kind == "row" and title.match(row.caption)]
        words = sum(len(row.said.split()) for row in rows)
        if 1 < len(rows) <= MOST_ROWS and words <= MOST_WORDS:
            lost = {misfit.slot for row in rows for misfit in misfits(slots, row, sources.drugs)}
            if lost <= _OF_ROW and all(map(is_quotable, rows)):
                return rows
    return []

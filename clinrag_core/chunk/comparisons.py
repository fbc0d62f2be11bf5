"""Rows that compare what the row above them names: "Relative risk reduction" under "Relapse".

Alone they do not say of what. One figure for several columns compares these for the outcome above;
a figure in every column may compare rows with each other, and stays unsure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.quantities import quantities
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.model.table import Table

_COMPARES = lazy_re(
    r"\b(?:difference|diff|reduction|ratio|ci|confidence intervals?|p[- ]?values?)\b", re.IGNORECASE
)
_OUTCOME = lazy_re(
    r"\b(?!(?:absolute|adjusted|relative|risk|rates?|treatment|reduction|difference|diff|ratio|hazard"
    r"|odds|percent|percentage|confidence|intervals?|ci|p|values?|vs|versus|from|placebo|control|for"
    r"|of|in|the|to|with|between|and|mean|median|estimated?|overall|comparison|pooled|analysis"
    r"|points?|compared|group|study|log[- ]rank|two[- ]sided)\b)[a-z]",
    re.IGNORECASE,
)
"""A word of a label that is more than a comparison of what the row above names."""


def compares(table: Table, row: int) -> bool:
    """Return whether a data row compares what another names; a row of doses does not."""
    label, *values = table.cells(row)
    if not _COMPARES.search(label) or _OUTCOME.search(label):
        return False
    return not any(quantity.kind == "dose" for value in values for quantity in quantities(value))


def compared_row(table: Table, row: int) -> int | None:
    """Return the row above whose outcome a row compares; None if it does not or if it is unsure."""
    if not compares(table, row):
        return None
    above = row - 1
    while above >= table.header_rows and above not in table.group_rows and compares(table, above):
        above -= 1
    if above < table.header_rows or above in table.group_rows or not table.cells(above)[0]:
        return None
    filled = [column for column, cell in enumerate(table.rows[row]) if cell and column > 0]
    wide = {m.column for m in table.merged if m.row == row and m.columns > 1}
    return above if len(filled) == 1 or wide.issuperset(filled) else None

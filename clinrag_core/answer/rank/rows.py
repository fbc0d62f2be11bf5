"""What a row of a table says of the dose asked about: of which drug, in which phase, how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.facets import HARM
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

_PHASE = lazy_re(r"\b(?:loading|maintenance|induction|initial|starting)\b")
_CELL = lazy_re(r"(?:^|; )(?P<heading>[^:;]{3,80}): (?P<value>[^;]*)")
_COUNT = lazy_re(r"(?:\d{1,2}(?:\.5)?|\d?½|half)")


def is_row_of_others(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a table row is of a drug that is not asked about, with or without the other.

    The dose that is taken with a second drug once a week is none of the drug alone.
    """
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    return own.statement.statement_kind == "row" and bool(asked and own.said_drugs - asked)


def is_row_on_harm(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a row says what is done on a harm, where none is asked about.

    Where treatment stopped without one, or where all that one drug may do is asked for, and the row
    has one thing that several may do.
    """
    asked = frozenset[str]().union(*slots.drugs)
    stops = "stopping" in slots.aspects and not slots.drugs
    of_several = slots.aspects == HARM and bool(asked and own.said_drugs - asked)
    is_asked = (stops or of_several) and not slots.findings
    return is_asked and own.statement.statement_kind == "row" and bool(own.findings)


def lacks_phase(slots: QuestionSlots, said: str) -> bool:
    """Return whether a row is of another phase than the one whose dose is asked, or has none.

    Its first cell names its phase, or there is no figure under that: "not evaluated".
    """
    asked = {match.group() for match in _PHASE.finditer(fold_chars(slots.text))}
    own = {match.group() for match in _PHASE.finditer(said.partition(";")[0])}
    if asked and own and asked.isdisjoint(own):
        return True
    cells = [
        (match["heading"], match["value"])
        for match in _CELL.finditer(said)
        if any(phase in match["heading"] for phase in asked)
    ]
    return bool(cells) and not any(re.search(r"\d", value) for _, value in cells)


def counts_tablets(own: StatementSlots) -> bool:
    """Return whether a row of drugs gives how many are taken, with no unit: "RH - 75/50: 4"."""
    if own.statement.statement_kind != "row" or not own.said_drugs:
        return False
    cells = _CELL.finditer(own.statement.said)
    return any(_COUNT.fullmatch(cell["value"].strip(" .")) for cell in cells)

"""Joins the rows of a dosing schedule: week 1 without week 2 is no answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import REACH
from clinrag_core.answer.complete.restrictions import joined, orders_of
from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.expressions import lazy_re
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

MOST_WORDS = 110
"""Words of a schedule that is shown whole, by judgement: about an answer."""
FEW, MOST_WORDS_OF_FEW = 3, 220
"""Steps of which one without the others is half of an answer, however long they are."""
_STEP = lazy_re(
    r"^(?:weeks?|days?|months?)\b[^;:]*: ?\d"
    r"|^(?:first|second|third|subsequent) (?:dose|infusion|injection)s?\b"
    r"|^(?:[^;:]*: )?(?:(?:on )?(?:weeks?|days?|months?|steps?|cycles?) ?\d"
    r"|[^;]*\b(?:loading|maintenance|terminal|initial|starting|intensive|continuation|induction)\b)",
    re.IGNORECASE,
)
"""A row that is a step of a schedule: "Week 1", "Weeks of X: 1-4", "Regimen: Loading"."""
_ELAPSED = lazy_re(
    r"^(?:interval|time)\b[^;:]*\b(?:after|from|since) (?:the )?start\b"
    r"[^;:]*: ?[\d>≥]",
    re.IGNORECASE,
)
"""A row for some time after the start of an infusion."""
_FROM_START = lazy_re(r"\b(?:start(?:s|ed|ing)?|initial(?:ly)?|begin\w*|first)\b", re.IGNORECASE)
_COMBINED = lazy_re(
    r"^(?P<group>[^;]*\b(?:triple|dual|quadruple|combination) (?:therapy|regimen|treatment)"
    r"[^;:]*::)",
    re.IGNORECASE,
)
"""The group of the rows of drugs that are given together only: "Triple therapy:: amoxicillin"."""
_OF_USE = lazy_re(
    r"^(?:[^:;]*: )?(?:type of )?(?:infection|indication|disease|condition)s?\b[^:;]{0,30}: ",
    re.IGNORECASE,
)
"""A row for one of the uses of a drug."""
MOST_USES = 6
"""Uses of a drug whose rows are shown together, by judgement: more are a table of their own."""
_BETWEEN = "; "
DOSING = "dosage"
"""Section group of a label whose steps are those of a dose, whatever is asked."""


def with_schedules(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements with each step of a short schedule replaced by the whole schedule.

    Only where no step alone is asked for; `fitting` is best first.
    """
    is_of_phase = bool(slots.facet("phase")) and "duration" not in slots.aspects
    taken: set[str] = set()
    found: list[RankedStatement] = []
    for one in fitting:
        if one.statement.id in taken:
            continue
        if is_of_phase:
            steps = _for_every_use(one, slots, sources) or [one.statement]
        else:
            steps = _steps(one, slots, sources)
        whole, orders = steps[0], []
        if len(steps) > 1:
            orders = _orders_of_all(one, steps, sources)
            whole = joined_steps(steps)
            whole = joined(whole, [whole, *orders]) if orders else whole
        taken.update(part.id for part in (*steps, *orders))
        found.append(one._replace(statement=whole))
    return found


def _steps(one: RankedStatement, slots: QuestionSlots, sources: Sources) -> list[IndexedStatement]:
    """Return the rows of the schedule that a statement is a step of; it alone if it is of none."""
    row = one.statement
    if slots.asks_dosing:
        together = _given_together(one, sources) or _for_every_use(one, slots, sources)
        if together:
            return together
    is_dosing = slots.asks_dosing or row.group == DOSING or (row.group is None and slots.drugs)
    elapses = _ELAPSED.match(row.said) and _FROM_START.search(slots.text)
    if not ((_is_step(row) or elapses) and is_dosing):
        return [row]
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(row.id, REACH)
        table = [
            other
            for other in near
            if other.statement_kind == "row"
            and (other.block, other.caption) == (row.block, row.caption)
        ]
        if elapses:
            return table[:1] if is_quotable(table[0]) else [row]
        words = sum(len(other.said.split()) for other in table)
        if (
            words <= (MOST_WORDS_OF_FEW if len(table) <= FEW else MOST_WORDS)
            and all(map(_is_step, table))
            and all(is_quotable(o) and _may_be_of_it(slots, o, sources) for o in table)
        ):
            return table
    return [row]


def _given_together(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return the rows of all drugs of the combination that a row belongs to; mostly none."""
    group = _COMBINED.match(one.statement.said)
    if one.statement.statement_kind != "row" or group is None:
        return []
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(one.statement.id, REACH)
        rows = [other for other in near if other.said.startswith(group["group"])]
        words = sum(len(other.said.split()) for other in rows)
        if len(rows) > 1 and words <= MOST_WORDS and all(map(is_quotable, rows)):
            return rows
    return []


def _for_every_use(
    one: RankedStatement, slots: QuestionSlots, sources: Sources
) -> list[IndexedStatement]:
    """Return the rows for all uses of a drug; none if one is asked about, or if they are many.

    "The loading dose" is not that for one infection of four.
    """
    row = one.statement
    narrowed = slots.diseases or slots.partners or slots.people or slots.findings
    if row.statement_kind != "row" or not _OF_USE.match(row.said) or narrowed or not slots.drugs:
        return []
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(row.id, REACH)
        rows = [other for other in near if _OF_USE.match(other.said)]
        rows = [other for other in rows if (other.block, other.caption) == (row.block, row.caption)]
        words = sum(len(other.said.split()) for other in rows)
        if (
            1 < len(rows) <= MOST_USES
            and words <= MOST_WORDS_OF_FEW
            and all(map(is_quotable, rows))
        ):
            return rows
    return []


def _may_be_of_it(slots: QuestionSlots, step: IndexedStatement, sources: Sources) -> bool:
    """Return whether a step contradicts nothing asked; what it is for another step may say."""
    return all(
        misfit.slot == "indication" and not misfit.has
        for misfit in each_misfit(slots, step, sources.drugs)
    )


def _is_step(row: IndexedStatement) -> bool:
    return row.statement_kind == "row" and _STEP.match(row.said) is not None


def _orders_of_all(
    one: RankedStatement, steps: list[IndexedStatement], sources: Sources
) -> list[IndexedStatement]:
    """Return what footnotes order for the steps of a schedule, each once."""
    orders = (order for step in steps for order in orders_of(one._replace(statement=step), sources))
    return list({order.id: order for order in orders}.values())


def joined_steps(steps: list[IndexedStatement]) -> IndexedStatement:
    """Return rows, such as the steps of a schedule, as one statement that cites them all."""
    return steps[0].model_copy(
        update={
            "id": sha256_hex("\n".join(step.id for step in steps).encode())[:32],
            "said": _BETWEEN.join(step.said for step in steps),
            "text": "\n".join(step.text for step in steps),
            "statement_kind": "item",
            "quotes": tuple(dict.fromkeys(quote for step in steps for quote in step.quotes)),
        }
    )

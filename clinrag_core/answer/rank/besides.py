"""Statements whose figures are of something else than what is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.rank.topic_words import share_said
from clinrag_core.facts.people import read_people
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord

MOST_BESIDES = 0.25
"""Share of the weight of a question's words, said by a statement, below which a time or dose in it
is that of something else."""
_ON_TREATMENT = lazy_re(
    r"\b(?:treat|therap|phase|regimen|tablet|capsule|drug|dos|course|prophyla|prevent|taking|taken)\w*"
)
_SCHEDULE = lazy_re(r"\bdosing schedules?\b")
"""What the caption of a table of one of several schedules says."""
_AMOUNT = lazy_re(r"\bhow (?:many|much)\b")


def is_besides(slots: QuestionSlots, words: Sequence[TopicWord], own: StatementSlots) -> bool:
    """Return whether the figures of a statement are of something else than what is asked for.

    The days of a treatment are no answer to "how many days of isolation", nor are tablets by weight
    where nobody asks for a dose.
    """
    statement = own.statement
    if _is_at_other_times(slots, own):
        return True
    is_of_other = slots.is_case and not (slots.asks_dosing or slots.people.weights)
    if is_of_other and statement.statement_kind == "row" and read_people(statement.said).weights:
        return True
    names_none = not (slots.drugs or slots.regimens or slots.classes or slots.people)
    if not (slots.asks_dosing and names_none) or _ON_TREATMENT.search(fold_chars(slots.text)):
        return False
    if done := slot_lexicon().wordings.done_for.search(fold_chars(slots.text)):
        return not set(key_stems(done["what"])) & set(key_stems(statement.said))
    return bool(words) and share_said(words, statement) < MOST_BESIDES


def _is_at_other_times(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a row is given more or less often than what a question asks the amount of.

    "How many tablets every 6 hours" is not answered by the tablets every 12 hours.
    """
    if _SCHEDULE.search(fold_chars(own.statement.caption)):
        asked, of_table = map(_frequencies, (slots.text, own.statement.caption))
        if asked and of_table and asked.isdisjoint(of_table):
            return True
    rates = [q for q in slots.suggested if q.kind == "frequency"]
    is_row = own.statement.statement_kind == "row"
    if len(rates) != 1 or not is_row or not _AMOUNT.search(fold_chars(slots.text)):
        return False
    stated = {q.key[:2] for q in own.facts.quantities if q.kind == "frequency"}
    return bool(stated) and rates[0].key[:2] not in stated


def _frequencies(text: str) -> set[object]:
    """Return how often something is given, as a text says: times and the unit of time."""
    return {q.key for q in quantities(text) if q.kind == "frequency"}

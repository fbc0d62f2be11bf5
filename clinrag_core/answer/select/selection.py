"""The statements an answer is made from: ranked, fit for the question, with their passages.

A question of two parts is answered part by part. What does not fit a part is dropped here, before a
generator sees it; what nothing meets is said in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.fit.pairs import is_on_pair
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.forbidden_pairs import forbidden_together
from clinrag_core.answer.question.forms import question_forms
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.answer.select.comparisons import preferences, says_outdated
from clinrag_core.answer.select.part_selection import quotable_statement, select_part, warnings_only
from clinrag_core.answer.select.ranked import begun_ranking, ranked_statements
from clinrag_core.answer.select.withdrawn import withdraws
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.rank.scoring import BegunRanking
    from clinrag_core.answer.select.part_selection import PartSelection, QuotedPassage
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement


class Selection(NamedTuple):
    """The parts of a question and the passages that hold their statements."""

    parts: list[PartSelection]
    passages: list[QuotedPassage]

    @property
    def unmet(self) -> tuple[str, ...]:
        """What no statement meets, for each part of which that is so."""
        return tuple(dict.fromkeys(part.unmet for part in self.parts if part.unmet))


def begin_selection(question: AskedQuestion, sources: Sources) -> dict[str, BegunRanking]:
    """Begin what `select_statements` does, which takes the result; while the encoder works.

    The parts of the question are encoded in a thread of their own. Meanwhile their statements are
    ranked as far as that needs no vector, since the search for passages would wait for the first.
    """
    parts = split_questions(question.text, sources.drugs)
    texts = [form for part in parts for form in question_forms(part, sources.drugs)]
    sources.engines[0].encode_ahead(texts)
    return {text: begun_ranking(text, question, sources) for text in parts}


def select_statements(
    question: AskedQuestion, sources: Sources, begun: Mapping[str, BegunRanking] | None = None
) -> Selection:
    """Return for each part of a question the statements that fit it, about 500 words of them.

    `begun` is what `begin_selection` returned for the question, if that was called before.
    """
    passages: dict[str, QuotedPassage] = {}
    parts = [
        select_part(text, question, sources, passages, (begun or {}).get(text))
        for text in split_questions(question.text, sources.drugs)
    ]
    found = preferences(question.text, sources)
    newer = withdrawing(parts, sources.drugs)
    latest = max((one.year or 0 for one in newer), default=0)
    leads = [one for one in found[:1] if (one.statement.year or latest) >= latest]
    parts = [_without_lack(part, newer, sources.drugs) for part in parts]
    for one in forbidden_together(question.text, sources) if may_be_together(parts) else ():
        own = statement_slots(one.statement, sources.drugs)
        if not any(part.statements and is_on_pair(part.slots, own) for part in parts):
            leads.append(one)
    parts = [
        part._replace(
            statements=[o for o in part.statements if not says_outdated(o.statement.said, found)]
        )
        for part in parts
    ]
    first = [quotable_statement(one, sources, passages, "lead") for one in leads]
    parts[0] = parts[0]._replace(statements=[*first, *parts[0].statements])
    return Selection(without_named(parts), list(passages.values()))


def withdrawing(parts: Sequence[PartSelection], drugs: DrugLexicon) -> list[IndexedStatement]:
    """Return the statements of a part that withdraw its drug: nothing older is preferred."""
    return [
        one.statement
        for part in parts
        for one in part.statements
        if withdraws(part.slots, one.statement, drugs)
    ]


def _without_lack(
    part: PartSelection, newer: Sequence[IndexedStatement], drugs: DrugLexicon
) -> PartSelection:
    """Return a part without what no statement meets of a drug that is withdrawn."""
    is_withdrawn = any(withdraws(part.slots, one, drugs) for one in newer)
    return part._replace(unmet="") if is_withdrawn else part


def may_be_together(parts: Sequence[PartSelection]) -> bool:
    """Return whether drugs of several parts may be taken together.

    Not those of "X with Y? And if on Z?": nobody takes Y with Z.
    """
    is_on_pairs = all(part.slots.partners for part in parts)
    return len(parts) > 1 and not (is_on_pairs and len({part.slots.drugs for part in parts}) == 1)


def of_dosage(selection: Selection) -> IndexedStatement | None:
    """Return the first statement that answers, if it is of a label's dosage section."""
    every = (one for part in selection.parts for one in part.statements if one.role == "direct")
    first = next(every, None)
    return first.statement if first and first.statement.group == "dosage" else None


def headed_by(missing: str, selection: Selection) -> Selection:
    """Return a selection under what the sources lack in words."""
    first, *others = selection.parts
    noted = first._replace(premises=(missing, *first.premises))
    return selection._replace(parts=[noted, *others])


def select_warnings(question: AskedQuestion, missing: str, sources: Sources) -> Selection:
    """Return what is forbidden to the very people or pair of a question that cannot be answered.

    `missing` says in words what the sources lack. Empty of statements where they warn of nothing.
    """
    passages: dict[str, QuotedPassage] = {}
    slots = read_slots(question.text, sources.drugs)
    ranked = ranked_statements(question.text, question, slots, sources) if slots.people else []
    part = warnings_only(slots, missing, ranked, sources, passages)
    return Selection([part], list(passages.values()))


def without_named(parts: list[PartSelection]) -> list[PartSelection]:
    """Return the parts without those that met nothing and whose drugs another part's first names.

    "Rate with X against Y": the label of X gives both. That there is no dose is always said, and
    that another thing asked of the same drug is not answered.
    """
    firsts = [part.statements[0].statement.said for part in parts if part.statements]
    answered = [part.slots.drugs for part in parts if part.statements]
    return [
        part
        for part in parts
        if part.statements
        or not part.slots.drugs
        or part.slots.asks_dosing
        or part.slots.drugs in answered
        or not any(_names_all(said, part.slots.drugs) for said in firsts)
    ]


def _names_all(said: str, drugs: Sequence[frozenset[str]]) -> bool:
    folded = fold_chars(said)
    return all(name in folded for one in drugs for name in one)

"""What a guideline prefers of two drugs or regimens that a question compares.

Each side is answered apart; which of the two comes first is said where both are named.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import names_class_of
from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement, is_quotable, statement_bases
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.drugs import NO_CLASSES, class_words, classes_of
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

_PREFERRING = (
    *("prefer", "preferred", "preferable", "preferentially", "preference", "preferably"),
    *("rather", "favoured", "favored", "alternative", "alternatives", "choice"),
)
"""Tokens of sentences that may prefer one thing to another."""
_PREFERS = lazy_re(
    r"\bprefer\w*|\brather than\b|\bfavou?red over\b|\balternatives? to\b"
    r"|\b(?:of (?:first )?|first[ -])choice\b",
    re.IGNORECASE,
)
_OR = lazy_re(r"^\W*(?:or|vs|versus)\W*$")
_OPENS = lazy_re(r"(?:^|[.?!:;]\W)\W*$")
"""What is before the first of two drugs that make a question: "X or Y with Z?"."""
_WHOM = frozenset({"people", "indication"})
SIDES = 2


def preferences(question: str, sources: Sources) -> list[RankedStatement]:
    """Return the statements of guidelines that prefer one side of a comparison, newest first.

    Empty where none names both sides, each by its drugs or by a class of its own, for the
    people and the disease asked about.
    """
    slots = read_slots(question, sources.drugs)
    between, opens = _chosen_between(question, sources.drugs)
    sides = _sides(between or [*slots.drugs, *(drugs for _, drugs in slots.regimens)])
    is_comparison = "comparison" in slots.aspects or opens
    if not is_comparison or slots.asks_dosing or len(sides) != SIDES:
        return []

    def names_both(one: RankedStatement) -> bool:
        said = statement_slots(one.statement, sources.drugs).said_drugs
        return all(side <= said for side in sides)

    found = [
        RankedStatement(statement, name, 0.0, 0.0)
        for name, statement in _preferring(sides, sources)
        if _is_on_both(slots, sides, statement, sources.drugs)
    ]
    return sorted(found, key=lambda one: (-(one.statement.year or 0), not names_both(one)))


def says_outdated(said: str, found: list[RankedStatement]) -> bool:
    """Return whether a text has a preference that is older than the newest one found."""
    newest = found[0].statement.year or 0 if found else 0
    return any(
        one.statement.said in said and (one.statement.year or 0) < newest for one in found[1:]
    )


def _chosen_between(question: str, drugs: DrugLexicon) -> tuple[list[frozenset[str]], bool]:
    """Return two drugs that "or" joins, and whether the question begins with them.

    "Which is better with X, Y or Z?" is on Y and Z; empty where no two are joined so.
    """
    folded = fold_chars(question)
    mentions = read_facts(question, drugs).drugs
    for one, other in pairwise(mentions):
        if _OR.match(folded[one.end : other.start]):
            opens = _OPENS.search(folded[: one.start]) is not None
            return [one.ingredients, other.ingredients], opens
    return [], False


def _sides(compared: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return the drugs of each side, without those of the other where anything is left."""
    named = list(dict.fromkeys(compared))
    if len(named) != SIDES:
        return []
    one, other = named
    return [one - other or one, other - one or other]


def _preferring(
    sides: list[frozenset[str]], sources: Sources
) -> Iterator[tuple[str, IndexedStatement]]:
    """Yield the sentences of guidelines that name a drug of a side and may prefer something."""
    for base, index in statement_bases(sources.engines):
        if base.manifest.kind != "guideline":
            continue
        rows = {
            int(row)
            for name in sources.drugs.words_for(frozenset[str]().union(*sides))
            for token in _PREFERRING
            for row in index.bm25.rows_with([name.casefold(), token])
        }
        for statement in index.statements(sorted(rows)):
            prefers = _PREFERS.search(fold_chars(statement.said))
            if prefers and is_quotable(statement) and statement.statement_kind != "row":
                yield base.name, statement


def _is_on_both(
    slots: QuestionSlots,
    sides: list[frozenset[str]],
    statement: IndexedStatement,
    drugs: DrugLexicon,
) -> bool:
    """Return whether a statement names both sides, for the people and the disease asked about.

    Or one side as the choice from a class that both belong to.
    """
    own, folded = statement_slots(statement, drugs), fold_chars(statement.said)
    of_both = all(
        drug in own.said_drugs or names_class_of(frozenset([drug]), folded, but=other)
        for side, other in zip(sides, reversed(sides), strict=True)
        for drug in side
    )
    return (of_both or _chooses_from_class(sides, own, folded)) and not any(
        misfit.slot in _WHOM and misfit.has for misfit in each_misfit(slots, statement, drugs)
    )


def _chooses_from_class(sides: list[frozenset[str]], own: StatementSlots, folded: str) -> bool:
    """Return whether a text says which side comes first of the class that both belong to."""
    named = [side for side in sides if side <= own.said_drugs]
    shared = frozenset[str].intersection(*(classes_of(drug) for side in sides for drug in side))
    return len(named) == 1 and any(class_words(one).search(folded) for one in shared - NO_CLASSES)

"""The warnings of labels that an answer always shows, whatever the ranking says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.companions import (
    WARNING_GROUPS,
    is_about_drug,
    safety_companions,
    warns_them,
)
from clinrag_core.answer.generate.protocol import own_words
from clinrag_core.answer.select import RankedStatement
from clinrag_core.answer.sources import is_quotable
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.model.statement import IndexedStatement

SAME = 0.6
"""Jaccard similarity of key stems from which two warnings of a label repeat each other."""
MOST_ASKED = 6
MOST_WORDS = 200
"""Warnings, and words of them, that are shown where all of them are asked for; by judgement."""


def label_warnings(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the warnings of labels that are shown whatever the ranking says."""
    if not slots.partners and not slots.people:
        return []
    known = {one.statement.id: one for one in ranked}
    for one in _label_warnings(slots, sources, WARNING_GROUPS):
        known.setdefault(one.statement.id, one)
    chosen = safety_companions(slots, [one.statement for one in known.values()], sources.drugs)
    return [known[statement.id] for statement in chosen]


def warnings_for_them(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the contraindications and boxed warnings that name the very people or pair asked.

    They are shown also where nothing answers a question: silence must not read as consent.
    """
    return [
        one
        for one in label_warnings(slots, ranked, sources)
        if warns_them(slots, one.statement, sources.drugs)
    ]


def asked_warnings(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications and boxed warning of the label of a drug, where asked for.

    In the label's order, contraindications first, without repetition. Empty where people, a partner
    or a finding narrow the question: then only what concerns these is shown.
    """
    asks = slot_lexicon().wordings.asks_warnings.search(fold_chars(slots.text))
    drug = frozenset[str]().union(*slots.drugs, *slots.partners)
    narrowed = slots.people or slots.findings
    if not asks or narrowed or len(slots.drugs) != 1:
        return []
    wants_box = "warning" in asks.group()
    groups = tuple(reversed(WARNING_GROUPS)) if wants_box else WARNING_GROUPS
    found = {group: list[RankedStatement]() for group in (*groups, "warnings")}
    for one in _label_warnings(slots, sources, tuple(found)):
        own = statement_slots(one.statement, sources.drugs)
        is_title = one.statement.said.isupper() or "full prescribing" in one.statement.said
        is_whole = own.label == drug or (not slots.partners and is_about_drug(own, drug))
        if is_whole and not is_title and one.statement.group:
            found[one.statement.group].append(one)
    prohibits = slot_lexicon().wordings.prohibits
    found["warnings"] = [
        one
        for one in found["warnings"]
        if not found["contraindications"] and prohibits.search(fold_chars(one.statement.said))
    ]
    chosen: list[RankedStatement] = []
    words = 0
    for one in sorted(
        (one for members in found.values() for one in members),
        key=lambda one: (one.statement.group == "warnings", _gravity(one.statement.said)),
    ):
        words += len(one.statement.said.split())
        if len(chosen) == MOST_ASKED or (chosen and words > MOST_WORDS):
            break
        if any(_repeats(one.statement, other.statement) for other in chosen):
            words -= len(one.statement.said.split())
        else:
            chosen.append(one)
    places = [one.statement.id for members in found.values() for one in members]
    return sorted(chosen, key=lambda one: places.index(one.statement.id))


def _repeats(one: IndexedStatement, other: IndexedStatement) -> bool:
    """Return whether a warning says nothing new: of a section of warnings one is enough."""
    is_section = one.group == "warnings" and one.section_ordinal == other.section_ordinal
    return is_section or says_same(one, other)


def _gravity(said: str) -> int:
    """Return 0 for a warning that forbids, 1 for one that names a danger, else 2."""
    wordings = slot_lexicon().wordings
    folded = fold_chars(said)
    found = (one.search(folded) for one in (wordings.prohibits, wordings.grave))
    return next((n for n, match in enumerate(found) if match), 2)


def says_same(one: IndexedStatement, other: IndexedStatement) -> bool:
    """Return whether two warnings of a label repeat each other.

    Highlights, boxed warning and section word the same warning a little differently. Items of one
    list share the words that introduce it: those say nothing of them.
    """
    mine, its = (frozenset(key_stems(text)) for text in own_words(one, other))
    return mine <= its or its <= mine or jaccard(mine, its) >= SAME


def _label_warnings(
    slots: QuestionSlots, sources: Sources, groups: Sequence[str]
) -> Iterator[RankedStatement]:
    """Yield the statements in some section groups of the labels of the drugs named."""
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    for engine in sources.engines:
        for base in engine.knowledge_bases.values():
            if base.statements is None:
                continue
            rows = base.statements.rows_of(named, groups)
            for statement in base.statements.statements(rows):
                if is_quotable(statement):
                    yield RankedStatement(statement, base.name, 0.0, 0.0)

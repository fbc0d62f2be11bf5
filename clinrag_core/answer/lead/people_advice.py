"""What a label says of the very people asked about, where nothing nearer to the question does.

Of the elderly it may only say that care is needed, of the kidneys only that they do not matter, and
of a pregnancy what was seen in animals: whoever asks about them needs to read just that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import WITH_KIDNEY
from clinrag_core.answer.lead.label_warnings import distinct
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.facts.people import AGE_GROUPS, read_people
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

GROUPS = (*WARNING_GROUPS, "specific_populations", "dosage", "warnings", "clinical_pharmacology")
"""Section groups of a label that say something of people, those that decide before others."""
_ON_GIVING = ("dosage", "specific_populations")
"""Of these what names the people is on giving them the drug."""
_CARE = lazy_re(r"\b(?:caution\w*|care(?:ful(?:ly)?)?|risks?|avoid\w*|reduc(?:e|ed|tion))\b")
"""What a label asks for in the old that holds whatever else they have."""
_FAILING = WITH_KIDNEY | {"hepatic_impairment"}
MOST_SHOWN = 2
_BULLET = lazy_re(r"(?:^|\s)o\s")
"""Highlights run several rules together: "o Hepatic impairment: ... o Renal impairment: ..."."""
OLD = AGE_GROUPS["elderly"][0]


def advice_on_them(
    slots: QuestionSlots, shown: Iterable[IndexedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return what a label says of a pregnancy, a child or the elderly, if nothing shown does.

    A dose for all adults does not say that an old patient needs care, nor data on birth defects
    that animals were harmed. Whose kidneys or liver change it needs to read only what restricts it
    in the old, not that age alone does not.
    """
    said, speaks = _said_of_elderly, _names_elderly
    if _is_pregnant(slots):
        said = speaks = _said_of_pregnancy
    elif slots.is_for_child and not slots.aspects:
        said = speaks = partial(_said_of_child, slots)
    elif not _is_for_elderly(slots):
        return []
    if any(map(speaks, shown)):
        return []
    is_cut = bool(slots.people.kidney or slots.people.liver or slots.people.conditions & _FAILING)
    found = [
        one
        for one in _of_exact_labels(slots, sources)
        if said(one.statement)
        and not (is_cut and _CARE.search(fold_chars(one.statement.said)) is None)
    ]
    return sorted(found, key=lambda one: _is_weak(one.statement))[:1]


def said_of_them(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what the label of exactly the drug says of failing kidneys or a failing liver.

    What has them in its heading first. "Not influenced by renal impairment" answers a question for
    which no dose is given.
    """
    asked = slots.people.conditions
    if asked & WITH_KIDNEY or slots.people.kidney:
        asked |= WITH_KIDNEY
    wanted = asked & _FAILING
    wordings = slot_lexicon().wordings

    def is_on_them(statement: IndexedStatement) -> bool:
        folded = fold_chars(statement.said)
        people = read_people(folded)
        titles = (read_people(title).conditions for title in statement.headings[-2:])
        own = people.conditions | (WITH_KIDNEY if people.kidney else frozenset[str]())
        named = own or frozenset[str]().union(*titles)
        decides = wordings.decides.search(folded) or wordings.organ_matters.search(folded)
        is_advice = decides is not None or statement.group in _ON_GIVING
        return bool(named & wanted) and is_advice and len(_BULLET.findall(folded)) < MOST_SHOWN

    def is_titled(statement: IndexedStatement) -> bool:
        return any(read_people(title).conditions & wanted for title in statement.headings[-2:])

    if not wanted:
        return []
    found = [one for one in _of_exact_labels(slots, sources) if is_on_them(one.statement)]
    return distinct(sorted(found, key=lambda one: not is_titled(one.statement)))[:MOST_SHOWN]


def _of_exact_labels(slots: QuestionSlots, sources: Sources) -> Iterator[RankedStatement]:
    """Yield what the labels of exactly the drugs asked about say, group by group."""
    drug = frozenset[str]().union(*slots.drugs)
    for group in GROUPS if drug else ():
        for one in of_labels(slots, sources, (group,)):
            if drug == frozenset(one.statement.ingredients):
                yield one


def _is_pregnant(slots: QuestionSlots) -> bool:
    return "pregnancy" in slots.people.conditions


def _is_for_elderly(slots: QuestionSlots) -> bool:
    narrowed = slots.aspects or slots.is_case or slots.diseases or slots.partners or slots.findings
    is_open = slots.asks_dosing or not narrowed  # "X in the elderly"
    return is_open and any(age.low >= OLD for age in slots.people.ages)


def _said_of_child(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a statement forbids a drug to a child of just this age, or knows nothing."""
    wordings, folded = slot_lexicon().wordings, fold_chars(statement.said)
    decides = wordings.prohibits.search(folded) or wordings.few_studied.search(folded)
    people = read_people(folded)
    is_theirs = decides and not people.conditions & OF_MOTHERS
    ages = people.ages if is_theirs else ()  # a breastfed infant takes none
    return any(mine.meets(its) for mine in slots.people.ages for its in ages)


def _said_of_pregnancy(statement: IndexedStatement) -> bool:
    """Return whether a statement says that a drug harms a fetus, or when it may be given."""
    wordings, folded = slot_lexicon().wordings, fold_chars(statement.said)
    if wordings.fetal_harm.search(folded) or wordings.harm_in_animals.search(folded):
        return True
    decides = wordings.prohibits.search(folded) or wordings.if_pregnant.search(folded)
    return bool(decides) and "pregnancy" in read_people(folded).conditions


def _is_weak(statement: IndexedStatement) -> bool:
    """Return whether a statement says only what was seen in animals, or that few were studied."""
    wordings, folded = slot_lexicon().wordings, fold_chars(statement.said)
    return bool(wordings.harm_in_animals.search(folded) or wordings.few_studied.search(folded))


def _said_of_elderly(statement: IndexedStatement) -> bool:
    """Return whether a statement decides something for the elderly."""
    folded = fold_chars(statement.said)
    decides = slot_lexicon().wordings.decides.search(folded) or "risk" in folded
    return bool(decides) and _names_elderly(statement)


def _names_elderly(statement: IndexedStatement) -> bool:
    """Return whether a statement, or the heading next above it, names old people."""
    named = (statement.said, *statement.headings[-1:])
    return any(age.low >= OLD for text in named for age in read_people(text).ages)

"""What labels forbid two drugs of a question, whatever is asked of them.

Who asks when, how, or how much of two drugs to give may not know that they must not be given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import classes_named, names_class_of
from clinrag_core.answer.fit.pairs import names_pair
from clinrag_core.answer.fit.people import people_misfits
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.asked_warnings import repeats
from clinrag_core.answer.lead.companions import refers_elsewhere
from clinrag_core.answer.lead.unavoidable_pairs import is_for_the_unavoidable
from clinrag_core.answer.question.pair_order import PAIR, SWITCH, starts_other_way, tells_switch
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.facts.negation import is_denied
from clinrag_core.lexicon.drugs import class_words, classes_of, members_of
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.drugs import DrugLexicon

MOST_PAIRS = 4
"""Contraindications of pairs that lead an answer on a case, by judgement."""
_ADVISING = ("boxed_warning", "interactions", "warnings", "dosage")
"""Section groups that advise against a pair which is not contraindicated, the gravest first."""
_ON_PAIRS = "interactions"
"""Section group of which what names one drug of a pair is on both."""
_TREATS = lazy_re(r"\b(?:should|must) be (?:treated|managed|controlled) with\s+$")
"""What comes before a drug that is given instead of the one a label forbids."""


def _pair(slots: QuestionSlots) -> list[frozenset[str]]:
    """Return the drugs of a question that may be given together; none where they are compared."""
    named = [*slots.drugs, *slots.partners]
    is_on_two = len(slots.drugs) == PAIR and "comparison" not in slots.aspects
    return named if (slots.is_case or is_on_two) and len(named) >= PAIR else []


def _with_class(slots: QuestionSlots) -> list[frozenset[str]]:
    """Return the only drug asked about with each one of the classes that a question names."""
    if len(slots.drugs) != 1 or slots.partners:
        return []
    folded = fold_chars(slots.text)
    members = frozenset[str]().union(
        *(
            members_of(name)
            for name in classes_named(slots.text).difference(*map(classes_of, slots.drugs[0]))
            if not all(is_denied(folded, m.start()) for m in class_words(name).finditer(folded))
        )
    )
    members -= slots.drugs[0]
    return [*slots.drugs, *(frozenset({one}) for one in sorted(members))] if members else []


def pairs_forbidden(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications of labels that name another drug asked about or taken."""
    named = _pair(slots) or _with_class(slots)
    chosen: list[RankedStatement] = []
    for one in of_labels(slots, sources, WARNING_GROUPS[:1]) if named else ():
        own = statement_slots(one.statement, sources.drugs)
        others = [drug for drug in named if not drug & own.label]
        is_on_pair = any(drug & own.label for drug in named) and any(
            drug <= own.said_drugs and not _is_remedy(own, drug) for drug in others
        )
        is_other = starts_other_way(slots, one.statement.said, sources.drugs)
        if not is_on_pair or is_other or refers_elsewhere(one.statement.said):
            continue
        chosen = [c for c in chosen if not one.statement.said.startswith(c.statement.said)]
        if not any(repeats(one.statement, other.statement) for other in chosen):
            chosen.append(one)
    return chosen[:MOST_PAIRS]


def _is_remedy(own: StatementSlots, drug: frozenset[str]) -> bool:
    """Return whether a statement names a drug only as what a condition is treated with."""
    folded = fold_chars(own.facts.text)
    named = [one for one in own.facts.drugs if one.ingredients & drug]
    return bool(named) and all(_TREATS.search(folded[: one.start]) for one in named)


def pairs_advised_against(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the gravest sentence of a label that advises against a pair and names both drugs.

    "Avoid with inducers such as rifampin" is shown with any dose or function of the kidneys: an
    answer without it would read as consent.
    """
    named = [*slots.drugs, *slots.partners] if slots.partners else _pair(slots)
    for group in _ADVISING if named else ():
        for one in of_labels(slots, sources, (group,)):
            own = statement_slots(one.statement, sources.drugs)
            others = [drug for drug in named if not drug & own.label]
            if (
                any(_advises_against(own, drug) for drug in others)
                and not any(misfit.has for misfit in people_misfits(slots, own))
                and not starts_other_way(slots, one.statement.said, sources.drugs)
                and not _is_on_switch(slots, one.statement.said, sources)
            ):
                return [one]
    return []


def begins_with_pair(
    fitting: Sequence[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> bool:
    """Return whether what fits begins with a statement on the pair, for all who take both."""
    if not fitting or is_for_the_unavoidable(fitting[0].statement):
        return False
    return names_pair(slots, statement_slots(fitting[0].statement, drugs))


def pairs_warned_of(
    fitting: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what a label advises against of a pair, unless what fits begins with a label on it.

    A guideline that says how two drugs go does not make up for "avoid concomitant use".
    """
    if begins_with_pair(fitting, slots, sources.drugs) and fitting[0].statement.ingredients:
        return []
    return pairs_advised_against(slots, sources)


def _is_on_switch(slots: QuestionSlots, said: str, sources: Sources) -> bool:
    """Return whether a text is on going over to a drug, as the question is: this or another."""
    if tells_switch(slots, said, sources.drugs) is not None:
        return True
    return all(SWITCH.search(fold_chars(text)) for text in (slots.text, said))


def forbidden_together(question: str, sources: Sources) -> list[RankedStatement]:
    """Return what labels say against giving the drugs of a question that is answered drug by drug.

    "X and Y, clearance of 30" asks for two doses: none of the two answers speaks of the pair.
    """
    slots = read_slots(question, sources.drugs)
    return pairs_forbidden(slots, sources) or pairs_advised_against(slots, sources)


def _advises_against(own: StatementSlots, drug: frozenset[str]) -> bool:
    """Return whether a sentence names a drug, or its class, and says that something is not done.

    The class where the section is on interactions: elsewhere it may be what is given instead.
    """
    prohibits = slot_lexicon().wordings.prohibits
    is_on_pairs = own.statement.group == _ON_PAIRS
    return any(
        drug <= sentence.ingredients
        or (is_on_pairs and names_class_of(drug, fold_chars(sentence.text), but=own.label))
        for sentence in own.facts.sentences
        if says(fold_chars(sentence.text), prohibits)
    )


def advice_of_pair(
    fitting: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the times or doses of drugs that must not be given together as usual, where asked for.

    "How long after X may Y start again?" is not answered by "X is contraindicated with Y"; nor is
    a dose by "the usual dose is contraindicated", where the label has one for the pair.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    times = slot_lexicon().wordings.times
    found: list[RankedStatement] = []
    for one in fitting:
        own = statement_slots(one.statement, sources.drugs)
        is_of_section = one.statement.group == _ON_PAIRS and named <= own.all_drugs
        is_on_pair = named <= own.said_drugs | own.label and named & own.said_drugs
        is_on_pair = is_on_pair or is_of_section
        has_time = "when" in slots.aspects and times.search(fold_chars(one.statement.said))
        has_dose = slots.asks_dosing and own.label & named and own.has_regimen
        if is_on_pair and (has_time or has_dose):
            found.append(one)
    return sorted(found, key=lambda one: one.statement.group != _ON_PAIRS)

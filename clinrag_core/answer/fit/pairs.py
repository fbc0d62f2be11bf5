"""What a statement says of two drugs that are asked about or taken together."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import involves_part
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asks
from clinrag_core.facts.findings import read_findings
from clinrag_core.lexicon.drugs import other_drugs
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon

_GIVEN_WITH = lazy_re(
    r"\b(?:co-?administ\w+|given|taken|used|combined) (?:together )?with (?P<its>[\w-]+)"
)
_TOGETHER = lazy_re(r"^\W*avoid (?:the )?(?:concomitant|concurrent|combined|co-?administ)\w*\b")
_SUPPLEMENTS = lazy_re(
    r"\b(iron|calcium|zinc|magnesium|alumini?um|antacid|multivitamin|milk|dairy|grapefruit)"
)
"""What is taken with drugs and is none of them."""
_OF_ANTACIDS = frozenset({"antacid", "magnesium", "aluminum", "aluminium"})
_MINERALS = _OF_ANTACIDS | {"calcium", "iron", "zinc"}


def is_on_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether the label of one drug of a pair asked about names the other; either way.

    Not one that its product contains: "hypersensitivity to any of them" forbids no pair.
    """
    if not (slots.partners and own.label):
        return False
    pairs = list(itertools.product(slots.drugs, slots.partners))
    pairs += [(its, mine) for mine, its in pairs]
    return any(mine & own.label and its <= own.said_drugs - own.label for mine, its in pairs)


def is_on_supplement(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label says how its drug goes with a mineral or food that is asked about."""
    if own.statement.group != "interactions" or not any(one & own.label for one in slots.drugs):
        return False
    return bool(shared_supplements(slots, own.statement.said))


def shared_supplements(slots: QuestionSlots, said: str) -> frozenset[str]:
    """Return what no label is of and both a question and a text name: iron, milk, antacids."""
    asked, has = (_SUPPLEMENTS.findall(fold_chars(text)) for text in (slots.text, said))
    return frozenset(asked).intersection(has)


def lacking_supplement(slots: QuestionSlots, said: str) -> str:
    """Return the mineral that is asked about with a drug and that a text does not name; or nothing.

    "With iron it may be taken" is no answer on antacids. Antacids are of magnesium or aluminum.
    """
    asked = _MINERALS.intersection(_SUPPLEMENTS.findall(fold_chars(slots.text)))
    if not asked or not slots.drugs or slots.asks_dosing:
        return ""
    same = asked | (_OF_ANTACIDS if asked & _OF_ANTACIDS else frozenset[str]())
    return "" if same.intersection(_SUPPLEMENTS.findall(fold_chars(said))) else sorted(asked)[0]


def names_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement names a partner, or is of its label."""
    named = own.said_drugs | own.label
    return any(one & named for one in slots.partners)


def is_of_other_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label says it of its drug with another one than is asked about or taken.

    A row of interactions always is on some other drug, unless what it is on was found: "the pill".
    Elsewhere "avoid concomitant use of X" is on X.
    """
    taken = [*slots.drugs, *slots.partners, *(drugs for _, drugs in slots.regimens)]
    others = own.said_drugs - own.label - frozenset[str]().union(*taken)
    if own.label and others and _TOGETHER.search(fold_chars(own.statement.said)):
        return True
    is_on_partner = own.statement.statement_kind == "row" or bool(slots.partners)
    of_pair = own.statement.group == "interactions" and is_on_partner
    if not of_pair or any(involves_part(own, one) for one in slots.partners):
        return False
    first = read_findings(own.statement.said.partition("; ")[0])
    return not any(asked.meets(found) for asked in slots.findings for found in first)


def forbids_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label advises against a drug asked about with a partner that it names."""
    return own.forbids and is_on_pair(slots, own)


def answers_pair(
    slots: QuestionSlots, warnings: Iterable[RankedStatement], drugs: DrugLexicon
) -> bool:
    """Return whether a warning names both drugs of a pair whose dose is not asked."""
    read = (statement_slots(one.statement, drugs) for one in warnings)
    return not slots.asks_dosing and any(is_on_pair(slots, own) for own in read)


def asks_how_two_go(slots: QuestionSlots) -> bool:
    """Return whether a question is on a drug with another one, or with contraception."""
    return bool(slots.partners) or asks(slots.text, "contraception")


def lists_partners(own: StatementSlots) -> bool:
    """Return whether a label lists what its drug is given with: not what these do to each other."""
    said = fold_chars(own.statement.said)
    return any(own.label & own.drugs_of(one["its"]) for one in _GIVEN_WITH.finditer(said))


def names_drug(slots: QuestionSlots, one: RankedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement names a drug asked about, not its class alone; any without one.

    Of a class of another field what is near to a question may be on something else.
    """
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    if not asked or not other_drugs().issuperset(asked):
        return True
    return bool(asked & statement_slots(one.statement, drugs).all_drugs)

"""Reads which drugs the items of a note give the patient, and which item shows each of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.dosed_names import begins_with_dose
from clinrag_core.facts.regimens import regimens
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.label_statements import CLASS_OF, KNOWN
from clinrag_core.notes.lexicon import note_cues, tb_drugs
from clinrag_core.notes.patient import NOT_THEIRS
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import NotePlan, SummaryItem

_INSTEAD = r"\b(?:in place of|instead of|rather than|replac(?:es|ing)|to replace) (?:\w+ )?"
_STOP = r"^\W*(?:\w+[,.:)]+ )?(?:drop|stop|discontinue|omit|cease|come off|leave out) (?:the )?"
_CHANGES = re.compile(
    r"^\W*(?:\w+[,.:)]+ )?(?:change|switch|convert|move)\w*(?: [a-z]+){0,3}? (?:to|onto)\b"
    r"|\bnew regimen\b"
)
"""What says that a plan gives a regimen in place of another."""
_LEAST_OF_REGIMEN = 2
"""Drugs of a treatment of tuberculosis."""
_IF = re.compile(r"\b(?:if|unless|when|should|until|after|before|then)\b")
"""What makes a drug one that may be stopped."""
_STOPS = re.compile(
    r"\b(?:stop\w*|drop\w*|discontinu\w*|h[eo]ld\w*|withh[eo]ld\w*|complet\w*|finish\w*|past|previous\w*"
    r"|if|unless|instead of|rather than|in (?:19|20)\d\d)\b"
)
"""What makes a regimen named by its letters one that may not be given now."""
_NOW = frozenset({"present", "planned"})
_GIVEN = frozenset(
    {"current", "started", "increased", "decreased", "switched", "continued", "planned"}
)


def planned_first(items: Sequence[SummaryItem], plan: NotePlan | None) -> list[SummaryItem]:
    """Return the items of a note, those of its plan first."""
    planned = {one.source for one in plan.recommendations} if plan else set[str]()
    return sorted(items, key=lambda item: item.source not in planned)


def named_drugs(items: Sequence[SummaryItem], engine: AnswerEngine) -> dict[str, list[SummaryItem]]:
    """Return the drugs that items give, each with all of its items."""
    named: dict[str, list[SummaryItem]] = {}
    for item in items:
        for drug in given_drugs(item, engine):
            named.setdefault(drug, []).append(item)
    return named


def items_of_drugs(
    taken: Mapping[str, SummaryItem],
    items: Sequence[SummaryItem],
    plan: NotePlan | None,
    engine: AnswerEngine,
) -> dict[str, SummaryItem]:
    """Return the item that each drug is shown with: what the plan says of it, else the first."""
    first = {drug: own[0] for drug, own in named_drugs(planned_first(items, plan), engine).items()}
    return {drug: first.get(drug, item) for drug, item in taken.items()}


def given_drugs(item: SummaryItem, engine: AnswerEngine) -> list[str]:
    """Return the drugs that an item says are taken or to be taken."""
    if item.status in NOT_THEIRS:
        return []
    folded = fold_chars(item.text)
    named = [
        drug
        for medication in item.medications
        if medication.status in _GIVEN and not _is_left_out(fold_chars(medication.name), folded)
        for drug in _ingredients(medication.name, engine) or medication.ingredients
    ]
    known = {d for m in item.medications for d in _ingredients(m.name, engine)}
    for mention in engine.drugs.mentions(item.text):  # of labels that no shipped table names
        rest = item.text[mention.end :]
        if not mention.ingredients & (known | KNOWN) and begins_with_dose(fold_chars(rest)):
            named += sorted(mention.ingredients)
    is_of_other = note_cues().assertion.relatives.search(folded) is not None
    if item.status in _NOW and not is_of_other and not _STOPS.search(folded):
        named += [d for own in regimens(item.text, engine.drugs).values() for d in sorted(own)]
    return list(dict.fromkeys(named))


def _is_left_out(name: str, text: str) -> bool:
    """Return whether a text says that a medicine is not taken, or that another one replaces it."""
    named = re.escape(name)
    denied = note_care().says.not_taken
    return re.search(rf"{_INSTEAD}{named}\b", text) is not None or any(
        denied.match(text, match.end()) for match in re.finditer(rf"\b{named}", text)
    )


def dropped_drugs(items: Iterable[SummaryItem], engine: AnswerEngine) -> frozenset[str]:
    """Return the drugs that a plan stops now: what its other items say of them is over."""
    own = list(items)
    planned = [item for item in own if item.status == "planned"]
    stopped = {
        drug
        for item in planned
        for drug in engine.drugs.ingredients(item.text)
        if _is_stopped(drug, fold_chars(item.text), engine)
    }
    return frozenset(stopped | _replaced(own, planned, engine))


def _replaced(
    items: Sequence[SummaryItem], planned: Sequence[SummaryItem], engine: AnswerEngine
) -> set[str]:
    """Return the drugs of tuberculosis that a new regimen of the plan does not have.

    "Change to rifampicin, ethambutol, pyrazinamide and levofloxacin" ends isoniazid.
    """
    new = [set(given_drugs(i, engine)) for i in planned if _CHANGES.search(fold_chars(i.text))]
    if not any(len(own & tb_drugs()) >= _LEAST_OF_REGIMEN for own in new):
        return set()
    kept = {drug for item in planned for drug in given_drugs(item, engine)}
    before = {drug for item in items for drug in given_drugs(item, engine)}
    return (before & tb_drugs()) - kept


def _is_stopped(drug: str, text: str, engine: AnswerEngine) -> bool:
    names = "|".join(re.escape(n) for n in sorted(engine.drugs.names_of([drug]) | {drug}))
    match = re.search(rf"{_STOP}(?:{names})\b[^;.]*", text)
    return match is not None and _IF.search(match.group()) is None  # "ache: stop it that day"


def _ingredients(name: str, engine: AnswerEngine) -> list[str]:
    """Return what a name means; a drug that only a table of effects knows is that name."""
    care, folded = note_care(), fold_chars(name)
    affected = care.qt.drugs | care.induction.drugs | care.strong_induction.drugs
    known = sorted(engine.drugs.ingredients(name))
    return known or [n for n in (folded,) if n in affected or n in CLASS_OF]

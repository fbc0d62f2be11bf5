"""What a question says, slot by slot, in words: for a model that writes an answer, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.ranges import in_words
from clinrag_core.answer.fit.subject import name_of
from clinrag_core.facts.indications import disease_name
from clinrag_core.facts.people import CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.question.slots import QuestionSlots


def slots_in_words(slots: QuestionSlots) -> str:
    """Return e.g. "drug: isoniazid; people: 5 to 10 kg; asked: dose"; empty slots are left out."""
    people = slots.people
    parts = {
        "drug": _listed(name_of(one) for one in slots.drugs),
        "with": _listed(name_of(one) for one in slots.partners),
        "regimen": _listed(code for code, _ in slots.regimens),
        "allergic to": _listed(name_of(one) for one in slots.allergies),
        "age": in_words(people.ages) if people.ages else "",
        "weight": in_words(people.weights) if people.weights else "",
        "creatinine clearance": in_words(people.kidney) if people.kidney else "",
        "people": _listed(one.replace("_", " ") for one in people.conditions),
        "route": _listed(slots.routes),
        "disease": _listed(disease_name(one) for one in slots.diseases),
        "asked": _listed(one.replace("_", " ") for one in slots.aspects),
    }
    return "; ".join(f"{name}: {words}" for name, words in parts.items() if words)


def people_in_words(slots: QuestionSlots) -> str:
    """Return the people that a question names, in words; empty if it names none."""
    people = slots.people
    kidney = f"creatinine clearance {in_words(people.kidney)}" if people.kidney else ""
    names = [CONDITIONS[one] for one in sorted(people.conditions)] if not kidney else []
    parts = [in_words(people.ages), in_words(people.weights), kidney, *names]
    return ", ".join(part for part in parts if part)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))

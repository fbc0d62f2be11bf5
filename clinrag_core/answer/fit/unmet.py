"""Says in words what no statement of the sources meets."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.aspect import ALONE, WITH_OTHERS
from clinrag_core.answer.fit.found import findings_in_words
from clinrag_core.answer.fit.slot_words import people_in_words
from clinrag_core.answer.fit.subject import name_of
from clinrag_core.answer.question.asking import asked_matters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.fit.misfit import Misfit, Slot
    from clinrag_core.answer.question.slots import QuestionSlots

NAMED = 3
"""What the sources have instead: at most so many are named."""
_WORDS = {
    "dose": "dose",
    "duration": "duration",
    "frequency": "dosing frequency",
    "contraindication": "statement on safety",
    "interaction": "statement on the interaction",
    "adverse_effect": "statement on adverse effects",
    "monitoring": "statement on monitoring",
}
_BEFORE: dict[Slot, str] = {"people": "for", "indication": "for", "phase": "for the"}
_OF_DRUG: frozenset[Slot] = frozenset({"subject", "product"})

NOTHING_NEAR = "Nothing in these sources is near enough to this situation."


def unmet(slots: QuestionSlots, misfits_of_all: Iterable[tuple[Misfit, ...]]) -> str:
    """Return what no statement meets, and what the sources have instead; empty if one fits.

    `misfits_of_all` are those of every candidate. The statements nearest to the question count:
    those about its drug before others, then those with the fewest misfits.
    """
    every = list(misfits_of_all)
    if any(not misfits for misfits in every):
        return ""
    what = _asked_in_words(slots)
    right = [m for m in every if not {one.slot for one in m} & _OF_DRUG]
    if not any(one.slot == "people" for misfits in right for one in misfits):
        codes = {code for code, _ in slots.regimens}
        for misfits in every:
            if [(one.slot, one.asked) for one in misfits] in [
                [("subject", code)] for code in codes
            ]:
                kind, of, _ = what.partition(" of ")
                said = f"{kind}{of}{misfits[0].asked} in these sources"
                return f"No {said}." if of else f"No {what} in these sources says what is asked."
    if not right:
        return _nothing_on_drug(slots, every, what)
    for matter in asked_matters(slots.text):
        if all(any(one.asked == matter.name for one in misfits) for misfits in right):
            return f"No {what} in these sources is about {matter.name}."
    # What names the partner says for whom, or for what, there is a dose of the pair.
    right = [m for m in right if all(one.slot != "partner" for one in m)] or right
    fewest = min(len(misfits) for misfits in right)
    near = [one for misfits in right if len(misfits) == fewest for one in misfits]
    near = [one for one in near if one.slot != "aspect"] or near  # whom or what for says more
    first = Counter(one._replace(has="") for one in near).most_common(1)[0][0]
    slot, asked = first.slot, first.asked
    has = Counter(one.has for one in near if (one.slot, one.asked) == (slot, asked))
    if slot == "aspect" and not any(has):
        people = people_in_words(slots)
        is_on = "" if slots.aspects.issuperset(asked.split(", ")) else f" is about {asked}"
        return f"No {what}{f' for {people}' if people else ''} in these sources{is_on}."
    if slot == "aspect":
        what = f"recommended {what}"  # figures of studies are there
    narrowed = " alone" if asked == ALONE else _narrowed_to(slot, asked)
    return f"No {what}{narrowed} in these sources; {_found_instead(slot, has)}."


def nothing_on_findings(slots: QuestionSlots) -> str:
    """Return that no statement says what to do on what was found in a patient."""
    named = [*slots.drugs, *slots.partners]
    drugs = f" on {' or '.join(name_of(one) for one in named)}" if named else ""
    return f"Nothing in these sources says what to do for {findings_in_words(slots)}{drugs}."


def _asked_in_words(slots: QuestionSlots) -> str:
    """Return what is asked, in words: "dose of isoniazid"."""
    aspect = next((words for name, words in _WORDS.items() if name in slots.aspects), "statement")
    drugs = " or ".join(name_of(one) for one in slots.drugs)
    drugs = drugs or " or ".join(code for code, _ in slots.regimens)
    drugs = drugs or " or ".join(sorted(slots.classes))
    if not drugs:
        return aspect
    return f"{aspect} {'on' if aspect == 'statement' else 'of'} {drugs}"


def _nothing_on_drug(slots: QuestionSlots, every: list[tuple[Misfit, ...]], what: str) -> str:
    """Return that the sources lack the drug, or have it in a combination only."""
    products = Counter(m.has for misfits in every for m in misfits if m.slot == "product")
    single = all(len(one) == 1 for one in slots.drugs)
    if products:
        other = "the combination" if single else "its parts:"
        return f"No {what} in these sources; they have {other} {_listed(products)}."
    people = people_in_words(slots)
    if slots.drugs or slots.regimens or slots.classes or slots.unlisted:
        return f"No {what} in these sources."
    return f"No {what} in these sources fits{f' {people}' if people else ' this question'}."


def _narrowed_to(slot: Slot, asked: str) -> str:
    if slot == "partner":
        return f" with {asked}"
    if slot == "route":
        return f" by the {asked} route"
    if slot == "aspect":
        return ""
    return f" {_BEFORE.get(slot, 'for')} {asked}"


def _found_instead(slot: Slot, has: Counter[str]) -> str:
    """Return what the sources have instead of what is asked."""
    named = Counter({name: count for name, count in has.items() if name})
    if slot == "aspect":
        return f"their figures are about {_listed(named)}"
    if slot == "partner":
        is_alone = set(named) == {WITH_OTHERS}
        return "they have it with others" if is_alone else "they do not name the two together"
    if named and slot == "route":
        routes = Counter(route for one, n in named.items() for route in one.split(", ") * n)
        return f"they have the {_listed(routes)} route"
    if named:
        return f"they have it for {_listed(named)}"
    return {
        "people": "they have it for people in general only",
        "route": "they do not say the route",
    }.get(slot, "they do not say it")


def _listed(named: Counter[str]) -> str:
    return "; ".join(name for name, _ in named.most_common(NAMED))

"""Whether a statement is for the strains of a question: what these resist decides the treatment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.facts.regimens import lettered_regimens
from clinrag_core.lexicon.drugs import field_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.resistance import Resistance

TUBERCULOSIS = "tuberculosis"
PAIR = 2
"""Letters that may be anything else: "HR" is a hazard ratio as well."""
_POSSIBLE = lazy_re(
    r"\b(?:tb|tuberculosis)\b[^.?]{0,20}\b(?:possible|likely|suspect\w*|excluded|ruled out)\b"
    r"|\b(?:possible|suspected|could be|might be|maybe|may (?:be|have)|might have) "
    r"(?:tb|tuberculosis)\b",
    re.IGNORECASE,
)
_HOW_COMMON = lazy_re(
    r"\b(?:how (?:common|frequent|rare|many (?:of|isolates|strains|cases))|prevalence|proportion"
    r"|percent\w*|rates?|trends?|what (?:share|fraction))\b"
)
_RESISTANCE = lazy_re(
    r"\b(?P<drug>[a-z]{5,})[- ](?:non-?suscept\w+|resistan\w+)"
    r"|\b(?:non-?suscept\w+|resistan\w+) to (?P<to>[a-z]{5,})"
)
_RESISTANT = frozenset({"resistant"})
_SUSCEPTIBLE = frozenset({"susceptible"})
_ISONIAZID = frozenset({"isoniazid"})


def strains_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if the strains are others, or are resistant to what a statement gives."""
    yield from _for_pneumonia(slots, own)
    yield from _to_another_drug(slots, own)
    if not (slots.resistance.to or slots.resistance.susceptible):
        return
    is_either = slots.facet("resistance") == _SUSCEPTIBLE <= own.facet("resistance")
    if slots.resistance.conflicts(own.resistance) and not is_either:
        asked_of, has_of = (_strains(one) for one in (slots.resistance, own.resistance))
        yield Misfit("indication", asked_of, has_of)
    elif useless := _useless(slots, own):
        yield Misfit("indication", _strains(slots.resistance), f"treatment with {_listed(useless)}")
    elif slots.resistance.to == _ISONIAZID and not slots.drugs and _beyond_rifampin(own):
        yield Misfit("indication", _strains(slots.resistance), "strains resistant to rifampin")


def _to_another_drug(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit where it is asked how common resistance is to another drug than is named."""
    folded = fold_chars(slots.text)
    named = _RESISTANCE.search(folded) if _HOW_COMMON.search(folded) else None
    asked = (named["drug"] or named["to"]) if named else ""
    if asked in field_drugs() and own.said_drugs and asked not in own.said_drugs:
        yield Misfit("subject", asked, _listed(own.said_drugs))


def _for_pneumonia(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits where pneumonia is treated while tuberculosis is not excluded.

    What is for resistant tuberculosis is no answer, nor is what speaks of pneumonia alone.
    """
    is_on_both = TUBERCULOSIS in slots.diseases and any(
        one.startswith("pneumonia") for one in slots.diseases
    )
    if not is_on_both or slots.facet("resistance") or slots.resistance.to:
        return
    if own.facet("resistance") == _RESISTANT or _beyond_rifampin(own):
        yield Misfit("indication", "pneumonia", "drug-resistant tuberculosis")
    elif _POSSIBLE.search(slots.text) and own.diseases and TUBERCULOSIS not in own.diseases:
        yield Misfit("indication", "tuberculosis that is possible", "pneumonia alone")


def _beyond_rifampin(own: StatementSlots) -> bool:
    """Return whether a statement gives what strains resistant to isoniazid alone do not need."""
    given = slot_lexicon().resistance.beyond_rifampin & own.said_drugs
    return bool(given) and "isoniazid" not in own.resistance.to | own.said_drugs


def _useless(slots: QuestionSlots, own: StatementSlots) -> frozenset[str]:
    """Return the drugs of a statement that do not work for the strains of a question.

    Empty if the statement is about strains resistant to these, or advises against something.
    """
    lexicon = slot_lexicon()
    said = fold_chars(own.statement.said)
    is_row = own.statement.statement_kind == "row"  # whose cell "Contraindications" is no advice
    if not is_row and own.forbids:
        return frozenset()
    names = slots.resistance.to - own.resistance.to
    drugs = frozenset[str]().union(*(lexicon.resistance.ingredients[name] for name in names))
    lettered = (found for *_, found in lettered_regimens(own.statement.said))  # "6(H)REZ"
    given = own.said_drugs.union(*(found for found in lettered if len(found) > PAIR))
    return frozenset(drug for drug in drugs if drug in given or re.search(rf"\b{drug}", said))


def _strains(resistance: Resistance) -> str:
    """Return strains in words: "strains resistant to rifampin and susceptible to isoniazid"."""
    parts = (("resistant", resistance.to), ("susceptible", resistance.susceptible))
    return "strains " + " and ".join(f"{how} to {_listed(to)}" for how, to in parts if to)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))

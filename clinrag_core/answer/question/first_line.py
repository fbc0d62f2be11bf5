"""The treatment of tuberculosis that a question on another drug means, by its regimen.

"On zolumycin, develops pulmonary TB. Change the dose?" asks what rifampin does to it: first-line
treatment has it. Questions on resistant strains, or on treatment that is over, are left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.lexicon.drugs import field_drugs, hiv_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.slots import Aspect

FIRST_LINE = "RHZE"
_ASKED: frozenset[Aspect] = frozenset({"interaction", "dose", "monitoring", "frequency", "regimen"})
"""Aspects that treatment given with a drug may change."""
_SUSCEPTIBLE = frozenset({"susceptible"})


def with_first_line(text: str, drugs: DrugLexicon) -> str:
    """Return a question with the letters of first-line treatment where it means that by words."""
    slots = read_slots(text, drugs)
    if not _is_on_other_drug(slots):
        return text
    folded, wordings = fold_chars(text), slot_lexicon().wordings
    if wordings.not_first_line.search(folded) or len(folded) != len(text):
        return text
    if found := wordings.first_line.search(folded):
        return f"{text[: found.start()]}{FIRST_LINE}{text[found.end() :]}"
    asks = slots.aspects or wordings.other_dose.search(folded)
    found = wordings.gets_tuberculosis.search(folded)
    if not found and slots.drugs[0] & hiv_drugs():
        found = wordings.with_tuberculosis.search(folded)
    if asks and found:
        return f"{text[: found.end()]} who needs {FIRST_LINE}{text[found.end() :]}"
    return text


def first_line_sentence(text: str, question: str) -> str:
    """Return in words that a part of a question was read so; empty if the question says it."""
    letters = re.compile(rf"\b{FIRST_LINE}\b", re.IGNORECASE)
    if letters.search(question) or not letters.search(text):
        return ""
    return f"Treatment of tuberculosis is read as {FIRST_LINE}, which has rifampin."


def _is_on_other_drug(slots: QuestionSlots) -> bool:
    """Return whether one drug that treats no tuberculosis is asked about, and none with it."""
    others = slots.partners or slots.regimens or slots.classes or slots.people.animals
    if len(slots.drugs) != 1 or others or not slots.aspects <= _ASKED:
        return False
    if slots.drugs[0] & (field_drugs() - hiv_drugs()):
        return False
    is_resistant = slots.resistance.to or not slots.facet("resistance") <= _SUSCEPTIBLE
    return not is_resistant and "latent" not in slots.facet("stage")

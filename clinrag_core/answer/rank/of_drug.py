"""What a text says of the very drug asked about: whether it is given, cut down, what it may do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.question.facets import HARM
from clinrag_core.answer.rank.boosts import CONCLUSIVE, RESISTANT
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.lexicon.slots import Aspect

_INTERACTION: frozenset[Aspect] = frozenset({"interaction"})
_CHANGES = lazy_re(
    r"\b(?:increas\w+|reduc\w+|decreas\w+|adjust\w*)\b[^.;]{0,60}\bto \d[\d.,]* ?(?:m?c?g|ml)\b"
    r"|\b(?:recommended|starting|initial|maximum) (?:\w+ )?dose\b[^.;]{0,60}\b\d[\d.,]* ?m?c?g\b"
    r"|\b(?:exceed|than)\b[^.;]{0,40}\b\d[\d.,]* ?m?c?g\b"
)
"""What says how a dose is changed: "increase X to 800 mg", "the starting dose is 25 mg"."""
_ASKS_REDUCTION = lazy_re(
    r"\b(?:can|may|could|should)\b[^?]{1,40}\bbe (?:cut|reduced|lowered|halved|decreased)\b"
    r"|\bdose reductions?\b|\b(?:cut|reduce|lower|halve|decrease) (?:the |his |her )?dose\b"
)
_CUTS = lazy_re(r"\b(?:dose reductions?|reduc\w+|lower\w*|halv\w+|decreas\w+)\b[^.;]{0,60}\bto \d")
_TAKEN = lazy_re(r"\b(?:taking|receiving)\b(?:[^.;,]|\.\d){3,60}", re.IGNORECASE)
_RECOMMENDS = lazy_re(
    r"\b(?:should|may)(?: also)?(?: not)? be (?:included|used|given)\b"
    r"|\b(?:is|are) (?:not )?(?:strongly |conditionally )?recommended\b"
)
_TO_HER_CHILD = lazy_re(
    r"\blow(?:er)? (?:mean )?birth ?weight\b|\bbirth defects?\b|\bmalformations?\b|\bfo?etal harm\b"
    r"|\bsafety\b[^.]{0,60}\b(?:sparse|limited|unknown)\b"
)
"""What a drug may do to the child of a mother, or that too little is known."""

_MORE_RISK = lazy_re(
    r"\b(?:increased|higher|greater) (?:risk|rate|incidence|frequency)\b|\bat increased risk\b"
    r"|\brisk\b[^.;]{0,60}\b(?:increased|higher|greater)\b|\bmore (?:susceptible|frequent|likely)\b"
)
_NO_DIFFERENCE = lazy_re(r"\bno (?:\w+ ){0,2}differences?\b")


def recommends_side(slots: QuestionSlots, own: StatementSlots, folded: str) -> bool:
    """Return whether a guideline says if the very drug is given, where it is one side compared."""
    is_side = "comparison" in slots.aspects and len(slots.drugs) == 1 and not slots.partners
    is_of_it = is_side and own.said_drugs == slots.drugs[0] and own.statement.kind == "guideline"
    return is_of_it and _RECOMMENDS.search(folded) is not None


def cuts_dose(slots: QuestionSlots, own: StatementSlots, folded: str) -> bool:
    """Return whether a text says to what a drug is reduced, where it is asked if it may be."""
    is_asked = bool(slots.drugs) and _ASKS_REDUCTION.search(fold_chars(slots.text)) is not None
    return is_asked and bool(own.figures) and _CUTS.search(folded) is not None


def on_dose_taken(slots: QuestionSlots, said: str) -> float:
    """Return what is added where a text is for who takes the dose of a question, or another dose.

    "In patients taking 5 mg halve it; in those already taking 2.5 mg avoid it."
    """
    match = _TAKEN.search(said) if slots.partners else None
    taken = {q.key for q in quantities(match[0]) if q.kind == "dose"} if match else set()
    asked = {q.key for q in quantities(slots.text) if q.kind == "dose"} if taken else set()
    if not asked:
        return 0.0
    return CONCLUSIVE if asked & taken else -RESISTANT


def names_harms(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text names several harms, where those of a drug are asked for."""
    is_open = bool(slots.drugs) and slots.aspects == HARM and not (slots.people or slots.findings)
    return is_open and len({one.name for one in own.findings}) > 1


def only_recommends(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text says that a drug is given, where only what it may do is asked.

    Or that no difference was found in the people whose risks are asked for.
    """
    folded = fold_chars(own.statement.said)
    is_asked = bool(slots.drugs) and slots.aspects == HARM
    if is_asked and slots.people and _NO_DIFFERENCE.search(folded):
        return True
    is_silent = is_asked and not own.findings and "adverse_effect" not in own.statement.aspects
    return is_silent and _RECOMMENDS.search(folded) is not None


def raises_risk(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text says what the very people are at more risk of, if that is asked."""
    said = own.statement.said
    is_asked = bool(slots.drugs) and bool(slots.people) and slots.aspects == HARM
    return bool(is_asked and _MORE_RISK.search(fold_chars(said)) and names_them(slots, said))


def warns(slots: QuestionSlots, said: str) -> bool:
    """Return whether a drug for some people is all that is asked, and a text limits or warns."""
    wordings = slot_lexicon().wordings
    is_bare = bool(slots.drugs) and not slots.aspects and not slots.partners
    return is_bare and bool(wordings.restricts.search(said) or _TO_HER_CHILD.search(said))


def changes_with_partner(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether the label of the drug asked about says how its dose changes with the other.

    Another label may say "avoid" of the same two.
    """
    is_open = slots.aspects == _INTERACTION and len(slots.drugs) == len(slots.partners) == 1
    if not is_open or own.label not in slots.drugs:
        return False
    is_on_pair = slots.partners[0] <= own.said_drugs
    return is_on_pair and _CHANGES.search(fold_chars(own.statement.said)) is not None

"""Whether a statement is for what was found in the patient of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import names_class_of
from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.facts.findings import finding_name
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import is_plain, same_sense
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import stem
from clinrag_core.text.tokens import tokenize
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

_RESISTANT = frozenset({"resistant"})
_ON_ALLERGY = lazy_re(
    r"\b(?:allerg|hypersensitiv|intoleran|substitut|replac|instead|stopp|withdraw|reaction"
    r"|rash|omit)\w*|\bcannot be (?:used|given|taken|included)\b"
)
_CAUSES = lazy_re(
    r"\b(?:can|does|do|may|might|will|could|is|are)\b[^.;?]*\b(?:caus\w+|giv\w+|lead\w*)\b"
)
"""What asks whether a drug does harm."""
_OF_HARM = lazy_re(
    r"(?:side[- ]?effects?|adverse (?:reactions?|effects?|events?)|symptoms?)\b[^:]*:"
)
"""How the heading of a cell begins that names a harm."""


def finding_misfit(slots: QuestionSlots, own: StatementSlots) -> Misfit | None:
    """Return a misfit if a statement is for other values than the patient's, or names no finding.

    Only where what to do depends on what was found in a patient.
    """
    if not slots.decides_on_finding:
        return None
    asked = findings_in_words(slots)
    measured = [one for one in slots.findings if one.is_measured]
    for one in measured:
        same = [f for f in own.findings if f.name == one.name and f.is_measured]
        others = [f for f in own.findings if f.name != one.name and f.is_measured]
        if any(f.meets(other) for f in others for other in measured):
            continue  # it lists what each is enough: "ALT over 5 times, or bilirubin over normal"
        if same and not any(f.meets(one) for f in same):
            return Misfit("people", asked, "; ".join(dict.fromkeys(map(finding_name, same))))
    if not any(f.meets(one) for f in own.findings for one in slots.findings):
        return None if is_on_every_drug(slots, own) else Misfit("people", asked, "")
    return None


def other_harm_misfit(slots: QuestionSlots, own: StatementSlots) -> Misfit | None:
    """Return a misfit if a row of a table is on another harm than the one asked about.

    "Can dapsone cause haemolysis?" is not answered by the row on its rash, nor is what to do with
    fever and larger nodes by that on jaundice.
    """
    is_row = own.statement.statement_kind == "row"
    if is_row and slots.is_case and not (slots.findings or slots.drugs) and own.findings:
        first = own.statement.said.partition("; ")[0]
        if _OF_HARM.match(fold_chars(first)) and not _share_words(first, slots.text):
            return Misfit("people", "what was found", "another finding")
    if not (is_row and own.findings and slots.findings) or slots.decides_on_finding:
        return None
    if _CAUSES.search(fold_chars(slots.text)) is None:
        return None
    asked, named = ({one.name for one in some} for some in (slots.findings, own.findings))
    return None if asked & named else Misfit("aspect", findings_in_words(slots), "another harm")


def _share_words(cell: str, question: str) -> bool:
    """Return whether a question has a word of the cell of a finding, or another of its sense."""
    said = {word for word in tokenize(cell.partition(":")[2]) if not is_plain(word)}
    senses = {stem(one) for word in said for one in (word, *same_sense(word))}
    return not senses.isdisjoint(map(stem, tokenize(question)))


def allergen_misfit(slots: QuestionSlots, own: StatementSlots) -> Misfit | None:
    """Return a misfit if a text or its label is of a drug, or its class, that is not tolerated.

    Unless it says what to do on an allergy, forbids the drug, or puts another in its place.
    """
    allergens = frozenset[str]().union(*slots.allergies) - frozenset[str]().union(*slots.drugs)
    folded = fold_chars(own.statement.said)
    names = allergens & (own.said_drugs | own.label) or names_class_of(allergens, folded)
    if not (allergens and names) or own.forbids or _ON_ALLERGY.search(folded):
        return None
    if says(folded, slot_lexicon().wordings.not_tolerated):
        return None
    return Misfit("people", f"an allergy to {' or '.join(sorted(allergens))}", "")


def is_on_every_drug(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement says of all drugs of a question what to do when one is stopped.

    Then it does not matter what was found in the patient.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    is_on_all = len(named) > 1 and named <= own.said_drugs
    return is_on_all and says(fold_chars(own.statement.said), finding_lexicon().wordings.stops)


def findings_in_words(slots: QuestionSlots) -> str:
    """Return what was found in the patient, in the words of the question where they have no figure.

    A condition that a measured value of the question means is not named a second time.
    """
    measured = [one for one in slots.findings if one.is_measured]
    values = {(one.start, one.end): finding_name(one) for one in measured}
    others = {
        (one.start, one.end): slots.text[one.start : one.end]
        for one in slots.findings
        if not any(
            v.start <= one.start < v.end
            for v in (
                *measured,
                *(o for o in slots.findings if o.end - o.start > one.end - one.start),
            )
        )
    }
    return " and ".join(dict.fromkeys([*values.values(), *others.values()]))


def is_on_strains(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on resistant strains only, of which nothing is asked."""
    asked = slots.facet("resistance") or slots.resistance.to or slots.regimens
    named = frozenset[str]().union(*slots.drugs) & own.said_drugs
    return own.facet("resistance") == _RESISTANT and not (asked or named)

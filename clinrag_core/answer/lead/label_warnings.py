"""The warnings of labels that an answer always shows, whatever the ranking says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.barred_people import bars_them
from clinrag_core.answer.fit.people import is_titled_for_them, names_them
from clinrag_core.answer.fit.question_gate import opposite
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.generate.protocol import own_words
from clinrag_core.answer.lead.companions import (
    forbids_them,
    is_about_drug,
    safety_companions,
    warns_them,
)
from clinrag_core.answer.rank.labels import (
    WARNING_GROUPS,
    is_of_other_product,
    label_statements,
    of_labels,
)
from clinrag_core.answer.sources import is_quotable
from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.populations import limited_sexes, named_sexes, referred_sexes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

SAME = 0.6
"""Jaccard similarity of key stems from which two warnings of a label repeat each other."""
_NONE = lazy_re(r"none(?: known)?\.?(?: *\([ \d.]*\) *\.?)?", re.IGNORECASE)
"""What a label without contraindications has in their place: "None ( 4 )." in its highlights."""
LIMITS = ("indications", "warnings", "dosage")
"""Section groups that say what a product is not for."""
_SYSTEMIC = lazy_re(r"\bsystemic\b")
_ON_PEOPLE = ("specific_populations",)
MOST_CROSSING = 2
"""Statements on cross-sensitivity that lead, by judgement."""


def label_warnings(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the warnings of labels that are shown whatever the ranking says."""
    of_contacts = slots.resistance.to and "latent" in slots.facet("stage")
    limits = _limits_of_use(slots, sources) if slots.asks_dosing and slots.drugs else []
    if not (slots.partners or slots.people or of_contacts):
        return limits
    of_asked = (one for one in ranked if not is_of_other_product(slots, one, sources.drugs))
    known = {one.statement.id: one for one in of_asked}
    for one in of_labels(slots, sources, WARNING_GROUPS):
        known.setdefault(one.statement.id, one)
    chosen = safety_companions(slots, [one.statement for one in known.values()], sources.drugs)
    return [*limits, *(known[statement.id] for statement in chosen)]


def warnings_for_them(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the contraindications and boxed warnings that name the very people or pair asked.

    They are shown also where nothing answers a question: silence must not read as consent.
    """
    warnings = [
        one
        for one in label_warnings(slots, ranked, sources)
        if warns_them(slots, one.statement, sources.drugs)
        or (one.statement.kind == "guideline" and forbids_them(slots, one.statement, sources.drugs))
    ]
    return (
        warnings
        or _not_for_them(slots, sources)
        or _of_products(slots, sources)
        or barred_in_guidelines(slots, ranked, sources)
        or _limits_of_use(slots, sources)
    )


def _limits_of_use(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what a label says its product is not for, where that is the disease asked about.

    "Not for systemic infections" is all there is to say of a dose for pneumonia.
    """
    wordings = slot_lexicon().wordings
    if not slots.diseases:
        return []
    return [
        one
        for one in of_labels(slots, sources, LIMITS)
        if wordings.limits_use.search(fold_chars(one.statement.said))
        and not opposite(slots.text, one.statement.said)
        and (
            _SYSTEMIC.search(fold_chars(one.statement.said))
            or any(agree(a, b) for a in slots.diseases for b in diseases(one.statement.said))
        )
    ][:1]


def barred_in_guidelines(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return what a guideline forbids, or lists as a contraindication, of the drug in the people.

    Of many drugs there is no label: "contraindications: kidney failure" is all that warns.
    """
    for one in ranked:
        statement = one.statement
        if statement.kind != "guideline" or not is_quotable(statement):
            continue
        own = statement_slots(statement, sources.drugs)
        if not any(is_about_drug(own, drug) for drug in slots.drugs):
            continue
        if bars_them(slots, statement.said) or _forbids_in_sentence(slots, own):
            return [one]
    return []


def _forbids_in_sentence(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a sentence forbids the drug asked about to the very people."""
    prohibits = slot_lexicon().wordings.prohibits
    return any(
        prohibits.search(fold_chars(one.text))
        and names_them(slots, one.text, with_groups=True)
        and any(mention.ingredients & drug for mention in one.drugs for drug in slots.drugs)
        for one in own.facts.sentences
    )


def _of_products(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what forbids a product with the drug to the very people, where it has no other label.

    "Do not use in a child under 4 years" of a syrup says it of what the syrup has.
    """
    drug = frozenset[str]().union(*slots.drugs)
    found = list(of_labels(slots, sources, WARNING_GROUPS[:1])) if drug and slots.people else []
    labels = [frozenset(one.statement.ingredients) for one in found]
    if not labels or any(not drug < label for label in labels):
        return []
    return [one for one in found if names_them(slots, one.statement.said, with_groups=True)][:1]


def _not_for_them(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what the label of exactly the drug decides on the very people, where it has no dose.

    "Safety and effectiveness in children have not been established."
    """
    decides = slot_lexicon().wordings.decides
    drug = frozenset[str]().union(*slots.drugs)
    found = [
        one
        for one in of_labels(slots, sources, _ON_PEOPLE)
        if drug == frozenset(one.statement.ingredients)
        and is_titled_for_them(slots, one.statement)
        and decides.search(fold_chars(one.statement.said))
    ]
    return found[:1]


def crossing_allergies(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what labels say of an allergy to another drug than the one asked about.

    "Penicillin anaphylaxis. Is X safe?" is answered by what X's label says of cross-sensitivity.
    """
    wordings = slot_lexicon().wordings
    folded = fold_chars(slots.text)
    if not slots.drugs or not wordings.tells_allergy.search(folded):
        return []
    asked = frozenset[str]().union(*slots.drugs)
    if any(asked & one for one in slots.allergies):
        return []
    found = [
        one
        for one in of_labels(slots, sources, (*WARNING_GROUPS, "warnings"))
        if wordings.crosses_allergy.search(fold_chars(one.statement.said))
        and frozenset(one.statement.ingredients) & asked
    ]
    return distinct(found)[:MOST_CROSSING]


def forbidden_to_sex(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what forbids a product to the sex asked about: "do not use if you are a woman"."""
    asked = named_sexes(slots.text) | referred_sexes(slots.text)
    prohibits = slot_lexicon().wordings.prohibits
    if not asked:
        return []
    for one in of_labels(slots, sources, (*WARNING_GROUPS, "warnings")):
        folded = fold_chars(one.statement.said)
        named, only = limited_sexes(folded)
        if (only and asked - only) or (asked & named - only and prohibits.search(folded)):
            return [one]
    return []


def no_contraindications(slots: QuestionSlots, sources: Sources) -> str:
    """Return in words that the label of a drug lists no contraindications, where asked for them.

    Or that what is here of it lacks their section. Empty where it lists some, or where no label is
    of exactly the drug.
    """
    asks = slot_lexicon().wordings.asks_warnings.search(fold_chars(slots.text))
    drug = frozenset[str]().union(*slots.drugs)
    if not asks or "box" in asks.group() or slots.people or slots.findings or slots.partners:
        return ""
    warnings = [
        one
        for one in label_statements(drug, sources, WARNING_GROUPS)
        if drug == frozenset(one.statement.ingredients)
    ]
    section = [one for one in warnings if one.statement.group == WARNING_GROUPS[0]]
    if warnings and not section and "contra" in asks.group():
        title = warnings[0].statement.document_title
        return f"The text of {title} here has no section on contraindications; see its warnings."
    if any(is_quotable(one.statement) and not says_none(one.statement) for one in section):
        return ""
    none = [one.statement for one in section if says_none(one.statement)]
    if not none:
        return ""
    return f'The label of {none[0].document_title} lists no contraindications ("None").'


def no_forecast(slots: QuestionSlots) -> str:
    """Return in words that no source tells what will be, where that is asked; else nothing."""
    if not slot_lexicon().wordings.asks_future.search(fold_chars(slots.text)):
        return ""
    return "These sources say what held when they were written, not what will hold."


def says_none(statement: IndexedStatement) -> bool:
    """Return whether a statement says only that there is nothing to list."""
    return _NONE.fullmatch(statement.said) is not None


def distinct(statements: Iterable[RankedStatement]) -> list[RankedStatement]:
    """Return warnings without those that repeat one before them."""
    chosen: list[RankedStatement] = []
    for one in statements:
        if not any(says_same(one.statement, other.statement) for other in chosen):
            chosen.append(one)
    return chosen


def says_same(one: IndexedStatement, other: IndexedStatement) -> bool:
    """Return whether two warnings of a label repeat each other.

    Highlights, boxed warning and section word the same warning a little differently. Items of one
    list share the words that introduce it: those say nothing of them.
    """
    mine, its = (frozenset(key_stems(text)) for text in own_words(one, other))
    return mine <= its or its <= mine or jaccard(mine, its) >= SAME

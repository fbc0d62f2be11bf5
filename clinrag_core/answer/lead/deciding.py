"""What decides a question whatever is nearest to it: it leads the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.found import is_on_every_drug
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import each_misfit, is_fit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import subject_misfits
from clinrag_core.answer.lead.added_alone import added_alone, not_added_for_resistance
from clinrag_core.answer.lead.cautions import WHETHER
from clinrag_core.answer.lead.companions import forbids_them, stopped_for_another
from clinrag_core.answer.lead.ending_advice import ending_advice
from clinrag_core.answer.lead.finding_advice import finding_advice
from clinrag_core.answer.lead.for_others import advice_for_others, figure_for_others, not_eligible
from clinrag_core.answer.lead.forbidden_words import bars_of_anyone, forbidden_by_word
from clinrag_core.answer.lead.infection_first import infection_first
from clinrag_core.answer.lead.label_sections import (
    bolus_forbidden,
    other_route_only,
    route_forbidden,
)
from clinrag_core.answer.lead.label_warnings import crossing_allergies, forbidden_to_sex
from clinrag_core.answer.lead.spaced_doses import spaced_doses
from clinrag_core.answer.lead.swaps import swap_advised_against
from clinrag_core.answer.lead.totals import totals_allowed
from clinrag_core.answer.lead.unavoidable_pairs import advice_where_unavoidable
from clinrag_core.answer.question.facets import names_hiv
from clinrag_core.answer.rank.turning import is_on_earlier_use
from clinrag_core.answer.sources import RankedStatement, guideline_statements, is_quotable
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.negation import since_denial
from clinrag_core.facts.people import read_people
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.facts.routes import NEURAXIAL
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.intervals import Interval

_SEVERAL = 3
"""Drugs of a patient of whom one is stopped and the others are asked about."""
_ESTABLISHED = lazy_re(r"(?<!not )(?<!not been )\bestablished (?:in|for)\b")
_GIVEN = lazy_re(
    r"\b(?:may|should|can|could) (?:also )?be (?:included|used|given)\b|\bis recommended\b"
)
_TWO_DISEASES = frozenset({"tuberculosis", "leprosy"})
_ADVISES = lazy_re(r"\b(?:should|must|omit\w*|avoid\w*)\b")
MOST_READ = 50
"""Ranked statements that are looked through for the age from which a drug is given."""
_EXCLUDED, _ENDED = ("excluded", "ruled"), ("stopped", "discontinued", "stop", "discontinue")
_OF_REGIMEN = frozenset({"partner", "indication"})
"""Slots in which what is said of a regimen's earlier use may differ from a question."""
_OF_SUBJECT = frozenset({"subject"})
_NEAREST = 5
"""Statements among which is what a question turns on; by judgement."""


def deciding(
    ranked: Sequence[RankedStatement],
    forbidden: list[RankedStatement],
    slots: QuestionSlots,
    sources: Sources,
) -> list[RankedStatement]:
    """Return what decides a question whatever is nearest to it; the first kind that there is."""
    return (
        _on_every_drug(ranked, slots, sources)
        or _by_earlier_use(ranked, slots, sources)
        or added_alone(slots, sources)
        or not_added_for_resistance(slots, sources)
        or spaced_doses(slots, sources)
        or bolus_forbidden(slots, sources)
        or swap_advised_against(slots, sources)
        or ending_advice(ranked, slots, sources)
        or _on_contacts(ranked, slots, sources)
        or _on_both_diseases(ranked, slots, sources)
        or _after_disease_is_excluded(slots, sources)
        or _only_if(ranked, slots, sources)
        or _from_another_age(ranked, slots, sources)
        or totals_allowed(slots, sources)
        or figure_for_others(ranked, slots, sources)
        or advice_for_others(ranked, slots, sources)
        or not_eligible(ranked, slots, sources)
        or _on_allergy(slots, sources)
        or _with_forbidden(infection_first(slots, sources), forbidden)
        or finding_advice(slots, sources)
        or advice_where_unavoidable(ranked, slots, sources)
        or (forbidden if slots.is_case else [])
        or forbidden_to_sex(slots, sources)
        or ([] if _gives_dose(ranked, slots, sources) else route_forbidden(slots, sources))
        or forbidden_by_word(slots, sources)
        or stopped_for_another(ranked, slots, sources.drugs)
        or other_route_only(slots, sources)
        or bars_of_anyone(slots, sources)
    )


def _gives_dose(ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources) -> bool:
    """Return whether a guideline gives a dose by the route that a product is not for.

    The label of a gel forbids swallowing the gel, not the tablets of another product. Near the
    spinal cord a label may have one product with a preservative and one without.
    """
    of_products = slots.routes <= NEURAXIAL
    return slots.asks_dosing and any(
        (one.statement.kind == "guideline" or of_products)
        and statement_slots(one.statement, sources.drugs).has_regimen
        and is_fit(slots, one.statement, sources.drugs)
        for one in ranked[:MOST_READ]
    )


def _on_allergy(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what labels say of an allergy to another drug, and on the findings of the patient.

    That it is unknown whether both cross is no answer where a long QT forbids the drug, or its
    label the use that is asked about.
    """
    crossing = crossing_allergies(slots, sources)
    if not crossing:
        return []
    return [*forbidden_by_word(slots, sources), *crossing, *finding_advice(slots, sources)]


def _with_forbidden(
    first: list[RankedStatement], forbidden: list[RankedStatement]
) -> list[RankedStatement]:
    """Return what comes before a drug with what forbids it together with another asked about."""
    return [*first, *forbidden] if first else []


def _only_if(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the condition under which alone a guideline gives the drug to the very people.

    "Infants only if there was a contact" comes before the dose for children.
    """
    wordings = slot_lexicon().wordings
    asks = wordings.asks_permission.search(fold_chars(slots.text)) or not slots.aspects
    if not (asks and slots.drugs and slots.people.ages):
        return []
    is_on_hiv = names_hiv(slots.text)
    return [
        one
        for one in ranked[:MOST_READ]
        if one.statement.kind == "guideline"
        and is_quotable(one.statement)
        and _is_only_if(one.statement.said, slots, sources)
        and (is_on_hiv or not facet_values(one.statement.said, "hiv_status"))
        and not any(subject_misfits(slots, statement_slots(one.statement, sources.drugs)))
        and any(
            mine.meets(age)
            for mine in slots.people.ages
            for age in _narrowest(read_people(one.statement.said).ages)
        )
    ][:1]


def _narrowest(ages: Sequence[Interval]) -> list[Interval]:
    """Return ages without those that another is within: of "children (infants)" the infants."""
    return [
        one
        for one in ages
        if not any(
            (other.low, other.high) != (one.low, one.high)
            and one.low <= other.low
            and other.high <= one.high
            for other in ages
        )
    ]


def _by_earlier_use(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return who may have a regimen by the drugs that were had before, where a patient had some.

    What two guidelines say of it is shown, the newer one first: their limits differ.
    """
    newest: dict[str, RankedStatement] = {}
    codes = [fold_chars(code) for code, _ in slots.regimens]
    for one in ranked[:MOST_READ]:
        said = fold_chars(one.statement.said)
        is_named = any(code in said for code in codes) and is_on_earlier_use(slots, said)
        if (
            is_named
            and is_quotable(one.statement)
            and _misses_only(_OF_REGIMEN, slots, one, sources)
        ):
            newest.setdefault(one.statement.document_id, one)
    return sorted(newest.values(), key=lambda one: -(one.statement.year or 0))[:2]


def _misses_only(
    allowed: frozenset[str], slots: QuestionSlots, one: RankedStatement, sources: Sources
) -> bool:
    """Return whether a statement differs from a question in some slots at most."""
    misfits = each_misfit(slots, one.statement, sources.drugs)
    return all(misfit.slot in allowed for misfit in misfits)


def _is_only_if(said: str, slots: QuestionSlots, sources: Sources) -> bool:
    """Return whether a text says of a drug asked about that it is given only on a condition.

    "Y only if X is not used" says so of Y.
    """
    asked = frozenset[str]().union(*slots.drugs)
    found = slot_lexicon().wordings.only_if.search(fold_chars(said))
    named = read_facts(said, sources.drugs).drugs if found else ()
    others = [one for one in named if found and one.start < found.start()]
    return found is not None and (not others or any(one.ingredients & asked for one in others))


def _from_another_age(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return from which age a drug is given, where it is asked for somebody younger.

    By a guideline, or by a label that says from when its safety is established. "For patients aged
    18 years or more" answers whether a boy of 15 may have it; rows of doses by weight do not.
    """
    is_open = slots.aspects <= WHETHER
    if not (is_open and slots.drugs and slots.people.ages):
        return []
    limits: list[tuple[float, RankedStatement]] = []
    for one in ranked[:MOST_READ]:
        statement = one.statement
        ages = read_people(statement.said).ages
        own = statement_slots(statement, sources.drugs)
        is_on_drug = statement.kind == "guideline" and slots.drugs[0] <= own.said_drugs
        is_of_it = is_on_drug and own.said_drugs == slots.drugs[0]
        if is_of_it and is_quotable(statement) and _forbids_to_group(slots, own):
            return [one]
        folded = fold_chars(statement.said)
        is_given = (is_on_drug and _GIVEN.search(folded)) or (
            own.label == slots.drugs[0] and _ESTABLISHED.search(folded)
        )
        if not (ages and is_given and is_quotable(statement)):
            continue
        if any(mine.meets(age) for mine in slots.people.ages for age in ages):
            return []  # it is given at the age asked about, too
        if all(_is_younger(mine, age, own) for age in ages for mine in slots.people.ages):
            limits.append((min(age.low for age in ages), one))
    # The lowest of several limits: what is given from 6 years on is not only for adults.
    return [min(limits, key=lambda limit: limit[0])[1]] if limits else []


def _is_younger(one: Interval, other: Interval, own: StatementSlots) -> bool:
    """Return whether all ages of one range are below those of another.

    "Under 3 months" is, for a label, below "3 months and older"; a guideline says what it bars.
    """
    meets_end = one.high == other.low and not one.with_high and bool(own.label)
    return one.high < other.low or meets_end


def _forbids_to_group(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a sentence of a statement forbids something to the group of those asked."""
    prohibits = slot_lexicon().wordings.prohibits
    return any(
        prohibits.search(fold_chars(one.text)) and names_them(slots, one.text, with_groups=True)
        for one in own.facts.sentences
    )


def _on_contacts(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what is said of a drug for contacts of disease that resists it.

    Where it is known what the strains are susceptible to, what is given instead leads.
    """
    forbidden = _not_for_contacts(ranked, slots, sources)
    if forbidden and not slots.resistance.susceptible:
        return forbidden
    return [*_for_their_strains(ranked, slots, sources), *forbidden]


def _not_for_contacts(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what forbids a drug to contacts of resistant disease, whatever of it is asked.

    What is said of the drug alone comes before what is said of a regimen with it, which says
    nothing of a drug that works.
    """
    useless = slot_lexicon().resistance.ingredients
    resisted = frozenset(one for name in slots.resistance.to for one in useless[name])
    named = frozenset[str]().union(*slots.drugs, *(drugs for _, drugs in slots.regimens))
    if not (named and slots.resistance.to and "latent" in slots.facet("stage")):
        return []
    found: list[tuple[bool, RankedStatement]] = []
    for one in ranked:
        own = statement_slots(one.statement, sources.drugs)
        is_on_contacts = "latent" in facet_values(one.statement.said, "stage")
        is_on_contacts &= not slots.resistance.conflicts(read_resistance(one.statement.said))
        is_on_them = is_on_contacts and named <= own.said_drugs and is_quotable(one.statement)
        if is_on_them and forbids_them(slots, one.statement, sources.drugs):
            found.append((own.said_drugs > named, one))
    found.sort(key=lambda pair: pair[0])
    is_of_others = bool(found) and found[0][0] and named.isdisjoint(resisted)
    return [] if is_of_others else [one for _, one in found][:2]


def _for_their_strains(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what contacts of the very strains get, where a drug without effect on them is asked.

    "Rifampin for a contact of rifampin-resistant disease?" is answered by the other drug.
    """
    named = frozenset[str]().union(*slots.drugs, *(drugs for _, drugs in slots.regimens))
    if not named & slots.resistance.to or "latent" not in slots.facet("stage"):
        return []
    return [
        one
        for one in ranked[:MOST_READ]
        if read_resistance(one.statement.said).to == slots.resistance.to
        and is_quotable(one.statement)
        and _misses_only(_OF_SUBJECT, slots, one, sources)
    ][:1]


def _on_both_diseases(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what a guideline advises on a drug named for those who have tuberculosis and leprosy.

    The treatment of either has a rifamycin: what is said of one alone gives it twice.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners, *(d for _, d in slots.regimens))
    if not (named and slots.diseases >= _TWO_DISEASES):
        return []
    return [
        one
        for one in ranked[:MOST_READ]
        if statement_slots(one.statement, sources.drugs).diseases >= _TWO_DISEASES
        and named & statement_slots(one.statement, sources.drugs).said_drugs
        and _ADVISES.search(fold_chars(one.statement.said))
        and is_quotable(one.statement)
    ][:1]


def _after_disease_is_excluded(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return that disease is excluded before infection is treated, where a question names symptoms.

    A month of cough and a positive blood test: one drug for the infection breeds resistance. Where
    a test found disease, return that what prevents it is stopped.
    """
    wordings = slot_lexicon().wordings
    is_treated = slots.drugs or slots.regimens or "regimen" in slots.aspects
    folded = fold_chars(slots.text)
    tells = any(
        since_denial(folded, match.start()) is None
        for match in wordings.tells_symptoms.finditer(folded)
    )
    is_infected = wordings.tested_positive.search(folded) or "latent" in slots.facet("stage")
    is_proven = wordings.proven_disease.search(folded) and wordings.prevention.search(folded)
    is_proven = is_proven and not wordings.for_her_child.search(folded)
    if not (is_proven or (is_treated and is_infected and tells)):
        return []
    says = wordings.ends_prevention if is_proven else wordings.excludes_disease
    words = _ENDED if is_proven else _EXCLUDED
    found = [
        RankedStatement(statement, base, 0.0, 0.0)
        for base, statement in guideline_statements(words, sources.engines)
        if statement.statement_kind != "row" and says.search(fold_chars(statement.said))
    ]
    return sorted(found, key=lambda one: -(one.statement.year or 0))[:1]


def _on_every_drug(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what to do with each drug of a patient in whom something was found and one is stopped.

    "If X is stopped in the first weeks, Y and Z are stopped as well" is nearer than what causes the
    finding.
    """
    if not slots.findings or len(slots.drugs) + len(slots.partners) < _SEVERAL:
        return []
    read = [(one, statement_slots(one.statement, sources.drugs)) for one in ranked[:_NEAREST]]
    return [
        one
        for one, own in read
        if is_on_every_drug(slots, own)
        and not own.findings
        and is_fit(slots, one.statement, sources.drugs)
    ][:2]

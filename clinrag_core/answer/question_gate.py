"""The question gate: whether a statement is about what a question asks.

The claim gates compare a claim with its evidence; this one compares the evidence with the question.
Where a statement is silent it fits, except on the owner of a dose and on people for whom doses
differ: for those a dose must be said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit_people import in_words, is_titled_for_them, people_misfits
from clinrag_core.answer.fit_subject import subject_misfits
from clinrag_core.answer.misfit import Misfit
from clinrag_core.answer.slot_facets import DOSING
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.facts.indications import agree, disease_name, facet_values, meets
from clinrag_core.facts.missed_doses import missed_doses, since_last_dose
from clinrag_core.facts.routes import stated_routes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.statement_slots import StatementSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.resistance import Resistance
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.statement import IndexedStatement

_BESIDES: frozenset[Aspect] = frozenset({"when", "who", "criterion", "comparison", "stopping"})
"""Aspects that a question about a dose may have as well: "the dose for patients who ..."."""
_STRAINS = re.compile(r"\b(?:(?:m|x|pre-?x)dr|[rh]r)\b(?:[-/ ]?tb\b)?")
_ORAL = frozenset({"oral"})
_BY_MOUTH = frozenset({"tuberculosis", "leprosy"})
_LATENT = frozenset({"latent"})
_PREVENTION = frozenset({"prevention"})
_RESISTANT = frozenset({"resistant"})
_FIRST = frozenset({"first"})
_BOTH_PHASES = frozenset({"first", "later"})
_OF_HARM = frozenset({"warnings", "boxed_warning"})
"""Section groups whose doses are those that did harm, or special cases."""
TUBERCULOSIS = "tuberculosis"
OF_FIELD = (TUBERCULOSIS, "pneumonia")
"""What a guideline's dose is for where a question names no disease: the diseases of the field."""


def misfits(
    slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon
) -> tuple[Misfit, ...]:
    """Return the slots in which a statement does not fit a question; empty: it may be quoted.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    own = statement_slots(statement, drugs)
    subject = tuple(subject_misfits(slots, own))
    if any(not one.is_qualifier for one in subject):
        return subject  # another drug's statement needs no further reading
    return (
        *subject,
        *people_misfits(slots, own),
        *_route(slots, own),
        *_indication(slots, own),
        *_phase(slots, own),
        *_aspect(slots, own),
    )


def each_misfit(
    slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon
) -> Iterator[Misfit]:
    """Yield the misfits of a statement, those that are found fastest first.

    For who stops at the first that rejects it: whom a statement is for takes longest to read.
    """
    own = statement_slots(statement, drugs)
    for read in (subject_misfits, _aspect, _route, _phase, _indication, people_misfits):
        yield from read(slots, own)


def is_fit(slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement has no misfit: it may be quoted for a question."""
    return next(each_misfit(slots, statement, drugs), None) is None


def _route(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if the route asked about is not the statement's; a dose must name it."""
    if not slots.routes or slots.routes & own.routes:
        return
    asked = _listed(slots.routes)
    if own.routes:
        # Whether it can be given by a route is answered by the one that it is given by.
        gives_no_dose = not (slots.asks_dosing or own.has_regimen)
        if not (gives_no_dose and stated_routes(own.statement.said)):
            yield Misfit("route", asked, _listed(own.routes))
    elif (own.has_regimen or slots.asks_dosing) and not (
        slots.routes == _ORAL and _is_oral_course(own)
    ):
        yield Misfit("route", asked, "", is_qualifier=not own.has_regimen)


def _is_oral_course(own: StatementSlots) -> bool:
    """Return whether a guideline's dose against mycobacteria is by mouth, as it is unless said."""
    injected = slot_lexicon().resistance.ingredients["injectable"]
    is_on_them = any(name in _BY_MOUTH for name in own.diseases)
    return own.statement.kind == "guideline" and is_on_them and own.said_drugs.isdisjoint(injected)


def _indication(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of disease, stage, resistance and site."""
    if slots.diseases:
        known = own.diseases
        if own.label and not known and not (slots.drugs or slots.regimens or slots.classes):
            # A label that does not name the disease is no answer to a question about it.
            yield Misfit("indication", _listed(map(disease_name, slots.diseases)), "")
            return
        if known and not any(meets(one, other) for one in slots.diseases for other in known):
            yield Misfit(
                "indication",
                _listed(map(disease_name, slots.diseases)),
                _listed(map(disease_name, known)),
            )
            return
    elif (
        own.statement.kind == "guideline"
        and slots.asks_dosing
        and own.diseases
        and not any(agree(one, other) for one in OF_FIELD for other in own.diseases)
    ):
        yield Misfit(
            "indication",
            _listed(OF_FIELD),
            _listed(map(disease_name, own.diseases)),
            is_qualifier=True,
        )
    yield from _resistance(slots, own)
    yield from _facets(slots, own)
    if (
        slots.asks_dosing
        and slots.diseases
        and not (slots.facet("purpose") or slots.facet("stage"))
        and own.facet("purpose") == _PREVENTION
    ):
        yield Misfit("indication", "treatment", "prevention", is_qualifier=True)
    if (
        slots.asks_dosing
        and TUBERCULOSIS in slots.diseases
        and not slots.facet("stage")
        and own.facet("stage") == _LATENT
    ):
        yield Misfit("indication", "tuberculosis", "latent tuberculosis", is_qualifier=True)
    if (
        slots.asks_dosing
        and TUBERCULOSIS in slots.diseases
        and not (slots.drugs or slots.regimens or slots.facet("resistance") or slots.resistance.to)
        and own.facet("resistance") == _RESISTANT
    ):
        yield Misfit("indication", "tuberculosis", "drug-resistant disease", is_qualifier=True)


def _facets(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of stage, resistance, site and other values that exclude each other."""
    for facet in (
        "stage",
        "resistance",
        "site",
        "hiv_status",
        "skin_test",
        "smear",
        "amplification",
        "ordinal",
        "regimen_length",
        *_purpose(slots),
    ):
        asked = slots.facet(facet)
        if facet == "resistance" and slots.resistance.to & own.resistance.to:
            continue  # "isoniazid-resistant but rifampin-susceptible" is resistant disease
        if facet == "stage" and not _is_on_treatment(slots, own):
            continue
        if facet == "purpose" and own.facet("stage") == _LATENT:
            continue  # to treat the infection prevents the disease
        has = own.facet(facet) if asked else frozenset[str]()
        of_product = facet == "skin_test" and not slots.drugs and (own.label or own.said_drugs)
        if asked and not asked & has and (has or of_product):
            yield Misfit("indication", _of_facet(facet, asked), _of_facet(facet, has))
        elif facet == "stage" and asked == _LATENT and not has and _is_of_disease(slots, own):
            yield Misfit("indication", "latent tuberculosis", "tuberculosis disease")


def _is_of_disease(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement that names no stage is about tuberculosis disease.

    Texts that treat "tuberculosis" mean the disease; the infection they call latent. So do
    regimens of a guideline that name neither.
    """
    if TUBERCULOSIS in own.diseases:
        return True
    return slots.asks_dosing and own.has_regimen and own.statement.kind == "guideline"


def _is_on_treatment(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether the stage of disease tells question and statement apart.

    A question that only names strains, without a drug, is about everything that they concern: staff
    and contacts of patients, too.
    """
    if slots.drugs or slots.regimens or slots.asks_dosing or own.has_regimen:
        return True
    return bool(facet_values(_STRAINS.sub(" ", fold_chars(slots.text)), "stage"))


def _purpose(slots: QuestionSlots) -> tuple[str, ...]:
    """Return the facet of the purpose if prevention is asked: "treatment" alone narrows nothing."""
    return ("purpose",) if slots.facet("purpose") == _PREVENTION else ()


def _phase(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if another phase, or other weeks, of the course are meant."""
    asked, has = slots.facet("phase"), frozenset[str]()
    if asked:
        has = own.facet("phase")
    if (
        asked == _FIRST
        and own.course
        and all(one.low > 0 for one in own.course)
        and has != _BOTH_PHASES
    ):
        yield Misfit("phase", _of_facet("phase", asked), in_words(own.course))
    elif asked and has and not asked & has:
        yield Misfit("phase", _of_facet("phase", asked), _of_facet("phase", has))
    elif (
        slots.course
        and own.course
        and own.facet("phase") != _BOTH_PHASES
        and not any(one.meets(other) for one in slots.course for other in own.course)
    ):
        yield Misfit("phase", in_words(slots.course), in_words(own.course))


def _aspect(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a dose is asked and the figures are of an overdose, a study or a vial."""
    yield from _missed(slots, own)
    yield from _overdose(slots, own)
    exchanged = slot_lexicon().wordings.exchanged
    if says(fold_chars(slots.text), exchanged) and not any(
        says(fold_chars(text), exchanged) for text in own.levels
    ):
        yield Misfit("aspect", "one product in the place of another", "")
    if "test" in slots.aspects and not (slots.asks_dosing or slots.drugs) and own.figures:
        yield Misfit("aspect", "tests", "doses", is_qualifier=True)
    if not slots.asks_dosing or slots.aspects - DOSING - _BESIDES:
        return
    lexicon = slot_lexicon()
    group = own.statement.group or ""
    said = fold_chars(own.statement.said)
    if about := lexicon.not_dosing.get(group):
        yield Misfit("aspect", "dose", about, is_qualifier=not own.figures)
    elif own.figures and not own.has_schedule and says(said, lexicon.wordings.strength):
        yield Misfit("aspect", "dose", "strengths of the product")
    elif (
        not own.has_regimen
        and _is_silent(slots, said)
        and not is_titled_for_them(slots, own.statement)  # that nothing is known answers as well
    ):
        yield Misfit("aspect", _listed(slots.aspects & DOSING), "", is_qualifier=True)
    is_plain = not (slots.people or slots.partners or slots.findings)
    if is_plain and own.figures and group in _OF_HARM:
        yield Misfit("aspect", "dose", "harms", is_qualifier=True)
    special = lexicon.wordings.special_dose
    asked_text, missed = fold_chars(slots.text), lexicon.wordings.missed
    if not since_last_dose(slots.text) and any(
        says(said, one) and not says(asked_text, one) for one in (special, missed)
    ):
        yield Misfit("aspect", "the usual dose", "reduced or missed doses", is_qualifier=True)
    if not (slots.partners or slots.regimens) and (
        group == "interactions" or (own.figures and says(said, lexicon.wordings.given_with))
    ):
        yield Misfit("partner", "no other drug", "use with other drugs", is_qualifier=True)


def _missed(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of missed doses: a question on these is answered by what is said of them."""
    missed = slot_lexicon().wordings.missed
    ago = since_last_dose(slots.text)
    if (ago or says(fold_chars(slots.text), missed)) and not any(
        says(fold_chars(text), missed) or since_last_dose(text) for text in own.levels
    ):
        yield Misfit("aspect", "missed doses", "", is_qualifier=True)
    asked = missed_doses(slots.text)
    has = missed_doses(own.statement.said) if asked else ()
    if has and not any(one.meets(other) for one in asked for other in has):
        yield Misfit("aspect", "this many missed doses", "another number of missed doses")
    since = since_last_dose(own.statement.said) if ago else ()
    if since and not any(one.meets(other) for one in ago for other in since):
        yield Misfit("aspect", "this long since the last dose", "another time since the last dose")


def _overdose(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of a usual dose where somebody took too much: an antidote has another one."""
    overdose = slot_lexicon().wordings.overdose
    if "handling" in slots.aspects or not overdose.search(fold_chars(slots.text)):
        return
    is_on_it = own.statement.group == "overdosage" or any(
        overdose.search(fold_chars(text)) for text in own.levels
    )
    if (own.has_regimen or own.codes) and not is_on_it:
        yield Misfit("aspect", "an overdose", "usual doses")


def _is_silent(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text without a figure says nothing of the dose, or of the duration, asked.

    "Not recommended in children" answers the question for a child's dose; "may cause nausea" does
    not.
    """
    wordings = slot_lexicon().wordings
    asks_amount = slots.aspects & {"dose", "frequency"}
    if asks_amount and says(said, wordings.says_dose):
        return False
    if (not asks_amount or "duration" in slots.aspects) and says(said, wordings.says_duration):
        return False
    is_on_people = slots.people or slots.partners
    return not (is_on_people and says(said, wordings.prohibits))


_FACET_WORDS = {
    "latent": "latent tuberculosis",
    "active": "active tuberculosis",
    "resistant": "drug-resistant disease",
    "susceptible": "drug-susceptible disease",
    "first": "loading or intensive phase",
    "later": "maintenance or continuation phase",
    "prevention": "prevention",
    "treatment": "treatment",
    "positive": "people with HIV",
    "negative": "people without HIV",
    "smear_positive": "positive smears",
    "smear_negative": "negative smears",
    "naa_positive": "positive nucleic acid tests",
    "naa_negative": "negative nucleic acid tests",
    "tuberculin": "the tuberculin skin test",
    "antigen": "antigen-based skin tests",
    "blood": "blood tests (IGRA)",
    "longer": "longer regimens",
    "shorter": "shorter regimens",
    "dose_1": "the first dose",
    "dose_2": "the second dose",
    "dose_3": "the third dose",
    "dose_later": "later doses",
}


def _resistance(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if the strains are others, or are resistant to what a statement gives."""
    if not (slots.resistance.to or slots.resistance.susceptible):
        return
    if slots.resistance.conflicts(own.resistance):
        asked_of, has_of = (_strains(one) for one in (slots.resistance, own.resistance))
        yield Misfit("indication", asked_of, has_of)
    elif useless := _useless(slots, own):
        yield Misfit("indication", _strains(slots.resistance), f"treatment with {_listed(useless)}")


def _useless(slots: QuestionSlots, own: StatementSlots) -> frozenset[str]:
    """Return the drugs of a statement that do not work for the strains of a question.

    Empty if the statement is about strains resistant to these, or advises against something.
    """
    lexicon = slot_lexicon()
    said = fold_chars(own.statement.said)
    is_row = own.statement.statement_kind == "row"  # whose cell "Contraindications" is no advice
    if not is_row and says(said, lexicon.wordings.prohibits):
        return frozenset()
    names = slots.resistance.to - own.resistance.to
    drugs = frozenset[str]().union(*(lexicon.resistance.ingredients[name] for name in names))
    return frozenset(
        drug for drug in drugs if drug in own.said_drugs or re.search(rf"\b{drug}", said)
    )


def _strains(resistance: Resistance) -> str:
    """Return strains in words: "strains resistant to rifampin and susceptible to isoniazid"."""
    parts = (("resistant", resistance.to), ("susceptible", resistance.susceptible))
    return "strains " + " and ".join(f"{how} to {_listed(to)}" for how, to in parts if to)


def _of_facet(facet: str, values: Iterable[str]) -> str:
    if facet == "site":
        return _listed(f"disease of the {value.replace('_', ' ')}" for value in values)
    return _listed(_FACET_WORDS[value] for value in values)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))

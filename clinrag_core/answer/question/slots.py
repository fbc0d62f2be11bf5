"""What a question says, as slots: drugs, people, route, disease, phase, aspect, suggested figures.

The question gate compares them with what a statement says; both sides use the readers of `facts`.
A question of two is taken apart by `questions`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import (
    CACHED_QUESTIONS,
    asking_part,
    asks_next_step,
    aspects_of_topic,
    tells_story,
    with_capitals,
)
from clinrag_core.answer.question.facets import (
    DOSING,
    FACETS,
    facet_of,
    infected_with,
    is_disease_excluded,
    strains_of,
)
from clinrag_core.answer.question.findings import deciding, patient_findings
from clinrag_core.answer.question.joined_drugs import as_product
from clinrag_core.answer.question.not_tolerated import is_not_tolerated
from clinrag_core.answer.question.reasons import reasons_of
from clinrag_core.answer.question.roles import (
    ASKS_WHICH,
    blanked,
    is_case,
    names_person,
    taken_in_story,
)
from clinrag_core.answer.question.subjects import is_passed, read_subjects, unlisted, with_regimen
from clinrag_core.answer.question.suggested import suggested_figures, taken_amounts
from clinrag_core.facts.creatinine import with_kidneys
from clinrag_core.facts.findings import PatientFinding
from clinrag_core.facts.indications import denied_diseases, diseases, facet_values
from clinrag_core.facts.intervals import Interval, intervals
from clinrag_core.facts.people import (
    ADULT,
    AGE_GROUPS,
    CHILD_WEIGHT,
    People,
    read_people,
    without_compared,
)
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.resistance import Resistance, read_resistance
from clinrag_core.facts.routes import asked_routes
from clinrag_core.facts.stated_ages import asked_age
from clinrag_core.lexicon.drugs import drug_classes, field_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.intervals import Interval
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.lexicon.slots import Aspect

_DOSE: frozenset[Aspect] = frozenset({"dose"})
_WHEN: frozenset[Aspect] = frozenset({"when"})
_FOR_DISEASE: frozenset[Aspect] = frozenset({*DOSING, "regimen", "contraindication", "who"})
"""Aspects that depend on what a patient's drug is for."""

_NOT_WHEN: frozenset[Aspect] = frozenset({"contraindication", "stopping", "dose"})
_OUTCOME = lazy_re(
    r"\b(?:mortality|deaths?|died|survival|cure|success|failure|response) ?(?:rates?)?\b"
)
"""What a trial found: no dose is asked."""
_NOT_ASKED = lazy_re(r"s?[- ](?:resist|suscept|sensitiv|allerg|intoleran)")
_HARM_ASKED = lazy_re(r"\b(?:caus\w+|risks? of|lead to|induc\w+|side effects?|harm\w*)\b[^?]*$")
_IS_FINE = lazy_re(
    r"\b(?:ok|okay|fine|alright|all right|acceptable|problems?|issues?|concerns?|omit\w*)\b"
)
"""What makes a drug with a figure of the patient's kidneys no question for a dose."""
_PRONOUN = lazy_re(r"\b(?:he|she)\b")
_NOT_FOR = lazy_re(r"(?:,|\bbut) not (?:for |in )?(?P<what>[\w -]{3,30}?)(?=[:;,.?)]|$| [-–])")
_WHO = lazy_re(r"\bWHO\b")
"""The organisation, which asks for nobody."""


class QuestionSlots(NamedTuple):
    """What a question says; a slot is empty where it does not say it."""

    text: str
    drugs: tuple[frozenset[str], ...] = ()
    """Ingredient sets asked about, in order; several ingredients: a combination product."""
    partners: tuple[frozenset[str], ...] = ()
    """Ingredient sets that these are given with."""
    regimens: tuple[tuple[str, frozenset[str]], ...] = ()
    """Regimens named by letters ("3HP"), with their ingredients."""
    allergies: tuple[frozenset[str], ...] = ()
    absent: frozenset[str] = frozenset()
    """Ingredients that are said not to be given: "without delamanid"."""
    classes: frozenset[str] = frozenset()
    """Classes of drugs asked about."""
    unlisted: frozenset[str] = frozenset()
    """Stems of words whose dose is asked for and that are no name of a known drug."""
    people: People = People()
    findings: tuple[PatientFinding, ...] = ()
    """Conditions and measured values of the patient: heart block, QTcF 520 ms."""
    routes: frozenset[str] = frozenset()
    diseases: frozenset[str] = frozenset()
    not_for: frozenset[str] = frozenset()
    """Diseases that are said not to be meant: "for arthritis, not malaria"."""
    facets: tuple[tuple[str, frozenset[str]], ...] = ()
    """Values named of each facet of `FACETS`, such as stage, resistance, site and phase."""
    resistance: Resistance = Resistance()
    course: tuple[Interval, ...] = ()
    """Part of the course asked about, in weeks."""
    aspects: frozenset[Aspect] = frozenset()
    suggested: tuple[Quantity, ...] = ()
    """Doses, frequencies and durations that the asker names."""
    is_patient: bool = False
    """Whether it is about one patient, in however few words."""
    is_case: bool = False
    """Whether it describes a patient: the drugs named are what is taken, not what is asked."""

    @property
    def asks_dosing(self) -> bool:
        """Whether a figure of a regimen is asked for."""
        return not self.aspects.isdisjoint(DOSING)

    @property
    def asks_time(self) -> bool:
        """Whether it asks when, which a finding may decide, not whether or what."""
        return "when" in self.aspects and self.aspects.isdisjoint(_NOT_WHEN)

    @property
    def names_no_drug(self) -> bool:
        """Whether it has nothing to do with any drug in particular."""
        named = (
            self.drugs, self.partners, self.regimens, self.classes, self.allergies, self.absent
        )  # fmt: skip
        return not (any(named) or self.unlisted or self.resistance.to)

    @property
    def is_for_child(self) -> bool:
        """Whether all the people it names are younger than 18, or weigh as little as a child."""
        if self.people.ages:
            return all(age.high <= ADULT for age in self.people.ages)
        return bool(self.people.weights) and all(w.high < CHILD_WEIGHT for w in self.people.weights)

    @property
    def is_specific(self) -> bool:
        """Whether people and a disease, or one patient's, narrow it: statements must fit both."""
        of_disease = bool(self.diseases) or any(values for _, values in self.facets)
        return of_disease and (self.is_case or (bool(self.people) and bool(self.aspects)))

    @property
    def decides_on_finding(self) -> bool:
        """Whether what to do depends on something found in a patient."""
        gives = slot_lexicon().wordings.asks_to_give
        is_case = self.is_patient or (self.drugs and gives.search(fold_chars(self.text)))
        names_drug = bool(self.drugs or self.partners or self.regimens or self.classes)
        found = deciding(self.findings, self.aspects, names_drug=names_drug)
        return any(one.is_measured or is_case for one in found)

    def facet(self, name: str) -> frozenset[str]:
        """Return the values named of a facet."""
        for one, values in self.facets:  # asked some hundred times of a question
            if one == name:
                return values
        return frozenset()


@lru_cache(maxsize=CACHED_QUESTIONS)
def read_slots(text: str, drugs: DrugLexicon) -> QuestionSlots:
    """Return what a question says.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    text = with_capitals(text)
    facts = read_facts(text, drugs)
    own, partners, allergies, absent, together = read_subjects(facts, drugs)
    own, partners = as_product(own, partners, text, drugs.is_product)
    is_overdose = slot_lexicon().wordings.overdose.search(fold_chars(text)) is not None
    taken = taken_amounts(facts, partners)
    suggested = () if is_overdose else suggested_figures(facts, taken)
    without_amounts = blanked(text, taken)
    asking = question_after_story(without_amounts, is_pair=bool(partners))
    aspects = _aspects(asking, has_partner=bool(partners))
    if asking == without_amounts and tells_story(text):
        aspects -= {"test"}  # a test in a story was done: what follows from it is asked
    aspects -= _DOSE if is_overdose else set()
    wordings = slot_lexicon().wordings
    not_dosing = (
        wordings.of_study, wordings.spaced, wordings.contraception, wordings.stored,
        wordings.checked, wordings.asks_level, wordings.handled, wordings.exchanged,
        wordings.contents, wordings.of_food, wordings.or_stopped,
    )  # fmt: skip
    if any(says(fold_chars(text), one) for one in not_dosing):
        untimed = (wordings.of_study, wordings.exchanged, wordings.or_stopped)
        is_untimed = any(one.search(fold_chars(text)) for one in untimed)
        # "how often is an ECG done" asks for no dose
        aspects = aspects - DOSING | (frozenset() if is_untimed else _WHEN)
    elif not is_overdose and (
        (any(q.kind == "dose" for q in suggested) and not (partners and is_case(facts)))
        or _asks_dose_for_them(text, aspects, drugs)
    ):
        aspects = aspects.union(_DOSE)
    if not own and facet_of(asking, "skin_test"):
        aspects -= DOSING  # how much of a test is injected
    # Why a patient takes a drug is not what another one is asked for.
    taken = partners if aspects & _FOR_DISEASE else (*partners, *taken_in_story(facts))
    without_reasons = blanked(text, reasons_of(facts, taken, own)) if own else text
    if wordings.contraception.search(fold_chars(text)):
        without_reasons = ""  # the same whatever the drug is for
    folded = fold_chars(without_reasons)
    asked = _regimens(text, drugs, together, asks_dosing=bool(aspects & DOSING))
    infected = infected_with(without_reasons, aspects, names_regimen=bool(asked))
    if own and is_case(facts):  # a patient's regimen without the drug asked about is only taken
        every, folded_asking = frozenset[str]().union(*own), fold_chars(asking)
        asked = tuple(one for one in asked if one[1] & every or one[0].casefold() in folded_asking)
    own, partners, asked = with_regimen(own, partners, asked, aspects, text)
    named_times = any(q.kind == "frequency" for q in suggested) and not is_case(facts)
    aspects = DOSING if asked and not aspects and named_times else aspects
    if not (aspects or own):
        aspects = aspects_of_topic(fold_chars(text), bool(partners or asked or _classes(text)))
    is_stored = not aspects & DOSING and wordings.stored.search(folded)
    people = People() if is_stored or is_overdose else _asked_people(text)  # said of everybody
    named = {fold_chars(text[o.start : o.end]) for o in facts.drugs if o.ingredients in own}
    return QuestionSlots(
        text=text,
        drugs=own,
        partners=partners,
        regimens=asked,
        allergies=allergies,
        absent=absent,
        classes=_classes(text) if not own else frozenset(),
        unlisted=unlisted(facts) if not own else frozenset(),
        people=people,
        findings=() if is_overdose else patient_findings(text, people, (*own, *partners)),
        routes=asked_routes(text, named),
        diseases=frozenset()
        if own and wordings.missed.search(folded) and field_drugs().isdisjoint(*own)
        else _diseases(folded, infected, is_tested=bool(own and facet_of(text, "skin_test"))),
        not_for=_not_meant(folded),
        facets=_facets(without_reasons, aspects, is_infected=bool(infected)),
        resistance=strains_of(text) if not infected else read_resistance(text),
        course=tuple(one for one in intervals(text) if one.of == "course"),
        aspects=aspects,
        suggested=suggested,
        is_patient=bool(names_person(text) or _PRONOUN.search(fold_chars(text))),
        is_case=is_case(facts),
    )


def people_asked(text: str) -> People:
    """Return the people of `read_slots` alone: of a clause, nothing else need be read."""
    return _asked_people(with_capitals(text))


def _facets(
    text: str, aspects: frozenset[Aspect], *, is_infected: bool
) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the values of all facets.

    A mother's active disease is not her child's, who is given a dose against the infection; nor is
    that of anybody who exposed a patient. The test that found an infection is not what a dose or a
    treatment is asked for.
    """
    folded, wordings = fold_chars(text), slot_lexicon().wordings
    others = [match.span() for match in wordings.exposed_by.finditer(folded)]
    text = blanked(text, others)
    her_child, asked = wordings.for_her_child.search(folded), asking_part(text)
    is_asked = aspects & DOSING or is_disease_excluded(folded)
    is_exposed = her_child and is_asked and "tuberculosis" in diseases(folded)
    of_story = tells_story(text) and bool(aspects & DOSING or facet_of(asked, "purpose"))
    read_in = {"stage": "" if her_child else text, "skin_test": asked}
    return tuple(
        (
            name,
            facet_of(
                read_in[name] if name == "stage" or (name == "skin_test" and of_story) else text,
                name,
                is_infected=is_infected or (name == "stage" and bool(is_exposed or others)),
            ),
        )
        for name in FACETS
    )


def _diseases(folded: str, infected: frozenset[str], *, is_tested: bool) -> frozenset[str]:
    """Return the diseases asked about; a skin test before a drug is for tuberculosis alone."""
    if _HARM_ASKED.search(folded):
        return frozenset()
    found = (diseases(folded) - _not_meant(folded)) | infected
    return found & {"tuberculosis"} if is_tested else found


def _not_meant(folded: str) -> frozenset[str]:
    """Return the diseases that a folded question says it is not about, or nobody has."""
    return denied_diseases(folded).union(
        *(diseases(match["what"]) for match in _NOT_FOR.finditer(folded))
    )


def _asked_people(text: str) -> People:
    """Return the people a question is about: what a mother's child gets is not for the mother."""
    people = read_people(without_compared(text))
    # "67F: full adult dose?" names adults as those whose dose it is.
    is_open = all((one.low, one.high) == AGE_GROUPS["adults"] for one in people.ages)
    if is_open and (found := asked_age(text)):
        start, end, years = found
        people = people._replace(ages=(Interval(start, end, "age", years, years, True, True),))
    if not people.kidney:
        people = with_kidneys(text, people)
    if not slot_lexicon().wordings.for_her_child.search(fold_chars(text)):
        return people
    return people._replace(conditions=people.conditions - OF_MOTHERS)


def _regimens(
    text: str,
    drugs: DrugLexicon,
    together: Sequence[frozenset[str]],
    *,
    asks_dosing: bool,
) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the regimens asked about, by letters or as drugs joined by a sign.

    Not those that somebody is on: "on X, steroid dose?".
    """
    folded = fold_chars(text)
    asks_other, wordings = not asks_dosing or bool(_classes(text)), slot_lexicon().wordings

    def is_taken(code: str) -> bool:
        """Return whether somebody is on a regimen, or in a month of it when another is chosen."""
        before = folded.partition(code)[0]
        is_other = wordings.on_art.search(folded) or wordings.of_relative.search(before)
        is_other = is_other or (ASKS_WHICH.search(folded) and wordings.in_course.search(before))
        return bool(is_other) or (asks_other and is_passed(folded, code))

    every = regimens(text, drugs).items()
    named = {code: own for code, own in every if not is_taken(code.casefold())}
    by_name = {" and ".join(sorted(one)): one for one in together if one not in named.values()}
    return (*named.items(), *by_name.items())


def _asks_dose_for_them(text: str, aspects: frozenset[Aspect], drugs: DrugLexicon) -> bool:
    """Return whether a figure of the patient's, or a phase, makes a dose what is asked.

    "X, CrCl 22?", "X induction in an adult", "X in a man of 72 - reduce?".
    """
    people = read_people(text)
    named = bool(read_facts(text, drugs).drugs or regimens(text, drugs))
    folded = fold_chars(text)
    is_other = any(one.search(folded) for one in (_IS_FINE, _OUTCOME)) or asks_next_step(text)
    is_plain = not (aspects or is_other)
    asks_other = people.ages and slot_lexicon().wordings.other_dose.search(folded)
    is_for_them = people.kidney or people.weights or facet_values(text, "phase") or asks_other
    return named and is_plain and bool(is_for_them)


def question_after_story(text: str, *, is_pair: bool) -> str:
    """Return the question after a story, where it names an aspect; else the whole text.

    "A missed dose on Monday. When may ...?" asks for a time, not for the dose; of a pair of drugs
    nothing else is asked than how they go together where none is.
    """
    asking = asking_part(text) if tells_story(text) else text
    return asking if is_pair or _aspects(asking, has_partner=False) else text


def _aspects(text: str, *, has_partner: bool) -> frozenset[Aspect]:
    folded = fold_chars(text if text.isupper() else _WHO.sub(" ", text))
    lexicon = slot_lexicon()
    folded = lexicon.wordings.dose_as_time.sub(" ", folded)
    found: set[Aspect] = {n for n, cue in lexicon.aspects.items() if says(folded, cue)}
    if lexicon.wordings.asks_maximum.search(folded):
        found.add("dose")
        found.discard("contraindication")  # "the most that I can give"
    if has_partner:
        found.add("interaction")
    return frozenset(found)


def _classes(text: str) -> frozenset[str]:
    folded = fold_chars(text)
    return frozenset(
        m.group().removesuffix("s")
        for m in drug_classes().finditer(folded)
        if not _NOT_ASKED.match(folded, m.end())
        and not is_not_tolerated(folded, m.start(), m.end())
    )

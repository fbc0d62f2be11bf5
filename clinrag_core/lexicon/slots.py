"""The table of what narrows a question or a statement: diseases, facets, routes, aspects.

A facet is a property with values that exclude each other, such as the phase of treatment.
"""

from __future__ import annotations

from typing import Literal

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

Aspect = Literal[
    "dose",
    "duration",
    "frequency",
    "contraindication",
    "interaction",
    "adverse_effect",
    "monitoring",
    "test",
    "definition",
    "criterion",
    "who",
    "when",
    "why",
    "comparison",
    "regimen",
    "stopping",
    "handling",
]


class SlotWordings(Record):
    """Wordings around a slot."""

    person: Expression
    """One patient: by age, sex or the word."""
    so_far: Expression
    """What a patient has had of a course, in total."""
    missed: Expression
    """Doses that were not taken."""
    overdose: Expression
    """Questions on too much of a drug: the amount they name was taken, nobody suggests it."""
    stored: Expression
    """Keeping a product: its figures are of no treatment."""
    handled: Expression
    """Crushing, halving or opening a product: what it is given as, not how much."""
    of_choice: Expression
    """What names the treatment to choose: "the drugs of choice"."""
    decides: Expression
    no_alternative: Expression
    """That a drug has to be given whatever it is given with."""
    where_unavoidable: Expression
    """The case that two drugs which should not be given together have to be."""
    not_used: Expression
    not_for: Expression
    """What answers whether something may be done: yes, no, or not known."""
    adds: Expression
    asks_permission: Expression
    """Questions on whether something may be done."""
    contents: Expression
    """What is in a product: strengths, not how much is given."""
    of_food: Expression
    """How much of a food or drink, which is no dose."""
    exchanged: Expression
    or_stopped: Expression
    """One product in the place of another: what they have in common, not how much is given."""
    first_line: Expression
    """Treatment of tuberculosis by any words but those of its drugs."""
    gets_tuberculosis: Expression
    """Somebody falls ill with tuberculosis, so will be treated."""
    with_tuberculosis: Expression
    """Patients by their tuberculosis."""
    not_first_line: Expression
    """What tells of treatment that is over, not begun, or not of susceptible disease."""
    limits_use: Expression
    """What a product is not for, whatever it is asked for: "not for systemic infections"."""
    withdrawn: Expression
    """A drug that is given no more."""
    is_to_stop: Expression
    """A drug that is to be stopped, left out or replaced."""
    tells_symptoms: Expression
    """Symptoms and films that may be of tuberculosis disease, and are not denied."""
    excludes_disease: Expression
    """That disease is excluded before infection is treated."""
    only_if: Expression
    """Under which condition alone somebody gets a drug."""
    asks_level: Expression
    """How much of a drug is in the blood, and for how long."""
    checked: Expression
    """How often something is measured or tested, not given."""
    dose_as_time: Expression
    """A dose that only says when something else is done: "before the first dose"."""
    begun: Expression
    """What comes right after treatment that somebody is on or had: "RHZE began today"."""
    disease_excluded: Expression
    """Somebody does not have tuberculosis: what is left is to prevent it."""
    asks_treatment_only: Expression
    asks_source: Expression
    exposed_by: Expression
    in_course: Expression
    goes_on_such: Expression
    """What begins a sentence on the drugs that the one before lists."""
    forbids_next: Expression
    """How a sentence begins that limits what the one before it tells to do."""
    ways_of_giving: Expression
    """How, where and how fast an injection is given."""
    device_asked: Expression
    """A thing that is asked for; the route that it serves is no question."""
    prevention: Expression
    """Preventive treatment of tuberculosis, by its letters or in words."""
    ends_prevention: Expression
    """That preventive treatment ends where disease is found."""
    proven_disease: Expression
    """A test that found tuberculosis disease."""
    amount: Expression
    """How much of a product is put on, without a unit."""
    asks_future: Expression
    """Questions on what will be: no document tells."""
    tested_positive: Expression
    """Somebody is infected with tuberculosis by a test, which is no test asked about."""
    spaced: Expression
    """How far one thing is taken from another."""
    contraception: Expression
    other_dose: Expression
    """What asks, of somebody's age, for another dose than the usual one."""
    at_once: Expression
    """What asks for a drug all at once: a bolus."""
    not_at_once: Expression
    """What forbids that."""
    not_tolerated: Expression
    """What is said of a drug that somebody does not bear."""
    of_study: Expression
    """What asks for what was done or found in a study: no dose to give."""
    of_relative: Expression
    """What comes before a regimen that a relative of the patient is on."""
    on_art: Expression
    """What asks of treatment of HIV as such, whatever drug or regimen is named before it."""
    passed: Expression
    """What comes right before treatment that somebody is on or had: "after 2 months of"."""
    high_dose: Expression
    """A dose of a drug that counts as a drug of its own: high-dose isoniazid."""
    denies_test: Expression
    """What is said against a test: it has no value for diagnosing, is not to be used."""
    asks_exclusion: Expression
    """Questions on whether a disease is excluded."""
    excludes_nothing: Expression
    """That a negative result leaves a disease possible."""
    on_dialysis: Expression
    """How a sentence begins that is for patients on dialysis, by whatever clearance."""
    grave: Expression
    """What a warning names that must not be left out."""
    special_dose: Expression
    """Doses that are not the usual one: reduced for a while, or after a missed dose."""
    usual_adult: Expression
    """The dose that a label calls the usual one of adults."""
    usual_dose: Expression
    """The dose that treatment starts with, or goes on with."""
    part_of_usual: Expression
    """A part of the usual dose, which it does not name: "half the usual regimen"."""
    done_for: Expression
    """What is done to somebody for the time asked, as its group: "how long is she isolated"."""
    asks_use: Expression
    """What asks what a drug is for, at a dose or not."""
    treatment_of: Expression
    """What asks for the treatment of a disease that it names: "MDR-TB treatment in children"."""
    what_is: Expression
    """A question that asks what a term means, as its group, and nothing else: "what is IRIS"."""
    kidney_failure: Expression
    how_many: Expression
    """What asks for a number of things, as its group, not for a time."""
    prolongs: Expression
    """What makes a phase of treatment longer."""
    asks_avoided: Expression
    """What asks for the drugs that are not to be given, without naming one."""
    maximum: Expression
    speaks_of_dose: Expression
    """What speaks of giving a drug, or of not giving it."""
    asks_steps: Expression
    """How something is given or prepared, step by step."""
    announces: Expression
    excepts: Expression
    written_short: Expression
    """What says only that a treatment may be needed."""
    tells_study: Expression
    """What was done in a study."""
    maximum_amount: Expression
    """What follows "at most" where it limits an amount."""
    names_time: Expression
    """What asks for a time."""
    fetal_harm: Expression
    harm_in_animals: Expression
    if_pregnant: Expression
    """When a drug may be given in pregnancy all the same."""
    few_studied: Expression
    organ_matters: Expression
    """Whether failing kidneys, or a failing liver, matter to a drug."""
    shows_infection: Expression
    shows_no_infection: Expression
    infection_treated_first: Expression
    """What has a latent infection treated before something."""
    permits: Expression
    """What a text says that allows a drug."""
    restricts: Expression
    """What a sentence next to it says that limits this."""
    for_her_child: Expression
    """Questions for what the child of a mother gets."""
    asks_maximum: Expression
    asks_longest: Expression
    """Questions for how long something is given at most."""
    asks_when_only: Expression
    asks_onset: Expression
    says_onset: Expression
    asks_end: Expression
    gives_reason: Expression
    asks_at_risk: Expression
    says_at_risk: Expression
    says_end: Expression
    of_her_child: Expression
    asks_to_give: Expression
    asks_first: Expression
    """Questions for what or who comes first."""
    states_first: Expression
    times: Expression
    """What a text says that gives the times of a check."""
    asks_warnings: Expression
    """Questions for all that a label warns of."""
    fixed_dose: Expression
    excluded: Expression
    """What comes right before a group that a statement leaves out."""
    tells_allergy: Expression
    """An allergy to a drug that a question tells of: "penicillin anaphylaxis"."""
    crosses_allergy: Expression
    """What a label says of an allergy to other drugs."""
    not_eligible: Expression
    """What is said of people who must not get a treatment."""
    unable: Expression
    """What is said of a drug instead of which another one is asked about: "cannot take X"."""
    unable_next: Expression
    """What is said of it right after its name: "X is not an option"."""
    needed: Expression
    """What comes before a drug that somebody takes, though it denies: "cannot live without X"."""
    dose_kept: Expression
    """A dose that stays as it is."""
    switches: Expression
    """Going over from one regimen to another."""
    restarts: Expression
    """What is given again after it was stopped."""
    resumes_at: Expression
    """Taking a drug again after a pause, with the dose."""
    after_pause: Expression
    """The condition of a pause of some length."""
    begins_again: Expression
    """Beginning with a figure, as after a long pause."""
    excluded_next: Expression
    """What comes right after such a group: "dialysis not yet"."""
    strength: Expression
    """What a sentence says that states the strength of a product, not a dose."""
    given_with: Expression
    warns: Expression
    """Headings of cells that name people who should not get a drug, or harms."""
    says_dose: Expression
    says_duration: Expression
    prohibits: Expression
    no_change: Expression
    """What a text says that leaves a dose as it is."""


class DrugClasses(Record):
    """Which classes of drugs name a partner."""

    wide: frozenset[str]


class ResistanceWords(Record):
    """How a text names what strains are resistant to."""

    drugs: dict[str, Expression]
    """Names of drugs and classes, without word boundaries."""
    ingredients: dict[str, frozenset[str]]
    """Drugs that do not work where strains are resistant to one."""
    short: dict[str, Expression]
    """Short names of strains that are resistant to a drug."""
    beyond_rifampin: frozenset[str]
    """Drugs for strains that are resistant to rifampin, not to isoniazid alone."""


class NamedEffect(Record):
    """Drugs that share an effect, and how a label names them by it."""

    words: Expression
    drugs: frozenset[str]


class AskedSection(Record):
    """A label section that a question may ask for as a whole."""

    asked: Expression
    groups: tuple[str, ...]
    """Its section groups: the first that has it, or all of them with `each_heading`."""
    heading: Expression
    """What its heading says."""
    says: Expression
    """What statements say that are shown before the others, where not all can be."""
    says_only: bool = False
    """Whether others are left out, where any says it."""
    each_heading: bool = False
    """Whether one statement under each heading comes before a second one under any."""
    of_dosing: bool = False
    """Whether it answers questions on dosing."""
    of_patients: bool = False
    """Whether it answers questions on a patient with findings, too."""
    of_disease: bool = False
    """Whether a disease may be named, which the section is asked to list."""


class AskedMatter(Record):
    """What a question may be about that a label speaks of or not."""

    name: str
    asked: Expression
    says: Expression
    """What a statement says that speaks of it."""
    of_active: bool = False
    """Whether what is said of latent infection is no answer where it is not asked about."""
    settles: Expression
    """What one says besides that answers it."""
    of_dose: bool = False
    """Whether it is a dose that is asked for: of the other matters no figure is wanted."""
    without_drug: bool = False
    """Whether a question on it needs no drug: a vaccine, the size of a reaction."""


class SlotLexicon(Record):
    """The table."""

    diseases: dict[str, Expression]
    facets: dict[str, dict[str, Expression]]
    resistance: ResistanceWords
    schedules: dict[str, Expression]
    spoken_routes: dict[str, Expression]
    implied_routes: dict[str, Expression]
    people: dict[str, Expression]
    aspects: dict[Aspect, Expression]
    not_dosing: dict[str, str]
    """Section groups of labels whose figures are no dosing advice, with what they are about."""
    enzyme_effects: dict[str, frozenset[str]]
    qt_prolonging: NamedEffect
    classes: DrugClasses
    wordings: SlotWordings
    asked_sections: tuple[AskedSection, ...]
    matters: tuple[AskedMatter, ...]


def slot_lexicon() -> SlotLexicon:
    """Return the shipped table."""
    return load_table("slots", SlotLexicon)

"""A section of a label that is asked for as a whole is shown without a ranking. Invented texts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.fit.people import is_titled_for_them
from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.lead.label_sections import (
    MOST_SHOWN,
    asked_section,
    asks_listed_use,
    no_listed_use,
    other_route_only,
    route_forbidden,
)
from clinrag_core.answer.lead.label_warnings import (
    label_warnings,
    no_contraindications,
    warnings_for_them,
)
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.label_indications import LabelIndications
from clinrag_core.answer.select.selection import select_warnings
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
USE = label("Zolumycin is indicated for pneumonia in adults.", group="indications")
RESISTANCE = label("Culture results should guide the choice.", group="indications")
OVERDOSE = label("Ten grams were survived.", group="overdosage")
ANTIDOTE = label("Give supportive care; there is no antidote.", group="overdosage")
ACTION = label(
    "Zolumycin stops the ribosome.",
    group="clinical_pharmacology",
    headings=("12 Clinical pharmacology", "12.1 Mechanism of Action"),
)
HALF_LIFE = label(
    "Its half-life is six hours.",
    group="clinical_pharmacology",
    headings=("12 Clinical pharmacology", "12.3 Pharmacokinetics"),
)
COMBINED = label("Rifazol is indicated for lungs.", "rifampin", "zolumycin", group="indications")
SECTIONS = [RESISTANCE, USE, OVERDOSE, ANTIDOTE, ACTION, HALF_LIFE, COMBINED]


def shown(question: str, statements=tuple(SECTIONS), drugs: DrugLexicon = DRUGS) -> list[str]:
    sources = sources_of(list(statements), drugs)
    return [one.statement.said for one in asked_section(read_slots(question, drugs), sources)]


def test_what_is_tested_before_the_first_dose_is_a_section():
    heads = ("2 Dosage", "2.1 Assessments Prior to First Dose of ZOLUMAX")
    tests = [
        label(said, group="dosage", headings=heads)
        for said in ("Obtain an ECG.", "It may be old.", "Perform a skin examination.")
    ]
    later = label("Test the urine monthly.", group="dosage", headings=("2 Dosage", "2.2 Checks"))
    said = shown("What tests do I need before starting zolumycin?", [later, *tests])
    assert said == ["Obtain an ECG.", "Perform a skin examination."]


WARNINGS = "5 Warnings"


def warning(said: str, heading: str, group: str = "warnings"):
    return label(said, group=group, headings=(WARNINGS, heading))


def test_what_stops_a_drug_is_taken_from_each_warning():
    stopping = [
        warning("Discontinue zolumycin if a rash spreads.", "5.1 Skin"),
        warning("Stop zolumycin also if the mouth is sore.", "5.1 Skin"),
        warning("If hepatitis occurs, zolumycin should be withdrawn.", "5.2 Liver"),
    ]
    others = [
        warning("Zolumycin was discontinued in two of 40 subjects.", "5.2 Liver"),
        warning("Do not abruptly discontinue zolumycin in dependent patients.", "5.3 Habit"),
        warning("Zolumycin may cause vertigo.", "5.4 Ears"),
    ]
    for question in (
        "When do I stop zolumycin because of side effects?",
        "Adverse reactions that require stopping zolumycin",
    ):
        assert shown(question, [*others, *stopping]) == [one.said for one in stopping]
    assert shown("When do I stop zolumycin before surgery?", stopping) == []


def test_one_warning_under_each_heading_comes_before_a_second_one():
    every = [
        warning(
            f"Stop zolumycin if {sign} is seen on {place} while it is given.", f"5.{n // 2} Harm"
        )
        for n, (sign, place) in enumerate(
            [
                ("rash", "skin"),
                ("fever", "charts"),
                ("pallor", "lids"),
                ("jaundice", "eyes"),
                ("tremor", "hands"),
                ("ulcers", "lips"),
                ("swelling", "legs"),
                ("blood", "tissues"),
                ("shadow", "films"),
                ("redness", "palms"),
            ]
        )
    ]
    said = shown("Which side effects make me stop zolumycin?", every)
    assert len(said) == MOST_SHOWN
    assert {one.said for one in every[::2]} < {*said}


def test_what_is_monitored_is_taken_from_each_warning():
    advised = [
        warning("Monitor the blood pressure of every patient each week.", "5.1 Pressure"),
        warning("An ECG should be performed before the first dose of zolumycin.", "5.2 Heart"),
    ]
    others = [
        warning("Four Hours of Monitoring", "5.2 Heart"),
        warning("Patients were monitored weekly during the two large studies.", "5.3 Trials"),
    ]
    for question in (
        "What monitoring is needed on zolumycin?",
        "What should I monitor with zolumax?",
    ):
        assert shown(question, [*others, *advised]) == [one.said for one in advised]
    assert shown("What monitoring is needed if zolumycin is stopped?", advised) == []


def test_what_is_done_about_a_missed_dose_is_found_also_in_advice_for_patients():
    doses = label("Zolumycin 200 mg daily.", group="dosage")
    patients = label("If you miss a dose, take it as soon as you can.", group="patient_information")
    title = label("Tell patients what to do if a dose is missed.", group="patient_information")
    assert shown("Missed dose of zolumycin, what now?", [doses, title, patients]) == [patients.said]
    assert shown("Missed dose of zolumycin", [doses, patients]) == [patients.said]
    assert shown("Pt forgot a dose of zolumycin, advice?", [doses, patients]) == [patients.said]
    assert shown("Missed 3 doses of zolumycin, what now?", [doses, patients]) == []


@pytest.mark.parametrize(
    "question",
    [
        "What strengths does zolumycin come in?",
        "How many milligrams in zolumycin?",
        "What do zolumycin tablets look like?",
    ],
)
def test_the_strengths_of_a_product_are_a_section(question: str):
    form = label("Tablets: 25 mg and 50 mg, white.", group="dosage_forms")
    bottle = label("Bottles of 30: NDC 1234-567-30, 25 mg.", group="how_supplied")
    powder = label("A white powder; each tablet has 27 mg of the salt.", group="description")
    assert shown(question, [powder, bottle, form]) == [form.said]
    assert shown(question, [powder, bottle]) == [powder.said]
    assert shown("How many mg of zolumycin in a child?", [form]) == []


def test_what_undoes_a_drug_is_a_section_also_for_a_patient():
    given = label("Vitamin K reverses the effect of zolumycin.", group="overdosage")
    question = "Zolumycin, INR 9, massive bleed: what can be given for urgent reversal?"
    assert shown(question, [OVERDOSE, given]) == [given.said]
    assert shown("Antidote of zolumycin?", [OVERDOSE, given]) == [given.said]
    assert shown("Zolumycin bleed, what of reversing, or for reversing?", [OVERDOSE, given])
    assert shown("Is the rash of zolumycin reversible?", [OVERDOSE, given]) == []


def test_how_a_drug_is_stopped_slowly_is_a_section():
    slowly = label("Reduce the dose of zolumycin gradually over one week.", group="dosage")
    never = label("Zolumycin must not be stopped abruptly: it may cause fits.", group="warnings")
    other = label("Zolumycin may cause vertigo.", group="warnings")
    for question in ("How do I stop zolumycin?", "How should I taper zolumycin?"):
        assert shown(question, [never, other, slowly]) == [slowly.said]
        assert shown(question, [never, other]) == [never.said]


def test_what_is_not_given_with_a_drug_is_taken_from_each_heading():
    heads = ("7 Interactions",)
    forbidden = label("Velotrib with zolumycin is contraindicated.", group="contraindications")
    gout = label("Contraindicated in hypersensitivity to zolumycin.", group="contraindications")
    watched = [
        label(f"Monitor patients on {name}.", group="interactions", headings=(*heads, name))
        for name in ("antacids", "oestrogens")
    ]
    study = label("Levels were increased in two studies.", group="interactions", headings=heads)
    wanted = [one.said for one in (forbidden, *watched)]
    for question in (
        "Interactions of zolumycin",
        "Does zolumycin interact with other medicines?",
        "What medicines should not be taken with zolumycin?",
    ):
        assert shown(question, [gout, forbidden, study, *watched]) == wanted


def test_from_which_age_a_drug_is_given_is_a_section():
    never = label("Safety has not been established in pediatric patients.", group="dosage")
    old = label("Zolumycin was studied in people over 65 years.", group="specific_populations")
    assert shown("Youngest age for zolumycin?", [old, never]) == [never.said]


def test_who_cannot_swallow_asks_for_no_contraindications():
    bar = label("Zolumycin is contraindicated in gout.", group="contraindications")
    assert shown("Dose of zolumycin for a man who cannot swallow?", [bar]) == []
    assert shown("Who cannot have zolumycin?", [bar]) == [bar.said]


def test_what_a_product_is_for_says_nothing_of_a_route_that_it_is_not_for():
    only = label("Intramuscular route only.", group="dosage", routes=("intramuscular",))
    use = label("Zolumycin is indicated for TB.", group="indications", routes=("intramuscular",))
    assert shown("Can zolumycin for TB be given IV?", [use, only]) == []


@pytest.mark.parametrize(
    "question",
    ["What is zolumycin used for?", "Indications of zolumycin", "what is zolumax approved for"],
)
def test_what_a_drug_is_for_is_its_section_of_indications(question: str):
    assert shown(question) == [RESISTANCE.said, USE.said]


@pytest.mark.parametrize(
    "question",
    [
        "Is zolumycin indicated for pneumonia?",
        "Is zolumycin licensed for tuberculosis?",
        "Can zolumycin be used for tuberculosis?",
        "Is zolumycin any good against tuberculosis?",
        "zolumycin in cystic fibrosis: off-label?",
    ],
)
def test_whether_a_drug_is_for_a_disease_is_answered_by_what_it_is_for(question: str):
    assert USE.said in shown(question)


def test_of_many_indications_that_of_the_disease_asked_about_is_shown():
    uses = [label(" ".join(["indicated"] * 60) + f" {n}.", group="indications") for n in range(4)]
    assert USE.said in shown("Is zolumycin approved for pneumonia?", (*uses, USE))


@pytest.mark.parametrize(
    "question",
    ["Overdose of zolumycin: what to do?", "patient took too much zolumycin, management?"],
)
def test_how_an_overdose_is_managed_is_said_without_what_was_survived(question: str):
    assert shown(question) == [ANTIDOTE.said]


def test_an_overdose_is_answered_by_its_section():
    assert shown("zolumycin overdose") == [OVERDOSE.said, ANTIDOTE.said]


COMMON = label("The most common adverse reactions were rash and cough.", group="adverse_reactions")
RARE = label("One man fainted in a trial.", group="adverse_reactions")
COUGH = label("Adverse Reaction: Cough; Zolumycin (N=9): 40 %", group="adverse_reactions")
LIVER = label("Zolumycin can cause liver failure.", group="warnings")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("commonest side effects of zolumycin", [COMMON.said, COUGH.said]),
        ("What adverse reactions does zolumycin have?", [COMMON.said, COUGH.said]),
        ("What are the serious side effects of zolumycin?", [LIVER.said]),
        ("how often do adverse reactions to zolumycin occur when given by vein?", []),
    ],
)
def test_side_effects_in_general_are_those_that_the_label_counts(question: str, first: list[str]):
    assert shown(question, (RARE, COMMON, COUGH, LIVER)) == first


def test_how_a_drug_works_is_its_mechanism_of_action_only():
    assert shown("How does zolumycin work?") == [ACTION.said]


def test_of_a_long_section_what_states_it_is_shown_first():
    long = [label(" ".join(["word"] * 60) + f" {n}.", group="overdosage") for n in range(4)]
    assert ANTIDOTE.said in shown("zolumycin overdose", (*long, ANTIDOTE))


def test_a_drug_without_a_label_of_its_own_is_answered_by_that_of_its_combination():
    unlabelled = DrugLexicon({key: names for key, names in LABELS.items() if key != "rifampin"})
    assert shown("What is rifampin used for?", drugs=unlabelled) == [COMBINED.said]
    assert shown("rifampin overdose", drugs=unlabelled) == []
    assert shown("What is rifampin used for?") == []  # its own label is asked


@pytest.mark.parametrize(
    "question",
    [
        "Is zolumycin indicated in a 5 year old?",
        "What dose of zolumycin is used for pneumonia?",
        "contraindications of zolumycin",
        "What is used for pneumonia?",
    ],
    ids=["people", "dose", "contraindications", "no-drug"],
)
def test_a_narrowed_question_gets_no_whole_section(question: str):
    assert shown(question) == []


def test_that_a_label_lists_no_contraindications_is_said():
    none = label("None.", group="contraindications", unfit=("incomplete",))
    short = label("None ( 4 ).", group="contraindications")
    slots = read_slots("Who must not take zolumycin?", DRUGS)
    said = no_contraindications(slots, sources_of([none], DRUGS))
    assert said == 'The label of Invented text lists no contraindications ("None").'
    assert no_contraindications(slots, sources_of([none, short], DRUGS)) == said
    one = label("Zolumycin is contraindicated in gout.", group="contraindications")
    assert no_contraindications(slots, sources_of([none, one], DRUGS)) == ""
    other = read_slots("boxed warning of zolumycin", DRUGS)
    assert no_contraindications(other, sources_of([none], DRUGS)) == ""


def test_that_a_part_of_a_label_has_no_section_on_contraindications_is_said():
    warns = label("Zolumycin may harm the liver.", group="boxed_warning")
    sources = sources_of([warns], DRUGS)
    asked = read_slots("contraindications of zolumycin", DRUGS)
    said = no_contraindications(asked, sources)
    assert said.startswith("The text of Invented text here has no section on contraindications")
    others = read_slots("warnings of zolumycin", DRUGS)
    assert no_contraindications(others, sources) == ""


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("zolumycin in an 80-year-old", "8.5 Geriatric Use"),
        ("zolumycin for a child of 5 years", "8.4 Pediatric Use"),
        ("zolumycin with a creatinine clearance of 25 mL/min", "8.6 Renal Impairment"),
        ("zolumycin while breastfeeding", "8.2 Lactation"),
    ],
)
def test_a_subsection_is_titled_for_the_people_asked_about(question: str, heading: str):
    one = label("Studies did not include enough of them.", headings=("8 Use", heading))
    assert is_titled_for_them(read_slots(question, DRUGS), one)
    assert not is_titled_for_them(read_slots("dose of zolumycin", DRUGS), one)
    other = label("Studies did not include enough of them.", headings=("8 Use", "9 Abuse"))
    assert not is_titled_for_them(read_slots(question, DRUGS), other)


def test_a_subsection_may_have_its_title_in_its_text():
    said = "Renal Impairment The dose is as for other people."
    slots = read_slots("zolumycin with a creatinine clearance of 25 mL/min", DRUGS)
    assert is_titled_for_them(slots, label(said, headings=("8 Use", "8.6")))
    assert not is_titled_for_them(slots, label(said, headings=("8 Use", "8.6 Use in trials")))


def test_that_nothing_is_known_of_them_answers_a_question_on_their_dose():
    said = "Zolumycin was not studied in enough older people."
    question = read_slots("Does an elderly patient need a different dose of zolumycin?", DRUGS)
    titled = label(said, group="specific_populations", headings=("8 Use", "8.5 Geriatric Use"))
    assert is_fit(question, titled, DRUGS)
    assert not is_fit(question, label(said, headings=("5 Warnings",)), DRUGS)


def test_a_dose_for_two_groups_is_for_each_of_them():
    said = "10 mg daily is for most elderly patients and patients with hepatic impairment."
    question = read_slots("Dose of zolumycin for an 82-year-old", DRUGS)
    assert is_fit(question, label(f"Zolumycin {said}", group="dosage"), DRUGS)
    both = "Zolumycin 10 mg daily is for elderly patients with hepatic impairment."
    assert not is_fit(question, label(both, group="dosage"), DRUGS)


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("dose of zolumycin for the radical cure of malaria", False),
        ("dose of zolumycin for malaria prophylaxis", True),
    ],
)
def test_a_label_for_prevention_has_no_dose_for_a_cure(question: str, fits: bool):
    use = label("Zolumycin is indicated for the prophylaxis of malaria.", group="indications")
    dose = label("Take 200 mg of zolumycin weekly.", group="dosage")
    labels = LabelIndications(sources_of([use, dose], DRUGS))
    misfit = labels.misfit(read_slots(question, DRUGS), RankedStatement(dose, "label", 1.0, 1.0))
    assert (misfit is None) is fits


def test_a_table_for_those_over_15_is_not_for_children_in_general():
    row = "Body weight 55-70 kg: zolumycin 4 tablets daily."
    adults = label(row, group="dosage", caption="Doses (>15 years)", statement_kind="row")
    assert not is_fit(read_slots("dose of zolumycin in a child", DRUGS), adults, DRUGS)
    assert is_fit(read_slots("dose of zolumycin at 17 years and 60 kg", DRUGS), adults, DRUGS)


def test_a_label_without_indications_does_not_answer_what_it_is_for():
    slots = read_slots("Is zolumycin indicated for pneumonia?", DRUGS)
    assert asks_listed_use(slots)
    assert asked_section(slots, sources_of([OVERDOSE], DRUGS)) == []
    assert no_listed_use(slots) == "No label here lists what zolumycin is for."


def test_where_no_dose_is_for_them_the_label_s_words_on_them_are_shown():
    title = ("8 Use in specific populations", "8.4 Pediatric Use")
    children = label(
        "Safety and effectiveness in pediatric patients have not been established.",
        group="specific_populations",
        headings=title,
    )
    grown = label("Adults were studied.", group="specific_populations", headings=title)
    slots = read_slots("dose of zolumycin in a child", DRUGS)
    found = warnings_for_them(slots, [], sources_of([grown, children], DRUGS))
    assert [one.statement.said for one in found] == [children.said]


def test_a_refused_dose_comes_with_what_the_label_warns_such_patients_of():
    boxed = label(
        "Patients with creatinine clearance below 50 mL/min died more often.",
        group="boxed_warning",
    )
    hearing = label("Hearing loss has been reported.", group="boxed_warning")
    sources = sources_of([hearing, boxed], DRUGS)
    missing = "No dose of zolumycin in these sources."
    question = SimpleNamespace(text="zolumycin dose with creatinine clearance 40")
    found = warnings_for_them(read_slots(question.text, DRUGS), [], sources)
    assert [one.statement.said for one in found] == [boxed.said]
    in_general = SimpleNamespace(text="zolumycin dose")
    assert select_warnings(in_general, missing, sources).parts[0].statements == []


@pytest.mark.parametrize(
    ("said", "group", "is_shown"),
    [
        ("Zolumycin should not be used in newborns.", "contraindications", True),
        ("Rates were 0 per 1,000 in newborns.", "boxed_warning", False),
    ],
)
def test_a_warning_names_children_by_their_group_where_it_forbids(
    said: str, group: str, is_shown: bool
):
    slots = read_slots("zolumycin dose for a 3-week-old", DRUGS)
    found = warnings_for_them(slots, [], sources_of([label(said, group=group)], DRUGS))
    assert bool(found) is is_shown


def test_a_woman_who_nurses_is_breastfeeding():
    assert read_slots("zolumycin in a lady nursing a 3 month old", DRUGS).people.conditions
    assert not read_slots("zolumycin in a nursing home", DRUGS).people.conditions


@pytest.mark.parametrize(
    ("question", "routes", "is_led"),
    [
        ("Intravenous dose of zolumycin", ("intramuscular",), True),
        ("Is zolumycin given IV or only IM?", ("intramuscular",), True),
        ("Is zolumycin given IV and IM?", ("intramuscular",), False),
        ("Intramuscular dose of zolumycin", ("intramuscular",), False),
        ("Intravenous dose of zolumycin", ("intramuscular", "intravenous"), False),
        ("Dose of zolumycin injection", ("intramuscular",), False),
        ("Oral dose of zolumycin", ("intramuscular",), False),
        ("Can I run zolumycin as an IV infusion?", ("intramuscular",), True),
        ("May zolumycin be swallowed by mouth?", ("intramuscular",), True),
        ("Is zolumycin given by injection?", ("intramuscular",), False),
        ("Zolumycin injection: buttock or thigh?", ("intramuscular",), False),
    ],
)
def test_a_dose_by_an_injection_that_the_label_rules_out_is_led_by_that(
    question: str, routes: tuple[str, ...], is_led: bool
):
    only = label("For intramuscular use only.", group="dosage", routes=routes)
    dose = label("Give 1 g of zolumycin a day from the vial.", group="dosage", routes=routes)
    found = other_route_only(read_slots(question, DRUGS), sources_of([dose, only], DRUGS))
    assert [one.statement.said for one in found] == ([only.said] if is_led else [])


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("zolumycin dose for pneumonia", True),
        ("zolumycin dose for shingles", False),
        ("zolumycin dose", False),
    ],
)
def test_what_a_product_is_not_for_is_shown_where_that_is_asked_for(question: str, is_shown: bool):
    limit = label("Zolumycin should not be used for bacterial pneumonia.", group="warnings")
    other = label("Zolumycin is not known to cause pneumonia.", group="warnings")
    found = warnings_for_them(read_slots(question, DRUGS), [], sources_of([other, limit], DRUGS))
    assert [one.statement.said for one in found] == ([limit.said] if is_shown else [])


@pytest.mark.parametrize(
    "question", ["IT zolumycin dose", "zolumycin by the intrathecal route", "zolumycin, IT use?"]
)
def test_what_forbids_a_route_comes_with_the_harm_it_did(question: str):
    never = label("NOT FOR INTRATHECAL USE.", group="boxed_warning", routes=("intravenous",))
    harm = label("Paralysis followed intrathecal injection.", group="warnings",
                 routes=("intravenous",))  # fmt: skip
    dose = label("Give 12 mg of zolumycin.", group="dosage", routes=("intravenous",))
    slots = read_slots(question, DRUGS)
    found = route_forbidden(slots, sources_of([dose, harm, never], DRUGS))
    assert [one.statement.said for one in found] == [never.said, harm.said]
    for other in ("Is it zolumycin?", "IV zolumycin dose", "Where do I inject zolumycin?"):
        assert route_forbidden(read_slots(other, DRUGS), sources_of([harm, never], DRUGS)) == []


def test_each_route_that_is_asked_is_forbidden_in_its_own_words():
    into_vein = label(
        "Zolumycin goes into a vein. It must never be given intramuscularly.",
        group="boxed_warning",
        routes=("intravenous",),
    )
    never = label("NOT FOR INTRATHECAL USE.", group="boxed_warning", routes=("intravenous",))
    sources = sources_of([into_vein, never], DRUGS)
    asked = read_slots("Is zolumycin ok intrathecally or IM?", DRUGS)
    found = [one.statement.said for one in route_forbidden(asked, sources)]
    assert sorted(found) == sorted([into_vein.said, never.said])


def test_a_route_that_is_forbidden_comes_before_what_a_drug_is_for():
    use = label("Zolumycin is indicated for nerve blocks.", group="indications")
    never = label("Zolumycin is not to be used for subarachnoid administration.",
                  group="indications")  # fmt: skip
    sources = sources_of([use, never], DRUGS)
    slots = read_slots("Can zolumycin be used for spinal anaesthesia?", DRUGS)
    assert asked_section(slots, sources) == []
    assert [one.statement.said for one in route_forbidden(slots, sources)] == [never.said]
    wide = read_slots("What is zolumycin used for?", DRUGS)
    assert next(one.statement.said for one in asked_section(wide, sources)) == use.said


def test_a_dose_for_a_disease_comes_with_that_others_are_chosen_first():
    limit = label("Zolumycin is not a drug of first choice in pneumonia.", group="indications")
    sources = sources_of([limit], DRUGS)
    for question, shown in (
        ("zolumycin 500 mg for pneumonia, outpatient", [limit]),
        ("zolumycin 500 mg for shingles", []),
        ("Does zolumycin work in pneumonia?", []),
    ):
        found = label_warnings(read_slots(question, DRUGS), [], sources)
        assert [one.statement for one in found] == shown


def test_that_a_dose_was_not_studied_in_them_answers_where_doses_stand():
    unknown = label("Zolumycin has not been studied in patients over 60 years.", group="dosage")
    question = read_slots("Dose of zolumycin for a 67-year-old", DRUGS)
    assert is_fit(question, unknown, DRUGS)


def test_a_dose_for_a_weight_of_any_age_is_none_for_an_infant():
    any_age = label("30 kg or less: zolumycin 15 mg once daily.", group="dosage")
    of_infants = label("4 kg or less: zolumycin 2 mg once daily.", group="dosage")
    infant = read_slots("Zolumycin dose for an 8-month-old, 3.9 kg", DRUGS)
    child = read_slots("Zolumycin dose for a 4-year-old, 16 kg", DRUGS)
    assert not is_fit(infant, any_age, DRUGS)
    assert is_fit(infant, of_infants, DRUGS)
    assert is_fit(child, any_age, DRUGS)


def test_all_tests_that_a_list_names_before_treatment_are_shown():
    tests = [
        label(
            f"Obtain the following prior to treatment with ZOLUMAX: {own}",
            text=f"• {own}",
            statement_kind="item",
            group="dosage",
            headings=("2 Dosage", "2.1 Blood Tests Prior to Initiation"),
        )
        for own in ("A blood count.", "Liver tests.")
    ]
    (one,) = shown("What should I monitor with zolumycin?", tests)
    assert one.endswith("A blood count; Liver tests")


def test_what_is_checked_before_each_dose_is_a_section():
    checks = [
        label(said, group=group, headings=(group,))
        for said, group in (
            ("Perform an ECG prior to each dose.", "boxed_warning"),
            ("A blood count should be obtained before every infusion.", "dosage"),
            ("Measure weight yearly.", "dosage"),
        )
    ]
    asked = "What needs checking with zolumycin before every dose?"
    assert shown(asked, checks) == [one.said for one in checks[:2]]


def test_what_says_how_much_comes_first_where_that_is_asked():
    plain = [
        label(f"Zolumycin is tapered gradually {'by plans that differ ' * 20}{n}.", group="dosage")
        for n in range(2)
    ]
    figures = label("Taper zolumycin gradually by no more than 25 % every 2 weeks.", group="dosage")
    for asked in (
        "How do I taper zolumycin, how big is each drop?",
        "She wants off zolumycin: how fast do I bring it down?",
    ):
        assert shown(asked, [*plain, figures])[0] == figures.said


def test_an_empty_bottle_is_an_overdose_and_a_reversal_reaction_is_none():
    airway = label("Priorities are a protected airway and ventilation.", group="overdosage")
    asked = "22F drowsy, RR 6, empty bottle of her dad's zolumycin. What do we do now?"
    assert shown(asked, [airway, ANTIDOTE]) == [airway.said, ANTIDOTE.said]
    assert shown("Severe reversal reaction: zolumycin for how many weeks?", [ANTIDOTE]) == []


def test_which_bloods_need_monitoring_asks_for_all_that_is_watched():
    watched = label("Monitor blood counts during treatment with zolumycin.", group="warnings")
    assert shown("Which bloods need monitoring on zolumycin?", [watched]) == [watched.said]


def test_an_overdose_of_a_part_is_answered_by_what_a_combination_says_of_it():
    unlabelled = DrugLexicon({key: names for key, names in LABELS.items() if key != "rifampin"})
    both = ("isoniazid", "rifampin")
    of_part = label("Rifampin overdose is treated with charcoal.", *both, group="overdosage")
    of_other = label("Isoniazid overdose: give a vitamin.", *both, group="overdosage")
    assert shown("rifampin overdose", (of_other, of_part), drugs=unlabelled) == [of_part.said]

"""What is shown first for a finding in a patient: the statement for exactly that finding."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.fit.unmet import nothing_on_findings
from clinrag_core.answer.lead.deciding import deciding
from clinrag_core.answer.lead.finding_advice import finding_advice
from clinrag_core.answer.lead.finding_warnings import warned_of
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


STOP = label("Stop zolumycin at a QTcF interval of more than 500 ms.", group="warnings")
MONITOR = label("Monitor the QTcF in everybody on zolumycin.", group="warnings")
BOXED = label("G6PD deficiency: zolumycin must not be given.", group="boxed_warning")
DOSE = label("The dose is 300 mg daily.", group="dosage")
STUDY = label("QTcF above 500 ms was seen; zolumycin was stopped.", group="warnings",
              unfit=("narrative",))  # fmt: skip
OTHER = label("Avoid velotrib in G6PD deficiency.", "velotrib", group="contraindications")
LIVER = statement("Stop all anti-TB drugs if ALT exceeds five times the upper limit of normal.")
LACTATION = label("Avoid zolumycin when a breastfed child has G6PD deficiency.", group="warnings")
POTASSIUM = label("Hyperkalemia: zolumycin should be discontinued if it occurs.", group="warnings")
EVERY = [MONITOR, STOP, DOSE, STUDY, OTHER, BOXED, LIVER, LACTATION,
         POTASSIUM]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("28-year-old man on zolumycin. QTcF 520 ms. Continue?", [STOP, MONITOR]),
        ("What to do at a QTcF of 520 ms with zolumycin?", [STOP, MONITOR]),
        ("A man with QTcF 480 ms takes zolumycin. Continue?", [MONITOR]),
        ("A man with G6PD deficiency needs zolumycin. Dose?", [BOXED]),
        ("Zolumycin in G6PD deficiency?", [BOXED]),
        ("Patient on zolumycin, K 6.2 today. What should I do?", [POTASSIUM]),
        ("Patient on zolumycin, K 4.2 today. What should I do?", []),
        ("Patient with TB on rifampin, AST 8 times the upper limit. What now?", [LIVER]),
        ("Patient with TB on rifampin, AST twice normal. What now?", []),
        ("What is the dose of zolumycin?", []),
        ("Does zolumycin cause QT prolongation as a side effect?", []),
    ],
)
def test_advice_is_for_exactly_the_finding(question: str, expected: list, drugs) -> None:
    advice = finding_advice(read_slots(question, drugs), sources_of(EVERY, drugs))
    assert [one.statement.said for one in advice] == [one.said for one in expected]


@pytest.mark.parametrize(
    ("found", "is_injury"),
    [
        ("ALT 9 times normal", True),
        ("ALT 640", True),
        ("ALT is now 212", False),
        ("ALT 22", False),
        ("ALT 4 times normal", False),
        ("ALT 4 times normal, jaundiced", True),
        ("ALT 4 x ULN, bilirubin 3 x ULN", True),
        ("ALT 4 x ULN, bilirubin 1.2 x ULN", False),
    ],
)
def test_aminotransferases_that_are_high_enough_are_an_injury_of_the_liver(
    found: str, is_injury: bool, drugs: DrugLexicon
) -> None:
    injury = label("If liver injury is present, discontinue zolumycin.", group="warnings")
    slots = read_slots(f"29F on zolumycin, {found}. Does she get the next one?", drugs)
    shown = [one.statement.said for one in finding_advice(slots, sources_of([injury], drugs))]
    assert shown == ([injury.said] if is_injury else [])


@pytest.mark.parametrize(
    ("story", "harm"),
    [
        ("now dry cough and basal crackles", "If pulmonary reactions occur"),
        ("her left hand has gone clumsy", "At the first sign of PML"),
        ("he is not himself", "At the first sign of PML"),
        ("now a cough", ""),
        ("stretched to cut the PML risk", ""),
    ],
)
def test_a_story_is_read_as_the_harm_that_a_label_warns_of(
    story: str, harm: str, drugs: DrugLexicon
) -> None:
    lung, brain = (
        label(f"{words} zolumycin should be stopped.", group="warnings")
        for words in ("If pulmonary reactions occur", "At the first sign of PML")
    )
    slots = read_slots(f"62F on zolumycin for 9 months, {story}. Stop it?", drugs)
    found = finding_advice(slots, sources_of([lung, brain], drugs))
    assert [one.statement.said for one in found] == [f"{harm} zolumycin should be stopped."] * (
        len(harm) > 0
    )


def test_the_limit_of_a_drugs_own_label_comes_without_that_of_first_line_treatment(drugs) -> None:
    own = label("Stop bedaquiline if ALT exceeds eight times the upper limit.", "bedaquiline",
                group="warnings")  # fmt: skip
    case = read_slots("Patient with TB on bedaquiline, ALT 9 times the upper limit. Stop?", drugs)
    for members, expected in (([own, LIVER], [own]), ([LIVER], [LIVER])):
        found = finding_advice(case, sources_of(members, drugs))
        assert [one.statement for one in found] == expected


def test_a_low_cd4_count_is_advanced_disease_and_decides_no_dose(drugs: DrugLexicon) -> None:
    late = statement("In advanced HIV disease zolumycin should not be given twice weekly.")
    slots = read_slots("34M, CD4 40. Should zolumycin twice weekly go on?", drugs)
    assert {one.name for one in slots.findings} == {"cd4", "advanced_hiv"}
    assert not [o for o in misfits(slots, late, drugs) if o.slot == "people"]
    assert not read_slots("34M, CD4 40: which dose of zolumycin?", drugs).decides_on_finding


@pytest.mark.parametrize(
    ("found", "named"),
    [
        ("RR 9", "respiratory depression"),
        ("respiratory rate 6", "respiratory depression"),
        ("Mg 0.31", "hypomagnesemia"),
    ],
)
def test_a_value_out_of_range_is_the_condition_that_a_label_names(
    found: str, named: str, drugs: DrugLexicon
) -> None:
    advice = label(f"Zolumycin should be discontinued in {named}.", group="warnings")
    slots = read_slots(f"69M on zolumycin, {found}. Stop it?", drugs)
    shown = finding_advice(slots, sources_of([advice], drugs))
    assert [one.statement.said for one in shown] == [advice.said]
    well = read_slots("69M on zolumycin, RR 14, Mg 0.9. Stop it?", drugs)
    assert finding_advice(well, sources_of([advice], drugs)) == []


def test_a_low_bp_is_hypotension(drugs: DrugLexicon) -> None:
    held = label("Zolumycin should be withheld in hypotension.", group="warnings")
    for said in ("a low BP", "BP 82/40"):
        slots = read_slots(f"Septic with {said}, does her zolumycin carry on?", drugs)
        assert finding_advice(slots, sources_of([held], drugs))[0].statement.said == held.said


def test_two_drugs_may_be_asked_about_for_one_finding(drugs: DrugLexicon) -> None:
    slots = read_slots("Patient with G6PD deficiency: may I give zolumycin? And velotrib?", drugs)
    assert len(slots.drugs) == 2
    advice = finding_advice(slots, sources_of(EVERY, drugs))
    assert {one.statement.said for one in advice} >= {BOXED.said, OTHER.said}


@pytest.mark.parametrize(
    ("question", "decides"),
    [
        ("A man with gout needs zolumycin", True),
        ("Zolumycin at QTcF 520 ms", True),
        ("Does zolumycin cause gout?", False),
        ("Patient on zolumycin, no gout, is tired", False),
        ("Patient with sepsis: dose of zolumycin?", False),
        ("Zolumycin for patients with gout", False),
        ("HLA-B*5701 neg man, zolumycin?", False),
        ("HLA-B*5701 positive man, zolumycin?", True),
        ("Zolumycin for a man who cannot report numbness of his feet?", False),
        ("28-year-old man, zolumycin dose?", False),
    ],
)
def test_a_finding_decides_in_a_patient_or_with_a_figure(
    question: str, decides: bool, drugs: DrugLexicon
) -> None:
    assert read_slots(question, drugs).decides_on_finding is decides


def test_advice_is_shown_with_what_goes_on_about_these_patients(drugs: DrugLexicon) -> None:
    said = "Patients with CD4 counts below 100/mm³ should not take zolumycin once a week."
    first, again, after = (
        statement(said),
        statement(said, statement_kind="recommendation"),
        statement("These patients should take it daily."),
    )
    sources = sources_of([first, again, after], drugs)
    (advice, *_) = finding_advice(
        read_slots("HIV, CD4 60: how is zolumycin given?", drugs), sources
    )
    assert advice.statement.said == f"{said} {after.said}"


def test_what_goes_on_about_another_drug_is_not_joined(drugs: DrugLexicon) -> None:
    said = "Patients with CD4 counts below 100/mm³ should not take zolumycin once a week."
    every = [statement(said), statement("These patients should take velotrib 5 mg daily.")]
    slots = read_slots("HIV, CD4 60: how is zolumycin given?", drugs)
    (advice, *_) = finding_advice(slots, sources_of(every, drugs))
    assert advice.statement.said == said


def test_a_dose_for_everybody_does_not_fit_a_patient_with_a_finding(drugs: DrugLexicon) -> None:
    slots = read_slots("A man with G6PD deficiency needs zolumycin. Dose?", drugs)
    assert "people" in {one.slot for one in misfits(slots, DOSE, drugs)}
    assert "people" not in {one.slot for one in misfits(slots, BOXED, drugs)}


def test_without_advice_the_finding_is_named_as_measured(drugs: DrugLexicon) -> None:
    slots = read_slots("Woman with platelets 30,000 and gout on velotrib. Continue?", drugs)
    assert nothing_on_findings(slots) == (
        "Nothing in these sources says what to do for platelet count 30000 per mm³ and gout "
        "on velotrib."
    )


def test_a_question_on_when_is_not_answered_by_advice_on_a_finding(drugs: DrugLexicon) -> None:
    slots = read_slots(
        "Man with TB on rifampin, AST 8 times the upper limit. When is ART due?", drugs
    )
    assert finding_advice(slots, sources_of(EVERY, drugs)) == []


def test_what_to_do_with_the_other_drugs_comes_first_in_a_patient_on_several(drugs: DrugLexicon):
    boxed = label("Stop zolumycin at a QTcF above 500 ms.", group="boxed_warning")
    every = label(
        "Stop zolumycin and all other such drugs at a QTcF above 500 ms.", group="warnings"
    )
    sources = sources_of([boxed, every], drugs)
    both = read_slots("Woman on zolumycin and rifampin, QTcF 515 ms. Next step?", drugs)
    alone = read_slots("Woman on zolumycin, QTcF 515 ms. Next step?", drugs)
    assert finding_advice(both, sources)[0].statement.said == every.said
    assert finding_advice(alone, sources)[0].statement.said == boxed.said


def test_what_to_do_is_found_by_another_word_for_a_finding(drugs: DrugLexicon) -> None:
    row = statement(
        "Visual loss; Drug: ethambutol; Management: Stop ethambutol", statement_kind="row"
    )
    asked = "Week 6 of treatment. She says that she cannot see well. Halve the ethambutol?"
    found = finding_advice(read_slots(asked, drugs), sources_of([row], drugs))
    assert [one.statement.said for one in found] == [row.said]


ALONE = label("Do not give zolumycin at a CD4 count below 100/mm3.", group="dosage")
APART = label("At a CD4 count below 100/mm3 do not give ART at once.", group="dosage")


def test_a_cd4_count_decides_a_dose_only_where_a_sentence_on_the_drug_names_it(drugs) -> None:
    """When something else is begun at a CD4 count is no dose of the drug."""
    slots = read_slots("Man with HIV, CD4 40. Dose of zolumycin?", drugs)
    assert not slots.decides_on_finding
    advice = finding_advice(slots, sources_of([ALONE], drugs))
    assert [one.statement.said for one in advice] == [ALONE.said]
    assert finding_advice(slots, sources_of([APART], drugs)) == []


@pytest.mark.parametrize(
    ("question", "decides"),
    [
        ("Man with HIV, CD4 40: may he start zolumycin?", True),
        ("Man with HIV, CD4 40. Dose of zolumycin?", False),
        ("Man with HIV, CD4 40. Zolumycin with rifampin?", False),
        ("Man, trough 4 on zolumycin: go on?", False),
        ("Man, peak 40 on zolumycin: go on?", False),
        ("Man, peak 40 and QTc 520 on zolumycin: go on?", True),
    ],
)
def test_no_dose_turns_on_a_stage_and_nothing_on_the_level_of_the_drug(
    question: str, decides: bool, drugs: DrugLexicon
) -> None:
    assert read_slots(question, drugs).decides_on_finding is decides


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Patient with TB on rifampin, AST 8 times the upper limit. Rifampin dose?", []),
        ("Patient with TB, AST 8 times the upper limit. Stop rifampin?", [LIVER]),
        ("Patient with TB, AST 8 times the upper limit. Stop velotrib?", []),
    ],
)
def test_a_rule_for_all_drugs_of_the_field_is_for_these_alone(
    question: str, expected: list, drugs: DrugLexicon
) -> None:
    """What a guideline does with drugs against tuberculosis says nothing of another drug."""
    advice = finding_advice(read_slots(question, drugs), sources_of([LIVER], drugs))
    assert [one.statement.said for one in advice] == [one.said for one in expected]


def test_a_rule_for_the_infection_is_none_for_somebody_with_the_disease(drugs: DrugLexicon) -> None:
    rule = "Stop treatment if ALT exceeds five times the upper limit of normal."
    latent = statement(rule, headings=("Treatment of latent TB infection",))
    disease = statement("Stop all drugs if ALT exceeds three times the upper limit of normal.")
    sources = sources_of([latent, disease], drugs)
    ill = read_slots("Patient with TB on rifampin, AST 8 times the upper limit. What now?", drugs)
    assert [one.statement for one in finding_advice(ill, sources)] == [disease]
    infected = "Man on rifampin for latent TB, AST 8 times the upper limit. What now?"
    well = read_slots(infected, drugs)
    assert latent in [one.statement for one in finding_advice(well, sources)]


def test_what_is_done_with_every_drug_comes_before_what_a_finding_is_due_to(drugs) -> None:
    seen = statement("Optic neuritis was seen in two of them and led to all drugs being stopped.")
    stop = statement(
        "If linezolid is stopped in the first weeks, bedaquiline and pretomanid are discontinued."
    )
    ranked = [RankedStatement(one, "guideline", 5.0, 0.5) for one in (seen, stop)]
    question = (
        "Woman on BPaL with optic neuritis; linezolid is stopped. Do I carry on with bedaquiline "
        "and pretomanid?"
    )
    slots = read_slots(question, drugs)
    found = deciding(ranked, [], slots, sources_of([seen, stop], drugs))
    assert [one.statement.said for one in found] == [stop.said]
    assert "people" not in {one.slot for one in misfits(slots, stop, drugs)}
    other = read_slots("Woman on linezolid with optic neuritis: stop it?", drugs)
    assert not any(
        one.statement.said == stop.said
        for one in deciding(ranked, [], other, sources_of([seen, stop], drugs))[:1]
    )


def test_from_which_age_a_drug_is_given_comes_before_doses_by_weight(drugs) -> None:
    said = [
        "Zolumycin 33-50 kg: 500 mg.",
        "Zolumycin may be included in regimens of patients aged 18 years or more.",
    ]
    ranked = [RankedStatement(statement(one), "guideline", 5.0, 0.5) for one in said]
    sources = sources_of([one.statement for one in ranked], drugs)
    for question, shown in (
        ("Can a 15-year-old with TB get zolumycin?", [said[1]]),
        ("Zolumycin in a 15-year-old with TB on a longer regimen?", [said[1]]),
        ("Can a 25-year-old with TB get zolumycin?", []),
        ("15-year-old on zolumycin: is a hearing test needed?", []),
    ):
        found = deciding(ranked, [], read_slots(question, drugs), sources)
        assert [one.statement.said for one in found] == shown


def test_an_age_limit_does_not_hide_that_another_text_is_for_the_age_asked_about(drugs) -> None:
    said = [
        "Zolumycin should be included in regimens for patients aged 18 years or more.",
        "Zolumycin may also be included in regimens for patients aged 6-17 years.",
    ]
    ranked = [RankedStatement(statement(one), "guideline", 5.0, 0.5) for one in said]
    sources = sources_of([one.statement for one in ranked], drugs)
    ten = read_slots("Can a 10-year-old with TB get zolumycin?", drugs)
    assert deciding(ranked, [], ten, sources) == []
    five = read_slots("Can a 5-year-old with TB get zolumycin?", drugs)
    assert [one.statement.said for one in deciding(ranked, [], five, sources)] == said[1:]


def test_a_drug_that_contacts_of_resistant_disease_do_not_get_is_forbidden_first(drugs) -> None:
    said = [
        "Zolumycin prevents disease in contacts; the dose is 5 mg/kg.",
        "Zolumycin plus rifampin is not recommended for contacts of MDR-TB.",
        "Preventive zolumycin is not applicable for contacts of MDR-TB.",
    ]
    ranked = [RankedStatement(statement(one), "guideline", 5.0, 0.5) for one in said]
    sources = sources_of([one.statement for one in ranked], drugs)
    for question, shown in (
        ("Dose of zolumycin for household contacts of MDR-TB", [said[2], said[1]]),
        ("Dose of zolumycin for household contacts of TB", []),
        ("Dose of zolumycin for MDR-TB", []),
    ):
        found = deciding(ranked, [], read_slots(question, drugs), sources)
        assert [one.statement.said for one in found] == shown


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("burning feet on zolumycin", 1),
        ("Patient on zolumycin says colours look different. What do I do?", 2),
        ("Zolumycin in a patient with liver failure?", 0),
    ],
)
def test_of_a_drug_s_rows_the_one_that_manages_the_finding_leads(question: str, first: int, drugs):
    """Side effects in one cell are not what the next cell forbids."""
    rows = [
        "Drug: Zolumycin; Side-effects: burning of the feet, impaired vision; "
        "Contraindications: liver failure, optic neuritis; Interactions: None",
        "Side-effects: Burning sensation in the feet; Cause: Zolumycin; Management: Give "
        "velotrib, refer if it goes on.",
        "Side-effects: Visual impairment; Cause: Zolumycin; Management: Stop zolumycin.",
    ]
    section = [statement(one, statement_kind="row") for one in rows]
    advice = finding_advice(read_slots(question, drugs), sources_of(section, drugs))
    assert advice[0].statement.said == rows[first]


def test_who_is_infected_gets_the_limit_for_the_infection(drugs):
    infected = statement(
        "In latent TB stop the drugs if ALT exceeds five times the upper limit of normal."
    )
    question = "Patient with {} on rifampin, ALT 8 times the upper limit. What now?"
    for disease, expected in (("latent TB", infected), ("TB", LIVER)):
        slots = read_slots(question.format(disease), drugs)
        advice = finding_advice(slots, sources_of([LIVER, infected], drugs))
        assert [one.statement.said for one in advice] == [expected.said]


def test_who_takes_a_regimen_for_the_disease_gets_no_limit_for_the_infection(drugs) -> None:
    rule = "With symptoms, withhold drugs if ALT exceeds three times the upper limit of normal."
    latent = statement(rule, headings=("Treatment of latent TB infection",))
    disease = statement("ALT above three times the upper limit: all medications are stopped.")
    sources = sources_of([latent, disease], drugs)
    on_regimen = read_slots("3 weeks into RHZE, ALT 4x normal. Which drugs do I stop?", drugs)
    assert [one.statement for one in finding_advice(on_regimen, sources)] == [disease]
    on_drug = read_slots("45-year-old on rifampin for latent TB, ALT 8x normal. Hold it?", drugs)
    assert on_drug.facet("stage") == {"latent"}
    assert [one.statement for one in finding_advice(on_drug, sources)] == [latent]


def test_what_is_said_of_a_drug_that_nobody_takes_is_no_advice(drugs: DrugLexicon) -> None:
    pair = label("Avoid concomitant use of warfarin and zolumycin at a risk of bleeding.")
    own = label("Stop zolumycin at once if there is bleeding.", group="warnings")
    slots = read_slots("Bleeding on zolumycin, go on?", drugs)
    assert [one.statement for one in finding_advice(slots, sources_of([pair, own], drugs))] == [own]


def test_what_a_relative_had_is_found_in_no_patient(drugs: DrugLexicon) -> None:
    for text in (
        "Family history of deafness on aminoglycosides.",
        "His mother went deaf after one.",
    ):
        slots = read_slots(f"{text} Zolumycin?", drugs)
        assert [one.name for one in slots.findings] == ["inherited_ototoxicity"]


def test_heart_failure_is_found_in_a_patient(drugs: DrugLexicon) -> None:
    slots = read_slots("VAP, uncompensated heart failure, severe LVH. Zolumycin?", drugs)
    assert {one.name for one in slots.findings} == {"heart_failure", "ventricular_hypertrophy"}


def test_what_makes_no_difference_is_no_advice_to_stop(drugs: DrugLexicon) -> None:
    caution = statement(
        "Use zolumycin with caution in liver injury, even if alcohol is discontinued."
    )
    forbids = statement("Zolumycin is not recommended for those who have had liver injury.")
    slots = read_slots("Woman who had liver injury last year. May I give zolumycin?", drugs)
    advice = finding_advice(slots, sources_of([caution, forbids], drugs))
    assert advice[0].statement.said == forbids.said


def test_what_is_found_in_the_child_of_a_nursing_mother_is_not_hers(drugs: DrugLexicon) -> None:
    asked = "Zolumycin in a breastfeeding woman whose baby is jaundiced?"
    assert not read_slots(asked, drugs).findings
    assert read_slots("Zolumycin in a jaundiced woman?", drugs).findings


def test_a_dose_for_the_very_people_comes_before_that_for_a_finding(drugs: DrugLexicon) -> None:
    high = label("If the fasting glucose is above 200 mg/dL, the starting dose is 250 mg a day.",
                 group="dosage")  # fmt: skip
    old = label("If the patient is elderly or eats badly, give 100 mg of zolumycin once a day.",
                group="dosage")  # fmt: skip
    sources = sources_of([high, old], drugs)
    asked = "How much zolumycin in an 81-year-old, fasting glucose 240 mg/dL?"
    advice = finding_advice(read_slots(asked, drugs), sources)
    assert [one.statement.said for one in advice] == [old.said, high.said]
    young = "How much zolumycin in a 41-year-old, fasting glucose 240 mg/dL?"
    advice = finding_advice(read_slots(young, drugs), sources)
    assert [one.statement.said for one in advice] == [high.said]


EXCLUDED_FIRST = statement("TB disease must be excluded before the infection is treated.")


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("Positive IGRA and a cough for a month. Can I start rifampin?", True),
        ("Contact of TB with night sweats: rifampin for latent TB?", True),
        ("Positive IGRA, no cough or fever. Can I start rifampin?", False),
        ("A cough for a month. Can I start rifampin?", False),
    ],
)
def test_infection_is_not_treated_before_disease_is_excluded(
    question: str, leads: bool, drugs: DrugLexicon
) -> None:
    found = deciding([], [], read_slots(question, drugs), sources_of([EXCLUDED_FIRST], drugs))
    assert [one.statement for one in found] == ([EXCLUDED_FIRST] if leads else [])


def test_without_advice_what_labels_warn_of_in_those_with_the_finding_is_shown(drugs) -> None:
    warning = label("Hemolysis was seen in subjects with G6PD deficiency.", group="warnings")
    slots = read_slots("G6PD deficient teenager wants zolumycin. No problem?", drugs)
    sources = sources_of([warning, MONITOR, DOSE], drugs)
    assert not finding_advice(slots, sources)
    assert [one.statement for one in warned_of(slots, [], sources)] == [warning]


def test_core_antibodies_are_a_sign_of_hepatitis_b(drugs: DrugLexicon) -> None:
    slots = read_slots("Before zolumycin: HBsAg neg, anti-HBc pos. Go ahead?", drugs)
    assert [one.name for one in slots.findings] == ["hepatitis_b"]


def test_the_condition_under_which_alone_somebody_gets_a_drug_leads(drugs: DrugLexicon) -> None:
    only = statement("Infants should only receive zolumycin if there was a contact.")
    dose = statement("Children get zolumycin 10 mg/kg for 6 months.")
    ranked = [RankedStatement(one, "guideline", 1.0, 0.0) for one in (dose, only)]
    sources = sources_of([dose, only], drugs)
    for question, leads in (
        ("Baby of 8 months, nobody ill at home. Start zolumycin?", [only]),
        ("Adult, nobody ill at home. Start zolumycin?", []),
        ("Dose of zolumycin for a baby of 8 months", []),
    ):
        found = deciding(ranked, [], read_slots(question, drugs), sources)
        assert [one.statement for one in found] == leads


def test_what_is_watched_for_was_not_found(drugs: DrugLexicon) -> None:
    assert not read_slots("Patient on zolumycin. Watch for high or low sugars?", drugs).findings
    assert read_slots("Patient on zolumycin with low sugars. Stop?", drugs).findings


def test_without_advice_on_a_finding_what_is_said_of_the_pair_is_shown(drugs) -> None:
    pair = label("Velotrib raises the level of zolumycin.", group="interactions")
    slots = read_slots("Gout patient on velotrib needs zolumycin. Problem?", drugs)
    ranked = [RankedStatement(one, "label", 1.0, 0.0) for one in (DOSE, pair)]
    found = warned_of(slots, ranked, sources_of([DOSE, pair], drugs))
    assert [one.statement for one in found] == [pair]


def test_what_a_drug_does_with_a_third_one_is_no_advice_on_a_finding(drugs) -> None:
    row = label(
        "Drug(s): Amantadine; Recommendation: Avoid; Comments: Confusion was seen.",
        group="interactions",
    ).model_copy(update={"statement_kind": "row"})
    confused = label("Stop zolumycin in confusion.", group="warnings")
    slots = read_slots("Woman on velotrib, given zolumycin, is now confused.", drugs)
    found = finding_advice(slots, sources_of([row, confused], drugs))
    assert [one.statement for one in found] == [confused]


def test_until_which_value_a_treatment_goes_on_comes_before_what_others_do_at_it(drugs) -> None:
    until = label("Continue prophylaxis until the CD4 count is 200.", group="dosage")
    others = statement("At a CD4 count of less than 200 give velotrib to people with HIV.")
    sources = sources_of([others, until], drugs)
    for asked, first in (
        ("Had zolumycin, CD4 150. Can we stop the velotrib?", [until]),
        ("Had zolumycin, no cells counted. Can we stop the velotrib?", []),
    ):
        found = finding_advice(read_slots(asked, drugs), sources)
        assert [one.statement for one in found] == first


def test_hives_on_a_drug_are_hypersensitivity_to_it(drugs: DrugLexicon) -> None:
    slots = read_slots("Hives an hour after zolumycin. Can the next dose be given?", drugs)
    assert [one.name for one in slots.findings] == ["hypersensitivity"]


def test_advice_for_other_weeks_of_treatment_is_none(drugs: DrugLexicon) -> None:
    later, early = (
        label(f"Gout {when} the first 4 weeks: {what} zolumycin.", group="warnings")
        for when, what in (("after", "do not stop"), ("during", "stop"))
    )
    slots = read_slots("Patient on zolumycin, week 3, gout. Stop it?", drugs)
    found = finding_advice(slots, sources_of([later, early], drugs))
    assert [one.statement for one in found] == [early]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Day 10 of zolumycin: fever and rash. Go on?", {"rash", "hypersensitivity"}),
        ("Day 10 of zolumycin: rash, no fever. Go on?", {"rash"}),
        ("Day 10 of zolumycin: fever. Go on?", set()),
    ],
)
def test_a_rash_with_fever_may_be_a_hypersensitivity(question: str, names: set[str]):
    found = read_slots(question, DrugLexicon(LABELS)).findings
    assert {one.name for one in found} == names


def test_advice_on_the_second_occurrence_is_not_that_on_the_first(drugs: DrugLexicon) -> None:
    said = "For the {} occurrence of a QTcF above 500 ms withhold zolumycin."
    every = [label(said.format(n), group="dosage") for n in ("first", "second")]
    slots = read_slots("Man on zolumycin, second time: QTcF 520 ms. Stop for good?", drugs)
    found = finding_advice(slots, sources_of(every, drugs))
    assert [one.statement for one in found] == every[1:]


def test_a_reaction_that_goes_on_comes_before_an_earlier_one(drugs: DrugLexicon) -> None:
    earlier = label("After a prior rash zolumycin must not be given.", group="contraindications")
    now = label("Stop zolumycin at once if a rash is seen.", group="boxed_warning")
    slots = read_slots("Man on zolumycin has a rash. Keep the zolumycin going?", drugs)
    first, *_ = finding_advice(slots, sources_of([earlier, now], drugs))
    assert first.statement == now


def test_what_is_recommended_against_decides_on_a_finding(drugs: DrugLexicon) -> None:
    against = statement("We suggest against velotrib at platelets below 50,000/mm³ with TB.")
    slots = read_slots("TB, platelets 28,000. Give velotrib?", drugs)
    (found,) = finding_advice(slots, sources_of([against], drugs))
    assert found.statement == against


@pytest.mark.parametrize(
    ("question", "is_led"),
    [
        ("Week 5 of rifampin, confused. What do I do?", True),
        ("Confused on velotrib, week 5. What do I do?", False),
        ("Burning feet on rifampin. What do I do?", False),
    ],
)
def test_a_row_says_what_is_done_on_the_harm_of_the_drug_that_it_names(question, is_led, drugs):
    row = statement(
        "Side effect: Mental confusion; Drug: rifampin; Management: give more of a vitamin",
        statement_kind="row",
    )
    found = finding_advice(read_slots(question, drugs), sources_of([row], drugs))
    assert [one.statement for one in found] == [row] * is_led


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Child with phenylketonuria: zolumycin powder?", "Avoid it in phenylketonuria."),
        ("On zolumycin, bruises easily. Stop it?", "Stop it in thrombocytopenia."),
        ("On zolumycin, now shingles. Carry on?", "Consider withholding it in herpes zoster."),
        (
            "Two minutes after the injection of zolumycin she had a tight chest. Again tomorrow?",
            "Stop it after anaphylaxis.",
        ),
    ],
)
def test_a_harm_in_other_words_is_found(question, said, drugs):
    advice = label(f"Zolumycin: {said}", group="warnings")
    found = finding_advice(read_slots(question, drugs), sources_of([advice], drugs))
    assert [one.statement for one in found] == [advice]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Zolumycin today, but she has a UTI, started on antibiotics. Go ahead?", True),
        ("UTI: which dose of zolumycin?", False),
    ],
)
def test_an_infection_treated_otherwise_delays_a_drug(question, expected, drugs):
    advice = label("Delay zolumycin administration during an active infection.", group="warnings")
    other = label(
        "Zolumycin is contraindicated in active HBV infection.", group="contraindications"
    )
    found = finding_advice(read_slots(question, drugs), sources_of([other, advice], drugs))
    assert [one.statement for one in found] == [advice] * expected


def test_the_interval_for_a_level_comes_before_that_levels_are_watched(drugs):
    watched = label("Watch trough levels of zolumycin and adjust the dose.", group="dosage")
    longer = label("Extend the dosing interval at a trough of 3 mg/L or more.", group="dosage")
    slots = read_slots("The zolumycin trough has come back 4.1. What do I change?", drugs)
    found = finding_advice(slots, sources_of([watched, longer], drugs))
    assert found[0].statement is longer


def test_the_rule_for_as_many_missed_doses_comes_before_what_is_monitored(drugs) -> None:
    few = label("If fewer than 4 doses are missed, resume zolumycin.", group="dosage")
    many = label("If 4 or more doses are missed, begin with day 1.", group="dosage")
    sources = sources_of([few, many, MONITOR, STOP], drugs)
    for missed, expected in ((5, [many, STOP, MONITOR]), (2, [few, STOP, MONITOR])):
        case = f"28-year-old man on zolumycin, {missed} doses missed. QTcF 520 ms. Go on?"
        found = finding_advice(read_slots(case, drugs), sources)
        assert [one.statement for one in found] == expected


def test_to_what_a_dose_is_cut_is_advice_and_how_many_had_it_is_none(drugs) -> None:
    counted = label("In all 53 (49%) had neuropathy and zolumycin was stopped.", group="warnings")
    cut = label("Dose reduction to 600 mg was permitted for neuropathy.", group="dosage")
    asked = "A man of 61 on zolumycin has peripheral neuropathy. Can it be cut down?"
    found = finding_advice(read_slots(asked, drugs), sources_of([counted, cut], drugs))
    assert [one.statement for one in found] == [cut]


def test_the_row_of_the_society_named_comes_before_those_of_others(drugs: DrugLexicon) -> None:
    rows = [
        statement(f"Authority: {body}; If DILI recurs: Stop; Drugs to start: {first}",
                  statement_kind="row")
        for body, first in (("XRS, WWO", "all drugs"), ("ZTS", "rifampin"), ("VTS", "ethambutol"))
    ]  # fmt: skip
    sources = sources_of(rows, drugs)

    def shown(question: str) -> list[str]:
        return [one.statement.said for one in finding_advice(read_slots(question, drugs), sources)]

    named = "after drug hepatitis on TB treatment, which drug first per ZTS?"
    assert shown(named) == [rows[1].said]
    assert shown(named.replace("ZTS", "them")) == [rows[0].said]  # the only one for all drugs


@pytest.mark.parametrize(
    "said",
    [
        "On the regimen for isoniazid-resistant TB people with heavy alcohol use are seen monthly.",
        "Latent infection: rifampin with pyrazinamide is used with caution in alcohol use.",
    ],
    ids=["other-strains", "infection"],
)
def test_what_is_for_other_strains_or_the_infection_is_no_advice_to_the_ill(said, drugs) -> None:
    sources = sources_of([statement(said)], drugs)
    slots = read_slots("Alcoholic with smear positive TB, what can I give?", drugs)
    assert finding_advice(slots, sources) == []


COUNT = label("Platelets below 25,000: withhold zolumycin until 50,000.", group="warnings")
OF_KIND = label("Stop zolumycin for autoimmune thrombocytopenia.", group="dosage")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Zolumycin week 5, platelets 12, autoimmune says the specialist. Go on?", OF_KIND),
        ("Zolumycin week 5, platelets 12. Go on?", COUNT),
    ],
)
def test_advice_on_the_very_kind_of_a_finding_comes_first(question, first, drugs):
    sources = sources_of([COUNT, OF_KIND], drugs)
    advice = finding_advice(read_slots(question, drugs), sources)
    assert advice[0].statement.said == first.said

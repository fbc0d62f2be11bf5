"""The question gate on the drug: owner of a figure, product, partner, class and regimen.

Every rule is tested in both directions: a gate that drops the right statement leaves a clinician
without an answer, one that passes a wrong one shows a dose that is not theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.gate_checks import check_fit, check_misfit, check_qualifier, found_misfits
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.pairs import names_drug
from clinrag_core.answer.fit.question_gate import is_fit, misfits
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

if TYPE_CHECKING:
    from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


DOSE = "What is the dose of zolumycin?"
FITS: list[tuple[str, str, IndexedStatement]] = [
    (
        "what-a-label-lists-besides-its-drug",
        "zolumycin with isoniazid?",
        label("Can be coadministered with zolumycin: isoniazid, rifampin.", group="interactions"),
    ),
    (
        "treatment-of-tuberculosis-for-its-regimen",
        "A woman with leprosy starts RHZE. What happens to her monthly rifampin?",
        statement("On treatment for leprosy leave rifampin out while the TB regimen has it."),
    ),
    (
        "first-line-treatment-is-its-letters",
        "The smear is positive on RHZE, what next?",
        statement("Smear-positive: continue with first-line treatment and repeat it."),
    ),
    (
        "harm-of-a-drug-of-the-regimen",
        "On BPaL the haemoglobin falls. When is linezolid cut?",
        statement("A fall of the haemoglobin by a tenth should lower linezolid."),
    ),
    (
        "other-agents-of-the-combination",
        "Rifampin had to be stopped, carry on zolumycin alone?",
        label("If the other agents used in combination with zolumycin are stopped, stop it."),
    ),
    (
        "class-in-guideline",
        "rifabutin twice weekly with HIV?",
        statement("Rifamycins are not given twice weekly to people with HIV."),
    ),
    (
        "class-by-its-initials",
        "Can a woman who is pregnant have lisinopril?",
        statement("ACEIs are not given to women who are pregnant."),
    ),
    (
        "class-within-another",
        "Can he have spironolactone?",
        statement("Aldosterone antagonists should be stopped before surgery."),
    ),
    (
        "change-of-both",
        "Switching from apixaban to warfarin: when is apixaban stopped?",
        label("When apixaban is converted to warfarin, stop it after 3 days.", "warfarin"),
    ),
    (
        "change-of-a-class",
        "Switching from apixaban to warfarin: when is warfarin started?",
        label("For conversion from other anticoagulants to warfarin see their text.", "warfarin"),
    ),
    (
        "regimen-with-another-drug",
        "how many RHZ tablets plus ethambutol",
        statement("RHZ 75/50/150: 2 tablets; E 100: 2 tablets", caption="RHZ per day"),
    ),
    ("named-drug", DOSE, statement("Give zolumycin 300 mg once daily.")),
    (
        "with-the-very-partner",
        "34M stable on efavirenz, has TB, so plan rifabutin. Usual 300 mg?",
        statement("Rifabutin is 450 mg daily in patients taking efavirenz."),
    ),
    (
        "whoever-is-kept-from-a-part",
        "Pregnant, can she have BPaLM?",
        statement("Pregnant women are ineligible for bedaquiline, pretomanid and linezolid."),
    ),
    (
        "whom-it-is-not-for-whatever-it-is-given-with",
        "Pneumonia just found. Start velotrib with rifampin?",
        label("Not recommended in bacterial pneumonia.", "velotrib", group="indications"),
    ),
    ("label-names-no-drug", DOSE, label("The usual dose is 300 mg once daily.")),
    ("brand", "zolumax dose", label("Take 300 mg once daily.")),
    (
        "drug-in-run-in-label",
        DOSE,
        statement("300 mg once daily for six weeks.", run_in="Zolumycin:"),
    ),
    ("drug-in-heading", DOSE, statement("Give 300 mg once daily.", headings=("Zolumycin",))),
    ("drug-in-caption", DOSE, statement("Adults: 300 mg daily", caption="Doses of zolumycin")),
    (
        "own-figure-of-two",
        "dose of isoniazid",
        statement("Give isoniazid 300 mg and rifampin 600 mg every day."),
    ),
    (
        "owner-of-row",
        "dose of isoniazid",
        statement("Drug: Isoniazid; Dose: 10 mg/kg; Interactions: phenytoin, rifampin"),
    ),
    (
        "figure-before-its-drug",
        "dose of isoniazid",
        statement("600 mg of rifampin and 300 mg of isoniazid are given daily."),
    ),
    (
        "partner-does-not-own",
        DOSE,
        label("When taken with rifampin, give zolumycin 450 mg twice daily.", group="dosage"),
    ),
    (
        "combination-asked",
        "Dose of rifazol",
        label("Take two tablets daily.", "rifampin", "zolumycin"),
    ),
    (
        "combination-asked-by-parts",
        "dose of rifampin/zolumycin",
        label("Take two tablets daily.", "rifampin", "zolumycin"),
    ),
    (
        "part-named-in-combination-label",
        "Is isoniazid toxic to the liver?",
        label("Isoniazid may injure the liver.", "isoniazid", "rifampin"),
    ),
    (
        "pair-in-label-of-one",
        "velotrib with rifampin",
        label("Do not use together with rifampin.", "velotrib"),
    ),
    (
        "pair-in-label-of-other",
        "velotrib with zolumycin",
        label("Zolumycin lowers the level of velotrib.", "zolumycin"),
    ),
    (
        "partner-by-effect",
        "velotrib with rifampin",
        label("Strong CYP3A inducers are contraindicated.", "velotrib"),
    ),
    (
        "partner-by-class",
        "velotrib with rifampin",
        label("Rifamycins must not be used at the same time.", "velotrib"),
    ),
    (
        "regimen-by-letters",
        "Can pregnant women take 3HP?",
        statement("3HP is not advised during pregnancy."),
    ),
    (
        "regimen-by-drugs",
        "What is the dose of 3HP?",
        statement("Isoniazid 15 mg/kg and rifapentine 900 mg are taken once a week for latent TB."),
    ),
    (
        "no-drug-asked",
        "How long is the continuation phase of TB treatment?",
        statement("The continuation phase lasts four months."),
    ),
    (
        "class-member",
        "Which patients with TB should get corticosteroids?",
        statement("Dexamethasone is given in tuberculous meningitis."),
    ),
]
MISFITS: list[tuple[str, str, IndexedStatement, str]] = [
    (
        "what-a-label-lists-besides-its-drug-is-on-no-pair-of-these",
        "rifampin with isoniazid?",
        label("Can be coadministered with zolumycin: isoniazid, rifampin.", group="interactions"),
        "partner",
    ),
    (
        "class-that-the-own-one-is-within",
        "Can he have spironolactone?",
        statement("Diuretics should be stopped before surgery."),
        "subject",
    ),
    (
        "class-of-another-field-without-advice",
        "Does amlodipine cause swelling?",
        statement("Vessels are widened by CCBs and by heat."),
        "subject",
    ),
    (
        "change-of-another-drug",
        "Switching from apixaban to warfarin: when is apixaban stopped?",
        label("Converting heparin to warfarin: stop heparin after 5 days.", "warfarin"),
        "aspect",
    ),
    (
        "other-agents-stopped-are-no-pair",
        "Can rifampin be given together with zolumycin?",
        label("If the other agents used in combination with zolumycin are stopped, stop it."),
        "subject",
    ),
    (
        "dose-of-a-drug-by-itself-for-a-regimen",
        "dose of linezolid in BPaL",
        statement("Linezolid 300 mg daily."),
        "subject",
    ),
    (
        "a-class-of-one-of-two-drugs-that-are-no-companions",
        "A rifapentine/moxifloxacin regimen: how many mg of each a day?",
        statement("Rifamycin-based therapy is given daily or three times a week."),
        "subject",
    ),
    (
        "kept-from-two-drugs-of-four",
        "RHZE in alcoholism?",
        statement("Rifampin with pyrazinamide is not recommended in alcoholism."),
        "subject",
    ),
    (
        "with-another-partner",
        "34M stable on efavirenz, has TB, so plan rifabutin. Usual 300 mg?",
        statement("Rifabutin is 150 mg daily in patients taking ritonavir."),
        "partner",
    ),
    (
        "tablets-of-another-combination",
        "can I give Rifazol to a 9 year old?",
        statement(
            "Weight: 16-24 kg; Rifampin and zolumycin (fixed-dose): 4 tablets",
            statement_kind="row",
        ),
        "product",
    ),
    (
        "regimen-with-more-drugs",
        "how many doses has 4R",
        statement("Regimen: 3HR: isoniazid and rifampin; Doses: 90", statement_kind="row"),
        "subject",
    ),
    (
        "usual-dose-for-the-high-dose",
        "dose of high-dose isoniazid",
        statement("Isoniazid 5 mg/kg daily, maximum 300 mg."),
        "product",
    ),
    (
        "class-that-people-take-already",
        "Which patients with TB should get corticosteroids?",
        statement("People who are receiving a systemic corticosteroid."),
        "subject",
    ),
    (
        "figure-of-another-drug-for-an-unknown-one",
        "What is the dose of perfluzone?",
        statement("Nothing is known of perfluzone. Isoniazid is given at 300 mg daily."),
        "subject",
    ),
    ("other-drug", DOSE, statement("Give velotrib 600 mg daily."), "subject"),
    ("nobody", DOSE, statement("Maximum dose: 600 mg"), "subject"),
    (
        "other-drug-under-the-heading",
        DOSE,
        statement("Velotrib 600 mg is added daily.", headings=("Zolumycin",)),
        "subject",
    ),
    (
        "other-drugs-figure",
        "dose of isoniazid",
        statement("Isoniazid may cause neuropathy: give pyridoxine 25 mg daily."),
        "subject",
    ),
    ("other-label", DOSE, label("Zolumycin raises the level: 50 mg daily.", "velotrib"), "subject"),
    (
        "other-label-without-figure",
        "side effects of zolumycin",
        label("Nausea is common.", "velotrib"),
        "subject",
    ),
    (
        "partners-figure",
        "dose of velotrib",
        label("Zolumycin 300 mg was given to volunteers taking velotrib.", "zolumycin"),
        "subject",
    ),
    ("animals", DOSE, label("Rats received 300 mg/kg of zolumycin."), "subject"),
    (
        "another-class",
        "Who gets corticosteroids in TB?",
        label("Take with food.", "velotrib"),
        "subject",
    ),
    (
        "resistance-is-no-drug",
        "dose of rifampin",
        statement("Rifampin-resistant TB: 600 mg daily."),
        "subject",
    ),
    (
        "dose-of-the-class",
        "dose of rifabutin",
        statement("Rifamycins are given at 600 mg daily."),
        "subject",
    ),
    (
        "the-same-drugs-for-other-months",
        "1HP doses",
        statement("Isoniazid and rifapentine; 3 months; 900 mg; once weekly."),
        "subject",
    ),
    (
        "the-same-letters-with-another-number",
        "1HP doses",
        statement("The 3HP regimen is isoniazid and rifapentine 900 mg once weekly."),
        "subject",
    ),
    ("regimen-of-others", "Can adults take 3HP?", statement("Rifampin is taken daily."), "subject"),
    (
        "combination-for-single",
        "dose of rifampin",
        label("Take five tablets daily.", "rifampin", "zolumycin"),
        "product",
    ),
    (
        "two-combinations-for-single",
        "dose of rifampin",
        statement("Amoxicillin-clavulanate 875 mg, or rifazol 4 tablets"),
        "product",
    ),
    (
        "combination-for-single-in-guideline",
        "dose of amoxicillin",
        statement("Amoxicillin-clavulanate 875 mg is taken twice daily."),
        "product",
    ),
    ("single-for-combination", "dose of rifazol", label("600 mg daily.", "rifampin"), "product"),
    (
        "fixed-dose-tablets",
        "dose of rifampin",
        statement("Rifampin is in the fixed-dose combination: 4 tablets daily."),
        "product",
    ),
    (
        "whom-it-is-not-for-where-the-pair-is-asked",
        "can velotrib be given with rifampin?",
        label("Not recommended in bacterial pneumonia.", "velotrib", group="indications"),
        "partner",
    ),
    (
        "partner-not-named",
        "velotrib with rifampin",
        label("Take 50 mg once daily.", "velotrib"),
        "partner",
    ),
    (
        "dose-without-partner",
        "velotrib dose with rifampin",
        label("The usual dose is 50 mg once daily.", "velotrib"),
        "partner",
    ),
]
QUALIFIERS: list[tuple[str, str, IndexedStatement]] = [
    (
        "high-dose-for-the-usual-dose",
        "dose of isoniazid",
        statement("High-dose isoniazid: 16 to 20 mg/kg daily"),
    ),
    ("with-opens-the-sentence", DOSE, label("With rifampin, raise the dose to 450 mg daily.")),
    ("with-another-drug", DOSE, label("Coadministered with velotrib: zolumycin 100 mg daily.")),
]


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in FITS], ids=[case[0] for case in FITS]
)
def test_right_statements_are_not_lost(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    check_fit(question, quoted, drugs)


@pytest.mark.parametrize(
    ("question", "quoted", "slot"),
    [case[1:] for case in MISFITS],
    ids=[case[0] for case in MISFITS],
)
def test_other_statements_are_dropped_by_the_slot_that_misfits(
    question: str, quoted: IndexedStatement, slot: str, drugs: DrugLexicon
) -> None:
    check_misfit(question, quoted, slot, drugs)


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in QUALIFIERS], ids=[case[0] for case in QUALIFIERS]
)
def test_a_special_case_may_qualify_an_answer_but_not_be_it(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    check_qualifier(question, quoted, drugs)


def test_a_class_of_another_field_is_no_name_of_its_drug(drugs) -> None:
    said = statement("CCBs should not be given in heart block.")
    near = RankedStatement(said, "guideline", 1.0, 1.0)
    assert not names_drug(read_slots("Amlodipine in heart block?", drugs), near, drugs)
    assert names_drug(read_slots("Which drugs in heart block?", drugs), near, drugs)
    assert names_drug(read_slots("Rifampin in heart block?", drugs), near, drugs)


def test_the_dose_of_a_drug_that_no_table_knows_is_said_of_it_by_name(drugs) -> None:
    slots = read_slots("What is the dose of perfluzone?", drugs)
    assert [m.slot for m in misfits(slots, label("The dose is 30 mg daily."), drugs)] == ["subject"]
    assert misfits(slots, statement("Perfluzone is given at 600 mg daily."), drugs) == ()


def test_a_bracket_of_many_numbers_is_read_in_linear_time(drugs: DrugLexicon) -> None:
    """A nested repeat took a minute for one such sentence, and an answer with it."""
    numbers = ", ".join(map(str, range(100, 160)))
    said = f"Zolumycin 300 mg daily was studied in several trials ({numbers}; see the annex)."
    check_fit("What is the dose of zolumycin?", statement(said), drugs)


def test_inhibitors_of_something_else_than_enzymes_do_not_name_a_partner(drugs) -> None:
    question = "Does zolumycin interact with ritonavir?"
    ace = label("Angiotensin converting enzyme (ACE) inhibitors raise the response.")
    check_misfit(question, ace, "partner", drugs)
    for said in ("Avoid strong CYP3A4 inhibitors.", "Avoid inhibitors of CYP3A4."):
        check_fit(question, label(said), drugs)


def test_a_dose_that_did_harm_is_not_the_dose(drugs) -> None:
    harm = label("Seizures followed zolumycin 900 mg daily.", group="warnings")
    found = found_misfits("What is the dose of zolumycin?", harm, drugs)
    assert "aspect" in {one.slot for one in found}
    check_fit(
        "What is the dose of zolumycin in dialysis?",
        label("In dialysis give zolumycin 100 mg daily.", group="warnings"),
        drugs,
    )


def test_a_question_on_missed_doses_is_answered_by_what_is_said_of_these(drugs) -> None:
    question = "She forgot zolumycin for 4 days, can she go on at 300 mg?"
    check_qualifier(question, label("Take zolumycin 300 mg daily."), drugs)
    check_fit(question, label("If 4 doses are missed, begin again at 100 mg daily."), drugs)


def test_a_question_without_a_drug_is_answered_by_what_omits_that_one(drugs) -> None:
    question = "Which children can be treated without zolumycin?"
    check_fit(question, label("Zolumycin may be omitted in children with little disease."), drugs)
    other = label("In children rifampin may be omitted and zolumycin given.")
    assert not is_fit(read_slots(question, drugs), other, drugs)


def test_a_row_gives_a_regimen_by_the_letters_of_its_columns(drugs) -> None:
    said = "Weight: 12-15 kg; First phase – RHZ – 75/50/150: 3 tablets; First phase – E – 100 mg: 3"
    slots = read_slots("RHZE for a child of 14 kg, how many tablets?", drugs)
    assert is_fit(slots, statement(said, statement_kind="row"), drugs)
    assert not is_fit(slots, statement(said.replace("E", "S"), statement_kind="row"), drugs)


def test_a_high_dose_for_what_was_found_is_the_dose_asked_for(drugs) -> None:
    high = statement("In case of neuropathy a high dose of zolumycin, up to 200 mg, is given.")
    check_fit("Max zolumycin per day for established INH neuropathy?", high, drugs)
    asked = read_slots("Maximum of zolumycin a day?", drugs)
    assert "product" in {one.slot for one in misfits(asked, high, drugs)}


def test_a_row_for_as_many_missed_doses_fits(drugs) -> None:
    row = label("Dose(s) missed: 3 or more weekly doses; how to replace: take 2 tablets daily.")
    check_fit("Traveller missed 3 weekly zolumycin doses, how to catch up?", row, drugs)


def test_how_to_go_on_after_as_many_missed_doses_needs_no_dose(drugs) -> None:
    go_on = label("If fewer than 4 doses are missed: go on with the maintenance dosage.")
    check_fit("She missed 2 maintenance doses of zolumycin, what now?", go_on, drugs)
    check_misfit("She missed 6 maintenance doses of zolumycin, what now?", go_on, "aspect", drugs)


def test_what_no_label_is_of_is_taken_with_a_drug_as_well(drugs) -> None:
    apart = label("Take zolumycin 2 hours before calcium or iron.", group="interactions")
    check_fit("Zolumycin with iron tablets: how many hours apart?", apart, drugs)
    check_qualifier("Zolumycin: how many hours apart?", apart, drugs)


def test_a_harm_of_the_very_pair_is_not_left_out_for_the_disease_of_a_patient(drugs) -> None:
    harm = label(
        "Depression was seen where zolumycin was given with morphine.", group="interactions"
    )
    check_fit("Zolumycin plus morphine in COPD, risk?", harm, drugs)
    use = label("In depression zolumycin is given with morphine.", group="indications")
    check_misfit("Zolumycin plus morphine in COPD, risk?", use, "indication", drugs)


def test_what_is_done_after_an_overdose_of_a_product_is_for_each_of_its_drugs() -> None:
    names = ("velotrib and zolumycin", "velotrib", "zolumycin")
    both = DrugLexicon({"velotrib and zolumycin": names})
    wash = label("The stomach is washed out.", "velotrib", "zolumycin", group="overdosage")
    check_fit("Zolumycin overdose: wash out the stomach?", wash, both)
    dose = label("Two tablets are taken.", "velotrib", "zolumycin", group="dosage")
    check_misfit("How many tablets of zolumycin?", dose, "product", both)


def test_a_product_that_names_one_of_its_drugs_may_name_the_class_of_the_other_drug() -> None:
    lexicon = DrugLexicon({"rifampin and isoniazid": ("rifampin and isoniazid",)})
    row = label("Hormonal contraceptives: use another method during rifampin: progestins",
                "rifampin", "isoniazid", group="interactions")  # fmt: skip
    check_fit("Depo-Provera while on rifampin: does it work?", row, lexicon)


def test_of_two_drugs_somebody_takes_one_may_decide_unless_a_dose_is_asked(drugs) -> None:
    one = label("Zolumycin is not recommended with rifampin.", group="interactions")
    check_fit("On rifampin, on velotrib too. How far apart from zolumycin?", one, drugs)
    dose = label("With rifampin zolumycin is 200 mg daily.", group="dosage")
    check_misfit("Zolumycin dose with rifampin and velotrib?", dose, "partner", drugs)


def test_of_a_pair_alone_what_one_does_with_a_third_is_no_answer(drugs) -> None:
    third = label("Zolumycin must not be given with isoniazid.", group="contraindications")
    check_misfit("Patient on velotrib. Can she have zolumycin with it?", third, "partner", drugs)
    own = label("Zolumycin must not be given with velotrib.", group="contraindications")
    check_fit("Patient on velotrib. Can she have zolumycin with it?", own, drugs)


def test_the_label_of_a_third_drug_says_nothing_of_a_pair(drugs) -> None:
    third = statement("Never give velotrib with rifampin.", ingredients=("velotrib",))
    check_misfit("Man on zolumycin 20 mg needs rifampin. Halve it?", third, "partner", drugs)


def test_each_of_several_matters_is_answered_alone(drugs) -> None:
    asked = "Zolumycin: when are ECGs and LFTs due?"
    for said in ("An ECG is done monthly on zolumycin.", "On zolumycin ALT is checked weekly."):
        check_fit(asked, label(said, group="warnings"), drugs)


def test_how_one_form_is_prepared_is_no_answer_for_another_route(drugs) -> None:
    syrup = label("Reconstitute the oral suspension of zolumycin with water.", group="dosage")
    check_misfit("How is IV zolumycin reconstituted?", syrup, "route", drugs)
    check_fit("How is oral zolumycin reconstituted?", syrup, drugs)


def test_what_is_done_after_a_gap_holds_for_any_regimen_of_a_guideline(drugs) -> None:
    said = "After two months or more: trace the patient, no treatment while waiting for results."
    gap = statement(said, caption="Managing treatment interruption")
    check_fit("Came back after 10 weeks off treatment with RHZE, restart?", gap, drugs)
    assert misfits(read_slots("How long is RHZE given?", drugs), gap, drugs)


def test_what_one_of_a_pair_does_to_the_level_of_the_other_is_on_the_pair(drugs) -> None:
    harm = label("Stop zolumycin at the first tingling of the feet.", group="warnings")
    asked = "Man takes velotrib, ok to add zolumycin? What happens to the level?"
    check_misfit(asked, harm, "partner", drugs)


def test_a_rule_on_missed_doses_holds_in_every_month(drugs) -> None:
    rule = label("If 4 or more zolumycin doses are missed: restart with day 1.", group="dosage")
    check_fit("Zolumycin, month 6, forgot five days in a row. Carry on?", rule, drugs)


def test_what_is_added_to_a_regimen_is_asked_about(drugs: DrugLexicon) -> None:
    slots = read_slots("Add zolumycin to RHZ?", drugs)
    on_regimen = statement("With isoniazid, rifampin and pyrazinamide a fourth drug is given.")
    on_both = statement("Zolumycin is added to isoniazid, rifampin and pyrazinamide.")
    assert not is_fit(slots, on_regimen, drugs)
    assert is_fit(slots, on_both, drugs)


def test_what_was_seen_in_cells_is_no_answer_on_a_patient(drugs: DrugLexicon) -> None:
    seen = label("Zolumycin and rifampin are not antagonistic in cell culture.")
    on_patient = "A child on zolumycin and rifampin has TB now. What happens to zolumycin?"
    assert not is_fit(read_slots(on_patient, drugs), seen, drugs)
    assert is_fit(read_slots("Is zolumycin antagonistic to rifampin?", drugs), seen, drugs)

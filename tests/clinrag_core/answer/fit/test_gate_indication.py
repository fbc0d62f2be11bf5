"""What the question gate drops by route, disease, resistance, phase and aspect.

Every rule is tested in both directions (`test_gate_indication_fits`): a gate that drops the right
statement leaves a clinician without an answer, one that passes a wrong one shows a dose that is
not theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.gate_checks import check_fit, check_misfit, check_qualifier
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

if TYPE_CHECKING:
    from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


DOSE = "What is the dose of zolumycin?"
MISFITS: list[tuple[str, str, IndexedStatement, str]] = [
    (
        "people-with-risk-factors-for-one-without",
        "No risk factors, skin test of 12 mm: treat for latent TB?",
        statement("People with known risk factors for TB and a positive test should be treated."),
        "indication",
    ),
    (
        "a-drug-that-does-not-work-where-no-disease-is-named",
        "Contact of a rifampin-resistant case: how long isoniazid?",
        statement("Three months of isoniazid plus rifampin."),
        "indication",
    ),
    (
        "tablets-for-a-gel",
        "zolumycin gel for leprosy, how often?",
        statement("Leprosy: zolumycin 100 mg daily by mouth."),
        "route",
    ),
    (
        "a-dose-that-the-other-drug-taken-may-change",
        "Pt already on rifampin. She's 60 kg on oral zolumycin, what maintenance dose?",
        label("Zolumycin 200 mg by mouth every 12 hours as maintenance."),
        "partner",
    ),
    (
        "months-of-the-other-regimen-though-both-are-named",
        "How many months is the longer MDR-TB regimen?",
        statement("A shorter MDR-TB regimen of 10 months may replace the longer regimen."),
        "indication",
    ),
    (
        "months-of-the-conventional-regimen",
        "How long does the shorter MDR-TB regimen last?",
        statement("Conventional (older) MDR-TB regimens last 21 months, shorter regimens less."),
        "indication",
    ),
    (
        "months-of-the-usual-regimen",
        "Short oral MDR regimen: how long is the first phase?",
        statement("For MDR-TB the intensive phase is eight months."),
        "indication",
    ),
    (
        "resistant-tuberculosis-where-pneumonia-is-treated",
        "A fluoroquinolone for CAP if TB is possible?",
        statement("Fluoroquinolones and bedaquiline are in all regimens against tuberculosis."),
        "indication",
    ),
    (
        "pneumonia-alone-where-tuberculosis-is-possible",
        "A fluoroquinolone for CAP if TB is possible?",
        statement("Fluoroquinolones are given in community-acquired pneumonia."),
        "indication",
    ),
    (
        "no-word-of-isolation",
        "How long does someone with latent TB need isolation?",
        statement("Latent TB infection is treated for 6 months."),
        "aspect",
    ),
    (
        "a-mask-for-patients-where-staff-are-asked-about",
        "Is a surgical mask enough for nurses of smear-positive TB patients?",
        statement("Give a face mask to people with TB who cough."),
        "aspect",
    ),
    (
        "no-word-of-a-film-again",
        "How often is the chest x-ray repeated after LTBI treatment?",
        statement("Latent TB infection is treated for 3 months once weekly."),
        "aspect",
    ),
    (
        "no-word-of-the-liver",
        "Who needs baseline LFTs before LTBI treatment?",
        statement("People who were born abroad are tested before LTBI treatment."),
        "aspect",
    ),
    (
        "an-isolate-is-no-isolation",
        "When can a man with MDR-TB come out of isolation?",
        statement("By the isolate of the source, MDR-TB is treated for 6 to 12 months."),
        "aspect",
    ),
    (
        "isolation-in-latent-infection-for-disease",
        "Do I need to isolate a child with TB?",
        statement("People with latent TB infection do not require isolation."),
        "indication",
    ),
    (
        "no-word-of-storage",
        "How is zolumycin stored?",
        label("Zolumycin comes in a tube of 20 g."),
        "aspect",
    ),
    (
        "no-word-of-the-qt-interval",
        "Does zolumycin prolong QT?",
        label("Zolumycin is hardly metabolised."),
        "aspect",
    ),
    (
        "no-word-of-enzymes",
        "Is zolumycin an inhibitor of CYP enzymes?",
        label("Zolumycin inhibits bacteria."),
        "aspect",
    ),
    (
        "no-word-of-stopping",
        "When should zolumycin be stopped?",
        label("Raise zolumycin to 200 mg twice a day."),
        "aspect",
    ),
    (
        "no-word-of-food",
        "Should zolumycin be taken with food?",
        label("Zolumycin passes into breast milk."),
        "aspect",
    ),
    (
        "no-word-of-a-half-life",
        "What is the half-life of zolumycin?",
        label("Zolumycin is hardly absorbed."),
        "aspect",
    ),
    (
        "no-word-of-driving",
        "Can patients drive on zolumycin?",
        label("Zolumycin is given by mouth."),
        "aspect",
    ),
    (
        "no-word-of-a-strength",
        "What strength tablets does zolumycin come in?",
        label("Zolumycin is absorbed."),
        "aspect",
    ),
    (
        "no-word-of-a-loading-dose",
        "Loading dose of zolumycin?",
        label("Zolumycin 100 mg once daily."),
        "aspect",
    ),
    (
        "no-word-of-the-liver",
        "Does zolumycin cause hepatitis?",
        label("Zolumycin may cause a rash."),
        "aspect",
    ),
    (
        "no-word-of-an-abrupt-end",
        "Can zolumycin be stopped abruptly?",
        label("Stop zolumycin after a rash."),
        "aspect",
    ),
    (
        "no-word-of-a-site",
        "Where do I inject zolumycin, deltoid or thigh?",
        label("Shake zolumycin well."),
        "aspect",
    ),
    (
        "no-word-of-dialysis",
        "Is zolumycin dialysable?",
        label("Zolumycin leaves by the kidneys."),
        "aspect",
    ),
    (
        "the-other-kind-of-leprosy",
        "Paucibacillary leprosy: which drugs, how many months?",
        statement("The regimen for MB leprosy: three drugs for 12 months."),
        "indication",
    ),
    (
        "the-change-of-schedule-back",
        "Moving from monthly to 2-monthly zolumycin, what dose?",
        label("From an every-2-month to a monthly schedule: zolumycin 400 mg."),
        "phase",
    ),
    (
        "the-other-reaction-of-leprosy",
        "Leprosy, severe reversal reaction: how much zolumycin?",
        statement("Severe ENL: zolumycin 60 mg, stopped within four weeks."),
        "indication",
    ),
    (
        "a-usual-course-after-an-overdose",
        "4 year old took an overdose of zolumycin, what now?",
        statement(
            "Children are treated with zolumycin for at least six months.", aspects=("duration",)
        ),
        "aspect",
    ),
    (
        "a-usual-dose-after-an-overdose",
        "Overdose of rifampin with fits: how much zolumycin?",
        statement("Everybody on rifampin gets zolumycin 25 mg daily."),
        "aspect",
    ),
    (
        "the-other-result-of-a-smear",
        "first smear negative in TB, next step?",
        statement("If the first smear is positive in TB, a test for inhibitors is done."),
        "indication",
    ),
    (
        "the-other-result-of-an-amplification-test",
        "Xpert positive in TB, next step?",
        statement("Where the GeneXpert is negative in TB, a second sample is taken."),
        "indication",
    ),
    (
        "no-product-answers-on-a-test",
        "mantoux: when is it read?",
        label("Zolumycin is given when the infusion is ready."),
        "subject",
    ),
    (
        "another-schedule-since-the-last-dose",
        "Monthly zolumycin, the last injection was 10 weeks ago. What now?",
        label(
            "Time since last injection: Greater than 2 months; Advice: give 600 mg of zolumycin,"
            " then follow the every-2-month schedule.",
            statement_kind="row",
        ),
        "aspect",
    ),
    (
        "longer-since-the-last-dose",
        "zolumycin injection missed, the last injection was 10 weeks ago. What now?",
        label(
            "Time since last injection: Greater than 3 months; Advice: start zolumycin again.",
            statement_kind="row",
        ),
        "aspect",
    ),
    (
        "route-of-another-product",
        "oral zolumycin dose",
        label("The usual dose is 300 mg every 12 hours.", routes=("intravenous",)),
        "route",
    ),
    (
        "another-dose-of-the-series",
        "second infusion of zolumycin: mg?",
        label("Subsequent infusions: 450 mg every 24 weeks.", statement_kind="row"),
        "indication",
    ),
    (
        "another-fluid",
        "sensitivity of a tuberculosis test on pleural fluid",
        statement("For tuberculosis, the test on cerebrospinal fluid has a sensitivity of 79%."),
        "indication",
    ),
    (
        "what-is-for-resistance-to-rifampin-only",
        "Isoniazid-resistant TB: which drug can be stopped?",
        statement("One drug, usually bedaquiline, can be stopped at month 6."),
        "indication",
    ),
    (
        "reverse-resistance",
        "contact of rifampin-resistant, isoniazid-susceptible TB",
        statement("After isoniazid-resistant, rifampin-susceptible TB give rifampin."),
        "indication",
    ),
    (
        "resistance-ruled-out",
        "regimen for rifampin-resistant TB with resistance to fluoroquinolones",
        statement("For RR-TB, once resistance to fluoroquinolones has been ruled out."),
        "indication",
    ),
    (
        "drug-that-does-not-work",
        "Preventive treatment of contacts of isoniazid-resistant TB",
        statement("Contacts are given isoniazid for six months."),
        "indication",
    ),
    (
        "treatment-for-a-contact",
        "zolumycin for contacts of MDR-TB",
        statement("Zolumycin is given for six months in Hr-TB."),
        "indication",
    ),
    (
        "another-skin-test",
        "Cut-off of the Cy-Tb skin test",
        statement("A tuberculin skin test of 15 mm is positive."),
        "indication",
    ),
    (
        "row-of-later-days-for-starting",
        "What is the starting dose of zolumycin?",
        label("Days 5 and 6: 4 mg daily", statement_kind="row"),
        "phase",
    ),
    ("other-route", "intrathecal zolumycin dose", label("300 mg intravenously daily."), "route"),
    ("route-not-said", "inhaled zolumycin dose", label("300 mg twice daily."), "route"),
    (
        "tablet-for-injection",
        "zolumycin injection dose",
        label("One 300 mg tablet daily."),
        "route",
    ),
    (
        "route-by-heading",
        "oral zolumycin dose",
        label("300 mg twice daily.", headings=("Intravenous infusion",)),
        "route",
    ),
    (
        "other-disease",
        "zolumycin dose for tuberculosis",
        label("Plague: 2 g daily in two doses."),
        "indication",
    ),
    (
        "other-disease-in-run-in-label",
        "zolumycin dose for tuberculosis",
        label("1 g twice daily for 14 days.", run_in="Tularemia:"),
        "indication",
    ),
    (
        "other-disease-in-heading",
        "zolumycin dose for malaria",
        label("400 mg daily.", headings=("Dosage", "Lupus erythematosus")),
        "indication",
    ),
    (
        "unlisted-disease",
        "zolumycin dose for sporotrichosis",
        label("Plague: 2 g daily."),
        "indication",
    ),
    (
        "hospital-pneumonia",
        "zolumycin dose for community-acquired pneumonia",
        label("Hospital-acquired pneumonia: 600 mg daily."),
        "indication",
    ),
    (
        "active-for-latent",
        "zolumycin dose for latent TB",
        statement("In active tuberculosis give zolumycin 600 mg daily."),
        "indication",
    ),
    (
        "dose-for-two-of-another-strength",
        "The 40 mg is out of stock. Can I give zolumycin 20 mg syringes, two at a time?",
        label("Zolumycin 40 mg three times a week."),
        "aspect",
    ),
    (
        "dose-for-one-product-in-the-place-of-another",
        "can I swap zolumycin tablets for zolumycin powder mg for mg?",
        label("Tablets: 300 mg once daily."),
        "aspect",
    ),
    (
        "dose-without-a-stage-for-latent",
        "weekly zolumycin dose for latent TB",
        statement("With atazanavir: zolumycin 150 mg daily."),
        "indication",
    ),
    (
        "another-mycobacterium",
        "zolumycin dose for Mycobacterium kansasii lung disease",
        statement("Lung disease by Mycobacterium avium: zolumycin 300 mg daily."),
        "indication",
    ),
    (
        "tuberculosis-for-another-mycobacterium",
        "regimen for M. kansasii lung disease",
        statement("Tuberculosis of adults: zolumycin 300 mg daily for 6 months."),
        "indication",
    ),
    (
        "tuberculosis-unqualified-for-latent",
        "zolumycin dose for LTBI",
        statement("Zolumycin 600 mg daily.", headings=("Treatment of tuberculosis",)),
        "indication",
    ),
    (
        "latent-for-active",
        "zolumycin dose for active TB",
        statement("Zolumycin 300 mg daily for latent tuberculosis infection."),
        "indication",
    ),
    (
        "susceptible-for-resistant",
        "zolumycin dose for MDR-TB",
        statement("Drug-susceptible TB: zolumycin 300 mg daily."),
        "indication",
    ),
    (
        "other-site",
        "How long is TB meningitis treated?",
        statement("TB of bone and joints is treated for nine months."),
        "indication",
    ),
    (
        "other-phase",
        "How long is the continuation phase of TB treatment?",
        statement("The intensive phase lasts two months."),
        "phase",
    ),
    (
        "other-weeks",
        "zolumycin dose in weeks 3 to 24",
        label("Weeks 1 to 2: 400 mg daily."),
        "phase",
    ),
    (
        "maintenance-for-loading",
        "loading dose of zolumycin",
        label("The maintenance dose is 200 mg daily."),
        "phase",
    ),
    ("overdose", DOSE, label("Doses of 20 g caused seizures.", group="overdosage"), "aspect"),
    (
        "level",
        DOSE,
        label("A dose of 500 mg gave a peak of 9 mg/L.", group="clinical_pharmacology"),
        "aspect",
    ),
    ("strength", DOSE, statement("Zolumycin, available as 100 mg in blue tablets."), "aspect"),
    (
        "strength-supplied",
        DOSE,
        statement("Zolumycin is supplied as 100 mg and 300 mg tablets."),
        "aspect",
    ),
    ("listed-strength", DOSE, statement("Zolumycin: Tablet: 300 mg (as sodium)."), "aspect"),
]
QUALIFIERS: list[tuple[str, str, IndexedStatement]] = [
    (
        "days-without-the-drug",
        "Zolumycin: five days without it. Pick up where she left off?",
        label("Zolumycin 20 mg once daily as maintenance."),
    ),
    (
        "a-dose-for-those-on-another-drug",
        DOSE,
        label("Zolumycin 150 mg daily when it is administered to patients taking velotrib."),
    ),
    (
        "who-is-treated-is-no-test",
        "Which test for TB after BCG?",
        statement("People with a positive blood test for TB should be offered treatment."),
    ),
    (
        "prophylaxis-is-no-treatment",
        "zolumycin dose for a new DVT",
        label("The dose is 2.5 mg twice daily.", headings=("Prophylaxis of deep vein thrombosis",)),
    ),
    ("missed-dose", DOSE, label("Missed dose: take 600 mg of zolumycin the next day.")),
    (
        "reduced-for-a-while",
        DOSE,
        label("Temporary dose reductions to 100 mg daily may be considered."),
    ),
    ("concentration", DOSE, label("Isolates had an MIC of 0.5 mg/L.")),
    ("overdose-without-figure", DOSE, label("The dosage is stopped.", group="overdosage")),
    (
        "latent-for-tuberculosis",
        "zolumycin dose for TB",
        statement("Zolumycin 300 mg weekly for latent TB."),
    ),
    (
        "disease-of-another-field",
        DOSE,
        statement("Zolumycin 600 mg once a month.", headings=("Leprosy",)),
    ),
]


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


def test_a_treatment_dose_does_not_answer_a_question_on_prophylaxis(drugs) -> None:
    slots = read_slots("Zolumycin for prophylaxis of pneumocystis in adults", drugs)
    treatment = label("For treatment of pneumocystis pneumonia give zolumycin 20 mg/kg daily.")
    prophylaxis = label("For prophylaxis of pneumocystis give zolumycin 5 mg/kg daily.")
    assert [m.slot for m in misfits(slots, treatment, drugs)] == ["indication"]
    assert misfits(slots, prophylaxis, drugs) == ()


def test_a_course_for_resistant_disease_is_no_answer_on_tuberculosis_as_such(drugs) -> None:
    course = statement("Treat for 18 months.", headings=("Multidrug-resistant tuberculosis",))
    check_qualifier("How long is tuberculosis treated?", course, drugs)
    check_fit("How long is MDR tuberculosis treated?", course, drugs)


def test_after_an_operation_a_dose_is_one_to_prevent(drugs) -> None:
    dose = label(
        "The recommended dose is 2.5 mg twice daily.",
        headings=("Prophylaxis of thrombosis after hip or knee replacement",),
        group="dosage",
    )
    slots = read_slots("Zolumycin after knee replacement, 5 mg twice daily?", drugs)
    assert misfits(slots, dose, drugs) == ()


def test_who_is_infected_by_a_test_may_be_asked_about_for_a_regimen(drugs) -> None:
    advice = statement("The 3HP regimen is not recommended for pregnant women.")
    slots = read_slots("31-year-old woman, IGRA positive, pregnant. Is 3HP ok?", drugs)
    assert misfits(slots, advice, drugs) == ()


def test_a_dose_to_prevent_does_not_answer_a_question_on_treatment(drugs) -> None:
    prophylaxis = label("Malaria prophylaxis: zolumycin 400 mg once weekly.")
    slots = read_slots("Adult with malaria: zolumycin treatment schedule please", drugs)
    assert "indication" in {one.slot for one in misfits(slots, prophylaxis, drugs)}

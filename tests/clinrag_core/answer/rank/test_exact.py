"""What decides a question comes before what is nearer to it in words; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.boosts import DECISIVE
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.rank.turning import on_decided
from clinrag_core.answer.select.arrange import arrange
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "nearer", "exact"),
    [
        (
            "Skin test or blood test for TB in a child of 3?",
            "The TB skin test and the TB blood test show infection with TB.",
            "The TB skin test is preferred in children under the age of five.",
        ),
        (
            "How long is follow-up after finishing treatment of TB?",
            "Follow-up of TB treatment is by smear.",
            "Patients are seen for two years after treatment completion.",
        ),
        (
            "Do I stick to the 25% rule in zolumycin fever?",
            "In zolumycin fever nothing is known that would help in the first hours.",
            "It is cooled by no more than 25 percent in an hour.",
        ),
        (
            "Should both the TB blood test and the TB skin test be used?",
            "The TB skin test is preferred where the TB blood test cannot be used.",
            "Both tests are used in few people.",
        ),
        (
            "Zolumycin against velotrib: difference in deaths?",
            "More deaths were seen with zolumycin than with velotrib: what a difference.",
            "Mortality was 39% with zolumycin and 30% with velotrib.",
        ),
        (
            "He has a squint. Is the squint a problem for zolumycin?",
            "Zolumycin was tried in children with a squint.",
            "Zolumycin: a squint is a contraindication.",
        ),
        (
            "A baby with confirmed HIV infection is due for the BCG vaccine. Give it?",
            "The BCG vaccine is given to all babies.",
            "The BCG vaccine should not be given to babies with confirmed HIV infection.",
        ),
        (
            "Can a child of 10 have zolumycin?",
            "Zolumycin is used in pneumonia.",
            "Safety in children under 15 years has not been established.",
        ),
        (
            "Taking 2.5 mg of zolumycin, starts ketoconazole. What now?",
            "In patients taking zolumycin 5 mg with ketoconazole, give half.",
            "In patients already taking 2.5 mg of zolumycin, ketoconazole is avoided.",
        ),
        (
            "May zolumycin be given as an IV infusion?",
            "Zolumycin may be given before meals.",
            "Zolumycin is given by the intramuscular route only.",
        ),
        (
            "Any way to give zolumycin through the drip? There is no muscle to inject.",
            "Zolumycin is injected well within a large muscle.",
            "Intramuscular route only: zolumycin is given into the thigh.",
        ),
        (
            "Should I extend the intensive phase if the smear is positive?",
            "The intensive phase is followed by the next one if the smear is negative.",
            "A positive smear is no indication to prolong the first phase.",
        ),
        (
            "Can he use his ordinary nebuliser machine for zolumycin?",
            "Zolumycin is used with a nebuliser in patients with pneumonia.",
            "Use zolumycin only with the Invented Nebulizer System.",
        ),
        (
            "G6PD normal, but he has gout. May he have zolumycin?",
            "Zolumycin is contraindicated in G6PD deficiency.",
            "Zolumycin is contraindicated in acute gout.",
        ),
        (
            "Pregnant with TB, which drugs should we avoid?",
            "There are special considerations for TB in pregnancy.",
            "Zolumycin and rifampin should be avoided in pregnancy.",
        ),
        (
            "Is zolumycin given intravenously?",
            "Zolumycin is given to adults.",
            "Zolumycin should not be given intravenously.",
        ),
        (
            "At which liver values must zolumycin be stopped?",
            "Zolumycin may raise liver enzymes.",
            "Stop zolumycin if ALT is more than five times the upper limit of normal.",
        ),
        (
            "When is zolumycin stopped because of raised transaminases?",
            "Zolumycin may be stopped after six months.",
            "Stop zolumycin if ALT is more than five times the upper limit of normal.",
        ),
        (
            "Zolumycin is preferred for latent TB, isn't it?",
            "Zolumycin is supplied to clinics that treat latent TB.",
            "For latent TB velotrib remains the preferred drug, zolumycin is not.",
        ),
        (
            "When can zolumycin be left out for children?",
            "Zolumycin is given to children once a day.",
            "Zolumycin may be omitted in children without cavities.",
        ),
        (
            "What is the loading dose of zolumycin?",
            "Infection: of the skin; Loading dose: not evaluated; Maintenance dose: 100 mg daily",
            "Infection: of the lung; Loading dose: 400 mg once; Maintenance dose: 200 mg daily",
        ),
        (
            "Zolumycin in children under 12 years",
            "Zolumycin in children under 12 years was studied for pneumonia.",
            "Zolumycin is not a drug of first choice in children under 12 years.",
        ),
        (
            "Zolumycin in pregnancy",
            "Zolumycin in pregnancy has been discussed in the section on pregnancy and zolumycin.",
            "Zolumycin in pregnancy was associated with lower birth weight.",
        ),
        (
            "Does zolumycin cause hearing loss?",
            "Hearing loss was seen after zolumycin was stopped in patients with hearing loss.",
            "Zolumycin increases the risk of hearing loss, which may be permanent.",
        ),
        (
            "Zolumycin 900 mg to start, right?",
            "Zolumycin 900 mg is given once a day in the morning in patients who need it.",
            "The usual starting dose of zolumycin is 100 mg.",
        ),
        (
            "Should zolumycin be taken with food?",
            "Zolumycin may interact with some food.",
            "Zolumycin is taken one hour before a meal.",
        ),
        (
            "Zolumycin and deranged LFTs: at what point is it stopped?",
            "Zolumycin may be stopped after six months.",
            "Stop zolumycin if ALT is more than five times the upper limit of normal.",
        ),
        (
            "Definition of smearnegative disease",
            "Patients with smearnegative disease are seen again after two months.",
            "Smearnegative disease: two samples without bacilli.",
        ),
        (
            "Upper-room lamps in the home: are they feasible?",
            "Upper-room lamps are fixed to the wall at a height of two metres.",
            "Upper-room lamps are not feasible in households.",
        ),
        (
            "When is an audiogram done on zolumycin?",
            "Zolumycin is stopped if the audiogram is abnormal.",
            "An audiogram is done before zolumycin and every 2 months.",
        ),
        (
            "Which household members are examined first?",
            "Household members are examined at home.",
            "The highest priority household members are children.",
        ),
        (
            "Which household members come first?",
            "Which of the household members come to the clinic is recorded first.",
            "The highest priority household members are those who cough.",
        ),
        (
            "How long do we follow a patient after zolumycin?",
            "Zolumycin is for patients with leprosy.",
            "After zolumycin a patient is monitored for two years following the last dose.",
        ),
        (
            "Total duration of the longer zolumycin regimen",
            "A longer zolumycin regimen may follow the shorter zolumycin regimen of 4 months.",
            "The longer zolumycin regimen takes 18 months in total.",
        ),
        (
            "TST or IGRA in a 3-year-old?",
            "TST and IGRA are read in children by a nurse.",
            "The TST is the preferred test in children younger than 5 years.",
        ),
        (
            "zolumycin and rifampin together: doses?",
            "Zolumycin and rifampin change the levels of each other.",
            "With rifampin the dose of zolumycin is 200 mg twice daily.",
        ),
        (
            "Can a zolumycin tablet be split?",
            "A zolumycin tablet is white.",
            "Tablets are swallowed whole; they must not be crushed.",
        ),
        (
            "zolumycin, CrCl 40",
            "Check creatinine clearance daily on zolumycin, CrCl 40 and below.",
            "CrCl 30 to 60 mL/min: zolumycin 100 mg daily.",
        ),
        (
            "How was zolumycin given in the skin trials, what dose?",
            "In the skin trials zolumycin was given to adults.",
            "In two trials on skin disease adults had zolumycin 150 mg twice daily.",
        ),
        (
            "Dose of zolumycin, and does it need food?",
            "Zolumycin is a drug from food mould.",
            "Zolumycin 100 mg is taken with food.",
        ),
        (
            "velotrib dose with zolumycin",
            "Rifampin 600 mg daily can be given with zolumycin.",
            "Drug: velotrib; comment: increase the dose of velotrib by 50%.",
        ),
        (
            "zolumycin in the elderly - change dose?",
            "Zolumycin in the dose of 300 mg once daily is usual.",
            "In elderly patients no dose adjustment of zolumycin is needed.",
        ),
        (
            "When should zolumycin be stopped?",
            "Zolumycin should be stopped or not after 7 days.",
            "Discontinue zolumycin if a seizure occurs.",
        ),
        (
            "How many days of zolumycin after anthrax exposure?",
            "Zolumycin is given for 2 days after exposure, except for anthrax.",
            "Anthrax: zolumycin for 60 days.",
        ),
        (
            "Can an IGRA diagnose active TB?",
            "An IGRA can be positive in active TB and in latent TB.",
            "An IGRA has no value for diagnosing active TB.",
        ),
        (
            "What dose of zolumycin is used?",
            "A dose of zolumycin came after the 900 mg dose that they had received.",
            "Zolumycin 100 mg once daily.",
        ),
        (
            "TB with kidney failure: which drugs need no dose cut?",
            "Zolumycin 300 mg is given in kidney failure with caution.",
            "Zolumycin may be given in normal dosage in kidney failure.",
        ),
        (
            "Masks are the first and most important measure against TB, right?",
            "Masks are a must against TB in those who work with patients.",
            "Rules for the staff are the first and most important of these measures.",
        ),
        (
            "How long should gout prophylaxis go on after zolumycin?",
            "Gout prophylaxis goes on in many who had zolumycin.",
            "Continue gout prophylaxis for a minimum of 2 months after zolumycin.",
        ),
        (
            "TB meningitis in a child: how many months of treatment altogether?",
            "How a child with TB meningitis gets on is checked on each visit of the treatment.",
            "Type of disease: TB meningitis; Intensive phase: 2RHZE; Continuation phase: 10RH",
        ),
        (
            "Lung reaction to zolumycin - how soon after starting?",
            "Lung reactions to zolumycin are worst in those who had it for six months or longer.",
            "Acute reactions to zolumycin usually occur within the first week.",
        ),
        (
            "zolumycin dose to prevent pneumonia in an adult",
            "The dose of zolumycin in pneumonia is 900 mg in an adult.",
            "Prophylaxis in adults: zolumycin 100 mg once daily.",
        ),
        (
            "Woman of 38 with a lupus flare and malaria. Can I give her zolumycin?",
            "Zolumycin is recommended only for the radical cure of malaria.",
            "Zolumycin is contraindicated in acutely ill patients with lupus erythematosus.",
        ),
        (
            "Who is at highest risk of tendon rupture on zolumycin?",
            "Tendon rupture on zolumycin was also seen in people without such risk factors.",
            "The risk of tendon rupture on zolumycin is increased in people over 60 years.",
        ),
        (
            "Why is zolumycin not given to people with a pacemaker?",
            "Few doctors use zolumycin in people with a pacemaker.",
            "People with a pacemaker: zolumycin may cause it to stop.",
        ),
        (
            "Gout prophylaxis after zolumycin: stop when?",
            "Give prophylaxis against gout after zolumycin twice daily.",
            "Continue prophylaxis for at least 2 months after the last dose of zolumycin.",
        ),
        (
            "Patient on inventafetilide needs zolumycin",
            "A patient in need of zolumycin gets it before meals.",
            "Inventafetilide: do not give zolumycin.",
        ),
        (
            "We extend the intensive phase if the smear is positive, right?",
            "If the smear is positive at the end of the intensive phase, take another one.",
            "A positive smear is no indication to prolong this phase.",
        ),
        (
            "How do I give a zolumycin capsule through a tube?",
            "Give zolumycin through a tube after the tablet has dispersed in water.",
            "Open the capsule and mix what it holds with juice.",
        ),
        (
            "Which fluid do I dilute zolumycin in?",
            "Look at the zolumycin solution before it is diluted.",
            "Add 15 mL of zolumycin to 100 mL of sodium chloride.",
        ),
        (
            "Leprosy and on RHZE for TB. Is zolumycin given on top?",
            "Leprosy is treated with zolumycin on top of a second drug.",
            "In leprosy zolumycin is omitted as long as TB is treated.",
        ),
        (
            "Dose of zolumycin for a 70-year-old woman",
            "Zolumycin 300 mg once daily is usual.",
            "Older than 60 years: zolumycin 100 mg once daily.",
        ),
    ],
)
def test_what_decides_comes_first(question: str, nearer: str, exact: str, drugs: DrugLexicon):
    group = "contraindications" if "contraindicated in acutely" in exact else None
    candidates = [label(nearer), label(exact, group=group)]
    ranked = [RankedStatement(one, "label", 4.0 - n / 4, 0.5) for n, one in enumerate(candidates)]
    sources = sources_of(candidates, drugs)
    found = most_exact_first(ranked, read_slots(question, drugs), sources)
    assert found[0].statement.said == exact


@pytest.mark.parametrize(
    ("question", "nearer", "other"),
    [
        (
            "What should I do if the sputum smear stays positive on zolumycin?",
            "A positive smear at two months is repeated.",
            "Zolumycin should not be used where a smear was never taken.",
        ),
        (
            "At which liver values must zolumycin be stopped?",
            "Zolumycin may raise liver enzymes.",
            "Stop zolumycin if QTcF is more than 500 ms.",
        ),
        (
            "Nebulised zolumycin all year without a pause?",
            "Zolumycin is given in cycles of 28 days.",
            "Zolumycin should not be mixed with water in the cup that belongs to the nebuliser.",
        ),
        (
            "Is zolumycin given intravenously?",
            "Zolumycin is given into a vein.",
            "Zolumycin is not added to other injectable agents.",
        ),
    ],
)
def test_what_decides_something_else_does_not(
    question: str, nearer: str, other: str, drugs: DrugLexicon
):
    candidates = [label(nearer), label(other)]
    ranked = [RankedStatement(one, "label", 4.0 - n / 2, 0.5) for n, one in enumerate(candidates)]
    found = most_exact_first(ranked, read_slots(question, drugs), sources_of(candidates, drugs))
    assert found[0].statement.said == nearer


def test_what_a_mother_s_child_gets_comes_before_what_names_it(drugs: DrugLexicon):
    nearer = statement("Mothers bring the baby to the clinic and the baby is weighed.")
    exact = statement("The infant is given isoniazid.", headings=("7 Breastfeeding",))
    ranked = [RankedStatement(one, "g", 4.0 - n / 4, 0.5) for n, one in enumerate((nearer, exact))]
    slots = read_slots("Mother has active TB. What does the baby get?", drugs)
    found = most_exact_first(ranked, slots, sources_of([nearer, exact], drugs))
    assert found[0].statement.said == exact.said
    assert not slots.facet("stage")


def test_what_harms_a_mother_s_child_is_not_what_it_gets(drugs: DrugLexicon):
    heads = ("7 Breastfeeding",)
    harms = statement(
        "Toxic effects to the baby matter less than the infant's risk.", headings=heads
    )
    exact = statement("The infant is given isoniazid 10 mg/kg for 6 months.", headings=heads)
    ranked = [RankedStatement(one, "g", 4.0 - n / 4, 0.5) for n, one in enumerate((harms, exact))]
    slots = read_slots("Mother has active TB. Does the baby get anything?", drugs)
    found = most_exact_first(ranked, slots, sources_of([harms, exact], drugs))
    assert found[0].statement.said == exact.said


def test_the_usual_dose_comes_before_the_weeks_of_its_increase(drugs: DrugLexicon):
    row = label("Week 3; Dose: 20 mg; Recommended dose: half of it", statement_kind="row")
    usual = label("The recommended dose of zolumycin is 40 mg once a week.")
    most = label("Rise slowly to the maximum recommended dose of 80 mg.")
    candidates = [row, usual, most]
    ranked = [RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate(candidates)]
    slots = read_slots("What is the dose of zolumycin?", drugs)
    ranked[1], ranked[2] = ranked[2]._replace(score=3.9), ranked[1]._replace(score=3.8)
    assert arrange(ranked, slots, sources_of(candidates, drugs))[0].statement.said.startswith(
        usual.said
    )


def test_a_high_dose_asked_for_comes_before_the_usual_one(drugs: DrugLexicon):
    usual = label("The recommended dose of zolumycin is 300 mg once daily.")
    high = label("High-dose zolumycin 900 mg once daily.", statement_kind="row")
    ranked = [
        RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate((usual, high))
    ]
    slots = read_slots("What is the dose of high-dose zolumycin?", drugs)
    found = arrange(ranked, slots, sources_of([usual, high], drugs))
    assert found[0].statement.said == high.said


def test_the_dose_of_a_product_with_a_long_name_comes_before_what_follows_it(drugs: DrugLexicon):
    after = label("After 28 tablets of zolumycin a new box is begun.")
    usual = label(
        "The dosage of ZOLUMYCIN MORNING and ZOLUMYCIN EVENING tablets, in the first week of all,"
        " is one tablet once daily from the 1st to the 7th day."
    ).model_copy(update={"block": 1})
    ranked = [
        RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate((after, usual))
    ]
    slots = read_slots("What is the dose of zolumycin?", drugs)
    found = arrange(ranked, slots, sources_of([after, usual], drugs))
    assert found[0].statement.said.startswith("The dosage")


def test_an_item_that_states_less_is_shown_with_its_list(drugs: DrugLexicon):
    items = [
        label(f"The usual regimen is: {one}", text=one, statement_kind="item")
        for one in ("zolumycin 600 mg once a month", "Course: 12 packs")
    ]
    ranked = [RankedStatement(items[0], "label", 4.0, 0.5)]
    slots = read_slots("What is the dose of zolumycin?", drugs)
    (found,) = arrange(ranked, slots, sources_of(items, drugs))
    assert (
        found.statement.said
        == "The usual regimen is: zolumycin 600 mg once a month; Course: 12 packs"
    )


def test_after_a_dose_for_the_very_people_no_dose_for_everybody_is_shown(drugs: DrugLexicon):
    theirs = label("Older than 70 years: zolumycin 100 mg once daily.")
    every = label("The dose of zolumycin is 300 mg once daily.").model_copy(update={"block": 1})
    note = label("Zolumycin is taken with food.").model_copy(update={"block": 2})
    ranked = [
        RankedStatement(one, "label", 4.0 - n / 9, 0.5)
        for n, one in enumerate((theirs, every, note))
    ]
    slots = read_slots("Dose of zolumycin for an 82-year-old", drugs)
    found = arrange(ranked, slots, sources_of([theirs, every, note], drugs))
    assert [one.statement.said for one in found] == [theirs.said, note.said]


def test_of_several_people_asked_about_each_keeps_a_row(drugs: DrugLexicon):
    rows = [
        label(f"{who}; Daily: {dose} mg/kg", statement_kind="row", caption="Doses of zolumycin")
        for who, dose in (("Adults", 15), ("Children", 20))
    ]
    ranked = [RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate(rows)]
    slots = read_slots("zolumycin mg/kg for adults and children", drugs)
    found = arrange(ranked, slots, sources_of(rows, drugs))
    assert {one.statement.said for one in found} == {row.said for row in rows}


def test_a_row_for_the_weight_asked_about_leads_only_where_it_is_of_no_other_drug(
    drugs: DrugLexicon,
):
    """The dose that is taken with a second drug once a week is none of the drug alone."""
    of_two = "Zolumycin and rifampin; Adults: 15 mg/kg; 50 kg or more: 900 mg; Once weekly"
    alone = "Zolumycin; Adults: 5 mg/kg; Maximum dose: 300 mg; Daily"
    ranked = [
        RankedStatement(statement(text, statement_kind="row"), "guidelines", score, 0.5)
        for text, score in ((alone, 2.0), (of_two, 1.5))
    ]
    slots = read_slots("Zolumycin 5 mg/kg in a 70 kg adult, yes?", drugs)
    first, _ = most_exact_first(ranked, slots, sources_of([], drugs))
    assert first.statement.said == alone


def test_what_is_for_resistant_disease_comes_last_where_that_is_not_asked(drugs: DrugLexicon):
    resistant = statement(
        "Weight below 33 kg: zolumycin 25 mg/kg daily.",
        headings=("Drug-resistant tuberculosis", "Regimens for MDR TB"),
    )
    usual = statement("Children with tuberculosis have zolumycin 20 mg/kg daily.")
    ranked = [
        RankedStatement(one, "guideline", 4.0 - n / 4, 0.5)
        for n, one in enumerate([resistant, usual])
    ]
    sources = sources_of([resistant, usual], drugs)
    for question, first in (
        ("zolumycin daily dose for a child", usual),
        ("zolumycin daily dose for a child with MDR-TB", resistant),
    ):
        found = most_exact_first(ranked, read_slots(question, drugs), sources)
        assert found[0].statement == first


def test_what_was_given_in_a_study_leads_no_dose_but_a_reference_to_studies_may(
    drugs: DrugLexicon,
):
    studied = label("In studies children had zolumycin 30 mg twice daily.")
    usual = label("Zolumycin 15 mg is given once daily [see Clinical Studies (14.3)].")
    ranked = [RankedStatement(one, "label", 4.0, 0.5) for one in (studied, usual)]
    slots = read_slots("dose of zolumycin", drugs)
    found = most_exact_first(ranked, slots, sources_of([studied, usual], drugs))
    assert found[0].statement == usual


@pytest.mark.parametrize(
    "heading", ["Research priorities", "Summary of changes in guidelines", "Glossary"]
)
def test_what_is_no_advice_comes_after_advice(drugs: DrugLexicon, heading: str):
    planned = statement("The effect of room fans on infections in clinics.", headings=(heading,))
    advised = statement("Room fans are not advised in clinics.")
    ranked = [
        RankedStatement(one, "guideline", 4.0 - n / 4, 0.5)
        for n, one in enumerate((planned, advised))
    ]
    sources = sources_of([planned, advised], drugs)
    for question, first in (
        ("How many room fans should a clinic have?", advised),
        (f"Room fans in clinics: {heading.lower()}, definition?", planned),
    ):
        found = most_exact_first(ranked, read_slots(question, drugs), sources)
        assert found[0].statement == first


def test_a_course_for_the_site_is_followed_by_none_for_any_site(drugs: DrugLexicon):
    spine = statement("Disease of the spine: 9 months of treatment, surgery if unstable.")
    usual = statement("The six-month regimen is the usual treatment of tuberculosis.")
    usual = usual.model_copy(update={"order": usual.order + 9})
    ranked = [RankedStatement(one, "g", 4.0 - n / 9, 0.5) for n, one in enumerate((spine, usual))]
    slots = read_slots("Spinal TB: length of treatment and when to operate", drugs)
    found = arrange(ranked, slots, sources_of([spine, usual], drugs))
    assert [one.statement.said for one in found] == [spine.said]


def test_a_time_of_something_else_is_no_answer(drugs: DrugLexicon):
    other = statement("A patient with tuberculosis is treated for six months.")
    same = statement("A patient with tuberculosis is isolated for two weeks.")
    ranked = [RankedStatement(one, "guideline", 5.0, 0.5) for one in (other, same)]
    slots = read_slots("How long should a patient with tuberculosis be isolated?", drugs)
    found = most_exact_first(ranked, slots, sources_of([other, same], drugs))
    assert [one.statement for one in found] == [same]


def test_a_dose_that_changes_for_the_very_partner_leads_where_that_is_asked(drugs: DrugLexicon):
    usual = label("The dose of zolumycin is 300 mg daily.")
    changed = label("With rifampin increase zolumycin to 600 mg daily.")
    ranked = [RankedStatement(o, "label", 5.0 - n, 0.5) for n, o in enumerate((usual, changed))]
    sources = sources_of([usual, changed], drugs)
    slots = read_slots("On zolumycin, now starts rifampin. Does the zolumycin dose change?", drugs)
    assert slots.drugs == (frozenset({"zolumycin"}),)
    assert most_exact_first(ranked, slots, sources)[0].statement == changed


def test_tablets_at_other_times_are_not_those_asked_for(drugs: DrugLexicon):
    rows = [
        label(f"Weight: 20 kg; Dose every {hours} hours: 1 tablet", statement_kind="row")
        for hours in (12, 6)
    ]
    ranked = [RankedStatement(one, "label", 5.0 - n, 0.5) for n, one in enumerate(rows)]
    slots = read_slots("How many zolumycin tablets every 6 hours for 20 kg?", drugs)
    found = most_exact_first(ranked, slots, sources_of(rows, drugs))
    assert [one.statement for one in found] == rows[1:]


def test_a_table_of_another_schedule_is_not_asked_about(drugs: DrugLexicon):
    rows = [
        label("Since the last injection: 4 months; give 600 mg", statement_kind="row", caption=one)
        for one in ("Zolumycin on the monthly dosing schedule", "Zolumycin every 2 months")
    ]
    ranked = [RankedStatement(one, "label", 5.0 - n, 0.5) for n, one in enumerate(rows)]
    slots = read_slots("Zolumycin every 2 months, last injection 4 months ago. Next?", drugs)
    found = most_exact_first(ranked, slots, sources_of(rows, drugs))
    assert [one.statement for one in found] == rows[1:]


def test_a_course_for_the_site_comes_before_rows_for_any_site(drugs: DrugLexicon):
    any_site = statement("40 to 54 kg: RHZE 3 tablets, 2 months; RH 3 tablets, 4 months.")
    of_site = statement(
        "These tissues need 9 months of treatment.", headings=("Tuberculosis of the spine",)
    )
    ranked = [
        RankedStatement(one, "g", 5.0 - n / 5, 0.5) for n, one in enumerate((any_site, of_site))
    ]
    slots = read_slots("Six months is enough for TB of the spine, isn't it?", drugs)
    found = arrange(ranked, slots, sources_of([any_site, of_site], drugs))
    assert [one.statement.said for one in found] == [of_site.said]


def test_what_names_something_told_elsewhere_comes_after_what_says_it(drugs: DrugLexicon):
    named = statement(
        "This is called lamp syndrome. Give rest and see whether it is something else."
    )
    said = statement("Too much light of the lamps hurts eyes and skin.")
    ranked = [RankedStatement(one, "g", 5.0 - n / 5, 0.5) for n, one in enumerate((named, said))]
    sources = sources_of([named, said], drugs)
    found = most_exact_first(ranked, read_slots("Sore eyes from lamps, why?", drugs), sources)
    assert [one.statement for one in found] == [said, named]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Zolumycin ran out 3 weeks ago, he never reacted to it. Restart at home?", True),
        ("Can zolumycin be restarted after a suspected reaction?", False),
    ],
)
def test_a_restart_after_another_reason_than_a_reaction_has_its_own_rule(
    question: str, first: bool, drugs: DrugLexicon
):
    never = label("Never restart zolumycin after a reaction to zolumycin.", group="warnings")
    other = label("If zolumycin was stopped for reasons other than a reaction, care is needed.")
    ranked = [RankedStatement(one, "l", 5.0 - n / 5, 0.5) for n, one in enumerate((never, other))]
    found = most_exact_first(ranked, read_slots(question, drugs), sources_of([never, other], drugs))
    assert (found[0].statement == other) is first


def test_what_is_preferred_comes_before_what_there_is() -> None:
    drugs = DrugLexicon(LABELS)
    asked = read_slots("Which regimens for latent TB are there, and which are preferred?", drugs)
    assert on_decided(asked, "Short regimens are preferentially recommended.") == DECISIVE
    assert on_decided(asked, "There are several regimens for latent TB.") == 0.0
    of_drug = read_slots("Zolumycin for latent TB: which dose is preferred?", drugs)
    assert on_decided(of_drug, "Short regimens are preferred.") == 0.0


def test_what_is_said_of_a_class_that_is_taken_comes_first():
    drugs = DrugLexicon(LABELS)
    own = label("Zolumycin is indicated for hepatitis C.", group="indications")
    on_class = label("Proton-pump inhibitors lower its level.", group="interactions")
    ranked = [RankedStatement(own, "label", 4.8, 0.5), RankedStatement(on_class, "label", 3.8, 0.4)]
    slots = read_slots("Zolumycin is planned, the PPI cannot be stopped. What now?", drugs)
    first = most_exact_first(ranked, slots, sources_of([own, on_class], drugs))[0]
    assert first.statement is on_class


@pytest.mark.parametrize(
    ("nearer", "other", "asks_nearer", "asks_other"),
    [
        pytest.param(
            label("Zolumycin 10 mg twice daily for 7 days, then 5 mg twice daily."),
            label("Zolumycin 2.5 mg twice daily after at least 6 months of treatment."),
            "Clot since today. What dose of zolumycin now?",
            "Done 6 months of zolumycin. What dose now?",
            id="the-dose-after-a-course-for-those-who-had-it",
        ),
        pytest.param(
            statement("Smear-positive at 2 months: do Xpert, and if resistant refer."),
            statement("Xpert should not be used for treatment monitoring."),
            "Smear positive at 2 months: is an Xpert done?",
            "Smear positive. I repeat the Xpert at 2 months to see the response, right?",
            id="that-a-test-is-none-of-response",
        ),
        pytest.param(
            statement("A positive IGRA is given high priority for treatment."),
            statement("Additional blood tests will probably not contribute to care."),
            "Is a positive IGRA treated?",
            "Why is the IGRA repeated after treatment?",
            id="that-a-test-is-not-repeated",
        ),
    ],
)
def test_what_is_asked_comes_before_what_is_nearer(nearer, other, asks_nearer, asks_other):
    drugs = DrugLexicon(LABELS)
    ranked = [RankedStatement(one, "l", 5.0 - n / 5, 0.5) for n, one in enumerate((nearer, other))]
    sources = sources_of([nearer, other], drugs)
    for question, expected in ((asks_nearer, nearer), (asks_other, other)):
        found = most_exact_first(ranked, read_slots(question, drugs), sources)
        assert found[0].statement is expected


def test_a_rule_for_the_very_value_comes_first():
    drugs = DrugLexicon(LABELS)
    general = label("Trough levels of zolumycin are watched.", group="dosage")
    high = label("Zolumycin every 36 hours for a trough of 3 mcg/mL or more.", group="dosage")
    low = label("Zolumycin every 24 hours for a trough below 3 mcg/mL.", group="dosage")
    members = (general, low, high)
    ranked = [RankedStatement(one, "l", 5.0 - n / 5, 0.5) for n, one in enumerate(members)]
    sources = sources_of([general, low, high], drugs)
    slots = read_slots("The zolumycin trough is 4.1, what now?", drugs)
    found = most_exact_first(ranked, slots, sources)
    assert found[0].statement is high
    assert found[1].statement is general


def test_what_decides_whatever_else_is_told_comes_first(drugs: DrugLexicon) -> None:
    rule = "All with a positive skin smear must be treated long, irrespective of lesions."
    asked = read_slots("Two lesions, but his skin smear is positive. Short treatment?", drugs)
    assert on_decided(asked, rule) > DECISIVE
    assert on_decided(asked, "With a positive skin smear treatment is long.") == 0.0
    notes = "Positive by skin smear. All should be notified, irrespective of lesions."
    assert on_decided(asked, notes) == 0.0
    assert on_decided(read_slots("Which treatment of two lesions?", drugs), rule) == 0.0


def test_a_recommendation_on_one_side_comes_before_one_on_several_drugs(drugs: DrugLexicon):
    both = statement("Zolumycin with velotrib may be used for tuberculosis.")
    side = statement("Zolumycin should be included for tuberculosis.")
    ranked = [RankedStatement(one, "kb", 4.0 - n, 0.5) for n, one in enumerate((both, side))]
    for asked, first in (("preferred to others", side), ("safe with gout", both)):
        slots = read_slots(f"Is zolumycin {asked} for tuberculosis?", drugs)
        found = most_exact_first(ranked, slots, sources_of([both, side], drugs))
        assert found[0].statement == first


@pytest.mark.parametrize(
    ("question", "nearer", "exact"),
    [
        (
            "Side effects of zolumycin in tuberculosis",
            "Zolumycin should be included for tuberculosis.",
            "Zolumycin: neuropathy and optic neuritis were seen.",
        ),
        (
            "Can zolumycin be reduced?",
            "If zolumycin is discontinued, go on with velotrib.",
            "Dose reduction of zolumycin to 600 mg daily was permitted.",
        ),
    ],
)
def test_what_a_guideline_says_of_the_very_drug_comes_first_where_asked(
    question: str, nearer: str, exact: str, drugs: DrugLexicon
):
    statements = [statement(nearer), statement(exact)]
    ranked = [RankedStatement(one, "kb", 4.0 - n, 0.5) for n, one in enumerate(statements)]
    for asked, first in ((question, 1), ("Is zolumycin crushed in tuberculosis?", 0)):
        sources = sources_of(statements, drugs)
        found = most_exact_first(ranked, read_slots(asked, drugs), sources)
        assert found[0].statement == statements[first]


def test_what_is_done_on_a_harm_is_no_answer_where_treatment_stopped_without_one(
    drugs: DrugLexicon,
):
    """Who came back after three months had been shown how drugs are restarted after hepatitis."""
    harm = statement(
        "Stopping drugs in liver injury: yes; When to restart: ALT normal", statement_kind="row"
    )
    gap = statement("Action: no treatment while waiting for results", statement_kind="row")
    ranked = [RankedStatement(one, "kb", 4.0 - n / 2, 0.5) for n, one in enumerate((harm, gap))]
    slots = read_slots("A man with TB stopped treatment for 3 months. Restart now?", drugs)
    found = most_exact_first(ranked, slots, sources_of([harm, gap], drugs))
    assert found[0].statement == gap
    slots = read_slots("Jaundice on treatment of TB, stopped. When to restart?", drugs)
    found = most_exact_first(ranked, slots, sources_of([harm, gap], drugs))
    assert found[0].statement == harm


def test_what_child_contacts_get_comes_before_whom_they_infect(drugs: DrugLexicon):
    spreads = statement("Children get TB from contact with adults.")
    gives = statement("Children under 5 years who are contacts should be treated with isoniazid.")
    older = statement("Contacts aged 60 and over should be treated with isoniazid.")
    every = (spreads, older, gives)
    ranked = [RankedStatement(one, "kb", 5.0 - n / 2, 0.5) for n, one in enumerate(every)]
    for asked, first in (
        ("Child of 3, household contact of an adult with TB. What do I give?", gives),
        ("Dose of isoniazid for an infant exposed to TB?", gives),
        ("Dose of rifampin for an infant exposed to TB?", spreads),
        ("How does a child who is a contact get TB?", spreads),
    ):
        found = most_exact_first(ranked, read_slots(asked, drugs), sources_of(every, drugs))
        assert found[0].statement == first


def test_whether_somebody_may_have_it_is_asked_where_nothing_else_is(drugs: DrugLexicon):
    test = statement("The BCG vaccine may turn a skin test of newborns positive.")
    never = statement("BCG should not be given to newborns with confirmed HIV infection.")
    ranked = [RankedStatement(one, "kb", 4.0 - n / 2, 0.5) for n, one in enumerate((test, never))]
    slots = read_slots("BCG for a newborn with confirmed HIV?", drugs)
    found = most_exact_first(ranked, slots, sources_of([test, never], drugs))
    assert found[0].statement == never


@pytest.mark.parametrize(
    ("question", "leads"),
    [("Treatment of leprosy", "adult"), ("Treatment of leprosy in a boy of 12 years", "child")],
)
def test_the_standard_regimen_leads_where_treatment_is_asked_for(
    question: str, leads: str, drugs: DrugLexicon
):
    near = statement("Leprosy that relapses after treatment is treated again.")
    regimens = {
        "adult": statement("The standard adult regimen for leprosy is zolumycin 600 mg monthly."),
        "child": statement(
            "The standard regimen for leprosy in children (10-14 years) is zolumycin 450 mg."
        ),
    }
    ranked = [
        RankedStatement(one, "g", 5.0 - n / 5, 0.5)
        for n, one in enumerate((near, *regimens.values()))
    ]
    slots = read_slots(question, drugs)
    found = most_exact_first(ranked, slots, sources_of([near, *regimens.values()], drugs))
    assert found[0].statement == regimens[leads]


def test_the_length_of_the_standard_regimen_leads_where_it_is_asked_for(drugs: DrugLexicon):
    """How long somebody may have missed treatment had been shown before how long it is."""
    missed = statement("Leprosy treatment missed for 3 months is not completed.")
    standard = statement("The standard regimen for leprosy is: Duration: 6 months")
    ranked = [
        RankedStatement(one, "g", 5.0 - n / 2, 0.5) for n, one in enumerate((missed, standard))
    ]
    slots = read_slots("How long is leprosy treated?", drugs)
    found = most_exact_first(ranked, slots, sources_of([missed, standard], drugs))
    assert found[0].statement == standard


def test_how_the_dose_changes_with_the_other_leads_next_to_avoid(drugs: DrugLexicon):
    """One label's "avoid" had hidden what the label of the drug itself says."""
    avoid = label("Avoid zolumycin.", "rifampin", group="interactions")
    change = label("Increase zolumycin to 800 mg daily with rifampin.", group="interactions")
    ranked = [RankedStatement(one, "l", 5.0 - n / 2, 0.5) for n, one in enumerate((avoid, change))]
    slots = read_slots("Zolumycin with rifampin", drugs)
    found = most_exact_first(ranked, slots, sources_of([avoid, change], drugs))
    assert found[0].statement == change

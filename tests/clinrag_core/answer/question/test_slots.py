"""What a question says."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import with_capitals
from clinrag_core.answer.question.slots import QuestionSlots, read_slots
from clinrag_core.facts.drugs import DrugLexicon

ZOLUMYCIN, RIFAMPIN = frozenset({"zolumycin"}), frozenset({"rifampin"})
ISONIAZID = frozenset({"isoniazid"})
_INJECTED = frozenset({"intravenous", "intramuscular", "subcutaneous"})


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "asked", "partners"),
    [
        ("dose of zolumycin", [ZOLUMYCIN], []),
        ("zolumycin with rifampin", [ZOLUMYCIN], [RIFAMPIN]),
        ("Does zolumycin interact with rifampin?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Do zolumycin and rifampin interact?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Patient on zolumycin 300 mg starting rifampin: dose?", [RIFAMPIN], [ZOLUMYCIN]),
        ("Dose of rifazol", [ZOLUMYCIN | RIFAMPIN], []),
        ("treatment of rifampin-resistant TB", [], []),
        ("On rifampin, may I start zolumycin?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Rifampin is no MAOI so I can start zolumycin alongside it?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Day 9 of a rifampin-based regimen, about to start zolumycin", [ZOLUMYCIN], [RIFAMPIN]),
        ("After starting rifampin, which dose of zolumycin?", [RIFAMPIN, ZOLUMYCIN], []),
        ("zolumycin in someone getting rifampin, problem?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Does rifampin lower zolumycin levels?", [RIFAMPIN], [ZOLUMYCIN]),
        ("Isoniazid and zolumycin, how far apart?", [ISONIAZID], [ZOLUMYCIN]),
        ("zolumycin in a man who uses rifampin", [ZOLUMYCIN], [RIFAMPIN]),
        ("Patient on 9H. Zolumycin now?", [ZOLUMYCIN], [ISONIAZID]),
        ("zolumycin in a patient allergic to rifampin", [ZOLUMYCIN], []),
        ("No rifampin in stock, so we switch to zolumycin: dose?", [ZOLUMYCIN], []),
        ("Can rifampin be replaced by zolumycin?", [ZOLUMYCIN], []),
        ("On rifampin, to swap to dolutegravir. Ok?", [frozenset(["dolutegravir"])], [RIFAMPIN]),
        ("zolumycin + isoniazid: what is the isoniazid dose?", [ISONIAZID], [ZOLUMYCIN]),
        ("zolumycin for isoniazid neuropathy: dose?", [ZOLUMYCIN], []),
        ("On isoniazid/rifampin. What about the rifampin?", [RIFAMPIN], [ISONIAZID]),
        ("Rifampin since May, for skin TB. Which zolumycin dose now?", [ZOLUMYCIN], [RIFAMPIN]),
        ("We prefer zolumycin over rifampin. Which zolumycin dose?", [ZOLUMYCIN], []),
        ("Dose of zolumycin? Dose of rifampin?", [ZOLUMYCIN, RIFAMPIN], []),
        ("On rifampin/zolumycin. What about the zolumycin?", [ZOLUMYCIN | RIFAMPIN], []),
        ("Most zolumycin a day with rifampin/zolumycin?", [ZOLUMYCIN], [RIFAMPIN]),
        ("On zolumycin. Finishes rifampin soon. What to watch?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Man on zolumycin, ill. Should I stop rifampin?", [RIFAMPIN], [ZOLUMYCIN]),
        ("She is on weekly rifampin. Zolumycin ok?", [ZOLUMYCIN], [RIFAMPIN]),
        (
            "Man on low-dose rifampin, urine sensitive to zolumycin. Three days of it?",
            [ZOLUMYCIN],
            [RIFAMPIN],
        ),
        (
            "Man on zolumycin 600 mg starts RIPE. Change the zolumycin dose?",
            [ZOLUMYCIN],
            [frozenset([one]) for one in ("ethambutol", "isoniazid", "pyrazinamide", "rifampin")],
        ),
        ("Zolumycin 600 at night. Rifampin begun. Adjust?", [ZOLUMYCIN], [RIFAMPIN]),
        ("Zolumycin at night. Rifampin 600 begun. Change the dose?", [RIFAMPIN], [ZOLUMYCIN]),
        (
            "Takes rifampin. Urine sensitive to zolumycin. Can the two go together?",
            [ZOLUMYCIN],
            [RIFAMPIN],
        ),
    ],
)
def test_drugs_asked_about_are_separated_from_their_partners(
    question: str, asked: list[frozenset[str]], partners: list[frozenset[str]], drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert (list(slots.drugs), list(slots.partners)) == (asked, partners)


@pytest.mark.parametrize(
    "joined", ["ethambutol/zolumycin dose", "ethambutol + zolumycin: which dose?"]
)
def test_drugs_joined_by_a_sign_are_a_regimen_where_no_product_has_both(
    joined: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(joined, drugs)
    assert slots.drugs == ()
    assert slots.regimens == (("ethambutol and zolumycin", ZOLUMYCIN | {"ethambutol"}),)


@pytest.mark.parametrize(
    "question",
    ["How often is an ECG done on zolumycin?", "How long do zolumycin vials keep?",
     "How long is an opened zolumycin bottle stable?",
     "zolumycin out of the fridge: how long?",
     "How often should somebody on zolumycin be reviewed?"],
)  # fmt: skip
def test_keeping_or_checking_asks_for_no_dose(question: str, drugs: DrugLexicon) -> None:
    assert not read_slots(question, drugs).asks_dosing


@pytest.mark.parametrize(
    "question",
    ["zolumycin for a contact, 30 y, HIV negative", "zolumycin in contacts <5 yrs",
     "82 y/o woman, zolumycin?", "Five months into zolumycin, resistant: what now?",
     "14 kg child: number of zolumycin 75/50/150 tablets",
     "How much water to a 1 g zolumycin vial?",
     "Dialysis, on zolumycin 300 mg once daily: how much extra after a session?",
     "Two hours into zolumycin at 70 mg/kg/min: can I go to 120?"],
)  # fmt: skip
def test_ages_past_times_and_strengths_are_not_suggested(question: str, drugs: DrugLexicon) -> None:
    assert read_slots(question, drugs).suggested == ()


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("79M on zolumycin: top dose?", 79.0),
        ("zolumycin 1 g bd, pt is 71. same dose?", 71.0),
        ("Granny of 79 with cracked ribs: zolumycin dose?", 79.0),
        ("Zolumycin dose at 79?", 79.0),
        ("Can zolumycin be given at 79 with a cracked rib?", 79.0),
        ("She is 81. zolumycin dose?", 81.0),
        ("Bricklayer, 47, with a cough: zolumycin dose?", 47.0),
        ("A boy of 6: zolumycin dose?", 6.0),
        ("67F, zolumycin: the full adult dose?", 67.0),
        ("A man of 63 kg: zolumycin dose?", None),
        ("Beds 5m apart: zolumycin dose?", None),
        ("zolumycin, 50, 100 mg tablets: dose?", None),
        ("A child of 5 ml a day: zolumycin dose?", None),
    ],
)
def test_an_age_without_a_unit_is_read(
    question: str, years: float | None, drugs: DrugLexicon
) -> None:
    ages = [one.low for one in read_slots(question, drugs).people.ages if one.low == one.high]
    assert ages == ([] if years is None else [years])


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is the dose of zolumycin?", "dose"),
        ("Zolumycin 300 mg daily is right?", "dose"),
        ("How long is TB treated?", "duration"),
        ("zolumycin 400 for pneumonia, 7 days or 14?", "duration"),
        ("How often is zolumycin given?", "frequency"),
        ("Is zolumycin safe in pregnancy?", "contraindication"),
        ("Can a child take zolumycin?", "contraindication"),
        ("zolumycin with rifampin", "interaction"),
        ("Does zolumycin cause deafness?", "adverse_effect"),
        ("What should be monitored with zolumycin?", "monitoring"),
        ("Which test finds latent TB?", "test"),
        ("Which patients should get steroids?", "who"),
        ("Why is zolumycin given?", "why"),
        ("Is zolumycin better than rifampin?", "comparison"),
        ("4-drug tablets per day, 60 kg man", "dose"),
        ("16 kg toddler: how many dispersible zolumycin tabs a day?", "dose"),
        ("minimum gap between zolumycin shots", "frequency"),
        ("zolumycin infusion over how many minutes", "duration"),
        ("zolumycin after surgery: days of prophylaxis?", "duration"),
        ("How often is an ECG done on zolumycin?", "when"),
        ("standard regimen for pulmonary TB", "regimen"),
        ("How often does zolumycin turn the skin red?", "adverse_effect"),
        ("When should zolumycin be stopped?", "stopping"),
        ("May zolumycin tablets be crushed?", "handling"),
        ("zolumycin for a woman who weighs 40 kg", "dose"),
        ("zolumycin induction in an adult", "dose"),
        ("At what ALT do I hold zolumycin?", "criterion"),
        ("zolumycin renal cut off", "criterion"),
        ("Zolumycin: what is the most I may give over a course?", "dose"),
        ("Shocked man on zolumycin, how far up can I push it?", "dose"),
        ("Top dose of zolumycin in 24 h at her age?", "dose"),
        ("Is there a ceiling on the grams of zolumycin over the whole course?", "dose"),
        ("zolumycin for plague: regimen and length?", "duration"),
        ("Dose of zolumycin, and who must not get it?", "who"),
    ],
)
def test_the_aspect_is_read(question: str, aspect: str, drugs: DrugLexicon) -> None:
    assert aspect in read_slots(question, drugs).aspects


def test_a_drug_that_is_out_of_stock_is_not_asked_about(drugs: DrugLexicon) -> None:
    slots = read_slots("we only have zolumycin, not rifampin, in store: how many mg?", drugs)
    assert (slots.drugs, slots.absent) == ((ZOLUMYCIN,), RIFAMPIN)


@pytest.mark.parametrize("said", ["Zolumycin, not rifampin,", "Zolumycin (not rifampin)"])
def test_a_drug_that_another_is_told_apart_from_may_be_given_too(said: str, drugs: DrugLexicon):
    slots = read_slots(f"{said} for a cough: how many mg?", drugs)
    assert (slots.drugs, slots.absent) == ((ZOLUMYCIN,), frozenset())


def test_to_keep_somebody_free_of_a_disease_is_to_prevent_it(drugs: DrugLexicon) -> None:
    slots = read_slots("Zolumycin to keep a traveller malaria-free: mg, how often?", drugs)
    assert slots.facet("purpose") == {"prevention"}


def test_weeks_of_a_drug_that_were_swallowed_are_no_overdose(drugs: DrugLexicon) -> None:
    slots = read_slots("She swallowed 6 weeks of zolumycin last year. Which dose now?", drugs)
    assert slots.asks_dosing


def test_an_amplification_test_that_found_the_bacteria_is_positive(drugs: DrugLexicon) -> None:
    slots = read_slots("Xpert: MTB found, rifampicin sensitive. Which treatment?", drugs)
    assert slots.facet("amplification") == {"naa_positive"}


def test_a_cap_on_a_dose_is_no_pneumonia(drugs: DrugLexicon) -> None:
    assert read_slots("zolumycin mg/kg and cap per dose", drugs).diseases == frozenset()
    assert read_slots("zolumycin dose for CAP", drugs).diseases == {"pneumonia.community"}


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("advantages of fixed-dose combinations over loose tablets", "dose"),
        ("zolumycin 40 mg/mL, is it stable?", "dose"),
        ("treatment of an adult with newly diagnosed TB", "test"),
        ("Is zolumycin approved for pneumonia?", "dose"),
        ("After 2 months of zolumycin the smear is positive", "duration"),
        ("How often does zolumycin turn the skin red?", "frequency"),
        ("May I halve the 50 mg zolumycin tablet?", "dose"),
        ("How many bacilli per ml make a positive smear?", "dose"),
        ("How much sputum is sent?", "dose"),
        ("mg of each component in one zolumycin tablet", "dose"),
        ("How much of the tuberculin skin test is injected?", "dose"),
        ("What does WHO say about zolumycin?", "who"),
        ("zolumycin for a woman who weighs 40 kg", "who"),
        ("zolumycin in a low risk patient", "adverse_effect"),
        ("Can I skip the zolumycin?", "dose"),
    ],
)
def test_an_aspect_that_is_not_asked_is_not_read(question: str, aspect: str, drugs: DrugLexicon):
    assert aspect not in read_slots(question, drugs).aspects


def test_a_drug_that_is_not_meant_is_not_asked_about(drugs: DrugLexicon) -> None:
    slots = read_slots("zolumycin dose for adults - I don't mean rifampin", drugs)
    assert (slots.drugs, slots.partners, slots.absent) == ((ZOLUMYCIN,), (), RIFAMPIN)


def test_what_a_partner_is_taken_for_is_not_what_the_other_drug_is_asked_for(drugs: DrugLexicon):
    slots = read_slots("zolumycin dose while on rifampin for TB, adult", drugs)
    assert (slots.drugs, slots.partners, slots.diseases) == (
        (ZOLUMYCIN,), (RIFAMPIN,), frozenset()
    )  # fmt: skip
    assert read_slots("zolumycin dose for TB while on rifampin", drugs).diseases


def test_a_drug_in_the_place_of_another_product_asks_for_no_dose(drugs: DrugLexicon) -> None:
    slots = read_slots("can I swap zolumycin tablets for zolumycin powder mg for mg?", drugs)
    assert not slots.asks_dosing


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("zolumycin CrCl 40", True),
        ("CrCl about 45 - is zolumycin OK?", False),
        ("which weeks are bloods checked on zolumycin?", False),
        ("what rate do I start zolumycin at?", True),
    ],
)
def test_whether_a_dose_is_asked(question: str, asks: bool, drugs: DrugLexicon) -> None:
    assert read_slots(question, drugs).asks_dosing == asks


def test_what_is_not_given_is_neither_asked_nor_a_partner(drugs: DrugLexicon) -> None:
    slots = read_slots("QTc on zolumycin without rifampin", drugs)
    assert (slots.drugs, slots.partners, slots.absent) == ((ZOLUMYCIN,), (), RIFAMPIN)


@pytest.mark.parametrize(
    ("question", "routes"),
    [
        ("zolumycin, no oral bridging: when is the next injection?", _INJECTED | {"intradermal"}),
        ("intravenous zolumycin", {"intravenous"}),
    ],
)
def test_a_route_that_is_not_used_is_not_asked(question: str, routes, drugs: DrugLexicon) -> None:
    assert read_slots(question, drugs).routes == routes


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("Zolumycin 15 g daily is fine, right?", ["15 g", "daily"]),
        ("zolumycin 200 mg for 60 days?", ["200 mg", "60 days"]),
        ("zolumycin dose for a 6-year-old of 20 kg with CrCl 25 mL/min", []),
        ("zolumycin dose, 20 weeks pregnant", []),
        ("Patient on zolumycin 300 mg: change the dose with rifampin?", []),
        ("A man on 30 mg of velotrib wants zolumycin. How to switch?", []),
        ("Switch to 30 mg of zolumycin?", ["30 mg"]),
    ],
)
def test_only_figures_of_a_regimen_are_suggested(
    question: str, figures: list[str], drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert [question[q.start : q.end] for q in slots.suggested] == figures


@pytest.mark.parametrize(
    ("question", "is_mother"),
    [
        ("Mum on rifampin is breastfeeding. What does the baby get?", False),
        ("Breastfeeding mother: does the baby need anything?", False),
        ("Can she go on breastfeeding on rifampin?", True),
    ],
)
def test_what_the_child_of_a_mother_gets_is_not_for_her(
    question: str, is_mother: bool, drugs: DrugLexicon
) -> None:
    assert ("breastfeeding" in read_slots(question, drugs).people.conditions) == is_mother


def test_a_child_under_a_heading_on_breastfeeding_is_an_infant(drugs: DrugLexicon) -> None:
    given = statement("Give the child zolumycin 10 mg/kg.", headings=("2.5 Breastfeeding",))
    (age,) = statement_slots(given, drugs).people.ages
    assert (age.low, age.high) == (0, 2)


@pytest.mark.parametrize(
    ("question", "is_pair"),
    [
        ("zolumycin + TB drug (rifampin) ok?", True),
        ("Is zolumycin plus rifampin safe?", True),
        ("zolumycin + warfarin: do they interact?", True),
        ("zolumycin and warfarin", True),
        ("What about zolumycin with rifampin?", True),
        ("zolumycin or rifampin, which is safe?", False),
        ("dose of zolumycin and rifampin", False),
    ],
)
def test_two_drugs_that_may_be_given_together_are_a_pair(
    question: str, is_pair: bool, drugs: DrugLexicon
) -> None:
    assert bool(read_slots(question, drugs).partners) == is_pair


def test_the_next_step_of_a_patient_with_a_weight_is_no_dose(drugs: DrugLexicon) -> None:
    assert not read_slots(
        "On zolumycin, 52 kg, smear still positive. What next?", drugs
    ).asks_dosing
    assert not read_slots("On zolumycin, 52 kg. Should I prolong it?", drugs).asks_dosing
    assert read_slots("Zolumycin, 52 kg?", drugs).asks_dosing


def test_what_a_trial_found_in_failing_kidneys_is_no_dose(drugs: DrugLexicon) -> None:
    assert not read_slots("zolumycin: mortality with CrCl 40", drugs).asks_dosing
    assert read_slots("zolumycin with CrCl 40", drugs).asks_dosing


def test_a_case_of_several_lines_becomes_slots(drugs: DrugLexicon) -> None:
    case = (
        "A 72-year-old man has community-acquired pneumonia.\nWeight 58 kg, CrCl 22 mL/min. "
        "He is allergic to penicillin and takes zolumycin.\nWhich antibiotic and dose?"
    )
    slots: QuestionSlots = read_slots(case, drugs)
    assert slots.is_case
    assert slots.drugs == ()
    assert slots.partners == (ZOLUMYCIN,)
    assert [one.low for one in slots.people.ages] == [72]
    assert [one.low for one in slots.people.weights] == [58]
    assert [one.low for one in slots.people.kidney] == [22]
    assert slots.diseases == {"pneumonia.community"}
    assert slots.classes == frozenset()


@pytest.mark.parametrize(
    ("question", "is_for_child"),
    [
        ("dose for a 6-year-old", True),
        ("dose for a newborn", True),
        ("dose at 20 kg", True),
        ("dose at 62 kg", False),
        ("dose in adults", False),
        ("dose in children and adults", False),
        ("dose", False),
    ],
)
def test_a_child_is_known_by_age_or_weight(
    question: str, *, is_for_child: bool, drugs: DrugLexicon
) -> None:
    assert read_slots(question, drugs).is_for_child is is_for_child


@pytest.mark.parametrize(
    "question",
    [
        "She swallowed 6 g of zolumycin. Antidote?",
        "zolumycin 9 g overdose: what now?",
        "Took 40 x 50 mg zolumycin at noon, give her charcoal?",
    ],
)
def test_an_amount_taken_in_an_overdose_is_not_a_dose_suggested(
    question: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert slots.suggested == ()
    assert not slots.asks_dosing


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Smear still positive after 2 months of RHZE, what now?", False),
        ("Patient on RHZE has worms, can we give zolumycin now?", False),
        ("Patient on RHZE is jaundiced, what should I do?", False),
        ("RHZE began today, when is ART started?", False),
        ("What are the side effects of 3HP?", True),
        ("How long is the course of 3HP?", True),
        ("Who should not get 3HP?", True),
        ("Month 2 of RHZE: isoniazid resistant. Which drug goes in, for how long?", False),
        ("Month 2 of RHZE, which dose at 50 kg?", True),
    ],
)
def test_a_regimen_that_somebody_had_is_not_what_is_asked_about(
    question: str, asked: bool, drugs: DrugLexicon
) -> None:
    assert bool(read_slots(question, drugs).regimens) == asked


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which blood test before the 1st dose of zolumycin?", False),
        ("How was zolumycin given in the skin trials, what dose?", False),
        ("zolumycin in relapse, # of days", True),
        ("zolumycin: given how?", True),
        ("How far apart from chalk is zolumycin taken?", False),
        ("Zolumycin with chalk tablets: how far apart?", False),
        ("How long is contraception needed after zolumycin?", False),
        ("How is zolumycin given after the first dose reduction?", True),
    ],
)
def test_a_dose_that_tells_a_time_or_was_studied_is_not_asked(
    question: str, asks: bool, drugs: DrugLexicon
) -> None:
    assert read_slots(question, drugs).asks_dosing is asks


def test_a_device_that_is_asked_for_is_no_route(drugs: DrugLexicon) -> None:
    assert not read_slots("Zolumycin: which nebuliser?", drugs).routes
    assert read_slots("Zolumycin by nebuliser: dose?", drugs).routes


@pytest.mark.parametrize("said", ["no TB found.", "active TB excluded.", "does not have TB."])
def test_who_has_no_tuberculosis_is_asked_about_for_prevention(said: str, drugs: DrugLexicon):
    assert read_slots(f"Baby of a mother with TB, {said}", drugs).facet("stage") == {"latent"}


def test_the_drugs_of_its_own_regimen_are_no_partners(drugs: DrugLexicon):
    """What is said of one drug of a regimen had been dropped for naming none of the others."""
    own = read_slots("A man of 61 is on RHZE. He has numb feet. Can isoniazid be reduced?", drugs)
    assert (own.drugs, own.partners) == ((frozenset({"isoniazid"}),), ())
    other = read_slots("A man of 61 is on RHZE. He has numb feet. Can zolumycin be given?", drugs)
    assert frozenset({"rifampin"}) in other.partners


def test_disease_at_a_site_is_active(drugs: DrugLexicon):
    """Bone disease of a child had been answered with a regimen for latent infection."""
    said = "girl, 18 kg, osteoarticular TB. Which regimen?"
    assert read_slots(said, drugs).facet("stage") == {"active"}
    assert not read_slots("girl, 18 kg, pain in the joints. Which drug?", drugs).facet("stage")


def test_who_is_infected_by_a_test_asks_for_preventive_treatment(drugs: DrugLexicon) -> None:
    said = "Flatmate of a man whose isolate is isoniazid resistant. IGRA positive, well."
    slots = read_slots(f"{said} Which preventive regimen fits?", drugs)
    assert slots.diseases == {"tuberculosis"}
    assert slots.facet("stage") == {"latent"}
    assert not slots.facet("skin_test")
    assert read_slots(f"{said} Is the IGRA repeated?", drugs).facet("skin_test") == {"blood"}


def test_a_disease_excluded_in_the_child_is_that_of_the_mother(drugs: DrugLexicon) -> None:
    slots = read_slots("Mother with smear-positive TB, breastfeeding; baby has no TB.", drugs)
    assert slots.facet("stage") != {"latent"}
    exposed = read_slots("7 year old, well, dad smear-positive. Isoniazid?", drugs)
    assert exposed.facet("stage") == {"latent"}
    assert not exposed.facet("smear")
    contact = read_slots("Boy, 4, uncle has smear-positive TB; boy has no TB. Isoniazid?", drugs)
    assert contact.facet("stage") == {"latent"}


def test_what_a_partner_is_taken_for_is_no_disease_asked_about(drugs: DrugLexicon) -> None:
    question = "Zolumycin since May, rifampin for pneumonia now. Which zolumycin dose?"
    slots = read_slots(question, drugs)
    assert (slots.drugs, slots.partners) == ((ZOLUMYCIN,), (RIFAMPIN,))
    assert not slots.diseases


def test_a_state_of_the_liver_is_no_disease_that_a_drug_is_given_for(drugs: DrugLexicon) -> None:
    slots = read_slots("Dose of zolumycin in cirrhosis", drugs)
    assert not slots.diseases
    assert slots.people.conditions == {"hepatic_impairment"}


def test_what_a_partner_prevents_is_not_what_the_other_drug_is_for(drugs: DrugLexicon) -> None:
    case = "Teacher of 45 with leprosy, on rifampin prophylaxis. Keep the zolumycin or swap it?"
    assert read_slots(case, drugs).facet("purpose") == frozenset()


def test_a_story_asks_for_what_its_question_names(drugs: DrugLexicon) -> None:
    case = "A woman of 30 had her zolumycin dose yesterday at the clinic. Any side effects?"
    assert read_slots(case, drugs).aspects == {"adverse_effect"}
    assert (
        "dose"
        in read_slots("She lost her chart on the ferry to work. Zolumycin dose?", drugs).aspects
    )


@pytest.mark.parametrize(
    "said", ["Potter, 47, bad cough.", "Harpist 51 with a cough.", "A lad, ill."]
)
def test_who_has_an_age_is_a_patient(said: str, drugs: DrugLexicon) -> None:
    assert read_slots(f"{said} Dose of zolumycin?", drugs).is_case
    assert not read_slots("Day 12 on zolumycin. What next?", drugs).is_case


def test_strains_without_mdr_are_susceptible(drugs: DrugLexicon) -> None:
    assert read_slots("TB of the spine, no MDR: how long?", drugs).facet("resistance") == {
        "susceptible"
    }


def test_a_drug_of_a_regimen_is_no_unknown_one(drugs: DrugLexicon) -> None:
    slots = read_slots("12 weekly doses of isoniazid + rifapentine. How much of each?", drugs)
    assert not slots.unlisted
    assert slots.regimens
    assert read_slots("dose of xylostatin", drugs).unlisted


def test_a_maximum_is_a_dose_and_bad_disease_of_the_liver_severe(drugs: DrugLexicon) -> None:
    slots = read_slots("max zolumycin in someone with bad liver cirrhosis", drugs)
    assert slots.asks_dosing
    assert slots.people.liver == {"severe"}
    assert not read_slots("Maximum supply of zolumycin", drugs).asks_dosing


def test_the_drugs_of_a_regimen_that_somebody_is_on_are_taken(drugs: DrugLexicon) -> None:
    slots = read_slots("Patient on RHZE has worms, can we give zolumycin now?", drugs)
    assert slots.drugs == (frozenset({"zolumycin"}),)
    assert frozenset({"rifampin"}) in slots.partners


def test_a_level_in_the_blood_is_no_dose_unless_that_is_asked_as_well(drugs: DrugLexicon) -> None:
    assert not read_slots("After 1 g zolumycin, what peak level to expect?", drugs).asks_dosing
    assert read_slots("zolumycin dose and peak level", drugs).asks_dosing


def test_a_newborn_of_a_mother_who_is_ill_gets_a_dose_against_the_infection(
    drugs: DrugLexicon,
) -> None:
    question = "zolumycin for a newborn of a mother with TB: dose?"
    assert read_slots(question, drugs).facet("stage") == {"latent"}


def test_a_regimen_begun_with_something_else_is_passed(drugs: DrugLexicon) -> None:
    story = "New HIV, TB meningitis - RHZE + dexamethasone started 6 days ago."
    assert not read_slots(f"{story} ART inside 2 weeks, so begin now?", drugs).regimens


def test_what_a_laboratory_found_is_no_dose(drugs: DrugLexicon) -> None:
    assert not read_slots("Heart failure, Cr 2.8 mg/dL. Can I add zolumycin?", drugs).asks_dosing


def test_a_sentence_may_end_with_a_unit(drugs: DrugLexicon) -> None:
    asked = "Velotrib started in somebody on zolumycin 2 g. how much zolumycin can I give?"
    slots = read_slots(asked, drugs)
    assert (slots.drugs, slots.partners) == (
        (frozenset({"zolumycin"}),),
        (frozenset({"velotrib"}),),
    )
    assert with_capitals("Zolumycin 300 mg. daily. ok?") == "Zolumycin 300 mg. daily. Ok?"


def test_units_of_blood_are_no_dose(drugs: DrugLexicon) -> None:
    story = "Mid zolumycin course needs 2 units of"
    assert not read_slots(f"{story} red cells. Is he ok for a live vaccine?", drugs).asks_dosing
    assert read_slots(f"{story} zolumycin. Is that ok?", drugs).asks_dosing


def test_what_somebody_worries_about_was_not_found(drugs: DrugLexicon) -> None:
    assert not read_slots("She needs zolumycin, worry about tendons?", drugs).decides_on_finding
    assert read_slots("She has a bad tendon, can she have zolumycin?", drugs).decides_on_finding


@pytest.mark.parametrize(
    ("asked", "asks_dosing"),
    [
        ("Purple toes on zolumycin. Cut the dose or stop?", False),
        ("Purple toes on zolumycin. Stop it or halve the dose?", False),
        ("Purple toes on zolumycin. Which dose?", True),
    ],
)
def test_whether_to_stop_or_give_less_is_no_question_for_a_dose(
    asked: str, asks_dosing: bool, drugs: DrugLexicon
) -> None:
    assert read_slots(asked, drugs).asks_dosing is asks_dosing


def test_a_positive_skin_smear_is_of_leprosy(drugs: DrugLexicon) -> None:
    assert read_slots("Skin smear positive, how long is treatment?", drugs).diseases == {"leprosy"}
    assert read_slots("Smear positive, how long is treatment?", drugs).diseases != {"leprosy"}


def test_why_another_drug_was_given_decides_nothing(drugs: DrugLexicon) -> None:
    since = read_slots("She had a seizure so loaded with rifampin, now zolumycin?", drugs)
    assert not since.decides_on_finding
    assert read_slots("She had a seizure, can she have zolumycin?", drugs).decides_on_finding


def test_a_disease_that_nobody_has_is_not_asked_about(drugs: DrugLexicon) -> None:
    slots = read_slots("BP 150/95, no diabetes: does she need zolumycin?", drugs)
    assert (slots.diseases, slots.not_for) == (frozenset(), {"diabetes"})
    assert read_slots("No diabetes drugs at hand: zolumycin?", drugs).diseases == {"diabetes"}
    assert read_slots("No tuberculosis, is zolumycin needed?", drugs).diseases


def test_what_is_taken_with_a_drug_asks_for_no_dose_where_an_interaction_is_asked(
    drugs: DrugLexicon,
) -> None:
    slots = read_slots("Zolumycin 60 mg daily, needs rifampin. Interaction?", drugs)
    assert not slots.suggested
    assert not slots.asks_dosing
    assert read_slots("Zolumycin 60 mg daily with rifampin?", drugs).asks_dosing


@pytest.mark.parametrize(
    ("value", "decides"), [("K 4.6", False), ("K 6.1", True), ("Na 120", True)]
)
def test_a_normal_value_decides_nothing(value: str, decides: bool, drugs: DrugLexicon) -> None:
    asked = f"A man of 60 on rifampin, {value}. Can he have zolumycin?"
    assert read_slots(asked, drugs).decides_on_finding is decides


def test_why_a_dose_was_missed_is_not_what_it_is_for(drugs: DrugLexicon) -> None:
    missed = "Missed her zolumycin infusion because of pneumonia, now clear. Give it now?"
    assert read_slots(missed, drugs).diseases == frozenset()
    of_tb = "Missed a month of isoniazid for tuberculosis, start again?"
    assert read_slots(of_tb, drugs).diseases


@pytest.mark.parametrize(
    "reaction", ["Severe ENL", "A type 2 reaction", "Erythema nodosum leprosum"]
)
def test_a_reaction_of_leprosy_is_of_leprosy(reaction: str, drugs: DrugLexicon) -> None:
    assert read_slots(f"{reaction}: dose of zolumycin?", drugs).diseases == {"leprosy"}


@pytest.mark.parametrize(
    ("question", "has_finding"),
    [
        ("Zolumycin in a man with epilepsy?", True),
        ("Epilepsy since youth, now gait trouble: zolumycin?", True),
        ("Dose of gabapentin for a child with epilepsy?", False),
        ("Epilepsy on phenytoin, zolumycin to start?", False),
    ],
)
def test_epilepsy_is_a_finding_unless_a_drug_is_given_for_it(question, has_finding, drugs):
    found = {one.name for one in read_slots(question, drugs).findings}
    assert ("seizures" in found) is has_finding


def test_a_test_that_was_done_does_not_narrow_the_treatment_asked_for(drugs: DrugLexicon) -> None:
    found = (
        "Nurse, positive IGRA, normal film, contact has resistant TB. Which preventive treatment?"
    )
    assert not read_slots(found, drugs).facet("skin_test")
    assert read_slots("Nurse, normal film. Which IGRA before treatment?", drugs).facet("skin_test")


def test_what_a_drug_prevents_is_no_treatment(drugs: DrugLexicon) -> None:
    for text in ("zolumycin weekly for malaria prevention", "zolumycin for prevention of malaria"):
        assert read_slots(f"{text}, how many mg?", drugs).facet("purpose") == {"prevention"}
    harm = read_slots("zolumycin 5 mg to prevent isoniazid neuropathy?", drugs)
    assert not harm.facet("purpose")
    control = "Masks for infection prevention and control?"
    assert not read_slots(control, drugs).facet("purpose")

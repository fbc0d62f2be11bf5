"""What a question asks for: a frequency, a maximum, contraception, a test, and what it does not."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.fit.unmet import unmet
from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "aspects"),
    [
        ("zolumycin od or bd?", {"frequency"}),
        ("zolumycin once daily or twice weekly?", {"frequency"}),
        ("Is zolumycin once daily enough?", set()),
        ("zolumycin once daily or rifampin?", set()),
        ("Grand total of zolumycin over the course?", {"dose"}),
        ("zolumycin: daily amount that should not be exceeded?", {"dose"}),
        ("zolumycin total one shouldn't go past?", {"dose"}),
        ("Is the grand old man on zolumycin?", set()),
        ("Zolumycin: any patients lost to follow-up?", set()),
        ("Is a smear of use to see whether treatment is working?", {"monitoring"}),
        ("Zolumycin: heart checks and the total dose?", {"monitoring", "dose"}),
        ("Zolumycin: cardiac precautions?", {"monitoring"}),
        ("Zolumycin: how often do they need eye exams?", {"monitoring", "when"}),
        ("Zolumycin: TB skin test?", {"test"}),
        ("Zolumycin - what rate?", {"dose"}),
        ("How do I titrate zolumycin?", {"dose"}),
        ("Zolumycin: is there no cap on the total?", {"dose"}),
        ("Cough on zolumycin. Could it be the tablets?", {"adverse_effect"}),
        ("Zolumycin, numb feet. Is it from the drug?", {"adverse_effect"}),
        ("Zolumycin: what rate of jaundice?", set()),
        ("Zolumycin: whole schedule?", {"dose"}),
        ("Zolumycin needs to be reduced?", {"dose"}),
        ("The zolumycin box has changed, why?", {"why"}),
        ("She swallows badly. Dose of zolumycin?", {"dose"}),
        ("Zolumycin: how many hours apart should two tablets be taken?", {"when"}),
        ("Girl swallows a bottle of zolumycin. Dose of antidote?", set()),
    ],
)
def test_what_is_asked_for_is_read(question: str, aspects: set[str], drugs: DrugLexicon) -> None:
    assert read_slots(question, drugs).aspects == aspects


@pytest.mark.parametrize(
    ("question", "diseases"),
    [
        ("Zolumycin for leprosy: is birth control needed?", set()),
        ("Contraception with zolumycin for latent TB?", set()),
        ("Zolumycin for leprosy: how often?", {"leprosy"}),
        ("Is rifampin safe in a man on zolumycin 20 every day for leprosy?", set()),
        ("Skin test before zolumycin for leprosy?", set()),
        ("Skin test before zolumycin for TB?", {"tuberculosis"}),
        ("Is a skin test of use in leprosy?", {"leprosy"}),
    ],
)
def test_contraception_and_a_skin_test_do_not_turn_on_what_a_drug_is_for(
    question: str, diseases: set[str], drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert slots.diseases == diseases
    assert bool(slots.facet("stage")) is False


CONDOM = label("Use condoms while on zolumycin and a month after.", group="warnings")
DAILY = label("Zolumycin is taken once daily for a month.", group="dosage")


@pytest.mark.parametrize(
    ("question", "statement", "fits"),
    [
        ("How long is contraception needed on zolumycin?", CONDOM, True),
        ("How long is contraception needed on zolumycin?", DAILY, False),
        ("She uses condoms and is well. Zolumycin: how often?", DAILY, True),
        ("Does birth control work on zolumycin?", DAILY, False),
        ("May zolumycin tablets be swapped for the syrup?", DAILY, False),
    ],
)
def test_only_what_speaks_of_contraception_answers_on_it(
    question: str, statement: IndexedStatement, fits: bool, drugs: DrugLexicon
) -> None:
    """How long a drug is taken is not how long contraception is needed."""
    found = misfits(read_slots(question, drugs), statement, drugs)
    assert ("aspect" not in {one.slot for one in found}) is fits


def test_what_nothing_is_said_of_is_named(drugs: DrugLexicon) -> None:
    slots = read_slots("Is contraception needed on zolumycin?", drugs)
    assert unmet(slots, [misfits(slots, DAILY, drugs)]).endswith("is about contraception.")
    assert not unmet(slots, [misfits(slots, one, drugs) for one in (DAILY, CONDOM)])
    dose = read_slots("Dose of zolumycin?", drugs)
    nausea = misfits(dose, label("Nausea is common."), drugs)
    assert unmet(dose, [nausea]) == "No dose of zolumycin in these sources."
    both = read_slots("Dose of zolumycin, and how many days?", drugs)
    silent = misfits(both, label("Zolumycin may cause nausea."), drugs)
    assert unmet(both, [silent]) == "No dose of zolumycin in these sources."
    loading = read_slots("loading dose of zolumycin", drugs)
    with_others = label("With velotrib, zolumycin 100 mg daily.")
    found = unmet(loading, [misfits(loading, one, drugs) for one in (DAILY, with_others)])
    assert found.endswith("is about a loading dose.")


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ("For isoniazid-resistant tuberculosis it is not recommended to add zolumycin.", True),
        ("For isoniazid-resistant tuberculosis it is not recommended to add velotrib.", False),
        ("For pneumonia it is not recommended to add zolumycin.", False),
        ("For isoniazid-resistant tuberculosis zolumycin may cause nausea.", False),
    ],
)
def test_what_forbids_a_drug_for_the_disease_answers_for_how_long(
    said: str, answers: bool, drugs: DrugLexicon
) -> None:
    question = "For how many weeks is zolumycin added in isoniazid-resistant tuberculosis?"
    found = misfits(read_slots(question, drugs), label(said, group="dosage"), drugs)
    assert ("aspect" not in {one.slot for one in found}) is answers


def test_how_often_a_disease_is_names_no_treatment_to_choose(drugs: DrugLexicon) -> None:
    slots = read_slots("Mycoplasma in a child: which antibiotic class?", drugs)
    assert "regimen" in slots.aspects
    often = statement("Mycoplasma is most frequent at 5 to 9 years.")
    given = statement("Macrolides are the antimicrobials of choice.")
    found = [{one.slot for one in misfits(slots, one, drugs)} for one in (often, given)]
    assert ["aspect" in slots for slots in found] == [True, False]


@pytest.mark.parametrize(
    ("question", "fits"),
    [("zolumycin with rifampin", False), ("How does zolumycin work?", True)],
)
def test_how_a_drug_works_answers_only_where_that_is_asked(
    question: str, *, fits: bool, drugs: DrugLexicon
) -> None:
    how = label("Zolumycin inhibits the synthesis of mycolic acids.", "zolumycin", "rifampin")
    slots = {one.slot for one in misfits(read_slots(question, drugs), how, drugs)}
    assert ("aspect" not in slots) is fits


@pytest.mark.parametrize(
    ("question", "fits"),
    [("zolumycin dose on dialysis", False), ("zolumycin dose in asthma", True)],
)
def test_the_dose_of_a_row_is_not_for_those_it_is_contraindicated_in(
    question: str, *, fits: bool, drugs: DrugLexicon
) -> None:
    said = "Drug: Zolumycin; Dose: 15 mg/kg; Contraindications: optic neuritis, kidney failure"
    row = statement(said, statement_kind="row")
    slots = {one.slot for one in misfits(read_slots(question, drugs), row, drugs)}
    assert ("people" not in slots) is fits


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ("Obtain an ECG before and 2 weeks after starting zolumycin.", True),
        ("Zolumycin is used beyond 6 months with schedules of QT-prolonging drugs.", False),
    ],
)
def test_a_question_on_the_ecg_is_answered_by_what_speaks_of_one(
    said: str, *, fits: bool, drugs: DrugLexicon
) -> None:
    slots = read_slots("How often should the ECG be done on zolumycin?", drugs)
    assert ("aspect" not in {one.slot for one in misfits(slots, label(said), drugs)}) is fits


def test_how_often_a_test_is_positive_asks_for_no_interval(drugs: DrugLexicon) -> None:
    assert not read_slots("Pleural fluid AFB stain, how often positive?", drugs).aspects


@pytest.mark.parametrize(
    ("question", "aspects"),
    [
        ("Grapefruit juice and zolumycin: how much is too much?", {"when"}),
        (
            "Zolumycin and iron tablets, can she take them together?",
            {"interaction", "contraindication"},
        ),
        ("Zolumycin extravasated, antidote?", set()),
    ],
)
def test_how_much_of_a_food_and_what_goes_together_ask_for_no_dose(
    question: str, aspects: set[str], drugs: DrugLexicon
) -> None:
    assert read_slots(question, drugs).aspects == aspects


def test_a_matter_that_a_label_does_not_speak_of_has_no_answer(drugs: DrugLexicon) -> None:
    said = label("An overdose of zolumycin lowers the pulse.", group="overdosage")
    for asked in ("Zolumycin extravasated, antidote?", "Zolumycin with grapefruit?"):
        assert misfits(read_slots(asked, drugs), said, drugs)


@pytest.mark.parametrize(
    ("question", "has_duration"),
    [
        ("How long is made-up zolumycin good for?", False),
        ("How long till we bin the zolumycin vial?", False),
        ("How long do I keep giving zolumycin?", True),
    ],
)
def test_how_long_something_keeps_is_no_duration(question: str, has_duration: bool, drugs) -> None:
    assert ("duration" in read_slots(question, drugs).aspects) == has_duration


def test_what_else_somebody_needs_is_a_regimen(drugs) -> None:
    slots = read_slots("Child-Pugh B, on zolumycin - does she need anything added?", drugs)
    assert slots.aspects == {"regimen"}


def test_symptoms_like_those_of_flu_are_no_disease(drugs) -> None:
    assert not read_slots("Flu symptoms on zolumycin, what dose?", drugs).diseases
    assert read_slots("Zolumycin for flu, what dose?", drugs).diseases == {"influenza"}


def test_how_big_a_gap_is_asks_for_a_time(drugs) -> None:
    slots = read_slots("Moving from rifampin to zolumycin, how big a gap?", drugs)
    assert "duration" in slots.aspects
    assert not asked_matters(slots.text)


@pytest.mark.parametrize(
    ("question", "has_disease"),
    [
        ("Zolumycin pen for MS: dose?", True),
        ("58F MS, zolumycin: dose?", True),
        ("MS pt, on zolumycin. Dose?", True),
        ("QTc 520 ms, on zolumycin. Dose?", False),
        ("MS contin with zolumycin: dose?", False),
    ],
)
def test_ms_is_a_disease_where_it_is_no_unit_and_no_drug(
    question: str, has_disease: bool, drugs: DrugLexicon
) -> None:
    assert ("multiple_sclerosis" in read_slots(question, drugs).diseases) is has_disease


def test_what_a_reaction_settled_with_is_no_purpose(drugs: DrugLexicon) -> None:
    facet = read_slots("A rash on zolumycin, settled with treatment. Which rate?", drugs).facet
    assert not facet("purpose")


def test_the_longest_course_is_a_duration(drugs: DrugLexicon) -> None:
    assert "duration" in read_slots("Zolumycin: how given, longest course?", drugs).aspects


def test_whether_one_drug_may_replace_another_asks_for_no_time(drugs: DrugLexicon) -> None:
    assert "when" not in read_slots("Can I swap zolumycin for velotrib?", drugs).aspects
    assert "when" in read_slots("When can I swap zolumycin for velotrib?", drugs).aspects

"""Whom a text is for."""

from __future__ import annotations

import math

import pytest

from clinrag_core.answer.fit.ranges import in_words
from clinrag_core.facts.people import GROWING, is_for_all, read_people, with_ages, without_compared
from clinrag_core.facts.stated_ages import asked_age


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("children and adults", [(0, 18), (18, float("inf"))]),
        ("children 2 to 12 years", [(2, 12)]),
        ("older adults", [(60, float("inf"))]),
        ("Pediatric patients 2 years of age and older", [(2, GROWING)]),
        ("children over 5 years", [(5, GROWING)]),
        ("adults and pediatric patients 3 years of age and older", [(3, float("inf"))]),
        ("people 2 years of age and older", [(2, float("inf"))]),
        ("dose in over-60s", [(60, float("inf"))]),
        ("maximum dose over 60", [(60, float("inf"))]),
        ("dose over 60 minutes", []),
        ("dose over 60 mg", []),
        ("dose over 2 g", []),
        ("the under 5s", [(0, 5)]),
        ("push it over 60s", []),
        ("a premature baby", [(0, 29 / 365.25)]),
        ("postmenstrual age 36 weeks", [(0, 29 / 365.25)]),
        ("gestational age of 34 weeks or more", []),
        ("premature ventricular beats", []),
        ("Use in pregnancy", []),
        ("a breastfed infant of a mother who is breastfeeding", []),
        ("mixed with infant formula in a child-resistant bottle", []),
        ("had the vaccine as a baby", []),
        ("Children under the age of five", [(0.0, 5.0)]),
        ("children under the age of 5", [(0.0, 5.0)]),
        ("children under the age of 6 months", [(0.0, 0.5)]),
        ("children younger than age five", [(0.0, 5.0)]),
        ("children under five", [(0.0, 5.0)]),
        ("over the age of 65", [(65.0, math.inf)]),
    ],
)
def test_groups_are_ages_and_figures_narrow_them(
    text: str, ages: list[tuple[float, float]]
) -> None:
    assert [(one.low, one.high) for one in read_people(text).ages] == ages


def test_a_newborn_is_up_to_28_days_old() -> None:
    (age,) = read_people("Newborns").ages
    assert age.has(28 / 365.25)
    assert not age.has(30 / 365.25)


@pytest.mark.parametrize(
    ("text", "conditions", "excluded"),
    [
        ("pregnant women", {"pregnancy"}, set[str]()),
        ("harm to the fetus", {"pregnancy"}, set[str]()),
        ("Woman at 39 weeks with cystitis", {"pregnancy"}, set[str]()),
        ("G2P1, 12/40, cough", {"pregnancy"}, set[str]()),
        ("the culture at 8 weeks", set[str](), set[str]()),
        ("non-pregnant adults", set[str](), {"pregnancy"}),
        ("adults without renal impairment", set[str](), {"renal_impairment"}),
        ("women without previously documented pregnancy", set[str](), {"pregnancy"}),
        ("normal renal function", set[str](), {"renal_impairment"}),
        ("not on dialysis", set[str](), {"dialysis"}),
        ("CKD stage 5 not yet on dialysis", {"renal_impairment"}, {"dialysis"}),
        ("58M ESRF", {"renal_impairment"}, set[str]()),
        ("trying for a baby", {"pregnancy"}, set[str]()),
        ("on hemodialysis", {"renal_impairment", "dialysis"}, set[str]()),
        ("creatinine clearance 20 mL/min", {"renal_impairment"}, set[str]()),
        ("creatinine clearance above 50 mL/min", set[str](), set[str]()),
        ("patients with cirrhosis", {"hepatic_impairment"}, set[str]()),
        ("hepatically impaired patients", {"hepatic_impairment"}, set[str]()),
        ("adults with or without cirrhosis", set[str](), set[str]()),
        ("adults without cirrhosis or with compensated cirrhosis", set[str](), set[str]()),
    ],
)
def test_conditions_are_read_with_those_left_out(
    text: str, conditions: set[str], excluded: set[str]
) -> None:
    people = read_people(text)
    assert (people.conditions, people.excluded) == (conditions, excluded)


def test_weeks_of_a_woman_tell_the_trimester() -> None:
    assert read_people("She is at 39 weeks").trimesters == {"third_trimester"}
    assert read_people("pregnant, 28/40").trimesters == {"third_trimester"}
    for one in ("visual acuity 20/40", "BP 35/40"):
        found = read_people(one)
        assert (found.trimesters, found.conditions) == (frozenset(), frozenset())
    assert not read_people("women whose culture at 8 weeks is positive").trimesters


@pytest.mark.parametrize(
    "text",
    ["dialysis not yet", "pre-dialysis", "Dialysis: none.", "haemodialysis declined",
     "dialysis is not yet needed", "not yet on dialysis", "renal replacement therapy refused",
     "not yet needing dialysis"],
)  # fmt: skip
def test_who_has_no_dialysis_so_far_is_not_on_it(text: str) -> None:
    people = read_people(text)
    assert "dialysis" not in people.conditions
    assert "dialysis" in people.excluded


@pytest.mark.parametrize(
    "text",
    ["Haemodialysis: no extra amount is due", "A top-up after haemodialysis is not needed.",
     "Changes for people on dialysis are not required.",
     "dialysis is never a reason to stop"],
)  # fmt: skip
def test_what_is_not_needed_on_dialysis_is_for_people_on_it(text: str) -> None:
    people = read_people(text)
    assert "dialysis" in people.conditions
    assert not people.excluded


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("renal failure not yet on dialysis", "renal_impairment"),
        ("cirrhosis not yet decompensated", "hepatic_impairment"),
        ("Renal impairment: no change is due", "renal_impairment"),
        ("pregnancy: never give it", "pregnancy"),
        ("you should not breastfeed for two days after it", "breastfeeding"),
        ("breastfeeding is never a reason to stop", "breastfeeding"),
    ],
)
def test_a_condition_stays_where_something_else_is_denied(text: str, condition: str) -> None:
    people = read_people(text)
    assert condition in people.conditions
    assert condition not in people.excluded


@pytest.mark.parametrize(
    ("text", "trimester"),
    [
        ("the first trimester of pregnancy", "first_trimester"),
        ("20 weeks pregnant", "second_trimester"),
        ("pregnant, 30 weeks", "third_trimester"),
        ("in the first trimester?", "first_trimester"),
    ],
)
def test_weeks_of_pregnancy_are_a_trimester(text: str, trimester: str) -> None:
    assert read_people(text).trimesters == {trimester}
    assert read_people(text).conditions == {"pregnancy"}


@pytest.mark.parametrize(
    "text",
    [
        "patients with impaired renal or hepatic function",
        "if hepatic and renal functions become impaired",
        "patients with renal or hepatic insufficiency",
    ],
)
def test_kidneys_and_liver_may_be_named_together(text: str) -> None:
    assert read_people(text).conditions == {"renal_impairment", "hepatic_impairment"}
    assert read_people("acute hepatocellular disease").conditions == {"hepatic_impairment"}


def test_animals_are_named() -> None:
    assert read_people("given to pregnant rats and rabbits").animals == {"rats", "rabbits"}


def test_the_class_of_child_and_pugh_is_read_without_the_second_name() -> None:
    assert read_people("decompensated, Child C cirrhosis").liver == {"severe"}
    assert read_people("liver failure, Child-Pugh 12").liver == {"severe"}
    assert read_people("Child-Pugh score of 8").liver == {"moderate"}
    assert read_people("Child-Pugh class A, score 5").liver == {"mild"}
    for text in ("dose in Child Pugh A?", "cirrhosis, CTP A", "CP-A cirrhosis"):
        assert read_people(text).liver == {"mild"}
        assert read_people(text).conditions == {"hepatic_impairment"}
    assert read_people("Child Pugh A? and B?").liver == {"mild", "moderate"}
    assert not read_people("CP-B of the chest wall").liver
    compensated = read_people("cirrhosis (Child A), may he have it?")
    assert compensated.liver == {"mild"}
    assert not compensated.ages
    assert not read_people("Give the child a dose.").liver


def test_an_unborn_child_and_an_animal_that_bites_are_no_patients() -> None:
    assert read_people("they are trying for a baby").ages == ()
    assert read_people("cellulitis from a cat scratch").animals == frozenset()
    assert read_people("bitten by a dog on Sunday").animals == frozenset()
    assert read_people("the dose for a cat").animals


def test_a_group_that_is_included_in_all_narrows_nothing() -> None:
    assert not read_people("All patients, including children, give two specimens.")
    assert read_people("Some patients, including children, give two specimens.").ages


def test_adults_that_a_child_is_compared_with_are_not_asked_about() -> None:
    text = without_compared("6-year-old with cirrhosis: halve the dose like in adults?")
    assert [(one.low, one.high) for one in read_people(text).ages] == [(6, 6)]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("stage 4 CKD", 15, 30), ("CKD 3b", 30, 45), ("CKD stage 5", 0, 15)],
)
def test_a_stage_of_kidney_disease_is_a_clearance(text: str, low: float, high: float) -> None:
    (kidney,) = read_people(text).kidney
    assert (kidney.low, kidney.high) == (low, high)


@pytest.mark.parametrize("text", ["for kids", "peds dose", "paeds", "a toddler", "school-age"])
def test_children_have_other_names(text: str) -> None:
    assert [(one.low, one.high) for one in read_people(text).ages] == [(0.0, 18.0)]
    assert not read_people("kidneys and pedals").ages


def test_whoever_plans_a_baby_is_asked_about_as_pregnant() -> None:
    people = read_people("a woman planning a baby")
    assert (people.conditions, people.ages) == ({"pregnancy"}, ())


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("Before the first dose: baseline eGFR, baseline liver tests", set()),
        ("Obtain eGFR in all patients", set()),
        ("eGFR below 30 mL/min", {"renal_impairment"}),
    ],
)
def test_a_measure_to_be_taken_is_of_everybody(text: str, conditions: set[str]) -> None:
    people = read_people(text)
    assert people.conditions == conditions
    assert not people.excluded


def test_decompensated_cirrhosis_is_of_class_b_or_c() -> None:
    assert read_people("decompensated cirrhosis").liver == {"moderate", "severe"}
    assert read_people("decompensated cirrhosis, Child-Pugh B").liver == {"moderate"}


def test_bare_limits_in_a_table_on_ages_are_ages() -> None:
    row = "zolumycin: > 2 months"
    (age,) = read_people(with_ages(row, "Medicines with age restrictions")).ages
    assert (round(age.low * 12), age.high) == (2, math.inf)
    assert in_words([age]) == "more than 2 months"
    assert not read_people(with_ages(row, "Length of courses")).ages


def test_what_holds_for_all_patients_is_for_nobody_in_particular():
    assert is_for_all("The usual duration for all patients is seven days.")
    assert not is_for_all("It is halved in all patients with a failing liver.")


def test_children_with_an_illness_over_an_age_are_no_adults():
    (over,) = read_people("Children living with HIV who are more than 12 months of age").ages
    assert over.high < 18


def test_doses_of_adults_and_the_trimester_of_a_start_name_nobody():
    assert not read_people("Children over 40 kg use adult dosages and are weighed.").ages[1:]
    assert not read_people("It should be started in the second trimester.").conditions
    assert read_people("Adult patients in the second trimester").conditions == {"pregnancy"}


@pytest.mark.parametrize(
    ("text", "years"),
    [("a man of 66", 66.0), ("a man of 115 pounds", None), ("a man of 70 kg", None)],
)
def test_how_heavy_somebody_is_is_no_age(text: str, years: float | None) -> None:
    found = asked_age(text)
    assert (found[2] if found else None) == years

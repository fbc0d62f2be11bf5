"""What is given, how, how often and when: a strength is no dose, a time that passed no course."""

import pytest

from clinrag_core.facts.populations import (
    goes_on_about_people,
    is_for_several_groups,
    people_labels,
)
from clinrag_core.facts.quantities import Quantity, quantities
from clinrag_core.facts.routes import (
    allows_one_route,
    asked_routes,
    forbids_route,
    gap_to_forbidden,
    is_by_meals,
    names_meals,
    stated_routes,
)
from clinrag_core.facts.strengths import given_amounts, product_strengths
from clinrag_core.facts.times import frequency_of, has_passed, is_same_time


def only(text: str, kind: str) -> Quantity:
    (found,) = [one for one in quantities(text) if one.kind == kind]
    return found


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Testazid (1 g vial): 15 mg/kg a day", ["15 mg/kg"]),
        ("Its MIC (2 mg) is low; give 400 mg", ["400 mg"]),
        ("A level of 4 mcg/mL is wanted after 600 mg", ["600 mg"]),
        ("At 40 kg give 300 mg", ["300 mg"]),
    ],
)
def test_strengths_and_measured_values_are_not_given(text, given):
    amounts = given_amounts(text, quantities(text), in_row=False)
    assert [text[one.start : one.end] for one in amounts] == given


def test_a_bracket_without_a_form_is_a_strength_in_a_row_only():
    text = "Testazid (100, 300 mg): 5 mg/kg"
    in_row = given_amounts(text, quantities(text), in_row=True)
    assert [text[one.start : one.end] for one in in_row] == ["5 mg/kg"]
    assert len(given_amounts(text, quantities(text), in_row=False)) > len(in_row)


def test_strengths_of_a_product_have_one_figure_for_each_drug():
    text = "tablets of 7.5 mg/325 mg or 75/50/150"
    assert product_strengths(text, 2) == {"7.5/325"}
    assert product_strengths(text, 3) == {"75/50/150"}
    assert product_strengths("a pressure of 120/80 mm", 2) == frozenset()


def test_a_text_may_allow_one_route_only():
    assert allows_one_route("For intramuscular use only.")
    assert allows_one_route("It is given only by deep intramuscular injection")
    assert not allows_one_route("Only adults take it; oral and intravenous forms exist")


def test_routes_asked_about_leave_out_those_denied():
    assert asked_routes("Can it be given as an injection?") == {
        "intravenous", "intramuscular", "subcutaneous", "intradermal",
    }  # fmt: skip
    assert asked_routes("the dose by mouth") == {"oral"}
    assert asked_routes("Can it be given IV if pt refuses IM?") == {"intravenous"}
    assert asked_routes("IV, he declined oral drugs") == {"intravenous"}
    assert asked_routes("How long is it taken after inhaled anthrax?") == set()
    assert asked_routes("Is it inhaled?") == {"inhaled"}
    said = "It is not to be used for epidural blocks, nor intrathecally."
    assert stated_routes(said) == {"epidural", "intrathecal"}
    assert forbids_route(said, frozenset({"epidural"}))
    assert asked_routes("An epidural catheter is in place. When is it given?") == set()
    assert asked_routes("The dose through the epidural catheter?") == {"epidural"}
    assert asked_routes("The dose for a child at a health centre IV?") == set()
    assert asked_routes("Class III or IV heart failure: may he have it?") == set()
    assert asked_routes("Grade IV reaction: IV dose?") == {"intravenous"}
    assert asked_routes("The dose in leprosy? The one I found is a gel.") == set()
    assert asked_routes("The dose in leprosy, as a gel?") == {"topical"}
    assert stated_routes("It is a soft gel capsule.") == {"oral"}
    assert asked_routes("through the drip, no muscle to inject") == {"intravenous"}
    assert asked_routes("injected into the muscle") == {"intramuscular"}
    assert asked_routes("the dose") == frozenset()


def test_meals_time_a_dose():
    assert names_meals("Is it taken before breakfast?")
    assert is_by_meals("It is taken one hour before food.")
    assert not is_by_meals("Food poisoning was seen before the trial.")


def test_how_often_is_said_after_an_amount_or_in_the_heading_of_its_cell():
    said = "Adults take 300 mg twice daily"
    rate = frequency_of(said, only(said, "dose"), quantities(said), len(said), in_row=False)
    assert rate is not None
    assert said[rate.start : rate.end] == "twice daily"
    row = "Once daily: 300 mg; three times a week: none"
    rate = frequency_of(row, only(row, "dose"), quantities(row), len(row), in_row=True)
    assert rate is not None
    assert row[rate.start : rate.end] == "Once daily"


def test_a_time_that_passed_is_no_course():
    passed, course = "two months into treatment", "two months of treatment"
    assert has_passed(passed, only(passed, "duration"))
    assert not has_passed(course, only(course, "duration"))


def test_weeks_and_months_are_compared_to_a_tenth():
    half_a_year, weeks, more = (only(t, "duration") for t in ("6 months", "26 weeks", "32 weeks"))
    assert is_same_time(weeks, half_a_year)
    assert not is_same_time(more, half_a_year)


def test_labels_of_people_and_what_goes_on_about_them():
    assert people_labels("Infections in Adults and Children Adults: 10 mg") == [34]
    assert is_for_several_groups("for elderly patients and for those with asthma")
    assert is_for_several_groups("in hepatic or renal impairment")
    assert not is_for_several_groups("for elderly patients with fever and cough")
    assert not is_for_several_groups("in hepatic and renal impairment")
    assert goes_on_about_people("These children need a lower dose.")
    assert not goes_on_about_people("Children need a lower dose.")


def test_how_another_drug_is_taken_is_no_route_asked_about():
    taken = "On velotrib injections, may zolumycin be added?"
    assert asked_routes(taken, {"zolumycin"}) == frozenset()
    assert "intramuscular" in asked_routes(taken, {"velotrib"})
    assert asked_routes("Swap zolumycin for an injectable?") == frozenset()


def test_what_the_patient_is_told_goes_on_about_people() -> None:
    assert goes_on_about_people("The patient should be instructed to use another method.")
    assert not goes_on_about_people("The patient should take it with food.")


def test_a_dose_into_the_spine_is_intrathecal_and_a_space_is_no_route():
    assert asked_routes("Spinal dose of zolumycin") == {"intrathecal"}
    assert asked_routes("Can it be given spinally?") == {"intrathecal"}
    assert not stated_routes("The catheter may enter the subarachnoid space.")


def test_what_forbids_a_route_in_fewer_words_forbids_it_more_plainly():
    spinal = frozenset({"intrathecal"})
    plain = gap_to_forbidden("It is not to be used for subarachnoid administration.", spinal)
    aside = gap_to_forbidden("It should not be used: nothing is known of intrathecal use.", spinal)
    far = gap_to_forbidden("It should not be used, for safety, by intrathecal injection.", spinal)
    assert plain is not None
    assert far is not None
    assert plain < far
    assert aside is None

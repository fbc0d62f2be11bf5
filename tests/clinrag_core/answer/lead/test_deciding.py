"""What decides a question whatever is nearest to it; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.lead.cautions import with_caution
from clinrag_core.answer.lead.deciding import deciding
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
OLDER = statement(
    "BPaL is for people who had no previous exposure to bedaquiline beyond 2 weeks.",
    year=2020,
).model_copy(update={"document_id": "older"})
NEWER = statement(
    "BPaL is used in people with no previous exposure to bedaquiline or of less than a month.",
    year=2025,
).model_copy(update={"document_id": "newer"})
OF_REGIMEN = statement("BPaL has bedaquiline, pretomanid and linezolid.", year=2025)
LAST_RESORT = statement("In adults zolumycin may only be given if rifampin is not used.")
PRESERVED = label(
    "Vials with preservative are not to be used for an epidural.", group="indications"
)
EPIDURAL = label("For an epidural give 20 mg of zolumycin.", group="dosage")
CONTACTS = statement(
    "Contacts with latent infection by rifampin-resistant tuberculosis get 9 months of isoniazid."
)


def decided(question: str, *statements) -> list:
    ranked = [RankedStatement(one, "guideline", 5.0, 0.5) for one in statements]
    found = deciding(ranked, [], read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return [one.statement for one in found]


def urged(question: str, *statements) -> list:
    ranked = [RankedStatement(one, "guideline", 5.0, 0.5) for one in statements]
    found = with_caution(ranked, read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return [one.statement for one in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("He had bedaquiline for 3 weeks last year. Can he have BPaL?", [NEWER, OLDER]),
        ("Man of 40. Two years ago he had bedaquiline. Can I put him on BPaL?", [NEWER, OLDER]),
        ("Man of 40. Can I put him on BPaL?", []),
    ],
)
def test_earlier_use_decides_who_may_have_a_regimen_the_newer_guideline_first(question, expected):
    assert decided(question, OF_REGIMEN, OLDER, NEWER) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Only the multi-dose vial of zolumycin is here for an epidural. Use it?", [PRESERVED]),
        ("Which dose of zolumycin for an epidural?", []),
    ],
)
def test_a_product_with_a_preservative_is_forbidden_unless_the_dose_of_another_is_asked(
    question, expected
):
    assert decided(question, PRESERVED, EPIDURAL) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can a man of 34 have zolumycin?", [LAST_RESORT]),
        ("Can a man of 34 have rifampin?", []),
    ],
)
def test_a_condition_decides_for_the_drug_that_is_given_on_it(question, expected):
    assert decided(question, LAST_RESORT) == expected


WITH_HIV = statement(
    "In adults living with HIV zolumycin may only be given if there was a contact."
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can an HIV positive man of 34 have zolumycin?", [WITH_HIV]),
        ("Can a man of 34 have zolumycin?", []),
    ],
)
def test_a_condition_for_people_with_hiv_decides_for_them_only(question, expected):
    assert decided(question, WITH_HIV) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Contact of rifampin-resistant TB, disease excluded: 4R?", [CONTACTS]),
        ("Contact of rifampin-resistant TB, disease excluded: zolumycin?", []),
        ("Contact of isoniazid-resistant TB, disease excluded: isoniazid?", []),
        ("Contact of a rifampin-resistant case, disease excluded: 4R?", [CONTACTS]),
    ],
)
def test_contacts_of_resistant_disease_get_what_acts_on_it(question, expected):
    assert decided(question, CONTACTS) == expected


def test_what_is_for_the_very_strains_leads_where_it_is_known_what_acts_on_them():
    against = statement("Contacts of MDR-TB patients should not receive isoniazid preventively.")
    given = statement("A contact of isoniazid-resistant but rifampin-susceptible TB may have 4R.")
    question = "Latent TB, contact of isoniazid-resistant (rifampin-susceptible) TB. isoniazid?"
    assert decided(question, against, given) == [given]
    assert decided("Latent TB, contact of MDR-TB. isoniazid?", against, given) == [against]


def test_what_is_against_a_regimen_says_nothing_of_its_drug_that_works():
    against = statement("The 3HP regimen should not be given to contacts of rifampin-resistant TB.")
    assert decided("Contact of rifampin-resistant TB: 3HP?", against) == [against]
    assert decided("Contact of rifampin-resistant TB: how long isoniazid?", against) == []


ENDS = statement("If somebody on preventive therapy develops active TB, it must be stopped.")
EXCLUDE = statement("Active TB must be excluded before preventive therapy.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("On IPT, now Xpert positive. Finish the isoniazid?", [ENDS]),
        ("On 3HP week 5, the culture grew M. tuberculosis. Continue?", [ENDS]),
        ("Child of 3, contact of a smear positive man: IPT?", []),
    ],
)
def test_prevention_ends_where_a_test_found_disease(question, expected):
    assert decided(question, EXCLUDE, ENDS) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Rifabutin for a boy of 5?", ["not"]),
        ("Rifabutin for a man of 40?", []),
    ],
)
def test_what_a_guideline_forbids_to_children_decides_before_the_age_of_others(question, expected):
    forbids = statement("Rifabutin is not recommended in children.")
    gives = statement("Rifabutin may be given to patients aged 18 years or more.")
    found = decided(question, gives, forbids)
    assert found == ([forbids] if expected else [])


def test_a_finding_that_forbids_a_drug_is_not_hidden_by_an_allergy_to_another():
    crosses = label("Ask for hypersensitivity to other penicillins first.", group="warnings")
    long_qt = label("Stop zolumycin at a QTcF interval of more than 500 ms.", group="warnings")
    question = "Man of 28, allergic to penicillin, QTcF 520 ms. Zolumycin?"
    assert decided(question, crosses, long_qt) == [crosses, long_qt]
    assert decided("Allergic to penicillin. Zolumycin?", crosses, long_qt) == [crosses]


USEFUL = statement("Rifampin and pyrazinamide may be useful for latent infection.")
CARE = statement("RIF-PZA for latent infection should be used with caution.", year=2001)
BARS = statement("RIF-PZA is not recommended for persons with a liver disease.")
PREFERRED = statement("Preferred regimens for latent infection have no such drug.", year=2020)


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("2 months of rifampin and pyrazinamide for latent TB, ok?", True),
        ("Rifampin plus pyrazinamide for latent TB?", True),
        ("Pyrazinamide alone for latent TB: what dose?", True),
        ("Pyrazinamide for TB disease: what dose?", False),
        ("Dose of RIF-PZA for latent TB?", False),
        ("Why is RIF-PZA no longer used for latent TB?", False),
        ("Rifampin or isoniazid for latent TB?", False),
    ],
)
def test_care_with_a_regimen_for_infection_comes_before_that_it_may_be_useful(
    question: str, *, shown: bool
):
    assert urged(question, USEFUL, PREFERRED, BARS, CARE) == (
        [CARE, BARS, PREFERRED] if shown else []
    )
    assert urged(question, USEFUL, PREFERRED, BARS) == []


def test_what_bars_a_regimen_for_what_was_found_comes_before_the_care_with_it():
    barred = statement("RIF-PZA is not recommended for those who had INH-associated liver injury.")
    question = "She had hepatitis on isoniazid. Could she take RIF-PZA for latent TB?"
    assert urged(question, CARE, barred) == [barred, CARE]
    assert urged("Could she take RIF-PZA for latent TB?", CARE, barred) == [CARE, barred]


def test_what_is_asked_besides_follows_the_care_with_a_regimen():
    supply = statement("No more than a week's supply of RIF-PZA should be dispensed at a time.")
    told = statement("Of RIF-PZA a supply for a time was handed out to some.")
    question = "RIF-PZA for latent TB: most supply to hand out at one time?"
    assert urged(question, CARE, told, supply) == [CARE, supply]


def test_an_older_preference_says_nothing_against_care_with_a_regimen():
    older = PREFERRED.model_copy(update={"year": 1999})
    assert urged("Rifampin plus pyrazinamide for latent TB?", older, CARE) == [CARE]


def test_what_is_left_out_in_those_with_two_diseases_comes_before_the_dose_for_one():
    dose = statement("Rifampin for TB: 600 mg daily.")
    both = statement("In leprosy with TB the regimen should omit rifampin.")
    asked = "Leprosy and TB on RHZE. Rifampin 600 mg monthly as well?"
    assert decided(asked, dose, both) == [both]
    assert decided("TB on RHZE. Rifampin 600 mg monthly as well?", dose, both) == []


ESTABLISHED = label(
    "The safety of zolumycin has been established in patients aged 3 months and older.",
    group="specific_populations",
)
NOT_YET = label(
    "The safety of zolumycin has not been established in patients aged 3 months and older.",
    group="specific_populations",
)


@pytest.mark.parametrize(
    ("question", "said", "is_led"),
    [
        ("Zolumycin for infants under 3 months", ESTABLISHED, True),
        ("Can a 1-month-old have zolumycin?", ESTABLISHED, True),
        ("Zolumycin for a 5-year-old", ESTABLISHED, False),
        ("Zolumycin for infants under 4 months", ESTABLISHED, False),
        ("Can a 1-month-old have zolumycin?", NOT_YET, False),
    ],
)
def test_from_when_a_label_has_its_safety_established_answers_for_the_younger(
    question: str, said, is_led: bool
):
    """For infants under 3 months a line on breastfeeding had led."""
    assert decided(question, said) == ([said] if is_led else [])

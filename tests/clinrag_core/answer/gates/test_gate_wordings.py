"""Claims in other words: how much and how often, denials, names and relations, each way."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def refusals(context, evidence: str, claim: str) -> set[str | None]:
    decisions = run_gates(GATES, context(claim, evidence))
    return {decision.code for decision in decisions if not decision.passed}


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Clofazimine is given twice daily 3 times per week in this group.",
            "In this group clofazimine is given twice a day on three days a week.",
        ),
        (
            "People with hepatitis should not be treated with once- or twice-weekly regimens.",
            "Regimens that are taken once or twice a week should not be used in people with "
            "hepatitis.",
        ),
        (
            "Cycloserine levels fell to 20% of those observed at 30 minutes.",
            "Cycloserine levels had fallen to 20% of the half-hour values.",
        ),
        (
            "The board closed the arm on March 6 because of five deaths.",
            "Because of five deaths the board closed the arm on 6 March.",
        ),
        (
            "Cultures were done on 812 isolates during 1995-1997 and on 604 during 1998-1999.",
            "During 1995-1997, cultures of 812 isolates were done.",
        ),
        (
            "Further specimens (not to exceed a total of three) should be tested.",
            "Further specimens should be tested, three in total at most.",
        ),
        (
            "The tablets were taken twice a day for 10 days by 80 patients.",
            "80 patients took the tablets two times a day for ten days.",
        ),
        (
            "Withhold the drug if transaminases exceed three times the limit with symptoms, or "
            "five times the limit without symptoms.",
            "Without symptoms, the drug is withheld if transaminases are more than five times the"
            " limit.",
        ),
        (
            "The fasting glucose is below 200 mg/dL and the starting dose is 100 mg/day as a "
            "single daily dose.",
            "With a fasting glucose under 200 mg/dL the starting dose is 100 mg once a day.",
        ),
        (
            "The rifabutin dose is reduced from 300 mg to 150 mg daily.",
            "Rifabutin is lowered to 150 mg a day, from 300 mg.",
        ),
    ],
)
def test_how_much_and_how_often_in_other_words_are_accepted(context, evidence: str, claim: str):
    assert not refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Clofazimine is given twice daily 3 times per week in this group.",
            "In this group clofazimine is given twice a day on five days a week.",
        ),
        (
            "People with hepatitis should not be treated with once- or twice-weekly regimens.",
            "Regimens that are taken twice or three times a week should not be used in people "
            "with hepatitis.",
        ),
        (
            "Cycloserine levels fell to 20% of those observed at 30 minutes.",
            "Cycloserine levels had fallen to half of the values at 30 minutes.",
        ),
        (
            "The board closed the arm on March 6 because of five deaths.",
            "Because of five deaths the board closed the arm on May 6.",
        ),
        (
            "Cultures were done on 812 isolates during 1995-1997 and on 604 during 1998-1999.",
            "During 1998-1999, cultures of 812 isolates were done.",
        ),
        (
            "Further specimens (not to exceed a total of three) should be tested.",
            "Further specimens should be tested, at least three in total.",
        ),
        (
            "The 200 mg tablets were taken twice a day for 10 days by 80 patients.",
            "80 patients took one 200 mg tablet a day for ten days.",
        ),
        (
            "Withhold the drug if transaminases exceed three times the limit with symptoms, or "
            "five times the limit without symptoms.",
            "Without symptoms, the drug is withheld if transaminases are less than five times the"
            " limit.",
        ),
        (
            "The starting dose is 100 mg/day in two divided doses.",
            "The starting dose is 100 mg twice a day.",
        ),
        (
            "The rifabutin dose is reduced from 300 mg to 150 mg daily.",
            "Rifabutin is raised from 150 mg to 300 mg a day.",
        ),
    ],
)
def test_how_much_and_how_often_that_are_false_are_refused(context, evidence: str, claim: str):
    assert refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Prednisolone is not recommended for patients with mild pleurisy.",
            "Is prednisolone recommended in mild pleurisy? No, it is not recommended for these "
            "patients.",
        ),
        (
            "Repeat cultures are not advised unless cough or fever develop.",
            "As long as no cough or fever develop, repeat cultures are not advised.",
        ),
        (
            "Amikacin should not be mixed or diluted with other drugs.",
            "Do not dilute amikacin with other drugs and do not mix it with them.",
        ),
        (
            "The test can support the diagnosis, but it does not replace culture, and it does not"
            " replace clinical judgement.",
            "The test may support the diagnosis but does not replace culture or clinical "
            "judgement.",
        ),
        (
            "Use of ethionamide should be avoided in patients with porphyria.",
            "Ethionamide should not be used in patients with porphyria.",
        ),
        (
            "A skin test is not a requirement for starting isoniazid.",
            "Isoniazid can be started without a skin test.",
        ),
        (
            "Antiretrovirals should be started within 2 weeks unless meningitis is present.",
            "Patients with no meningitis should start antiretrovirals within 2 weeks.",
        ),
        (
            "Do not start preventive treatment until active disease is excluded.",
            "Preventive treatment should not be started until active disease has been excluded.",
        ),
        (
            "The drug should be stopped and not resumed if bilirubin is high.",
            "High bilirubin calls for stopping the drug permanently.",
        ),
    ],
)
def test_denials_in_other_words_are_accepted(context, evidence: str, claim: str):
    assert not refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Prednisolone is recommended for patients with mild pleurisy.",
            "Is prednisolone recommended in mild pleurisy? No, it is not recommended for these "
            "patients.",
        ),
        (
            "Repeat cultures are not advised unless cough or fever develop.",
            "When cough or fever develop, repeat cultures are not advised.",
        ),
        (
            "Amikacin should not be mixed but may be diluted with other drugs.",
            "Do not dilute amikacin with other drugs and do not mix it with them.",
        ),
        (
            "The test can support the diagnosis, but it does not replace culture, and it does not"
            " replace clinical judgement.",
            "The test may support the diagnosis and replace clinical judgement, but it does not "
            "replace culture.",
        ),
        (
            "Enteric-coated granules may be taken with juice.",
            "Non-enteric-coated granules may be taken with juice.",
        ),
        (
            "A skin test is a requirement for starting isoniazid.",
            "Isoniazid can be started without a skin test.",
        ),
        (
            "Antiretrovirals should be started within 2 weeks unless meningitis is present.",
            "Patients with meningitis should start antiretrovirals within 2 weeks.",
        ),
        (
            "Do not start preventive treatment until active disease is excluded.",
            "Do not stop preventive treatment until active disease is excluded.",
        ),
        (
            "The drug should be stopped and not resumed if bilirubin is high.",
            "If bilirubin is high, the drug should be stopped and resumed later.",
        ),
    ],
)
def test_denials_that_are_false_are_refused(context, evidence: str, claim: str):
    assert refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Isoniazid preventive therapy (IPT) must be stopped at once if active TB develops.",
            "When active TB develops, IPT must be stopped immediately.",
        ),
        (
            "Patients weighing 35 kg or less take 3 tablets and patients weighing 55 kg or more "
            "take 5 tablets.",
            "A patient who weighs 60 kg takes 5 tablets.",
        ),
        (
            "Delamanid 100 mg is given to patients 18 years of age or older.",
            "Adults are given delamanid 100 mg.",
        ),
        (
            "Avoid pretomanid with strong inducers (e.g., rifampin, carbamazepine) because such "
            "drugs lower its levels.",
            "Pretomanid should not be taken with rifampin, because rifampin lowers its levels.",
        ),
        (
            "Weekly doses given to pregnant monkeys led to a severe reaction.",
            "Pregnant monkeys that got weekly doses had a severe reaction.",
        ),
        (
            "All patients, including children, with a cough should be tested.",
            "Any patient with a cough, adult or child, should be tested.",
        ),
    ],
)
def test_names_and_people_in_other_words_are_accepted(context, evidence: str, claim: str):
    assert not refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Isoniazid preventive therapy (IPT) must be stopped at once if active TB develops.",
            "When active TB develops, IPT must be continued.",
        ),
        (
            "Patients weighing 35 kg or less take 3 tablets and patients weighing 55 kg or more "
            "take 5 tablets.",
            "A patient who weighs 60 kg takes 3 tablets.",
        ),
        (
            "Patients weighing 35 kg or less take 3 tablets and patients weighing 55 kg or more "
            "take 5 tablets.",
            "A patient who weighs 45 kg takes 5 tablets.",
        ),
        (
            "Delamanid 100 mg is given to patients 12 years of age or older.",
            "Adults only are given delamanid 100 mg.",
        ),
        (
            "Delamanid 50 mg is given to patients 6 to 11 years of age.",
            "Adults are given delamanid 50 mg.",
        ),
        (
            "Avoid pretomanid with strong inducers (e.g., rifampin, carbamazepine) because such "
            "drugs lower its levels.",
            "Pretomanid should not be taken with rifabutin, because rifabutin lowers its levels.",
        ),
        (
            "Weekly doses given to pregnant monkeys led to a severe reaction.",
            "Pregnant women who got weekly doses had a severe reaction.",
        ),
        (
            "Children with a cough should be tested.",
            "Any patient with a cough, adult or child, should be tested.",
        ),
    ],
)
def test_names_and_people_that_are_false_are_refused(context, evidence: str, claim: str):
    assert refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Women were less likely to be tested than men.",
            "Men were more likely to be tested than women.",
        ),
        (
            "The rate of cure was lower with ethionamide than with linezolid.",
            "Linezolid cured more patients than ethionamide did.",
        ),
        (
            "Stop bedaquiline if the QT interval is more than 500 ms and persists beyond two days.",
            "Bedaquiline is stopped if the QT interval is above 500 ms and lasts for more than "
            "two days.",
        ),
        (
            "Adults receive ceftriaxone plus azithromycin, or levofloxacin alone.",
            "Adults receive levofloxacin alone, or ceftriaxone plus azithromycin.",
        ),
        (
            "Nurses do the skin tests, and the treating physician decides when isolation ends.",
            "The treating physician decides when isolation ends; nurses do the skin tests.",
        ),
        (
            "Cure was defined as a negative culture 12 weeks after the end of treatment.",
            "Cure meant a culture that was negative 12 weeks after treatment had ended.",
        ),
        (
            "Smoking was associated with relapse in two studies.",
            "In two studies smoking was linked to relapse.",
        ),
        (
            "The regimen is for people with rifampin-resistant, fluoroquinolone-susceptible "
            "pulmonary TB.",
            "The regimen is for people whose pulmonary TB is resistant to rifampin and "
            "susceptible to fluoroquinolones.",
        ),
        (
            "If few drugs are left, both Group B agents should be used.",
            "Both Group B agents should be used if few drugs are left.",
        ),
        (
            "Counselling must be offered before resorting to isolation of a person.",
            "Before a person is isolated, counselling must be offered.",
        ),
    ],
)
def test_relations_in_other_words_are_accepted(context, evidence: str, claim: str):
    assert not refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Women were less likely to be tested than men.",
            "Women were more likely to be tested than men.",
        ),
        (
            "The rate of cure was lower with ethionamide than with linezolid.",
            "Ethionamide cured more patients than linezolid did.",
        ),
        (
            "Stop bedaquiline if the QT interval is more than 500 ms and persists beyond two days.",
            "Bedaquiline is stopped as soon as the QT interval is above 500 ms.",
        ),
        (
            "Adults receive ceftriaxone plus azithromycin, or levofloxacin alone.",
            "Adults receive azithromycin alone, or levofloxacin plus ceftriaxone.",
        ),
        (
            "Nurses do the skin tests, and the treating physician decides when isolation ends.",
            "Nurses decide when isolation ends.",
        ),
        (
            "Cure was defined as a negative culture 12 weeks after the end of treatment.",
            "Cure meant a culture that was negative 12 weeks after treatment had begun.",
        ),
        (
            "Smoking was associated with relapse in two studies.",
            "Smoking causes relapse.",
        ),
        (
            "The regimen is for people with rifampin-resistant, fluoroquinolone-susceptible "
            "pulmonary TB.",
            "The regimen is for people whose pulmonary TB is resistant to rifampin and "
            "fluoroquinolones.",
        ),
        (
            "If few drugs are left, both Group B agents should be used.",
            "If few drugs are left, a single Group B agent should be used.",
        ),
        (
            "Counselling must be offered before resorting to isolation of a person.",
            "A person is isolated first; counselling must then be offered.",
        ),
    ],
)
def test_relations_that_are_false_are_refused(context, evidence: str, claim: str):
    assert refusals(context, evidence, claim)

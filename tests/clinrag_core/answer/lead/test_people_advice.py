"""What a label says of the elderly, a pregnancy, the kidneys, where nothing nearer does."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.people_advice import advice_on_them, said_of_them
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
OF_PEOPLE = "specific_populations"
DOSE = label("Adults: zolumycin 500 mg daily.", group="dosage")
FEW = label(
    "Trials did not include sufficient numbers of subjects aged 65 and over.", group=OF_PEOPLE
)
CARE = label("Caution should be exercised in elderly patients.", group=OF_PEOPLE)
SAME = label("No dosage adjustment is recommended in the elderly.", group=OF_PEOPLE)
NO_DATA = label("No adequate data exist on zolumycin in pregnant women.", group=OF_PEOPLE)
ANIMALS = label("In animal studies zolumycin resulted in fewer live young.", group=OF_PEOPLE)
HARM = label("Zolumycin may cause fetal harm.", group="warnings")
NEEDED = label("Zolumycin is used in pregnancy only if clearly needed.", group=OF_PEOPLE)
OF_CHILD = label("Safety in children under 12 years has not been established.", group=OF_PEOPLE)
SUCKLED = label("It should not be used by mothers of breastfed infants.", group=OF_PEOPLE)
SPARED = label(
    "Exposure is not expected to be influenced by renal impairment.", group="clinical_pharmacology"
)
CAREFUL = label(
    "In patients with impaired renal or hepatic function dosing should be conservative.",
    group="dosage",
)
BOTH = ("8 Use", "8.6 Renal and Hepatic Impairment")
RENAL = label("With renal impairment give less.", group=OF_PEOPLE, headings=BOTH)
HALF = label("In severe hepatic impairment half of it is given.", group="dosage")
SUMMARY = label("o Liver impairment: half. o Renal impairment: not recommended.", group="dosage")


def advice(question: str, *statements, shown=(DOSE, NO_DATA)) -> list[str]:
    sources = sources_of([DOSE, NO_DATA, *statements], DRUGS)
    found = advice_on_them(read_slots(question, DRUGS), shown, sources)
    return [one.statement.said for one in found]


@pytest.mark.parametrize(
    ("question", "statements", "expected"),
    [
        ("Zolumycin dose in an 80 year old?", [FEW, CARE], [CARE.said]),
        ("Zolumycin dose in an 80 year old?", [FEW], [FEW.said]),
        ("Zolumycin dose in a 40 year old?", [FEW, CARE], []),
        ("Zolumycin in geriatric patients", [CARE], [CARE.said]),
        ("Zolumycin dose in an 80 year old?", [SAME], [SAME.said]),
        ("Zolumycin dose in an 80 year old in Child-Pugh B?", [SAME], []),
        ("Zolumycin dose in an 80 year old in Child-Pugh B?", [CARE], [CARE.said]),
        ("Woman planning a baby on zolumycin: continue?", [HARM], [HARM.said]),
        ("Is zolumycin safe in pregnancy?", [ANIMALS, HARM], [HARM.said]),
        ("Zolumycin in the first trimester?", [ANIMALS], [ANIMALS.said]),
        ("Is zolumycin safe in pregnancy?", [NEEDED], [NEEDED.said]),
        ("Is zolumycin safe in children?", [HARM], []),
        ("Zolumycin for a 7 year old?", [OF_CHILD], [OF_CHILD.said]),
        ("Zolumycin dose for a 7 year old?", [OF_CHILD], []),
        ("Zolumycin for a 14 year old?", [OF_CHILD], []),
        ("Zolumycin for a 1 month old?", [SUCKLED], []),
    ],
)
def test_what_decides_on_the_old_or_a_pregnancy_leads(question, statements, expected):
    assert advice(question, *statements) == expected


def test_nothing_leads_where_a_statement_shown_says_it():
    of_age = label("From 80 years of age zolumycin is given as 250 mg daily.", group="dosage")
    assert advice("Zolumycin dose in an 80 year old?", CARE, of_age, shown=[of_age]) == []
    assert advice("Is zolumycin safe in pregnancy?", HARM, NEEDED, shown=[NEEDED]) == []


@pytest.mark.parametrize(
    ("question", "statements", "expected"),
    [
        ("Zolumycin dose with CrCl 25?", [SPARED], [SPARED.said]),
        ("Zolumycin dose for a dialysis patient?", [SPARED, CAREFUL], [CAREFUL.said, SPARED.said]),
        ("Zolumycin dose in cirrhosis?", [SPARED, CAREFUL], [CAREFUL.said]),
        ("Zolumycin dose in Child-Pugh B?", [RENAL, HALF], [HALF.said]),
        ("Zolumycin dose with CrCl 25?", [SUMMARY], []),
        ("Zolumycin dose?", [SPARED, CAREFUL], []),
        ("Velotrib dose with CrCl 25?", [SPARED], []),
    ],
)
def test_what_a_label_says_of_kidneys_or_liver_is_found(question, statements, expected):
    sources = sources_of([DOSE, *statements], DRUGS)
    found = said_of_them(read_slots(question, DRUGS), sources)
    assert [one.statement.said for one in found] == expected

"""Close rewordings that say the same, each with a false one of nearly the same words."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def is_accepted(context, evidence: str, claim: str) -> bool:
    return all(decision.passed for decision in run_gates(GATES, context(claim, evidence)))


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        # Amounts.
        ("Tobramycin is given once daily.", "One dose of tobramycin is given per day.",
         "Two doses of tobramycin are given per day."),
        ("A weal of 15 mm or more is positive.", "The weal is positive from 15 mm upwards.",
         "The weal is positive up to 15 mm."),
        ("The QT interval rose from 410 ms to 430 ms.", "The QT interval rose from 410 to 430 ms.",
         "The QT interval rose from 410 to 480 ms."),
        ("The infusion should be repeated within 4 hours of the first one.",
         "Repeat the infusion no later than 4 hours after the first one.",
         "Repeat the infusion no sooner than 4 hours after the first one."),
        ("Cough occurred in 6% of patients.", "Cough occurred in six per cent of patients.",
         "Cough occurred in sixteen per cent of patients."),
        ("Do not infuse for longer than 21 days.", "Do not infuse for more than three weeks.",
         "Infuse for more than three weeks."),
        ("The specificity of the swab was 0.97.", "The swab had a specificity of 97%.",
         "The swab had a specificity of 79%."),
        # Preferences and directions, and a denial that only other words show.
        ("Visits by trained nurses are recommended over visits by relatives.",
         "Trained nurses' visits are preferred to those by relatives.",
         "Visits by relatives are recommended over visits by trained nurses."),
        ("Air should move from the nurse towards the window.",
         "Air has to move from the nurse towards the window.",
         "Air should move from the window towards the nurse."),
        ("Stopping or slowing the zolumycin infusion may end these reactions.",
         "These reactions may end if the zolumycin infusion is stopped or slowed.",
         "Speeding up the zolumycin infusion may end these reactions."),
        # Words of charts and of leaflets.
        ("Report haemoptysis at once.", "Report it at once if you cough up blood.",
         "Report it at once if you vomit blood."),
        ("Correct hypokalemia before treatment.", "Correct low potassium before treatment.",
         "Correct low sodium before treatment."),
        ("Contacts with a positive TST need a chest radiograph.",
         "Contacts whose skin test is positive need a chest x-ray.",
         "Contacts whose skin test is negative need a chest x-ray."),
        ("Tetracycline can harm the teeth of the fetus.",
         "Tetracycline can harm the teeth of the unborn child.",
         "Tetracycline can harm the teeth of the mother."),
        # Denials.
        ("Vaccination should not be discouraged in pregnancy.", "Pregnant women may be vaccinated.",
         "Pregnant women should not be vaccinated."),
        ("Weekly regimens should not be used in people with HIV and low CD4 counts.",
         "People with HIV and low CD4 counts should not be treated with weekly regimens.",
         "People with HIV and low CD4 counts should be treated with weekly regimens."),
        ("Sputum should be kept in a cold box, never in sunlight.",
         "Never keep sputum in sunlight, but in a cold box.",
         "Never keep sputum in a cold box, but in sunlight."),
        ("Warfarin is contraindicated with miconazole.",
         "Warfarin and miconazole: the two must not be combined.",
         "Warfarin and miconazole: the two must be combined."),
        # A question and its answer are one statement.
        ("How long is a contact with latent infection treated? Isoniazid is given for 9 months.",
         "A contact with latent infection is treated with isoniazid for 9 months.",
         "A contact with latent infection is treated with isoniazid for 6 months."),
        # Roles in other words.
        ("Food increases the absorption of posaconazole.",
         "Taking posaconazole with food raises its absorption.",
         "Taking posaconazole with food lowers its absorption."),
        ("Smoking and silicosis are risk factors for tuberculosis.",
         "Tuberculosis is more likely with smoking and silicosis.",
         "Tuberculosis is less likely with smoking and silicosis."),
        ("Polymyxin is infused slowly to prevent paraesthesia.",
         "To avoid paraesthesia, polymyxin is given by slow infusion.",
         "To avoid paraesthesia, polymyxin is given by rapid infusion."),
        ("Cure was reached in 71% of patients of the intervention group and 64% of controls.",
         "71% of the intervention group and 64% of the control group reached cure.",
         "64% of the intervention group and 71% of the control group reached cure."),
        ("The swab had a sensitivity of 70% and a specificity of 95%.",
         "The sensitivity of the swab was 70%, its specificity 95%.",
         "The sensitivity of the swab was 95%, its specificity 70%."),
        ("Inhaled amikacin is limited to patients with refractory disease.",
         "Only patients with refractory disease should receive inhaled amikacin.",
         "Patients should receive inhaled amikacin."),
        ("Teicoplanin is contraindicated in asthma, deafness and vertigo.",
         "Patients with asthma, deafness or vertigo must not be given teicoplanin.",
         "Patients with asthma, deafness or vertigo should be given teicoplanin."),
    ],
)  # fmt: skip
def test_a_close_rewording_is_accepted_and_a_false_one_is_not(
    context, evidence: str, same: str, false: str
):
    assert is_accepted(context, evidence, same)
    assert not is_accepted(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        # A fact of what only may be; the same where "can" allows.
        ("Colistin may damage the kidneys.", "Colistin damages the kidneys."),
        # Whom it is said of, or their age, is left out.
        ("Ofloxacin is not recommended for children younger than 9 years.",
         "Ofloxacin is not recommended for children."),
        ("Capreomycin is contraindicated in pregnancy.", "Capreomycin is contraindicated."),
        # Several are one, a change by is a change to, shares are turned.
        ("Two negative cultures are needed.", "One negative culture is needed."),
        ("Treatment lowers the risk by 40%.", "Treatment lowers the risk to 40%."),
        ("Three of the nine swabs grew yeast.", "Nine of the three swabs grew yeast."),
        # What is joined or caused.
        ("Doses are 6 hours apart.", "Doses are within 6 hours of one another."),
        ("Temafloxacin was withdrawn because of haemolysis.",
         "Withdrawal of temafloxacin led to haemolysis."),
        ("Amoxicillin, clarithromycin and omeprazole are given for a week.",
         "Amoxicillin and omeprazole are given for a week."),
        ("Fever results from infection.", "Infection results from fever."),
        ("Cefazolin was as effective as oxacillin.",
         "Cefazolin was more effective than oxacillin."),
        ("All visitors, except those vaccinated before, need a mask.",
         "All visitors, including those vaccinated before, need a mask."),
        ("A physician should read the film.", "A nurse should read the film."),
        # Not as a routine, not studied, not for the whole course.
        ("Steroids are not routinely recommended.", "Steroids are contraindicated."),
        ("The drug has not been studied in the elderly.",
         "The drug is not effective in the elderly."),
        ("Ethambutol is given for the first two months with isoniazid.",
         "Ethambutol is given throughout with isoniazid."),
        # Who, what for, and what is tested.
        ("Gloves should be worn by staff during induction.",
         "Gloves should be worn by patients during induction."),
        ("Contacts of all ages should be offered preventive treatment.",
         "Contacts of all ages should be offered curative treatment."),
        ("Patients with anaemia should be tested for worms.",
         "Patients with worms should be tested for anaemia."),
        ("Smear finds half of the cases that are positive on culture.",
         "Culture finds half of the cases that are positive on smear."),
        ("Clofazimine monotherapy is not advised where resistance exceeds 10%.",
         "Clofazimine monotherapy is not advised."),
        ("Rash persists for a week after the first dose.",
         "Rash disappears for a week after the first dose."),
    ],
)  # fmt: skip
def test_a_claim_in_nearly_the_same_words_that_says_another_thing_is_rejected(
    context, evidence: str, claim: str
):
    assert not is_accepted(context, evidence, claim)

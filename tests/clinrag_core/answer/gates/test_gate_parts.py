"""Claims that mix the parts of a sentence or turn its relations, each with a true rewording."""

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
    ("evidence", "same", "false"),
    [
        ("The swab has a sensitivity of 62% overall and a sensitivity of 48% in detecting"
         " influenza.",
         "In detecting influenza the swab has a sensitivity of 48%.",
         "In detecting influenza the swab has a sensitivity of 62%."),
        ("Vomiting was seen in 12.5% of patients on tobramycin plus standard care and in 7.5% of"
         " patients on standard care alone.",
         "On standard care alone, 7.5% of patients had vomiting.",
         "On standard care alone, 12.5% of patients had vomiting."),
        ("Of the 30 children with empyema, 24 recovered and six had surgery.",
         "Of the 30 children with empyema, six had surgery.",
         "Twenty-four of the 30 children with empyema had surgery."),
        ("The ratio of the peak was 0.61 (90% CI 0.52 to 0.70) and of the trough 0.35 (90% CI 0.29"
         " to 0.41).",
         "The ratio of the peak was 0.61, with a 90% confidence interval of 0.52 to 0.70.",
         "The ratio of the peak was 0.61, with a 90% confidence interval of 0.29 to 0.41."),
        ("The dose of clofazimine is markedly lowered when it is given with ritonavir and raised"
         " when it is taken with efavirenz.",
         "The dose of clofazimine is lowered with ritonavir and raised with efavirenz.",
         "The dose of clofazimine is raised with ritonavir and lowered with efavirenz."),
        ("Clarithromycin inhibits the breakdown of quinidine, whereas rifampin speeds up quinidine"
         " clearance by induction.",
         "The breakdown of quinidine is inhibited by clarithromycin.",
         "The breakdown of quinidine is inhibited by rifampin."),
    ],
)  # fmt: skip
def test_a_value_keeps_what_only_its_own_part_says(context, evidence: str, same: str, false: str):
    assert not refusals(context, evidence, same)
    assert refusals(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        ("Spread of pertussis within classrooms was low compared with spread within households.",
         "Spread of pertussis within classrooms was lower than spread within households.",
         "Spread of pertussis within households was low compared with spread within classrooms."),
        ("Fever occurred in 14% of patients with cefepime vs. 9% with aztreonam.",
         "Fever was more common with cefepime than with aztreonam.",
         "Fever was more common with aztreonam than with cefepime."),
        ("Start treatment of latent infection prior to infliximab use.",
         "Treatment of latent infection should be started before infliximab is used.",
         "Treatment of latent infection is to be started once infliximab has been used."),
        ("Antacids containing calcium reduce the absorption of moxifloxacin.",
         "The absorption of moxifloxacin is reduced by antacids containing calcium.",
         "Moxifloxacin reduces the absorption of antacids containing calcium."),
        ("Children from 3 months to 16 years with mild empyema should be treated for four months.",
         "Mild empyema should be treated for four months in children from 3 months to 16 years.",
         "Mild empyema should be treated for four months in children from 4 months to 16 years."),
        ("Colistin, aztreonam and cefepime may be combined with daily cilastatin without a change.",
         "Without a change, colistin, aztreonam and cefepime may be combined with cilastatin.",
         "Without a change, colistin, aztreonam and cilastatin may be combined with cilastatin."),
        ("Cilastatin should be withheld unless there is no other choice.",
         "Unless there is no other choice, withhold cilastatin.",
         "Cilastatin should be withheld even if there is no other choice."),
    ],
)  # fmt: skip
def test_the_sides_of_a_relation_stay_where_they_are(context, evidence: str, same: str, false: str):
    assert not refusals(context, evidence, same)
    assert refusals(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("Infuse dexamethasone or prednisolone from day 1 and taper it.",
         "Prednisolone or dexamethasone is infused from day 1 and tapered."),
        ("It should be taken either 2 hours before or 3 hours after a meal with juice.",
         "Take it with juice, two hours before or three hours after eating."),
        ("Wheezing caused by colistin is usually mild.", "Colistin usually causes mild wheezing."),
        ("Ferritin should be checked in patients who receive more than 12 days of treatment.",
         "In patients treated for longer than 12 days, check ferritin."),
    ],
)  # fmt: skip
def test_a_list_and_a_bound_have_no_sides(context, evidence: str, claim: str):
    assert not refusals(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        ("For troughs of 4 mcg/mL or more, dosing is every 48 hours.",
         "With a trough at or above 4 mcg/mL, dosing is every 48 hours.",
         "With a trough at or below 4 mcg/mL, dosing is every 48 hours."),
        ("Adjust the dose so that troughs above 3 mcg/mL are avoided.",
         "Adjust the dose so that troughs do not exceed 3 mcg/mL.",
         "Adjust the dose so that troughs of at least 3 mcg/mL are avoided."),
        ("Resistance rose from 4.1% in 1996 to 5.2% in 1999.",
         "Between 1996 and 1999 resistance rose from 4.1% to 5.2%.",
         "Between 1996 and 1999 resistance rose from 5.2% to 4.1%."),
        ("Patients of 40-50 kg take 3 PRIFTIN tablets once daily.",
         "Patients of 40 to 50 kg take three tablets of PRIFTIN once a day.",
         "Patients of 40 to 50 kg take four tablets of PRIFTIN once a day."),
    ],
)  # fmt: skip
def test_one_amount_in_other_words(context, evidence: str, same: str, false: str):
    assert not refusals(context, evidence, same)
    assert refusals(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        ("Audiometry must be done prior to giving kanamycin.",
         "Kanamycin must not be given before audiometry has been done.",
         "Audiometry must not be done before kanamycin has been given."),
        ("Newborns are offered the vaccine only if they have had contact with measles.",
         "Without contact with measles, newborns are not offered the vaccine.",
         "Newborns who had contact with measles are not offered the vaccine."),
        ("Chest films are not routinely indicated at the start but are recommended for smokers.",
         "Smokers should have a chest film at the start.",
         "Chest films are routinely indicated at the start."),
        ("Dysphonia was seen with tobramycin but not at a higher frequency than with placebo.",
         "With tobramycin dysphonia was seen, but not at a higher frequency than with placebo.",
         "Dysphonia was more frequent with tobramycin than with placebo."),
        ("In severe hepatic impairment do not exceed 3 g a day.",
         "In severe hepatic impairment at most 3 g a day is given.",
         "In severe hepatic impairment 3 g a day is exceeded."),
    ],
)  # fmt: skip
def test_a_denial_is_of_its_own_part(context, evidence: str, same: str, false: str):
    assert not refusals(context, evidence, same)
    assert refusals(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        ("Nausea was seen in 6.4% of patients on tobramycin and 6.9% of patients on colistin.",
         "Nausea was more frequent with colistin than with tobramycin.",
         "Nausea was more frequent with tobramycin than with colistin."),
        ("Cure was rarer in patients with CrCl of 40 mL/min or less compared with those with CrCl"
         " above 40 mL/min.",
         "Compared with those with CrCl above 40 mL/min, cure was rarer in patients with CrCl of"
         " 40 mL/min or less.",
         "Cure was rarer in patients with CrCl above 40 mL/min compared with those with CrCl of"
         " 40 mL/min or less."),
    ],
)  # fmt: skip
def test_shares_and_bands_say_which_is_the_greater(context, evidence: str, same: str, false: str):
    assert not refusals(context, evidence, same)
    assert refusals(context, evidence, false)

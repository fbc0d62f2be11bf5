"""What is said on giving a drug again after a reaction: never restart it comes before the rest."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.conclusive import concludes, settles_restart
from clinrag_core.answer.lead.finding_advice import finding_advice
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

NEVER = label("Do not restart zolumycin after a rash with fever.", group="contraindications")
LATER = label("Zolumycin may be reintroduced once a rash has gone.", group="warnings")
SOON = label(
    "Resume half the amount of zolumycin if the skin stayed dry and cool.", group="boxed_warning"
)
RASH = label("Stop zolumycin in case of a rash.", group="warnings")
OTHER = label("Never restart velotrib after a rash.", "velotrib", group="boxed_warning")
UNSURE = label("Resume zolumycin: rash.", group="warnings", unfit=("unsure_binding",))
STUDY = label("A rash did not recur when zolumycin was resumed.", group="clinical_studies")
GUIDELINE = statement("After a rash, restart the drugs one by one.")
EVERY = [RASH, STUDY, LATER, UNSURE, OTHER, GUIDELINE, NEVER, SOON]


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


def _advised(question: str, drugs: DrugLexicon) -> list[str]:
    advice = finding_advice(read_slots(question, drugs), sources_of(EVERY, drugs))
    return [one.statement.said for one in advice]


@pytest.mark.parametrize(
    "asks",
    ["May zolumycin be restarted?", "Zolumycin: another go at it?",
     "Is zolumycin rechallenged?", "Can zolumycin go back in?",
     "May I give it again, the zolumycin?"],
)  # fmt: skip
def test_labels_that_warn_of_giving_a_drug_again_are_shown_alone(
    asks: str, drugs: DrugLexicon
) -> None:
    """What forbids it comes first, then the boxed warning; studies and torn cells do not."""
    assert _advised(f"Harpist, 40, got a rash. {asks}", drugs) == [
        NEVER.said,
        SOON.said,
        LATER.said,
    ]


def test_what_is_done_on_a_reaction_is_shown_where_nothing_is_given_again(
    drugs: DrugLexicon,
) -> None:
    said = _advised("Harpist, 40, got a rash on zolumycin. Do I stop zolumycin?", drugs)
    assert RASH.said in said


@pytest.mark.parametrize(
    ("question", "settles"),
    [
        ("A rash on zolumycin. Is it restarted?", True),
        ("Zolumycin: when may she resume breastfeeding?", False),
        ("When may he resume his normal work on zolumycin?", False),
        ("May he go back in the pool on zolumycin?", False),
        ("May zolumycin be put back in the fridge?", False),
        ("Zolumycin was restarted in May. Is a rash common?", False),
        ("After a rash, are the drugs restarted?", False),
    ],
)
def test_only_a_drug_that_is_asked_about_is_given_again(
    question: str, settles: bool, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert settles_restart(slots, NEVER.said) is settles
    assert concludes(slots, NEVER.said) is settles
    assert not settles_restart(slots, RASH.said)


def test_a_doubt_does_not_settle_at_which_dose_a_drug_is_given_again(drugs: DrugLexicon) -> None:
    asked = "Got a rash. When do I restart zolumycin, and at what dose?"
    assert LATER.said not in _advised(asked, drugs)
    assert _advised(asked, drugs)[0] == NEVER.said

"""A short question after another asks the same of others, or of another matter."""

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.short_questions import asked_in_full
from clinrag_core.answer.question.split import split_questions
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "again"),
    [
        ("Dose of zolumycin in adults? And in children?", "Dose of zolumycin in children?"),
        ("Zolumycin in pregnancy? In breastfeeding?", "Zolumycin in breastfeeding?"),
        ("Dose of zolumycin? And velotrib?", "Dose of velotrib?"),
        ("Zolumycin with rifampin? With velotrib?", "Zolumycin with velotrib?"),
        ("Dose of zolumycin? With velotrib?", "Dose of zolumycin With velotrib?"),
        ("How long to treat lymph node TB? Bone TB?", "How long to treat Bone TB?"),
        (
            "spinal TB no meningitis, total months? and if there is meningitis?",
            "spinal TB, total months if there is meningitis?",
        ),
        ("Is zolumycin allowed at QTcF 510? And 460?", "Is zolumycin allowed at QTcF 460?"),
        ("How often an ECG on zolumycin? LFTs?", "LFTs with zolumycin?"),
        ("zolumycin before or after food? and with antacid?", "zolumycin with antacid?"),
        ("zolumycin at CrCl 22? and under 15?", "zolumycin at CrCl under 15?"),
        (
            "Which regimen for isoniazid-resistant TB? Need an injectable?",
            "Need an injectable in isoniazid-resistant TB?",
        ),
        (
            "Zolumycin for a week? Anything to watch for in the baby?",
            "Anything to watch for in the baby with Zolumycin?",
        ),
        (
            "When to start ART with TB? Anything different if it is meningitis?",
            "When to start ART with TB if it is meningitis?",
        ),
        (
            "zolumycin tablets, CrCl 22. Dose and interval? and if he ends up on dialysis?",
            "zolumycin tablets, CrCl 22. Dose and interval if he ends up on dialysis?",
        ),
        (
            "Zolumycin with rifampin ok? Would swapping to velotrib solve it?",
            "Zolumycin with velotrib ok?",
        ),
        (
            "On rifampin, is zolumycin ok? Would swapping to rifabutin help?",
            "On rifabutin, is zolumycin ok?",
        ),
        ("Dose of zolumycin in children? The maximum?", "The maximum with zolumycin in children?"),
    ],
)
def test_a_short_question_is_read_as_the_whole_one(question: str, again: str) -> None:
    first = question[: question.index("?") + 1]
    assert asked_in_full(question, DRUGS) == (first, again)


@pytest.mark.parametrize(
    "question",
    [
        "Dose of zolumycin?",
        "Does zolumycin cause neuropathy? Reversible?",
        "Can a child of 3 have zolumycin? If not, what else?",
        "How many zolumycin tablets? With food?",
        "Dose of zolumycin? At what interval?",
        "Is this tuberculosis? She is coughing.",
        "Zolumycin with rifampin? Would swapping to something else help?",
    ],
)
def test_what_goes_with_the_question_before_it_stays_there(question: str) -> None:
    assert asked_in_full(question, DRUGS) == (question,)


def test_a_short_question_after_a_patient_s_story_is_on_the_same_patient() -> None:
    story = "4 yr old girl with MDR-TB, 15 kg. Her mother is ill."
    asked = f"{story} Is she old enough for zolumycin? And for velotrib?"
    assert split_questions(asked, DRUGS) == (
        f"{story} Is she old enough for zolumycin?",
        f"{story} Is she old enough for velotrib?",
    )

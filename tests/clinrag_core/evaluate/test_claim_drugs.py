"""Whose doses a claim gives, read from the figure's owner, not from the gates that let it pass."""

from types import SimpleNamespace
from typing import cast

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.records import Claim
from clinrag_core.evaluate.claim_drugs import drugs_of_claim, gives_other_dose
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.citation import Citation

DOSE = "What is the dose of zolumycin?"


def claimed(text: str, context: str = "", label: str | None = None) -> tuple[AnswerEngine, Claim]:
    """A claim from a guideline, or from the label of a drug, and what reads it."""
    passage = SimpleNamespace(drug_names=LABELS[label] if label else ())
    engine = SimpleNamespace(drugs=DrugLexicon(LABELS), chunk=lambda _: passage)
    cited = Citation(
        chunk_id="c", document_id="d", document_title="t", section_path=(), start=0, end=1,
        snippet="s",
    )  # fmt: skip
    claim = Claim(text=text, citations=(cited,), context=context)
    return cast("AnswerEngine", engine), claim


def gives(text: str, question: str = DOSE, context: str = "", label: str | None = None) -> bool:
    """Whether a claim gives another drug's dose."""
    engine, claim = claimed(text, context, label)
    return gives_other_dose(engine, question, claim)


@pytest.mark.parametrize(
    "text",
    [
        "Zolumycin is given with care where other drugs that prolong the QT interval are taken.",
        "Avoid drugs with a known risk of Torsade de Pointes.",
        "QT-prolonging medicines add to its effect.",
    ],
)
def test_a_claim_on_an_effect_is_about_the_drugs_that_have_it(text: str):
    about = drugs_of_claim(*claimed(text))
    assert {"bedaquiline", "moxifloxacin"} <= about
    assert "isoniazid" not in about


def test_a_claim_on_a_finding_is_not_about_every_drug_that_may_cause_it():
    assert "bedaquiline" not in drugs_of_claim(*claimed("Zolumycin prolonged the QT interval."))


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Velotrib is given as 20 mg daily.", {}),
        ("The dose is 20 mg daily.", {"label": "velotrib"}),
        ("Adults: 20 mg daily.", {"context": "Doses › Velotrib"}),
        ("With zolumycin, give isoniazid 300 mg daily.", {}),
        ("Take 300 mg daily.", {"question": "Dose of qorvapentol?", "label": "isoniazid"}),
    ],
    ids=["named", "label", "heading", "partner", "unlisted"],
)
def test_a_dose_of_another_drug_is_found(text: str, more: dict[str, str]):
    assert gives(text, **more)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Zolumycin is given as 20 mg daily.", {}),
        ("The dose is 20 mg daily.", {"label": "zolumycin"}),
        ("Give isoniazid 300 mg and zolumycin 20 mg.", {}),
        ("Isoniazid interacts with zolumycin.", {}),
        ("For patients of 40 kg or more see the table of velotrib.", {}),
        ("Take 20 mg daily.", {}),
        ("Take 20 mg daily.", {"label": "rifampin-and-zolumycin"}),
        (
            "Qorvapentol is given as 20 mg daily with isoniazid.",
            {"question": "What is the dose of qorvapentol?"},
        ),
    ],
    ids=["own", "own-label", "own-of-two", "none", "weight", "unknown", "product", "unlisted"],
)
def test_a_dose_of_the_drug_asked_about_is_not(text: str, more: dict[str, str]):
    assert not gives(text, **more)


def test_a_claim_on_a_class_by_another_name_is_about_its_drugs():
    about = drugs_of_claim(*claimed("Serotonin syndrome occurs with SSRIs."))
    assert "escitalopram" in about
    assert "amitriptyline" not in about

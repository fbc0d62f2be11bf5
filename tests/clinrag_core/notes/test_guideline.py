"""A note's doses and medicines against answers: supported, contradicted, warned of, or unknown."""

from __future__ import annotations

import pytest

from clinrag_core.answer.records import Answer, Claim
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.citation import Citation
from clinrag_core.notes.doses import compare_doses
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.guideline import check_guidelines
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note

NOTE = """PMH: gout
DH: warfarin 5 mg daily
Impression: pulmonary tuberculosis
Plan:
1. Start isoniazid 300 mg daily
2. Start pyrazinamide 1500 mg daily
3. Mrs. Vantongeren to rest
"""


class Answers:
    """Plays the answer engine: fixed claims by a part of the question; keeps what it was asked."""

    def __init__(self, **claims: tuple[str, str]) -> None:
        self.claims = claims
        self.asked: list[str] = []
        self.drugs = DrugLexicon({"isoniazid": ["isoniazid"], "pyrazinamide": ["pyrazinamide"]})

    def ask(self, question: str) -> Answer:
        self.asked.append(question)
        for part, (text, title) in self.claims.items():
            if all(word in question for word in part.split("_")):
                cited = Citation(
                    chunk_id="c", document_id="d", document_title=title, section_path=(),
                    start=0, end=1, snippet=text,
                )  # fmt: skip
                return Answer(status="answered", claims=(Claim(text=text, citations=(cited,)),))
        return Answer(status="abstained", reason="no_evidence")


def verdicts(engine: Answers) -> dict[str, str]:
    note = read_note(NOTE, 1_000)
    summary = extractive_summary(note).summary
    findings = check_guidelines(summary, extractive_plan(note, summary), engine)
    return {finding.question: finding.verdict for finding in findings}


def test_each_thing_of_a_note_gets_its_verdict():
    engine = Answers(
        dose_isoniazid=("Adults: 5 mg/kg daily, at most 200 mg.", "Isoniazid"),
        dose_pyrazinamide=("Pyrazinamide 1500 mg daily.", "Pyrazinamide"),
        pyrazinamide_gout=("Acute gout.", "Pyrazinamide"),
        isoniazid_gout=("Acute liver disease.", "Isoniazid"),
        warfarin_isoniazid=("Warfarin levels rise.", "Isoniazid"),
    )
    found = verdicts(engine)
    for part, verdict in {
        "dose of isoniazid": "contradicts",
        "dose of pyrazinamide": "supports",
        "pyrazinamide contraindicated in patients with gout": "warns",
        "isoniazid contraindicated in patients with gout": "no guideline evidence",
        "warfarin interact with isoniazid": "warns",
        "warfarin interact with pyrazinamide": "no guideline evidence",
    }.items():
        assert [v for question, v in found.items() if part in question] == [verdict], part


def test_no_word_of_the_note_but_drugs_and_conditions_is_asked():
    engine = Answers()
    verdicts(engine)
    assert engine.asked
    for word in ("Vantongeren", "rest", "Start", "1500"):
        assert not [question for question in engine.asked if word in question]


@pytest.mark.parametrize(
    ("note", "source", "verdict"),
    [
        ("300 mg daily", "at most 300 mg daily", "supports"),
        ("900 mg daily", "Daily: at most 300 mg; twice a week: at most 900 mg", "contradicts"),
        ("900 mg twice a week", "Daily: at most 300 mg; twice a week: at most 900 mg", "supports"),
        ("500 mg daily", "400 to 600 mg daily", "supports"),
        ("100 mg daily", "Take 250 mg daily", "contradicts"),
        ("1200 mg daily", "25 mg/kg daily, for 40 to 55 kg 1000 mg daily", "related"),
        ("5 mg daily", "10 tablets daily", "related"),
    ],
    ids=["most", "above-most", "by-frequency", "range", "other", "by-weight", "other-unit"],
)
def test_doses_are_compared_by_frequency_and_limit(note: str, source: str, verdict: str):
    assert compare_doses(note, [source]) == verdict


@pytest.mark.slow
def test_questions_of_a_note_leave_no_audit_record(tiny_settings, build_release, tmp_path):
    from clinrag_core.users.answering import open_answering

    build_release(tiny_settings)
    engine = open_answering(tiny_settings).engine
    assert engine.ask("What is the dose of isoniazid?").audit_id
    before = [p.read_bytes() for p in tiny_settings.home.rglob("audit/**/*") if p.is_file()]
    assert engine.unaudited().ask("Does isoniazid interact with warfarin?").audit_id is None
    after = [p.read_bytes() for p in tiny_settings.home.rglob("audit/**/*") if p.is_file()]
    assert before == after
    assert before

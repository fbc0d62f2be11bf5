"""Alignment, contradictions, thresholds on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.answer.align import align, evidence_sentences
from clinrag_core.answer.citations import cite
from clinrag_core.answer.contradiction import find_contradictions
from clinrag_core.answer.records import Claim
from clinrag_core.answer.thresholds import FILE, read_calibration
from clinrag_core.errors import CalibrationError
from clinrag_core.model.section import TextPlace
from clinrag_core.workspace import write_json


def test_the_most_similar_sentence_supports_a_claim(passage):
    chunk = passage("Cough is common. Isoniazid 300 mg is given daily. Fever is rare.")
    support = align("Give isoniazid 300 mg daily.", evidence_sentences([chunk]))
    assert support.citation.snippet == "Isoniazid 300 mg is given daily."
    assert support.containment == 1.0
    assert not support.negated


def test_ties_go_to_the_first_and_negation_is_flagged(passage):
    chunk = passage("Isoniazid is given. Isoniazid is given. Rifampin is not used.")
    first = align("Isoniazid is given.", evidence_sentences([chunk]))
    assert first.citation.start == chunk.start
    assert align("Rifampin is used.", evidence_sentences([chunk])).negated
    assert align("Unrelated words entirely.", evidence_sentences([chunk])) is None


def claims(passage, *texts: str) -> tuple[list[Claim], dict]:
    made, chunks = [], {}
    for number, text in enumerate(texts):
        chunk = passage(text, id=f"{number:024d}", document_id=f"d{number}", year=2010 + number)
        chunks[chunk.id] = chunk
        made.append(Claim(text=text, citations=(cite(chunk, 0, len(text)),)))
    return made, chunks


def test_different_numbers_for_the_same_thing_are_a_contradiction(passage, drugs):
    made, chunks = claims(
        passage,
        "Isoniazid is given at 5 mg/kg daily in adults with tuberculosis.",
        "Isoniazid is given at 10 mg/kg daily in adults with tuberculosis.",
    )
    (found,) = find_contradictions(made, chunks, drugs)
    assert found.about == ("dose",)
    assert found.dates == ("2010", "2011")


@pytest.mark.parametrize(
    "other",
    [
        "Rifampin is given at 10 mg/kg daily in adults with tuberculosis.",
        "Isoniazid is given at 10 mg/kg daily in children with tuberculosis.",
        "Isoniazid is given at 5 mg/kg daily in adults with tuberculosis.",
        "Isoniazid is given at 4 to 6 mg/kg daily in adults with tuberculosis.",
        "Isoniazid tablets hold 100 mg and are stored below 25 degrees.",
    ],
)
def test_other_drugs_people_or_matters_do_not_contradict(passage, drugs, other: str):
    made, chunks = claims(
        passage, "Isoniazid is given at 5 mg/kg daily in adults with tuberculosis.", other
    )
    assert find_contradictions(made, chunks, drugs) == ()


@pytest.mark.parametrize(
    ("one", "other", "about"),
    [
        ("Isoniazid is safe in adults with gout.", "Isoniazid is unsafe in adults with gout.",
         "safety"),
        ("Isoniazid is given in pregnancy.", "Isoniazid is not given in pregnancy.", "polarity"),
        ("Isoniazid is contraindicated in gout.", "Isoniazid is used in gout.", "polarity"),
        ("Rifampin raises the level of urate.", "Rifampin lowers the level of urate.",
         "direction"),
    ],
)  # fmt: skip
def test_opposite_words_on_one_matter_are_a_contradiction(
    passage, drugs, one: str, other: str, about: str
):
    made, chunks = claims(passage, one, other)
    (found,) = find_contradictions(made, chunks, drugs)
    assert about in found.about
    same, chunks = claims(passage, one, one)
    assert find_contradictions(same, chunks, drugs) == ()


@pytest.mark.parametrize(
    ("released", "users", "about"),
    [
        ("Isoniazid is given at 5 mg/kg daily in adults with tuberculosis.",
         "Isoniazid is given at 15 mg/kg daily in adults with tuberculosis.", "dose"),
        ("Isoniazid is safe in pregnancy.", "Avoid isoniazid in pregnancy.", "polarity"),
        ("Isoniazid is given for 6 months in adults.", "Isoniazid is given for 9 months in adults.",
         "duration"),
    ],
)  # fmt: skip
def test_a_users_document_is_shown_next_to_the_released_source_it_contradicts(
    passage, drugs, released: str, users: str, about: str
):
    """Both are kept, with who published them and when; a user's document names nobody."""
    guideline = passage(released, id="0" * 24, document_id="who", organisation="WHO", year=2024)
    upload = passage(users, id="1" * 24, document_id="upload", year=None)
    made = [
        Claim(text=chunk.text, citations=(cite(chunk, 0, len(chunk.text)),))
        for chunk in (guideline, upload)
    ]
    (found,) = find_contradictions(made, {c.id: c for c in (guideline, upload)}, drugs)
    assert about in found.about
    assert found.organisations == ("WHO", None)
    assert found.dates == ("2024", None)
    assert [c.document_id for c in found.citations] == ["who", "upload"]


def test_thresholds_survive_a_round_trip_and_damage_is_named(calibration, tmp_path: Path):
    write_json(tmp_path / FILE, calibration.model_dump(mode="json"))
    assert read_calibration(tmp_path) == calibration
    (tmp_path / "calibration.json").write_text("{}")
    with pytest.raises(CalibrationError) as caught:
        read_calibration(tmp_path)
    assert caught.value.code == "calibration_missing"


def test_a_citation_names_the_page_and_boxes_of_its_own_words(passage):
    text = "Give the first table row. Give the second table row."
    places = tuple(
        TextPlace(
            start=start, page=page, page_label=str(page + 4), box=(0.0, 10.0 * page, 9.0, 20.0)
        )
        for start, page in ((10, 1), (36, 2))
    )
    chunk = passage(text, page=1, page_label="5", places=places)
    citation = cite(chunk, 26, len(text))
    assert (citation.page, citation.page_label) == (2, "6")
    assert citation.boxes == ((2, 0.0, 20.0, 9.0, 20.0),)
    assert [box[0] for box in cite(chunk, 0, len(text)).boxes] == [1, 2]

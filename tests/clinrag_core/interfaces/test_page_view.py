"""Everything an answer may hold is on the page, in the order it must be read, and escaped."""

from __future__ import annotations

import re
from html import unescape

from clinrag_core.answer.records import (
    Answer,
    Claim,
    Contradiction,
    PatientPart,
    PatientSummary,
)
from clinrag_core.facts.drugs import Correction
from clinrag_core.index.release_record import LabelChange
from clinrag_core.model.citation import Citation
from clinrag_core.serve.page.html import render
from clinrag_core.serve.page.view import answer_view

CITED = Citation(
    chunk_id="0123456789abcdef", document_id="d", document_title="Guide <b>", section_path=("1 A",),
    start=0, end=9, snippet="Take <i>5\tmg", page=3,
)  # fmt: skip
OTHER = CITED.model_copy(update={"document_id": "e", "document_title": "Other", "snippet": "6 mg"})
ANSWER = Answer(
    status="answered",
    corrections=(Correction(typed="isonazid", meant="isoniazid"),),
    premises=("The sources say daily, not <weekly>.",),
    unmet=("Nothing on children.",),
    claims=(Claim(text="Take <i>5 mg.", citations=(CITED,), context="Guide"),),
    contradictions=(
        Contradiction(about=("dose",), citations=(CITED, OTHER), dates=("2020", None)),
    ),
    patient_summary=PatientSummary(
        parts=(PatientPart(kind="plain", sentences=("Take it:", "– 5 mg", "– daily")),
               PatientPart(kind="clinician", sentences=("QTc.",), advice="Ask your clinician"))
    ),
    label_changes=(
        LabelChange(document_id="s", name="isoniazid", old_version=1, new_version=2,
                    sections=("Boxed warning",)),
    ),
    component_errors=("dense_timeout",),
    generator_notice="Another generator wrote it.",
    timings_ms={"total": 120.0},
)  # fmt: skip


def shown(answer: Answer = ANSWER, *, plain: bool = True) -> str:
    view = answer_view(answer, {}, plain=plain)
    return render("answer.html", view=view, problem=None, plain=plain, scope="all")


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_everything_is_there_in_the_order_it_is_read():
    text = text_of(shown())
    order = [
        "Read “isonazid” as isoniazid",
        "Check what the question assumes",
        "not <weekly>.",
        "Not answered by these sources",
        "Nothing on children.",
        "Take <i>5 mg.",
        "changed from version 1 to 2: Boxed warning",
        "Sources differ on dose",
        "In plain words",
        "Ask your clinician",
        "A part of the search was not available: dense_timeout",
        "Another generator wrote it.",
        "1 of 1 drafted statements",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_what_differs_is_side_by_side_with_its_dates():
    sides = re.search(r'<div class="sides">(.*?)</div>', shown(), re.DOTALL)[1]
    assert sides.count("<figure>") == 2
    assert "<strong>2020</strong>" in sides
    assert "<strong>undated</strong>" in sides
    assert "6 mg" in sides


def test_no_text_of_a_document_is_markup():
    page = shown()
    assert "<i>" not in page
    assert "<b>" not in page
    assert "<weekly>" not in page


def test_points_in_plain_words_are_a_list_under_their_sentence():
    assert re.search(r"<p>Take it:</p><ul><li>5 mg</li><li>daily</li></ul>", shown())
    assert "In plain words" not in shown(plain=False)


def test_an_answer_without_plain_words_says_so():
    bare = ANSWER.model_copy(update={"patient_summary": PatientSummary()})
    assert "no version in plain words" in shown(bare)


def test_a_contradiction_that_ends_in_a_refusal_still_shows_its_sides():
    refused = ANSWER.model_copy(
        update={"status": "abstained", "reason": "contradiction", "claims": (),
                "message": "ABSTAIN: the sources give different figures."}
    )  # fmt: skip
    text = text_of(shown(refused))
    assert "No answer The sources give different figures." in text.replace(
        "Read “isonazid” as isoniazid . ", ""
    )
    assert "Sources differ on dose" in text

"""Documents cut into statements: what each says with its frame, and which are not quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clinrag_core.chunk.statements import cut_statements, own_name
from clinrag_core.parse.registry import parse_document

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.statement import Statement

from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.workspace import sha256_hex

PAGE = """<html><head><title>Invented guideline</title></head><body><main>
<h1>Invented guideline</h1>
<h2>Weekly drug</h2>
<p>The weekly drug is given for twelve weeks. It must be taken with food.</p>
<p>It is not recommended for:</p>
<ul><li>children younger than two years;</li><li>pregnant women.</li></ul>
<table><caption>Table 1. Doses</caption>
<thead><tr><th rowspan="2">Weight</th><th colspan="2">Dose</th></tr>
<tr><th>Daily</th><th>Weekly</th></tr></thead>
<tbody><tr><td colspan="3">Children</td></tr>
<tr><td>5 to 9 kg</td><td>50 mg</td><td>150 mg</td></tr>
<tr><td>10 kg and more</td><td>100 mg</td><td>as above</td></tr></tbody></table>
<p>In a randomized trial 12 of 80 patients had nausea.</p>
<p>The background risk of major birth defects for the population is unknown.</p>
<p>The biweekly drug is given by weight. The total daily dose should not exceed 3 g.</p>
<p>Yellow eyes were seen in a few. If these appear, the drug is stopped.</p>
<p>Keep reading: more on the weekly drug</p>
</main></body></html>"""


def parsed(page: str) -> Document:
    data = page.encode()
    source = DocumentSource(
        id="invented",
        kind="guideline",
        format="html",
        title="Invented guideline",
        topics=("tb",),
        file=SourceFile(name="invented.html", sha256=sha256_hex(data), size=len(data)),
    )
    return parse_document(data, source)


@pytest.fixture(scope="module")
def document() -> Document:
    return parsed(PAGE)


@pytest.fixture(scope="module")
def statements(document: Document) -> dict[str, Statement]:
    return {s.said: s for s in cut_statements(document)}


def test_an_item_says_what_introduces_its_list(statements: dict[str, Statement]) -> None:
    item = statements["It is not recommended for: children younger than two years;"]
    assert (item.kind, item.unfit) == ("item", ())
    assert [part.kind for part in item.frame] == ["lead_in"]


def test_a_row_says_every_level_of_its_headings_and_its_group(
    statements: dict[str, Statement],
) -> None:
    row = statements["Children: Weight: 5 to 9 kg; Dose – Daily: 50 mg; Dose – Weekly: 150 mg"]
    assert (row.kind, row.unfit) == ("row", ())
    assert {p.kind for p in row.frame} == {"caption", "row_group", "heading"}


def test_every_part_of_a_frame_is_a_span_of_the_section(
    document: Document, statements: dict[str, Statement]
) -> None:
    for statement in statements.values():
        text = document.sections[statement.section_ordinal].text
        assert text[statement.start : statement.end] == statement.text
        for part in statement.frame:
            words = text[part.start : part.end].split()
            assert part.kind == "caption" or " ".join(words) in statement.said


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Children: Weight: 10 kg and more; Dose – Daily: 100 mg; Dose – Weekly: as above",
         "unsure_binding"),
        ("In a randomized trial 12 of 80 patients had nausea.", "narrative"),
        ("Keep reading: more on the weekly drug", "furniture"),
        ("The background risk of major birth defects for the population is unknown.", "apparatus"),
    ],
)  # fmt: skip
def test_what_says_nothing_surely_is_not_quoted(
    statements: dict[str, Statement], said: str, why: str
) -> None:
    assert why in statements[said].unfit


def test_a_sentence_that_points_back_has_the_one_before(statements: dict[str, Statement]) -> None:
    for both in (
        "The weekly drug is given for twelve weeks. It must be taken with food.",
        "The biweekly drug is given by weight. The total daily dose should not exceed 3 g.",
        "Yellow eyes were seen in a few. If these appear, the drug is stopped.",
    ):
        assert [part.kind for part in statements[both].frame] == ["antecedent"]


def test_a_clause_that_is_recommended_needs_nothing_that_points_further_back():
    before, said = (
        "Nobody with this degree of harm needs less.",
        "It is recommended that half be given.",
    )
    for first, glued in ((before, ""), ("A cat sat.", "A cat sat. ")):
        both = f"<p>{first} {said}</p><p>Not for:</p>"
        page = PAGE.replace("<p>It is not recommended for:</p>", both)
        (found,) = (one for one in cut_statements(parsed(page)) if one.text == said)
        assert found.said == glued + said


def test_ids_are_stable_and_unique(document: Document) -> None:
    ids = [s.id for s in cut_statements(document)]
    assert ids == [s.id for s in cut_statements(document)]
    assert len(set(ids)) == len(ids)


ABOUT_ITSELF = """# National Rules for Cough Care

## Preface

### Meetings

Six meetings were held before the rules were written.

## Utilization of the NRCC

Any clinic may use the rules for its own training.

## Methods

### Retrieval

Two people read all titles that were found.

| Test | Sensitivity |
|---|---|
| Cough of two weeks | 0.42 |

## Monitoring and evaluation

The liver is tested once a month during treatment.

## ANNEXES

### Taking the sample

The sample is taken in the open air.
"""


def test_what_a_heading_says_holds_for_the_sections_below_it() -> None:
    """A preface, the methods and what a guideline says of itself are no advice to quote."""
    unfit = {s.said: s.unfit for s in cut_statements(markdown(ABOUT_ITSELF, "NRCC"))}
    assert unfit == {
        "Six meetings were held before the rules were written.": ("furniture",),
        "Any clinic may use the rules for its own training.": ("furniture",),
        "Two people read all titles that were found.": ("apparatus",),
        "Test: Cough of two weeks; Sensitivity: 0.42": (),
        "The liver is tested once a month during treatment.": (),
        "The sample is taken in the open air.": (),
    }


EXPOSURE = """# Zolumycin

## Interactions

| Drug | Exposure (Cmax and AUC) | Recommendations for dosage |
|---|---|---|
| Velotrib | Reduced by a third | Contraindicated with zolumycin |

| Drug | Exposure (Cmax and AUC) | Remarks |
|---|---|---|
| Rifampin | Reduced by a half | Seen in twelve volunteers |
"""


def test_what_is_recommended_in_a_row_is_quoted_with_the_exposure_next_to_it() -> None:
    unfit = [s.unfit for s in cut_statements(markdown(EXPOSURE, "Zolumycin"))]
    assert unfit == [(), ("narrative",)]


def test_the_abbreviation_of_a_disease_is_not_that_of_its_guideline() -> None:
    own = own_name("Acute Zolum Distress Syndrome: A Guideline")
    assert own is not None
    assert own.search("Ventilation in AZDS") is None
    assert own_name("Acute Zolum Distress Syndrome") is None


def markdown(text: str, name: str) -> Document:
    data = text.encode()
    source = DocumentSource(
        id=name,
        kind="guideline",
        format="markdown",
        title=text.split("\n", 1)[0].removeprefix("# "),
        topics=("tb",),
        file=SourceFile(name=f"{name}.md", sha256=sha256_hex(data), size=len(data)),
    )
    return parse_document(data, source)


RUN_INS = """# Invented label

## Dosage

FIRST FEVER: One gram is given daily. More than 2 g is never needed.

SECOND FEVER: Half a gram is given twice daily. Children: 10 mg/kg is given. It is divided.

Note: Keep it cold. Use the vial once.
"""


def test_words_that_head_a_paragraph_head_its_sentences() -> None:
    document = markdown(RUN_INS, "runs")
    heads = {}
    for statement in cut_statements(document):
        text = document.sections[statement.section_ordinal].text
        parts = [p for p in statement.frame if p.kind == "run_in"]
        heads[statement.text] = [text[p.start : p.end] for p in parts]
    assert heads["More than 2 g is never needed."] == ["FIRST FEVER"]
    assert heads["It is divided."] == ["Children"]
    assert heads["Use the vial once."] == []


def test_what_a_term_means_is_said_under_abbreviations_as_well() -> None:
    rows = (
        "<tr><td>Respirator</td><td>A mask that keeps back nine of ten small droplets.</td></tr>"
        "<tr><td>IPC</td><td>infection prevention and control</td></tr>"
    )
    head = "<thead><tr><th>Term</th><th>Description</th></tr></thead>"
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    page = PAGE.replace(
        "<h2>Weekly drug</h2>", f"<h2>Abbreviations</h2>{table}<h2>Weekly drug</h2>"
    )
    found = {one.said: one.unfit for one in cut_statements(parsed(page))}
    (meaning,) = (unfit for said, unfit in found.items() if "Respirator" in said)
    (short,) = (unfit for said, unfit in found.items() if "IPC" in said)
    assert "furniture" not in meaning
    assert "furniture" in short


@pytest.mark.parametrize(
    ("said", "unfit"),
    [
        ("The panel recommended the use of zolumycin in infants, as in the trial.", False),
        ("The panel discussed the use of zolumycin in infants, as in the trial.", True),
        ("ALT: Alanine transaminase, LFT: Liver test, INR: Ratio of clotting, H = Isoniazid, R.",
         True),
    ],
    ids=["recommended", "discussed", "key"],
)  # fmt: skip
def test_a_panel_s_recommendation_may_be_quoted_and_a_key_may_not(said: str, *, unfit: bool):
    page = PAGE.replace("<p>It is not recommended for:</p>", f"<p>{said}</p><p>Not for:</p>")
    (found,) = (one for one in cut_statements(parsed(page)) if one.said == said)
    assert bool(found.unfit) is unfit


def test_what_a_patient_tells_is_not_quoted_and_what_comes_before_an_address_is() -> None:
    told = "“My uncle had tuberculosis for years. He was never cured. Then I got sick.”"
    linked = "Zolumycin is for adults (https://example.org/zolumycin)."
    page = PAGE.replace("<p>It is not recommended for:</p>", f"<p>{told}</p><p>{linked}</p>")
    found = {one.text: one.unfit for one in cut_statements(parsed(page))}
    assert "furniture" in found["He was never cured."]
    assert "furniture" not in found[linked]


def test_the_title_of_another_guidance_says_nothing() -> None:
    item = "<ul><li>The use of zolumycin in children: interim policy guidance.</li></ul>"
    page = PAGE.replace("<p>It is not recommended for:</p>", f"<p>It is.</p>{item}<p>Not for:</p>")
    (found,) = (one for one in cut_statements(parsed(page)) if "interim" in one.said)
    assert "furniture" in found.unfit


def test_a_footnote_after_another_does_not_speak_of_its_drug() -> None:
    notes = "<p>Zolumycin is no longer given. i These agents are given when nothing else is.</p>"
    page = PAGE.replace("<p>It is not recommended for:</p>", f"{notes}<p>Not for:</p>")
    (found,) = (one for one in cut_statements(parsed(page)) if "These agents" in one.said)
    assert "Zolumycin" not in found.said
    assert "incomplete" in found.unfit


def test_what_introduces_a_list_says_nothing_without_it_also_without_a_colon() -> None:
    listed = "<p>Zolumycin is contraindicated in patients</p><ul><li>with a rash;</li></ul>"
    listed += "<p>The risk rises with age. [see Warnings (5.1)]</p><ul><li>Ask about it.</li></ul>"
    page = PAGE.replace("<p>It is not recommended for:</p>", f"{listed}<p>Not for:</p>")
    kinds = {one.text: one.kind for one in cut_statements(parsed(page))}
    assert kinds["Zolumycin is contraindicated in patients"] == "lead_in"
    assert all(kind != "lead_in" for text, kind in kinds.items() if "risk rises" in text)

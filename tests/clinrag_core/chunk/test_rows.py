"""Rows of tables bound to their headings, and which bindings are sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clinrag_core.chunk.statements import cut_statements
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.model.statement import Statement


def rows_of(table: str) -> dict[str, Statement]:
    """Return the rows of an HTML table by what they say."""
    page = (
        f"<html><body><main><h1>Invented</h1><h2>Doses</h2><p>See below.</p>{table}</main></body>"
    )
    data = f"{page}</html>".encode()
    source = DocumentSource(
        id="invented",
        kind="guideline",
        format="html",
        title="Invented",
        topics=("tb",),
        file=SourceFile(name="invented.html", sha256=sha256_hex(data), size=len(data)),
    )
    statements = cut_statements(parse_document(data, source))
    return {s.said: s for s in statements if s.kind == "row"}


HEAD = "<thead><tr><th>Drug</th><th>Dose</th><th>Highest</th></tr></thead>"


def test_a_cell_over_several_columns_has_all_their_headings() -> None:
    rows = rows_of(
        f"<table>{HEAD}<tbody><tr><td>Alfadrug</td><td>5 mg</td><td>9 mg</td></tr>"
        '<tr><td>Betadrug</td><td colspan="2">7 mg</td></tr></tbody></table>'
    )
    assert rows["Drug: Betadrug; Dose and Highest: 7 mg"].unfit == ()


def test_a_row_without_a_label_has_the_one_above() -> None:
    rows = rows_of(
        f"<table>{HEAD}<tbody><tr><td>Alfadrug</td><td>5 mg daily</td><td>9 mg</td></tr>"
        "<tr><td></td><td>8 mg weekly</td><td>12 mg</td></tr></tbody></table>"
    )
    second = rows["Drug: Alfadrug; Dose: 8 mg weekly; Highest: 12 mg"]
    assert second.unfit == ()
    assert "Alfadrug" not in second.text


def test_intervals_below_estimates_are_the_second_line_of_a_row() -> None:
    rows = rows_of(
        "<table><thead><tr><th>Given with</th><th>Peak</th><th>Exposure</th></tr></thead><tbody>"
        "<tr><td>Alfadrug</td><td>0.96</td><td>1.02</td></tr>"
        "<tr><td>25 mg daily</td><td>(0.85, 1.09)</td><td>(0.97, 1.08)</td></tr></tbody></table>"
    )
    said = "Given with: Alfadrug 25 mg daily; Peak: 0.96 (0.85, 1.09); Exposure: 1.02 (0.97, 1.08)"
    assert list(rows) == [said]


def test_a_heading_that_is_a_group_of_its_own_does_not_head_the_other_groups() -> None:
    rows = rows_of(
        "<table><thead><tr><th>Primary endpoint</th><th>Drug</th><th>Placebo</th></tr></thead>"
        "<tbody><tr><td>Relapse</td><td>7%</td><td>9%</td></tr>"
        '<tr><td colspan="3">Secondary endpoints</td></tr>'
        "<tr><td>Pain</td><td>3%</td><td>5%</td></tr></tbody></table>"
    )
    assert "Secondary endpoints: Pain; Drug: 3%; Placebo: 5%" in rows


def test_a_comparison_says_what_the_row_above_names() -> None:
    """Alone "Relative reduction: 40%" was quoted for a drug without saying of what."""
    rows = rows_of(
        "<table><thead><tr><th>Outcome</th><th>Drug</th><th>Placebo</th></tr></thead>"
        "<tbody><tr><td>Relapse</td><td>7%</td><td>9%</td></tr>"
        "<tr><td>Relative risk reduction</td><td colspan='2'>22%</td></tr></tbody></table>"
    )
    row = rows["Relapse: Outcome: Relative risk reduction; Drug and Placebo: 22%"]
    assert row.unfit == ()
    assert next(part.kind for part in row.frame) == "row_group"


@pytest.mark.parametrize(("count", "is_sure"), [(2, True), (9, False)])
def test_a_group_far_larger_than_the_others_has_lost_its_end(count: int, is_sure: bool) -> None:
    many = "".join(f"<tr><td>Species {n}</td><td>{n}/9</td><td>9/9</td></tr>" for n in range(count))
    rows = rows_of(
        "<table><thead><tr><th>Species</th><th>Low</th><th>High</th></tr></thead><tbody>"
        "<tr><td>First genus</td><td></td><td></td></tr><tr><td>minor</td><td>1/2</td><td>2/2</td>"
        f"</tr><tr><td>Second genus</td><td></td><td></td></tr>{many}</tbody></table>"
    )
    row = rows["Second genus: Species: Species 1; Low: 1/9; High: 9/9"]
    assert ("unsure_binding" not in row.unfit) is is_sure


def test_a_heading_in_the_body_over_all_listed_values_heads_those_below() -> None:
    rows = rows_of(
        '<table><thead><tr><th>Clearance</th><th colspan="2">Dose regimen (mg)</th></tr></thead>'
        "<tbody><tr><td>60 or more</td><td>300 daily</td><td>400 daily</td></tr>"
        '<tr><td></td><td colspan="2">In addition after dialysis (mg)</td></tr>'
        "<tr><td>Dialysis</td><td>125</td><td>150</td></tr></tbody></table>"
    )
    above = "Clearance: 60 or more; Dose regimen (mg): 300 daily; Dose regimen (mg): 400 daily"
    anew = "In addition after dialysis (mg)"
    below = f"Clearance: Dialysis; {anew}: 125; {anew}: 150"
    assert rows[above].unfit == () == rows[below].unfit
    assert all(anew not in text or s.unfit for text, s in rows.items() if text != below)


def test_the_sentence_that_introduces_a_table_without_a_caption_is_its_caption() -> None:
    cells = "<tr><td>Alfadrug</td><td>5 mg</td><td>9 mg</td></tr>"
    table = f"<table>{HEAD}<tbody>{cells}</tbody></table>"
    said = "Drug: Alfadrug; Dose: 5 mg; Highest: 9 mg"
    intro = "The following table gives the upper limit:"
    own = f"<table><caption>Table 1. Doses</caption>{HEAD}<tbody>{cells}</tbody></table>"

    def lengths(before: str, table: str) -> list[int]:
        frame = rows_of(f"<p>{before}</p>{table}")[said].frame
        return [part.end - part.start for part in frame if part.kind == "caption"]

    assert lengths(intro, table) == [len(intro)]
    assert lengths("Nausea is common.", table) == []
    assert lengths(intro, own) == [len("Table 1. Doses")]


def test_a_footnote_that_orders_something_is_quoted_with_the_rows_that_call_it() -> None:
    notes = (
        '<p id="n1"><sup>a</sup> After a delay of a week the first dose should be 3 mg again.</p>'
        '<p id="n2"><sup>b</sup> Mean of three measurements in volunteers.</p>'
    )
    rows = rows_of(
        f"<table>{HEAD}<tbody>"
        '<tr><td>Alfadrug</td><td>5 mg<sup><a href="#n1">a</a></sup></td><td>9 mg</td></tr>'
        '<tr><td>Betadrug</td><td>7 mg<sup><a href="#n2">b</a></sup></td><td>8 mg</td></tr>'
        f"</tbody></table>{notes}"
    )
    kinds = {said[6:14]: [p.kind for p in row.frame].count("note") for said, row in rows.items()}
    assert kinds == {"Alfadrug": 1, "Betadrug": 0}


def test_cells_that_title_themselves_need_no_heading() -> None:
    rows = rows_of(
        "<table><tbody>"
        '<tr><td rowspan="2">Alfadrug</td><td>Tablet: 5 mg.</td><td></td></tr>'
        "<tr><td>FIRST CHOICE − Scurvy</td><td>SECOND CHOICE − Gout − Beriberi</td></tr>"
        "<tr><td>Betadrug</td><td>9 days</td><td>At night</td></tr>"
        "<tr><td>Gammadrug</td><td>FIRST CHOICE − Gout</td><td>FIRST CHOICE − Rickets</td></tr>"
        "</tbody></table>"
    )
    found = {said: row.unfit == () for said, row in rows.items()}
    assert found == {
        "Alfadrug: Tablet: 5 mg.": True,
        "Alfadrug; FIRST CHOICE − Scurvy; SECOND CHOICE − Gout − Beriberi": True,
        "Betadrug; 9 days; At night": False,
        "Gammadrug; FIRST CHOICE − Gout; FIRST CHOICE − Rickets": False,
    }

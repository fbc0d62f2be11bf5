"""Markdown parsing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import ClinragError, ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.lines.running_heads import _second_line
from clinrag_core.parse.registry import parse_document


def parsed(text: str | bytes, title: str | None = None) -> Document:
    data = text.encode() if isinstance(text, str) else text
    file = SourceFile(name="t.md", sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    source = DocumentSource(kind="guideline", format="markdown", file=file, id="t", title=title)
    return parse_document(data, source)


PAGE = """---
author: nobody
---
# A guideline

Some *first* words with a [link](https://example.org).

## Treatment

1. Give **four** drugs.
2. Then two.

   - nested item

| Drug | Dose |
|------|------|
| Isoniazid | 5 mg/kg |

### Children

A load of 10<sup>6</sup>, as said.<sup>12</sup>
"""


def test_headings_lists_tables_and_source_lines():
    document = parsed(PAGE)
    assert document.title == "A guideline"
    assert [s.path for s in document.sections] == [
        ("A guideline",),
        ("Treatment",),
        ("Treatment", "Children"),
    ]
    first, treatment, children = document.sections
    assert first.text == "Some first words with a link."
    assert first.blocks[0].xml_id == "L6"
    assert [b.kind for b in treatment.blocks] == [*["list_item"] * 3, "table"]
    assert treatment.text.startswith("1. Give four drugs.\n\n2. Then two.\n\n• nested item")
    table = treatment.blocks[-1].table
    assert table is not None
    assert (table.rows, table.header_rows) == ((("Drug", "Dose"), ("Isoniazid", "5 mg/kg")), 1)
    assert children.text == "A load of 10⁶, as said."


def test_a_sentence_broken_off_into_a_heading_is_text_again():
    document = parsed(
        "# G\n\n## 2.1 A shorter regimen of 9 months is\n\nrecommended in eligible patients. "
        "(Conditional recommendation, very low certainty in the estimates of effect)\n\n"
        "## 25 mg/kg per day) (84);\n\nand so on.\n"
    )
    text = "\n".join(s.text for s in document.sections)
    assert "2.1 A shorter regimen of 9 months is recommended in eligible patients." in text
    found = [b.recommendation for s in document.sections for b in s.blocks if b.recommendation]
    assert [(r.number, r.strength, r.certainty) for r in found] == [
        ("2.1", "conditional", "very low")
    ]
    assert "broken_headings" in {w.code for w in document.warnings}


def test_the_last_number_of_a_list_in_a_sentence_is_no_heading():
    document = parsed(
        "# G\n\n## 8.2 Justification\n\nThe outcomes were 16. relief of the cough, 17. harm, and"
        "\n\n## 18. Cost to the programme.\n\nOne is weak, the other is.\n\n## 3. Kidney disease"
        "\n\nThe drug is given daily.\n"
    )
    assert [s.title for s in document.sections][-2:] == ["8.2 Justification", "3. Kidney disease"]


def test_headings_that_return_on_every_page_are_page_headers():
    pages = "\n\n".join(
        f"The text of page {n} goes on to the next page with its words\n\n"
        f"## WHO guidelines on tuberculosis:\n\ndrug-resistant disease{n}and follow-up of page {n}."
        for n in range(2, 9)
    )
    document = parsed("# G\n\n## Monitoring\n\n" + pages)
    text = document.sections[-1].text
    assert document.sections[-1].path == ("Monitoring",)
    assert "with its words and follow-up of page 4." in text
    assert "drug-resistant disease" not in text


def test_page_markers_become_pages():
    document = parsed("<!-- page 4 -->\n\nFour.\n\n<!-- page 5 -->\n\nFive.\n")
    assert [b.page for s in document.sections for b in s.blocks] == [4, 5]


def test_an_empty_file_is_named():
    with pytest.raises(ParseError) as caught:
        parsed(b"\n \n")
    assert caught.value.code == "empty_document"


@given(st.binary(max_size=300))
def test_any_bytes_end_in_a_document_or_a_named_error(data: bytes):
    try:
        parsed(data)
    except ClinragError as error:
        assert "t.md" in str(error)  # noqa: PT017 - both outcomes are allowed


def test_a_converted_guideline_of_the_corpus(reference_corpus: Path):
    data = (reference_corpus / "guidelines" / "who-tb-module4-drtb-2020.md").read_bytes()
    document = parsed(data, "WHO consolidated guidelines on tuberculosis. Module 4")
    text = "\n".join(s.text for s in document.sections)
    assert len(text.split()) > 0.98 * len(data.decode().split())
    assert "## " not in text
    assert "WHO consolidated guidelines on tuberculosis:" not in {
        s.title for s in document.sections
    }
    found = [b for s in document.sections for b in s.blocks if b.recommendation]
    assert len(found) >= 90
    first = next(b.recommendation for b in found if b.recommendation)
    assert (first.number, first.strength, first.certainty) == ("1.1", "conditional", "very low")
    assert {"1.1 Recommendations", "1.2 Justification and evidence", "Definitions"} <= {
        s.title for s in document.sections
    }


def test_headings_over_nothing_but_blank_pieces_share_no_running_words() -> None:
    assert _second_line(["", " "] * 10) is None

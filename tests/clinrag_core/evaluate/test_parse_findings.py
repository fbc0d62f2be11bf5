"""Each finding of the audit on a drawn file that has the fault, and on one that nearly has it."""

from __future__ import annotations

from typing import Any

import pytest
from paper import PROSE, Draw, pdf_of, read, source_of, write, write_row
from reportlab.lib.utils import ImageReader
from reportlab.platypus import Table

from clinrag_core.evaluate.parse_audit.audit import DocumentAudit, audit_document
from clinrag_core.evaluate.parse_audit.report import ParseAudit, parse_report
from clinrag_core.evaluate.parse_audit.structure import Finding

BODY = PROSE * 6
NAMES = [
    "Anna Smith (Northern Clinic), Karl Jones (Eastern Clinic), Ida Berg (Rural",
    "Unit), Olaf Moss (City Unit), Vera Lund (Lake Clinic), Hugo Dahl (Harbour",
    "Clinic), Elsa Holm (Forest Unit), Nils Ek (Island Unit), Maja Strand (Fjord",
]
STRUCTURE = {
    "words_outside_index",
    "chapter_outside_index",
    "glued_words",
    "empty_sections",
    "columns_mixed",
    "caption_without_table",
    "grade_without_statement",
}


def audited(*pages: Draw) -> DocumentAudit:
    data = pdf_of(*pages)
    return audit_document(read(data), data, source_of(data))


def found(*pages: Draw) -> dict[str, int | None]:
    """The findings about structure, with their first page."""
    return {f.code: f.page for f in audited(*pages).findings if f.code in STRUCTURE}


def plain(*parts: tuple[str, list[str]]) -> Draw:
    """A page of titles with their text."""

    def draw(paper: Any) -> None:
        y = 790.0
        for title, texts in parts:
            if title:
                y = write(paper, [title], 72, y - 14, bold=True, size=15) - 4
            y = write(paper, texts, 72, y)

    return draw


CARE = plain(("1 Care", BODY), ("2 Drugs", BODY))


def test_a_whole_file_has_no_finding():
    assert found(CARE, plain(("3 Follow-up", BODY))) == {}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(PROSE, {"words_outside_index": 2}), (NAMES, {})],
    ids=["prose", "names"],
)
def test_prose_under_a_title_of_the_front_matter(texts: list[str], expected: dict[str, int]):
    assert found(CARE, plain(("Acknowledgements", texts * 10))) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [([], {"empty_sections": 2}), (PROSE, {})],
    ids=["empty", "with text"],
)
def test_a_numbered_title_without_text(texts: list[str], expected: dict[str, int]):
    page = plain(("3 Follow-up", BODY), ("4 Children", texts), ("5 Pregnancy", BODY))
    assert found(CARE, page) == expected


def test_a_title_over_its_subtitles_is_not_empty():
    page = plain(("3 Follow-up", []), ("3.1 Children", BODY), ("3.2 Pregnancy", BODY))
    assert found(CARE, page) == {}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Adultstaketestazidwithfoodeveryday andareseenagainaftertwoweeks", {"glued_words": 2}),
        ("immunosuppression, diaminodiphenylsulfone and pharmacokinetics", {}),
    ],
    ids=["glued", "long words"],
)
def test_words_without_spaces(words: str, expected: dict[str, int]):
    assert found(CARE, plain(("3 Follow-up", [words, *PROSE] * 4))) == expected


LABELS = [
    ("Testazid Given", "Vortazole Kept", "Mirudine Bought"),
    ("Before Meals", "In Boxes", "By Nurses"),
    ("Every Day", "At Home", "In Town"),
]


def test_cells_read_as_lines_are_named_with_their_page():
    """Two rows of cells with capitals: neither a table of three rows nor texts that go on."""

    def draw(paper: Any) -> None:
        y = write(paper, BODY, 72, 790)
        for cells in LABELS[:2]:
            y -= 13
            write_row(paper, cells, (72, 250, 420), y)

    assert found(CARE, draw) == {"columns_mixed": 2}


def test_a_table_without_rules_is_a_table_and_no_mixed_lines():
    def draw(paper: Any) -> None:
        y = write(paper, BODY, 72, 790)
        for cells in LABELS:
            y -= 13
            write_row(paper, cells, (72, 250, 420), y)

    row = audited(CARE, draw)
    assert row.tables == 1
    assert "columns_mixed" not in {f.code for f in row.findings}


def test_hyphens_of_prefixes_are_no_broken_words():
    text = "Both arms were non-RCT studies of non-European adults in the non-Hispanic group too."
    assert found(CARE, plain(("3 Studies", [text] * 8))) == {}


def ruled(paper: Any, y: float) -> None:
    table = Table([["Weight", "Dose"], ["5-9 kg", "150 mg"], ["10-14 kg", "300 mg"]], 120)
    table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")])
    table.wrapOn(paper, 400, 400)
    table.drawOn(paper, 72, y - 60)


def captioned(kind: str) -> Draw:
    """A page with a caption, and under it a table, a list, nothing, or a sentence about one."""

    def draw(paper: Any) -> None:
        y = write(paper, BODY, 72, 790) - 20
        if kind == "sentence":
            write(paper, ["Table 4 shows what children of this weight are given.", *PROSE], 72, y)
            return
        write(paper, ["Table 4. Dose by weight"], 72, y, bold=True)
        if kind == "table":
            ruled(paper, y - 8)
        elif kind == "list":
            items = ["\u2022 under 10 kg: half a tablet", "\u2022 from 10 kg: a whole one"]
            write(paper, items, 80, y - 16)
        write(paper, BODY, 72, y - 110)

    return draw


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("nothing", {"caption_without_table": 2}),
        ("table", {}),
        ("list", {}),
        ("sentence", {}),
    ],
)
def test_a_caption_without_its_table(kind: str, expected: dict[str, int]):
    assert found(CARE, captioned(kind)) == expected


GRADE = "(Strong recommendation, low certainty of evidence)"
ADVICE = "Adults with stage two disease should take testazid with food every day."


@pytest.mark.parametrize(
    ("title", "texts", "expected"),
    [
        ("3 Follow-up", [GRADE], {"grade_without_statement": 2}),
        ("3 Follow-up", [ADVICE, GRADE], {}),
    ],
    ids=["alone", "with its statement"],
)
def test_a_grade_without_its_statement(title: str, texts: list[str], expected: dict[str, int]):
    def draw(paper: Any) -> None:
        y = write(paper, [title], 72, 780, bold=True, size=15) - 10
        for text in texts:
            y = write(paper, [text], 72, y) - 10
        write(paper, BODY, 72, y - 10)

    assert found(CARE, draw) == expected


def test_an_image_off_the_page_and_merged_cells_raise_no_alarm():
    """Both did once: text 'of OCR', and text 'repeated' by cells that span rows."""
    from PIL import Image

    def draw(paper: Any) -> None:
        paper.drawImage(ImageReader(Image.new("RGB", (40, 40))), 620, 0, 595, 842)
        write(paper, PROSE, 72, 790)
        rows = [["Patients", "Drug", "Dose"], ["Adults of any weight and age", "testazid", "1 mg"]]
        rows += [["", f"drug number {n}", f"{n} mg"] for n in range(2, 9)]
        table = Table(rows, 130)
        table.setStyle(
            [("GRID", (0, 0), (-1, -1), 0.5, "black"), ("SPAN", (0, 1), (0, len(rows) - 1))]
        )
        table.wrapOn(paper, 400, 400)
        table.drawOn(paper, 72, 480)

    row = audited(draw)
    assert (row.tables, row.findings, row.warnings) == (1, (), ())


def test_each_finding_is_named_and_counted_in_its_check():
    findings = tuple(
        Finding(code=code, severity="warning", message=f"3 of them (page {n})", page=n)
        for n, code in enumerate(sorted(STRUCTURE), 1)
    )
    row = DocumentAudit(file="care.pdf", kind="guideline", format="pdf", findings=findings)
    checks = parse_report(ParseAudit(corpus="test", rows=(row,))).checks
    counted = {code: n for check in checks for code, n in check.figures.items()}
    assert all(counted[code] == 1 for code in STRUCTURE)
    for n, code in enumerate(sorted(STRUCTURE), 1):
        (check,) = [c for c in checks if code in c.figures]
        assert f"{code}: care.pdf: 3 of them (page {n})" in check.description
        assert not check.passed

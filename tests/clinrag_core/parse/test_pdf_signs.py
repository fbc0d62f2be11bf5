"""Signs that a page draws from two marks: a limit must not lose its own value."""

from __future__ import annotations

from typing import Any

from paper import PROSE, parsed, write
from reportlab.lib.colors import black

from clinrag_core.parse.pdf.geometry import UPRIGHT, Turn
from clinrag_core.parse.pdf.signs import read_bars


def limit(
    paper: Any, before: str, sign: str, after: str, y: float, *, x: float = 72, bar: float = 1.0
) -> None:
    """Write a limit with a bar drawn under its sign; `bar` is its length in widths of the sign."""
    paper.setFont("Helvetica", 10)
    paper.drawString(x, y, f"{before}{sign}{after}")
    left = x + paper.stringWidth(before, "Helvetica", 10)
    width = paper.stringWidth(sign, "Helvetica", 10)
    if bar:
        paper.setStrokeColor(black)
        paper.setLineWidth(0.5)
        paper.line(left, y - 1, left + bar * width, y - 1)


def text_of(draw: Any) -> tuple[str, list[str]]:
    document = parsed(draw)
    text = "\n".join(s.text for s in document.sections)
    return text, [w.code for w in document.warnings]


def test_a_bar_under_the_sign_includes_the_limit() -> None:
    """'Treat at ≥160' read as '>160' leaves a patient at 160 untreated."""

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 700)
        limit(paper, "Treat a systolic pressure of ", ">", "160 mmHg at once.", 640)
        limit(paper, "Do not treat a level of ", "<", "7 days old.", 610)
        limit(paper, "The mean was 12 ", "+", " 3 days in all of them.", 580)
        limit(paper, "Nobody with a pulse ", ">", "140 is sent home.", 550, bar=0)

    text, warnings = text_of(page)
    assert "pressure of ≥160 mmHg" in text
    assert "level of ≤7 days" in text
    assert "12 ± 3 days" in text
    assert "pulse >140 is" in text
    assert warnings == ["underlined_signs"]


def test_an_underlined_phrase_keeps_its_sign_and_is_reported() -> None:
    """A rule that runs on below the figure may be emphasis: nobody knows, so it is reported."""

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 700)
        limit(paper, "Treat a systolic pressure of ", ">", "160 mmHg at once.", 640, bar=4)

    text, warnings = text_of(page)
    assert "pressure of >160 mmHg" in text
    assert warnings == ["unclear_signs"]


def test_a_rule_between_lines_is_no_bar() -> None:
    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 700)
        limit(paper, "Treat a systolic pressure of ", ">", "160 mmHg at once.", 640, bar=0)
        paper.line(72, 638.5, 400, 638.5)

    text, warnings = text_of(page)
    assert "pressure of >160 mmHg" in text
    assert not warnings


def test_cells_of_a_table_have_the_sign_as_well() -> None:
    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 760)
        for y in (700, 680, 660, 640):
            paper.line(72, y, 372, y)
        for x in (72, 222, 372):
            paper.line(x, 640, x, 700)
        for y, (a, b) in zip((686, 666), (("Grade", "Limit"), ("Mild", "<140 mmHg")), strict=True):
            write(paper, [a], 76, y, bold=y > 680)
            write(paper, [b], 226, y, bold=y > 680)
        write(paper, ["Severe"], 76, 646)
        limit(paper, "", ">", "160 mmHg", 646, x=226)

    document = parsed(page)
    (table,) = [b.table for s in document.sections for b in s.blocks if b.table is not None]
    assert table.rows[2] == ("Severe", "≥160 mmHg")
    assert table.rows[1] == ("Mild", "<140 mmHg")


def test_a_page_set_sideways_is_read_in_its_own_frame() -> None:
    """The bar of a sideways table is drawn from top to bottom."""
    character = {"c": ">", "bbox": (90.0, 100.0, 102.0, 106.0), "origin": (100.0, 100.0)}
    line = {"dir": (0.0, 1.0), "spans": [{"size": 10.0, "chars": [character]}]}
    turn = Turn("down", 600.0, 800.0)
    bar = turn.box((98.0, 100.0, 98.4, 106.0))
    assert read_bars([line], [bar], UPRIGHT) == (0, 0)
    base = turn.base(character["origin"])
    read, unclear = read_bars([line], [(bar[0], base + 1, bar[2], base + 1.4)], turn)
    assert (read, unclear, character["c"]) == (1, 0, "≥")


def test_the_numerator_of_a_fraction_is_no_call_to_a_note() -> None:
    """'1½ tablets' set as 1, raised 1, slash, small 2 was read as '1/2 tablets': a third of it."""

    def fraction(paper: Any, before: str, parts: tuple[str, str], after: str, y: float) -> None:
        x = 72.0
        for text, size, rise, font in (
            (before, 10, 0, "Helvetica"), (parts[0], 5.5, 4, "Helvetica"),
            ("/", 10, 0, "Helvetica"), (parts[1], 5.5, 0, "Helvetica"), (after, 10, 0, "Helvetica"),
        ):  # fmt: skip
            paper.setFont(font, size)
            paper.drawString(x, y + rise, text)
            x += paper.stringWidth(text, font, size)

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 700)
        fraction(paper, "Adults over 60 kg take 1", ("1", "2"), " tablets a day.", 640)
        fraction(paper, "Children take ", ("3", "4"), " tablet a day.", 620)
        fraction(paper, "The pressure is 120", ("1", "80"), " at rest.", 600)

    text, _ = text_of(page)
    assert "take 1½ tablets a day" in text
    assert "take ¾ tablet a day" in text
    assert "is 120/80 at rest" in text

"""Lists set with a tab stop: a dose must stay with its drug, and its drug with its patients."""

from __future__ import annotations

from functools import partial
from typing import Any

from paper import PROSE, parsed
from paper import write as write_any

from clinrag_core.model.document import Document

write = partial(write_any, size=11, leading=16 / 11)


def entries(paper: Any, rows: list[tuple[str, str]], y: float, stop: float = 145) -> float:
    for label, value in rows:
        write(paper, [label], 72, y)
        y = write(paper, [value], stop, y)
    return y


def items(document: Document) -> list[tuple[str, str]]:
    """Text and lead-in of the list items."""
    return [
        (s.text_of(b), s.text[slice(*b.lead_in)] if b.lead_in else "")
        for s in document.sections
        for b in s.blocks
        if b.kind == "list_item"
    ]


REGIMEN = [("Vortazole:", "450 mg once a month"), ("Mirudine:", "50 mg daily")]


def test_each_drug_of_a_regimen_is_an_entry_under_its_patients() -> None:
    """Read as one paragraph, 'Mirudine: 50 mg daily' was a claim without the child it is for."""

    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 720)
        y = write(paper, ["The child regimen (10-14 years) for stage two is:"], 72, y - 20)
        y = entries(paper, [REGIMEN[0]], y)
        # A label as wide as the tab stop leaves no gap: MuPDF reads one run.
        y = write(paper, ["Clostamicine 150 mg once a month and 50 mg every other day"], 72, y)
        y = entries(paper, [REGIMEN[1]], y)
        write(paper, ["Duration: 12 months"], 145, y - 12)
        write(paper, PROSE, 72, y - 60)

    lead = "The child regimen (10-14 years) for stage two is:"
    assert items(parsed(page)) == [
        ("Vortazole: 450 mg once a month", lead),
        ("Clostamicine 150 mg once a month and 50 mg every other day", lead),
        ("Mirudine: 50 mg daily", lead),
        ("Duration: 12 months", lead),
    ]


def test_a_regimen_on_the_next_page_keeps_its_patients() -> None:
    def first(paper: Any) -> None:
        y = write(paper, PROSE * 3, 72, 400)
        write(paper, ["The adult regimen is:"], 72, y - 10)

    def second(paper: Any) -> None:
        y = entries(paper, REGIMEN, 760)
        write(paper, PROSE, 72, y - 30)

    leads = [lead for _, lead in items(parsed(first, second))]
    assert leads == ["The adult regimen is:"] * 2


def test_a_wrapped_value_stays_with_its_label() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 720) - 10
        y = entries(paper, [("Monitor", "To watch closely or to check on a regular")], y)
        y = write(paper, ["Basis, every week in the first month."], 145, y)
        entries(paper, [("Relapse", "A second episode after cure.")], y)

    assert [text for text, _ in items(parsed(page))] == [
        "Monitor To watch closely or to check on a regular Basis, every week in the first month.",
        "Relapse A second episode after cure.",
    ]


def test_age_bands_head_the_entries_below_them() -> None:
    """The dose of the second band must not be quoted under the first."""

    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 720)
        y = write(paper, ["Under 5 years"], 72, y - 14)
        y = entries(paper, [("Vortazole", "75 mg daily"), ("Mirudine", "10 mg daily")], y)
        y = write(paper, ["5 to 9 years"], 72, y)
        entries(paper, [("Vortazole", "150 mg daily"), ("Mirudine", "20 mg daily")], y)

    assert items(parsed(page)) == [
        ("Vortazole 75 mg daily", "Under 5 years"),
        ("Mirudine 10 mg daily", "Under 5 years"),
        ("Vortazole 150 mg daily", "5 to 9 years"),
        ("Mirudine 20 mg daily", "5 to 9 years"),
    ]


def test_prose_with_one_wide_space_is_no_list() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 720)
        y = entries(paper, [("Nurses", "call every person who starts")], y)
        write(paper, PROSE, 72, y)

    assert not items(parsed(page))


def test_a_box_does_not_inherit_the_words_above_the_list_before_it() -> None:
    """'The aims are to:' above one list introduced the items of a box further down."""

    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760)
        y = write(paper, ["The aims are to:"], 72, y)
        y = write(paper, ["\u2022 cure people,", "\u2022 reduce transmission."], 80, y)
        paper.setFillColorRGB(0.85, 0.6, 0.6)
        paper.rect(70, y - 50, 400, 50, stroke=0, fill=1)
        paper.setFillColorRGB(0, 0, 0)
        write(paper, ["\u2022 It is an oral treatment.", "\u2022 Relapses are rare."], 80, y - 18)

    assert items(parsed(page)) == [
        ("• cure people,", "The aims are to:"),
        ("• reduce transmission.", "The aims are to:"),
        ("• It is an oral treatment.", ""),
        ("• Relapses are rare.", ""),
    ]


def test_drawn_bullets_begin_the_items_of_a_list() -> None:
    """Web browsers draw bullets: 'Do not give to:' must stay with each group it forbids."""

    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760) - 10
        y = write(paper, ["Do not give to:"], 72, y)
        for texts in (["women in the first twelve", "weeks of pregnancy"], ["newborn babies"]):
            paper.circle(80, y + 3, 2, stroke=0, fill=1)
            y = write(paper, texts, 90, y)
        write(paper, PROSE, 72, y - 14)

    assert items(parsed(page)) == [
        ("women in the first twelve weeks of pregnancy", "Do not give to:"),
        ("newborn babies", "Do not give to:"),
    ]


def test_small_bullets_are_no_notes_in_the_margin() -> None:
    """Bullets smaller than the text went to the foot of the page, without their items."""

    def page(paper: Any) -> None:
        y = write(paper, PROSE, 92, 760) - 10
        for text in ("Contact with a person who is ill", "Return after loss to follow-up"):
            paper.setFont("Helvetica", 7)
            paper.drawString(78, y + 1, "\u2022")
            y = write(paper, [text], 92, y)

    assert items(parsed(page)) == [
        ("• Contact with a person who is ill", ""),
        ("• Return after loss to follow-up", ""),
    ]


def test_frames_side_by_side_are_read_one_after_the_other() -> None:
    """'You have germs in your body. Your A negative test means' was read across two frames."""
    left = ["You have germs in your body. Your", "doctor will do other tests.", "Ask for them."]
    right = ["A negative test means you likely", "do not have the disease.", "Ask again later."]

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 780)
        paper.setFillColorRGB(0.9, 0.9, 0.9)
        paper.rect(0, 560, 595, 100, stroke=0, fill=1)
        for x, texts in ((72, left), (310, right)):
            paper.setFillColorRGB(1, 1, 1)
            paper.rect(x - 6, 630, 210, 90, stroke=1, fill=1)
            paper.setFillColorRGB(0, 0, 0)
            write(paper, texts, x, 700)
        write(paper, PROSE, 72, 600)

    text = " ".join(" ".join(s.text.split()) for s in parsed(page).sections)
    assert " ".join(left) in text
    assert " ".join(right) in text

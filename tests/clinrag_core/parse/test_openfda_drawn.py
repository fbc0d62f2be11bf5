"""Tables drawn with spaces: headings over the columns they are above, or unsure rows."""

from __future__ import annotations

import pytest

from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.openfda.text import pieces

PADDING = "~"
"""In these texts: spaces that fill a line up to the width of its table."""


def grid(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells of the only table of a text."""
    return tuple(tuple(cell.text for cell in row) for row in table_of(text).rows)


def table_of(text: str) -> Piece:
    """Return the only table of a text."""
    (piece,) = (piece for piece in read(text) if piece.kind == "table")
    return piece


def read(text: str) -> list[Piece]:
    """Return the pieces of a text with its lines filled up."""
    return pieces(text.replace(PADDING, " " * 20))


PARTED = """ Table 4: Reactions
                              Testaz(N=929)        Placebo(N=938)

  * Soapy or of metal.~

Body as a Whole~
    Rigors                        4%                  2%~
Kidney~
    Foamy urine  *                13%                 3%~
             Liver

 Nobody died."""


def test_blank_lines_and_notes_do_not_part_a_table() -> None:
    """Header, note and first group were read as paragraphs, and the figures had no headings."""
    assert [piece.kind for piece in read(PARTED)] == [
        "caption",
        "table",
        "footnote",
        "paragraph",
        "paragraph",
    ]
    assert table_of(PARTED).header_rows == 1
    assert grid(PARTED) == (
        ("", "Testaz(N=929)", "Placebo(N=938)"),
        ("Body as a Whole", "", ""),
        ("Rigors", "4%", "2%"),
        ("Kidney", "", ""),
        ("Foamy urine *", "13%", "3%"),
    )


SPANNED = """ Table 2: Reactions
Adverse Reactions        Pooled Trials    (four trials)~
TESTAZ(200 mg once a day)(N=62)  Lumizol(600 mg twice)(N=60)~

  Nausea                                 8%                                       12%~
  Headache                               6%                                        5%~
"""


def test_headings_at_the_margin_are_those_of_the_columns_of_values() -> None:
    piece = table_of(SPANNED)
    first, second, *_ = piece.rows
    assert [(cell.text, cell.rows, cell.columns) for cell in first] == [
        ("Adverse Reactions", 2, 1),
        ("Pooled Trials (four trials)", 1, 2),
    ]
    assert [cell.text for cell in second] == [
        "TESTAZ(200 mg once a day)(N=62)",
        "Lumizol(600 mg twice)(N=60)",
    ]
    assert piece.header_rows == 2
    assert piece.unsure == ()


BROKEN = """ Table 3: Tests

  Changed by Testaz                Not changed

Thrombin time/international        Bleeding time
normalized ratio                   Clotting time of Lee
Activated clotting time            D-dimer
"""


def test_a_label_broken_over_two_lines_is_unsure() -> None:
    """'normalized ratio: Clotting time of Lee' was quoted."""
    piece = table_of(BROKEN)
    assert piece.header_rows == 1
    assert piece.unsure == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        """CrCl          Trial 1         Trial 2
Testaz    N (%)      Placebo    N (%)      Difference    (95% CI)      Testaz    N (%)
>80          143 (12.2%)     152 (14.1%)      -1.8(-9.6, 6.0)  181 (10.5%)     181 (18.7%)
<30          61 (44.3%)      51 (37.3%)       7.0(-11.2, 25.2)  38 (61.1%)      41 (42.1%)
""",
        """Reaction      Testaz      Placebo      Mirudine
Nausea          8%           12%
Rash            2%            1%
""",
    ],
)
def test_a_table_that_can_be_read_in_two_ways_is_unsure_as_a_whole(text: str) -> None:
    piece = table_of(text)
    assert piece.unsure == tuple(range(len(piece.rows)))
    assert piece.header_rows == 0


def test_lines_with_gaps_that_are_no_columns_stay_prose() -> None:
    text = (
        " EXCERPT:   Nausea is common.\n\n Call 1-800-5550 or   www.example.org  to report.\n\n"
        " Nerve Disorders:    numbness\n\n Skin Disorders:    itching\n"
    )
    assert {piece.kind for piece in read(text)} == {"paragraph"}

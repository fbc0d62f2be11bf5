"""Claims in the form they are read in: a sentence, or a table where they are rows of one.

Only the layout changes: every word of a claim is shown, in its order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.present.numbering import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.records import Answer, Claim


class ShownRow(NamedTuple):
    """A claim as a row; `claim` is its index in the answer."""

    claim: int
    cells: tuple[str, ...]


class ShownBlock(NamedTuple):
    """Consecutive claims of one table, or in words of one place (`headings` is empty)."""

    headings: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    context: str


def answer_blocks(answer: Answer) -> tuple[ShownBlock, ...]:
    """Return the claims of an answer in the form they are read in, in their order."""
    return claim_blocks(answer.claims)


def headed_text(claim: Claim) -> str:
    """Return the words of a claim, after its heading where they only go on from it.

    "In a child under 4 years" says the opposite without "Do not use" above it.
    """
    text = " ".join(claim.text.split())
    path = claim.citations[0].section_path if claim.citations else ()
    goes_on = text[:2].isalpha() and text[:2].islower()  # not "b. Repeat the test"
    return f"{path[-1].rstrip(': ')}: {text}" if path and goes_on else text


def claim_blocks(claims: Sequence[Claim]) -> tuple[ShownBlock, ...]:
    """Return claims in the form they are read in; those of one table or one place together."""
    blocks: list[ShownBlock] = []
    last: object = None
    for index, claim in enumerate(claims):
        headings = tuple(cell.heading for cell in claim.cells)
        values = tuple(cell.value for cell in claim.cells)
        row = ShownRow(index, values or (headed_text(claim),))
        place = headings or tuple(dict.fromkeys(map(place_of, claim.citations)))
        if blocks and last == (place, claim.context):
            blocks[-1] = blocks[-1]._replace(rows=(*blocks[-1].rows, row))
        else:
            blocks.append(ShownBlock(headings, (row,), claim.context))
        last = (place, claim.context)
    return tuple(blocks)

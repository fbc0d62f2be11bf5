"""What introduces the items of a list in a list. Invented texts."""

from __future__ import annotations

import pytest

from clinrag_core.chunk.leads import BulletLeads
from clinrag_core.model.section import Block, Section

LEAD = "Not for those with:"
ITEMS = ("Gout", "Bleeding with:", "Ulcers", "Aneurysms", "Spinal puncture")


@pytest.mark.parametrize(
    ("lefts", "of_last"),
    [
        ((59, 59, 77, 77, 59), LEAD),
        ((59, 59, 59, 59, 59), ITEMS[1]),
        ((59, 59, 77, 77, 77), ITEMS[1]),
    ],
)
def test_an_inner_list_ends_with_its_indentation(lefts: tuple[int, ...], of_last: str) -> None:
    text = "\n\n".join((LEAD, *ITEMS))
    blocks = [Block(kind="paragraph", start=0, end=len(LEAD))]
    for item, left in zip(ITEMS, lefts, strict=True):
        start = text.index(item)
        blocks.append(
            Block(
                kind="list_item",
                start=start,
                end=start + len(item),
                page=1,
                box=(left, 0, 300, 10),
                lead_in=(0, len(LEAD)),
            )
        )
    section = Section(ordinal=0, path=("Invented",), text=text, blocks=tuple(blocks))
    leads = BulletLeads(section)
    found = [leads.of(block, block.start, block.end) for block in blocks]
    assert [text[slice(*one)] for one in found if one] == [LEAD, LEAD, ITEMS[1], ITEMS[1], of_last]


def test_those_whom_a_colon_announces_are_these() -> None:
    """A rule for children with HIV had been shown for everybody."""
    said = (
        "9. Children living with HIV:",
        "For those without contact, give it for six months.",
        "Those with contact are screened first.",
        "Sleep helps everybody.",
        "Those who are well go home.",
    )
    text = "\n\n".join(said)
    blocks = tuple(
        Block(
            kind="paragraph" if number else "list_item",
            start=text.index(one),
            end=text.index(one) + len(one),
        )
        for number, one in enumerate(said)
    )
    section = Section(ordinal=0, path=("Invented",), text=text, blocks=blocks)
    leads = BulletLeads(section)
    found = [leads.of(block, block.start, block.end) for block in blocks]
    of_whom = [one and text[slice(*one)] for one in found]
    assert of_whom == [None, said[0][3:], said[0][3:], None, None]

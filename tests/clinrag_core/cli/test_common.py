"""What commands print of the places that a claim cites."""

from clinrag_core.cli.common import cited_places
from clinrag_core.model.citation import Citation


def citation(title: str, start: int, end: int) -> Citation:
    return Citation(
        chunk_id="c",
        document_id=title,
        document_title=title,
        section_path=("Doses",),
        start=start,
        end=end,
        snippet="x" * (end - start),
        page=3,
    )


def test_spans_of_one_place_are_one_line_and_every_place_is_named():
    lines = cited_places([citation("A", 0, 4), citation("B", 1, 2), citation("A", 9, 12)])
    assert lines == ["A · Doses · p. 3 · characters 0-4, 9-12", "B · Doses · p. 3 · characters 1-2"]

"""Numbers of sources and the form of claims: the same on every door."""

from __future__ import annotations

from clinrag_core.answer.records import Answer, Claim
from clinrag_core.chunk.row_cells import row_cells
from clinrag_core.model.citation import Citation
from clinrag_core.present.blocks import answer_blocks
from clinrag_core.present.lines import claim_lines
from clinrag_core.present.numbering import number_sources


def cite(document: str = "d1", page: int | None = 1, start: int = 0, chunk: str = "c1") -> Citation:
    return Citation(
        chunk_id=chunk, document_id=document, document_title=document.upper(),
        section_path=("1 Doses",), start=start, end=start + 5, snippet="words", page=page,
    )  # fmt: skip


def answer(*claims: tuple[str, list[Citation], str]) -> Answer:
    made = tuple(
        Claim(text=t, citations=tuple(c), context=x, cells=row_cells(t, [t]) if ";" in t else ())
        for t, c, x in claims
    )
    return Answer(status="answered", claims=made)


def test_a_source_is_numbered_where_it_is_first_cited_and_keeps_its_number():
    numbered = number_sources(
        answer(
            ("a", [cite("d2")], ""),
            ("b", [cite("d1"), cite("d2", start=9)], ""),
            ("c", [cite("d1", page=2), cite("d1", chunk="c2")], ""),
        )
    )
    assert [(s.number, s.first.document_id, s.first.page) for s in numbered.sources] == [
        (1, "d2", 1), (2, "d1", 1), (3, "d1", 2),
    ]  # fmt: skip
    assert [[s.number for s in claim] for claim in numbered.by_claim] == [[1], [1, 2], [2, 3]]
    assert [c.start for c in numbered.sources[0].citations] == [0, 9]


def test_a_place_cited_twice_is_listed_once():
    numbered = number_sources(answer(("a", [cite(), cite()], "")))
    assert len(numbered.sources[0].citations) == 1


def test_rows_of_one_table_are_one_table_and_lose_no_word():
    rows = [("Drug: A; Dose: 5 mg", [cite(), cite(start=9)], "Table 1"),
            ("Drug: B; Dose: 6 mg", [cite(), cite(start=20)], "Table 1"),
            ("Drug: C; Dose: 7 mg", [cite(), cite(start=30)], "Table 2")]  # fmt: skip
    blocks = answer_blocks(answer(*rows))
    assert [b.headings for b in blocks] == [("Drug", "Dose")] * 2
    assert [[r.cells for r in b.rows] for b in blocks] == [
        [("A", "5 mg"), ("B", "6 mg")], [("C", "7 mg")],
    ]  # fmt: skip


def test_sentences_of_one_place_share_their_source_and_others_do_not():
    blocks = answer_blocks(
        answer(("A", [cite()], "x"), ("B", [cite(start=9)], "x"), ("C", [cite(page=2)], "x"))
    )
    assert [[row.claim for row in block.rows] for block in blocks] == [[0, 1], [2]]


def test_words_that_look_like_a_row_are_no_table_unless_the_claim_is_one():
    claim = Claim(text="Note: A; Dose: 5 mg", citations=(cite(), cite(start=9)))
    (block,) = answer_blocks(Answer(status="answered", claims=(claim,)))
    assert block.headings == ()
    assert block.rows[0].cells == ("Note: A; Dose: 5 mg",)


def test_a_row_in_plain_text_names_its_table():
    row = Claim(
        text="Result: positive; Decision: stop treatment",
        citations=(cite(),),
        context="D1 (2017) › 1 Doses › Table 3: Patients who interrupted treatment",
        kind="row",
    )
    said = Answer(status="answered", claims=(row,))
    assert claim_lines(said)[0].startswith("Table 3: Patients who interrupted treatment: Result:")
    headed = row.model_copy(update={"context": "D1 (2017) › 1 Doses"})
    untitled = Answer(status="answered", claims=(headed,))
    assert claim_lines(untitled)[0].startswith("Result: positive")


def test_what_only_goes_on_from_its_heading_is_shown_after_it():
    blocks = answer_blocks(
        answer(("under 4 years of age", [cite()], ""), ("b. Rest", [cite()], ""))
    )
    rows = [row.cells[0] for block in blocks for row in block.rows]
    assert rows == ["1 Doses: under 4 years of age", "b. Rest"]

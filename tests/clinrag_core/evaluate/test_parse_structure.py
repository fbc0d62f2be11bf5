"""The audit sees structure that was lost: chapters outside the index, glue, torn tables."""

from __future__ import annotations

from clinrag_core.evaluate.parse_audit.structure import role_words, structure_findings
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block, BlockKind, Section, SectionRole
from clinrag_core.model.source import SourceFile

PROSE = "adults take testazid with food every day and are seen again after two weeks of care. "


def document(*sections: Section) -> Document:
    file = SourceFile(name="care.pdf", sha256="0" * 64, size=1)
    numbered = [s.model_copy(update={"ordinal": n}) for n, s in enumerate(sections)]
    return Document(
        id="care", kind="guideline", format="pdf", title="Care", file=file, parser="pdf/0",
        pages=9, sections=tuple(numbered),
    )  # fmt: skip


def section(
    title: str,
    *blocks: tuple[BlockKind, str],
    role: SectionRole = "body",
    page: int = 1,
    above: tuple[str, ...] = (),
) -> Section:
    text = "\n\n".join(t for _, t in blocks)
    made: list[Block] = []
    start = 0
    for kind, part in blocks:
        made.append(Block(kind=kind, start=start, end=start + len(part), page=page))
        start += len(part) + 2
    return Section(
        ordinal=0, path=(*above, title), text=text, blocks=tuple(made), role=role, page=page
    )


def codes(*sections: Section) -> dict[str, int | None]:
    return {f.code: f.page for f in structure_findings(document(*sections))}


def test_a_whole_document_has_no_finding():
    assert codes(section("1 Care", ("paragraph", PROSE * 5))) == {}


def test_prose_filed_as_front_matter_is_an_error_with_its_page():
    found = codes(
        section("Care", ("paragraph", PROSE * 20)),
        section("Acknowledgements", ("paragraph", PROSE * 20), role="front_matter", page=4),
    )
    assert found == {"words_outside_index": 4}


def test_references_and_names_belong_outside_the_index():
    reference = "Smith J, Jones K. A trial of testazid. Journal 2019;4:1-9. "
    people = "Anna Smith (Town), Karl Jones (Village), Ida Berg (City), "
    found = codes(
        section("Care", ("paragraph", PROSE)),
        section("References", ("list_item", reference * 30), role="references"),
        section("Acknowledgements", ("paragraph", people * 40), role="front_matter"),
    )
    assert found == {}


def test_a_numbered_chapter_outside_the_index_is_an_error():
    chapter = section("3 Treatment", ("paragraph", PROSE), role="references", page=7)
    assert codes(section("Care", ("paragraph", PROSE)), chapter) == {"chapter_outside_index": 7}


def test_glued_words_are_an_error():
    glued = "Adultstaketestazidwithfoodeveryday andareseenagainaftertwoweeks "
    assert codes(section("Care", ("paragraph", glued * 5), page=3)) == {"glued_words": 3}


def test_an_empty_numbered_section_is_found_and_a_parent_is_not():
    found = codes(
        section("1 Care", page=2),
        section("1.1 Dose", ("paragraph", PROSE), above=("1 Care",), page=2),
        section("1.2 Storage", above=("1 Care",), page=5),
    )
    assert found == {"empty_sections": 5}


def test_lines_read_across_columns_are_found():
    mixed = "This needs good manage-RECOMMENDATION of all and strict moni-Adults take care"
    assert codes(section("Care", ("paragraph", mixed), page=6)) == {"columns_mixed": 6}


def test_a_caption_without_its_table_is_found():
    found = codes(section("Care", ("caption", "Table 4. Dose by weight"), ("paragraph", PROSE)))
    assert found == {"caption_without_table": 1}


def test_a_grade_without_its_statement_is_found():
    grade = "Strong recommendation, low certainty of evidence"
    found = codes(section("Care", ("recommendation", grade), ("paragraph", PROSE)))
    assert found == {"grade_without_statement": 1}


def test_words_are_counted_by_role():
    counted = role_words(
        document(
            section("Care", ("paragraph", "Give testazid daily.")),
            section("References", ("paragraph", "Smith 2019."), role="references"),
        )
    )
    assert counted == {"body": 3, "references": 1}

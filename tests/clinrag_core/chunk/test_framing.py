"""The words of a statement are quoted from passages, in pieces where two passages share them."""

from __future__ import annotations

from clinrag_core.chunk.framing import frame_statements
from clinrag_core.model.chunk import Chunk
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

SAID = "The weekly drug is given for twelve weeks and taken with food."
PAGE = f"<html><body><main><h1>Guide</h1><h2>Dose</h2><p>{SAID}</p></main></body></html>"


def parsed() -> Document:
    data = PAGE.encode()
    source = DocumentSource(
        id="invented",
        kind="guideline",
        format="html",
        title="Guide",
        topics=("tb",),
        file=SourceFile(name="invented.html", sha256=sha256_hex(data), size=len(data)),
    )
    return parse_document(data, source)


def passage(document: Document, ordinal: int, start: int, end: int) -> Chunk:
    (section,) = (one for one in document.sections if SAID in one.text)
    return Chunk(
        id=f"passage-{ordinal:016}",
        document_id=document.id,
        document_title=document.title,
        kind="guideline",
        section_ordinal=section.ordinal,
        section_path=section.path,
        ordinal=ordinal,
        start=start,
        end=end,
        text=section.text[start:end],
        embed_title="Guide",
        embed_text=section.text[start:end],
        tokens=9,
        file_sha256=sha256_hex(PAGE.encode()),
    )


def quoted(*spans: tuple[int, int]) -> list[str]:
    document = parsed()
    text = next(one.text for one in document.sections if SAID in one.text)
    at = text.index(SAID)
    chunks = [passage(document, n, at + a, at + b) for n, (a, b) in enumerate(spans)]
    framed = [one for one in frame_statements(document, chunks) if one.said == SAID]
    return [text[quote.start : quote.end] for one in framed for quote in one.quotes]


def test_a_statement_is_quoted_from_the_passage_that_holds_it() -> None:
    assert quoted((0, len(SAID)), (0, 20)) == [SAID]


def test_a_statement_that_two_passages_share_is_quoted_in_pieces() -> None:
    middle = SAID.index(" twelve")
    assert quoted((0, middle), (middle + 1, len(SAID))) == [SAID[:middle], SAID[middle + 1 :]]
    assert quoted((0, middle + 9), (middle, len(SAID))) == [SAID[: middle + 9], SAID[middle + 9 :]]


def test_a_statement_is_left_out_where_no_passage_has_some_of_its_words() -> None:
    assert quoted((0, 20), (25, len(SAID))) == []
    assert quoted((0, 20)) == []

import pytest

from clinrag_core.answer.extract import citation_problems, cite
from clinrag_core.model import Chunk


@pytest.fixture
def chunk() -> Chunk:
    text = "Give 300 mg daily. Stop if jaundice appears."
    return Chunk(
        id="0" * 24, document_id="d", document_title="D", kind="guideline", section_ordinal=0,
        section_path=("Dose",), ordinal=0, start=100, end=100 + len(text), text=text,
        embed_title="D", embed_text=text, tokens=9, file_sha256="0" * 64, page=3,
    )  # fmt: skip


def test_a_citation_is_a_verbatim_span_of_the_section(chunk: Chunk):
    citation = cite(chunk, 19, 44)
    assert citation.snippet == "Stop if jaundice appears."
    assert (citation.start, citation.end, citation.page) == (119, 144, 3)
    assert citation_problems(citation, chunk) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"snippet": "Stop if jaundice disappears."}, "not_verbatim"),
        ({"end": 900}, "out_of_range"),
        ({"start": 5}, "out_of_range"),
        ({"start": 144}, "out_of_range"),
    ],
)
def test_a_made_up_citation_is_seen(chunk: Chunk, change: dict[str, object], problem: str):
    citation = cite(chunk, 19, 44).model_copy(update=change)
    assert citation_problems(citation, chunk) == [problem]


def test_a_citation_of_nothing_is_missing(chunk: Chunk):
    assert citation_problems(cite(chunk, 0, 5), None) == ["missing"]

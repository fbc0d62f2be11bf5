import datetime as dt
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinrag_core.chunk.chunker import Chunker, is_indexed
from clinrag_core.chunk.framing import frame_statements
from clinrag_core.chunk.units import header_joined, section_units
from clinrag_core.chunk.verify import chunk_problems
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import TokenCounter, load_tokenizer
from clinrag_core.model.document import Document
from clinrag_core.model.label import Label
from clinrag_core.model.section import Block, Section
from clinrag_core.model.source import SourceFile
from clinrag_core.model.table import Table
from clinrag_core.settings import ChunkSettings, EncoderSettings

CAPACITY = 318
SOURCE = SourceFile(name="x.txt", sha256="0" * 64, size=1)
WORDS = st.sampled_from(
    ["Isoniazid", "300 mg", "daily.", "Give", "rifampin", "for", "4 months.", "x" * 40, "5.5%"]
)
PARAGRAPH = st.lists(WORDS, min_size=1, max_size=150).map(" ".join)
TEXT = st.lists(PARAGRAPH, max_size=4).map("\n\n".join)


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    spec = encoder_spec(EncoderSettings(name="minilm"))
    return TokenCounter(load_tokenizer(model_folder(spec.passage_model, spec.package)))


@pytest.fixture(scope="module")
def chunker(counter: TokenCounter) -> Chunker:
    return Chunker(ChunkSettings(), counter, CAPACITY)


def document(texts: list[str], kind: str = "guideline", title: str = "TB treatment") -> Document:
    sections = tuple(
        Section(ordinal=i, path=(f"Section {i % 2}",), text=text) for i, text in enumerate(texts)
    )
    label = Label(drug="isoniazid", names=("isoniazid",)) if kind == "label" else None
    return Document(
        id="doc", kind=kind, format="text", title=title, file=SOURCE, parser="t/1",
        sections=sections, label=label,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXT, max_size=4), kind=st.sampled_from(["guideline", "label"]))
def test_chunks_are_verbatim_cover_their_section_and_fit_the_encoder(
    chunker: Chunker, texts: list[str], kind: str
):
    doc = document(texts, kind)
    chunks = chunker.chunk(doc)
    assert chunk_problems([doc], chunks, CAPACITY) == []
    room = CAPACITY - ChunkSettings().title_tokens
    assert all(chunk.tokens <= (240 if kind == "guideline" else CAPACITY) for chunk in chunks)
    assert room > 240


@settings(max_examples=10, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_ids_are_the_same_in_another_run_and_other_documents_do_not_change_them(
    chunker: Chunker, counter: TokenCounter, texts: list[str]
):
    doc = document(texts)
    first = [chunk.id for chunk in chunker.chunk(doc)]
    again = Chunker(ChunkSettings(), counter, CAPACITY)
    again.chunk(document(["Something else first."]))
    assert [chunk.id for chunk in again.chunk(doc)] == first


def test_identical_text_under_identical_headings_keeps_separate_ids(chunker: Chunker):
    chunks = chunker.chunk(document(["Same words here.", "", "Same words here."]))
    assert len({chunk.id for chunk in chunks}) == 2


def test_a_guideline_window_starts_and_ends_at_sentence_boundaries(chunker: Chunker):
    sentence = "Give isoniazid 300 mg once daily for six months to adults with tuberculosis. "
    chunks = chunker.chunk(document([sentence * 60]))
    assert len(chunks) > 3
    assert all(c.text.startswith("Give") and c.text.endswith("tuberculosis.") for c in chunks)
    assert all(b.start < a.end for a, b in pairwise(chunks))


def test_a_passage_and_a_statement_of_a_label_have_its_date_and_not_that_of_their_section(
    chunker: Chunker,
):
    of_2025, of_2014 = dt.date(2025, 4, 17), dt.date(2014, 8, 21)
    parsed = document(["Take one tablet with food every day."], "label")
    section = parsed.sections[0].model_copy(update={"effective": of_2014})
    label = Label(drug="isoniazid", names=("isoniazid",), effective=of_2025)
    parsed = parsed.model_copy(update={"sections": (section,), "label": label})
    chunks = chunker.chunk(parsed)
    dates = {one.effective for one in (*chunks, *frame_statements(parsed, chunks))}
    assert dates == {of_2025}


def test_a_label_section_that_fits_the_encoder_is_one_chunk(chunker: Chunker):
    text = "Give isoniazid 300 mg once daily. " * 27
    assert len(chunker.chunk(document([text], "label"))) == 1
    assert len(chunker.chunk(document([text * 2], "label"))) > 1


def test_the_name_of_the_document_and_the_nearest_heading_survive_a_long_path(chunker: Chunker):
    path = tuple(f"A rather long heading number {i} of a deep guideline chapter" for i in range(9))
    doc = document([]).model_copy(update={"title": "Isoniazid"})
    title = chunker.embed_title(doc, Section(ordinal=0, path=path, text="x"))
    assert title.startswith("Isoniazid › ")
    assert title.endswith(path[-1])


@pytest.mark.parametrize(
    "change",
    [{"role": "references"}, {"audience": "patient"}, {"group": "package_label"}, {"text": " \n"}],
)
def test_what_is_not_evidence_is_not_indexed(change: dict[str, str]):
    section = Section(ordinal=0, path=("Dose",), text="Give 300 mg.")
    assert is_indexed(section)
    assert not is_indexed(section.model_copy(update=change))


def table_section() -> Section:
    text = "Doses by weight.\n\nWeight\tIsoniazid\n30-39 kg\t200 mg\n40-54 kg\t300 mg"
    rows = (("Weight", "Isoniazid"), ("30-39 kg", "200 mg"), ("40-54 kg", "300 mg"))
    spans = tuple(
        (text.index(row[0]), text.index(row[1], text.index(row[0])) + len(row[1])) for row in rows
    )
    table = Table(header_rows=1, rows=rows, row_spans=spans)
    start = spans[0][0]
    blocks = (
        Block(kind="paragraph", start=0, end=16),
        Block(kind="table", start=start, end=len(text), table=table),
    )
    return Section(ordinal=0, path=("Dose",), text=text, blocks=blocks)


def test_a_table_row_is_embedded_with_its_header_and_quoted_verbatim(chunker: Chunker):
    section = table_section()
    (chunk,) = chunker.chunk(document([]).model_copy(update={"sections": (section,)}))
    assert "Weight: 40-54 kg; Isoniazid: 300 mg" in chunk.embed_text
    assert chunk.text == section.text
    assert chunk.has_table
    assert chunk.table_html is not None
    assert "<th>Weight</th>" in chunk.table_html
    assert "<td>300 mg</td>" in chunk.table_html


def test_several_header_rows_are_joined_from_the_top():
    rows = (("Drug", "Dose"), ("", "daily"), ("Rifampin", "10 mg/kg"))
    table = Table(header_rows=2, rows=rows, row_spans=((0, 9), (10, 16), (17, 35)))
    assert header_joined(table, 2) == "Drug: Rifampin; Dose daily: 10 mg/kg"


def test_a_sentence_over_the_limit_is_cut_at_words(counter: TokenCounter):
    section = Section(ordinal=0, path=(), text="rifampin " * 500)
    units = section_units(section, 100, counter, (0, len(section.text)))
    assert max(unit.tokens for unit in units) <= 100
    assert all(section.text[unit.start : unit.end].endswith("rifampin") for unit in units)


def test_verification_sees_a_shifted_chunk_and_a_lost_sentence(chunker: Chunker):
    doc = document(["Give 300 mg daily. " * 60])
    chunks = chunker.chunk(doc)
    shifted = [chunks[0].model_copy(update={"start": 1}), *chunks[1:]]
    assert any("verbatim" in p for p in chunk_problems([doc], shifted, CAPACITY))
    assert any("in no chunk" in p for p in chunk_problems([doc], chunks[:-1], CAPACITY))
    assert any("over" in p for p in chunk_problems([doc], chunks, 10))


def test_sample_labels_are_chunked_without_a_problem(chunker: Chunker):
    from clinrag_core.acquire.manifest import load_manifest
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.parse.registry import parse_document
    from clinrag_core.settings import data_folder
    from clinrag_core.workspace import sha256_hex

    manifest = load_manifest(data_folder() / "corpora" / "sample")
    for entry in manifest.labels:
        assert entry.path is not None
        data = (manifest.root / entry.path).read_bytes()
        file = SourceFile(name=Path(entry.path).name, sha256=sha256_hex(data), size=len(data))
        source = DocumentSource(kind="label", format="spl", file=file, drug=entry.key)
        doc = parse_document(data, source)
        assert chunk_problems([doc], chunker.chunk(doc), CAPACITY) == []


def section_of(*parts: tuple[str, str, int | None]) -> Section:
    """Return a section of blocks: kind, text and the part that introduces it."""
    blocks: list[Block] = []
    text = ""
    for kind, words, lead in parts:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{words}" if text else words
        before = blocks[lead] if lead is not None else None
        span = (before.start, before.end) if before is not None else None
        blocks.append(Block(kind=kind, start=start, end=len(text), lead_in=span))  # pyright: ignore[reportArgumentType] - kinds are literals
    return Section(ordinal=0, path=("Care",), text=text, blocks=tuple(blocks))


LONG = "Give testazid 300 mg once daily for six months to adults with swamp fever at home. "


def chunks_of(chunker: Chunker, section: Section) -> list[str]:
    doc = document([]).model_copy(update={"sections": (section,)})
    return [chunk.text for chunk in chunker.chunk(doc)]


def test_a_list_that_fits_stays_with_what_introduces_it(chunker: Chunker):
    items = [("list_item", f"• {LONG}", 1)] * 4
    section = section_of(("paragraph", LONG * 10, None), ("paragraph", "Tell all:", None), *items)
    first, second = chunks_of(chunker, section)
    assert "Tell all" not in first
    assert "Tell all:" in second
    assert second.count("•") == len(items)


def test_the_rest_of_a_long_list_is_embedded_after_its_lead_in(chunker: Chunker):
    items = [("list_item", f"• {LONG}", 0)] * 30
    section = section_of(("paragraph", "Tell all adults with swamp fever:", None), *items)
    doc = document([]).model_copy(update={"sections": (section,)})
    chunks = chunker.chunk(doc)
    assert len(chunks) > 1
    assert all("Tell all adults with swamp fever:" in chunk.embed_text for chunk in chunks)


def test_a_sub_heading_is_in_the_chunk_of_its_text(chunker: Chunker):
    section = section_of(
        ("paragraph", LONG * 11, None), ("paragraph", "Older people", None),
        ("paragraph", LONG * 3, None),
    )  # fmt: skip
    chunks = chunks_of(chunker, section)
    assert [c for c in chunks if c.endswith("Older people")] == []


def test_no_chunk_ends_a_section_with_a_few_words_alone(chunker: Chunker):
    section = section_of(("paragraph", LONG * 2, None), ("paragraph", LONG * 9, None),
        ("paragraph", "None are known.", None))  # fmt: skip
    assert all(len(c.split()) > 6 for c in chunks_of(chunker, section))


def test_a_section_of_its_own_heading_is_not_indexed():
    section = Section(
        ordinal=0, path=("12 Clinical pharmacology",), text="12 CLINICAL PHARMACOLOGY"
    )
    assert not is_indexed(section)


def test_the_row_of_a_flattened_table_is_in_one_chunk(chunker: Chunker):
    """A statement is quoted from one chunk: a torn row cannot be quoted at all."""
    drugs = [
        f"{name}drug ({code})"
        for name, code in (("Alfa", "ALF"), ("Beta", "BET"), ("Gamma", "GAM"))
    ]
    cells = ["3 months", *("15 mg/kg, at most 900 mg, for those of 5 to 9 kg",) * 6, "Daily"]
    section = section_of(
        ("caption", "Invented Regimen Table", None),
        *(("paragraph", title, None) for title in ("Drug(s)", "Duration", "Dose")),
        *(("paragraph", cell, None) for drug in drugs for cell in (drug, *cells)),
    )
    rows = [
        section.text[section.text.index(a) : end]
        for a, end in zip(
            drugs, (*map(section.text.index, drugs[1:]), len(section.text)), strict=True
        )
    ]
    chunks = chunks_of(chunker, section)
    assert len(chunks) > 1
    assert all(any(row.strip() in chunk for chunk in chunks) for row in rows)

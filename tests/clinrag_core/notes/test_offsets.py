"""Sections, chunks and units of any text: exact, complete, within their limits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.notes.chunks import MAXIMUM, SIZE
from clinrag_core.notes.citations import CitationChecker, parse_source
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.generated import plan_problem
from clinrag_core.notes.phi import Deidentified
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note

ODD = st.sampled_from(
    ["e\u0301", "\r\n", "\u00a0", "\N{FAMILY}", "\u200d", "\t", "\x0c", "ﬁ", "\u202e"]
)
LINES = st.sampled_from(
    [
        *("PMH: gout", "PLAN:", "1. Start aspirin 75 mg daily", "No fever, no cough.", "\n\n"),
        *("A. B. C.", "MEDICATIONS: aspirin 75 mg, ramipril 5 mg bd and iron", "? flu"),
        *("word " * 90, "x" * 900),
    ]
)
TEXTS = st.lists(st.one_of(ODD, LINES, st.text(max_size=30)), min_size=1, max_size=25).map(
    "\n".join
)


@given(TEXTS.filter(lambda text: text.strip()))
def test_any_note_is_covered_and_cited_exactly(text: str):
    note = read_note(text, 10**6)
    assert [s.start for s in note.sections] == [0, *(s.end for s in note.sections[:-1])]
    assert note.sections[-1].end == len(text)
    covered = 0
    for number, chunk in enumerate(note.chunks):
        assert chunk.id == f"chunk_{number}"
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.start <= covered < chunk.end
        assert len(chunk.text) <= MAXIMUM
        covered = chunk.end
    assert covered == len(text)
    last = 0
    for unit in note.units:
        assert last <= unit.start < unit.end
        chunk = note.chunks[unit.chunk]
        assert chunk.start <= unit.start
        assert unit.end <= chunk.end
        last = unit.end
    summary = extractive_summary(note).summary
    checker = CitationChecker(note, quoting=True)
    sources = frozenset(item.source for _, item in summary.filed())
    for _, item in summary.filed():
        assert checker.problem(item.text, item.source) is None
        place = parse_source(item.source)
        assert text[place.start : place.end] == item.text
    for one in extractive_plan(note, summary).recommendations:
        for said, source in one.cited():
            assert plan_problem(checker, sources, said, source) is None


def test_a_long_paragraph_is_cut_at_sentences_and_a_shorter_one_never():
    sentence = "The wound was cleaned with saline and dressed again by the nurse. "
    kept = sentence * 40
    assert SIZE < len(kept) < MAXIMUM
    long = (sentence * 60).strip()
    text = f"{kept}\n\n{long}"
    chunks = read_note(text, 10**5).chunks
    assert chunks[0].text.strip() == kept.strip()
    for chunk in chunks[1:]:
        assert chunk.text.strip().endswith(".")
    for before, after in pairwise(chunks[1:]):
        assert 0 < before.end - after.start <= 200
        assert text[after.start - 1].isspace()


def test_a_word_longer_than_a_chunk_is_not_cut_inside_a_character():
    text = "e\u0301" * 3_000
    chunks = read_note(text, 10**5).chunks
    assert len(chunks) > 1
    assert not any(chunk.text.startswith("\u0301") for chunk in chunks)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" + " " * 50_000 + "y", id="blanks"),
        pytest.param("A" * 50_000, id="one-word"),
        pytest.param("no " * 16_000, id="denials"),
        pytest.param("9" * 50_000, id="digits"),
        pytest.param("PMH: gout\n" * 5_000, id="headings"),
    ],
)
@pytest.mark.timeout(120)
def test_no_text_takes_time_out_of_proportion(text: str):
    extractive_summary(read_note(text, 10**6))
    Deidentified(text).hide(text)

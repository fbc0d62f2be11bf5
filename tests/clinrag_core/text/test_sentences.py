"""Sentence spans of clinical text: golden cases and invariants."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.sentences import sentence_spans

GOLDEN = Path(__file__).with_name("golden_sentences.toml")
CASES = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))["case"]

fragments = st.sampled_from(
    [
        "Give 5 mg b.i.d.", "M. tuberculosis", "e.g.", "Fig. 2", "1.5 L.", "BP fell.", "\n", "\n\n",
        "\n- item", "\t", " ", "warning.Use", "•", "1.", "A.", "et al.", "(see 5.1).", "...", "?",
        "“x.”", "\x1c",
        "\u00a0", "\r\n", "\u2028", "pts.", "w/", "and\n", "Smith", "12", "%", "β-lactam", "İ",
    ]
)  # fmt: skip
texts = st.one_of(st.text(), st.lists(fragments, max_size=30).map("".join))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:40])
def test_golden(case: dict[str, object]) -> None:
    text = str(case["text"])
    assert sentences(text) == case.get("sentences", [text])


def test_golden_file_is_not_thinned_out() -> None:
    assert len(CASES) >= 100
    assert len({case["text"] for case in CASES}) == len(CASES)


@given(texts)
def test_spans_are_ordered_disjoint_stripped_and_lose_nothing(text: str) -> None:
    spans = sentence_spans(text)
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[last:start].strip()
        last = end
    assert not text[last:].strip()


@given(texts, texts)
def test_a_blank_line_separates_the_text_around_it(first: str, second: str) -> None:
    """Text after a blank line cannot change the sentences before it, nor the reverse."""
    assert sentences(first + "\n\n" + second) == sentences(first) + sentences(second)


def test_time_grows_linearly_without_any_boundary() -> None:
    """A table of contents or OCR noise without a single sentence end must not stall a build."""
    text = "x mg. y " * 50_000
    assert len(sentence_spans(text)) == 1
    assert len(sentence_spans("word and\n" * 50_000)) == 1


def test_real_guidelines_split_into_sentences_of_usual_length(reference_corpus: Path) -> None:
    text = (reference_corpus / "guidelines" / "cdc-tb-treatment-2025.txt").read_text("utf-8")
    lengths = sorted(end - start for start, end in sentence_spans(text))
    assert 20 < lengths[len(lengths) // 2] < 150
    assert lengths[-1] < 1000

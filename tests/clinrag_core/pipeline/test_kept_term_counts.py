"""Terms of a passage are counted once; a candidate of kept counts is the same in every byte."""

import logging
import shutil
from pathlib import Path

import pytest
from fakes.builds import LABELS, build_labels, candidate_bytes

from clinrag_core.index.bm25_check import compare_with_rank_bm25
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import search_texts
from clinrag_core.pipeline import term_counts
from clinrag_core.pipeline.candidates import candidate_directory, make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.term_counts import PASSAGES
from clinrag_core.settings import Settings


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passages were tokenised, a number per partition."""
    calls: list[int] = []

    def count(texts):
        calls.append(len(texts))
        return count_terms(texts)

    monkeypatch.setattr(term_counts, "count_terms", count)
    return calls


def counts_file(pipeline: Pipeline, key: str) -> Path:
    return pipeline.partition("label", key).folder / PASSAGES


def test_kept_term_counts_give_the_same_candidate_in_every_byte(
    tiny_settings: Settings, counted, caplog
):
    caplog.set_level(logging.INFO)
    pipeline = build_labels(tiny_settings)
    first = candidate_bytes(pipeline)
    assert "counted again" not in caplog.text, "nothing was counted before"
    assert len(counted) == 4, "passages and statements of two labels"
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 4, "the second time everything comes from the kept counts"
    for key in LABELS:
        counts_file(pipeline, key).unlink()
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 6


def test_only_a_changed_label_is_tokenised_again(tiny_settings: Settings, tiny_corpus, counted):
    candidate_bytes(build_labels(tiny_settings))
    tiny_corpus.change_dose()
    counted.clear()
    pipeline = build_labels(tiny_settings)
    changed = candidate_bytes(pipeline)
    partition = pipeline.partition("label", "isoniazid")
    assert counted == [partition.statements().num_rows, partition.chunks().num_rows]
    for key in LABELS:
        counts_file(pipeline, key).unlink()
    assert candidate_bytes(pipeline) == changed


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_damaged_term_counts_are_made_again(tiny_settings: Settings, counted, damage, caplog):
    caplog.set_level(logging.INFO)
    pipeline = build_labels(tiny_settings)
    first = candidate_bytes(pipeline)
    path = counts_file(pipeline, "isoniazid")
    good = path.read_bytes()
    path.write_bytes(good[:-4] + b"\x07\x00\x00\x00" if damage is None else damage)
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 5
    assert caplog.text.count(f"isoniazid: {PASSAGES} is counted again") == 1
    assert path.read_bytes() == good


def test_a_label_stored_twice_is_counted_once(tiny_settings: Settings, tiny_corpus):
    shutil.copy(tiny_corpus.folder / "isoniazid.xml", tiny_corpus.folder / "copy.xml")
    tiny_corpus.labels["rifampin"] = "copy.xml"
    tiny_corpus.write()
    pipeline = build_labels(tiny_settings)
    base = KnowledgeBase(candidate_directory(pipeline, make_candidate(pipeline, "label")))
    texts = search_texts(base.table)
    assert compare_with_rank_bm25(base.bm25, texts, ["isoniazid dose", "liver"]).exact
    assert make_corpus(pipeline, "label").chunks > len(texts)

"""Damage that raises no error: each kind must be stopped by a gate, the release unchanged.

On the sample corpus with its real encoder, benchmark and accepted baseline, so that the numbers
mean something.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.index.dense import DenseIndex
from clinrag_core.settings import Settings, data_folder
from clinrag_core.text import tokens
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.runs import ChainFailedError


class Sample:
    """A copy of the released sample corpus, to be changed and damaged."""

    def __init__(self, chain, corpus: Path) -> None:
        self.chain = chain
        self.corpus = corpus
        self.served = chain.store.current()

    def add_a_sentence(self) -> None:
        """A harmless change, so that a new candidate is built."""
        file = self.corpus / "guidelines" / "sample-tb-transmission-faq.txt"
        file.write_text(file.read_text() + "\n\nThis page was reviewed again in November 2026.\n")

    def stopped(self, reason: str) -> None:
        """A run is stopped for this reason, and what was served is still served."""
        with pytest.raises(ChainFailedError, match=reason):
            self.chain.run()
        assert self.chain.store.current() == self.served


def without_digits(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(token for token in found if not any(c.isdigit() for c in token))


@pytest.fixture
def sample(
    sample_settings: Settings,
    make_chain: Callable[[Settings, ClinragResource], object],
    resource_for: Callable[[Settings], ClinragResource],
    tmp_path: Path,
) -> Iterator[Sample]:
    corpus = tmp_path / "corpus"
    shutil.copytree(data_folder() / "corpora" / "sample", corpus)
    manifest = corpus / "corpus.toml"
    manifest.write_text(re.sub(r"^sha256 = .*\n", "", manifest.read_text(), flags=re.M))
    # Files are replaced, never written in place, so hard links are safe.
    home = Path(shutil.copytree(sample_settings.home, tmp_path / "home", copy_function=os.link))
    settings = sample_settings.model_copy(
        update={
            "home": home,
            "corpus": sample_settings.corpus.model_copy(update={"manifest": corpus}),
        }
    )
    chain = make_chain(settings, resource_for(settings))
    sample = Sample(chain, corpus)
    sample.add_a_sentence()
    yield sample
    chain.instance.dispose()


@pytest.mark.slow
def test_a_harmless_change_passes(sample: Sample):
    assert sample.chain.run() == 1
    released = sample.chain.store.current()
    assert released.sequence == sample.served.sequence + 1
    assert f"- since: {sample.served.id}" in sample.chain.materialized("corpus_report")["report"]


@pytest.mark.slow
def test_shuffled_vectors_are_stopped(sample: Sample, monkeypatch: pytest.MonkeyPatch):
    """Every vector is sound and finds a passage: the wrong one."""
    sound = VectorCache.get
    monkeypatch.setattr(VectorCache, "get", lambda *a: np.roll(sound(*a), 7, axis=0))
    sample.stopped("dense/ndcg_at_10: worse")


def test_a_tokeniser_that_drops_digits_is_stopped(sample: Sample, monkeypatch: pytest.MonkeyPatch):
    """Questions rarely contain figures, so no score falls; rank_bm25 sees the same tokens."""

    for name in ("_piece_tokens", "_quantity_tokens"):
        sound = getattr(tokens, name)
        monkeypatch.setattr(tokens, name, lambda text, sound=sound: without_digits(sound(text)))
    home = sample.chain.settings.home
    shutil.rmtree(home / "knowledge_bases")
    for counts in (home / "partitions").rglob("counts/passages"):
        counts.unlink()
    sample.stopped("bm25_keeps_figures")


def test_a_retriever_that_returns_nothing_is_stopped(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(DenseIndex, "search", lambda *_, **__: [])
    sample.stopped("passages_find_themselves")


def test_a_retriever_that_returns_nothing_to_questions_is_stopped(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
):
    """The index is sound; what is between it and the question is not."""
    from clinrag_core.retrieve.components import DenseRetriever

    monkeypatch.setattr(DenseRetriever, "search", lambda *_, **__: [])
    sample.stopped("runs_not_empty")

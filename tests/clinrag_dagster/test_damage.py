"""Damage that raises no error: each kind must be stopped by a gate, the release unchanged.

What a score must show runs on the sample corpus with its real encoder, benchmark and accepted
baseline, so that the numbers mean something; what a check finds in any index, on the tiny corpus
too.
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


class Released:
    """A copy of a released corpus with one harmless change, to be damaged."""

    def __init__(self, chain, changed: Path) -> None:
        self.chain = chain
        self.served = chain.store.current()
        changed.write_text(changed.read_text() + "\n\nThis page was reviewed again in 2026.\n")

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
) -> Iterator[Released]:
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
    yield Released(chain, corpus / "guidelines" / "sample-tb-transmission-faq.txt")
    chain.instance.dispose()


@pytest.fixture(params=["tiny", pytest.param("sample", marks=pytest.mark.slow)])
def released(request: pytest.FixtureRequest) -> Released:
    """The tiny corpus, and where time allows the sample corpus."""
    if request.param == "sample":
        return request.getfixturevalue("sample")
    corpus = request.getfixturevalue("tiny_corpus")
    return Released(request.getfixturevalue("released_chain"), corpus.folder / "tb-care.txt")


@pytest.mark.slow
def test_a_harmless_change_passes(sample: Released):
    assert sample.chain.run() == 1
    released = sample.chain.store.current()
    assert released.sequence == sample.served.sequence + 1
    assert f"- since: {sample.served.id}" in sample.chain.materialized("corpus_report")["report"]


@pytest.mark.slow
def test_shuffled_vectors_are_stopped(sample: Released, monkeypatch: pytest.MonkeyPatch):
    """Every vector is sound and finds a passage: the wrong one."""
    sound = VectorCache.get
    monkeypatch.setattr(VectorCache, "get", lambda *a: np.roll(sound(*a), 7, axis=0))
    sample.stopped("dense/ndcg_at_10: worse")


def test_a_tokeniser_that_drops_digits_is_stopped(
    released: Released, monkeypatch: pytest.MonkeyPatch
):
    """Questions rarely contain figures, so no score falls; rank_bm25 sees the same tokens."""

    for name in ("_piece_tokens", "_quantity_tokens"):
        sound = getattr(tokens, name)
        monkeypatch.setattr(tokens, name, lambda text, sound=sound: without_digits(sound(text)))
    home = released.chain.settings.home
    shutil.rmtree(home / "knowledge_bases")
    for counts in (home / "partitions").rglob("counts/passages"):
        counts.unlink()
    released.stopped("bm25_keeps_figures")


def test_a_retriever_that_returns_nothing_is_stopped(
    released: Released, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(DenseIndex, "search", lambda *_, **__: [])
    released.stopped("passages_find_themselves")


def test_a_retriever_that_returns_nothing_to_questions_is_stopped(
    released: Released, monkeypatch: pytest.MonkeyPatch
):
    """The index is sound; what is between it and the question is not."""
    from clinrag_core.retrieve.components import DenseRetriever

    monkeypatch.setattr(DenseRetriever, "search", lambda *_, **__: [])
    released.stopped("runs_not_empty")

"""A small engine over hand-made passages with the tiny random encoder."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.index.build import Recipe, build_knowledge_base
from clinrag_core.index.chunk_table import to_table
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.components import BM25Retriever
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.settings import BM25Settings, EncoderSettings, RetrievalSettings

TEXTS = {
    "dosage": "The recommended dose of isoniazid is 300 mg once daily for adults.",
    "adverse_reactions": "Hepatitis was the most serious adverse reaction of isoniazid in trials.",
    "contraindications": "Isoniazid is contraindicated in acute liver disease of any cause.",
    "interactions": "Isoniazid raises the concentration of phenytoin when given together.",
    "indications": "Isoniazid is indicated for all forms of tuberculosis in combination.",
    "clinical_studies": "Trial results showed cure in most patients after six months.",
}


def chunk(number: int, group: str | None, text: str, **more: object) -> Chunk:
    fields = {
        "id": f"chunk-{number:010d}",
        "document_id": "label-1",
        "document_title": "Isoniazid tablets",
        "kind": "label",
        "section_ordinal": number,
        "section_path": (group or "Section",),
        "ordinal": 0,
        "start": 0,
        "end": len(text),
        "text": text,
        "embed_title": "Isoniazid tablets",
        "embed_text": text,
        "tokens": len(text.split()),
        "file_sha256": "0" * 64,
        "group": group,
        "drug": "isoniazid",
        "drug_names": ("inh", "isoniazid"),
        "has_table": group == "adverse_reactions",
        "year": 2000 + number,
        "organisation": "FDA",
    }
    return Chunk.model_validate(fields | more)


class SlowRetriever(BM25Retriever):
    """Sleeps before it answers."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def search(self, base, query, prepared, k):
        time.sleep(self._seconds)
        return super().search(base, query, prepared, k)


class BrokenRetriever(BM25Retriever):
    """Fails, with the question in its message."""

    def search(self, base, query, prepared, k):
        raise RuntimeError(f"cannot search for {query.text}")


@pytest.fixture(scope="session")
def encoder(tiny_encoder: Path):
    settings = EncoderSettings(name="tiny", model=str(tiny_encoder), pooling="mean", max_tokens=128)
    return load_encoder(settings)


@pytest.fixture(scope="session")
def make_base(encoder, tmp_path_factory: pytest.TempPathFactory):
    """Builds a knowledge base of a kind from chunks."""
    from clinrag_core.encode.protocol import Passage

    def make(kind, chunks: list[Chunk]) -> KnowledgeBase:
        vectors = encoder.encode_passages([Passage(c.embed_title, c.embed_text) for c in chunks])
        recipe = Recipe(
            kind=kind,
            encoder_name="tiny",
            encoder=encoder.fingerprint,
            similarity="cosine",
            chunker="c",
            corpus_digest="d",
            bm25=BM25Settings(),
        )
        folder = tmp_path_factory.mktemp("kb")
        return KnowledgeBase(build_knowledge_base(recipe, to_table(chunks), vectors, folder))

    return make


@pytest.fixture(scope="session")
def base(make_base) -> KnowledgeBase:
    chunks = [chunk(n, group, text) for n, (group, text) in enumerate(TEXTS.items())]
    chunks += [
        chunk(10 + n, None, f"Note {n}: tuberculosis care needs {n} visits.", document_id="g")
        for n in range(20)
    ]
    return make_base("label", chunks)


@pytest.fixture(scope="session", name="chunk")
def chunk_maker():
    """Makes a chunk; see `chunk`."""
    return chunk


@pytest.fixture
def engine_with(base: KnowledgeBase, encoder):
    """Makes an engine; keywords are settings, `retrievers` and `reranker` apart."""
    made: list[SearchEngine] = []

    def make(*, retrievers=None, reranker=None, store_for=None, **settings: object) -> SearchEngine:
        engine = SearchEngine(
            {base.name: base},
            encoder,
            RetrievalSettings(**settings),
            release="0001-test",
            retrievers=retrievers,
            reranker=reranker,
            store_for=store_for,
        )
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def slow_retriever():
    return SlowRetriever


@pytest.fixture
def broken_retriever():
    return BrokenRetriever


@pytest.fixture(scope="session")
def random_vectors():
    return np.random.default_rng(3).standard_normal((30, 16)).astype(np.float32)

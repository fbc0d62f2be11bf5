"""Indexing again costs the change, and gives what indexing from nothing gives, bit for bit."""

import shutil
from pathlib import Path

import pytest
from fakes.builds import build_labels, candidate_bytes, chunk_documents

from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.errors import IndexBuildError, MissingInputError, StaleInputError
from clinrag_core.index import shards
from clinrag_core.index.build import copy_knowledge_base
from clinrag_core.pipeline import corpus as corpus_module
from clinrag_core.pipeline import embeddings, ledger
from clinrag_core.pipeline.candidates import candidate_directory, make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings

HOUR_NS = 3_600 * 10**9


def copied(pipeline: Pipeline, target: Path) -> dict[str, bytes]:
    """Every file of the stored candidate as a release would copy it."""
    directory = candidate_directory(pipeline, make_candidate(pipeline, "label"))
    assert copy_knowledge_base(directory, target) == []
    files = (file for file in target.rglob("*") if file.is_file())
    return {str(file.relative_to(target)): file.read_bytes() for file in files}


def test_a_corpus_that_is_built_already_looks_up_no_vector(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    first = make_candidate(build_labels(tiny_settings), "label")

    def never(*_: object) -> None:
        raise AssertionError("the vector cache was opened")

    monkeypatch.setattr(VectorCache, "__init__", never)
    again = Pipeline(tiny_settings)
    corpus = make_corpus(again, "label")
    cost = make_embeddings(again, "label").cost
    assert (cost.encoded, cost.reused) == (0, corpus.chunks)
    assert make_candidate(again, "label") == first


def test_unsound_vectors_are_not_recorded(tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch):
    sound = VectorCache.get
    monkeypatch.setattr(VectorCache, "get", lambda self, keys: sound(self, keys) * 2)
    with pytest.raises(IndexBuildError, match="not normalised"):
        build_labels(tiny_settings)
    with pytest.raises(MissingInputError, match="kb_druglabels_tiny_embeddings first"):
        make_candidate(Pipeline(tiny_settings), "label")


def test_a_candidate_is_not_built_from_another_corpus(tiny_settings: Settings, tiny_corpus):
    pipeline = build_labels(tiny_settings)
    tiny_corpus.change_dose()
    chunk_documents(pipeline, "label", ["isoniazid"])
    with pytest.raises(StaleInputError, match="isoniazid was chunked again"):
        candidate_bytes(pipeline)
    make_corpus(pipeline, "label")
    with pytest.raises(StaleInputError, match="another corpus or encoder"):
        make_candidate(pipeline, "label")


@pytest.mark.parametrize(
    ("settled", "few"),
    [(0, 1_000), (0, 1), (HOUR_NS, 1_000)],
    ids=["recorded", "recorded at first", "unrecorded"],
)
def test_any_changes_of_labels_leave_what_a_fresh_workspace_gives(
    tiny_settings: Settings,
    tiny_corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settled: int,
    few: int,
):
    """Texts, entries and labels come, change and go; nothing of an earlier state may stay.

    The fresh workspace has the same vectors: which texts are encoded together moves the last bit.
    """
    monkeypatch.setattr(ledger, "FEW", few)
    monkeypatch.setattr(ledger, "SETTLED_NS", settled)
    for module in (shards, corpus_module):
        monkeypatch.setattr(module, "PARTITIONS_PER_SHARD", 1)

    def other(drug: str, text: str | None) -> None:
        tiny_corpus.labels.pop(drug, None)
        if text is not None:
            tiny_corpus.labels[drug] = f"{drug}.xml"
            (tiny_corpus.folder / f"{drug}.xml").write_text(text)
        tiny_corpus.write()

    first = (tiny_corpus.folder / "isoniazid.xml").read_text()
    steps = [
        lambda: tiny_corpus.change_dose(b"300 mg", b"310 mg"),
        lambda: None,
        lambda: other("rifampin", first),  # the document of another partition
        lambda: tiny_corpus.change_dose(b"310 mg", b"320 mg"),
        lambda: other("rifampin", first.replace("300 mg", "330 mg")),
        lambda: other("rifampin", None),
        lambda: tiny_corpus.change_dose(b"320 mg", b"300 mg"),
    ]
    for number, step in enumerate(steps):
        build_labels(tiny_settings)
        step()
        kept = copied(build_labels(tiny_settings), tmp_path / f"kept {number}")
        fresh = tiny_settings.model_copy(update={"home": tmp_path / f"home {number}"})
        shutil.copytree(tiny_settings.home / "vectors", fresh.home / "vectors")
        assert kept == copied(build_labels(fresh), tmp_path / f"fresh {number}")
        assert Pipeline(tiny_settings).stale("label") == []


def test_only_vectors_of_a_changed_label_are_looked_up(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    build_labels(tiny_settings)
    tiny_corpus.change_dose()
    asked: list[int] = []
    check = embeddings.check_vectors

    def counted(vectors, count: int, *, normalised: bool) -> None:
        asked.append(count)
        check(vectors, count, normalised=normalised)

    monkeypatch.setattr(embeddings, "check_vectors", counted)
    partition = build_labels(tiny_settings).partition("label", "isoniazid")
    assert asked == [partition.chunks().num_rows + partition.statements().num_rows]


def test_vectors_are_looked_up_again_where_the_earlier_corpus_is_not_known(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    pipeline = build_labels(tiny_settings)
    tiny_corpus.change_dose()
    shutil.rmtree(pipeline.corpus_folder("label"))
    asked: list[int] = []
    check = embeddings.check_vectors
    monkeypatch.setattr(
        embeddings, "check_vectors", lambda *a, **k: (asked.append(a[1]), check(*a, **k))
    )
    again = build_labels(tiny_settings)
    assert asked == [again.corpus("label").read().value.passages]


def test_a_damaged_query_encoder_is_exported_again(tiny_settings: Settings):
    pipeline = build_labels(tiny_settings)
    make_candidate(pipeline, "label")
    (file,) = (pipeline.workspace.models).glob("*/model.onnx")
    sound = file.read_bytes()
    make_candidate(Pipeline(tiny_settings), "label")
    file.write_bytes(sound[:-2] + b"}}")
    make_candidate(Pipeline(tiny_settings), "label")
    assert file.read_bytes() != sound[:-2] + b"}}"

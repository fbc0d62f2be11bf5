"""A BEIR folder through this project's encoder, index, fusion and metrics."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.encode.embed import embed_passages
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import encoder_spec
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.encode.vector_cache import VectorCache, passage_key
from clinrag_core.encode.weights import encoder_fingerprint
from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.beir import (
    DEPTH,
    BeirSet,
    Scored,
    best_weight,
    bm25_run,
    fused_runs,
    ids_of,
    published_figures,
    read_beir,
    score,
)
from clinrag_core.index.dense import DenseIndex
from clinrag_core.model.base import Record
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clinrag_core.encode.torch_encoder import TorchEncoder
    from clinrag_core.settings import Settings

PUBLISHED_MAX_TOKENS = 256
"""What published figures of MiniLM were measured at; answering takes more (ADR 0002)."""


class BeirRow(Record):
    """One pipeline's figures, with what was published for it."""

    pipeline: str
    metrics: dict[str, float]
    published: float | None = None
    source: str | None = None


class BeirReport(Record):
    """A BEIR folder evaluated."""

    name: str
    split: str
    queries: int
    documents: int
    bm25_weight: float
    """BM25's share in weighted fusion."""
    weight_chosen_on: str
    rows: tuple[BeirRow, ...]


def beir_folders(root: Path) -> list[Path]:
    """The BEIR folders under a folder, itself included, at most three levels down, by path.

    Raises:
        BenchmarkError: there is none.
    """
    places = [root, *root.glob("*"), *root.glob("*/*")]
    needed = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    folders = sorted(p for p in places if all((p / name).is_file() for name in needed))
    if not folders:
        raise BenchmarkError(f"no folder with {', '.join(needed)} in {root}")
    return folders


def evaluate_beir(
    folder: Path,
    settings: Settings,
    split: str = "test",
    on_progress: Callable[[int, int], None] | None = None,
) -> BeirReport:
    """Evaluate BM25, dense and their fusions on a BEIR folder.

    Weighted fusion takes its weight from the training split if there is one, else it is one half.
    Vectors are cached in the workspace, so that a second run is quick.

    Raises:
        BenchmarkError: the folder is not a BEIR folder.
        EncoderError: the profile's encoder cannot be loaded.
    """
    beir = read_beir(folder, split)
    dense = _Dense(settings, beir, on_progress)
    recipe = bm25_run(beir, published=True)
    clinical = bm25_run(beir, published=False)
    semantic = dense.run(beir)
    weight, chosen_on = 0.5, "nothing: there is no training split"
    if split != "train" and (folder / "qrels" / "train.tsv").is_file():
        training = read_beir(folder, "train")
        lexical = bm25_run(training, published=True)
        weight = best_weight(lexical, dense.run(training), training.relevant)
        chosen_on = "train"
    runs = {
        "bm25 (published recipe)": ids_of(recipe),
        "bm25 (clinical tokens)": ids_of(clinical),
        f"dense ({settings.encoder.name})": ids_of(semantic),
        **fused_runs(recipe, semantic, weight),
    }
    known = {figure.pipeline: figure for figure in published_figures(beir.name)}
    return BeirReport(
        name=beir.name,
        split=split,
        queries=len(beir.relevant),
        documents=len(beir.documents),
        bm25_weight=weight,
        weight_chosen_on=chosen_on,
        rows=tuple(
            BeirRow(
                pipeline=name,
                metrics=score(beir.relevant, run),
                published=known[name].ndcg_at_10 if name in known else None,
                source=known[name].source if name in known else None,
            )
            for name, run in runs.items()
        ),
    )


class _Dense:
    """The documents of a set, encoded once; questions of any split are searched in them."""

    def __init__(
        self, settings: Settings, beir: BeirSet, on_progress: Callable[[int, int], None] | None
    ) -> None:
        limit = min(settings.encoder.max_tokens or PUBLISHED_MAX_TOKENS, PUBLISHED_MAX_TOKENS)
        self._settings = settings.encoder.model_copy(update={"max_tokens": limit})
        passages = [Passage("", text) for text in beir.documents.values()]
        fingerprint = encoder_fingerprint(encoder_spec(self._settings), self._settings)
        folder = Workspace(settings.home).vectors / fingerprint
        cache = VectorCache(folder, self.encoder.dimension)
        embed_passages(passages, cache, lambda: self.encoder, on_progress)
        vectors = cache.get([passage_key(passage) for passage in passages])
        self._index = DenseIndex.build(vectors, list(beir.documents))

    @cached_property
    def encoder(self) -> TorchEncoder:
        """The encoder, loaded once."""
        return load_encoder(self._settings)

    def run(self, beir: BeirSet) -> Scored:
        """The nearest documents of every question."""
        return {
            query: self._index.search(self.encoder.encode_query(text), DEPTH)
            for query, text in beir.queries.items()
        }

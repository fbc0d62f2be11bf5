"""Search over the knowledge bases of a release: BM25, dense and their fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from clinrag_core.encode.onnx_query import OnnxQueryEncoder
from clinrag_core.errors import QueryError, ReleaseError
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.release import ReleaseStore
from clinrag_core.retrieve.fuse import Fused, reciprocal_rank_fusion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clinrag_core.encode.protocol import QueryEncoder
    from clinrag_core.model import Chunk
    from clinrag_core.settings import RetrievalSettings
    from clinrag_core.workspace import Workspace

Component = Literal["bm25", "dense"]
COMPONENTS: tuple[Component, ...] = get_args(Component)
MAX_QUESTION_CHARACTERS = 2_000


class RankedList(NamedTuple):
    """What one component found in one knowledge base, best first."""

    component: Component
    knowledge_base: str
    hits: list[tuple[str, float]]


class Ranking(NamedTuple):
    """What every component found, and the fused order."""

    lists: list[RankedList]
    fused: list[Fused]


class SearchHit(NamedTuple):
    """One passage with every score that ranked it."""

    rank: int
    score: float
    knowledge_base: str
    component_scores: dict[str, float]
    component_ranks: dict[str, int]
    chunk: Chunk


class SearchResult(NamedTuple):
    """The answer to a search. `score_kind` says what `SearchHit.score` is."""

    hits: list[SearchHit]
    score_kind: Literal["rrf", "bm25", "cosine", "dot"]
    knowledge_bases: tuple[str, ...]


class SearchEngine:
    """Searches opened knowledge bases with one query encoder.

    Raises:
        ReleaseError: a knowledge base was built with another encoder than the one given.
    """

    def __init__(
        self,
        knowledge_bases: Mapping[str, KnowledgeBase],
        encoder: QueryEncoder,
        settings: RetrievalSettings,
    ) -> None:
        for base in knowledge_bases.values():
            if base.manifest.encoder != encoder.fingerprint:
                raise ReleaseError(
                    f"{base.name} was built with encoder {base.manifest.encoder}, "
                    f"questions would be encoded with {encoder.fingerprint}"
                )
        self.knowledge_bases = dict(sorted(knowledge_bases.items()))
        self.encoder = encoder
        self.settings = settings

    @classmethod
    def open_directories(
        cls, directories: Mapping[str, Path], models: Path, settings: RetrievalSettings
    ) -> SearchEngine:
        """Open knowledge base directories that share an encoder, exported under `models`."""
        bases = {name: KnowledgeBase(path) for name, path in directories.items()}
        fingerprints = {base.manifest.encoder for base in bases.values()}
        if len(fingerprints) != 1:
            raise ReleaseError(f"{len(fingerprints)} encoders in one set of knowledge bases")
        return cls(bases, OnnxQueryEncoder(models / fingerprints.pop()), settings)

    @classmethod
    def open_release(cls, workspace: Workspace, settings: RetrievalSettings) -> SearchEngine:
        """Open the current release.

        Raises:
            ReleaseError: there is none, or a knowledge base is not the one its record names.
        """
        store = ReleaseStore(workspace.releases)
        release = store.current()
        directories = {name: store.directory(release, name) for name in release.knowledge_bases}
        engine = cls.open_directories(directories, workspace.models, settings)
        for name, expected in release.knowledge_bases.items():
            found = engine.knowledge_bases[name].manifest.fingerprint
            if found != expected:
                raise ReleaseError(f"release {release.id}: {name} is {found}, not {expected}")
        return engine

    def ranked_lists(
        self,
        question: str,
        knowledge_bases: Sequence[str] | None = None,
        components: Sequence[Component] = COMPONENTS,
    ) -> list[RankedList]:
        """What each component finds in each knowledge base.

        Raises:
            QueryError: empty or overlong question, unknown knowledge base, no component.
        """
        text = _checked(question)
        names = self._names(knowledge_bases)
        if not components:
            raise QueryError("name at least one component of: " + ", ".join(COMPONENTS))
        k = self.settings.candidates
        vector = self.encoder.encode_query(text) if "dense" in components else None
        lists: list[RankedList] = []
        for component in components:
            for name in names:
                base = self.knowledge_bases[name]
                if component == "bm25":
                    hits = base.bm25.search(text, k)
                else:
                    assert vector is not None  # noqa: S101 - encoded above for this component
                    hits = [hit for hit in base.dense.search(vector, k) if hit[1] > 0]
                lists.append(RankedList(component, name, hits))
        return lists

    def rank(
        self,
        question: str,
        knowledge_bases: Sequence[str] | None = None,
        components: Sequence[Component] = COMPONENTS,
        top_k: int | None = None,
    ) -> Ranking:
        """The best passages by id; `search` without reading them.

        Raises:
            QueryError: empty or overlong question, unknown knowledge base, no component.
        """
        lists = self.ranked_lists(question, knowledge_bases, components)
        wanted = self.settings.top_k if top_k is None else top_k
        runs = {f"{f.component}/{f.knowledge_base}": [i for i, _ in f.hits] for f in lists}
        fused = reciprocal_rank_fusion(runs, self.settings.rrf_k)
        return Ranking(lists, fused[: max(wanted, 0)])

    def search(
        self,
        question: str,
        knowledge_bases: Sequence[str] | None = None,
        components: Sequence[Component] = COMPONENTS,
        top_k: int | None = None,
    ) -> SearchResult:
        """The best passages for a question.

        One component in one knowledge base keeps its own scores; anything more is fused by RRF.

        Raises:
            QueryError: empty or overlong question, unknown knowledge base, no component.
        """
        lists, fused = self.rank(question, knowledge_bases, components, top_k)
        owner = {i: found.knowledge_base for found in lists for i, _ in found.hits}
        scores = {(f.component, i): s for f in lists for i, s in f.hits}
        single = lists[0].component if len(lists) == 1 else None
        chunks = self._read_chunks([hit.id for hit in fused], owner)
        hits: list[SearchHit] = []
        for rank, hit in enumerate(fused, start=1):
            own = {c: scores[c, hit.id] for c in components if (c, hit.id) in scores}
            ranks = {name.split("/")[0]: r for name, r in hit.ranks.items()}
            score = own[single] if single else hit.score
            hits.append(SearchHit(rank, score, owner[hit.id], own, ranks, chunks[hit.id]))
        kind = "rrf"
        if single is not None:
            similarity = self.knowledge_bases[lists[0].knowledge_base].manifest.similarity
            kind = "bm25" if single == "bm25" else similarity
        return SearchResult(hits, kind, tuple(dict.fromkeys(f.knowledge_base for f in lists)))

    def _read_chunks(self, ids: Sequence[str], owner: Mapping[str, str]) -> dict[str, Chunk]:
        found: dict[str, Chunk] = {}
        for name, base in self.knowledge_bases.items():
            own = [i for i in ids if owner[i] == name]
            found |= dict(zip(own, base.chunks(own), strict=True))
        return found

    def _names(self, wanted: Sequence[str] | None) -> list[str]:
        if wanted is None:
            return list(self.knowledge_bases)
        unknown = [name for name in wanted if name not in self.knowledge_bases]
        if unknown or not wanted:
            there = ", ".join(self.knowledge_bases)
            raise QueryError(f"unknown knowledge base {unknown or '(none)'}; there are: {there}")
        return list(dict.fromkeys(wanted))


def _checked(question: str) -> str:
    text = question.strip()
    if not text:
        raise QueryError("the question is empty")
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise QueryError(
            f"the question has {len(text)} characters; at most {MAX_QUESTION_CHARACTERS} are read"
        )
    if "\x00" in text:
        raise QueryError("the question holds a NUL character")
    return text

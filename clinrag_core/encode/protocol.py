"""The protocols of encoders and rerankers; nothing about a single model belongs here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from clinrag_core.encode.device import Precision

    Vectors = NDArray[np.float32]


class Passage(NamedTuple):
    """The input of an encoder for a chunk: its title and its text."""

    title: str
    text: str

    @property
    def joined(self) -> str:
        """Title and text as one text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


class QueryEncoder(Protocol):
    """Encodes questions; all that answering needs."""

    fingerprint: str
    dimension: int
    queries_truncated: int
    precision: Precision
    """Of the passages that its questions are compared with; questions are encoded in fp32."""

    def encode_query(self, text: str) -> Vectors:
        """Encode one question as a float32 vector of shape `(dimension,)`.

        L2-normalised where the encoder's similarity is cosine. A question longer than the
        encoder's limit is cut there and counted in `queries_truncated`.
        """
        ...


class DenseEncoder(QueryEncoder, Protocol):
    """Encodes questions and passages into one vector space."""

    name: str
    passages_truncated: int

    def encode_passages(
        self,
        passages: Sequence[Passage],
        on_batch: Callable[[Sequence[int], Vectors], None] | None = None,
    ) -> Vectors:
        """Encode passages as float32 of shape `(len(passages), dimension)`, in their order.

        Passages over the encoder's limit are cut there and counted in `passages_truncated`.
        `on_batch` is called after each batch with its positions and their vectors, so that a
        caller can store finished work.
        """
        ...


class SparseVectors(NamedTuple):
    """Term weights of passages, row by row (CSR): row i is `indptr[i]:indptr[i + 1]`."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    """Ids of vocabulary terms, ascending in a row."""
    values: NDArray[np.float32]
    """Weights, > 0."""


class SparseEncoder(Protocol):
    """Encodes questions and passages as weights of vocabulary terms (learned sparse)."""

    name: str
    fingerprint: str
    vocabulary_size: int

    def encode_documents(self, passages: Sequence[Passage]) -> SparseVectors:
        """Return term weights of passages, in their order."""
        ...

    def encode_query(self, text: str) -> SparseVectors:
        """Return term weights of one question: a single row."""
        ...


class Reranker(Protocol):
    """Scores how well passages answer a question, each pair read together."""

    name: str

    def score(
        self, query: str, passages: Sequence[Passage], *, should_stop: Callable[[], bool]
    ) -> NDArray[np.float32]:
        """Scores of shape `(len(passages),)`, in their order; the larger the better.

        Scores are logits of the model: only their order has a meaning. `should_stop` is called
        between batches; if it returns True, the caller no longer waits and the work ends.

        Raises:
            EncoderError: stopped, or a score is not finite.
        """
        ...

"""What every dense encoder offers; nothing about any one model belongs here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Passage(NamedTuple):
    """What an encoder sees of a chunk: its title and its text."""

    title: str
    text: str


class QueryEncoder(Protocol):
    """Encodes questions; all that answering needs."""

    fingerprint: str
    dimension: int
    queries_truncated: int

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

        Args:
            passages: titles and texts.
            on_batch: called after each batch with its positions and their vectors, so
                that a caller can keep what is done.

        Passages over the encoder's limit are cut there and counted in `passages_truncated`.
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
        """Term weights of passages, in their order."""
        ...

    def encode_query(self, text: str) -> SparseVectors:
        """Term weights of one question: a single row."""
        ...


class Reranker(Protocol):
    """Scores how well passages answer a question, each pair read together."""

    name: str

    def score(
        self, query: str, passages: Sequence[Passage], *, should_stop: Callable[[], bool]
    ) -> NDArray[np.float32]:
        """Scores of shape `(len(passages),)`, in their order; the larger the better.

        The scale is the model's own (logits); only the order means something.

        Args:
            query: the question.
            passages: titles and texts.
            should_stop: called between batches; where it returns True, the work ends with
                `EncoderError`, for the caller has given up waiting.

        Raises:
            EncoderError: stopped, or a score is not finite.
        """
        ...

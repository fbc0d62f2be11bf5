"""A query encoder whose model loads in a thread, while the rest of a command goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from clinrag_core.encode.onnx_query import OnnxQueryEncoder, read_encoder_record

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.encode.device import Precision
    from clinrag_core.encode.protocol import Vectors


class LoadingQueryEncoder:
    """An `OnnxQueryEncoder` that is waited for when it first encodes; see `QueryEncoder`.

    For commands that answer one question: a session takes a tenth of a second to make, without
    Python's lock. What is wrong with its files is raised by the first question, not by opening it.
    """

    def __init__(self, folder: Path) -> None:
        record = read_encoder_record(folder)
        self.fingerprint = record.fingerprint
        self.dimension = record.dimension
        self.precision: Precision = record.precision
        self.queries_truncated = 0
        pool = ThreadPoolExecutor(1)
        self._loading = pool.submit(OnnxQueryEncoder, folder)
        pool.shutdown(wait=False)

    def encode_query(self, text: str) -> Vectors:
        """See `QueryEncoder.encode_query`."""
        encoder = self._loading.result()
        vector = encoder.encode_query(text)
        self.queries_truncated = encoder.queries_truncated
        return vector

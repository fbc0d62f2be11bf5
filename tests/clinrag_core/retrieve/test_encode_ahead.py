"""Questions are encoded in another thread before their vectors are asked for."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from clinrag_core.errors import EncoderError

TEXT = "dose of isoniazid"


class Counting:
    """An encoder that notes its threads, and fails on demand."""

    def __init__(self, encoder) -> None:
        self._encoder = encoder
        self.fingerprint, self.dimension = encoder.fingerprint, encoder.dimension
        self.threads: list[str] = []
        self.fails = False

    def encode_query(self, text: str) -> np.ndarray:
        self.threads.append(threading.current_thread().name)
        if self.fails:
            raise EncoderError("no model")
        return self._encoder.encode_query(text)


@pytest.fixture
def counting(engine_with, encoder):
    engine = engine_with()
    engine.encoder = Counting(encoder)
    return engine


def test_a_vector_begun_ahead_is_made_once_by_another_thread(counting, encoder):
    counting.encode_ahead([TEXT, TEXT])
    vector = counting.encode(TEXT)
    assert np.array_equal(vector, encoder.encode_query(TEXT))
    counting.encode_ahead([TEXT])
    counting.encode(TEXT)
    assert len(counting.encoder.threads) == 1
    assert counting.encoder.threads[0] != threading.current_thread().name


def test_an_error_ahead_is_raised_where_the_vector_is_asked_for(counting):
    counting.encoder.fails = True
    counting.encode_ahead([TEXT])
    with pytest.raises(EncoderError):
        counting.encode(TEXT)
    counting.encoder.fails = False
    assert counting.encode(TEXT).shape == (counting.encoder.dimension,)


def test_an_engine_that_was_closed_ends_what_it_began(counting):
    """A release that another replaces answers the questions under way."""
    counting.encode_ahead([TEXT])
    counting.close()
    counting.encode_ahead(["dose of rifampin"])
    assert counting.encode(TEXT).shape == counting.encode("dose of rifampin").shape

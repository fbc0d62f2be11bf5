"""Chunking and encoding with the encoder of a profile.

Chunk size depends on the encoder's tokenizer and window, so the two are configured together. Used
for the corpus and for users' documents; models are loaded on first use, each once.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.chunk.chunker import Chunker, chunker_fingerprint
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import TokenCounter, load_tokenizer, tokenizer_sha256
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.encode.weights import encoder_fingerprint, model_dimension

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.encode.registry import EncoderSpec
    from clinrag_core.encode.torch_encoder import EncodingRun, TorchEncoder
    from clinrag_core.settings import Settings


class ChunkEncoder:
    """The chunker and the dense encoder of a profile, with their fingerprints."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._elsewhere: EncodingRun | None = None

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker; counts tokens with the encoder's own tokenizer."""
        return Chunker(self._settings.chunk, self._counter, self.capacity)

    @cached_property
    def chunker_fingerprint(self) -> str:
        """Fingerprint of everything that decides where chunks are cut."""
        tokenizer = tokenizer_sha256(self._folder)
        return chunker_fingerprint(self._settings.chunk, self.capacity, tokenizer)

    @cached_property
    def encoder(self) -> TorchEncoder:
        """The dense encoder, loaded."""
        return load_encoder(self._settings.encoder)

    @property
    def last_run(self) -> EncodingRun | None:
        """How passages were last encoded; None if none were, loads no model."""
        encoder = self.__dict__.get("encoder")
        here = encoder.last_run if encoder is not None else None
        return here or self._elsewhere

    def encoded_elsewhere(self, runs: Sequence[EncodingRun]) -> None:
        """Record that workers have encoded passages; their seconds are added up."""
        if runs:
            passages, seconds = sum(r.passages for r in runs), sum(r.seconds for r in runs)
            self._elsewhere = runs[0]._replace(passages=passages, seconds=seconds)

    @cached_property
    def encoder_fingerprint(self) -> str:
        """Fingerprint of the encoder, computed without loading it."""
        return encoder_fingerprint(self._spec, self._settings.encoder)

    @property
    def dimension(self) -> int:
        """Length of the encoder's vectors, read from its configuration."""
        return model_dimension(self._folder)

    @property
    def capacity(self) -> int:
        """Tokens that a chunk may have: the encoder's window without prompt and special tokens."""
        prompt = self._counter.count([self._spec.passage_prompt])[0]
        return self._spec.max_tokens - prompt - self._counter.special_tokens(pair=self._spec.pair)

    @cached_property
    def _spec(self) -> EncoderSpec:
        return encoder_spec(self._settings.encoder)

    @property
    def _folder(self) -> Path:
        return model_folder(self._spec.passage_model, self._spec.package)

    @cached_property
    def _counter(self) -> TokenCounter:
        return TokenCounter(load_tokenizer(self._folder))

"""The encoder's own tokenizer: counting tokens for chunks, preparing batches for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tokenizers import Tokenizer


def load_tokenizer(folder: Path) -> Tokenizer:
    """The fast tokenizer of a model folder, without truncation or padding.

    Raises:
        EncoderError: the folder holds none.
    """
    from tokenizers import Tokenizer  # a compiled library, needed only where text is counted

    file = folder / "tokenizer.json"
    if not file.is_file():
        return _convert_slow(folder)
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _convert_slow(folder: Path) -> Tokenizer:
    from transformers import AutoTokenizer  # seconds to import; only models without tokenizer.json

    try:
        slow = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        tokenizer: Tokenizer = slow.backend_tokenizer
    except (OSError, ValueError, AttributeError) as error:
        raise EncoderError(f"{folder.name} holds no tokenizer: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class TokenCounter:
    """Counts tokens as the encoder sees them, special tokens left out."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def special_tokens(self, *, pair: bool) -> int:
        """Special tokens the model adds to one input."""
        return int(self._tokenizer.num_special_tokens_to_add(pair))

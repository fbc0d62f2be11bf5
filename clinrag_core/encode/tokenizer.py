"""The tokenizer of an encoder: counting tokens for chunks, preparing batches for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import EncoderError
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tokenizers import Tokenizer


VOCABULARIES = (
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)
"""Files that a tokenizer can be made from if there is no tokenizer.json."""


def load_tokenizer(folder: Path) -> Tokenizer:
    """Return the fast tokenizer of a model folder, without truncation or padding.

    Raises:
        EncoderError: the folder contains none that can be read.
    """
    from tokenizers import Tokenizer  # a compiled library, needed only where text is counted

    file = folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file)) if file.is_file() else _converted(folder)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tokenizer_sha256(folder: Path) -> str:
    """Return the fingerprint of a folder's tokenizer, the same on every machine."""
    file = folder / "tokenizer.json"
    data = file.read_bytes() if file.is_file() else load_tokenizer(folder).to_str().encode()
    return sha256_hex(data)


def _converted(folder: Path) -> Tokenizer:
    """Return a fast tokenizer made from a vocabulary file, e.g. for BiomedBERT."""
    from transformers import AutoTokenizer  # seconds to import; only models without tokenizer.json

    # Without a vocabulary transformers makes a tokenizer of a few tokens without a warning.
    if not any((folder / name).is_file() for name in VOCABULARIES):
        raise EncoderError(
            f"{folder} holds no tokenizer: neither tokenizer.json nor {', '.join(VOCABULARIES)}"
        )
    try:
        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True).backend_tokenizer
    except (OSError, ValueError, AttributeError, ImportError) as error:
        raise EncoderError(
            f"the tokenizer in {folder} cannot be converted ({error}): add its tokenizer.json"
        ) from error


class TokenCounter:
    """Counts tokens as the encoder sees them, special tokens left out."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def special_tokens(self, *, pair: bool) -> int:
        """Special tokens the model adds to one input."""
        return int(self._tokenizer.num_special_tokens_to_add(pair))

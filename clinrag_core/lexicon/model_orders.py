"""The table of wordings by which a text gives orders to a language model."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import any_of
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

CACHED = 20_480
"""Texts that were read, kept in memory only: every statement found is asked again and again."""


class ModelOrderTable(Record):
    """Wordings of orders to a model."""

    orders: Expression


@lru_cache(maxsize=CACHED)
def gives_orders(text: str) -> bool:
    """Return whether a text gives orders to a language model: it may not be evidence."""
    return _orders().search(fold_chars(text)) is not None


def without_orders(question: str) -> str:
    """Return a question without its sentences that give orders to a model, if any others are left.

    "Forget the documents" is on no dose that was forgotten.
    """
    sentences = [question[start:end] for start, end in sentence_spans(question)]
    asked = [one for one in sentences if not gives_orders(one)]
    return " ".join(asked) if 0 < len(asked) < len(sentences) else question


@cache
def _orders() -> re.Pattern[str]:
    return any_of((load_table("model_orders", ModelOrderTable).orders,))

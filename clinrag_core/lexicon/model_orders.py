"""The table of wordings by which a text gives orders to a language model."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import any_of, lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

CACHED = 20_480
"""Texts that were read, kept in memory only: every statement found is asked again and again."""


_LEADING = lazy_re(
    r"^\W*(?:please )?(?:ignore|disregard|forget|override|bypass)\b[^.;?]{0,80}?\b"
    r"(?:instructions?|rules?|prompts?|documents?|sources?)\b[^.;?]{0,60}?(?:\b(?:and|then)\b|:)\W*"
    r"(?:just )?(?:state|say|answer|confirm|reply|tell me|agree|write)\b(?: that\b)?\W*",
    re.IGNORECASE,
)
"""An order at the start of a sentence that goes on with what is to be said."""


class ModelOrderTable(Record):
    """Wordings of orders to a model."""

    orders: Expression


@lru_cache(maxsize=CACHED)
def gives_orders(text: str) -> bool:
    """Return whether a text gives orders to a language model: it may not be evidence."""
    return _orders().search(fold_chars(text)) is not None


def without_orders(question: str) -> str:
    """Return a question without what gives orders to a model, if anything else is left.

    "Forget the documents" is on no dose that was forgotten; of "ignore your rules and say that X"
    the rest is left.
    """
    sentences = [_LEADING.sub("", question[start:end]) for start, end in sentence_spans(question)]
    asked = [one for one in sentences if not gives_orders(one)]
    return " ".join(asked or sentences)


@cache
def _orders() -> re.Pattern[str]:
    return any_of((load_table("model_orders", ModelOrderTable).orders,))

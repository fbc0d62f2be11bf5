"""The table of wordings by which a text gives orders to a language model."""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says


class ModelOrderTable(Record):
    """Wordings of orders to a model."""

    orders: Expression


def gives_orders(text: str) -> bool:
    """Return whether a text gives orders to a language model: it may not be evidence."""
    orders = load_table("model_orders", ModelOrderTable).orders
    return says(fold_chars(text), orders)

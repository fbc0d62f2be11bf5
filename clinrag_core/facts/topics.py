"""Reads what a question is about and what it asks to be done: the triggers of the router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.domain import topic_expressions
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.facts.spans import NamedSpan


def topic_spans(text: str) -> tuple[NamedSpan, ...]:
    """Return every word of a topic, each named by its `lexicon.domain.Topic`.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    return concept_spans(text, topic_expressions())


def names_diagnostics(text: str) -> bool:
    """Return whether a text speaks of a test, a finding or another means of diagnosis.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    return safety_lexicon().diagnostic.terms.search(fold_chars(text)) is not None

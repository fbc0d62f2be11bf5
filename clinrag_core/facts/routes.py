"""Reads how a drug is given: routes that a text names, and those that its dosage forms imply."""

from __future__ import annotations

from functools import lru_cache

from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans, names_of
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.lexicon.slots import slot_lexicon

NEURAXIAL = frozenset({"intrathecal", "epidural"})
_INJECTED = frozenset({"intravenous", "intramuscular", "subcutaneous"})


def named_routes(text: str) -> frozenset[str]:
    """Return the routes a text names; "injection" names no single one."""
    return names_of(concept_spans(text, safety_lexicon().routes))


@lru_cache(maxsize=CACHED_TEXTS)
def stated_routes(text: str) -> frozenset[str]:
    """Return the routes a text names, or else those that its dosage forms imply.

    An injection may be any of the injected routes, unless the text names one of them.
    """
    named = named_routes(text)
    implied = names_of(concept_spans(text, slot_lexicon().implied_routes))
    if "injected" in implied and not named and not implied & NEURAXIAL:
        named = _INJECTED
    return named or implied - {"injected"}

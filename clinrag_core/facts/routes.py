"""Reads how a drug is given: routes that a text names, and those that its dosage forms imply."""

from __future__ import annotations

import re
from functools import lru_cache

from clinrag_core.facts.negation import without_denied
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans, names_of
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

NEURAXIAL = frozenset({"intrathecal", "epidural"})
_INJECTED = frozenset({"intravenous", "intramuscular", "subcutaneous"})
_INJECTION = re.compile(r"\binject", re.IGNORECASE)
_ROUTE = r"(?:intramuscular|intravenous|oral|subcutaneous|inhal\w+|topical)"
_ONLY = re.compile(
    rf"\b{_ROUTE}(?:ly)?"
    r" (?:(?:route|use|administration|injection|inhalation|infusion) )?only\b"
    rf"|\bonly (?:by|for|as) (?:an? )?(?:the )?(?:deep )?{_ROUTE}"
)


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


def asked_routes(text: str) -> frozenset[str]:
    """Return the routes a question asks about: those it names and does not deny.

    "Injection" alone is any of the injected routes, into the skin as well.
    """
    asked = without_denied(text)
    named = named_routes(asked) or stated_routes(asked) & NEURAXIAL
    if named or not _INJECTION.search(text):
        return named
    return stated_routes("injection") | {"intradermal"}


def allows_one_route(text: str) -> bool:
    """Return whether a text says that a drug is for one route only."""
    return _ONLY.search(fold_chars(text)) is not None

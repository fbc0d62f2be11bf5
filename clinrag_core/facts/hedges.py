"""Reads whether a text says less than that something is so: "may", "suggests", "in some cases"."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

_HEDGES = lazy_re(
    r"\b(?:may|might|could|can|possib\w+|potential\w*|sometimes|suggest\w*|likely"
    r"|risks?|perhaps|options?|consider\w*|allow\w*|permitted|acceptable|suitable|occasional\w*"
    r"|some|rare\w*|seem\w*|appear\w*|able|up to|unless|if|when|instead|alternatives?|only"
    r"|probabl\w*|chance|linked"
    r"|eligible|report(?:s|ed)?|usually|uncommon\w*|cases|enough|as (?:high|much|many) as"
    r"|suspect\w*|anticipated|expected|reserved|not?|never|without|avoid\w*|contra-?indicat\w*)\b|n't\b"
)
"""Words of a claim that say less than that something is so."""


def hedges(folded: str) -> bool:
    """Return whether a case-folded text has a word that says less than that something is so."""
    return _HEDGES.search(folded) is not None

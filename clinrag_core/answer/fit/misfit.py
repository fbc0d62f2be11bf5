"""Why a statement may not be quoted for a question."""

from __future__ import annotations

from typing import Literal, NamedTuple

Slot = Literal[
    "subject",  # another drug's, or nobody's
    "partner",  # nothing on the drug it is given with
    "product",  # a combination's figures for a single drug, or the other way round
    "people",  # another age, weight, kidney function or condition
    "route",
    "indication",
    "phase",
    "aspect",  # figures that are no dosing advice
]


class Misfit(NamedTuple):
    """A slot in which a question and a statement disagree."""

    slot: Slot
    asked: str
    """What the question asks for, in words."""
    has: str
    """What the statement has instead, in words; empty if it says nothing."""
    is_qualifier: bool = False
    """Whether it may follow a direct answer, because it is about a special case of the question."""

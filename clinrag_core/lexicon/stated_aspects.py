"""The table of words by which a statement says what a question may ask for."""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.lexicon.slots import Aspect
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup


class AspectWording(Record):
    """How an aspect is said: words of a statement, or the section group it is in."""

    words: Expression
    groups: tuple[SectionGroup, ...]


class StatedAspectTable(Record):
    """The wordings by aspect."""

    aspects: dict[Aspect, AspectWording]


def stated_aspect_wordings() -> dict[Aspect, AspectWording]:
    """Return the shipped table."""
    return load_table("stated_aspects", StatedAspectTable).aspects

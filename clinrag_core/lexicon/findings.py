"""The table of what is found in a patient: conditions, reactions, measured values.

These decide whether, or how, a drug is given. Groups of people for whom doses differ are in the
table of slots.
"""

from __future__ import annotations

from pydantic import Field

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record


class MeasureWords(Record):
    """How a measured value is written."""

    name: str
    unit_name: str
    words: Expression
    terms: tuple[str, ...] = Field(description="words of which a text that names it has one")
    unit: Expression
    is_unit_optional: bool = Field(False, description="no other figure follows its name")
    thousands_below: float = Field(0, description="bare values below are thousands per mm³")
    of_drug: bool = Field(False, description="is the level of the drug itself")
    of_disease: bool = Field(False, description="says how far a disease is, not what a drug did")
    normal: tuple[float, float] | None = Field(None, description="range of healthy adults")


class MeasureMeaning(Record):
    """The condition that a value below or above a limit is."""

    measure: str
    above: float | None = None
    below: float | None = None
    condition: str


class FindingWordings(Record):
    """Wordings around a finding."""

    stops: Expression
    """What a text says that tells to stop, or never to start."""
    acts: Expression
    """What a text says that tells what to do."""


class FindingLexicon(Record):
    """The table."""

    conditions: dict[str, Expression]
    terms: dict[str, tuple[str, ...]]
    """Words of which a text that names a condition may have one, besides those of its name."""
    measures: dict[str, MeasureWords]
    means: tuple[MeasureMeaning, ...]
    wordings: FindingWordings

    @property
    def drug_levels(self) -> frozenset[str]:
        """Names of the measures that are levels of the drug itself."""
        return frozenset(name for name, one in self.measures.items() if one.of_drug)

    @property
    def stages(self) -> frozenset[str]:
        """Names of the measures that say how far a disease is, and of the conditions they mean."""
        measured = frozenset(name for name, one in self.measures.items() if one.of_disease)
        return measured | {one.condition for one in self.means if one.measure in measured}


def finding_lexicon() -> FindingLexicon:
    """Return the shipped table."""
    return load_table("findings", FindingLexicon)

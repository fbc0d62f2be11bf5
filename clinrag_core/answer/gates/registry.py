"""The gates of an answer, in the order in which their decisions are reported.

Adding a gate is one file and one line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.association import AssociationGate
from clinrag_core.answer.gates.citation import CitationGate
from clinrag_core.answer.gates.copies import CopyGate
from clinrag_core.answer.gates.direction import DirectionGate
from clinrag_core.answer.gates.drug_anchor import DrugAnchorGate
from clinrag_core.answer.gates.entailment import EntailmentGate
from clinrag_core.answer.gates.high_risk import HighRiskGate
from clinrag_core.answer.gates.limits import LimitsGate
from clinrag_core.answer.gates.negation import NegationGate
from clinrag_core.answer.gates.overlap import OverlapGate
from clinrag_core.answer.gates.owners import OwnersGate
from clinrag_core.answer.gates.population import PopulationGate
from clinrag_core.answer.gates.quantities import QuantityGate
from clinrag_core.answer.gates.roles import RolesGate

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.settings import AnswerSettings


COMPARING = frozenset({RolesGate.name, LimitsGate.name, OwnersGate.name})
"""Gates that compare the words of a claim with those of its sentence."""


def build_gates(settings: AnswerSettings) -> tuple[Gate, ...]:
    """Return the gates of a profile."""
    gates: list[Gate] = [
        CitationGate(),
        CopyGate(),
        HighRiskGate(),
        OverlapGate(settings.overlap),
        QuantityGate(),
        NegationGate(),
        DrugAnchorGate(),
        AssociationGate(),
        PopulationGate(),
        DirectionGate(),
        RolesGate(),
        LimitsGate(),
        OwnersGate(),
    ]
    if settings.entailment_model is not None:
        gates.append(EntailmentGate(settings.entailment_model, settings.entailment_threshold))
    return tuple(gates)

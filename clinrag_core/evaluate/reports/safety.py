"""The safety report: gates against mutants and paraphrases, drugs against drugs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.plots import gate_figure
from clinrag_core.evaluate.report import (
    BarBlock,
    EvaluationReport,
    figure_block,
    finite,
    table_block,
)
from clinrag_core.evaluate.reports.gates import gate_state, limit_check, limit_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.evaluation import EvaluatedBases
    from clinrag_core.evaluate.gate_rates import GateRates
    from clinrag_core.evaluate.limits import Limit
    from clinrag_core.evaluate.report import TableBlock
    from clinrag_core.evaluate.ruler_figures import RulerFigures
    from clinrag_core.evaluate.safety import Safety

BARS = 7
"""Kinds of mutants in the chart: more would not fit the 1,000 characters that the UI shows."""
TRENDS = ("critical_survivors", "true_claims_passed", "paraphrases_passed", "wrong_drug_passages")


def safety_report(
    evaluated: EvaluatedBases, safety: Safety, limits: Sequence[Limit]
) -> EvaluationReport:
    """Report on the gates: every limit is absolute and gates the release."""
    state, verdict, failed = gate_state((), limits)
    kinds = sorted(safety.gates.kinds, key=lambda k: (not k.critical, k.rate))
    bars = [
        Bar(k.kind, k.rate, 1.0 if k.critical else None, not k.critical or k.rate == 1)
        for k in kinds[:BARS]
    ]
    pairs = safety.drug_pairs
    return EvaluationReport(
        name="safety_report",
        title="Safety",
        evaluated=evaluated,
        state=state,
        verdict=verdict,
        failed=failed,
        facts={
            "true claims passed": f"{safety.gates.passed} of {safety.gates.claims}",
            **{
                f"paraphrases passed, {rate.split}": f"{rate.passed} of {rate.claims}"
                for rate in safety.paraphrases
            },
            "drugs and pairs": f"{pairs.questions} questions on {pairs.drugs} drugs, "
            f"{pairs.answered} answered, {pairs.wrong} claims about another drug",
            "citations": f"{safety.citations}, {safety.citation_problems} broken",
        },
        blocks=(
            BarBlock(
                name="overview",
                title="share of mutants rejected, critical kinds first",
                bars=tuple(bars),
            ),
            limit_table(limits, "summary"),
            rates_table("kill_rates", "Mutants of true claims", safety.gates),
            rates_table("paraphrase_kill_rates", "Mutants of paraphrases", safety.paraphrased),
            ruler_table(safety.ruler),
            true_claims_table(safety.ruler),
            survivors_table(safety.ruler),
            figure_block("gates", "mutants rejected per gate", gate_figure(safety.gates)),
        ),
        checks=tuple(limit_check(limit) for limit in limits),
        metrics=finite("safety", safety.metrics()),
        trends=tuple(f"safety/{name}" for name in TRENDS),
    )


def ruler_table(ruler: RulerFigures) -> TableBlock:
    """Mutants of the ruler by kind, the kinds that survive most first."""
    kinds = sorted(ruler.kinds, key=lambda kind: (kind.rate, kind.kind))
    return table_block(
        "ruler",
        f"Mutants that share no table with the gates: {ruler.rate:.3f} rejected",
        ("mutation", "group", "mutants", "rejected", "kill rate"),
        [(k.kind, k.group, k.mutants, k.rejected, k.rate) for k in kinds],
    )


def true_claims_table(ruler: RulerFigures) -> TableBlock:
    """True claims by sort, and how many pass."""
    return table_block(
        "true_claims",
        f"True claims, verbatim and reworded; gates take {ruler.p95_ms} ms at p95",
        ("sort", "claims", "passed", "pass rate"),
        [(one.sort, one.claims, one.passed, one.rate) for one in ruler.true_claims],
    )


def survivors_table(ruler: RulerFigures) -> TableBlock:
    """Return the mutants of the ruler that passed, in words."""
    return table_block(
        "ruler_survivors",
        f"{len(ruler.survivors)} mutants of the ruler that passed",
        ("mutation", "claim"),
        [(one.kind, one.claim) for one in ruler.survivors],
    )


def rates_table(name: str, title: str, rates: GateRates) -> TableBlock:
    """Mutants made and rejected by kind."""
    return table_block(
        name,
        f"{title}: {rates.mutants} of {rates.claims} claims",
        ("mutation", "critical", "mutants", "rejected", "kill rate"),
        [(k.kind, "yes" if k.critical else "", k.mutants, k.rejected, k.rate) for k in rates.kinds],
    )

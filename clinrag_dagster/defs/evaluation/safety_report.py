"""Gates against mutants and paraphrases, drugs against drugs: absolute limits, all blocking."""

import logging

import dagster as dg
from clinrag_core.evaluate.glance import Bar

from clinrag_core.evaluate.limits import safety_limits
from clinrag_core.evaluate.plots import gate_figure
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, glance, markdown_table, plot, scores
from clinrag_dagster.report_metadata import (
    GROUP,
    limit_check,
    limit_table,
    provenance,
    verdict_line,
)
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
NAME = "safety_report"
SHOWN = 7


@dg.asset(
    deps=["benchmark_answers"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="3",
    check_specs=[
        dg.AssetCheckSpec("critical_mutants_rejected", asset=NAME, blocking=True),
        dg.AssetCheckSpec("true_claims_pass", asset=NAME, blocking=True),
        dg.AssetCheckSpec("no_wrong_drug_in_pairs", asset=NAME, blocking=True),
    ],
)
def safety_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Gates against mutated claims and honest paraphrases; drugs against drugs."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    safety = evaluation.safety(lambda what: logger.info("measuring %s", what))
    limits = safety_limits(safety)
    rates = safety.gates
    rows = [(k.kind, "yes" if k.critical else "", k.mutants, k.rate) for k in rates.kinds]
    bars = [
        Bar(k.kind, k.rate, 1.0 if k.critical else None, not k.critical or k.rate == 1)
        for k in sorted(rates.kinds, key=lambda k: (not k.critical, k.rate))[:SHOWN]
    ]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "verdict": verdict_line((), limits),
            "glance": glance(bars, "share of mutants rejected, critical kinds first"),
            "summary": limit_table(limits),
            "kill_rates": markdown_table(("mutation", "critical", "mutants", "kill rate"), rows),
            "gates": plot(gate_figure(rates), "mutants rejected per gate"),
            "true_claims": rates.claims,
            **provenance(evaluation),
            **scores("safety", safety.metrics()),
        },
        check_results=[limit_check(limit) for limit in limits],
    )

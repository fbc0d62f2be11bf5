"""The reports of an evaluation, each an asset whose metadata is the report, and their page.

One factory: a stage stores the report, the asset shows it. The gates of a report fail its check
without blocking, so that the page is written for a failed evaluation too; `gates_hold` on the page
blocks the release.
"""

import logging
from collections.abc import Callable, Mapping

import dagster as dg

from clinrag_core.evaluate.report import EvaluationReport
from clinrag_core.pipeline.pages import INDEX, make_report_page, page_output
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.reports import (
    make_answer_report,
    make_corpus_report,
    make_latency_report,
    make_retrieval_report,
    make_safety_report,
)
from clinrag_core.pipeline.stages import PAGE, REPORTS
from clinrag_core.revision import git_commit
from clinrag_dagster.gates import NONE, acceptance_digest, baseline_of
from clinrag_dagster.metadata import OWNERS, check_result, report_metadata, stored
from clinrag_dagster.profile import stage_inputs
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "evaluation"
GATES_HOLD = "gates_hold"
NOT_WORSE = (
    "No gated metric may fall below the accepted baseline by more than its tolerance, question by "
    "question on the test split. `make promote` changes the baseline."
)

DESCRIPTIONS: Mapping[str, str] = {
    "retrieval_report": "Metrics per pipeline, knowledge base and split; only the test split may "
    "be quoted.",
    "answer_report": "What was answered and refused, rightly or wrongly, per split.",
    "safety_report": "Gates against changed claims and true paraphrases; drugs against drugs.",
    "latency_report": "Percentiles of an answer and of its stages, over the dev split.",
    "corpus_report": "Documents, and which of them changed since the served release.",
}
CHECKS: Mapping[str, Mapping[str, str | None]] = {
    "retrieval_report": {"not_worse_than_accepted": NOT_WORSE},
    "answer_report": {
        "not_worse_than_accepted": NOT_WORSE,
        "refusals_kept": None,
        "traps_not_said": None,
        "absent_refused": None,
    },
    "safety_report": dict.fromkeys(
        (
            "critical_mutants_rejected",
            "true_claims_pass",
            "foreign_mutants_rejected",
            "verbatim_claims_pass",
            "no_wrong_drug_in_pairs",
        )
    ),
    "latency_report": {"answers_in_time": None},
    "corpus_report": {
        "no_older_label": "No label is older than the served one, unless its entry pins it.",
        "no_high_severity_change": None,
    },
}
"""Report to its checks, each with a description where its name does not say enough."""


def _make_safety(pipeline: Pipeline) -> EvaluationReport:
    return make_safety_report(pipeline, lambda what: logger.info("measuring %s", what))


STAGES: Mapping[str, Callable[[Pipeline], EvaluationReport]] = {
    "retrieval_report": make_retrieval_report,
    "answer_report": make_answer_report,
    "safety_report": _make_safety,
    "latency_report": make_latency_report,
    "corpus_report": make_corpus_report,
}


def _report_asset(name: str) -> dg.AssetsDefinition:
    """Return the asset of a report."""

    @dg.asset(
        name=name,
        deps=stage_inputs(name),
        description=DESCRIPTIONS[name],
        group_name=GROUP,
        kinds={"python"},
        owners=OWNERS,
        code_version="6",
        check_specs=[
            dg.AssetCheckSpec(check, asset=name, description=description)
            for check, description in CHECKS[name].items()
        ],
    )
    def report_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        """Make the report and record it as metadata and checks."""
        pipeline = clinrag.pipeline()
        report = STAGES[name](pipeline)
        return stored(
            pipeline.report(name).read().digest,
            {
                **report_metadata(report),
                "evaluation": report.evaluated.fingerprint,
                "benchmark": report.evaluated.benchmark,
                "encoder_fingerprint": report.evaluated.encoder,
                "baseline": baseline_of(report) or NONE,
                "acceptance": acceptance_digest(pipeline),
                "git_commit": git_commit() or "not a checkout",
            },
            check_results=[check_result(check) for check in report.checks],
        )

    return report_asset


@dg.asset(
    name=PAGE,
    deps=list(REPORTS),
    group_name=GROUP,
    kinds={"file"},
    owners=OWNERS,
    code_version="3",
    check_specs=[
        dg.AssetCheckSpec(
            GATES_HOLD, asset=PAGE, blocking=True, description="Every gate of every report passed."
        )
    ],
)
def report_page(clinrag: ClinragResource) -> dg.MaterializeResult:
    """One self-contained HTML page with every figure; written even if gates failed."""
    pipeline = clinrag.pipeline()
    path = make_report_page(pipeline)
    reports = [pipeline.report(name).read().value for name in REPORTS]
    gates = [(report.name, check) for report in reports for check in report.checks if check.gate]
    failed = [f"{report}: {check.name}" for report, check in gates if not check.passed]
    return stored(
        page_output(pipeline.workspace).read().digest,
        {
            "page": dg.MetadataValue.path(str(path)),
            # Browsers follow no link to a file from a page of a server.
            "open": dg.MetadataValue.md("`.venv/bin/clinrag report open`"),
            "index": dg.MetadataValue.path(str(path.with_name(INDEX))),
            "bytes": path.stat().st_size,
        },
        check_results=[
            dg.AssetCheckResult(
                check_name=GATES_HOLD,
                passed=bool(gates) and not failed,
                description=f"{len(failed)} of {len(gates)} gates failed: {', '.join(failed)}"
                if failed
                else f"{len(gates)} gates passed",
                metadata={"gates": len(gates), "failed": len(failed)},
            )
        ],
    )


@dg.definitions
def reports() -> dg.Definitions:
    """Return the reports and their page."""
    return dg.Definitions(assets=[*(_report_asset(name) for name in REPORTS), report_page])

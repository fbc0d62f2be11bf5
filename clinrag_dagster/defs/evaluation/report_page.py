"""The full report as a page that opens by itself, and the index of all of them."""

import dagster as dg

from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.reports import INDEX, write_report
from clinrag_dagster.metadata import OWNERS
from clinrag_dagster.report_metadata import GROUP
from clinrag_dagster.resources import ClinragResource


@dg.asset(
    deps=["benchmark_answers", "latency_report", "corpus_report"],
    group_name=GROUP,
    kinds={"file"},
    owners=OWNERS,
    code_version="2",
)
def report_page(clinrag: ClinragResource) -> dg.MaterializeResult:
    """One self-contained HTML page with every figure; written whether gates hold or not."""
    path = write_report(CandidateEvaluation(clinrag.pipeline()))
    return dg.MaterializeResult(
        metadata={
            "report": dg.MetadataValue.path(str(path)),
            "index": dg.MetadataValue.path(str(path.with_name(INDEX))),
            "bytes": path.stat().st_size,
        }
    )

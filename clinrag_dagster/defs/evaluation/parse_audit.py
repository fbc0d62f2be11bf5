"""The parse audit: one row per document of the corpus, checked for loss, damage and repetition.

Its checks warn and never block: one odd document must not stop every other from being served.
They name each finding with its files and pages; the page of the report has all of them.
"""

import logging

import dagster as dg

from clinrag_core.evaluate.parse_audit.report import parse_report
from clinrag_core.pipeline.parse_audit import make_parse_audit, write_parse_page
from clinrag_dagster.metadata import OWNERS, check_result, report_metadata, stored
from clinrag_dagster.profile import stage_inputs
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
NAME = "parse_audit"
CHECKS = (
    "no_text_lost",
    "headings_found",
    "nothing_outside_index",
    "words_apart",
    "structure_whole",
    "labels_complete",
)


def _parse_audit() -> dg.AssetsDefinition:
    """Return the asset of the audit."""

    @dg.asset(
        name=NAME,
        deps=stage_inputs(NAME),
        group_name="evaluation",
        kinds={"python"},
        owners=OWNERS,
        code_version="2",
        check_specs=[dg.AssetCheckSpec(name, asset=NAME) for name in CHECKS],
    )
    def parse_audit(clinrag: ClinragResource) -> dg.MaterializeResult:
        """What the parsers made of every document: words, headings, tables, what was lost."""
        pipeline = clinrag.pipeline()
        audit = make_parse_audit(pipeline)
        report = parse_report(audit)
        logger.info("audited %d documents", len(audit.rows))
        return stored(
            pipeline.parse_audit.read().digest,
            {
                **report_metadata(report),
                "page": dg.MetadataValue.path(str(write_parse_page(pipeline, audit))),
            },
            check_results=[check_result(check) for check in report.checks],
        )

    return parse_audit


@dg.definitions
def audit() -> dg.Definitions:
    """Return the parse audit."""
    return dg.Definitions(assets=[_parse_audit()])

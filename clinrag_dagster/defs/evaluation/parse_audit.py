"""The parse audit: one row per document of the corpus, checked for loss, damage and repetition.

Its checks warn and never block: one odd document must not keep every other from being served.
"""

import logging
from collections import Counter
from collections.abc import Sequence

import dagster as dg

from clinrag_core.evaluate.parse_audit.audit import DocumentAudit, Finding
from clinrag_core.evaluate.parse_audit.report import COLUMNS, audit_figure, audit_row
from clinrag_core.pipeline.parse_audit import ParseAudit, audit_corpus, write_parse_report
from clinrag_dagster.metadata import MAX_TABLE_ROWS, OWNERS, markdown_table, plot, scores, table
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)

# Each check gathers the findings of one question that a person would ask.
CHECKS: dict[str, tuple[str, ...]] = {
    "no_text_lost": ("text_lost", "text_repeated", "much_running_text"),
    "headings_found": ("headings_missed", "headings_per_page"),
    "sentences_whole": ("broken_ends",),
    "tables_and_characters_sound": ("hollow_tables", "odd_characters"),
    "labels_complete": ("section_absent", "no_active_ingredient", "boxed_warning"),
}


def _checks(rows: Sequence[DocumentAudit]) -> list[dg.AssetCheckResult]:
    results: list[dg.AssetCheckResult] = []
    for name, codes in CHECKS.items():
        found: list[tuple[DocumentAudit, Finding]] = [
            (row, finding) for row in rows for finding in row.findings if finding.code in codes
        ]
        results.append(
            dg.AssetCheckResult(
                check_name=name,
                passed=not found,
                severity=dg.AssetCheckSeverity.WARN,
                description="; ".join(f"{r.file}: {f.message}" for r, f in found[:3])
                or f"nothing found in {len(rows)} documents",
                metadata={
                    "findings": len(found),
                    "documents": table(
                        [{"file": r.file, "code": f.code, "what": f.message} for r, f in found]
                    ),
                },
            )
        )
    return results


def _summary(audit: ParseAudit, parsed: Sequence[DocumentAudit]) -> dg.MarkdownMetadataValue:
    rows = [
        (
            kind,
            len(group),
            sum(row.words for row in group),
            sum(row.sections for row in group),
            sum(row.tables for row in group),
            sum(row.recommendations for row in group),
            min((row.kept for row in group if row.kept is not None), default=None),
            sum(len(row.findings) for row in group),
        )
        for kind in ("guideline", "label")
        if (group := [row for row in parsed if row.kind == kind])
    ]
    return markdown_table(
        (
            "kind",
            "documents",
            "words",
            "sections",
            "tables",
            "recommendations",
            "least kept",
            "findings",
        ),
        rows,
    )


@dg.asset(
    deps=["guideline_sections", "label_sections"],
    group_name="evaluation",
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec(name, asset="parse_audit") for name in CHECKS],
)
def parse_audit(clinrag: ClinragResource) -> dg.MaterializeResult:
    """What the parsers made of every document: words, headings, tables, what was lost."""
    pipeline = clinrag.pipeline()
    audit = audit_corpus(pipeline)
    parsed = [row for row in audit.rows if row.quarantined is None]
    findings = Counter(finding.code for row in parsed for finding in row.findings)
    logger.info("audited %d documents: %s", len(parsed), dict(findings) or "no findings")
    worst = sorted(parsed, key=lambda row: (-len(row.findings), row.kind, row.file))
    recall = audit.heading_recall
    return dg.MaterializeResult(
        data_version=dg.DataVersion(audit.fingerprint),
        metadata={
            "summary": _summary(audit, parsed),
            "kept_and_headings": plot(audit_figure(parsed), "kept share and headings per page"),
            "documents": table(
                [dict(zip(COLUMNS, audit_row(row), strict=True)) for row in worst[:MAX_TABLE_ROWS]]
            ),
            "quarantined": len(audit.rows) - len(parsed),
            "report": dg.MetadataValue.path(str(write_parse_report(pipeline, audit))),
            **scores("parse", {"heading_recall": recall} if recall is not None else {}),
            **scores("parse/findings", {code: float(n) for code, n in findings.items()}),
        },
        check_results=_checks(parsed),
    )

"""The corpus report: documents, and what changed since the served release.

Its one gate: no label may be older than the served one unless its manifest entry says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.plots import drift_figure
from clinrag_core.evaluate.report import (
    BarBlock,
    EvaluationReport,
    ReportCheck,
    figure_block,
    table_block,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clinrag_core.evaluate.drift import DocumentDrift, Drift
    from clinrag_core.evaluate.evaluation import EvaluatedBases
    from clinrag_core.evaluate.report import TableBlock
    from clinrag_core.model.source import DocumentKind

CHANGES = ("added", "changed", "removed")
TRENDS = ("documents", "passages", "high_changes", "affected_questions")


NO_OLDER = "no_older_label"


class CorpusCounts(NamedTuple):
    """Size of the corpus of one kind of document."""

    kind: DocumentKind
    documents: int
    passages: int
    quarantined: int


def corpus_report(
    evaluated: EvaluatedBases,
    counts: Sequence[CorpusCounts],
    drift: Drift,
    pinned: Collection[tuple[str, int | None]] = (),
) -> EvaluationReport:
    """Report on the documents of the candidates and the changes since the served release.

    `pinned` are drugs and versions that the manifest pins, so that they may be older.
    """
    first = drift.release is None
    older = [d for d in drift.documents if d.went_back and (d.name, d.new_version) not in pinned]
    high = [] if first else [d for d in drift.documents if d.severity == "HIGH"]
    reason = (
        "nothing released before to compare with"
        if first
        else f"{len(high)} document(s) with a HIGH change, "
        f"{len(drift.questions)} question(s) cite one"
    )
    bars = [
        Bar(f"{c.kind}s {change}", float(drift.count(change, c.kind)), None, passed=True)
        for c in counts
        for change in CHANGES
    ]
    bars.append(Bar("HIGH changes", float(len(high)), None, not high))
    return EvaluationReport(
        name="corpus_report",
        title=f"Documents since release {drift.release}" if drift.release else "Documents",
        evaluated=evaluated,
        state="failed" if older else "warning" if high else "passed",
        verdict=f"stops the release: {_older(older)}"
        if older
        else f"{'review (answers show it): ' if high else ''}{reason}",
        failed=(NO_OLDER,) if older else (),
        facts={
            "since": drift.release or "the first release",
            "unchanged documents": str(drift.unchanged),
        },
        blocks=(
            BarBlock(
                name="overview",
                title="documents added, changed and removed",
                bars=tuple(bars),
                form="{:.0f}",
            ),
            _counts_table(counts, drift),
            figure_block("documents", "documents added, changed and removed", drift_figure(drift)),
            *(() if first else (table for table in _change_tables(drift) if table.rows)),
        ),
        checks=(
            ReportCheck(
                name=NO_OLDER,
                passed=not older,
                gate=True,
                description=_older(older),
                figures={"older": len(older)},
            ),
            ReportCheck(
                name="no_high_severity_change",
                passed=not high,
                gate=False,
                description=reason,
                figures={"high": len(high), "questions": len(drift.questions)},
            ),
        ),
        metrics={
            "corpus/documents": float(sum(c.documents for c in counts)),
            "corpus/passages": float(sum(c.passages for c in counts)),
            "corpus/high_changes": float(len(high)),
            "corpus/affected_questions": float(len(drift.questions)),
        },
        trends=tuple(f"corpus/{name}" for name in TRENDS),
    )


def _older(older: Sequence[DocumentDrift]) -> str:
    """Return which labels are older than the served ones, and what to do."""
    listed = ", ".join(
        f"{d.name} {d.document_id} {d.old_version} to {d.new_version}" for d in older
    )
    if not listed:
        return "no label is older than the served one"
    advice = 'restore the newer file, or write "pinned_version" into the manifest entry'
    return f"older than the served label: {listed}; {advice}"


def _counts_table(counts: Sequence[CorpusCounts], drift: Drift) -> TableBlock:
    """Return documents and changes per kind."""
    return table_block(
        "summary",
        "Documents by kind",
        ("", "HIGH", "documents", *CHANGES, "quarantined", "passages"),
        [
            (
                f"{c.kind}s",
                sum(d.severity == "HIGH" and d.kind == c.kind for d in drift.documents),
                c.documents,
                *(drift.count(change, c.kind) for change in CHANGES),
                c.quarantined,
                c.passages,
            )
            for c in counts
        ],
    )


def _change_tables(drift: Drift) -> list[TableBlock]:
    """Changed documents with their sections, and questions that cite a HIGH change."""
    documents = [
        (
            d.name,
            d.kind,
            d.change,
            d.old_version,
            d.new_version,
            d.severity,
            "; ".join(f"{s.severity} {s.change} {' › '.join(s.path)}" for s in d.sections),
        )
        for d in drift.documents
    ]
    return [
        table_block(
            "changed_documents",
            "Changed documents",
            ("document", "kind", "change", "from", "to", "severity", "sections"),
            documents,
        ),
        table_block(
            "affected_questions",
            "Questions that cite a document with a HIGH change",
            ("question", "before", "now", "same claims"),
            [
                (q.question_id, q.before, q.now, "yes" if q.same_claims else "no")
                for q in drift.questions
            ],
        ),
    ]

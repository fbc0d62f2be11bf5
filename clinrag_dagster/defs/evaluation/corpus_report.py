"""What is in the candidates, and what changed since the release that was served before."""

from collections.abc import Sequence

import dagster as dg
from clinrag_core.evaluate.glance import Bar

from clinrag_core.evaluate.drift import Drift
from clinrag_core.evaluate.plots import drift_figure
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.pipeline import KINDS
from clinrag_dagster.metadata import OWNERS, Cell, glance, markdown_table, plot, scores, table
from clinrag_dagster.report_metadata import GROUP, provenance
from clinrag_dagster.resources import ClinragResource

NAME = "corpus_report"
CHANGES = ("added", "changed", "removed")


def _summary(evaluation: CandidateEvaluation, drift: Drift) -> list[Sequence[Cell]]:
    rows: list[Sequence[Cell]] = []
    for kind in KINDS:
        corpus = evaluation.pipeline.corpus(kind)
        high = sum(d.severity == "HIGH" and d.kind == kind for d in drift.documents)
        rows.append(
            (
                f"{kind}s",
                high,
                sum(entry.documents for entry in corpus.entries),
                *(drift.count(change, kind) for change in CHANGES),
                sum(entry.quarantined for entry in corpus.entries),
                corpus.chunks,
            )
        )
    return rows


def _document_rows(drift: Drift) -> list[dict[str, Cell]]:
    return [
        {
            "document": d.name,
            "kind": d.kind,
            "change": d.change,
            "from": d.old_version,
            "to": d.new_version,
            "severity": d.severity,
            "sections": "; ".join(" › ".join(s.path[-1:]) for s in d.sections[:3]),
        }
        for d in drift.documents
    ]


@dg.asset(
    deps=["benchmark_answers"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="2",
    check_specs=[dg.AssetCheckSpec("no_high_severity_change", asset=NAME)],
)
def corpus_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Documents, and label drift: which labels and sections changed, how much it matters."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    drift = evaluation.drift()
    first = drift.release is None
    high = [] if first else [d for d in drift.documents if d.severity == "HIGH"]
    changed = [] if first else _document_rows(drift)
    affected = [
        {
            "question": q.question_id,
            "before": q.before,
            "now": q.now,
            "same claims": "yes" if q.same_claims else "no",
        }
        for q in drift.questions
    ]
    told = (
        f"{len(high)} document(s) with a HIGH change, {len(drift.questions)} question(s) cite one"
    )
    told = "nothing released before to compare with" if first else told
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "verdict": dg.MetadataValue.md(
                f"✔ {told}" if not high else f"✘ **look at it** (stops nothing): {told}"
            ),
            "glance": glance(
                [
                    Bar(f"{kind}s {change}", float(drift.count(change, kind)), None, passed=True)
                    for kind in KINDS
                    for change in CHANGES
                ]
                + [Bar("HIGH changes", float(len(high)), None, not high)],
                "documents that came, changed and went",
                "{:.0f}",
            ),
            "summary": markdown_table(
                (
                    "",
                    "HIGH",
                    "documents",
                    "added",
                    "changed",
                    "removed",
                    "quarantined",
                    "passages",
                ),
                _summary(evaluation, drift),
            ),
            "since": drift.release or "the first release",
            "documents": plot(drift_figure(drift), "documents that came, changed and went"),
            **({"changed_documents": table(changed)} if changed else {}),
            **({"affected_questions": table(affected)} if affected else {}),
            "unchanged": drift.unchanged,
            **provenance(evaluation),
            **scores(
                "corpus",
                {
                    "high_changes": float(len(high)),
                    "affected_questions": float(len(drift.questions)),
                },
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="no_high_severity_change",
                passed=not high,
                severity=dg.AssetCheckSeverity.WARN,
                description=told,
                metadata={"high": len(high), "questions": len(drift.questions)},
            )
        ],
    )

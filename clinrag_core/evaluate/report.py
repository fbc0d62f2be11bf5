"""The full report of an evaluation as one self-contained HTML file, plots inside."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.compare import compare_pipelines
from clinrag_core.evaluate.frames import intent_frame, score_frame
from clinrag_core.evaluate.html_page import image, page, state, table
from clinrag_core.evaluate.latency import LIMIT_MS
from clinrag_core.evaluate.metrics import METRICS
from clinrag_core.evaluate.plots import (
    drift_figure,
    gate_figure,
    latency_figure,
    margin_figure,
    recall_figure,
    risk_coverage_figure,
    waterfall_figure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.evaluate.baseline import Baseline, Verdict
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.drift import Drift
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.held import Measured
    from clinrag_core.evaluate.latency import Latency
    from clinrag_core.evaluate.limits import Limit
    from clinrag_core.evaluate.safety import Safety
    from clinrag_core.evaluate.store import Retrieval

VERDICT_COLUMNS = ("metric", "accepted", "now", "delta", "95 %", "n", "verdict")
WATERFALLS = ("rrf/ndcg_at_10", "answers/supported", "answers/refused")


@dataclass(frozen=True, slots=True)
class ReportContent:
    """Everything a report shows."""

    title: str
    facts: Mapping[str, str]
    benchmark: Benchmark
    retrieval: Retrieval
    answers: Sequence[AnswerResult]
    safety: Safety
    verdicts: Sequence[Verdict]
    limits: Sequence[Limit]
    accepted: Baseline | None
    measured: Measured
    latency: Latency | None
    drift: Drift | None


def render_report(content: ReportContent) -> str:
    """The report as HTML.

    It shows the benchmark's own questions, which are synthetic; it never shows a user's.
    """
    score_rows = score_frame(content.retrieval.scores).itertuples(index=False, name=None)
    intents = intent_frame(content.retrieval.results, "rrf").itertuples(index=False, name=None)
    answer_rows = [
        [split, *answer_metrics([a for a in content.answers if a.split == split]).values()]
        for split in ("dev", "test")
    ]
    texts = {question.id: question.text for question in content.benchmark.questions}
    worst = sorted(
        (r for r in content.retrieval.results if r.pipeline == "rrf"),
        key=lambda r: (r.metrics["ndcg_at_10"], r.question_id),
    )[:25]
    worst_rows = [
        [
            r.question_id,
            texts[r.question_id],
            r.intent,
            r.split,
            r.best_rank,
            r.metrics["ndcg_at_10"],
        ]
        for r in worst
    ]
    names = list(answer_metrics([]))
    kinds = content.safety.gates.kinds
    judged = len(content.retrieval.judgements.relevant)
    asked = judged + len(content.retrieval.judgements.unjudged)
    failed = [v.metric for v in content.verdicts if not v.passed]
    failed += [limit.name for limit in content.limits if not limit.passed]
    parts = [
        state(
            f"May not be released: {', '.join(failed)}"
            if failed
            else "Every gate holds: may be released",
            passed=not failed,
        ),
        table(["", ""], content.facts.items()),
        "<h2>Against the accepted baseline (test split)</h2>",
        f"<p>{_told(content.accepted)}</p>",
        table(
            VERDICT_COLUMNS,
            [verdict_row(v) for v in content.verdicts],
            failed=[row for row, v in enumerate(content.verdicts) if not v.passed],
        ),
        image(
            waterfall_figure(content.accepted, content.measured, WATERFALLS), "change per question"
        ),
        "<h2>Absolute limits</h2>",
        table(
            ["limit", "value", "must be", "n", "state", ""],
            [
                (
                    limit.name,
                    limit.value,
                    f"{'at least' if limit.at_least else 'at most'} {limit.limit:g}",
                    limit.n,
                    "holds" if limit.passed else "broken",
                    limit.description,
                )
                for limit in content.limits
            ],
            failed=[row for row, limit in enumerate(content.limits) if not limit.passed],
        ),
        *(_drift_parts(content.drift) if content.drift else ()),
        f"<p>This corpus can judge {judged} of {asked} questions to answer. "
        "Only the test split may be quoted: settings are chosen on dev.</p>",
        "<h2>Retrieval</h2>",
        table(["questions on", "split", "pipeline", "n", *METRICS], score_rows),
        image(recall_figure(content.retrieval), "recall at k per pipeline"),
        "<h2>Pipelines against RRF (nDCG@10, test split)</h2>",
        "<p>Paired by question: 95 % interval by bootstrap, Fisher randomisation test, Holm.</p>",
        table(
            ["questions on", "pipeline", "n", "mean", "delta", "low", "high", "p", "p (Holm)"],
            [
                (c.part, c.pipeline, c.questions, c.mean, c.delta, c.low, c.high, c.p, c.p_holm)
                for c in compare_pipelines(content.retrieval.results, "ndcg_at_10", "rrf")
            ],
        ),
        "<h2>By intent (rrf, test split)</h2>",
        table(["intent", "n", "nDCG@10", "recall@10"], intents),
        "<h2>Answers</h2>",
        table(["split", *names], answer_rows),
        image(margin_figure(content.answers), "confidence above threshold"),
        image(risk_coverage_figure(content.answers), "risk over coverage"),
        "<h2>Safety</h2>",
        table(
            ["mutation", "critical", "mutants", "rejected", "kill rate"],
            [(k.kind, "yes" if k.critical else "", k.mutants, k.rejected, k.rate) for k in kinds],
        ),
        image(gate_figure(content.safety.gates), "mutants rejected per gate"),
        table(["", ""], content.safety.metrics().items()),
        *(_latency_parts(content.latency) if content.latency else ()),
        "<h2>Worst questions</h2>",
        table(["id", "question", "intent", "split", "best rank", "nDCG@10"], worst_rows),
    ]
    return page(content.title, parts)


def verdict_row(verdict: Verdict) -> tuple[str | float | int | None, ...]:
    """A verdict under `VERDICT_COLUMNS`."""
    interval = (
        f"{verdict.low:+.3f} to {verdict.high:+.3f}"
        if verdict.low is not None and verdict.high is not None
        else None
    )
    delta = f"{verdict.delta:+.3f}" if verdict.delta is not None else None
    values = (verdict.metric, verdict.accepted, verdict.now, delta, interval, verdict.questions)
    return (*values, verdict.verdict)


def _told(accepted: Baseline | None) -> str:
    if accepted is None:
        return "Nobody has accepted a baseline for this corpus yet."
    words = f"Baseline {accepted.id}, accepted by {accepted.author}: {accepted.reason}"
    return html.escape(words)


def _drift_parts(drift: Drift) -> list[str]:
    since = f"since release {drift.release}" if drift.release else "before the first release"
    parts = [f"<h2>Documents {html.escape(since)}</h2>"]
    if not drift.documents or drift.release is None:
        return [*parts, f"<p>{len(drift.documents)} documents, {drift.unchanged} unchanged.</p>"]
    return [
        *parts,
        image(drift_figure(drift), "documents that came, changed and went"),
        table(
            ["document", "kind", "change", "from", "to", "severity", "sections"],
            [
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
            ],
        ),
        "<h3>Questions that cite a document with a HIGH change</h3>",
        table(
            ["question", "before", "now", "same claims"],
            [
                (q.question_id, q.before, q.now, "yes" if q.same_claims else "no")
                for q in drift.questions
            ],
        ),
    ]


def _latency_parts(latency: Latency) -> list[str]:
    return [
        "<h2>Latency on the machine that built it</h2>",
        image(latency_figure(latency, LIMIT_MS), "share of answers over milliseconds"),
        table(["", "ms"], latency.metrics().items()),
    ]

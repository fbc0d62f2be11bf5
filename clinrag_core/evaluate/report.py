"""The full report of an evaluation as one self-contained HTML file, plots inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.compare import compare_pipelines
from clinrag_core.evaluate.frames import intent_frame, score_frame
from clinrag_core.evaluate.html_page import image, page, table
from clinrag_core.evaluate.metrics import METRICS
from clinrag_core.evaluate.plots import (
    gate_figure,
    margin_figure,
    recall_figure,
    risk_coverage_figure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.safety import Safety
    from clinrag_core.evaluate.store import Retrieval


def render_report(
    *,
    title: str,
    facts: Mapping[str, str],
    benchmark: Benchmark,
    retrieval: Retrieval,
    answers: Sequence[AnswerResult],
    safety: Safety,
) -> str:
    """The report as HTML.

    It shows the benchmark's own questions, which are synthetic; it never shows a user's.
    """
    score_rows = score_frame(retrieval.scores).itertuples(index=False, name=None)
    intents = intent_frame(retrieval.results, "rrf").itertuples(index=False, name=None)
    answer_rows = [
        [split, *answer_metrics([a for a in answers if a.split == split]).values()]
        for split in ("dev", "test")
    ]
    texts = {question.id: question.text for question in benchmark.questions}
    worst = sorted(
        (r for r in retrieval.results if r.pipeline == "rrf"),
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
    kinds = safety.gates.kinds
    judged = len(retrieval.judgements.relevant)
    asked = judged + len(retrieval.judgements.unjudged)
    parts = [
        table(["", ""], facts.items()),
        f"<p>This corpus can judge {judged} of {asked} questions to answer. "
        "Only the test split may be quoted: settings are chosen on dev.</p>",
        "<h2>Retrieval</h2>",
        table(["questions on", "split", "pipeline", "n", *METRICS], score_rows),
        image(recall_figure(retrieval), "recall at k per pipeline"),
        "<h2>Pipelines against RRF (nDCG@10, test split)</h2>",
        "<p>Paired by question: 95 % interval by bootstrap, Fisher randomisation test, Holm.</p>",
        table(
            ["questions on", "pipeline", "n", "mean", "delta", "low", "high", "p", "p (Holm)"],
            [
                (c.part, c.pipeline, c.questions, c.mean, c.delta, c.low, c.high, c.p, c.p_holm)
                for c in compare_pipelines(retrieval.results, "ndcg_at_10", "rrf")
            ],
        ),
        "<h2>By intent (rrf, test split)</h2>",
        table(["intent", "n", "nDCG@10", "recall@10"], intents),
        "<h2>Answers</h2>",
        table(["split", *names], answer_rows),
        image(margin_figure(answers), "confidence above threshold"),
        image(risk_coverage_figure(answers), "risk over coverage"),
        "<h2>Safety</h2>",
        table(
            ["mutation", "critical", "mutants", "rejected", "kill rate"],
            [(k.kind, "yes" if k.critical else "", k.mutants, k.rejected, k.rate) for k in kinds],
        ),
        image(gate_figure(safety.gates), "mutants rejected per gate"),
        table(["", ""], safety.metrics().items()),
        "<h2>Worst questions</h2>",
        table(["id", "question", "intent", "split", "best rank", "nDCG@10"], worst_rows),
    ]
    return page(title, parts)

"""The full report of an evaluation as one self-contained HTML file, plots inside."""

from __future__ import annotations

import base64
import html
import io
import math
from typing import TYPE_CHECKING

from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.frames import intent_frame, score_frame
from clinrag_core.evaluate.metrics import METRICS
from clinrag_core.evaluate.plots import confidence_figure, recall_figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.store import Retrieval

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8884; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; background: white; border-radius: 4px; }
"""


def render_report(
    *,
    title: str,
    facts: Mapping[str, str],
    benchmark: Benchmark,
    retrieval: Retrieval,
    answers: Sequence[AnswerResult],
    threshold: float,
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
    judged = len(retrieval.judgements.relevant)
    asked = judged + len(retrieval.judgements.unjudged)
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        _table(["", ""], facts.items()),
        f"<p>This corpus can judge {judged} of {asked} questions to answer. "
        "Only the test split may be quoted: settings are chosen on dev.</p>",
        "<h2>Retrieval</h2>",
        _table(["questions on", "split", "pipeline", "n", *METRICS], score_rows),
        _image(recall_figure(retrieval), "recall at k per pipeline"),
        "<h2>By intent (rrf, test split)</h2>",
        _table(["intent", "n", "nDCG@10", "recall@10"], intents),
        "<h2>Answers</h2>",
        _table(["split", *names], answer_rows),
        _image(confidence_figure(answers, threshold), "confidence"),
        "<h2>Worst questions</h2>",
        _table(["id", "question", "intent", "split", "best rank", "nDCG@10"], worst_rows),
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}'
        f"</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    lines = ["".join(f"<td>{_cell(value)}</td>" for value in row) for row in rows]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else "-"
    return "-" if value is None else html.escape(str(value))


def _image(figure: Figure, alt: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<p><img alt="{html.escape(alt)}" src="data:image/png;base64,{data}"></p>'

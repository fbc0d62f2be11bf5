"""Pictures of an evaluation, small enough for the Dagster UI and readable on light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.store import Retrieval

COLOURS = {
    "bm25": "#c8553d",
    "dense": "#3d6fb6",
    "rrf": "#2e8b57",
    "weighted": "#8a5fbf",
    "boosted": "#c79a2b",
}
RECALL_AT = (1, 3, 5, 10, 20, 50, 100)


def panels(columns: int, width: float = 3.2) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side, white so that it reads on a dark page too."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width * columns, 2.8), facecolor="white", layout="constrained")
    axes = [figure.add_subplot(1, columns, i + 1) for i in range(columns)]
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def recall_figure(retrieval: Retrieval) -> Figure:
    """Mean recall at k of each pipeline, one panel per slice, on the test split."""
    slices = sorted({score.slice for score in retrieval.scores})
    figure, axes = panels(max(len(slices), 1))
    relevant = retrieval.judgements.relevant
    for ax, name in zip(axes, slices, strict=False):
        questions = sorted(
            {r.question_id for r in retrieval.results if r.slice == name and r.split == "test"}
        )
        for pipeline, run in retrieval.runs.items():
            means = [
                sum(
                    len(set(run.get(q, [])[:k]) & set(relevant[q])) / len(relevant[q])
                    for q in questions
                )
                / max(len(questions), 1)
                for k in RECALL_AT
            ]
            ax.plot(RECALL_AT, means, marker="o", ms=3, label=pipeline, color=COLOURS[pipeline])
        ax.set_xscale("log")
        ax.set_xticks([1, 5, 10, 100], ["1", "5", "10", "100"])
        ax.set_ylim(0, 1)
        ax.set_title(f"{name} (n={len(questions)})", fontsize=9)
        ax.set_xlabel("k", fontsize=8)
    axes[0].set_ylabel("recall at k, test split", fontsize=8)
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def confidence_figure(answers: Sequence[AnswerResult], threshold: float) -> Figure:
    """Confidence of questions to answer and to refuse, with the threshold between them."""
    figure, (ax,) = panels(1, width=5.5)
    bins = [i / 20 for i in range(21)]
    for expect, colour in (("answer", "#2e8b57"), ("refuse", "#c8553d")):
        values = [a.confidence for a in answers if a.judged and a.expect == expect]
        ax.hist(values, bins=bins, alpha=0.6, color=colour, label=f"to {expect} (n={len(values)})")
    ax.axvline(threshold, color="black", lw=1, ls="--", label=f"threshold {threshold}")
    ax.set_xlabel("cosine of the best passage", fontsize=8)
    ax.set_ylabel("questions", fontsize=8)
    ax.legend(fontsize=7, frameon=False)
    return figure

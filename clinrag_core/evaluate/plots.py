"""Figures of an evaluation, small enough for the Dagster UI and readable on light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.answer_metrics import risk_coverage
from clinrag_core.evaluate.nugget_figures import by_part, nugget_figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from clinrag_core.evaluate.baseline import Baseline
    from clinrag_core.evaluate.drift import Drift
    from clinrag_core.evaluate.evaluation import AnswerResult, RetrievalRuns
    from clinrag_core.evaluate.gate_rates import GateRates
    from clinrag_core.evaluate.gated_metrics import Measured
    from clinrag_core.evaluate.latency import Latency
    from clinrag_core.evaluate.nugget_metrics import NuggetResult


COLOURS = {
    "bm25": "#c8553d",
    "dense": "#3d6fb6",
    "splade": "#b0518f",
    "default": "#2e8b57",
    "own_bases": "#8fbc8f",
    "weighted": "#8a5fbf",
    "boosted": "#c79a2b",
    "rrf": "#444444",
    "multistage": "#1f9ea3",
}
SMALL = 9
"""Points; the UI shows a picture at 80 dots an inch."""
MAX_KINDS = 20
"""Kinds of question in a figure: 40 take 60,000 bytes, the most a picture may have."""
RECALL_AT = (1, 3, 5, 10, 20, 50, 100)  # depths of the curve; 10 is gated


def panels(columns: int, width: float = 3.2) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side, white so that it reads on a dark page too."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width * columns, 2.8), facecolor="white", layout="constrained")
    axes = [figure.add_subplot(1, columns, i + 1) for i in range(columns)]
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.tick_params(labelsize=SMALL)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _describe(ax: Axes, x: str, y: str = "") -> None:
    """Label the axes of a panel and add its legend."""
    ax.set_xlabel(x, fontsize=SMALL)
    ax.set_ylabel(y, fontsize=SMALL)
    if ax.get_legend_handles_labels()[0]:  # a panel without a judged question has none
        ax.legend(fontsize=SMALL, frameon=False)


def recall_figure(retrieval: RetrievalRuns) -> Figure:
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
        ax.set_title(f"{name} (n={len(questions)})", fontsize=SMALL)
        ax.set_xlabel("k", fontsize=SMALL)
    _describe(axes[0], "k", "recall at k, test split")
    return figure


def margin_figure(answers: Sequence[AnswerResult]) -> Figure:
    """Margin of questions to answer and to refuse over their threshold."""
    figure, (ax,) = panels(1, width=5.5)
    bins = [i / 20 for i in range(-12, 13)]
    for expect, colour in (("answer", "#2e8b57"), ("refuse", "#c8553d")):
        judged = [a for a in answers if a.judged and a.expect == expect]
        values = [a.margin for a in judged if a.margin is not None]
        label = f"to {expect} (n={len(judged)}, {len(judged) - len(values)} refused before)"
        ax.hist(values, bins=bins, alpha=0.6, color=colour, label=label)
    ax.axvline(0, color="black", lw=1, ls="--", label="threshold")
    _describe(ax, "confidence above its threshold", "questions")
    return figure


def risk_coverage_figure(answers: Sequence[AnswerResult]) -> Figure:
    """Risk over coverage per split, with the area under each curve."""
    figure, (ax,) = panels(1, width=4.5)
    for split, colour in (("dev", "#8a8a8a"), ("test", "#3d6fb6")):
        curve = risk_coverage([a for a in answers if a.split == split])
        ax.plot(curve.coverage, curve.risk, color=colour, label=f"{split}, AURC {curve.aurc:.3f}")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    _describe(ax, "coverage", "risk")
    return figure


def nugget_figure(results: Sequence[NuggetResult]) -> Figure:
    """Vital recall and complete answers of the commonest kinds of question, on the test split."""
    test = [r for r in results if r.split == "test" and r.expect == "answer"]
    kinds = by_part(test, lambda result: result.kind)
    shown = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind))[:MAX_KINDS]
    names = [f"{kind} ({len(kinds[kind])})" for kind in reversed(shown)]
    figures = [
        {figure.name: figure.value or 0.0 for figure in nugget_figures(kinds[kind])}
        for kind in reversed(shown)
    ]
    figure, (ax,) = panels(1, width=6.0)
    figure.set_figheight(max(2.8, 0.24 * len(shown)))
    recall = [values["vital_recall"] for values in figures]
    ax.barh(names, recall, color="#3d6fb6", label="vital nuggets said")
    complete = [values["complete"] for values in figures]
    ax.plot(complete, names, "o", color="#c8553d", ms=5, label="complete answers")
    ax.set_xlim(0, 1)
    _describe(ax, "share, test split")
    return figure


def gate_figure(rates: GateRates) -> Figure:
    """Mutants rejected by each gate."""
    figure, (ax,) = panels(1, width=5.0)
    names = sorted(rates.by_gate, key=lambda name: rates.by_gate[name])
    ax.barh(names, [rates.by_gate[name] for name in names], color="#3d6fb6")
    ax.set_xlabel(f"of {rates.mutants} mutants rejected", fontsize=SMALL)
    return figure


def waterfall_figure(accepted: Baseline | None, now: Measured, metrics: Sequence[str]) -> Figure:
    """Per question, how far each metric is from the accepted baseline, best to worst."""
    figure, axes = panels(len(metrics), width=2.8)
    for ax, metric in zip(axes, metrics, strict=True):
        values = now.values.get(metric, {})
        base = accepted.evaluated.measured.values.get(metric, {}) if accepted else {}
        deltas = sorted((values[q] - base[q] for q in values.keys() & base.keys()), reverse=True)
        colours = ["#2e8b57" if delta > 0 else "#c8553d" for delta in deltas]
        ax.bar(range(len(deltas)), deltas, width=1.0, color=colours)
        same = sum(delta == 0 for delta in deltas)
        ax.set_title(f"{metric}\n{same} of {len(deltas)} the same", fontsize=SMALL)
        if same == len(deltas):
            note = "no question changed" if deltas else "nothing to compare with"
            ax.text(0.5, 0.6, note, transform=ax.transAxes, ha="center", fontsize=SMALL)
        ax.set_ylim(-1.05, 1.05)
        ax.axhline(0, color="black", lw=0.8)
        ax.set_xlabel("questions, best change first", fontsize=SMALL)
    axes[0].set_ylabel("change against accepted", fontsize=SMALL)
    return figure


def latency_figure(latency: Latency, limit: float) -> Figure:
    """Return the share of answers that took at most so long, per stage."""
    figure, (ax,) = panels(1, width=5.0)
    for name, values in sorted(latency.stages.items()):
        ordered = sorted(values)
        shares = [(i + 1) / len(ordered) for i in range(len(ordered))]
        ax.step(ordered, shares, where="post", label=name, lw=2 if name == "ask" else 1)
    ax.axvline(limit, color="black", lw=1, ls="--", label=f"limit {limit:g} ms")
    ax.set(xscale="log", ylim=(0, 1))
    _describe(ax, "milliseconds", "share of questions")
    return figure


def drift_figure(drift: Drift) -> Figure:
    """Return how many labels and guidelines were added, removed or changed since the release."""
    figure, (ax,) = panels(1, width=4.5)
    kinds = ("guideline", "label")
    left = [0, 0]
    for change, colour in (("added", "#2e8b57"), ("changed", "#c79a2b"), ("removed", "#c8553d")):
        counts = [drift.count(change, kind) for kind in kinds]
        ax.barh(["guidelines", "labels"], counts, left=left, color=colour, label=change)
        left = [a + b for a, b in zip(left, counts, strict=True)]
    _describe(ax, f"documents; {drift.unchanged} unchanged")
    return figure

"""The part of the answer report on nuggets and traps: figures, by kind, the worst questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.nugget_answers import missing_nuggets
from clinrag_core.evaluate.nugget_figures import by_part, dose_figures, nugget_figures
from clinrag_core.evaluate.plots import nugget_figure
from clinrag_core.evaluate.report import figure_block, finite, table_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.nugget_figures import NuggetFigure
    from clinrag_core.evaluate.nugget_metrics import NuggetResult
    from clinrag_core.evaluate.nuggets import NuggetQuestion
    from clinrag_core.evaluate.report import Block, TableBlock

WORST = 10  # questions that the page shows; the JSON has all
SHOWN = ("vital_recall", "complete", "relevant_claims", "wrongly_refused", "words", "traps_said")


def nugget_metrics(results: Sequence[NuggetResult]) -> dict[str, float]:
    """Flat figures by path, as `nuggets/test/vital_recall`; what cannot be judged is left out."""
    metrics: dict[str, float] = {}
    for split, members in by_part(results, lambda result: result.split).items():
        figures = (*nugget_figures(members), *dose_figures(members))
        values = {f.name: f.value for f in figures if f.value is not None}
        metrics |= finite(f"nuggets/{split}", values)
    return metrics


def nugget_blocks(results: Sequence[NuggetResult], benchmark: Benchmark) -> tuple[Block, ...]:
    """Return blocks on the nugget questions; none if this corpus can be judged by none."""
    if not results:
        return ()
    on_doses = [r for r in results if r.usual_dose is not None]
    return (
        _figures("nuggets", "Nuggets and traps (only test may be quoted)", results, nugget_figures),
        *([_dose_table(on_doses)] if on_doses else []),
        figure_block("nuggets_by_kind", "vital nuggets said, by kind", nugget_figure(results)),
        _parts(results),
        _worst(results, benchmark),
    )


def _figures(
    name: str,
    title: str,
    results: Sequence[NuggetResult],
    figures: Callable[[Sequence[NuggetResult]], tuple[NuggetFigure, ...]],
) -> TableBlock:
    """Return a table of some figures of both splits, each with its interval."""
    return table_block(
        name,
        title,
        ("figure", "split", "value", "low", "high", "n"),
        [
            (figure.name.replace("_", " "), split, figure.value, figure.low, figure.high, figure.n)
            for split, members in by_part(results, lambda result: result.split).items()
            for figure in figures(members)
        ],
    )


def _dose_table(results: Sequence[NuggetResult]) -> TableBlock:
    """Return the figures of the questions for a drug's usual dose."""
    return _figures(
        "usual_doses", "'What is the dose of X?', for every drug", results, dose_figures
    )


def _parts(results: Sequence[NuggetResult]) -> TableBlock:
    """Return the main figures by kind and by topic, on the test split."""
    test = [r for r in results if r.split == "test"]
    rows: list[tuple[object, ...]] = []
    for name, parts in (
        ("kind", by_part(test, lambda result: result.kind)),
        ("topic", by_part(test, lambda result: result.topic)),
    ):
        for part, members in parts.items():
            values = {figure.name: figure.value for figure in nugget_figures(members)}
            rows.append((f"{name}: {part}", len(members), *(values[column] for column in SHOWN)))
    columns = ("questions", "n", *(name.replace("_", " ") for name in SHOWN))
    return table_block("nuggets_by_part", "By kind and topic (test split)", columns, rows)


def _worst(results: Sequence[NuggetResult], benchmark: Benchmark) -> TableBlock:
    """Return the worst questions: traps first, then fewest vital nuggets; with what is missing."""
    questions = {question.id: question for question in benchmark.nuggets}
    judged = [r for r in results if r.expect == "answer" or r.answered or r.traps_said]
    worst = sorted(judged, key=lambda r: (-len(r.traps_said), r.recall, -r.vital, r.question_id))
    texts = ("text", "should have come", "from", "was said", "traps said", "said at", "from at")
    return table_block(
        "worst_answers",
        "Worst answers, traps first",
        ("question", "kind", "split", "recall", "traps", "status", *texts),
        [
            (
                r.question_id,
                r.kind,
                r.split,
                r.recall if r.expect == "answer" else None,
                len(r.traps_said),
                r.reason or r.status,
                *_texts(questions[r.question_id], r),
            )
            for r in worst[:WORST]
        ],
        page_columns=texts,
    )


def _texts(question: NuggetQuestion, result: NuggetResult) -> tuple[str, ...]:
    """Question, nuggets that are missing, their documents, what was said, traps, and the places."""
    missing = missing_nuggets(question, result)
    traps = [question.traps[number] for number in result.traps_said]
    return (
        question.text,
        "a refusal"
        if question.expect == "refuse"
        else _lines(" + ".join(n.terms) for n in missing),
        _lines(nugget.document for nugget in missing),
        _lines(result.claims),
        _lines(f"{' + '.join(trap.terms)} ({trap.why})" for trap in traps),
        _lines(result.said_at),
        _lines(result.missing_at),
    )


def _lines(texts: Iterable[str]) -> str:
    """Return texts one after the other in one cell."""
    return " ¶ ".join(" ".join(text.split()) for text in texts)

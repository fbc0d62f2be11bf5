"""Scores and answers as data frames: one tidy row each, for tables, files and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from clinrag_core.evaluate.evaluation import AnswerResult, QuestionResult, Score


def score_frame(scores: Sequence[Score]) -> pd.DataFrame:
    """One row per slice, split and pipeline: `questions` and a column per metric, sorted."""
    import pandas as pd

    rows = [
        {"slice": s.slice, "split": s.split, "pipeline": s.pipeline, "questions": s.questions}
        | s.metrics
        for s in scores
    ]
    return pd.DataFrame(rows).sort_values(["slice", "split", "pipeline"], ignore_index=True)


def question_frame(results: Sequence[QuestionResult]) -> pd.DataFrame:
    """One row per question and pipeline: ids, best rank and metrics; no question text."""
    import pandas as pd

    rows = [r.model_dump(exclude={"metrics"}) | r.metrics for r in results]
    frame = pd.DataFrame(rows)
    frame["best_rank"] = frame["best_rank"].astype("Int64")
    return frame.sort_values(["question_id", "pipeline"], ignore_index=True)


def intent_frame(results: Sequence[QuestionResult], pipeline: str) -> pd.DataFrame:
    """Mean nDCG@10 and recall@10 of one pipeline per intent on the test split, worst first."""
    frame = question_frame(results)
    chosen = frame[(frame["pipeline"] == pipeline) & (frame["split"] == "test")]
    means = chosen.groupby("intent").agg(
        questions=("question_id", "size"),
        ndcg_at_10=("ndcg_at_10", "mean"),
        recall_at_10=("recall_at_10", "mean"),
    )
    return means.sort_values(["ndcg_at_10", "questions"]).reset_index()


def answer_frame(answers: Sequence[AnswerResult]) -> pd.DataFrame:
    """One row per question: what was expected, what happened, how sure; no text."""
    import pandas as pd

    frame = pd.DataFrame([a.model_dump(exclude={"answer"}) for a in answers])
    frame["citations"] = [len(a.answer.citations) for a in answers]
    return frame.sort_values("question_id", ignore_index=True)

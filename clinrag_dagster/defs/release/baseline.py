"""The accepted baseline, which only a promotion with an author and a reason changes."""

import dagster as dg
from pydantic import Field

from clinrag_core.errors import BaselineError
from clinrag_core.pipeline.baselines import promote
from clinrag_dagster.metadata import OWNERS, summary
from clinrag_dagster.resources import ClinragResource


class BaselinePromotion(dg.Config):
    """Who accepts the newest evaluation, and why."""

    author: str = Field(description="who decides")
    reason: str = Field(description="why this evaluation is good enough to measure others by")
    accept_loss: bool = Field(
        default=False, description="accept that a metric fell or questions were lost"
    )


@dg.asset(
    deps=["benchmark", "retrieval_runs", "benchmark_answers", "safety_report"],
    group_name="baseline",
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
)
def accepted_baseline(clinrag: ClinragResource, config: BaselinePromotion) -> dg.MaterializeResult:
    """The evaluation that candidates are compared with; a reviewed record in `baselines/`."""
    try:
        baseline = promote(
            clinrag.pipeline(),
            author=config.author,
            reason=config.reason,
            accept_loss=config.accept_loss,
        )
    except BaselineError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    values = baseline.evaluated.measured.values
    rows = [(name, sum(v.values()) / len(v), len(v)) for name, v in values.items() if v]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(baseline.id),
        metadata={
            "summary": summary(("metric", "accepted", "n"), rows),
            "baseline": baseline.id,
            "author": baseline.author,
            "reason": baseline.reason,
            "evaluation": baseline.evaluated.evaluation,
            "git_commit": baseline.evaluated.commit or "not a checkout",
        },
    )

"""The release: candidates whose blocking checks passed in this run, served by one pointer flip."""

import logging

import dagster as dg

from clinrag_core.build.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, markdown_table
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)


def release_asset(candidates: list[str]) -> dg.AssetsDefinition:
    """The release asset over some candidates, by asset name.

    It depends on the candidates and the reports, so that a failing blocking check of any of them
    stops it in the same run.
    """

    @dg.asset(
        name="release",
        deps=[*candidates, "retrieval_report", "thresholds", "answer_report", "safety_report"],
        group_name="release",
        kinds={"file"},
        owners=OWNERS,
        code_version="1",
    )
    def release(clinrag: ClinragResource) -> dg.MaterializeResult:
        """What the engine serves: both knowledge bases with the evaluation they passed."""
        published = CandidateEvaluation(clinrag.pipeline()).release()
        logger.info("released %s", published.id)
        return dg.MaterializeResult(
            data_version=dg.DataVersion(published.fingerprint),
            metadata={
                "release": published.id,
                "sequence": published.sequence,
                "summary": markdown_table(
                    ("knowledge base", "fingerprint"), sorted(published.knowledge_bases.items())
                ),
                "encoder_fingerprint": published.encoder,
                "evaluation": published.evaluation or "none",
            },
        )

    return release

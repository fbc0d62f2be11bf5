"""The release: candidates whose blocking checks passed in this very run, by one pointer flip.

Materialising it alone releases nothing: checks of another run say nothing of what lies there now.
"""

import logging

import dagster as dg

from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.reports import keep_report
from clinrag_core.revision import git_commit
from clinrag_dagster.gates import ReleaseGates, lineage, passed_checks, recorded_texts
from clinrag_dagster.metadata import OWNERS, markdown_table
from clinrag_dagster.profile import candidate_names
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
REPORTS = ("retrieval_report", "answer_report", "safety_report")


def _release_asset() -> dg.AssetsDefinition:
    """Return the release asset, whose inputs carry the encoder's name."""

    @dg.asset(
        name="release",
        deps=[*candidate_names(), "thresholds", *REPORTS, "report_page"],
        group_name="release",
        kinds={"file"},
        owners=OWNERS,
        code_version="2",
    )
    def release(
        context: dg.AssetExecutionContext,
        clinrag: ClinragResource,
        release_gates: dg.ResourceParam[ReleaseGates],
    ) -> dg.MaterializeResult:
        """What the engine serves: both knowledge bases with the evaluation they passed."""
        runs = lineage(context.instance, context.run)
        missing = release_gates.required - passed_checks(context.instance, runs)
        if missing or not release_gates.required:
            names = sorted(f"{k.asset_key.to_user_string()}: {k.name}" for k in missing)
            raise dg.Failure(
                "not released: these checks have not passed in this run: "
                f"{', '.join(names) or 'none is defined'}; run the job build_release",
                allow_retries=False,
            )
        evaluation = CandidateEvaluation(clinrag.pipeline())
        recorded = recorded_texts(context.instance, runs)
        candidates = {
            f"{name}_candidate": path.name for name, path in evaluation.directories.items()
        }
        built = {name: recorded.get(name, {}).get("fingerprint") for name in candidates}
        evaluated = {recorded.get(name, {}).get("evaluation") for name in REPORTS}
        if built != candidates or evaluated != {evaluation.store.fingerprint}:
            raise dg.Failure(
                "not released: another run has built other candidates since these were checked; "
                "run the job build_release again",
                allow_retries=False,
            )
        published = evaluation.release()
        kept = keep_report(evaluation, published)
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
                "report": dg.MetadataValue.path(str(kept)),
                "git_commit": git_commit() or "not a checkout",
            },
        )

    return release


@dg.definitions
def release_definitions() -> dg.Definitions:
    """Return the release of the profile's candidates."""
    return dg.Definitions(assets=[_release_asset()])

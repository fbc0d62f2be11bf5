"""The release: candidates whose blocking checks passed in this very run, by one pointer flip.

Materialising it alone releases nothing: checks of another run say nothing of what lies there now.
"""

import logging
from collections.abc import Sequence

import dagster as dg

from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.reports import keep_report
from clinrag_core.revision import git_commit
from clinrag_dagster.metadata import OWNERS, markdown_table
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
REPORTS = ("retrieval_report", "answer_report", "safety_report")


def passed_checks(instance: dg.DagsterInstance, run_id: str) -> set[dg.AssetCheckKey]:
    """Checks whose last evaluation in a run passed."""
    records = instance.get_records_for_run(
        run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION
    ).records
    passed: dict[dg.AssetCheckKey, bool] = {}
    for record in records:
        event = record.event_log_entry.dagster_event
        if event is not None:
            evaluation = event.asset_check_evaluation_data
            passed[evaluation.asset_check_key] = evaluation.passed
    return {key for key, is_passed in passed.items() if is_passed}


def made_in_run(instance: dg.DagsterInstance, run_id: str, key: str) -> dict[str, str]:
    """A text of the metadata of every asset materialised in a run, by asset name."""
    records = instance.get_records_for_run(
        run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
    ).records
    made: dict[str, str] = {}
    for record in records:
        materialization = record.asset_materialization
        value = materialization.metadata.get(key) if materialization else None
        if materialization is not None and isinstance(value, dg.TextMetadataValue):
            made[materialization.asset_key.to_user_string()] = value.value or ""
    return made


def blocking_checks(definitions: Sequence[dg.AssetsDefinition]) -> set[dg.AssetCheckKey]:
    """Keys of the blocking checks of some definitions."""
    return {spec.key for found in definitions for spec in found.check_specs if spec.blocking}


def release_asset(candidates: list[str], required: set[dg.AssetCheckKey]) -> dg.AssetsDefinition:
    """The release asset.

    Args:
        candidates: asset names of the candidates.
        required: checks that must have passed in the run that releases.
    """

    @dg.asset(
        name="release",
        deps=[*candidates, "thresholds", *REPORTS, "report_page"],
        group_name="release",
        kinds={"file"},
        owners=OWNERS,
        code_version="2",
    )
    def release(
        context: dg.AssetExecutionContext, clinrag: ClinragResource
    ) -> dg.MaterializeResult:
        """What the engine serves: both knowledge bases with the evaluation they passed."""
        missing = required - passed_checks(context.instance, context.run.run_id)
        if missing:
            names = sorted(f"{k.asset_key.to_user_string()}: {k.name}" for k in missing)
            raise dg.Failure(
                "not released: these checks have not passed in this run: "
                f"{', '.join(names)}; run the job build_release",
                allow_retries=False,
            )
        evaluation = CandidateEvaluation(clinrag.pipeline())
        built = made_in_run(context.instance, context.run.run_id, "fingerprint")
        checked = made_in_run(context.instance, context.run.run_id, "evaluation")
        now = {f"{name}_candidate": path.name for name, path in evaluation.directories.items()}
        if {name: built.get(name) for name in now} != now or {
            checked.get(name) for name in REPORTS
        } != {evaluation.store.fingerprint}:
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

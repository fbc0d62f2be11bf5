"""The release: candidates whose gates passed in this run, published by one pointer flip.

Materialising it alone releases nothing: checks of another run say nothing about what is on disk
now. A run that is re-executed from its failure continues the run it re-executes.
"""

import logging

import dagster as dg

from clinrag_core.pipeline.release import publish_release
from clinrag_core.revision import git_commit
from clinrag_dagster.gates import (
    ReleaseGates,
    changed_since,
    lineage,
    passed_checks,
    recorded_texts,
)
from clinrag_dagster.metadata import OWNERS, summary
from clinrag_dagster.profile import stage_inputs
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
NAME = "release"


def _release_asset() -> dg.AssetsDefinition:
    """Return the release asset, whose inputs carry the encoder's name."""
    inputs = stage_inputs(NAME)

    @dg.asset(
        name=NAME,
        deps=inputs,
        group_name="release",
        kinds={"file"},
        owners=OWNERS,
        code_version="3",
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
        pipeline = clinrag.pipeline()
        changed = changed_since(pipeline, inputs, recorded_texts(context.instance, runs))
        if changed:
            raise dg.Failure(
                f"not released: changed since the checks of this run: {', '.join(changed)}; "
                "run the job build_release again",
                allow_retries=False,
            )
        published, page = publish_release(pipeline)
        logger.info("released %s", published.id)
        return dg.MaterializeResult(
            data_version=dg.DataVersion(published.fingerprint),
            metadata={
                "release": published.id,
                "sequence": published.sequence,
                "summary": summary(
                    ("knowledge base", "fingerprint"), sorted(published.knowledge_bases.items())
                ),
                "encoder_fingerprint": published.encoder,
                "evaluation": published.evaluation or "none",
                "high_changes": len(published.changes),
                "report": dg.MetadataValue.path(str(page)),
                "git_commit": git_commit() or "not a checkout",
            },
        )

    return release


@dg.definitions
def release_definitions() -> dg.Definitions:
    """Return the release of the profile's candidates."""
    return dg.Definitions(assets=[_release_asset()])

"""What must agree before a release: the blocking checks, and what exactly they checked.

Re-executing a failed run from its failure continues that run, so what its ancestors recorded
counts as well. Checks of any other run say nothing about what is on disk now.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import dagster as dg

from clinrag_core.evaluate.report import Report
from clinrag_core.pipeline.baselines import baseline_store
from clinrag_core.pipeline.outputs import Output
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import REPORTS
from clinrag_core.workspace import fingerprint

BASELINE = "baseline"
NONE = "none"
GATES = "release_gates"
"""Name of the resource. It takes no run configuration, so no launch can change the gates."""
GATED_GROUPS = frozenset({"knowledge_bases", "evaluation", "release"})
"""Asset groups of the release job; their blocking checks must pass."""


class ReleaseGates(NamedTuple):
    """Blocking checks that must have passed before anything is released."""

    required: frozenset[dg.AssetCheckKey]

    @classmethod
    def of(cls, definitions: dg.Definitions) -> "ReleaseGates":
        """Return every blocking check on an asset of the release job."""
        assets = [
            item
            for item in [*(definitions.assets or ()), *(definitions.asset_checks or ())]
            if isinstance(item, dg.AssetsDefinition)
        ]
        groups = {key: name for item in assets for key, name in item.group_names_by_key.items()}
        return cls(
            frozenset(
                spec.key
                for item in assets
                for spec in item.check_specs
                if spec.blocking and groups.get(spec.asset_key) in GATED_GROUPS
            )
        )


def lineage(instance: dg.DagsterInstance, run: dg.DagsterRun) -> list[str]:
    """Return the ids of a run and of the runs it re-executes, root first.

    Only runs of the same job count: a re-execution continues its parent.
    """
    ids: list[str] = []
    current: dg.DagsterRun | None = run
    while current is not None and current.job_name == run.job_name and current.run_id not in ids:
        ids.insert(0, current.run_id)
        parent = current.parent_run_id
        current = instance.get_run_by_id(parent) if parent else None
    return ids


def passed_checks(instance: dg.DagsterInstance, run_ids: Sequence[str]) -> set[dg.AssetCheckKey]:
    """Return the checks whose last evaluation in these runs passed.

    Args:
        instance: with the event log.
        run_ids: from the oldest run to the newest.
    """
    passed: dict[dg.AssetCheckKey, bool] = {}
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    for run_id in run_ids:
        for record in instance.get_records_for_run(run_id, of_type=kind).records:
            if (event := record.event_log_entry.dagster_event) is not None:
                evaluation = event.asset_check_evaluation_data
                passed[evaluation.asset_check_key] = evaluation.passed
    return {key for key, is_passed in passed.items() if is_passed}


def recorded_texts(
    instance: dg.DagsterInstance, run_ids: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return the text metadata of the last materialisation of each asset in these runs."""
    texts: dict[str, dict[str, str]] = {}
    kind = dg.DagsterEventType.ASSET_MATERIALIZATION
    for run_id in run_ids:
        for record in instance.get_records_for_run(run_id, of_type=kind).records:
            materialization = record.asset_materialization
            if materialization is not None:
                texts[materialization.asset_key.to_user_string()] = {
                    name: value.value or ""
                    for name, value in materialization.metadata.items()
                    if isinstance(value, dg.TextMetadataValue)
                }
    return texts


def baseline_of(report: Report) -> str | None:
    """Return the baseline that a report's gates compared with; None if it has no such gate."""
    ids = [check.figures[BASELINE] for check in report.checks if BASELINE in check.figures]
    return str(ids[0]) if ids else None


def acceptance_digest(pipeline: Pipeline) -> str:
    """Return a digest of the limits that gates are judged by."""
    return fingerprint(pipeline.settings.acceptance.model_dump(mode="json"))


def changed_since(
    pipeline: Pipeline, inputs: Sequence[str], recorded: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return what has changed since the checks of a run judged it.

    Args:
        pipeline: of the profile; its stored outputs are what a release would publish.
        inputs: assets that the release reads.
        recorded: text metadata by asset, of the run that checked them.
    """
    home = pipeline.workspace.home
    stored = {name: Output(home, name, object).read().digest for name in inputs}
    changed = [name for name in inputs if recorded.get(name, {}).get("digest") != stored[name]]
    reports = [recorded.get(name, {}) for name in REPORTS]
    accepted = baseline_store(pipeline).accepted()
    against = {texts[BASELINE] for texts in reports if texts.get(BASELINE, NONE) != NONE}
    evaluation = pipeline.benchmark_answers.read().value.evaluated.fingerprint
    if accepted and accepted.provisional and accepted.evaluated.evaluation == evaluation:
        against |= {accepted.id}  # kept by an attempt to release this very evaluation
    if against != ({accepted.id} if accepted else set()):
        changed.append("the accepted baseline")
    if {texts.get("acceptance") for texts in reports} != {acceptance_digest(pipeline)}:
        changed.append("the limits of the profile")
    return changed

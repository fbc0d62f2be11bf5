"""When an asset outside the release chain is materialised again automatically.

The release chain itself is started by schedules and sensors, as one run whose checks decide. Assets
downstream of it (users' documents follow the release's encoder) follow their sources.
"""

import dagster as dg


def follows_its_sources() -> dg.AutomationCondition:
    """Return a condition: a source has new data, the asset's code changed, or it failed.

    Latched: a change stays pending until a run was requested, so one that comes while a source is
    missing or in progress is not lost. Gated: while a blocking check of a source fails no run is
    requested, and the change waits (`AutomationCondition.eager` does not wait). A failure is
    retried once.
    """
    changed = dg.AutomationCondition.any_deps_updated().replace(
        "newly_updated", dg.AutomationCondition.data_version_changed()
    )
    pending = changed.since(
        dg.AutomationCondition.newly_requested() | dg.AutomationCondition.initial_evaluation()
    )
    wanted = (
        pending
        | dg.AutomationCondition.code_version_changed()
        | dg.AutomationCondition.newly_missing()
        | dg.AutomationCondition.execution_failed().newly_true()
    )
    ready = (
        ~dg.AutomationCondition.any_deps_missing()
        & ~dg.AutomationCondition.any_deps_in_progress()
        & ~dg.AutomationCondition.in_progress()
        & dg.AutomationCondition.all_deps_blocking_checks_passed()
    )
    return wanted & ready


automation = dg.AutomationConditionSensorDefinition(
    "automation",
    target=dg.AssetSelection.all(),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Materialises assets outside the release chain again when their sources changed.",
)

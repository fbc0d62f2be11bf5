"""When an asset beside the release chain is made again without anybody asking.

The release chain itself is started by schedules and sensors, as one run whose checks decide. What
hangs behind it (users' documents follow the release's encoder) follows what it is made from.
"""

import dagster as dg


def follows_its_sources(*, gated: bool = True) -> dg.AutomationCondition:
    """Make an asset again when a source has new data, its own code changed, or it failed.

    Latched: a change stays pending until it was asked for, so one that comes while a source is
    missing or being made is not lost. Gated: while a blocking check of a source fails nothing is
    asked for, and the change waits (`AutomationCondition.eager` does not wait). A failure is tried
    once, not for ever.

    Args:
        gated: wait for the sources' blocking checks.
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
    )
    if gated:
        ready &= dg.AutomationCondition.all_deps_blocking_checks_passed()
    return wanted & ready


automation = dg.AutomationConditionSensorDefinition(
    "automation",
    target=dg.AssetSelection.all(),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Makes assets beside the release chain again when what they are made from changed.",
)

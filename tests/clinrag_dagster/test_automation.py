from collections.abc import Callable

import dagster as dg

from clinrag_core.settings import Settings
from clinrag_dagster.partitions import RANGE_END_TAG, RANGE_START_TAG
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.schedules import monthly_guidelines, weekly_labels
from clinrag_dagster.sensors import drop_folder


def test_the_schedules_ask_for_every_partition_and_retire_what_left_the_manifest(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    clinrag = resource_for(tiny_settings)
    with dg.instance_for_test() as instance:  # a schedule context wants one that can be stored
        instance.add_dynamic_partitions("drug", ["old-drug"])
        with dg.build_schedule_context(
            instance=instance, resources={"clinrag": clinrag}
        ) as context:
            (labels,) = weekly_labels(context)
            (guidelines,) = monthly_guidelines(context)
        assert (labels.tags[RANGE_START_TAG], labels.tags[RANGE_END_TAG]) == (
            "isoniazid",
            "pyrazinamide",
        )
        assert guidelines.tags[RANGE_START_TAG] == "tb-care"
        assert "old-drug" not in instance.get_dynamic_partitions("drug")


def test_a_dropped_file_asks_for_its_guideline_once_per_content(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    clinrag = resource_for(tiny_settings)
    drop = tiny_settings.home / "drop"
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(
            instance=instance,
            resources={"clinrag": clinrag},
        )
        assert drop_folder(context).skip_message == "the drop folder is empty"
        drop.mkdir(parents=True)
        (drop / "tb-care.txt").write_text("Isoniazid.")
        (drop / "unknown.pdf").write_text("?")
        (request,) = drop_folder(context).run_requests
        assert request.partition_key == "tb-care"
        (again,) = drop_folder(context).run_requests
        assert again.run_key == request.run_key
        (drop / "tb-care.txt").write_text("Rifampin.")
        (changed,) = drop_folder(context).run_requests
        assert changed.run_key != request.run_key

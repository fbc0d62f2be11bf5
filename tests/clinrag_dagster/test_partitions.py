"""What Dagster records for single partitions after a run over a range of them."""

import dagster as dg
import pytest
from dagster._core.definitions.data_version import DATA_VERSION_TAG, CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_dagster.partitions import range_tags
from clinrag_dagster.runs import execute

STAGES = ("guideline_file", "guideline_sections", "guideline_chunks")


def events(chain, asset: str) -> dict[str, list[dg.AssetMaterialization]]:
    """Materialisations of an asset by partition, oldest first."""
    by_partition: dict[str, list[dg.AssetMaterialization]] = {}
    records = chain.instance.fetch_materializations(dg.AssetKey(asset), limit=100, ascending=True)
    for record in records.records:
        event = record.asset_materialization
        by_partition.setdefault(event.partition, []).append(event)
    return by_partition


@pytest.mark.parametrize("asset", STAGES)
def test_each_partition_shows_its_own_figures_and_version(released_chain, asset: str):
    """One run over a range: its totals on every partition would describe none of them."""
    chain = released_chain
    made = events(chain, asset)
    assert {key: len(materialisations) for key, materialisations in made.items()} == {
        "tb-care": 1,
        "tb-tests": 1,
    }
    care, tests = made["tb-care"][0], made["tb-tests"][0]
    assert care.tags[DATA_VERSION_TAG].startswith(care.metadata["digest"].value)
    assert care.tags[DATA_VERSION_TAG] != tests.tags[DATA_VERSION_TAG]
    assert care.metadata != tests.metadata


def test_rows_of_a_partition_are_those_of_its_own_chunks(released_chain):
    chain = released_chain
    pipeline = Pipeline(chain.settings)
    for key, (event,) in events(chain, "guideline_chunks").items():
        stored = pipeline.partition("guideline", key).chunked()
        assert event.metadata["dagster/partition_row_count"].value == stored.chunks


def test_only_the_partition_whose_file_changed_is_out_of_date(released_chain, tiny_corpus):
    chain = released_chain
    (tiny_corpus.folder / "tb-care.txt").write_text("Care\n\nIsoniazid 300 mg daily for adults.")
    fetch = dg.define_asset_job("fetch", selection=dg.AssetSelection.assets("guideline_file"))
    defs = dg.Definitions.merge(chain.defs, dg.Definitions(jobs=[fetch]))
    execute(defs, chain.instance, "fetch", range_tags("tb-care", "tb-tests"))

    graph = chain.defs.resolve_asset_graph()

    def status(asset: str, key: str) -> str:
        context = LoadingContextForTest(chain.instance)
        resolver = CachingStaleStatusResolver(chain.instance, graph, context)
        return resolver.get_status(dg.AssetKey(asset), key).value

    assert status("guideline_sections", "tb-care") == "STALE"
    assert status("guideline_sections", "tb-tests") == "FRESH"
    chain.run_documents()
    assert {status(asset, key) for asset in STAGES for key in ("tb-care", "tb-tests")} == {"FRESH"}

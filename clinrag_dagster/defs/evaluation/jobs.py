"""Job of the published benchmarks, which no release waits for."""

import dagster as dg

published_benchmarks = dg.define_asset_job(
    "published_benchmarks",
    selection=dg.AssetSelection.groups("external_benchmarks"),
    description="Published test sets through this project's components.",
)

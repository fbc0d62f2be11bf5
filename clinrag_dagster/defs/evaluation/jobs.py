"""Jobs of the published benchmarks and of clinical notes, which no release waits for."""

import dagster as dg

published_benchmarks = dg.define_asset_job(
    "published_benchmarks",
    selection=dg.AssetSelection.groups("external_benchmarks"),
    description="Published test sets through this project's components.",
)
clinical_notes = dg.define_asset_job(
    "clinical_notes",
    selection=dg.AssetSelection.groups("clinical_notes"),
    description="Summaries and plans of a folder of clinical notes, with their citations checked.",
)

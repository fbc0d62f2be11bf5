"""The assets of documents where the profile's executor is Ray."""

from collections.abc import Callable

import pytest

from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.settings import ExecutorSettings, Settings
from clinrag_dagster.resources import ClinragResource

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")


@pytest.mark.slow
def test_the_same_assets_are_made_by_the_workers_of_ray(
    tiny_settings: Settings,
    resource_for: Callable[[Settings], ClinragResource],
    make_chain,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    executor = ExecutorSettings(kind="ray", workers=2)
    settings = tiny_settings.model_copy(update={"executor": executor})
    chain = make_chain(settings, resource_for(settings))
    try:
        partitions = chain.run_documents()
        assert ray.is_initialized()
        assert chain.run_documents() == 0
    finally:
        ray.shutdown()
        chain.instance.dispose()
    pipeline = Pipeline(settings)
    keys = {kind: pipeline.keys(kind) for kind in KINDS}
    assert partitions == sum(map(len, keys.values()))
    records = [pipeline.partition(kind, key).chunked() for kind in KINDS for key in keys[kind]]
    assert all(record is not None and record.chunks for record in records)

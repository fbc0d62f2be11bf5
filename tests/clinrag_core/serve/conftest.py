"""A released tiny corpus, and the service over it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from clinrag_core.build.evaluate import CandidateEvaluation
from clinrag_core.build.pipeline import KINDS, Pipeline
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.serve.service import service_app
from clinrag_core.settings import ServiceSettings, Settings


def _build_release(settings: Settings) -> str:
    """Everything from files to a release, without orchestration; returns the release's id."""
    pipeline = Pipeline(settings)
    for kind in KINDS:
        for key in pipeline.keys(kind):
            partition = pipeline.partition(kind, key)
            partition.record_acquired(pipeline.acquire(kind, key))
            partition.parse()
            partition.chunk(pipeline.chunker, pipeline.chunker_fingerprint)
        pipeline.embed(kind)
        pipeline.candidate(kind)
    evaluation = CandidateEvaluation(pipeline)
    evaluation.retrieval()
    evaluation.answers()
    return evaluation.release().id


@pytest.fixture
def build_release() -> Callable[[Settings], str]:
    """Builds a release from the files as they are."""
    return _build_release


@pytest.fixture
def released(tiny_settings: Settings) -> Settings:
    """Settings of a workspace with a release."""
    _build_release(tiny_settings)
    return tiny_settings


@pytest.fixture
def client_for(released: Settings):
    """Makes a client of the service; closes it at the end."""
    clients: list[TestClient] = []

    def make(keys: ApiKeys | None = None, **limits: object) -> TestClient:
        settings = released.model_copy(update={"service": ServiceSettings(**limits)})
        app = service_app(settings, keys or ApiKeys({}))
        client = TestClient(app, raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.__exit__(None, None, None)

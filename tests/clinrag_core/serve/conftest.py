"""The service over a released tiny corpus."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import ServiceSettings, Settings


@pytest.fixture
def client_for(released: Settings):
    """Makes a client of the service; closes it at the end."""
    clients: list[TestClient] = []

    def make(keys: ApiKeys | None = None, **limits: object) -> TestClient:
        settings = released.model_copy(update={"service": ServiceSettings(**limits)})
        app = service_app(settings, keys or ApiKeys({}))
        client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.__exit__(None, None, None)

"""A released tiny corpus, and the service over it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import ServiceSettings, Settings


@pytest.fixture(scope="session")
def built_home(
    make_tiny_settings, build_release: Callable[[Settings], str], tmp_path_factory
) -> Path:
    """A workspace with a release of the tiny corpus, built once; copy it to change it."""
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("built"))
    build_release(settings)
    return settings.home


@pytest.fixture
def released(tiny_settings: Settings, built_home: Path) -> Settings:
    """Settings of a workspace with a release, a copy for each test."""
    shutil.copytree(built_home, tiny_settings.home)
    return tiny_settings


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

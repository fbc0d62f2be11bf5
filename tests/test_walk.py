"""The way of a question through the code, as docs/architecture.md draws it."""

import importlib.util
import os
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import Settings

MOST_STEPS_BACK = 3
SCRIPT = Path(__file__).resolve().parents[1] / "docs" / "walk.py"


@pytest.fixture(scope="module")
def walk() -> ModuleType:
    spec = importlib.util.spec_from_file_location("walk", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def calls(walk: ModuleType, sample_settings: Settings):
    runner = CliRunner()
    environment = {**os.environ, "CLINRAG_HOME": str(sample_settings.home)}
    outputs = []

    def ask() -> None:
        outputs.append(runner.invoke(app, ["ask", walk.QUESTION], env=environment))

    ask()  # the first call imports
    found = walk.record_calls(ask)
    assert outputs[-1].exit_code == 0, outputs[-1].output
    return found


def test_no_call_goes_to_a_higher_layer(walk: ModuleType, calls) -> None:
    assert ("clinrag_core.answer.engine", "clinrag_core.answer.evidence") in calls
    assert walk.steps_back_up(calls) == []


def test_the_way_through_the_service_goes_back_up_for_its_metrics_only(
    walk: ModuleType, sample_settings: Settings
) -> None:
    def ask() -> None:
        service = service_app(sample_settings, ApiKeys({}))
        with TestClient(service, base_url="http://localhost") as client:
            answer = client.post("/v1/ask", json={"question": walk.QUESTION})
        assert answer.json()["status"] == "answered"

    ask()  # the first call imports
    found = walk.record_calls(ask)
    assert ("clinrag_core.serve.answers", "clinrag_core.users.answering") in found
    back = walk.steps_back_up(found)
    assert len(back) <= MOST_STEPS_BACK
    assert {callee for _, callee in back} == {"clinrag_core.serve.metrics"}


def test_the_page_draws_the_way_as_it_is(walk: ModuleType, calls) -> None:
    page = walk.PAGE.read_text(encoding="utf-8")
    drawn = page.split(walk.BEGIN)[1].split(walk.END)[0]
    assert set(walk.diagram(calls).splitlines()) == {
        line for line in drawn.splitlines() if line and not line.startswith("Steps")
    }, "run `python docs/walk.py`"


def test_no_box_of_the_way_is_called_from_two_sides_of_itself(walk: ModuleType) -> None:
    page = walk.PAGE.read_text(encoding="utf-8")
    drawn = page.split(walk.BEGIN)[1].split(walk.END)[0]
    called: dict[str, set[str]] = defaultdict(set)
    for line in drawn.splitlines():
        if " --> " in line:
            caller, callee = line.split(" --> ")
            called[caller.strip()].add(callee.strip())
    assert called
    TopologicalSorter(called).prepare()  # raises CycleError, with the boxes of the cycle

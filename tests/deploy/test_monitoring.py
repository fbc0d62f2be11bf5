"""Prometheus and Grafana: they read what the service has."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from clinrag_core.serve.metrics import ServiceMetrics

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
BOARD = json.loads((DEPLOY / "grafana" / "boards" / "clinrag.json").read_text())
OVERLAY = yaml.safe_load((DEPLOY / "monitoring.yaml").read_text())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PROMTOOL = shutil.which("promtool")


def exported() -> set[str]:
    """Names of every series that the service may have, with the suffixes of histograms."""
    names: set[str] = set()
    for family in ServiceMetrics().registry.collect():
        name = family.name
        suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}
        names |= {name + suffix for suffix in suffixes.get(family.type, [""])}
    return names


def queries(files: list[str]) -> set[str]:
    return {name for text in files for name in re.findall(r"clinrag_\w+", text)}


def test_every_query_of_the_board_names_a_metric_of_the_service():
    asked = queries([t["expr"] for panel in BOARD["panels"] for t in panel["targets"]])
    assert asked
    assert asked <= exported()


def test_every_family_of_metrics_is_on_the_board():
    """What is measured and never shown is of no use."""
    shown = queries([t["expr"] for panel in BOARD["panels"] for t in panel["targets"]])
    families = {f.name for f in ServiceMetrics().registry.collect()}
    hidden = {f for f in families if not any(name.startswith(f) for name in shown)}
    assert hidden <= {
        "clinrag_searches", "clinrag_vector_store_seconds", "clinrag_vector_store_failures",
        "clinrag_note_seconds",
    }  # fmt: skip


def test_every_panel_says_what_it_means_and_none_covers_another():
    cells: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        assert panel["title"]
        assert panel["description"]
        place = panel["gridPos"]
        own = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in own) < 24
        assert not own & cells, panel["title"]
        cells |= own


def test_the_overlay_names_networks_files_and_the_service():
    for name, service in OVERLAY["services"].items():
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
        assert "healthcheck" in service
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            exists = (DEPLOY / source).is_dir() if source.startswith("./") else True
            assert exists, volume
    targets = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    host = targets["scrape_configs"][0]["static_configs"][0]["targets"][0].split(":")[0]
    assert host in COMPOSE["services"]
    prometheus = set(OVERLAY["services"]["prometheus"]["networks"])
    assert prometheus & set(COMPOSE["services"][host]["networks"])


def test_grafana_is_reached_from_its_host_only():
    ports = [p for s in OVERLAY["services"].values() for p in s.get("ports", [])]
    assert ports
    assert all(p.startswith("127.0.0.1:") for p in ports)


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool (Debian package prometheus)")
def test_promtool_accepts_the_configuration():
    done = subprocess.run(  # noqa: S603 - found on the path
        [str(PROMTOOL), "check", "config", "prometheus.yml"],
        cwd=DEPLOY / "prometheus", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

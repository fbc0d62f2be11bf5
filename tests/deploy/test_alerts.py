"""The Prometheus alerts: they fire over their limit and not under it."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

RULES = Path(__file__).resolve().parents[2] / "deploy" / "prometheus"
PROMTOOL = shutil.which("promtool")


def names(file: str, key: str) -> set[str]:
    """The alerts that a file of rules, or of their tests, names."""
    text = yaml.safe_load((RULES / file).read_text())
    if key == "alert":
        return {rule["alert"] for group in text["groups"] for rule in group["rules"]}
    return {case["alertname"] for test in text["tests"] for case in test["alert_rule_test"]}


def test_every_alert_has_a_test():
    assert names("alerts.yml", "alert") == names("alerts.test.yml", "alertname")


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool (Debian package prometheus)")
@pytest.mark.parametrize(
    "command", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts.test.yml")]
)
def test_promtool_accepts_the_rules_and_their_tests(command: tuple[str, ...]):
    done = subprocess.run(  # noqa: S603 - found on the path, arguments above
        [str(PROMTOOL), *command], cwd=RULES, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

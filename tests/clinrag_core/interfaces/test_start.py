"""What the command line loads before it answers: nothing that an answer does not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from clinrag_core.settings import Settings
from clinrag_core.settings.render import toml_file

HEAVY = [
    "numba", "scipy", "pandas", "torch", "transformers", "matplotlib", "ranx", "dagster",
    "httpx", "fastapi", "starlette", "uvicorn", "lxml", "pymupdf", "tenacity", "pydantic_settings",
    "spellchecker", "clinrag_core.acquire", "clinrag_core.pipeline",
    "clinrag_core.evaluate", "clinrag_core.serve", "clinrag_core.notes", "clinrag_core.users.store",
    "clinrag_core.cli.evaluate",
]  # fmt: skip
SCRIPT = f"""
import sys
from clinrag_core.cli.main import main
try:
    main()
except SystemExit as end:
    print(end.code or 0, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


def run(config: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLINRAG_")}
    environ = {**kept, "CLINRAG_CONFIG": str(config)}
    command = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environ)  # noqa: S603


def test_a_question_is_answered_without_heavy_libraries(page_settings: Settings, tmp_path: Path):
    config = tmp_path / "clinrag.toml"
    config.write_text(toml_file(page_settings))
    done = run(config, "ask", "--json", "ethambutol daily dose for tuberculosis in adults")
    assert done.stderr.splitlines()[-1] == "0 []", done.stdout + done.stderr
    assert json.loads(done.stdout)["status"] == "answered"

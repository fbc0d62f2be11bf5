"""From a folder of documents to a first cited answer, in the three commands of the README."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fakes.own_folder import write_own_folder

from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_dagster.summary import example_questions

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_three_commands_from_a_folder_to_a_cited_answer(tmp_path: Path):
    """Nobody accepts a baseline in between: the first release of a corpus serves unreviewed."""
    folder = tmp_path / "My ward"
    write_own_folder(folder)
    environ = {name: v for name, v in os.environ.items() if not name.startswith("CLINRAG_")}
    environ |= {"CLINRAG_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}

    def run(*words: str, **more: str) -> str:
        done = subprocess.run(  # noqa: S603 - the commands of the README
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env=environ | more,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    init = run("clinrag_core.cli.main", "corpus", "init", str(folder))
    assert "Treatment of tuberculosis in adults" in init
    assert "photo.jpg" in (folder / "corpus.toml").read_text()
    run("clinrag_dagster.run", CLINRAG_PROFILE="folder", CLINRAG_CORPUS=str(folder))
    asked = run("clinrag_core.cli.main", "ask", "What is the dose of pyrazinamide?", "--json")
    answer = json.loads(asked)
    assert answer["status"] == "answered", answer["reason"]
    snippets = [c["snippet"] for claim in answer["claims"] for c in claim["citations"]]
    assert any("15 to 30 mg/kg" in snippet for snippet in snippets)


def test_the_example_at_the_end_names_a_drug_as_people_do(tiny_settings):
    """It asked for the contraindications of isoniazid-pyrazinamide-and-rifampin."""
    pipeline = Pipeline(tiny_settings)
    (entry, *_) = pipeline.manifest.labels
    named = entry.model_copy(update={"drug": "isoniazid, pyrazinamide and rifampin"})
    manifest = pipeline.manifest.model_copy(update={"labels": (named,)})
    own = SimpleNamespace(manifest=manifest, keys=lambda _: [named.key])
    first, *_, last = example_questions(own)
    assert first == "What are the contraindications of isoniazid, pyrazinamide and rifampin?"
    assert "tuberculosis" in last


def test_a_corpus_without_guidelines_is_released(unaccepted_chain, tiny_corpus):
    """Checks with nothing to check used to fail: '0 of 0 figures'."""
    tiny_corpus.guidelines = []
    tiny_corpus.write()
    unaccepted_chain.run()
    assert unaccepted_chain.store.current().sequence == 1

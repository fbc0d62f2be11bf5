"""A user's own settings file, with the package installed from its wheel, not from a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROFILE = """
home = "built"
benchmark = "benchmark"
[corpus]
manifest = "{corpus}"
topics = ["tb"]
[encoder]
name = "tiny"
model = "models/encoder"
pooling = "mean"
max_tokens = 400
[sparse]
name = "mine"
model = "models/splade"
[retrieval]
reranker = "models/reranker"
rerank_candidates = 5
[vector_store]
kind = "qdrant"
[answer.generator]
kind = "openai"
url = "http://127.0.0.1:9/v1"
model = "my-model"
attempts = 1
"""
CHAIN = """
import json, clinrag_core
from clinrag_core.pipeline import evaluation, pages, reports
from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.release import publish_release
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

settings = load_settings()
pipeline = Pipeline(settings)
for kind in KINDS:
    for key in pipeline.keys(kind):
        partition = pipeline.partition(kind, key)
        partition.record_acquired(pipeline.acquire(kind, key))
        partition.parse()
        partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    make_corpus(pipeline, kind)
    make_embeddings(pipeline, kind)
    make_candidate(pipeline, kind)
for stage in (
    evaluation.make_benchmark, evaluation.make_runs, evaluation.make_thresholds,
    evaluation.make_answers, reports.make_retrieval_report, reports.make_answer_report,
    reports.make_safety_report, reports.make_latency_report, reports.make_corpus_report,
    pages.make_report_page, publish_release,
):
    stage(pipeline)
engine = open_engine(settings)
found = engine.search(SearchRequest(query="isoniazid dose", top_k=3))
answer = open_answering(settings, engine).ask("What is the dose of isoniazid in adults?")
thresholds = pipeline.thresholds.read().value.thresholds
tables = [base.table.to_pylist() for base in engine.knowledge_bases.values()]
topics = {topic for table in tables for row in table for topic in row["topics"]}
print(json.dumps({
    "package": clinrag_core.__file__,
    "pipelines": sorted(pipeline.retrieval_runs.read().value.runs),
    "thresholds": sorted({name for base in thresholds.values() for name in base}),
    "components": found.components_used,
    "errors": found.component_errors,
    "reranked": found.reranked,
    "hits": len(found.results),
    "store": type(engine._retrievers["dense"]._stores.popitem()[1]).__name__,
    "configurations": sorted({c.configuration for c in answer.confidence}),
    "notice": answer.generator_notice,
    "topics": sorted(topics),
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder the wheel is installed into."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)  # noqa: S603 - fixed arguments
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    install = [
        *pip,
        "install",
        "--no-deps",
        "--no-index",
        "-q",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)  # noqa: S603 - fixed arguments
    return target


def run(installed: Path, folder: Path, *arguments: str) -> str:
    """Run Python on the installed package in a folder that is not in the checkout."""
    environ = {n: v for n, v in os.environ.items() if not n.startswith("CLINRAG_")}
    environ |= {"PYTHONPATH": str(installed), "CLINRAG_CONFIG": str(folder / "mine.toml")}
    done = subprocess.run(  # noqa: S603 - fixed arguments
        [sys.executable, *arguments],
        check=False,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.fixture
def profile(installed: Path, tmp_path: Path) -> Path:
    """A folder with a user's own settings file."""
    corpus = installed / "clinrag_core" / "_data" / "corpora" / "sample"
    (tmp_path / "mine.toml").write_text(PROFILE.format(corpus=corpus))
    return tmp_path


def test_an_installed_package_shows_and_writes_the_users_settings(installed: Path, profile: Path):
    clinrag = ("-m", "clinrag_core.cli.main", "config")
    shown = json.loads(run(installed, profile, *clinrag, "show", "--json"))
    mine = str(profile / "mine.toml")
    assert shown["home"] == {"value": str(profile / "built"), "origin": mine}
    assert shown["retrieval"]["reranker"]["origin"] == mine
    assert shown["benchmark"]["value"] == str(profile / "benchmark")
    run(installed, profile, *clinrag, "init", "again.toml", "--config", "mine.toml")
    again = run(installed, profile, *clinrag, "show", "--json", "--config", "again.toml")
    assert json.loads(again)["answer"]["generator"]["model"]["value"] == "my-model"


@pytest.mark.slow
def test_a_users_file_switches_every_part_of_the_chain(
    installed: Path,
    profile: Path,
    tiny_encoder: Path,
    tiny_splade: Path,
    tiny_reranker: Path,
    tiny_settings,
):
    """Encoder, SPLADE, reranker, generator, Qdrant and topics, without touching the package."""
    (profile / "models").mkdir()
    for name, source in (
        ("models/encoder", tiny_encoder),
        ("models/splade", tiny_splade),
        ("models/reranker", tiny_reranker),
    ):
        (profile / name).symlink_to(source)
    assert tiny_settings.benchmark == profile / "benchmark"
    found = json.loads(run(installed, profile, "-c", CHAIN).splitlines()[-1])
    assert found["package"].startswith(str(installed))
    every = ["bm25", "splade", "dense"]
    assert (found["components"], found["errors"], found["hits"]) == (every, [], 3)
    assert found["reranked"]
    assert found["store"] == "QdrantStore"
    assert found["pipelines"] == [
        "bm25", "boosted", "default", "dense", "multistage", "own_bases", "rrf", "splade",
        "weighted",
    ]  # fmt: skip
    assert "bm25+splade+dense+reranker" in found["thresholds"]
    assert found["configurations"] == ["bm25+splade+dense+reranker"]
    assert found["notice"].startswith("openai:my-model/")  # it failed: nothing listens there
    assert found["topics"] == ["tb"]

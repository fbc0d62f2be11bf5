"""The encoder of the live profile, from an empty models folder to an answer.

The hub is played on this machine, with tiny random weights of MedCPT's architecture in the layout
of its repositories; the documents are the tiny corpus.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from fakes.hub import FakeHub
from safetensors.torch import load_file
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.encode.ledger import LEDGER
from clinrag_core.errors import EncoderError
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import Settings, load_settings
from clinrag_core.users.answering import open_answering

MODELS = {
    "ncbi/MedCPT-Article-Encoder": "article-encoder",
    "ncbi/MedCPT-Query-Encoder": "query-encoder",
}
CROSS_ENCODER = "ncbi/MedCPT-Cross-Encoder"


@pytest.mark.slow
def test_the_live_profile_answers_with_fetched_weights(
    tiny_medcpt: Path,
    tiny_reranker: Path,
    tiny_settings: Settings,
    build_release,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    hub = FakeHub()
    for name, source in (
        *((name, tiny_medcpt / part) for name, part in MODELS.items()),
        (CROSS_ENCODER, tiny_reranker),
    ):
        folder = Path(shutil.copytree(source, tmp_path / "hub" / name))
        torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
        hub.add(name, folder)
    models = tmp_path / "models"
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("CLINRAG_MODELS", str(models))
    live = load_settings("live", {})
    retrieval = live.retrieval.model_copy(update={"reranker": "medcpt-cross-encoder"})
    update = {"encoder": live.encoder, "retrieval": retrieval}
    settings = tiny_settings.model_copy(update=update)
    with pytest.raises(EncoderError, match="clinrag models fetch ncbi/MedCPT-Article-Encoder"):
        _ = Pipeline(settings).models.encoder_fingerprint  # nothing is downloaded by itself

    done = CliRunner().invoke(app, ["models", "fetch", "medcpt", "medcpt-cross-encoder"])
    assert done.exit_code == 0, done.output
    hub.stop()  # everything below runs without a network
    assert len(list(models.glob(f"*/{LEDGER}"))) == 3

    build_release(settings)
    engine = open_engine(settings)
    assert set(engine.knowledge_bases) == {"kb_guidelines_medcpt", "kb_druglabels_medcpt"}
    found = engine.search(SearchRequest(query="isoniazid dose for adults", rerank=True))
    assert found.component_errors == ()
    assert found.reranked
    assert {h.knowledge_base for h in found.results} == set(engine.knowledge_bases)
    answer = open_answering(settings, engine).ask("What is the adult dose of isoniazid?")
    assert answer.status in {"answered", "abstained"}

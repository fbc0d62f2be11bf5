"""Tiny models of random weights with the heads that sparse encoders and rerankers have."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest


def with_head(source: Path, folder: Path, head: str, **config: object) -> Path:
    """The tokenizer of a tiny encoder with another model of the same size."""
    import torch
    import transformers

    shutil.copytree(source, folder)
    torch.manual_seed(11)
    settings = json.loads((source / "config.json").read_text())
    made = transformers.BertConfig(**{**settings, **config})
    model = getattr(transformers, head)(made)
    with torch.no_grad():  # random heads are too flat to rank anything
        for parameter in model.parameters():
            parameter.mul_(4)
    model.save_pretrained(folder, safe_serialization=True)
    return folder


@pytest.fixture(scope="session")
def tiny_splade(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "splade"
    return with_head(tiny_encoder, folder, "BertForMaskedLM")


@pytest.fixture(scope="session")
def tiny_reranker(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "reranker"
    return with_head(tiny_encoder, folder, "BertForSequenceClassification", num_labels=1)


@pytest.fixture(scope="session")
def tiny_two_label_reranker(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "reranker2"
    return with_head(tiny_encoder, folder, "BertForSequenceClassification", num_labels=2)

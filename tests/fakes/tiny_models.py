"""Models of random weights in the layout of real ones, so that tests need no download."""

import json
import shutil
from pathlib import Path

import pytest

WORDS = (
    "isoniazid rifampin pyrazinamide ethambutol bedaquiline tuberculosis pneumonia treatment dose "
    "daily weekly for the of and a is in to with patients months weeks mg once 300 600 400 test "
    "culture chest liver adults children ##s . , ; : ( ) -"
)
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split()]


def write_tiny_bert(folder: Path, seed: int) -> Path:
    """A BERT of random weights with its tokenizer, as a model folder; no download."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    characters = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789"))
    pieces = VOCABULARY + characters + [f"##{c}" for c in characters]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
    folder.mkdir(parents=True)
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    assert json.loads((folder / "config.json").read_text())["hidden_size"] == 32
    return folder


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random encoder of MiniLM's architecture."""
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny", seed=1)


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


@pytest.fixture(scope="session")
def tiny_medcpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random pair of encoders laid out like MedCPT's."""
    folder = tmp_path_factory.mktemp("models") / "medcpt"
    write_tiny_bert(folder / "article-encoder", seed=2)
    write_tiny_bert(folder / "query-encoder", seed=3)
    return folder

"""Reranking: scores do not depend on batch or order, and nothing broken is returned."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import EncoderError, GpuNotAvailableError

QUERY = "how long is treatment"
PASSAGES = [Passage("t", f"treatment lasts {n} months " + "and more " * (n % 7)) for n in range(40)]


def never() -> bool:
    return False


def test_scores_are_in_the_order_of_the_passages_whatever_the_batch(tiny_reranker: Path):
    reranker = CrossEncoder(str(tiny_reranker))
    scores = reranker.score(QUERY, PASSAGES, should_stop=never)
    alone = [reranker.score(QUERY, [p], should_stop=never)[0] for p in PASSAGES[:5]]
    assert scores[:5].tolist() == pytest.approx(alone, abs=1e-4)
    backwards = reranker.score(QUERY, PASSAGES[::-1], should_stop=never)
    assert backwards[::-1].tolist() == pytest.approx(scores.tolist(), abs=1e-4)
    assert len(set(scores.round(5).tolist())) > 10


def test_two_outputs_score_by_their_difference(tiny_two_label_reranker: Path):
    reranker = CrossEncoder(str(tiny_two_label_reranker))
    (score,) = reranker.score(QUERY, PASSAGES[:1], should_stop=never)
    pair = reranker._tokenizer.encode(QUERY, f"{PASSAGES[0].title}\n{PASSAGES[0].text}")
    inputs = {
        "input_ids": pair.ids,
        "attention_mask": pair.attention_mask,
        "token_type_ids": pair.type_ids,
    }
    given = {n: torch.tensor([row], device=reranker._device) for n, row in inputs.items()}
    with torch.inference_mode():
        logits = reranker._model(**given).logits[0]
    assert score == pytest.approx(float(logits[1] - logits[0]), abs=1e-5)


def test_a_caller_that_gave_up_stops_the_work(tiny_reranker: Path):
    with pytest.raises(EncoderError, match="stopped"):
        CrossEncoder(str(tiny_reranker)).score(QUERY, PASSAGES, should_stop=lambda: True)


def test_weights_that_are_not_numbers_are_an_error(tiny_reranker: Path):
    reranker = CrossEncoder(str(tiny_reranker))
    with torch.no_grad():
        reranker._model.classifier.bias.fill_(float("nan"))
    with pytest.raises(EncoderError, match="not finite"):
        reranker.score(QUERY, PASSAGES[:2], should_stop=never)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_required_gpu_that_is_not_there(tiny_reranker: Path):
    with pytest.raises(GpuNotAvailableError, match="Reranker requires GPU"):
        CrossEncoder(str(tiny_reranker), require_gpu=True)

"""Optional entailment gate: a sequence-classification model judges claim against evidence.

Any model that `transformers` loads as a sequence classifier over (evidence, claim) pairs, such as
MiniCheck's or an NLI model. It runs in addition to the lexical gates, never instead of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from clinrag_core.answer.gates.protocol import at_least
from clinrag_core.encode.registry import model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import load_model, model_inputs
from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision

MAX_TOKENS = 512


class EntailmentGate:
    """Rejects claims that a model (local folder or hub id) does not find entailed.

    `threshold` is the least probability of entailment, in [0, 1].
    """

    name = "entailment"

    def __init__(self, model: str, threshold: float) -> None:
        self._source = model
        self._threshold = threshold

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `not_entailed`. Raises EncoderError without weights: it cannot pass."""
        probability = self._probability(claim.cited.text, claim.claim.text)
        return at_least(self.name, probability, self._threshold, "not_entailed")

    @cached_property
    def _loaded(self) -> tuple[Any, Tokenizer, int]:
        folder = model_folder(self._source)
        model = load_model(folder, "cpu", "AutoModelForSequenceClassification")
        tokenizer = load_tokenizer(folder)
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
        return model, tokenizer, _entailment_label(model.config.id2label)

    def _probability(self, evidence: str, claim: str) -> float:
        import torch

        model, tokenizer, label = self._loaded
        encoding = tokenizer.encode_batch([(evidence, claim)])
        with torch.inference_mode():
            logits = model(**model_inputs(encoding, "cpu")).logits[0].float()
        if len(logits) == 1:
            return float(torch.sigmoid(logits[0]))
        return float(torch.softmax(logits, dim=-1)[label])


def _entailment_label(names: dict[int, str]) -> int:
    """Index of the label that says the evidence supports the claim.

    Raises:
        EncoderError: none does; a model whose labels cannot be read decides nothing.
    """
    for index, name in names.items():
        if name.lower() in {"entailment", "supported", "support", "label_1"}:
            return int(index)
    if len(names) == 1:
        return 0
    raise EncoderError(f"labels {sorted(names.values())}: none says entailment")

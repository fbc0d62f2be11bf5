"""Generation by a local instruct model with transformers: greedy, so that it is repeatable."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from clinrag_core.answer.generate.statement_prompt import (
    draft_of,
    prompt_of,
    statement_prompt_revision,
)
from clinrag_core.encode.device import resolve_device
from clinrag_core.encode.registry import model_folder
from clinrag_core.encode.torch_encoder import load_model
from clinrag_core.errors import ConfigurationError, GenerationError

if TYPE_CHECKING:
    from clinrag_core.answer.generate.protocol import Draft, Task
    from clinrag_core.settings import GeneratorSettings


class LocalGenerator:
    """Drafts answers with a local model, which is loaded with the first question.

    Raises:
        ConfigurationError: no model is set.
    """

    name = "transformers"

    def __init__(self, settings: GeneratorSettings) -> None:
        if settings.model is None:
            raise ConfigurationError("the transformers generator needs generator.model")
        self._settings = settings
        self._source = settings.model
        self._lock = Lock()
        self.revision = f"{settings.model}/{statement_prompt_revision()}"

    def generate(self, task: Task) -> Draft:
        """Return a draft; answers one question at a time."""
        with self._lock:
            return draft_of(self._written(task), task)

    def _written(self, task: Task) -> str:
        """Return what the model writes."""
        import torch

        tokenizer, model = self._loaded
        inputs: Any = tokenizer.apply_chat_template(
            prompt_of(task), add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(model.device)
        longest = int(model.config.max_position_embeddings)
        room = longest - inputs["input_ids"].shape[1]
        if room < 1:
            raise GenerationError(f"the evidence is longer than the model reads ({longest} tokens)")
        with torch.inference_mode():
            output = model.generate(
                **inputs, max_new_tokens=min(self._settings.max_tokens, room), do_sample=False
            )
        return tokenizer.decode(output[0][inputs["input_ids"].shape[1] :], skip_special_tokens=True)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from transformers import AutoTokenizer

        folder = model_folder(self._source)
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        if tokenizer.chat_template is None:
            raise GenerationError(f"{self._source} has no chat template: not an instruct model")
        return tokenizer, load_model(folder, resolve_device("auto"), "AutoModelForCausalLM")

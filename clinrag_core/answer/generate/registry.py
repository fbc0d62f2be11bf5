"""Generators by name. Adding one is a file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.generate.extractive import ExtractiveGenerator

if TYPE_CHECKING:
    from clinrag_core.answer.generate.protocol import Generator
    from clinrag_core.settings import GeneratorSettings


def build_generator(settings: GeneratorSettings) -> Generator:
    """Return the generator of a profile."""
    if settings.kind == "openai":
        from clinrag_core.answer.generate.openai_endpoint import OpenAIGenerator

        return OpenAIGenerator(settings)
    if settings.kind == "transformers":
        from clinrag_core.answer.generate.local_model import LocalGenerator

        return LocalGenerator(settings)
    return ExtractiveGenerator()

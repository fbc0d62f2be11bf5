"""Finds names and places in a note with a model, for de-identification: Presidio over spaCy.

An optional extra; both run on this machine. The own rules (`phi`) find identifiers with a form.
Recognisers of addresses of e-mail and web are left out: they may fetch a list of domains.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clinrag_core.errors import ConfigurationError
from clinrag_core.notes.lexicon import note_findings
from clinrag_core.notes.measures import read_medications
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = {
    "PERSON": "NAME",
    "LOCATION": "PLACE",
    "PHONE_NUMBER": "PHONE",
    "UK_NHS": "ID",
    "US_SSN": "ID",
}
"""What Presidio finds, by the kind of its placeholder."""
_LEAST_SCORE = 0.4
"""Presidio's own threshold for patterns without context; a model's names have 0.85."""
_LEAST_LETTERS = 3


class NameFinder:
    """Finds what identifies a person with a spaCy model; one object serves all threads.

    Raises:
        ConfigurationError: the extra or the model is not installed; nothing is downloaded.
    """

    def __init__(self, model: str) -> None:
        try:
            spacy: Any = import_module("spacy.util")
            presidio: Any = import_module("presidio_analyzer")
            engines: Any = import_module("presidio_analyzer.nlp_engine")
        except ImportError:
            raise ConfigurationError(
                "notes.name_model needs Presidio: pip install 'clinrag[deidentify]'"
            ) from None
        if not spacy.is_package(model):
            raise ConfigurationError(f"notes.name_model: no spaCy model {model!r} is installed")
        models = [{"lang_code": "en", "model_name": model}]
        provider = engines.NlpEngineProvider(
            nlp_configuration={"nlp_engine_name": "spacy", "models": models}
        )
        self._analyzer: Any = presidio.AnalyzerEngine(
            nlp_engine=provider.create_engine(), supported_languages=["en"]
        )

    def identifiers(self, note: str) -> Iterator[tuple[str, str]]:
        """Yield kind and words of each identifier; names of medicines and findings are none."""
        results = self._analyzer.analyze(
            text=note, language="en", entities=list(_KINDS), score_threshold=_LEAST_SCORE
        )
        for one in sorted(results, key=lambda r: (r.start, r.end)):
            kind = _KINDS[one.entity_type]
            for line in note[one.start : one.end].splitlines():
                words = line.strip(" \t.,:;-*\u2022")
                if len(words) >= _LEAST_LETTERS and not _is_clinical(words):
                    yield kind, words


def _is_clinical(words: str) -> bool:
    """Return whether words are a medicine, a symptom, or capitals as headings have."""
    folded = fold_chars(words)
    return (
        words.isupper()
        or bool(read_medications(words, ""))
        or any(e.search(folded) for e in note_findings().findings.values())
    )

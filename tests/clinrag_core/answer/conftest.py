"""The sample corpus as a release, once per session, and an engine over it to break on purpose."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clinrag_core.answer.citations import cite
from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.thresholds import read_calibration
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.index.release import ReleaseStore
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.open import open_engine
from clinrag_core.settings import Settings


@pytest.fixture(scope="session")
def search(sample_settings: Settings) -> SearchEngine:
    return open_engine(sample_settings)


@pytest.fixture(scope="session")
def calibration(sample_settings: Settings):
    store = ReleaseStore(sample_settings.home / "releases")
    return read_calibration(store.folder_of(store.current()))


@pytest.fixture
def engine_with(search: SearchEngine, sample_settings: Settings, calibration):
    """Makes an answer engine over the sample release; keywords replace its parts."""

    def make(**parts) -> AnswerEngine:
        own = parts.pop("calibration", calibration)
        over = parts.pop("search", search)
        settings = parts.pop("settings", sample_settings.answer)
        return AnswerEngine(over, settings, own, **parts)

    return make


@pytest.fixture(scope="session")
def drugs() -> DrugLexicon:
    return DrugLexicon()


@pytest.fixture(scope="session")
def passage() -> Callable[..., Chunk]:
    """Makes a passage of a text."""

    def make(text: str, title: str = "Tuberculosis care", **more: object) -> Chunk:
        fields: dict[str, object] = {
            "id": "c" * 24, "document_id": "d", "document_title": title, "kind": "guideline",
            "section_ordinal": 0, "section_path": ("Section",), "ordinal": 0, "start": 10,
            "end": 10 + len(text), "text": text, "embed_title": title, "embed_text": text,
            "tokens": 5, "file_sha256": "0" * 64,
        }  # fmt: skip
        return Chunk.model_validate(fields | more)

    return make


@pytest.fixture(scope="session")
def context(drugs: DrugLexicon, passage: Callable[..., Chunk]):
    """A claim that cites the whole of a passage."""

    def make(claim: str, evidence: str, title: str = "Tuberculosis care") -> ClaimInContext:
        chunk = passage(evidence, title)
        citation = cite(chunk, 0, len(evidence))
        return ClaimInContext(claim, (citation,), {chunk.id: chunk}, drugs)

    return make

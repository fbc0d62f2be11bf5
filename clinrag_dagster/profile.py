"""Settings that definitions are built for.

Modules under `defs/` are imported by Dagster and take no arguments, yet asset names of knowledge
bases carry the encoder's name. They read it here.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from clinrag_core.index.knowledge_base import knowledge_base_name
from clinrag_core.model.source import DocumentKind
from clinrag_core.settings import Settings, load_settings

KINDS: tuple[DocumentKind, ...] = ("guideline", "label")
_SETTINGS: ContextVar[Settings | None] = ContextVar("settings", default=None)


@contextmanager
def definitions_for(settings: Settings | None) -> Generator[None]:
    """Build definitions for these settings inside the block; None means the environment's."""
    token = _SETTINGS.set(settings)
    try:
        yield
    finally:
        _SETTINGS.reset(token)


def knowledge_base_names() -> dict[DocumentKind, str]:
    """Return the name of each knowledge base of the profile."""
    encoder = (_SETTINGS.get() or load_settings()).encoder.name
    return {kind: knowledge_base_name(kind, encoder) for kind in KINDS}


def candidate_names() -> list[str]:
    """Return the asset names of the candidates of the profile."""
    return [f"{base}_candidate" for base in knowledge_base_names().values()]

"""The scope of the candidates: computed once for a state of them, and released with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.index.scope import release_scope
from clinrag_core.index.scope_record import COUNTED, SCOPE_FORMAT, ReleaseScope
from clinrag_core.revision import answering_code
from clinrag_core.settings import data_folder
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.index.knowledge_base import KnowledgeBaseManifest
    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.retrieve.engine import SearchEngine

TABLES = ("scope", "drugs", "inn_stems")
"""Lexicons that decide it."""


def candidate_scope(
    pipeline: Pipeline, candidates: list[Given[KnowledgeBaseManifest]], search: SearchEngine
) -> ReleaseScope:
    """Return the scope of the candidates that `search` is opened over, computed once.

    Raises:
        ConfigurationError: the table of scopes cannot be read.
    """
    folder = data_folder() / "lexicons"
    digests = [sha256_hex((folder / f"{name}.toml").read_bytes()) for name in TABLES]

    def make() -> ReleaseScope:
        bases = search.knowledge_bases.values()
        return release_scope(
            [base.table for base in bases if base.manifest.kind == "guideline"],
            [base.table for base in bases if base.manifest.kind == "label"],
            search.drugs,
        )

    config = [SCOPE_FORMAT, answering_code(), COUNTED, digests]
    return pipeline.scope.keep(candidates, config, make)

"""A profile with concepts: passages are annotated by the chain, and the component is served."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.readiness import warm_up
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import ConceptSettings, Settings


@pytest.mark.slow
def test_a_profile_with_concepts_is_built_served_and_searched(
    tiny_settings: Settings, build_release: Callable[[Settings], str]
):
    concepts = ConceptSettings(enabled=True, lexical_weight=0.25, common_from=1.0)
    settings = tiny_settings.model_copy(update={"concepts": concepts})
    build_release(settings)
    engine = open_engine(settings)
    assert engine.components == ("bm25", "dense", "concepts")
    assert warm_up(engine) == ()
    response = engine.search(SearchRequest(query="INH dose"))
    assert response.component_errors == ()
    assert any("concepts" in hit.component_scores for hit in response.results)
    plain = open_engine(settings.model_copy(update={"concepts": ConceptSettings()}))
    assert plain.components == ("bm25", "dense")

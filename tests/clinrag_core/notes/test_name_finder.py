"""Names by a model before a note is sent: the extra is needed, nothing is downloaded."""

from __future__ import annotations

import sys

import pytest

from clinrag_core.errors import ConfigurationError
from clinrag_core.notes.name_finder import NameFinder
from clinrag_core.notes.phi import Deidentified

NOTE = "Collected by Rosalind Achterberg, a neighbour, from Utrecht. She takes warfarin. Cough."


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(ConfigurationError, match=r"clinrag\[deidentify\]"):
        NameFinder("en_core_web_sm")


def test_a_model_that_is_not_installed_is_not_downloaded():
    pytest.importorskip("presidio_analyzer", reason="the extra deidentify is not installed")
    with pytest.raises(ConfigurationError, match="no spaCy model 'en_none'"):
        NameFinder("en_none")


def test_a_name_without_a_title_is_hidden_and_comes_back():
    pytest.importorskip("presidio_analyzer", reason="the extra deidentify is not installed")
    models = pytest.importorskip("spacy.util").get_installed_models()
    model = next((name for name in sorted(models) if name.startswith("en_")), None)
    if model is None:
        pytest.skip("no English spaCy model is installed")
    assert "Achterberg" in Deidentified(NOTE).hide(NOTE)
    hidden = Deidentified(NOTE, NameFinder(model).identifiers(NOTE))
    sent = hidden.hide(NOTE)
    assert [w for w in ("Rosalind", "Achterberg", "Utrecht") if w in sent] == []
    assert "takes warfarin. Cough." in sent
    assert hidden.restore(sent) == NOTE

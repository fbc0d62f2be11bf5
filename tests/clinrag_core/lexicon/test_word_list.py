"""The shipped list of frequent words is what its command writes."""

from __future__ import annotations

import runpy

import pytest

from clinrag_core.lexicon.common_words import KNOWN, MOST_FREQUENT, common_words
from clinrag_core.settings import data_folder

FOLDER = data_folder() / "words"


def test_it_is_what_the_command_ranks():
    pytest.importorskip("spellchecker", reason="pyspellchecker is not installed")
    ranked = runpy.run_path(str(FOLDER / "build.py"))["ranked"]()
    assert (FOLDER / "frequent.txt").read_text().split() == ranked


def test_it_holds_as_many_words_as_are_asked_for():
    assert len(common_words(KNOWN)) == KNOWN
    assert len(common_words()) == MOST_FREQUENT
    assert common_words() < common_words(KNOWN)

"""The one loader of lexicon tables: every damage is an error that names the file and the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinrag_core.acquire.label_title import ListingTable
from clinrag_core.errors import ConfigurationError
from clinrag_core.evaluate.mutation import MutationTable
from clinrag_core.facts.abbreviations import AbbreviationTable
from clinrag_core.facts.lay_words import LayTable
from clinrag_core.facts.negation import NegationTable
from clinrag_core.lexicon import loader
from clinrag_core.lexicon.clinical_terms import ClinicalTermTable
from clinrag_core.lexicon.concepts.own import ConceptTable
from clinrag_core.lexicon.drug_names import DrugNameTable
from clinrag_core.lexicon.drugs import DrugTable
from clinrag_core.lexicon.findings import FindingLexicon
from clinrag_core.lexicon.inn import InnTable
from clinrag_core.lexicon.intents import IntentLexicon, TopicTable
from clinrag_core.lexicon.languages import LanguageTable
from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.lexicon.model_orders import ModelOrderTable
from clinrag_core.lexicon.opposed import OpposedTable
from clinrag_core.lexicon.roles import RoleTable, SameWordingTable
from clinrag_core.lexicon.safety import SafetyLexicon
from clinrag_core.lexicon.scope import ScopeTable
from clinrag_core.lexicon.sections import SectionTable
from clinrag_core.lexicon.self_harm import SelfHarmTable
from clinrag_core.lexicon.slots import SlotLexicon
from clinrag_core.lexicon.stated_aspects import StatedAspectTable
from clinrag_core.lexicon.statements import StatementLexicon
from clinrag_core.lexicon.vocabulary import FamilyTable, PlainWordTable
from clinrag_core.model.base import Record
from clinrag_core.notes.care_lexicon import NoteCareTable
from clinrag_core.notes.lexicon import (
    NoteCueTable,
    NoteFindingTable,
    NoteHeaderTable,
    NoteIdentifierTable,
    NoteMeasureTable,
)
from clinrag_core.parse.assemble.section_roles import SectionTitleTable
from clinrag_core.parse.html.content import WebPageTable
from clinrag_core.parse.openfda.titles import FlatTitleTable
from clinrag_core.retrieve.route import RouteExamples
from clinrag_core.settings import data_folder
from clinrag_core.text.expressions import LazyExpression

TABLES = {
    "abbreviations": AbbreviationTable,
    "clinical_terms": ClinicalTermTable,
    "concepts": ConceptTable,
    "domain": TopicTable,
    "drug_names": DrugNameTable,
    "drugs": DrugTable,
    "findings": FindingLexicon,
    "flat_titles": FlatTitleTable,
    "inn_stems": InnTable,
    "intents": IntentLexicon,
    "label_listings": ListingTable,
    "lay_words": LayTable,
    "model_orders": ModelOrderTable,
    "mutations": MutationTable,
    "negation": NegationTable,
    "note_care": NoteCareTable,
    "note_cues": NoteCueTable,
    "note_findings": NoteFindingTable,
    "note_headers": NoteHeaderTable,
    "note_identifiers": NoteIdentifierTable,
    "note_measures": NoteMeasureTable,
    "plain_words": PlainWordTable,
    "roles": RoleTable,
    "route_examples": RouteExamples,
    "safety": SafetyLexicon,
    "same_wording": SameWordingTable,
    "opposed_terms": OpposedTable,
    "scope": ScopeTable,
    "section_titles": SectionTitleTable,
    "sections": SectionTable,
    "self_harm": SelfHarmTable,
    "languages": LanguageTable,
    "slots": SlotLexicon,
    "stated_aspects": StatedAspectTable,
    "statements": StatementLexicon,
    "web_pages": WebPageTable,
    "word_families": FamilyTable,
}


class Cues(Record):
    words: dict[str, Expression]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a lexicon folder with one table of some text."""

    def make(text: str) -> None:
        (tmp_path / "lexicons").mkdir()
        (tmp_path / "lexicons" / "cues.toml").write_text(text)

    monkeypatch.setattr(loader, "data_folder", lambda: tmp_path)
    load_table.cache_clear()
    yield make
    load_table.cache_clear()


def test_every_shipped_table_has_a_schema_and_is_valid():
    assert {p.stem for p in (data_folder() / "lexicons").glob("*.toml")} == TABLES.keys()
    for name, schema in TABLES.items():
        assert isinstance(load_table(name, schema), schema)


def expressions(value: object) -> Iterator[LazyExpression]:
    """Every expression in a table."""
    if isinstance(value, LazyExpression):
        yield value
    elif isinstance(value, Record):
        yield from expressions(list(vars(value).values()))
    elif isinstance(value, dict):
        yield from expressions(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from expressions(one)


def test_every_shipped_expression_compiles():
    found = [e for name, schema in TABLES.items() for e in expressions(load_table(name, schema))]
    assert len(found) > 500
    for one in found:
        re.compile(one.pattern)


def test_an_expression_that_does_not_compile_is_reported_when_it_is_searched_for(write):
    write("[words]\nfever = ['(']")
    broken = load_table("cues", Cues).words["fever"]
    with pytest.raises(ConfigurationError, match="missing \\)"):
        broken.search("fever")


def test_a_list_of_expressions_matches_any_of_them(write):
    write("[words]\nfever = ['\\bfever\\b', 'febrile']")
    table = load_table("cues", Cues)
    assert [m.group() for m in table.words["fever"].finditer("a fever; afebrile")] == [
        "fever",
        "febrile",
    ]
    assert load_table("cues", Cues) is table


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[other]\nfever = 'x'", "words"),
        ("[words", "cues.toml"),
        ("[words]\nfever = 1", "words.fever"),
    ],
)
def test_a_damaged_table_is_reported_with_file_and_place(write, text: str, place: str):
    write(text)
    with pytest.raises(ConfigurationError, match=r"cues\.toml") as caught:
        load_table("cues", Cues)
    assert place in str(caught.value)


def test_a_missing_table_is_reported(write):
    with pytest.raises(ConfigurationError, match=r"cues\.toml"):
        load_table("cues", Cues)

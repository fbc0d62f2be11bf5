"""The record of what a text says: one reading, spans of the text, a bounded cache."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.reader import CACHED_TEXTS, Facts, read_facts
from clinrag_core.facts.spans import names_of

FINDER = DrugLexicon()
TEXT = (
    "In children with renal impairment weighing 20 kg, isoniazid 10 mg/kg is given orally once "
    "daily for 6 months; 3HP is not used with CYP3A4 inhibitors in 12 of 30 patients with HIV."
)
words = st.sampled_from(
    [*TEXT.split(), "rifampin", "rather than", "TB", "İ", "β", "\n", ";", "½ tablet", "pregnancy"]
)


def test_every_kind_of_fact_is_read():
    facts = Facts(TEXT, FINDER)
    assert facts.ingredients == {"isoniazid"}
    assert [TEXT[q.start : q.end] for q in facts.quantities] == [
        "20 kg", "10 mg/kg", "once daily", "6 months",
    ]  # fmt: skip
    assert [q.unit for q in facts.ages_and_weights] == ["kg"]
    assert facts.numbers["12"] == facts.numbers["30"] == 1
    assert facts.codes == {"3hp", "cyp3a4"}
    assert names_of(facts.populations) == {"children", "renal_impairment", "hiv"}
    assert names_of(facts.routes) == {"oral"}
    assert "hiv" in names_of(facts.high_risk)
    assert [cue.text for cue in facts.polarity.cues] == ["not"]


def test_a_figure_has_the_people_of_its_clause():
    facts = Facts("Give 5 mg/kg in adults; 10 mg/kg in children.", FINDER)
    assert [facts.populations_of(q) for q in facts.quantities] == [{"adults"}, {"children"}]


def test_directions_of_values_and_of_time():
    facts = Facts("A higher dose before meals reduces exposure.", FINDER)
    assert [span.name for span in facts.directions] == ["increase", "before", "decrease"]


def test_the_order_of_drugs_and_their_nouns():
    facts = Facts("Rifabutin rather than rifampin after isoniazid toxicity", FINDER)
    assert (frozenset({"rifabutin"}), frozenset({"rifampin"})) in facts.ordered_drugs
    assert facts.nouns_of_drugs == {"rifabutin": set(), "rifampin": set(), "isoniazid": {"toxic"}}


@given(st.lists(words, max_size=30).map(" ".join))
def test_spans_are_places_in_the_text(text: str):
    facts = Facts(text, FINDER)
    spans = [*facts.drugs, *facts.quantities, *facts.populations, *facts.routes, *facts.high_risk]
    for span in (*spans, *facts.topics):
        assert 0 <= span.start < span.end <= len(text)
    assert " ".join(" ".join(s.text for s in facts.sentences).split()) == " ".join(text.split())


def test_a_text_is_read_once_and_the_cache_is_bounded():
    assert read_facts(TEXT, FINDER) is read_facts(TEXT, FINDER)
    assert read_facts(TEXT, FINDER) is not read_facts(TEXT, DrugLexicon())
    assert read_facts.cache_info().maxsize == CACHED_TEXTS


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_says_nothing(text: str):
    facts = Facts(text, FINDER)
    assert not facts.drugs
    assert not facts.quantities
    assert facts.sentences == (facts,)

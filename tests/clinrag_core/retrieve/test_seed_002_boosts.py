"""What is read of a question boosts passages: intents, tables, sections and drugs (seed 002)."""

from __future__ import annotations

import pytest
from fakes.searches import search

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.retrieve.analyse import analyse
from clinrag_core.retrieve.boost import Traits, multiplier, score_boosts, total_multiplier

NO_LABELS = DrugLexicon()


def test_tabular_query_detection_and_boosting(engine_with):
    analysis = analyse("pembrolizumab adverse events", NO_LABELS)
    assert analysis.tabular == 0.9
    assert multiplier(analysis.tabular) == pytest.approx(2.8)
    response = search(engine_with(), query="isoniazid adverse events", boost=True)
    assert response.results[0].chunk.has_table
    assert ("table", "tabular") in {(b.kind, b.name) for b in response.results[0].boosts}


def test_non_tabular_query_no_boosting(engine_with):
    assert analyse("diabetes pathophysiology", NO_LABELS).tabular == 0.0
    plain = search(engine_with(), query="phenytoin concentration")
    boosted = search(engine_with(), query="phenytoin concentration", boost=True)
    assert [h.chunk.id for h in boosted.results] == [h.chunk.id for h in plain.results]
    assert all(hit.boosts == () for hit in boosted.results)


def test_manual_intent_override(engine_with):
    """Alone, as the seed calls it: without `boost` it changed nothing."""
    query = {"query": "isoniazid", "query_intent": "tabular", "top_k": 50}
    response = search(engine_with(), **query)
    tables = [hit for hit in response.results if hit.chunk.has_table]
    assert tables
    assert all(("tabular", 3.0) in {(b.name, b.value) for b in hit.boosts} for hit in tables)
    off = search(engine_with(), **query, boost=False)
    assert all(hit.boosts == () for hit in off.results)


def test_an_intent_of_the_request_replaces_those_of_the_question(engine_with):
    question = "isoniazid adverse events and dose, in a table"
    response = search(engine_with(), query=question, query_intent="contraindications", top_k=50)
    assert response.analysis.intents == {"CONTRAINDICATIONS": 1.0}
    assert (response.analysis.tabular, response.analysis.groups) == (
        0.0, ("boxed_warning", "contraindications"),
    )  # fmt: skip
    boosted = {hit.chunk.group for hit in response.results if hit.boosts}
    assert boosted == {"contraindications"}


def test_intents_that_harm_boost_on_request_only(engine_with):
    question = "isoniazid dose in liver disease"
    read = search(engine_with(), query=question, boost=True, top_k=50)
    assert "DOSAGE" in read.analysis.intents
    assert "DOSAGE" not in {b.name for hit in read.results for b in hit.boosts}
    asked = search(engine_with(), query=question, query_intent="dosage", top_k=50)
    assert "DOSAGE" in {b.name for hit in asked.results for b in hit.boosts}
    harmless = search(engine_with(), query="isoniazid contraindications", boost=True, top_k=50)
    assert "CONTRAINDICATIONS" in {b.name for hit in harmless.results for b in hit.boosts}


def test_eligibility_asks_for_no_section_of_a_label():
    """It boosted the clinical studies of every label."""
    assert analyse("who is eligible for isoniazid?", NO_LABELS).groups == ()


def test_eligibility_intent_detection_and_boosting():
    analysis = analyse("eligibility criteria for breast cancer trials", NO_LABELS)
    assert analysis.intents["ELIGIBILITY"] == 1.0
    (boost,) = score_boosts(
        Traits(None, frozenset({"ELIGIBILITY"}), has_table=False), analysis.intents, 0.0
    )
    assert boost.value == 3.0


def test_multi_intent_boosting():
    analysis = analyse("pembrolizumab dosage and adverse events", NO_LABELS)
    assert analysis.intents["DOSAGE"] == 0.7
    assert analysis.intents["ADVERSE_EVENTS"] == 0.9

    def boosted(intent: str) -> float:
        traits = Traits(None, frozenset({intent}), has_table=False)
        return total_multiplier(score_boosts(traits, analysis.intents, 0.0))

    assert boosted("DOSAGE") == pytest.approx(2.4)
    assert boosted("ADVERSE_EVENTS") == pytest.approx(2.8)


def test_no_intent_detected_no_boosting():
    assert analyse("cancer research trends", NO_LABELS).intents == {}


def test_boosts_together_are_capped_at_three():
    traits = Traits("adverse_reactions", frozenset({"ADVERSE_EVENTS"}), has_table=True)
    assert total_multiplier(score_boosts(traits, {"ADVERSE_EVENTS": 0.9}, 0.9)) == 3.0


def test_section_boosting_adds_alpha_to_the_cosine_and_keeps_the_score(engine_with):
    request = {"query": "isoniazid contraindications", "components": ("dense",), "top_k": 50}
    plain = {h.chunk.id: h for h in search(engine_with(), **request).results}
    boosted = search(engine_with(), boost=True, **request).results
    earned = [h for h in boosted if any(b.kind == "section" for b in h.boosts)]
    assert {h.chunk.group for h in earned} == {"contraindications"}
    for hit in earned:
        assert hit.component_scores["dense"] == plain[hit.chunk.id].component_scores["dense"]
        assert ("section", 0.12) in {(b.kind, b.value) for b in hit.boosts}


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("Rifadin (rifampin) and isoniazid's dose?", ("isoniazid-sodium", "rifampin")),
        ("INH and RIF dose", ("isoniazid-sodium", "rifampin")),
        ("dose of isoniazide?", ("isoniazid-sodium",)),
        ("Sirturo storage", ("bedaquiline",)),
        ("treatment of rifampicin-resistant TB", ()),
        ("what about the weather", ()),
    ],
)
def test_search_finds_drugs_as_answers_do(question: str, drugs: tuple[str, ...]):
    """Brands, abbreviations and misspelt names; label keys where there are labels."""
    labels = {"rifampin": ["Rifadin"], "isoniazid-sodium": ["isoniazid", "isoniazid sodium"]}
    analysis = analyse(question, DrugLexicon(labels))
    assert analysis.drugs == drugs


def test_a_combination_has_the_labels_of_its_parts_and_of_itself():
    drugs = DrugLexicon(
        {
            "rifampin": ["rifampin"],
            "rifamate": ["rifamate", "rifampin and isoniazid", "rifampin", "isoniazid"],
            "ethambutol": ["ethambutol"],
        }
    )
    assert analyse("Rifamate dose", drugs).drugs == ("rifamate", "rifampin")


def test_a_misspelt_name_is_searched_corrected():
    analysis = analyse("dose of bedaqualine", NO_LABELS)
    assert "bedaquiline" in analysis.tokens
    assert analysis.corrections == (("bedaqualine", "bedaquiline"),)

"""The router: where questions go and what decided; misspelt drugs, never another drug."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.facts.drugs import DrugLexicon, label_ingredients
from clinrag_core.lexicon.drugs import known_drugs
from clinrag_core.retrieve.route import SecondOpinion, route

LEXICON = DrugLexicon({
    "bedaquiline": ["sirturo", "bedaquiline fumarate"],
    "rifampin-isoniazid-and-pyrazinamide": [
        "rifater", "rifampin, isoniazid and pyrazinamide", "rifampin", "isoniazid", "pyrazinamide",
    ],
})  # fmt: skip


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("How to diagnose latent TB?", "GUIDELINE"),
        ("Empirical treatment of community-acquired pneumonia", "GUIDELINE"),
        ("Bedaquiline dosage", "DRUG"),
        ("side effects of Sirturo", "DRUG"),
        ("How does TB spread?", "MIXED"),
        ("isoniazid in tuberculosis with HIV", "MIXED"),
        ("delamanid dose", "MIXED"),
        ("IPT if she conceives?", "MIXED"),
        ("Management of Type 2 Diabetes", "OUT_OF_DOMAIN"),
        ("metformin dose", "OUT_OF_DOMAIN"),
        ("What is the capital of France?", "OUT_OF_DOMAIN"),
        ("linezolid for diabetic foot infection", "OUT_OF_DOMAIN"),
        ("linezolid anaemia, what to do?", "MIXED"),
        ("lost to follow up definition", "GUIDELINE"),
        ("Please write a funny song on tuberculosis", "OUT_OF_DOMAIN"),
        ("Who is the TB nurse on call this weekend?", "OUT_OF_DOMAIN"),
        ("Did the alarm on our Sirturo fridge go off last night?", "OUT_OF_DOMAIN"),
        ("Which ward has an isolation room free tonight?", "OUT_OF_DOMAIN"),
        ("Is there a bed available in the TB unit?", "OUT_OF_DOMAIN"),
        ("Who is covering the TB ward this weekend?", "OUT_OF_DOMAIN"),
        ("When is the next edition of the TB guideline due out?", "OUT_OF_DOMAIN"),
        ("How many N95s are left in our store room?", "OUT_OF_DOMAIN"),
        ("Is TB room 3 free this afternoon?", "OUT_OF_DOMAIN"),
        ("How many TB patients lie on our ward right now?", "OUT_OF_DOMAIN"),
        ("Compose an e-mail to the TB supervisor", "OUT_OF_DOMAIN"),
        ("What does it cost to renew a chest doctor's licence?", "OUT_OF_DOMAIN"),
        ("When will the next shipment of isoniazid reach our store?", "OUT_OF_DOMAIN"),
        ("How many TB deaths will there be in 2042?", "OUT_OF_DOMAIN"),
        ("What will be tested by week 20 of isoniazid?", "MIXED"),
        ("When is isoniazid given after delivery?", "DRUG"),
        ("My 2 TB hard drive is broken, what is the treatment?", "OUT_OF_DOMAIN"),
        ("Can 2 TB patients share a room?", "MIXED"),
        ("I am on call. How to treat TB meningitis?", "GUIDELINE"),
    ],
)
def test_questions_go_where_their_triggers_send_them(question: str, where: str):
    decision = route(question, LEXICON)
    assert decision.route == where
    assert 0 < decision.confidence <= 1
    assert decision.triggers or where == "OUT_OF_DOMAIN"


def test_resistance_is_no_drug_that_is_asked_for():
    decision = route("How is rifampicin-resistant TB treated?", LEXICON)
    assert (decision.route, decision.target_drugs) == ("GUIDELINE", ())
    assert route("Is Xpert MTB/RIF accurate in children?", LEXICON).target_drugs == ()


def test_a_second_opinion_is_asked_only_where_no_trigger_matches():
    asked: list[str] = []

    def encode(text: str) -> np.ndarray:
        asked.append(text)
        near = "infectious" in text or "ward" in text
        return np.array([1.0, 0.0] if near else [0.0, 1.0], dtype=np.float32)

    opinion = SecondOpinion(encode)
    assert route("How does TB spread?", LEXICON, opinion).route == "MIXED"
    assert asked == []
    assert route("who may visit the ward?", LEXICON, opinion).route == "MIXED"
    assert asked
    open_to_doubt = route("who wrote Hamlet?", LEXICON, opinion)
    assert (open_to_doubt.route, open_to_doubt.sure) == ("MIXED", False)
    assert route("who wrote Hamlet?", LEXICON).route == "OUT_OF_DOMAIN"
    assert route("gout in Hamlet?", LEXICON, opinion).route == "OUT_OF_DOMAIN"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bedaquilne", "bedaquiline"),
        ("isoniasid", "isoniazid"),
        ("rifampacin", "rifampicin"),
        ("levofloxasin", "levofloxacin"),
        ("Moxiflaxacin", "moxifloxacin"),
    ],
)
def test_a_slip_in_a_drug_name_is_put_right(typed: str, meant: str):
    text, corrections = LEXICON.correct(f"dose of {typed}?")
    assert text == f"dose of {meant}?"
    assert [m.meant for m in corrections] == [meant]


def test_a_name_as_a_guideline_misprints_it_is_known():
    """Its pages write it throughout: a question may copy it."""
    assert LEXICON.ingredients("isonaizid") == LEXICON.ingredients("isoniazid") != frozenset()


@pytest.mark.parametrize(
    "word", ["gatifloxacin", "cefotetan", "prednisone", "resistant", "tedizolid"]
)
def test_a_drug_or_a_word_of_the_corpus_is_left_alone(word: str):
    lexicon = DrugLexicon(is_word=lambda w: w == "resistant")
    assert lexicon.correct(word) == (word, ())


def test_a_slip_is_that_of_the_drug_of_the_documents_not_of_one_further_away():
    """ "clofazamine" had been refused, for one edit more makes a drug that no document has."""
    lexicon = DrugLexicon(is_word=lambda w: w == "clofazimine")
    assert lexicon.correct("clofazamine")[0] == "clofazimine"
    of_both = DrugLexicon(is_word=lambda w: w in ("clofazimine", "clofarabine"))
    assert of_both.correct("clofazamine")[0] == "clofazamine"
    assert LEXICON.correct("clofazamine")[0] == "clofazamine"


def test_a_label_knows_all_that_its_brand_has_in_it():
    names = ("cabotegravir and edoxil", "apretude", "cabotegravir", "edoxil")
    lexicon = DrugLexicon({"cabotegravir-and-edoxil": names})
    (mention,) = lexicon.mentions("Apretude vials")
    assert mention.ingredients == {"cabotegravir", "edoxil"}
    (known,) = DrugLexicon().mentions("Apretude vials")
    assert known.ingredients == {"cabotegravir"}


@given(st.sampled_from([d.name for d in known_drugs()]), st.data())
def test_one_slip_never_makes_another_drug(name: str, data):
    """Whatever one letter is dropped, doubled or swapped, no other drug comes out."""
    at = data.draw(st.integers(0, len(name) - 1))
    typed = data.draw(
        st.sampled_from(
            [
                name[:at] + name[at + 1 :],
                name[:at] + name[at] + name[at:],
                name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
            ]
        )
    )
    before = LEXICON.ingredients(name)
    after = LEXICON.ingredients(LEXICON.correct(typed)[0])
    assert after <= before or after == LEXICON.ingredients(typed)


def test_ingredients_of_labels():
    assert label_ingredients("ciprofloxacin-hydrochloride", ["cipro", "ciprofloxacin"]) == {
        "ciprofloxacin"
    }
    cold = ["night time cold and cough", "phenylephrine", "diphenhydramine",
            "diphenhydramine and phenylephrine"]  # fmt: skip
    assert label_ingredients("diphenhydramine-phenylephrine", cold) == {
        "diphenhydramine", "phenylephrine",
    }  # fmt: skip

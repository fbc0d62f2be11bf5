"""Refusals of whole questions give a reason that is true."""

from __future__ import annotations

import pytest

from clinrag_core.answer.abstain import MOST_TITLES, abstain_message, outside_field
from clinrag_core.answer.question.reader import usable

FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}


def _wide(text: str) -> str:
    """Return a text as an input method of East Asia writes it."""
    return text.translate(FULL_WIDTH)


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuál es la dosis de isoniazida en adultos?",
        "Wie lange wird latente Tuberkulose behandelt?",
    ],
)
def test_a_question_in_another_language_is_refused_as_such(engine_with, question: str):
    answer = engine_with().ask(question)
    assert (answer.status, answer.reason) == ("abstained", "other_language")
    assert "English" in answer.message
    assert (answer.claims, answer.evidence) == ((), ())


def test_full_width_letters_are_read_as_plain_ones(engine_with):
    wide = engine_with().ask(_wide("Bedaquiline dosage"))
    plain = engine_with().ask("Bedaquiline dosage")
    assert wide.status == "answered"
    assert [c.text for c in wide.claims] == [c.text for c in plain.claims]
    assert usable(_wide("400 mg") + " ½ µg ") == "400 mg ½ µg"


def test_a_word_spelt_with_hyphens_is_that_word():
    assert usable("b-e-d-a-q-u-i-l-i-n-e dosage") == "bedaquiline dosage"
    assert usable("A-B-C and follow-up") == "A-B-C and follow-up"


def test_what_is_known_of_a_drug_does_not_answer_everything_about_it(engine_with):
    """The sample's label of bedaquiline says nothing of the colour of hair."""
    answer = engine_with().ask("Does bedaquiline discolour hair?")
    assert answer.status == "abstained"
    assert "hair" in answer.message


def test_an_instruction_about_the_form_of_an_answer_is_no_topic(engine_with):
    answer = engine_with().ask("Bedaquiline dosage without citations")
    assert answer.status == "answered"


def test_why_two_drugs_are_given_needs_no_source(engine_with):
    pair = engine_with().ask(
        "Bedaquiline patient with zolumitis, needs rifampin - how do I time it?"
    )
    assert pair.status == "answered"
    alone = engine_with().ask("Bedaquiline dose for zolumitis")
    assert alone.reason == "unknown_term"


def test_a_refusal_for_another_field_names_the_drug_without_a_label():
    message = abstain_message("out_of_domain", outside_field((), ["zolumycin"]))
    assert "no label of zolumycin" in message
    assert message != abstain_message("out_of_domain", "")


def test_a_refusal_names_the_guidelines_of_a_release_of_other_fields():
    titles = [f"Manual {n} of {'sleep ' * 30}" for n in range(MOST_TITLES + 2)]
    said = abstain_message("out_of_domain", outside_field(titles, ["zolumycin"]))
    assert "Manual 0 of" in said
    assert "and 2 more, and there is no label of zolumycin." in said
    assert "tuberculosis" not in said

"""Concepts are found at the words that may begin them as a search for each finds them."""

from __future__ import annotations

import re

import pytest

from clinrag_core.facts.spans import NamedSpan, concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.lexicon.intents import topic_expressions
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

TABLES = {
    "diseases": slot_lexicon().diseases,
    "people": slot_lexicon().people,
    "stage": slot_lexicon().facets["stage"],
    "phase": slot_lexicon().facets["phase"],
    "populations": safety_lexicon().populations,
    "routes": safety_lexicon().routes,
    "high_risk": safety_lexicon().high_risk,
    "conditions": finding_lexicon().conditions,
    "topics": topic_expressions(),
}
TEXTS = (
    "Pre-XDR-TB and MDR TB in non-pregnant adults, by the I.V. route or p.o. during dialysis",
    "Children aged 2 to 5 years with tuberculous meningitis: QT prolongation, β-lactam allergy",
    "Elderly people with severe renal impairment and heart failure in the continuation phase",
    "Latent TB infection; active tuberculosis; community-acquired pneumonia; hospital acquired "
    "pneumonia; hepatotoxicity and peripheral neuropathy in breast-feeding women",
    "CAP on the vial; a cap; Mycobacterium avium complex; P. falciparum and C. difficile",
    "Nothing of note is said here",
)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_they_are_those_of_a_search_for_each(name: str, text: str) -> None:
    folded = fold_chars(text)
    every = sorted(
        NamedSpan(*match.span(), concept)
        for concept, expression in TABLES[name].items()
        for match in expression.finditer(folded)
    )
    assert list(concept_spans(text, TABLES[name])) == every


def test_the_texts_name_something_of_every_table() -> None:
    assert all(any(concept_spans(text, table) for text in TEXTS) for table in TABLES.values())


def test_a_table_made_for_one_call_is_not_taken_for_another() -> None:
    for name, word in (("one", "renal"), ("two", "liver"), ("three", "heart")):
        table = {name: re.compile(word)}
        assert concept_spans("renal liver heart", table)[0].name == name

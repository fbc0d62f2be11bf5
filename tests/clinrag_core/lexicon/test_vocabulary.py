"""Words of a question that the documents never use."""

import pytest

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.lexicon.vocabulary import CorpusVocabulary

WORDS = CorpusVocabulary([sorted(["tuberculosis", "treatment", "dose", "cafe", "beta"])])


def test_what_no_document_names_is_found():
    assert WORDS.unknown("Treatment of tuberculosis in zebras?", []) == ("zebras",)


def test_a_drug_named_next_to_an_accent_or_a_greek_letter_is_still_known():
    """Folding changes the length of such a question, and with it every position."""
    for question in ("Dose of Sirturo in a café?", "β: dose of Sirturo?", "Dose of Sirturo, ≥ 2?"):
        spans = [(m.start, m.end) for m in DrugLexicon().mentions(question)]
        assert spans
        assert WORDS.unknown(question, spans) == ()
        assert WORDS.unknown(question, []) == ("sirturo",)


def test_a_span_that_ends_inside_a_word_covers_the_word():
    assert WORDS.unknown("dose of zebrafish", [(8, 11)]) == ()


USED = """
tuberculosis diagnosis treatment dose prescription radiograph chest inhibit renal hepatic pregnancy
alcohol isoniazid spinal ssris monoamine tedizolid elephantiasis sensitivity hypertension
"""
DOCUMENTS = CorpusVocabulary([sorted(USED.split())])


@pytest.mark.parametrize(
    "question",
    [
        "Diagnostic treatment of tuberculosis",
        "prescribing isoniazid",
        "What does a chest X-ray show?",
        "inhibitors and their inhibitory dose",
        "kidney treatment",
        "Approximately what dose, having had treatment before?",
        "Should his treatment isn't the dose",
        "non-tuberculosis treatment",
        "sensitivities in hypertensive pregnancy",
    ],
)
def test_another_form_of_a_word_that_documents_use_is_known(question):
    """Diagnostic and X-ray were refused next to documents on diagnosis and radiographs."""
    assert DOCUMENTS.unknown(question, []) == ()


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("dose for elephants", "elephants"),
        ("dose of sutezolid", "sutezolid"),
        ("dose of tedizolide or tidezolid", "tidezolid"),
        ("Is cefozomil a treatment?", "cefozomil"),
        ("tuberculosis of tomatoes", "tomatoes"),
        ("Is ZTX-876 a treatment?", "ztx"),
        ("veterinary treatment", "veterinary"),
    ],
)
def test_a_thing_or_a_drug_that_no_document_names_stays_unknown(question, word):
    """An invented drug was read as a misspelt word and answered with another drug's dose."""
    assert word in DOCUMENTS.unknown(question, [])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("childern", ("children",)),
        ("chidren", ("children",)),
        ("impairement", ("impairment",)),
        ("impaired", ()),
        ("periferal", ("peripheral",)),
        ("nausia", ()),
    ],
)
def test_a_misspelt_plural_or_form_is_what_the_documents_write(typed, meant):
    """A misspelt word for whom a dose is was passed over, and the dose of adults shown."""
    vocabulary = CorpusVocabulary([["child", "impairment", "impair", "peripheral"]])
    assert vocabulary.meant_by(typed) == meant


def test_the_table_of_senses_answers_for_a_word_that_a_dose_is_asked_for():
    zoster = CorpusVocabulary([["dose", "zoster"]])
    assert zoster.unknown("dose for shingles", []) == ()
    assert zoster.unknown("dose for psittacosis", []) == ("psittacosis",)


def test_words_about_the_form_of_an_answer_name_no_topic():
    assert WORDS.unknown("Dose, without citations, in bullets and short sentences", []) == ()


def test_a_schedule_is_no_name():
    vocabulary = CorpusVocabulary([["telavancin", "tuberculosis"]])
    assert vocabulary.unknown("telavancin q24h in tuberculosis", []) == ()
    assert vocabulary.unknown("the m72 vaccine", [])[0] == "m72"


def test_a_clipped_word_is_completed_where_one_family_begins_so():
    vocabulary = CorpusVocabulary([["hepatic", "hepatotoxic", "pulmonary", "pulmonologist"]])
    assert vocabulary.completions("pulm") == ("pulmonary", "pulmonologist")
    assert vocabulary.completions("hepat") == ()
    assert vocabulary.completions("pul") == ()

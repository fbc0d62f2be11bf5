"""Words of a question that the documents never use."""

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

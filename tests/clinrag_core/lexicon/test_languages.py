"""Questions in other languages are recognised; terse English never is."""

import pytest

from clinrag_core.lexicon.languages import is_english

OTHER = (
    "¿Cuánto dura el tratamiento de la tuberculosis latente?",
    "dosis de isoniazida en niños",
    "Quelle est la dose de rifampicine pour un enfant ?",
    "traitement de la tuberculose chez la femme enceinte",
    "Welche Dosis Isoniazid bekommen Kinder?",
    "Wie lange wird mit Rifampicin behandelt und warum?",
    "Qual é a dose de rifampicina em crianças?",
    "Quanto dura la terapia con isoniazide nei bambini?",
    "Hoe lang duurt de behandeling met rifampicine?",
    "Jaka jest dawka izoniazydu dla dzieci?",
    "Hamilelerde isoniazid dozu nedir ve kaç ay sürer için",
    "Je, kipimo cha isoniazid kwa watoto ni kiasi gani?",
    "Berapa dosis rifampisin untuk anak?",
    "Какова доза изониазида?",
    "异烟肼的剂量是多少",
    "ما هي جرعة الإيزونيازيد؟",
    "DOSIS DE ISONIAZIDA EN ADULTOS",
)
ENGLISH = (
    "What is the dose of isoniazid in children?",
    "INH + RIF de novo, CrCl 30",
    "cabotegravir LA vs Augmentin ES",
    "rif tid kids",
    "linezolid 600 od vs bd",
    "TB + HIV, CD4 40: when ART?",
    "β-lactam + macrolide, 500 µg",
    "\uff24\uff4f\uff53\uff45 linezolid",
    "Pott's disease in a patient named de la Cruz, how long to treat?",
    "3HP",
    "",
    "12 mg?",
)


@pytest.mark.parametrize("question", OTHER)
def test_a_question_in_another_language_is_recognised(question):
    assert not is_english(question)


@pytest.mark.parametrize("question", ENGLISH)
def test_english_is_read_however_terse(question):
    assert is_english(question)

"""What is said of the site of disease asked about, where a rule excepts it; invented texts."""

from __future__ import annotations

from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.sites import of_the_site_excepted
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
RULE = statement("Antiretrovirals begin within 2 weeks unless tuberculous meningitis is present.")
AGAIN = statement("All patients begin antiretrovirals within 2 weeks.")
CAUTION = statement("In tuberculous meningitis early antiretrovirals did harm.")


def shown(question: str) -> list:
    ranked = [RankedStatement(one, "guideline", 5.0, 0.5) for one in (RULE, AGAIN, CAUTION)]
    slots = read_slots(question, DRUGS)
    found = of_the_site_excepted(ranked[:1], ranked[:2], ranked, slots, DRUGS)
    return [one.statement for one in found]


def test_an_exception_for_the_site_is_followed_by_what_is_said_of_the_site():
    assert shown("TB meningitis and HIV: antiretrovirals within 2 weeks?") == [RULE, CAUTION]
    assert shown("Lung TB and HIV: antiretrovirals within 2 weeks?") == [RULE, AGAIN]

"""What to do with the result of a smear in a month of treatment comes before what is near."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
AT_TWO = statement("Smear positive: repeat it.", headings=("At the end of the initial 2 months:",))
NEARER = statement("Sputum is sent at the start of treatment.")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Two months into treatment the sputum is still positive. What do I do?", AT_TWO),
        ("Sputum still AFB positive at 2 months, what now?", AT_TWO),
        ("Sputum for culture at two months?", NEARER),
    ],
)
def test_what_is_done_on_a_smear_in_the_month_asked_about_leads(question: str, first) -> None:
    ranked = [RankedStatement(one, "g", 4.0 - n / 4, 0.5) for n, one in enumerate((NEARER, AT_TWO))]
    sources = sources_of([NEARER, AT_TWO], DRUGS)
    found = most_exact_first(ranked, read_slots(question, DRUGS), sources)
    assert found[0].statement.said == first.said

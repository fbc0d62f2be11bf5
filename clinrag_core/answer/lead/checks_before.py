"""What a label says to check before its drug is started, from all over the label.

"Which tests before the first dose?" is answered by a pregnancy test in the boxed warning, the
kidneys in the warnings and the ECG under dosage together: one of them alone reads as all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.paragraphs import with_antecedent
from clinrag_core.answer.fit.people import people_misfits
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.label_warnings import distinct
from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.answer.rank.brands import of_brand
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.facts.populations import YOUNG, population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

MATTER = "checks before it is started"
"""The matter of the table of slots that asks for them."""
GROUPS = ("dosage", "boxed_warning", "warnings")
"""Section groups that say what to check, in the order in which it is shown."""
MOST, MOST_WORDS, LONGEST = 6, 130, 60
"""Checks that lead, words of them, and of one of them, by judgement: a whole box is no check."""
_OF_PRODUCT = lazy_re(r"\binspect\w*\b|\bpre-?medicat\w*|\bparticulate\b|^consider\b|\bdilut\w*")
"""What is done with a vial, or given before a dose: no check of a patient."""
_ORDERS = lazy_re(
    r"\b(?:obtain|perform|test|evaluate|assess|screen|exclude|rule out|measure|check|determine"
    r"|correct|confirm|review|verify|(?:must|should|has to) (?:be|have|undergo))\b"
    r"|\bmonitor\b[^;]*\bbaseline\b"
)
"""What makes it something to do, not something that was found."""


def checks_before(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the checks before a drug is started, where a question asks for them; mostly none."""
    matter = next((one for one in asked_matters(slots.text) if one.name == MATTER), None)
    if matter is None or len(slots.drugs) != 1 or slots.partners or slots.findings:
        return []
    found: list[RankedStatement] = []
    for one in of_labels(slots, sources, GROUPS):
        said = fold_chars(one.statement.said)
        own = statement_slots(one.statement, sources.drugs)
        if len(said.split()) > LONGEST or _OF_PRODUCT.search(said):
            continue
        is_check = matter.says.search(said) and matter.settles.search(said) and _ORDERS.search(said)
        is_of_child = YOUNG & names_of(population_spans(one.statement.said))
        is_theirs = slots.is_for_child or not is_of_child
        if is_check and is_theirs and not any(people_misfits(slots, own)):
            found.append(with_antecedent(one, sources))
    of_it = {one.statement.document_id for one in of_brand(found, slots, sources.drugs)}
    found = [one for one in found if not of_it or one.statement.document_id in of_it]
    found.sort(key=lambda one: GROUPS.index(one.statement.group or GROUPS[-1]))
    return _within(distinct(found))


def _within(found: list[RankedStatement]) -> list[RankedStatement]:
    """Return the first checks, as many as an answer has room for."""
    words = 0
    shown: list[RankedStatement] = []
    for one in found[:MOST]:
        words += len(one.statement.said.split())
        if shown and words > MOST_WORDS:
            break
        shown.append(one)
    return shown

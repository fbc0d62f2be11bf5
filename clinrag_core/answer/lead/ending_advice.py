"""What to do with the other drugs when one of several is stopped: it comes before all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import joined
from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.question.asking import asks
from clinrag_core.answer.question.pair_order import ending, is_on_ending
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.sources import RankedStatement, is_quotable, statement_bases
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

MOST_READ = 100
"""Ranked statements that are looked through."""
SHOWN = 2
_GROUPS = ("interactions", "specific_populations", "warnings")
_AFTER_IT = lazy_re(r"\bcontracepti\w+\b[^.;]* for [^.;]{1,30} (?:after|following)\b")


def ending_advice(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what to do when a drug of several is stopped, where one was, whoever it is said of.

    Whether to stop it is another question, which its warnings answer.

    What a document says of it twice, such as before and after some weeks, is shown as one: each
    without the other would be wrong for half of those who ask.
    """
    if contraceptives := _of_contraceptives(slots, sources):
        return contraceptives
    facts = read_facts(slots.text, sources.drugs)
    if not ending([one for one in facts.sentences if "?" not in one.text]):
        return []
    found = [
        one
        for one in ranked[:MOST_READ]
        if is_on_ending(slots, one.statement.said, sources.drugs)
        and all(
            misfit.slot == "people" for misfit in each_misfit(slots, one.statement, sources.drugs)
        )
    ][:SHOWN]
    documents = {one.statement.document_id for one in found}
    if len(documents) < len(found):
        parts = sorted((one.statement for one in found), key=lambda one: one.order)
        return [found[0]._replace(statement=joined(parts[0], parts))]
    return found


def _of_contraceptives(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return for how long labels want other contraception after a drug that lowers hormones.

    The label of the drug says it, or others name it by what it does to enzymes, which no ranking of
    its name finds.
    """
    ends = ending([read_facts(slots.text, sources.drugs)])
    lexicon = slot_lexicon()
    if not ends or not asks(slots.text, "contraception"):
        return []
    own = [
        one
        for one in of_labels(slots, sources, _GROUPS)
        if ends & {*one.statement.ingredients}
        and is_quotable(one.statement)
        and _AFTER_IT.search(fold_chars(one.statement.said))
    ][:1]
    if own:
        return own
    is_asked = ends & lexicon.enzyme_effects["inducer"]
    return [
        RankedStatement(statement, base.name, 0.0, 0.0)
        for base, index in (statement_bases(sources.engines) if is_asked else ())
        for statement in index.statements(index.bm25.rows_with(["inducer"]).tolist())
        if is_quotable(statement)
        and lexicon.wordings.contraception.search(fold_chars(statement.said))
        and is_on_ending(slots, statement.said, sources.drugs)
    ][:1]

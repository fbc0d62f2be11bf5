"""Readies answering: the first question after a start, or a new release, waits for nothing.

What a statement says of drugs, people and figures is read once and kept (`statement_slots`). Read
on the way, this was a third of the time of an answer, and more of the slowest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.answer.align import evidence_sentences
from clinrag_core.answer.confidence import coverage
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.plain.wording import plain_wording
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.index.knowledge_base import KEPT
from clinrag_core.lexicon.roles import reworded
from clinrag_core.retrieve.constrain import named_ingredients
from clinrag_core.retrieve.route import example_questions
from clinrag_core.text.expressions import LazyExpression

if TYPE_CHECKING:
    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.retrieve.engine import SearchEngine

OFTEN = (
    None,
    "contraindications",
    "boxed_warning",
    "dosage",
    "indications",
    "interactions",
    "specific_populations",
    "warnings",
    "adverse_reactions",
    "overdosage",
    "dosage_forms",
    "clinical_pharmacology",
    "clinical_studies",
    "patient_information",
)
"""Section groups by how often answers come from them; None is that of guidelines."""
READ_AHEAD = 26_624
"""Statements that are read ahead at most; it leaves room for others among those that are kept."""
AT_ONCE = 512
"""Statements that are held at once."""


def warm_up_answers(engine: AnswerEngine) -> int:
    """Read what most answers are made from, and answer the router's examples; return how many.

    Nothing is recorded, and no model is asked: the sources are quoted.
    """
    read_ahead(engine.search)
    read_passages(engine.search)
    twin = engine.quoting()
    examples = example_questions()
    for question in examples:
        twin.ask(question)
    reworded(plain_wording("fever", engine.search.drugs))  # their tables are compiled as well
    LazyExpression.compile_all()
    return len(examples)


def read_ahead(search: SearchEngine, most: int = READ_AHEAD) -> int:
    """Read the quotable statements of guidelines, then what labels say of use; return how many.

    No more than `most`: the first would be forgotten for the last.
    """
    done = 0
    for group in OFTEN:
        for _, index in statement_bases([search]):
            rows: list[int] = np.flatnonzero(index.in_groups([group])).tolist()
            for at in range(0, len(rows), AT_ONCE):
                for statement in filter(is_quotable, index.statements(rows[at : at + AT_ONCE])):
                    if done == most:
                        return done
                    statement_slots(statement, search.drugs).read()
                    done += 1
    return done


def read_passages(search: SearchEngine) -> int:
    """Read the passages of each knowledge base as evidence, as many as are kept; return how many.

    The words and sentences of those of guidelines too, which most questions and answers are
    compared with.
    """
    done = 0
    for base in search.knowledge_bases.values():
        ids = base.ids[:KEPT]
        for at in range(0, len(ids), AT_ONCE):
            for chunk in base.chunks(ids[at : at + AT_ONCE]):
                named_ingredients(chunk, search.drugs)
                if base.manifest.kind == "guideline":
                    coverage(chunk, {})
                    evidence_sentences([chunk])
        done += len(ids)
    return done

"""The quotable statements for a part of a question, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import with_their_meaning
from clinrag_core.answer.fit.conclusive import defines, term_asked
from clinrag_core.answer.fit.pairs import forbids_pair, is_on_pair
from clinrag_core.answer.fit.people import is_titled_for_them
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.forms import question_forms
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.rank.scoring import Wanted, begin_ranking, rank_statements
from clinrag_core.answer.sources import RankedStatement, is_quotable, statement_bases
from clinrag_core.lexicon.drugs import members_of, words_of_class
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.text.stems import FUNCTION_WORDS
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.scoring import BegunRanking
    from clinrag_core.answer.sources import Sources

POPULATION_GROUPS = ("specific_populations", "dosage", "warnings", "contraindications")
"""Section groups of labels with subsections that are titled for some people."""
MOST_NAMING = 200
"""Statements with the words of a term that are read for its definition, at most."""


def begun_ranking(text: str, question: AskedQuestion, sources: Sources) -> BegunRanking:
    """Begin to rank the statements for a part of a question; its vectors may be made meanwhile."""
    slots = read_slots(text, sources.drugs)
    forms = question_forms(text, sources.drugs)
    analysis = sources.engines[0].analyse(SearchRequest(query=forms.whole))
    named = [*slots.drugs, *slots.partners, *(drugs for _, drugs in slots.regimens)]
    # A part that names no drug is not on the drug of another part, nor a test on one given before.
    is_on_targets = text == question.text and not slots.facet("skin_test")
    asked = question.targets if is_on_targets else frozenset[str]()
    targets = frozenset[str]().union(*named) if named else asked
    of_class = frozenset[str]()
    if slots.classes and not (named or slots.is_case):
        targets = targets.union(*map(members_of, slots.classes))
        of_class = of_class.union(*map(words_of_class, slots.classes))
    is_on_product = bool(named) and not (slots.asks_dosing or slots.diseases)
    kind = "label" if is_on_product else "guideline"
    documents = named_sources(question.text, sources.engines).documents
    codes = of_class.union(code for code, _ in slots.regimens)
    wanted = Wanted(forms, analysis, targets, slots.aspects, sources.idf, kind, documents, codes)
    return begin_ranking(wanted, sources.engines, sources.drugs)


def ranked_statements(
    text: str,
    question: AskedQuestion,
    slots: QuestionSlots,
    sources: Sources,
    begun: BegunRanking | None = None,
) -> list[RankedStatement]:
    """Return the quotable statements for a part of a question, best first.

    `begun` is what `begun_ranking` returned for it, if that was called before.
    """
    begun = begun_ranking(text, question, sources) if begun is None else begun
    ranked = rank_statements(question_forms(text, sources.drugs), begun, sources.engines[0].encode)
    quotable = [one for one in ranked if is_quotable(one.statement)]
    quotable = _definition_first(slots, quotable, sources)
    return quotable + _of_labels(slots, quotable, sources)


def _definition_first(
    slots: QuestionSlots, ranked: list[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return statements with what defines the term asked for first: it may be far from a question.

    Of several the one that says most words of the question: disease that is extensive is no
    extensive resistance.
    """
    asked = set(tokenize(slots.text)) - FUNCTION_WORDS
    words = [word for word in tokenize(term_asked(slots)) if word not in FUNCTION_WORDS]
    if not (words and ranked):
        return ranked
    found: list[RankedStatement] = []
    for base, index in statement_bases(sources.engines):
        rows = [set(index.bm25.rows_with([word]).tolist()) for word in words]
        every = sorted(set.intersection(*rows))[:MOST_NAMING]
        found += [
            RankedStatement(one, base.name, ranked[0].score, ranked[0].cosine)
            for one in index.statements(every)
            if is_quotable(one) and defines(slots, one.said)
        ]
    found.sort(key=lambda one: -len(asked.intersection(tokenize(one.statement.said))))
    first = [one.statement.id for one in found[:1]]
    found = [with_their_meaning(one, slots, sources) for one in found[:1]]
    return found + [one for one in ranked if one.statement.id not in first]


def _of_labels(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return what labels say of the people or partner asked about and is not ranked."""
    if not (slots.drugs and ranked and (slots.people or slots.partners)):
        return []
    known = {one.statement.id for one in ranked}
    groups = (*POPULATION_GROUPS, "interactions") if slots.partners else POPULATION_GROUPS
    return [
        one._replace(score=ranked[-1].score)
        for one in of_labels(slots, sources, groups)
        if one.statement.id not in known
        and (
            is_titled_for_them(slots, one.statement)
            or forbids_pair(slots, statement_slots(one.statement, sources.drugs))
            or (
                one.statement.group == "interactions"
                and is_on_pair(slots, statement_slots(one.statement, sources.drugs))
            )
        )
    ]

"""The statements an answer is made from: ranked, fit for the question, with their passages.

A question of two parts is answered part by part. What does not fit a part is dropped here, before a
generator sees it; what nothing meets is said in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite_quotes
from clinrag_core.answer.companions import ceiling, with_maximum
from clinrag_core.answer.confidence import question_weights
from clinrag_core.answer.finding_advice import finding_advice
from clinrag_core.answer.generate.protocol import QuotableStatement, Role, context
from clinrag_core.answer.label_indications import LabelIndications, for_the_disease
from clinrag_core.answer.label_warnings import asked_warnings, label_warnings
from clinrag_core.answer.premises import contradicted
from clinrag_core.answer.question_gate import misfits
from clinrag_core.answer.restrictions import with_restriction
from clinrag_core.answer.select import RankedStatement, Wanted, rank_statements
from clinrag_core.answer.slots import read_slots
from clinrag_core.answer.sources import is_quotable, turning_words
from clinrag_core.answer.split import split_questions
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.answer.unmet import nothing_on_findings, unmet
from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.text.families import word_root
from clinrag_core.text.similarity import weighted_containment
from clinrag_core.text.stems import key_stems
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.misfit import Misfit, Slot
    from clinrag_core.answer.question import AskedQuestion
    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.retrieve.engine import SearchEngine

PACK_WORDS = 500
"""Words of statements that a generator gets: they hold .69 of the facts, five passages .37."""
SHOWN = 4
"""Statements of a part that an answer may show."""
MOST_READ = 150
"""Ranked statements that the question gate reads at most; by judgement, it bounds the time."""
OF_THE_FIELD = 0.4
"""Added to the score of a statement for a disease of the field, taken from that of others: both
together weigh as much as stating the aspect asked for."""
_FIELD = frozenset({"tuberculosis", "pneumonia"})
_WHOM: frozenset[Slot] = frozenset({"people", "indication"})
MOST_SPECIAL = 2
"""Statements for other people that are shown where there is none for those asked about."""


class QuotedPassage(NamedTuple):
    """A passage that statements are quoted from."""

    chunk: Chunk
    knowledge_base: str
    scores: Mapping[str, float]


class PartSelection(NamedTuple):
    """What is quotable for one part of a question."""

    slots: QuestionSlots
    statements: list[QuotableStatement]
    """Best first; warnings that must be shown among them."""
    unmet: str
    """What no statement meets, in words; empty where one does. The statements then are those for
    other people or another disease."""
    premises: tuple[str, ...]
    """What the statements contradict of the figures that the question suggests."""


class Selection(NamedTuple):
    """The parts of a question and the passages that hold their statements."""

    parts: list[PartSelection]
    passages: list[QuotedPassage]

    @property
    def unmet(self) -> tuple[str, ...]:
        """What no statement meets, for each part of which that is so."""
        return tuple(part.unmet for part in self.parts if part.unmet)


def select_statements(question: AskedQuestion, sources: Sources) -> Selection:
    """Return for each part of a question the statements that fit it, about 500 words of them."""
    passages: dict[str, QuotedPassage] = {}
    parts = [
        _select_part(text, question, sources, passages)
        for text in split_questions(question.text, sources.drugs)
    ]
    return Selection(parts, list(passages.values()))


def speaks_of(
    selection: Selection, question: AskedQuestion, drugs: DrugLexicon, idf: Mapping[str, float]
) -> bool:
    """Return whether the best statements have any of the words that a question turns on.

    Those are its words that are neither general nor names of drugs: "Does X interact with
    grapefruit" is not answered by what is known of X. A question without such words passes.
    """
    if any(one.role == "lead" for part in selection.parts for one in part.statements):
        return True  # looked up by what was found in the patient
    weights = turning_words(question.text, drugs, idf)
    best = [one.statement for part in selection.parts for one in part.statements[:SHOWN]]
    words = " ".join(f"{context(one)} {one.said}" for one in best)
    return not weights or not weights.keys().isdisjoint(key_stems(words))


def _select_part(
    text: str, question: AskedQuestion, sources: Sources, passages: dict[str, QuotedPassage]
) -> PartSelection:
    """Return what is quotable for one part; passages that hold it are added to `passages`."""
    slots = read_slots(text, sources.drugs)
    asked = asked_warnings(slots, sources)
    leads = asked or finding_advice(slots, sources)
    if slots.decides_on_finding and not leads:
        return PartSelection(slots, [], nothing_on_findings(slots), ())
    ranked = _ranked(text, question, slots, sources)
    fitting: list[RankedStatement] = []
    special: list[RankedStatement] = []
    wrong: list[tuple[Misfit, ...]] = []
    labels = LabelIndications(sources)
    words = 0
    for one in ranked[:MOST_READ]:
        if words >= PACK_WORDS:
            break
        found = misfits(slots, one.statement, sources.drugs)
        if not found and (other := labels.misfit(slots, one)):
            found = (other,)
        wrong.append(found)
        if not found:
            fitting.append(one)
            words += len(one.statement.said.split())
        elif all(m.is_qualifier and m.slot in _WHOM for m in found):
            special.append(one)
    if leads:  # what the sources say in general could be read as a yes
        fitting, missing = [], ""
    else:
        fitting, missing = _or_special(slots, fitting, special, wrong)
    if not fitting and not leads:
        return PartSelection(slots, [], missing, ())
    fitting = with_maximum(for_the_disease(fitting, slots, sources.drugs), text)
    fitting = _of_the_row_asked(fitting, text, sources)
    if not slots.diseases:
        fitting = _of_the_field_first(fitting, sources.drugs)
    fitting = [with_restriction(one, sources) for one in fitting]
    warnings = label_warnings(slots, ranked, sources) if not asked else []
    warnings += _ceiling(slots, fitting, sources.drugs)
    roles: tuple[tuple[Role, list[RankedStatement]], ...] = (
        ("lead", leads),
        ("warning", warnings),
        ("direct", fitting),
    )
    quotable = [
        _quotable(one, sources, passages, role) for role, members in roles for one in members
    ]
    premises = contradicted(slots, [one.statement for one in fitting], sources.drugs)
    return PartSelection(slots, quotable, missing, tuple(p.sentence for p in premises))


def _or_special(
    slots: QuestionSlots,
    fitting: list[RankedStatement],
    special: list[RankedStatement],
    wrong: list[tuple[Misfit, ...]],
) -> tuple[list[RankedStatement], str]:
    """Return the fitting statements; without any, what nothing meets and those for some people."""
    if fitting:
        return fitting, ""
    # Nobody is asked about: what there is for some is shown under a line that says so.
    is_open = not slots.people and not slots.diseases
    return special[:MOST_SPECIAL] if is_open else [], unmet(slots, wrong)


def _ceiling(
    slots: QuestionSlots, fitting: list[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return the maximum of the first dose per kilogram, where another statement has it."""
    by_id = {one.statement.id: one for one in fitting}
    if not fitting:
        return []
    found = ceiling(slots, fitting[0].statement, [o.statement for o in fitting[1:]], drugs)
    return [by_id[found.id]] if found else []


def _of_the_row_asked(
    fitting: list[RankedStatement], text: str, sources: Sources
) -> list[RankedStatement]:
    """Return statements without the rows of a table whose label another row meets better.

    "Spine: 9 months" answers a question on spinal disease; "Pleura: 6 months" below it does not.
    """
    weights = {
        word_root(word): weight
        for word, weight in question_weights(
            tokenize(spell_out(text, sources.drugs)), sources.idf
        ).items()
    }
    met: dict[str, float] = {}
    best: dict[tuple[str, int, str], float] = {}
    for one in fitting:
        row = one.statement
        if row.statement_kind == "row":
            label = row.said.split(";", 1)[0]
            roots = frozenset(word_root(stem) for stem in key_stems(label.split(":", 1)[-1]))
            met[row.id] = weighted_containment(weights, roots)
            table = _table_of(row)
            best[table] = max(best.get(table, 0.0), met[row.id])
    return [
        one
        for one in fitting
        if one.statement.id not in met or met[one.statement.id] >= best[_table_of(one.statement)]
    ]


def _table_of(row: IndexedStatement) -> tuple[str, int, str]:
    """Return what the rows of one table share: parts of it may be blocks of their own."""
    return row.document_id, row.section_ordinal, row.caption or str(row.block)


def _of_the_field_first(
    fitting: list[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with those for tuberculosis or pneumonia raised, others lowered.

    A question that names no disease is asked by somebody who treats these two.
    """
    raised = [one._replace(score=one.score + _of_the_field(one, drugs)) for one in fitting]
    return sorted(raised, key=lambda one: -one.score)


def _of_the_field(one: RankedStatement, drugs: DrugLexicon) -> float:
    named = statement_slots(one.statement, drugs).diseases
    if not named:
        return 0.0
    return OF_THE_FIELD if any(name.split(".")[0] in _FIELD for name in named) else -OF_THE_FIELD


def _ranked(
    text: str, question: AskedQuestion, slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the quotable statements for a part of a question, best first."""
    spelt_out = spell_out(text, sources.drugs)
    analysis = sources.engines[0].analyse(SearchRequest(query=spelt_out))
    named = [*slots.drugs, *slots.partners, *(drugs for _, drugs in slots.regimens)]
    targets = frozenset[str]().union(*named) if named else question.targets
    wanted = Wanted(spelt_out, analysis, targets, slots.aspects, sources.idf)
    ranked = rank_statements(wanted, sources.engines, sources.drugs)
    return [one for one in ranked if is_quotable(one.statement)]


def _quotable(
    one: RankedStatement, sources: Sources, passages: dict[str, QuotedPassage], role: Role
) -> QuotableStatement:
    """Return a statement with its citations, and add the passages it quotes."""
    held = _passages(one.statement, sources.engines)
    scores = {"statement": one.score, "dense": one.cosine}
    for chunk in held.values():
        passages.setdefault(chunk.id, QuotedPassage(chunk, one.knowledge_base, scores))
    return QuotableStatement(one.statement, one.score, cite_quotes(one.statement, held), role)


def _passages(statement: IndexedStatement, engines: Sequence[SearchEngine]) -> dict[str, Chunk]:
    """Return the passages that a statement quotes, by id."""
    return {
        quote.chunk_id: base.chunk(quote.chunk_id)
        for quote in statement.quotes
        for engine in engines
        for base in engine.knowledge_bases.values()
        if quote.chunk_id in base
    }

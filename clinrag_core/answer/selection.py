"""The statements an answer is made from: ranked, fit for the question, with their passages.

A question of two parts is answered part by part. What does not fit a part is dropped here, before a
generator sees it; what nothing meets is said in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.arrange import arrange
from clinrag_core.answer.asking import tells_story
from clinrag_core.answer.citations import cite_quotes
from clinrag_core.answer.companions import (
    answers_pair,
    ceiling,
    forbidding_warnings,
    of_no_change,
    usual_dose_of,
    without_rules_of_classes,
)
from clinrag_core.answer.conclusive import excludes_others
from clinrag_core.answer.deciding import deciding
from clinrag_core.answer.finding_advice import asks_time, is_of_stage, warned_of
from clinrag_core.answer.fit_people import is_titled_for_them
from clinrag_core.answer.generate.protocol import QuotableStatement, Role
from clinrag_core.answer.label_indications import LabelIndications, doses_are_for_others
from clinrag_core.answer.label_sections import (
    asked_section,
    asks_listed_use,
    no_listed_use,
)
from clinrag_core.answer.label_warnings import (
    advice_of_pair,
    label_warnings,
    no_contraindications,
    pairs_forbidden,
    says_same,
    warnings_for_them,
)
from clinrag_core.answer.named_sources import named_sources
from clinrag_core.answer.pair_order import starts_other_way
from clinrag_core.answer.premises import contradicted, estimated_kidneys, implausible
from clinrag_core.answer.question_forms import question_forms
from clinrag_core.answer.question_gate import each_misfit, misfits
from clinrag_core.answer.ranked import ranked_statements
from clinrag_core.answer.scoring import RankedStatement
from clinrag_core.answer.slot_roles import blanked, reasons_of
from clinrag_core.answer.slots import read_slots
from clinrag_core.answer.split import split_questions
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.answer.topic_words import share_said, topic_words
from clinrag_core.answer.unmet import NOTHING_NEAR, nothing_on_findings, unmet
from clinrag_core.answer.unspoken import unmentioned, unspoken
from clinrag_core.answer.withdrawn import withdrawals, without_doses
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.reader import read_facts
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.misfit import Slot
    from clinrag_core.answer.question import AskedQuestion
    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.answer.topic_words import TopicWord
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.retrieve.engine import SearchEngine

SHOWN = 4
"""Statements of a part that an answer may show."""
MOST_READ = 90
"""Ranked statements that the question gate reads at most: it bounds the time. The same vital facts
are found on dev with 150."""
LEAST_ON_STORY, LEAST_ON_DRUG = 4.3, 3.6
"""Scores below which nothing answers a question that tells a story: without a drug, and with one.
Chosen on 60 such questions that readers judged: 3 of 24 answers off the point or misleading lie
below, none of 14 correct ones."""
MOST_FITTING = 34
"""Statements that fit, after which no other is read: on dev no answer says another vital fact (with
28, one loses one)."""
_WHOM: frozenset[Slot] = frozenset({"people", "indication"})
_WHETHER: frozenset[Aspect] = frozenset({"who", "contraindication"})
"""Aspects that ask whether somebody may have something."""
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
        return tuple(dict.fromkeys(part.unmet for part in self.parts if part.unmet))


def encode_ahead(question: AskedQuestion, sources: Sources) -> None:
    """Begin to encode what `select_statements` will compare statements with."""
    parts = split_questions(question.text, sources.drugs)
    texts = [form for part in parts for form in question_forms(part, sources.drugs)]
    sources.engines[0].encode_ahead(texts)


def select_statements(question: AskedQuestion, sources: Sources) -> Selection:
    """Return for each part of a question the statements that fit it, about 500 words of them."""
    passages: dict[str, QuotedPassage] = {}
    parts = [
        _select_part(text, question, sources, passages)
        for text in split_questions(question.text, sources.drugs)
    ]
    return Selection(without_named(parts), list(passages.values()))


def of_dosage(selection: Selection) -> IndexedStatement | None:
    """Return the first statement that answers, if it is of a label's dosage section."""
    every = (one for part in selection.parts for one in part.statements if one.role == "direct")
    first = next(every, None)
    return first.statement if first and first.statement.group == "dosage" else None


def headed_by(missing: str, selection: Selection) -> Selection:
    """Return a selection under what the sources lack in words."""
    first, *others = selection.parts
    noted = first._replace(premises=(missing, *first.premises))
    return selection._replace(parts=[noted, *others])


def select_warnings(question: AskedQuestion, missing: str, sources: Sources) -> Selection:
    """Return what the labels forbid the very people or pair of a question that cannot be answered.

    `missing` says in words what the sources lack. Empty of statements where they warn of nothing.
    """
    passages: dict[str, QuotedPassage] = {}
    slots = read_slots(question.text, sources.drugs)
    part = _warnings_only(slots, missing, [], sources, passages)
    return Selection([part], list(passages.values()))


def without_named(parts: list[PartSelection]) -> list[PartSelection]:
    """Return the parts without those that met nothing and whose drugs another part's first names.

    "Rate with X against Y": the label of X gives both. That there is no dose is always said.
    """
    firsts = [part.statements[0].statement.said for part in parts if part.statements]
    return [
        part
        for part in parts
        if part.statements
        or not part.slots.drugs
        or part.slots.asks_dosing
        or not any(_names_all(said, part.slots.drugs) for said in firsts)
    ]


def _names_all(said: str, drugs: Sequence[frozenset[str]]) -> bool:
    folded = fold_chars(said)
    return all(name in folded for one in drugs for name in one)


def _select_part(
    text: str, question: AskedQuestion, sources: Sources, passages: dict[str, QuotedPassage]
) -> PartSelection:
    """Return what is quotable for one part; passages that hold it are added to `passages`."""
    slots = read_slots(text, sources.drugs)
    asked = asked_section(slots, sources)
    none = no_contraindications(slots, sources)
    if none and not asked:
        return PartSelection(slots, [], none, ())
    forbidden = pairs_forbidden(slots, sources)
    ranked = ranked_statements(text, question, slots, sources)
    leads = asked or deciding(ranked, forbidden, slots, sources)
    if slots.decides_on_finding and not (leads or asks_time(slots)):
        return _warnings_only(slots, nothing_on_findings(slots), ranked, sources, passages)
    fitting, missing = _that_fit(ranked, slots, sources)
    if asks_listed_use(slots):  # a use that no label lists may be recommended
        fitting = [one for one in fitting if one.statement.kind == "guideline"]
        missing = none if leads or fitting else no_listed_use(slots)
    elif leads:
        of_pair = advice_of_pair(fitting, slots, sources) if leads is forbidden else []
        fitting, missing = of_pair or _on_findings(fitting, slots, leads, sources), none
    documents = named_sources(question.text, sources.engines).documents
    asked_of = [one for one in fitting if one.statement.document_id in documents]
    fitting = arrange(asked_of or fitting, slots, sources)
    leads = leads or forbidden
    if not fitting and not leads:
        return _warnings_only(slots, missing or unmet(slots, []), ranked, sources, passages)
    if not leads and (leads := withdrawals(slots, fitting[:SHOWN], ranked, sources.drugs)):
        fitting = without_doses(slots, fitting, sources.drugs)
    warnings = [] if asked else label_warnings(slots, ranked, sources)
    warnings = [
        one for one in warnings if not starts_other_way(slots, one.statement.said, sources.drugs)
    ]
    warnings += _ceiling(slots, fitting, sources.drugs)
    if settled := of_no_change(slots, [*fitting, *warnings], sources.drugs):
        leads = leads or settled[:1]
        every = without_rules_of_classes(slots, [*settled, *warnings, *fitting], sources.drugs)
        warnings = [one for one in warnings if one in every]
        fitting = [one for one in fitting if one in every]
    usual = usual_dose_of(slots, fitting, ranked, sources.drugs)
    fitting = [*fitting[:1], *usual, *fitting[1:]]
    premises = contradicted(slots, [one.statement for one in fitting], sources.drugs)
    shown = [one.statement for one in (*warnings, *fitting[:SHOWN])]
    near = [one.statement for one in ranked]
    reasons = reasons_of(read_facts(text, sources.drugs), slots.partners)
    silent = unspoken(blanked(text, reasons), shown, near, sources, slots)
    forbidding = forbidding_warnings(slots, warnings, fitting, sources.drugs)
    is_settled = bool(fitting) and excludes_others(slots, fitting[0].statement.said)
    if silent.refusing and not (premises or leads or forbidding or is_settled):
        return _warnings_only(slots, unmentioned(slots, silent.refusing), ranked, sources, passages)
    if not (premises or leads or forbidding or is_settled) and _is_far(slots, fitting):
        return _warnings_only(slots, NOTHING_NEAR, ranked, sources, passages)
    leads, warnings = [*leads, *forbidding], [one for one in warnings if one not in forbidding]
    roles: tuple[tuple[Role, list[RankedStatement]], ...] = (
        ("lead", leads),
        ("warning", warnings),
        ("direct", fitting),
    )
    quotable = [
        _quotable(one, sources, passages, role) for role, members in roles for one in members
    ]
    unsaid = unmentioned(slots, silent.named) if silent.named else ""
    sentences = (
        implausible(slots),
        estimated_kidneys(slots),
        unsaid,
        *(p.sentence for p in premises),
    )
    return PartSelection(slots, quotable, missing, tuple(filter(None, sentences)))


def _is_far(slots: QuestionSlots, fitting: Sequence[RankedStatement]) -> bool:
    """Return whether the first statement is too far from a question that tells a story."""
    names_drug = bool(slots.drugs or slots.partners or slots.regimens)
    least = LEAST_ON_DRUG if names_drug else LEAST_ON_STORY
    return tells_story(slots.text) and bool(fitting) and fitting[0].score < least


def _warnings_only(
    slots: QuestionSlots,
    missing: str,
    ranked: Sequence[RankedStatement],
    sources: Sources,
    passages: dict[str, QuotedPassage],
) -> PartSelection:
    """Return what labels warn the very people or pair of, under what the sources lack in words.

    Silence on a dose must not read as consent to give the drug.
    """
    leads = warnings_for_them(slots, ranked, sources)
    warned = warned_of(slots, ranked, sources) if slots.decides_on_finding else []
    leads = list({one.statement.id: one for one in (*warned, *leads)}.values())
    missing = "" if answers_pair(slots, leads, sources.drugs) else missing
    quotable = [_quotable(one, sources, passages, "lead") for one in leads]
    return PartSelection(slots, quotable, missing, ())


def _that_fit(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> tuple[list[RankedStatement], str]:
    """Return the statements that fit; without any, what none meets.

    Where nobody is asked about, or whether somebody may have something, what there is for some
    people is shown under a line that says so.
    """
    is_open = not slots.people and not slots.diseases
    is_offered = not slots.asks_dosing and bool(slots.aspects & _WHETHER)
    fitting: list[RankedStatement] = []
    special: list[RankedStatement] = []
    read: list[RankedStatement] = []
    labels = LabelIndications(sources)
    turns_on = _rarest_word(slots, sources)
    # What is said of one drug of a pair may stand before what is said of both.
    for one in ranked if slots.partners else _to_read(ranked, slots):
        if len(fitting) == MOST_FITTING:
            break
        read.append(one)
        if turns_on and one.statement.kind == "label" and not share_said(turns_on, one.statement):
            continue  # of a product that nobody asked about
        is_special = False
        for misfit in each_misfit(slots, one.statement, sources.drugs):
            is_special = misfit.slot in _WHOM and (
                misfit.is_qualifier or (is_offered and misfit.slot == "people" and misfit.has != "")
            )
            if not is_special:
                break
        else:
            if is_special:
                if is_open or not statement_slots(one.statement, sources.drugs).has_regimen:
                    special.append(one)  # no dose of others where somebody is asked about
            elif not labels.misfit(slots, one):
                fitting.append(one)
    if fitting and not (is_open and doses_are_for_others(slots, fitting, special, sources)):
        return fitting, ""
    wrong = [
        misfits(slots, one.statement, sources.drugs)
        or tuple(filter(None, [labels.misfit(slots, one)]))
        for one in read
    ]
    return special[:MOST_SPECIAL] if is_open or is_offered else [], unmet(slots, wrong)


def _to_read(ranked: Sequence[RankedStatement], slots: QuestionSlots) -> Iterator[RankedStatement]:
    """Yield the best statements, and of the others those titled for the people asked about."""
    for rank, one in enumerate(ranked):
        if rank < MOST_READ or (slots.drugs and is_titled_for_them(slots, one.statement)):
            yield one


def _rarest_word(slots: QuestionSlots, sources: Sources) -> list[TopicWord]:
    """Return the rarest word of a question that names no drug and no disease: what it is about."""
    if slots.drugs or slots.partners or slots.regimens or slots.classes or slots.diseases:
        return []
    words = topic_words(slots.text, sources.drugs, sources.idf)
    return sorted(words, key=lambda word: -word.weight)[:1]


def _on_findings(
    fitting: Sequence[RankedStatement],
    slots: QuestionSlots,
    leads: Sequence[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return the statements that name a finding as well, besides those that say what to do on it.

    What the sources say in general could be read as a yes to what a finding forbids; so could, for
    one patient or a measured value, all that is not advice.
    """
    if slots.decides_on_finding:
        return []
    asked = {finding.name for finding in slots.findings}
    return [
        one
        for one in fitting
        if asked & {finding.name for finding in read_findings(one.statement.said)}
        and is_of_stage(slots, one, sources)
        and not any(says_same(one.statement, lead.statement) for lead in leads)
    ]


def _ceiling(
    slots: QuestionSlots, fitting: list[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return the maximum of the first dose per kilogram, where another statement has it."""
    by_id = {one.statement.id: one for one in fitting}
    if not fitting:
        return []
    found = ceiling(slots, fitting[0].statement, [o.statement for o in fitting[1:]], drugs)
    return [by_id[found.id]] if found else []


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

"""The statements that answer one part of a question, each with what it does in the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite_quotes
from clinrag_core.answer.complete.announced import with_announced
from clinrag_core.answer.complete.completed_doses import completing
from clinrag_core.answer.complete.lists import after_what_they_refer_to
from clinrag_core.answer.complete.long_pauses import with_long_pauses
from clinrag_core.answer.complete.other_matters import of_other_matters
from clinrag_core.answer.complete.paragraphs import with_antecedent, with_other_branch
from clinrag_core.answer.complete.restrictions import joined, with_orders, with_restriction
from clinrag_core.answer.fit.classes import involves_part
from clinrag_core.answer.fit.conclusive import excludes_others
from clinrag_core.answer.fit.pairs import answers_pair, names_drug
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.unmet import NOTHING_NEAR, nothing_on_findings, unmet
from clinrag_core.answer.generate.protocol import QuotableStatement, Role
from clinrag_core.answer.lead.barred_ages import barred_by_age
from clinrag_core.answer.lead.cautions import with_caution
from clinrag_core.answer.lead.companions import (
    ceiling,
    forbidding_warnings,
    gives_most_for_them,
    of_no_change,
    warns_them,
    without_rules_of_classes,
)
from clinrag_core.answer.lead.deciding import deciding
from clinrag_core.answer.lead.finding_warnings import warned_of
from clinrag_core.answer.lead.forbidden_pairs import (
    advice_of_pair,
    begins_with_pair,
    pairs_forbidden,
    pairs_warned_of,
)
from clinrag_core.answer.lead.forbidden_uses import use_advised_against
from clinrag_core.answer.lead.heavy_patients import weight_to_dose_by
from clinrag_core.answer.lead.label_sections import asked_section, route_forbidden
from clinrag_core.answer.lead.label_warnings import (
    barred_in_guidelines,
    label_warnings,
    no_contraindications,
    no_forecast,
    warnings_for_them,
)
from clinrag_core.answer.lead.people_advice import advice_on_them, said_of_them
from clinrag_core.answer.question.facets import HARM
from clinrag_core.answer.question.first_line import first_line_sentence
from clinrag_core.answer.question.impaired_liver import with_impaired_liver
from clinrag_core.answer.question.pair_order import starts_other_way
from clinrag_core.answer.question.reasons import turning_on
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.brands import nothing_of_brand
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.rank.sites import of_the_site_excepted
from clinrag_core.answer.rank.unspoken import are_reasons, unmentioned, unspoken
from clinrag_core.answer.select.arrange import arrange
from clinrag_core.answer.select.far import NO_SUBJECT, is_dose_of_nothing, is_far
from clinrag_core.answer.select.fitting import in_unsure_tables, that_fit_after
from clinrag_core.answer.select.local_products import of_local_product
from clinrag_core.answer.select.maximum import no_maximum
from clinrag_core.answer.select.pair_dose import pair_dose_first
from clinrag_core.answer.select.plausible import estimated_kidneys, implausible
from clinrag_core.answer.select.premises import contradicted
from clinrag_core.answer.select.ranked import ranked_statements
from clinrag_core.answer.select.withdrawn import withdrawals, withdraws, without_withdrawn
from clinrag_core.facts.routes import NEURAXIAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.scoring import BegunRanking
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.retrieve.engine import SearchEngine

SHOWN = 4
"""Statements of a part that an answer may show."""
NEAREST = 2
"""Statements of a part that every answer shows."""


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


class _Found(NamedTuple):
    """The statements of an answer by what they do in it."""

    leads: list[RankedStatement]
    """What decides a question, or is forbidden: nothing comes before it."""
    warnings: list[RankedStatement]
    fitting: list[RankedStatement]


def select_part(
    text: str,
    question: AskedQuestion,
    sources: Sources,
    passages: dict[str, QuotedPassage],
    begun: BegunRanking | None = None,
) -> PartSelection:
    """Return what is quotable for one part; passages that hold it are added to `passages`.

    `begun` is the ranking of its statements, if it was begun before.
    """
    slots = read_slots(text, sources.drugs)
    if is_dose_of_nothing(slots):
        return PartSelection(slots, [], NO_SUBJECT, ())
    found = _selected(text, question, sources, passages, begun)
    other = "" if found.statements else with_impaired_liver(found.slots)
    return _selected(other, question, sources, passages, None) if other else found


def _selected(
    text: str,
    question: AskedQuestion,
    sources: Sources,
    passages: dict[str, QuotedPassage],
    begun: BegunRanking | None,
) -> PartSelection:
    """Return what is quotable for a part in just these words."""
    slots, drugs = read_slots(text, sources.drugs), sources.drugs
    asked = asked_section(slots, sources)
    none = no_forecast(slots) or no_contraindications(slots, sources)
    left_out = use_advised_against(slots, sources) or barred_by_age(slots, sources)
    if left_out or (none and not asked):
        quotable = [quotable_statement(one, sources, passages, "lead") for one in left_out]
        return PartSelection(slots, quotable, "" if left_out else none, ())
    forbidden = pairs_forbidden(slots, sources)
    ranked = ranked_statements(text, question, slots, sources, begun)
    urged = with_caution(ranked, slots, sources)
    leads = urged or asked or deciding(ranked, forbidden, slots, sources)
    if slots.decides_on_finding and not (leads or slots.asks_time or slots.aspects == HARM):
        return warnings_only(slots, nothing_on_findings(slots), ranked, sources, passages)
    fitting, missing = that_fit_after(leads, ranked, slots, sources, forbid_pair=leads is forbidden)
    fitting = (said_of_them(slots, sources) if missing and not leads else []) or fitting
    fitting, of_brand = _arranged(leads, fitting, ranked, slots, question.text, sources)
    missing = none or missing or of_brand
    on_pair = begins_with_pair(fitting, slots, drugs)
    leads = leads or forbidden or pairs_warned_of(fitting, slots, sources)
    fitting = (advice_of_pair(fitting, slots, sources) if leads is forbidden else []) or fitting
    if not fitting and not leads:
        missing = missing or in_unsure_tables(slots, unmet(slots, []), sources)
        found = warnings_only(slots, missing, ranked, sources, passages)
        warned = [one.statement for one in found.statements]
        return found._replace(unmet="") if _answers_whether(slots, warned, drugs) else found
    if not leads and (leads := withdrawals(slots, fitting[:SHOWN], ranked, drugs)):
        fitting = without_withdrawn(slots, leads, fitting, drugs)
    missing = missing or ("" if leads else no_maximum(slots, fitting))
    warnings = [] if asked else _warnings(slots, ranked, fitting, sources)
    leads, warnings, fitting = _settled(
        _Found(with_announced(leads, sources), warnings, fitting), slots, drugs
    )
    fitting = _completed(fitting, slots, ranked, sources)
    accepted = [one.statement for one in (*fitting, *leads)]
    premises = contradicted(slots, accepted, drugs, [one.statement for one in warnings])
    shown = [one.statement for one in (*leads, *warnings, *fitting[:SHOWN])]
    asking = turning_on(slots, drugs)
    fit = {one.statement.id for one in fitting}
    near = [
        one.statement for one in ranked if one.statement.id in fit or names_drug(slots, one, drugs)
    ]
    silent = unspoken(asking, shown, near, sources, slots)
    forbidding = forbidding_warnings(slots, warnings, fitting, drugs)
    is_settled = bool(fitting) and (
        excludes_others(slots, fitting[0].statement.said)
        or withdraws(slots, fitting[0].statement, drugs)
        or (_is_of_pair(fitting, slots, drugs) and are_reasons(silent.refusing, slots))
    )
    if not (premises or leads or forbidding or is_settled):
        if silent.refusing:
            unsaid = unmentioned(slots, silent.refusing)
            return warnings_only(slots, unsaid, ranked, sources, passages)
        if not on_pair and is_far(slots, fitting, sources):
            return warnings_only(slots, NOTHING_NEAR, ranked, sources, passages)
    warnings = [one for one in warnings if one not in forbidding]
    found = _advised(_Found([*leads, *forbidding], warnings, fitting), slots, sources)
    unsaid = unmentioned(slots, silent.named) if silent.named else ""
    sentences = (
        *_assumed(slots, found, drugs, question.text),
        unsaid,
        *(one.sentence for one in premises),
    )
    quotable = _with_roles(found, sources, passages)
    warned = [one.statement for one in (*found.leads, *found.warnings)]
    missing = "" if _answers_whether(slots, warned, drugs) else missing
    return PartSelection(slots, quotable, missing, tuple(filter(None, sentences)))


def _is_of_pair(
    fitting: Sequence[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> bool:
    """Return whether the first is on a drug with what a patient takes, where no dose is asked.

    Whether they go together does not turn on what the one is given for.
    """
    own = statement_slots(fitting[0].statement, drugs)
    return not slots.asks_dosing and any(involves_part(own, one) for one in slots.partners)


def _arranged(
    leads: list[RankedStatement],
    fitting: list[RankedStatement],
    ranked: Sequence[RankedStatement],
    slots: QuestionSlots,
    question: str,
    sources: Sources,
) -> tuple[list[RankedStatement], str]:
    """Return statements as they are shown, those of a source that is named first.

    With it in words what is missing where none of them is of the brand asked about.
    """
    named = named_sources(question, sources.engines)
    asked_of = [one for one in fitting if one.statement.document_id in named.documents]
    lead, drugs = leads or fitting, sources.drugs
    before = of_the_site_excepted(lead, asked_of or fitting, ranked, slots, drugs)
    arranged = named.each_first(arrange(before, slots, sources))
    arranged = pair_dose_first(arranged, before, slots, drugs)
    return arranged, nothing_of_brand(slots, drugs) if before and not arranged else ""


def _assumed(
    slots: QuestionSlots, found: _Found, drugs: DrugLexicon, question: str
) -> tuple[str, ...]:
    """Return in words what a question leaves open or has wrong, whatever is found."""
    quoted = [one.statement for part in found for one in part]
    return (
        first_line_sentence(slots.text, question),
        of_local_product(slots, quoted, drugs, question),
        implausible(slots),
        estimated_kidneys(slots),
    )


def warnings_only(
    slots: QuestionSlots,
    missing: str,
    ranked: Sequence[RankedStatement],
    sources: Sources,
    passages: dict[str, QuotedPassage],
) -> PartSelection:
    """Return what labels warn the very people or pair of, under what the sources lack in words.

    Silence on a dose must not read as consent to give the drug.
    """
    leads = warnings_for_them(slots, ranked, sources) or said_of_them(slots, sources)
    warned = warned_of(slots, ranked, sources) if slots.decides_on_finding else []
    leads = list({one.statement.id: one for one in (*warned, *leads)}.values())
    missing = "" if answers_pair(slots, leads, sources.drugs) else missing
    quotable = [quotable_statement(one, sources, passages, "lead") for one in leads]
    return PartSelection(slots, quotable, missing, ())


def _warnings(
    slots: QuestionSlots,
    ranked: Sequence[RankedStatement],
    fitting: list[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return the warnings that are shown whatever the ranking says, and the maximum of the dose."""
    warnings = [
        one
        for one in label_warnings(slots, ranked, sources)
        if not starts_other_way(slots, one.statement.said, sources.drugs)
    ]
    if slots.asks_dosing and slots.people:  # a label gives what a guideline is against
        known = {one.statement.id for one in warnings}
        barred = barred_in_guidelines(slots, ranked, sources)
        warnings = [*(one for one in barred if one.statement.id not in known), *warnings]
    warnings = [*weight_to_dose_by(slots, sources), *warnings]
    if slots.asks_dosing and slots.routes and slots.routes <= NEURAXIAL:
        warnings = [*route_forbidden(slots, sources), *warnings]  # of one of its products
    return warnings + _ceiling(slots, fitting, sources.drugs)


def _advised(found: _Found, slots: QuestionSlots, sources: Sources) -> _Found:
    """Return what is found, led by what a label says of the very people where nothing leads."""
    if found.leads:
        whole = (with_other_branch(one, sources) for one in found.leads)
        return found._replace(leads=[with_restriction(one, sources) for one in whole])
    nearest = [one.statement for one in (*found.warnings, *found.fitting[:NEAREST])]
    leads = advice_on_them(slots, nearest, sources)
    ids = {one.statement.id for one in leads}
    fitting = [one for one in found.fitting if one.statement.id not in ids]
    return found._replace(leads=leads, fitting=fitting)


def _completed(
    fitting: list[RankedStatement],
    slots: QuestionSlots,
    ranked: Sequence[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return statements with what completes the first right after it, in it if it has notes."""
    added = completing(slots, fitting, ranked, sources)
    noted = with_orders(added, sources)
    if [one.statement for one in noted] != [one.statement for one in added]:
        parts = [fitting[0].statement, *(one.statement for one in noted)]
        whole = fitting[0]._replace(statement=joined(fitting[0].statement, parts))
        fitting, added = [whole, *fitting[1:]], []
    added += of_other_matters(slots, fitting, ranked, sources)
    known = {one.statement.id for one in added}
    shown = [*fitting[:1], *added, *(o for o in fitting[1:] if o.statement.id not in known)]
    return after_what_they_refer_to(shown)


def _settled(found: _Found, slots: QuestionSlots, drugs: DrugLexicon) -> _Found:
    """Return what is found without rules of classes, where a label leaves the dose of a pair."""
    leads, warnings, fitting = found
    settled = of_no_change(slots, [*fitting, *warnings], drugs)
    if not settled:
        return found
    every = without_rules_of_classes(slots, [*settled, *warnings, *fitting], drugs)
    kept = ([one for one in part if one in every] for part in (warnings, fitting))
    return _Found(leads or settled[:1], *kept)


def _answers_whether(
    slots: QuestionSlots, warned: Sequence[IndexedStatement], drugs: DrugLexicon
) -> bool:
    """Return whether warnings answer what is asked: that there is no more for them is no answer."""
    answers = gives_most_for_them if slots.asks_dosing else warns_them
    return any(answers(slots, one, drugs) for one in warned)


def _with_roles(
    found: _Found, sources: Sources, passages: dict[str, QuotedPassage]
) -> list[QuotableStatement]:
    """Return all that is found as quotable statements, in the order in which it is shown."""
    roles: tuple[Role, ...] = ("lead", "warning", "direct")
    leads, warnings, direct = found
    warnings = [with_antecedent(one, sources) for one in warnings]
    return [
        quotable_statement(one, sources, passages, role)
        for role, members in zip(roles, (leads, warnings, direct), strict=True)
        for one in with_long_pauses(members, sources)
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


def quotable_statement(
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

"""The ranked statements that fit a question, alone and after what leads its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.conclusive import settles_matter
from clinrag_core.answer.fit.people import is_titled_for_them, names_them
from clinrag_core.answer.fit.question_gate import each_misfit, misfits
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.unmet import unmet
from clinrag_core.answer.lead.finding_advice import is_of_stage
from clinrag_core.answer.lead.forbidden_pairs import advice_of_pair
from clinrag_core.answer.lead.label_sections import asks_listed_use, no_listed_use
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.rank.labels import WARNING_GROUPS
from clinrag_core.answer.rank.topic_words import RARE, share_said, topic_words
from clinrag_core.answer.select.label_indications import LabelIndications, doses_are_for_others
from clinrag_core.answer.sources import unsure_tables
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.routes import NEURAXIAL, allows_one_route

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clinrag_core.answer.fit.misfit import Slot
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import Aspect

MOST_READ = 90
"""Ranked statements that the question gate reads at most: it bounds the time. The same vital facts
are found on dev with 150."""
MOST_FITTING = 34
"""Statements that fit, after which no other is read: on dev no answer says another vital fact (with
28, one loses one)."""
_WHOM: frozenset[Slot] = frozenset({"people", "indication"})
_WHETHER: frozenset[Aspect] = frozenset({"who", "contraindication"})
"""Aspects that ask whether somebody may have something."""
NEAREST = 3
"""Statements that are nearest to a question, by judgement."""
FEWEST_WORDS, COVERED = 3, 2 / 3
"""Words of a question, and share of their weight, that make a statement its own, by judgement."""
MOST_TABLES = 3
"""Documents that are named, at most."""
WHOLE = 3
"""Leads that are what a label says of a matter as a whole, by judgement."""
MOST_SPECIAL = 2
"""Statements for other people that are shown where there is none for those asked about."""


def that_fit_after(
    leads: Sequence[RankedStatement],
    ranked: Sequence[RankedStatement],
    slots: QuestionSlots,
    sources: Sources,
    *,
    forbid_pair: bool,
) -> tuple[list[RankedStatement], str]:
    """Return the statements that fit after those that lead; without any, what none meets.

    After what decides a question (with `forbid_pair` a pair that is forbidden) only what cannot be
    read as a yes to it is shown.
    """
    fitting, missing = _that_fit(ranked, slots, sources)
    if asks_listed_use(slots):  # a use that no label lists may be recommended
        fitting = [one for one in fitting if one.statement.kind == "guideline"]
        return fitting, "" if leads or fitting else no_listed_use(slots)
    if not leads:
        if missing and _suggests_other_route(slots):  # what is right is the dose by its own route
            fitting, _ = _that_fit(ranked, slots._replace(routes=frozenset()), sources)
            fitting = [
                one for one in fitting if statement_slots(one.statement, sources.drugs).routes
            ]
        return fitting, missing
    if forbid_pair and (of_pair := advice_of_pair(fitting, slots, sources)):
        return of_pair, ""
    if slots.asks_dosing and slots.routes and allows_one_route(leads[0].statement.said):
        by_its_route = slots._replace(routes=frozenset())  # what is allowed is the dose by that
        return fitting or _that_fit(ranked, by_its_route, sources)[0], ""
    return _on_findings(fitting, slots, leads, sources), ""


def _suggests_other_route(slots: QuestionSlots) -> bool:
    """Return whether a question suggests a dose by a route, not into the spine: "44 mcg SC?"."""
    return bool(slots.suggested and slots.routes) and not slots.routes & NEURAXIAL


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
    words = topic_words(slots.text, sources.drugs, sources.idf)
    is_of_drug = bool(slots.drugs) and not slots.asks_dosing
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
            is_near = len(read) <= NEAREST
            covers = is_of_drug and _covers_question(words, one, sources, is_near=is_near)
            if is_special and not covers:
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
    missing = in_unsure_tables(slots, unmet(slots, wrong), sources)
    return special[:MOST_SPECIAL] if is_open or is_offered else [], missing


def _covers_question(
    words: Sequence[TopicWord], one: RankedStatement, sources: Sources, *, is_near: bool
) -> bool:
    """Return whether a statement on nobody in particular has most of what a question asks.

    "A teenager on both gels, the skin has gone orange" is what is said of the two gels. Of the
    nearest a rare word is enough: a harm is one on dialysis too.
    """
    own = statement_slots(one.statement, sources.drugs)
    if own.people or own.has_regimen or not words:
        return False
    rare = [word for word in words if word.weight >= RARE * greatest(sources.idf)]
    if is_near and rare and share_said(rare, one.statement):
        return True
    return len(words) >= FEWEST_WORDS and share_said(words, one.statement) >= COVERED


def in_unsure_tables(slots: QuestionSlots, missing: str, sources: Sources) -> str:
    """Return what is missing of one drug, with the tables that name it and cannot be quoted."""
    if len(slots.drugs) != 1 or not missing.endswith(" in these sources."):
        return missing
    tables = unsure_tables(slots.drugs[0], sources.engines)
    if not tables:
        return missing
    lacking = missing.removesuffix(" in these sources.")
    where = ", ".join(tables[:MOST_TABLES])
    return f"{lacking} that can be quoted: tables whose headings are not sure name it, in {where}."


def _to_read(ranked: Sequence[RankedStatement], slots: QuestionSlots) -> Iterator[RankedStatement]:
    """Yield the best statements, and of the others those titled for the people asked about.

    A row for the weight asked about is read as well: it has no words of the disease.
    """
    by_weight = slots.asks_dosing and bool(slots.people.weights)
    for rank, one in enumerate(ranked):
        is_row = by_weight and one.statement.statement_kind == "row"
        if (
            rank < MOST_READ
            or (slots.drugs and is_titled_for_them(slots, one.statement))
            or (is_row and names_them(slots, one.statement.said))
        ):
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
    one patient or a measured value, all that is not advice. Where nothing was found, what settles a
    matter that is asked, such as the site of an injection, is no yes to anything else.
    """
    if slots.decides_on_finding:
        return []
    asked = {finding.name for finding in slots.findings}
    if len(leads) >= WHOLE:
        labels = {one.statement.document_id for one in leads if one.statement.kind == "label"}
        fitting = [one for one in fitting if not _repeats_section(one, labels)]
    if not asked:
        return [one for one in fitting if settles_matter(slots, one.statement.said)]
    return [
        one
        for one in fitting
        if asked & {finding.name for finding in read_findings(one.statement.said)}
        and is_of_stage(slots, one, sources)
        and not any(says_same(one.statement, lead.statement) for lead in leads)
    ]


def _repeats_section(one: RankedStatement, labels: Collection[str]) -> bool:
    """Return whether it is of a label whose section is shown, and neither warns nor gives a dose.

    Labels say the same again in highlights, for patients, and of studies.
    """
    is_of_label = one.statement.document_id in labels
    return is_of_label and one.statement.group not in (*WARNING_GROUPS, "dosage")

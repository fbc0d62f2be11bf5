"""The section of a drug's label that a question asks for as a whole: what it is for, an overdose.

No ranking is needed to find it, and none may miss it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import with_lists
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import name_of
from clinrag_core.answer.lead.asked_warnings import asked_warnings
from clinrag_core.answer.lead.checks_before import checks_before
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.lead.titled_matters import titled_matter
from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.rank.brands import of_brand
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.missed_doses import missed_doses
from clinrag_core.facts.routes import (
    INJECTED,
    allows_one_route,
    gap_to_forbidden,
    named_routes,
    stated_routes,
)
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import AskedSection, Aspect

INDICATIONS = "indications"
"""What a combination is for says what its parts are for; of other sections it says more."""
OVERDOSE = "overdosage"
"""What a combination says of an overdose of one of its parts names that part."""
ROUTE_GROUPS = ("dosage", "warnings", "description")
"""Section groups that say by which route a product is given."""
_OR = lazy_re(r"\bor\b", re.IGNORECASE)
_ASKS_AMOUNT = lazy_re(r"\bhow (?:much|big|large|small|often|fast|slowly|quickly)\b", re.IGNORECASE)
_FIGURE = lazy_re(r"\d ?%|\bevery \d", re.IGNORECASE)
_OF_GIVING: frozenset[Aspect] = frozenset({*DOSING, "contraindication", "handling"})
"""Aspects of a question on how a drug is given."""
_OF_HARM = frozenset({"boxed_warning", "warnings"})
MOST_SHOWN, SHORT_ROWS = 8, 80
MOST_WORDS, MOST_WORDS_OF_ALL = 200, 300
"""Statements of a section that are shown, more if they have few words; words of them, and of what
is taken from each heading; by judgement."""


def asked_section(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the statements of the label section that a question asks for, in the label's order.

    Empty where none is, where something narrows the question, or where no label has the drug. A
    product of the drug alone comes before its combinations. What a product is for says nothing of a
    route by which it must not be given.
    """
    if slots.routes and (route_forbidden(slots, sources) or other_route_only(slots, sources)):
        return []
    return (
        checks_before(slots, sources)
        or asked_warnings(slots, sources)
        or _section(slots, sources)
        or titled_matter(slots, sources)
    )


def other_route_only(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what allows one injection only, where a dose by another route is asked for.

    Also where one of them is to be chosen: "IV or only IM?".

    A vial whose guideline names no route is for none but the label's: streptomycin is never given
    into a vein. Nor is a brand that is inhaled only. Empty where a label of the drug is for the
    route asked about.
    """
    asked = slots.routes & INJECTED if slots.asks_dosing else slots.routes
    is_choice = len(asked & INJECTED) > 1 and _OR.search(slots.text) is not None
    is_choice = is_choice and bool(named_routes(slots.text))  # not between buttock and thigh
    if not asked or (asked >= INJECTED and not is_choice) or not _asks_by_route(slots):
        return []
    drug = frozenset[str]().union(*slots.drugs)
    about = [
        one
        for one in of_labels(slots, sources, ROUTE_GROUPS)
        if drug <= {*one.statement.ingredients}
    ]
    asked = frozenset() if is_choice else asked
    if any(asked & {*one.statement.routes} for one in about):
        return []
    of_product = {one.statement.id for one in of_brand(about, slots, sources.drugs)}
    only = (
        one
        for one in about
        if allows_one_route(one.statement.said)
        and (stated_routes(one.statement.said) & INJECTED or one.statement.id in of_product)
        and not stated_routes(one.statement.said) & asked
    )
    return [*only][:1]


def route_forbidden(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what a label says against the route by which a drug is to be given; mostly nothing.

    Not what it says of some people only: "avoid infusions in renal failure". What the route did
    comes with it.
    """
    if not _asks_by_route(slots) or slots.routes >= INJECTED:
        return []  # "where do I inject it" is on no route
    drug = frozenset[str]().union(*slots.drugs)
    about = [
        one
        for one in of_labels(slots, sources, (*WARNING_GROUPS, *ROUTE_GROUPS, "indications"))
        if drug <= {*one.statement.ingredients}
        and not slots.routes & {*one.statement.routes}
        and slots.routes & stated_routes(one.statement.said)
        and not statement_slots(one.statement, sources.drugs).people
    ]
    against: list[RankedStatement] = []
    for route in sorted(slots.routes):  # one that forbids another route is silent on this one
        gaps = [(gap_to_forbidden(o.statement.said, frozenset([route])), o) for o in about]
        forbidding = [(gap, one) for gap, one in gaps if gap is not None]
        if forbidding and not any(one in against for _, one in forbidding):
            against.append(min(forbidding, key=lambda found: found[0])[1])
    harms = [one for one in about if one.statement.group in _OF_HARM and one not in against]
    return [*against, *harms[:1]] if against else []


def bolus_forbidden(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what a label says against giving a drug all at once, if that is asked about."""
    wordings = slot_lexicon().wordings
    if not slots.drugs or not wordings.at_once.search(fold_chars(slots.text)):
        return []
    drug = frozenset[str]().union(*slots.drugs)
    found = (
        one
        for one in of_labels(slots, sources, (*WARNING_GROUPS, *ROUTE_GROUPS))
        if drug <= {*one.statement.ingredients}
        and wordings.not_at_once.search(fold_chars(one.statement.said))
    )
    return [one for one in [next(found, None)] if one is not None]


def _asks_by_route(slots: QuestionSlots) -> bool:
    """Return whether a question asks for a dose by a route, or whether a drug is given so."""
    is_on_giving = not slots.aspects or slots.aspects & _OF_GIVING
    return bool(slots.routes and slots.drugs and is_on_giving)


def asks_listed_use(slots: QuestionSlots) -> bool:
    """Return whether a question asks if a label lists a disease: no other section answers it."""
    wanted = _asked(slots)
    return wanted is not None and wanted.of_disease


def no_listed_use(slots: QuestionSlots) -> str:
    """Return in words that nothing here lists what the drugs of a question are for."""
    drugs = " or ".join(name_of(one) for one in slots.drugs)
    return f"No label here lists what {drugs} is for."


def _section(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the statements of the section asked for, those that state it before others."""
    wanted = _asked(slots)
    if wanted is None:
        return []
    drug = frozenset[str]().union(*slots.drugs)
    about = [
        one
        for one in of_labels(slots, sources, wanted.groups)
        if drug <= {*one.statement.ingredients}
        and wanted.heading.search(fold_chars(" > ".join(one.statement.headings)))
        and _is_of_as_many(slots, one.statement.said)
    ]
    alone = [one for one in about if drug == frozenset(one.statement.ingredients)]
    every = alone or (about if INDICATIONS in wanted.groups else [])
    if not every and OVERDOSE in wanted.groups:
        every = [one for one in about if drug & _named(one, sources)]
    stating = [one for one in every if wanted.says.search(fold_chars(one.statement.said))]
    if wanted.says_only:
        every = stating
    if every and not wanted.each_heading:
        present = {one.statement.group for one in every}
        first_group = next(group for group in wanted.groups if group in present)
        every = [one for one in every if one.statement.group == first_group]
    first = _first_of_each(every) if wanted.each_heading else []
    most_words = MOST_WORDS_OF_ALL if wanted.each_heading else MOST_WORDS
    chosen: list[RankedStatement] = []
    words = 0
    for one in sorted(every, key=lambda one: (one not in first, *_rank(one, slots, wanted))):
        if any(says_same(one.statement, other.statement) for other in chosen):
            continue
        words += len(one.statement.said.split())
        is_full = len(chosen) >= MOST_SHOWN and words > SHORT_ROWS
        if is_full or (chosen and words > most_words):
            break
        chosen.append(one)
    chosen = sorted(chosen, key=lambda one: (_lacks_figure(one, slots), every.index(one)))
    return with_lists(chosen, slots, sources) if wanted.each_heading else chosen


def _named(one: RankedStatement, sources: Sources) -> frozenset[str]:
    """Return the drugs that a statement, or the label that heads it, names."""
    own = statement_slots(one.statement, sources.drugs)
    return own.said_drugs | own.drugs_of(one.statement.run_in)


def _is_of_as_many(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text is on as many missed doses as a question, if both say how many."""
    asked = missed_doses(slots.text)
    has = missed_doses(said) if asked else ()
    return not has or any(one.meets(other) for one in asked for other in has)


def _first_of_each(statements: Sequence[RankedStatement]) -> list[RankedStatement]:
    """Return the first statement under each heading."""
    by_heading = {one.statement.headings: one for one in reversed(statements)}
    return list(by_heading.values())


def _rank(
    one: RankedStatement, slots: QuestionSlots, wanted: AskedSection
) -> tuple[bool, bool, bool]:
    """Return the sort key of a statement: on the disease asked about, then stating the section.

    Where it is asked how much or how often, those with figures come before others.
    """
    said = one.statement.said
    named = any(agree(asked, has) for asked in slots.diseases for has in diseases(said))
    return not named, _lacks_figure(one, slots), not wanted.says.search(fold_chars(said))


def _lacks_figure(one: RankedStatement, slots: QuestionSlots) -> bool:
    """Return whether it is asked how much, how fast or how often, and a statement has no figure."""
    asks = _ASKS_AMOUNT.search(slots.text) is not None
    return asks and not _FIGURE.search(one.statement.said)


def _asked(slots: QuestionSlots) -> AskedSection | None:
    """Return the section of labels that a question on a drug asks for as a whole."""
    if not slots.drugs or slots.partners:
        return None
    folded, narrowed = fold_chars(slots.text), slots.findings or slots.people
    return next(
        (
            one
            for one in slot_lexicon().asked_sections
            if (one.of_patients or not narrowed)
            and (one.of_disease or not slots.diseases)
            and (one.of_dosing or not slots.asks_dosing)
            and says(folded, one.asked)
        ),
        None,
    )

"""Raises statements that are on exactly what a question is narrowed to, or decide what it asks.

"Contacts of MDR-TB" is answered by what is said of MDR-TB before what is said of all contacts; "may
a child have X" by what is said of children and X before the doses of adults.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.companions import forbids_pair
from clinrag_core.answer.fit_people import is_titled_for_them, names_them
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.answer.topic_words import share_said, topic_words
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.facts.routes import allows_one_route, named_routes, stated_routes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.select import RankedStatement
    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.answer.statement_slots import StatementSlots
    from clinrag_core.answer.topic_words import TopicWord
    from clinrag_core.model.statement import IndexedStatement

SPECIFIC = 0.3
"""Added to the score of a statement that names all that narrows the question."""
DECISIVE = 0.6
"""Added instead where a statement gives the very people their dose, or decides whether they may
have it; by judgement: what to measure before a dose comes after it."""
CONCLUSIVE = 1.2
"""Added where a statement forbids the route asked about, or gives the limit of the measure asked
for, by judgement: it comes before doses by other routes and all that only names the measure."""
RESISTANT = 0.75
"""Taken from what is said of resistant disease where that is not asked about, by judgement: more
than `DECISIVE`, since a disease of the field adds to it."""
COVERED = 0.4
"""Share of the weight of a question's words that a statement says which decides what it asks."""
MOST_BESIDES = 0.25
"""Share of that weight below which a time or dose is that of something else."""
_WITH_ONLY = re.compile(
    r"\bonly (?:with|using|by means of|through|via)\b"
    r"|\b(?:use|administer)(?:ed|d)? only (?:with|the)\b"
)
"""What makes the one thing named the only one: "only with the nebulizer of the kit"."""
_EXPLAINS = re.compile(r"\s*[:–—]\s|\s(?:is|are|means?|refers? to|(?:is|are) defined as)\s")
_ON_TREATMENT = re.compile(
    r"\b(?:treat|therap|phase|regimen|tablet|capsule|drug|dos|course|prophyla|prevent)\w*"
)
_STUDIED = re.compile(r"\b(?:stud(?:y|ies)|trials?|participants|protocol|(?:meta-?)?analys[ei]s)\b")
_NO_ADVICE = re.compile(
    r"\bresearch (?:priorit|gap|need|question|agenda|recommendation)\w*"
    r"|\b(?:photo|image) credits?\b"
    r"|\bkey differences\b"
    r"|\b(?:summary of )?changes\b[^>]*\b(?:guideline|recommendation|edition|version)s?\b"
    r"|\b(?:outcome|process|programme|control|quality|tb) indicators?\b"
)
"""Headings of what is to be studied, what an earlier edition said and how programmes count."""
_MEALS_ASKED = re.compile(
    r"\b(?:with|without|before|after|on)\b(?: \w+){0,2} (?:food|meals?|eating|breakfast|stomach)\b"
    r"|\bwith food\b|\bwith meals\b|\bfasting\b"
)
_BY_MEALS = re.compile(
    r"\b(?:give|given|take|taken|taking|administer(?:ed)?|swallow(?:ed)?|dose)\b[^.;]{0,90}"
    r"\b(?:(?:with|without|before|after|between|regard(?:less)? (?:of|to)|irrespective of)"
    r"(?: \w+){0,2} (?:food|meals?|eating|breakfast)|(?:empty|full) stomach)\b"
)
_PREFERS = re.compile(r"\bprefer(?:red|able|ably|ence)\b|\b(?:first|of) choice\b|\bfirst-choice\b")
MOST_BEFORE = 2
"""Words next to a term before its definition: "a case of", "(MDR-TB)"."""
_BY_CLEARANCE = frozenset({"renal_impairment"})
_RESISTANT_ONLY = frozenset({"resistant"})
_NARROWING = ("site", "hiv_status", "dose_level", "smear", "amplification")


def most_exact_first(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements by their scores and what is added where they are on exactly what is asked.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    words = topic_words(slots.text, sources.drugs, sources.idf)
    raised = [one._replace(score=one.score + _added(one, slots, sources, words)) for one in fitting]
    return sorted(raised, key=lambda one: -one.score)


def _added(
    one: RankedStatement, slots: QuestionSlots, sources: Sources, words: Sequence[TopicWord]
) -> float:
    """Return what is added to the score of a statement."""
    said = one.statement.said
    folded = fold_chars(said)
    wordings = slot_lexicon().wordings
    own = statement_slots(one.statement, sources.drugs)
    is_titled = bool(slots.drugs) and is_titled_for_them(slots, one.statement)
    names = bool(slots.people) and names_them(slots, said)
    asks_resistance = slots.facet("resistance") or slots.resistance.to or slots.regimens
    is_resistant = not asks_resistance and _is_on_resistance(slots, own)
    if is_resistant or _is_no_advice(slots, one.statement):
        return -RESISTANT
    is_limit = "stopping" in slots.aspects and _gives_limit(slots, said)
    if slots.asks_dosing and not is_limit:
        is_decisive = names and (own.has_regimen or says(folded, wordings.says_dose))
        answers = own.has_regimen or wordings.decides.search(folded) is not None
        is_decisive |= is_titled and answers
        names_none = not (slots.drugs or slots.regimens or slots.classes or slots.people)
        is_besides = names_none and words and not _ON_TREATMENT.search(fold_chars(slots.text))
        if is_besides and share_said(words, one.statement) < MOST_BESIDES:
            return -DECISIVE  # the days of something else: of isolation
        if _STUDIED.search(without_cross_references(folded)) and not wordings.usual_dose.search(
            folded
        ):
            return -SPECIFIC  # what was given in a study is no advice
    else:
        is_on_group = bool(slots.people) and names_them(slots, said, with_groups=True)
        is_decisive = (is_on_group and _decides(slots, folded)) or is_titled
        is_decisive = is_decisive or forbids_pair(slots, own)
        if is_titled and wordings.decides.search(folded):
            return CONCLUSIVE
        if _concludes(slots, said):
            return CONCLUSIVE
    return (
        DECISIVE
        if is_decisive
        else SPECIFIC * _share_met(slots, one.statement, words, names=names or is_titled)
    )


def _is_no_advice(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a statement stands under a heading of what is no advice, and none is asked."""
    heads = fold_chars(" > ".join(statement.headings))
    return bool(_NO_ADVICE.search(heads)) and not _NO_ADVICE.search(fold_chars(slots.text))


def _is_on_resistance(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a dose, or advice without a drug asked about, is for resistant disease."""
    if slots.asks_dosing:
        return own.facet("resistance") == _RESISTANT_ONLY
    heads = " > ".join(own.statement.headings)
    return not slots.drugs and facet_values(heads, "resistance") == _RESISTANT_ONLY


def _share_met(
    slots: QuestionSlots, statement: IndexedStatement, words: Sequence[TopicWord], *, names: bool
) -> float:
    """Return the share of what narrows a question that a statement names: 0 to 1.

    Where nothing narrows it, 2 for a statement that decides what is asked, in the same words.
    """
    said = statement.said
    met = [bool(read_resistance(said).to & slots.resistance.to)] if slots.resistance.to else []
    heads = " > ".join((*statement.headings[-1:], said))
    met += [bool(facet_values(heads, n) & slots.facet(n)) for n in _NARROWING if slots.facet(n)]
    if slots.people:
        met.append(names)
    if slots.routes:
        met.append(bool(stated_routes(said) & slots.routes))
    folded = fold_chars(said)
    if not any(met) and not slots.asks_dosing:
        worth = 2.0 if _decides(slots, folded) else 1.0 if _settles(slots, folded) else 0.0
        if _PREFERS.search(fold_chars(slots.text)) and _PREFERS.search(folded):
            return 2.0
        share = share_said(words, statement) if worth else 0.0
        return worth * share if share >= COVERED else 0.0
    return sum(met) / max(len(met), 1)


def _decides(slots: QuestionSlots, said: str) -> bool:
    """Return whether a question asks if something may be done, and a text says so or not."""
    wordings = slot_lexicon().wordings
    asks = wordings.asks_leave.search(fold_chars(slots.text)) or "why" in slots.aspects
    return bool(asks and wordings.decides.search(said))


def _settles(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives the times of a check, or what comes first, where asked for."""
    wordings = slot_lexicon().wordings
    if "when" in slots.aspects and wordings.times.search(said):
        return True
    asks_first = wordings.asks_first.search(fold_chars(slots.text))
    return bool(asks_first and wordings.states_first.search(said))


def _concludes(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text answers what is asked, whatever else is nearer to its words."""
    of_measure = _gives_limit(slots, said) or _defines(slots, said)
    return of_measure or _forbids_route(slots, said) or _times_by_meals(slots, said)


def _times_by_meals(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says when to take a drug, before meals or with them, where asked."""
    asks = slots.drugs and _MEALS_ASKED.search(fold_chars(slots.text))
    return bool(asks and _BY_MEALS.search(fold_chars(said)))


def _forbids_route(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text forbids the route asked about, or allows another one only."""
    if slots.routes & named_routes(said):
        prohibits = slot_lexicon().wordings.prohibits
        return bool(says(fold_chars(said), prohibits) or allows_one_route(said))
    return bool(slots.routes and stated_routes(said)) and allows_one_route(said)


def excludes_others(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that only one thing is used, where another is asked about."""
    folded = fold_chars(said)
    asks = slot_lexicon().wordings.asks_leave.search(fold_chars(slots.text))
    return bool(asks and _WITH_ONLY.search(folded))


def _gives_limit(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text has a value of a measure, such as ALT, whose limit is asked for."""
    asks_limit = "criterion" in slots.aspects and "when" not in slots.aspects
    is_checked = slot_lexicon().wordings.checked.search(fold_chars(slots.text))
    if not (asks_limit or ("stopping" in slots.aspects and not is_checked)):
        return False  # a schedule is asked for as well
    if slots.people.conditions & _BY_CLEARANCE and read_people(said).kidney:
        return True
    asked = {finding.name for finding in read_findings(slots.text) if not finding.is_measured}
    return any(found.is_measured and found.name in asked for found in read_findings(said))


def _defines(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text begins with what is to be defined, and explains it."""
    if "definition" not in slots.aspects:
        return False
    opening = _EXPLAINS.split(said, maxsplit=1)
    term = slot_lexicon().aspects["definition"].sub(" ", fold_chars(slots.text))
    wanted = frozenset(key_stems(term)) - plain_stems()
    begins = key_stems(opening[0])
    is_short = len(opening[0].split()) <= len(wanted) + MOST_BEFORE
    is_term = len(opening) > 1 and is_short and wanted.issuperset(begins[:1])
    return is_term and bool(wanted) and wanted.issubset(begins)

"""Raises statements that are on exactly what a question is narrowed to, or decide what it asks.

"Contacts of MDR-TB" is answered by what is said of MDR-TB before what is said of all contacts; "may
a child have X" by what is said of children and X before the doses of adults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import is_on_class_taken
from clinrag_core.answer.fit.conclusive import (
    concludes,
    forbids_to_them,
    gives_limit,
    gives_reason,
    keeps_dose,
    ranks_first,
    settles_first,
    settles_matter,
    tells_end,
    times_by_meals,
    times_check,
)
from clinrag_core.answer.fit.her_child import is_on_her_child
from clinrag_core.answer.fit.limits_of_tests import BOTH_TESTS, asks_both_tests
from clinrag_core.answer.fit.pairs import forbids_pair
from clinrag_core.answer.fit.people import is_titled_for_them, names_them
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asks
from clinrag_core.answer.question.facets import DOSING, HARM
from clinrag_core.answer.question.findings import ruled_out_findings
from clinrag_core.answer.rank.besides import is_besides
from clinrag_core.answer.rank.boosts import (
    ALL,
    BOTH,
    CHOSEN,
    CONCLUSIVE,
    COVERED,
    DECISIVE,
    FIRST,
    OTHER_FORM,
    RESISTANT,
    SPECIFIC,
    TOPIC,
    USUAL_ADULT,
)
from clinrag_core.answer.rank.contacts import on_contacts
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.rank.no_advice import is_no_advice
from clinrag_core.answer.rank.of_drug import (
    changes_with_partner,
    cuts_dose,
    names_harms,
    on_dose_taken,
    only_recommends,
    raises_risk,
    recommends_side,
    warns,
)
from clinrag_core.answer.rank.outcomes import counts_outcome
from clinrag_core.answer.rank.rows import (
    counts_tablets,
    is_row_of_others,
    is_row_on_harm,
    lacks_phase,
)
from clinrag_core.answer.rank.topic_words import is_excepted, share_said, topic_words
from clinrag_core.answer.rank.turning import (
    on_change,
    on_decided,
    on_restart,
    on_standard_regimen,
    on_term,
)
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.facts.dose_forms import named_forms
from clinrag_core.facts.indications import diseases, facet_values
from clinrag_core.facts.quantities import names_share_of
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.facts.routes import stated_routes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.statement import IndexedStatement

_STUDIED = lazy_re(
    r"\b(?:stud(?:y|ies)|trials?|participants|protocol|(?:meta-?)?analys[ei]s)\b"
    r"|\b(?:patients|they) had (?:received|taken|been (?:given|treated))\b"
)
_WHOM = lazy_re(
    r"\b(?:who|whom|(?:which|what) (?:[\w-]+ ){0,3}"
    r"(?:contacts|patients|people|persons|children|adults|groups))\b"
)
_PREFERS = lazy_re(r"\bprefer(?:red|able|ably|ence)\b|\b(?:first|of) choice\b|\bfirst-choice\b")
_ASKS_CHANGE = lazy_re(
    r"\bdos(?:e|ing|age)s?\b[^.?]{0,20}\b(?:go (?:up|down)|chang\w*|increas\w*|adjust\w*|rais\w+)\b"
)
_BOX = lazy_re(r"\b(?:black[- ]?box|boxed warning)\b")
_OPEN: frozenset[Aspect] = frozenset({"why", "contraindication"})
_PREVENTION = frozenset({"prevention"})
_RESISTANT_ONLY = frozenset({"resistant"})
_NARROWING = (
    "site", "hiv_status", "risk", "dose_level", "smear", "culture", "amplification", "phase",
    "bacillary", "reaction",
)  # fmt: skip


def most_exact_first(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements by their scores and what is added where they are on exactly what is asked.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    named = named_sources(slots.text, sources.engines).spans
    words = topic_words(slots.text, sources.drugs, sources.idf, named)
    fitting = [
        one
        for one in fitting
        if not is_besides(slots, words, statement_slots(one.statement, sources.drugs))
    ]
    raised = [one._replace(score=one.score + _boost(one, slots, sources, words)) for one in fitting]
    if slots.asks_dosing and slots.drugs and words:
        raised = [
            one._replace(score=one.score + TOPIC * share_said(words, one.statement))
            for one in raised
        ]
    return sorted(raised, key=lambda one: -one.score)


def _boost(
    one: RankedStatement, slots: QuestionSlots, sources: Sources, words: Sequence[TopicWord]
) -> float:
    """Return what is added to the score of a statement."""
    said = one.statement.said
    own = statement_slots(one.statement, sources.drugs)
    asks_resistance = slots.facet("resistance") or slots.resistance.to or slots.regimens
    is_resistant = not asks_resistance and _is_on_resistance(slots, own)
    turn = on_change(slots, said, sources) or on_term(slots, own, words) or on_contacts(slots, own)
    if turn or (turn := on_dose_taken(slots, said) or on_decided(slots, said)):
        return turn
    is_other = is_resistant or _is_of_more_drugs(slots, own) or _is_on_ruled_out(slots, own)
    is_other = is_other or only_recommends(slots, own) or is_row_on_harm(slots, own)
    is_form = _is_of_other_form(slots, own)
    if is_form or is_other or is_no_advice(slots, one.statement):
        return -OTHER_FORM if is_form else -RESISTANT
    is_limit = "stopping" in slots.aspects and gives_limit(slots, said)
    if times_by_meals(slots, said):  # "why with food?" may take for granted what is not so
        return CONCLUSIVE * (2 if "why" in slots.aspects else 1)
    asks_dose = slots.asks_dosing and not is_limit
    added = _added_to_dose(slots, own, words) if asks_dose else _added_to_advice(slots, own)
    if added:  # "at what ALT do I stop" is answered by nothing but a limit
        return added * (2 if is_limit and "criterion" in slots.aspects else 1)
    is_forbidden = forbids_to_them(slots, said, _NARROWING) and _is_covered(words, one.statement)
    if is_forbidden or _is_boxed_harm(slots, words, one.statement):
        return DECISIVE
    of_others = asks_dose and is_row_of_others(slots, own)
    names = bool(slots.people) and not of_others and names_them(slots, said)
    names = names or (bool(slots.drugs) and is_titled_for_them(slots, one.statement))
    is_reason = gives_reason(slots, said) and _is_covered(words, one.statement)
    is_of_two = len(slots.diseases) > 1 and not slots.facet("site")  # of the meninges it is one
    of_both = is_of_two and slots.diseases <= diseases(said)
    concludes_it = is_on_class_taken(slots, own) or names_share_of(slots.text, said)  # "25% rule"
    is_reason = is_reason or (not words and names_harms(slots, own))
    more = DECISIVE * is_reason + BOTH * of_both + CONCLUSIVE * concludes_it
    return SPECIFIC * _share_met(slots, own, words, names=names) + more


def _is_on_ruled_out(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on nothing but what a patient does not have: "G6PD normal"."""
    names = ruled_out_findings(slots.text)
    return bool(names and own.findings) and names.issuperset(f.name for f in own.findings)


def _is_of_other_form(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on another form than the one asked about: tablet, capsule."""
    asked = named_forms(slots.text)
    has = named_forms(own.statement.said) if asked else frozenset[str]()
    return bool(has) and has.isdisjoint(asked)


def _is_of_more_drugs(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a drug that is asked about alone is named by the letters of a regimen only."""
    if len(slots.drugs) != 1 or slots.partners or slots.regimens or not own.said_codes:
        return False
    return not slots.drugs[0] & own.drugs_of_names and bool(own.said_drugs - slots.drugs[0])


def _is_boxed_harm(
    slots: QuestionSlots, words: Sequence[TopicWord], statement: IndexedStatement
) -> bool:
    """Return whether a boxed warning is on the harm that alone is asked for."""
    asks_harm = slots.drugs and not slots.people and slots.aspects == HARM
    if statement.group != "boxed_warning":
        return False
    asks_box = _BOX.search(fold_chars(slots.text)) and names_them(slots, statement.said)
    return bool(asks_box or (asks_harm and _is_covered(words, statement)))


def _is_covered(words: Sequence[TopicWord], statement: IndexedStatement) -> bool:
    """Return whether a statement says enough of the words of a question."""
    return bool(words) and share_said(words, statement) >= COVERED


def _added_to_dose(slots: QuestionSlots, own: StatementSlots, words: Sequence[TopicWord]) -> float:
    """Return what is added for how a statement gives a dose that is asked for."""
    folded = fold_chars(own.statement.said)
    wordings = slot_lexicon().wordings
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    named = own.said_drugs | (own.label & asked)
    is_on_other = slots.partners and named and not any(one <= named for one in slots.drugs)
    if is_on_other or lacks_phase(slots, folded) or is_excepted(words, folded):
        return -RESISTANT
    names = bool(slots.people) and names_them(slots, own.statement.said)
    names = names and not is_row_of_others(slots, own)
    has_dose = own.has_dose or counts_tablets(own)
    # "Half of the maintenance dose" has no figure.
    has_dose = has_dose or (says(folded, wordings.says_dose) and says(folded, wordings.other_dose))
    is_studied = _STUDIED.search(without_cross_references(folded))
    is_studied = is_studied or own.statement.group in slot_lexicon().not_dosing
    if is_studied and not wordings.usual_dose.search(folded):
        return -RESISTANT  # what was given in a study is no advice
    is_titled = bool(slots.drugs) and is_titled_for_them(slots, own.statement)
    decides = wordings.decides.search(folded) is not None
    asks_change = bool(slots.people.ages) and asks(slots.text, "other_dose")
    at_figures = names and has_dose and (slots.people.kidney or slots.people.weights)
    is_kept = keeps_dose(slots, own.statement.said)
    is_decided = asks_change and is_titled and decides
    is_decided = is_decided or _is_to_prevent(slots, own) or _is_course_of_site(slots, own)
    is_decided = is_decided or tells_end(slots, own.statement.said)
    is_decided = is_decided or on_standard_regimen(slots, own)
    if at_figures or is_kept or is_decided:
        return CONCLUSIVE  # the dose at just these figures, before what to monitor there
    by_share = any(q.kind == "percent" for q in own.facts.quantities) and has_dose
    if (own.has_regimen or by_share) and any(one <= named for one in slots.partners):
        share = len(asked & named) / len(named)
        # The doses of the pair, before that one is changed and before those of several pairs.
        of_pair = DECISIVE * (2 * share - 1)
        return 2 * CONCLUSIVE if _changes_in_pair(slots, folded) else of_pair
    if _is_for_all(slots) and wordings.usual_adult.search(folded):
        return USUAL_ADULT
    answers = own.has_regimen or decides
    is_decisive = names and (own.has_regimen or says(folded, wordings.says_dose))
    is_decisive = is_decisive or settles_matter(slots, own.statement.said)
    return DECISIVE if is_decisive or (is_titled and answers) else 0.0


def _is_course_of_site(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text gives the course of treatment of the very site, where that is asked.

    Not how long a drug is given besides it.
    """
    site, said = slots.facet("site"), own.statement.said
    if "duration" not in slots.aspects or slots.drugs or not site or own.drugs_of_names:
        return False
    heads = " > ".join((*own.statement.headings[-1:], said))
    is_course = says(fold_chars(said), slot_lexicon().wordings.says_duration)
    return is_course and bool(facet_values(heads, "site") & site)


def _is_to_prevent(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a dose is one to prevent a disease, where that is asked."""
    said = facet_values(own.statement.said, "purpose")
    return own.has_regimen and said == slots.facet("purpose") == _PREVENTION


def _changes_in_pair(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text changes a dose, where it is asked whether it has to change."""
    is_asked = _ASKS_CHANGE.search(fold_chars(slots.text)) is not None
    return is_asked and says(said, slot_lexicon().wordings.other_dose)


def _is_for_all(slots: QuestionSlots) -> bool:
    """Return whether nothing narrows whose dose is asked, and for what."""
    narrowed = slots.people or slots.partners or slots.findings or slots.diseases or slots.routes
    return not (narrowed or slots.suggested or slots.course or slots.aspects - DOSING)


def _added_to_advice(slots: QuestionSlots, own: StatementSlots) -> float:
    """Return what is added for how a statement decides what is asked, where that is no dose."""
    said = own.statement.said
    folded = fold_chars(said)
    if on_restart(slots, folded) or raises_risk(slots, own):
        return 3 * CONCLUSIVE  # what is said after a reaction, or of others, has its words
    is_titled = bool(slots.drugs) and is_titled_for_them(slots, own.statement)
    if (
        (own.has_regimen and _is_of_study_asked(slots, folded))
        or (is_titled and slot_lexicon().wordings.decides.search(folded))
        or concludes(slots, said)
        or recommends_side(slots, own, folded)
        or cuts_dose(slots, own, folded)
        or counts_outcome(slots, said)
        or on_standard_regimen(slots, own)
        or changes_with_partner(slots, own)
        or (warns(slots, folded) and names_them(slots, said, with_groups=True))
    ):
        return CONCLUSIVE
    if is_on_her_child(slots, own.statement):
        return CONCLUSIVE if own.has_regimen else DECISIVE
    is_on_group = bool(slots.people) and names_them(slots, said, with_groups=True)
    is_decisive = (is_on_group and _decides(slots, folded)) or is_titled
    return DECISIVE if is_decisive or forbids_pair(slots, own) else 0.0


def _is_of_study_asked(slots: QuestionSlots, said: str) -> bool:
    """Return whether how a drug was given in a study is asked for, and a text says it of one."""
    asked = fold_chars(slots.text)
    of_study = slot_lexicon().wordings.of_study
    is_dose = slot_lexicon().aspects["dose"].search(asked)
    return bool(is_dose and of_study.search(asked) and _STUDIED.search(said))


def _is_on_resistance(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a dose, or advice without a drug asked about, is for resistant disease."""
    if slots.asks_dosing or ("regimen" in slots.aspects and not slots.drugs):
        return own.facet("resistance") == _RESISTANT_ONLY
    heads = " > ".join(own.statement.headings)
    return not slots.drugs and facet_values(heads, "resistance") == _RESISTANT_ONLY


def _share_met(
    slots: QuestionSlots, own: StatementSlots, words: Sequence[TopicWord], *, names: bool
) -> float:
    """Return the share of what narrows a question that a statement names: 0 to 1.

    Where nothing narrows it, 2 for a statement that decides what is asked, in the same words.
    """
    statement = own.statement
    said = statement.said
    asked_to, met = slots.resistance.to, list[float]()
    if asked_to:  # of two kinds of resistance a text on both is nearer
        met.append(len(read_resistance(said).to & asked_to) / len(asked_to))
    if "regimen" in slots.aspects and not slots.drugs:
        met.append(len(own.said_drugs) > 1)
    heads = " > ".join((*statement.headings[-1:], said))
    asked = [(name, values) for name, values in slots.facets if values and name in _NARROWING]
    met += [bool(facet_values(heads, name) & values) for name, values in asked]
    if length := slots.facet("regimen_length"):  # what names both lengths tells them apart
        met.append(facet_values(heads, "regimen_length") == length)
    if slots.people:
        met.append(names)
    if slots.routes:
        met.append(bool(stated_routes(said) & slots.routes))
    folded = fold_chars(said)
    of_two = BOTH_TESTS if asks_both_tests(slots) else _PREFERS  # "both tests?", "TST or IGRA?"
    if len(slots.facet("skin_test")) > 1 and of_two.search(folded):
        is_theirs = not slots.people or names_them(slots, said, with_groups=True)
        return CHOSEN if is_theirs else 0.0
    if not any(met) and not slots.asks_dosing:
        worth = 2.0 if _decides(slots, folded) else 1.0 if settles_first(slots, folded) else 0.0
        asks_whom = _WHOM.search(fold_chars(slots.text))
        is_it = (asks_whom and ranks_first(slots, folded)) or times_check(slots, folded)
        is_it = is_it and not met  # what narrows the question is not in it
        is_on_it = not words or share_said(words, statement) >= COVERED
        if is_it and is_on_it:
            return FIRST
        rarest = sorted(words, key=lambda word: -word.weight)[:1]
        is_on_it = not rarest or share_said(rarest, statement) > 0
        if is_on_it and _PREFERS.search(fold_chars(slots.text)) and _PREFERS.search(folded):
            return 2.0
        share = _share_of_asked(slots, words, statement) if worth else 0.0
        return worth * share if share >= COVERED else 0.0
    return ALL if len(met) > 1 and all(met) else sum(met) / max(len(met), 1)


def _share_of_asked(
    slots: QuestionSlots, words: Sequence[TopicWord], statement: IndexedStatement
) -> float:
    """Return the share of a question's words that a statement says, or 1 if it has its aspect.

    "Do we need baseline LFTs?" has no word but those of its aspect; whether something is safe is
    asked of anything.
    """
    if words or not slots.aspects.isdisjoint(_OPEN):
        return share_said(words, statement)
    return float(not slots.aspects.isdisjoint(statement.aspects))


def _decides(slots: QuestionSlots, said: str) -> bool:
    """Return whether a question asks if something may be done, and a text says so or not.

    "X in a newborn?" asks nothing else.
    """
    is_bare = bool(slots.people) and not (slots.aspects or slots.is_case)
    is_asked = is_bare or asks(slots.text, "asks_permission") or "why" in slots.aspects
    return is_asked and slot_lexicon().wordings.decides.search(said) is not None

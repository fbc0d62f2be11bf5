"""What a question turns on, whatever is nearer to it: a term defined, a switch, another drug."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.conclusive import (
    defines,
    names_avoided,
    ranks_first,
    settles_length,
)
from clinrag_core.answer.fit.pairs import is_on_pair
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.question.facets import LENGTH
from clinrag_core.answer.question.pair_order import is_on_ending, starts_other_way, tells_switch
from clinrag_core.answer.rank.boosts import CONCLUSIVE, DECISIVE
from clinrag_core.answer.rank.labels import WARNING_GROUPS
from clinrag_core.answer.rank.topic_words import not_said, says_other_drug
from clinrag_core.facts.completed_courses import is_after_course
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.negation import is_denied
from clinrag_core.facts.people import ADULT, read_people
from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.facts.treatment_months import treatment_months
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import Sources

_STANDARD = lazy_re(
    r"\b(?:standard|recommended|usual)\b[^.;:]{0,40}\bregimens?\b"
    r"[^.;:]{0,60}(?:\b(?:is|are|consists?)\b|:)"
)
_OTHER_REASONS = lazy_re(r"\b(?:for )?reasons other than\b")
_HAD = lazy_re(
    r"\b(?:had|took|taken|received|used|been on|exposed to|exposure to|treated with)\b[^.?]{0,60}"
    r"\b(?:last|ago|before|previously|earlier|in (?:19|20)\d\d)\b"
    r"|\b(?:ago|last year|in the past|previously),? (?:s?he |they |i )?"
    r"(?:had|took|received|used|was (?:on|given|treated))\b"
    r"|\bnever (?:had|received|took|taken)\b"
    r"|\b(?:previous|prior|past)(?:ly)? (?:exposure|exposed|use|course)\b"
)
_HAD_BEFORE = lazy_re(
    r"\b(?:previous|prior)(?:ly)? (?:expos\w+|use[ds]?\b|receiv\w+)|\bbeen exposed to\b"
    r"|\bnot (?:previously )?(?:been )?(?:received|exposed)\b[^.]*\bpreviously\b"
)
"""What a question and a text say of drugs that somebody had before."""
_REACTED = lazy_re(r"\breact(?:ion|ed)")
_REACTIONS = frozenset({"hypersensitivity", "rash"})
"""What makes a drug one that may not be started again, and what is said where there was none."""

_MONITORS = lazy_re(
    r"\b(?:monitor\w*|respon(?:d\w*|se)|follow[- ]?up|(?:is|are|was) working|cured?)\b"
)
_NOT_BY = lazy_re(
    r"\bnot (?:be )?(?:suitable|used|useful|recommended|appropriate)\b[^.;]{0,40}\bmonitor\w*"
)
"""What a test is to show, and what says that it does not."""
_REPEATS = lazy_re(r"\b(?:repeat\w*|re-?test\w*|re-?check\w*|(?:done|do|test\w*) again)\b")
_NOT_AGAIN = lazy_re(
    r"\b(?:additional|further|repeat(?:ed)?)\b[^.;]{0,40}\btests?\b[^.;]{0,40}\bnot\b"
    r"|\btests?\b[^.;]{0,40}\b(?:should|need) not be repeated\b"
)
_ASKS_PREFERRED = lazy_re(r"\bwhich\b[^?]{0,30}\bprefer\w*")
_SAYS_PREFERRED = lazy_re(r"\bprefer(?:red|s|ably|able|entially)?\b")
_ASKS_AFTER_END = lazy_re(
    r"\bafter\b[^?.]{0,40}\b(?:finish|complet|end(?:ed|s|ing)?\b)"
    r"|\b(?:follow[- ]?up|monitor\w*|check\w*|what (?:next|now))\b[^?.]{0,40}\b(?:finish|complet)"
)
_AFTER_END = lazy_re(
    r"\bafter (?:treatment|therapy) (?:completion|(?:is|has been) (?:completed|finished)|ends)\b"
    r"|\bafter (?:the )?(?:end of|completion of|completing|finishing) (?:[\w-]+ ){0,3}"
    r"(?:treatment|therapy|regimen|course)\b"
)
"""What is asked of the time after treatment, and what speaks of it."""
_OVERRIDES = lazy_re(r"\b(?:irrespective|regardless) of\b(?P<of>[^.;]*)")
_ORDERS = lazy_re(r"\b(?:must|should)\b")
"""What does not matter, and what comes before it in its sentence where something else decides."""
_DECIDING_WORDS = 3
_ASKS_CHANGE = lazy_re(
    r"\b(?:change|adjust|increase|raise|alter) (?:the |his |her |my )?[a-z-]{6,}\W*\?"
)
_ON_DOSES = ("interactions", "dosage")
"""Section groups that say how a dose is changed, and the question for it."""
_MEASURED = lazy_re(r"% change\b|\bmean change\b|\bcmax\b")
"""What makes a change one that was measured in a study."""


def on_change(slots: QuestionSlots, said: str, sources: Sources) -> float:
    """Return what is added where a text is on the drug of a pair that ends, or on the reverse."""
    if _MEASURED.search(fold_chars(said)):
        return 0.0
    switches = tells_switch(slots, said, sources.drugs)
    if switches is False or starts_other_way(slots, said, sources.drugs):
        return -CONCLUSIVE
    # Before what concludes while both are given.
    return 2 * CONCLUSIVE if switches or is_on_ending(slots, said, sources.drugs) else 0.0


def on_decided(slots: QuestionSlots, said: str) -> float:
    """Return what is added where a text says what decides, or which is preferred, as asked."""
    return _on_preferred(slots, said) or _on_override(slots, said) or _on_end(slots, said)


def _on_end(slots: QuestionSlots, said: str) -> float:
    """Return what is added where what comes after the end of treatment is asked and said."""
    is_asked = not slots.asks_dosing and _ASKS_AFTER_END.search(fold_chars(slots.text))
    return CONCLUSIVE if is_asked and _AFTER_END.search(fold_chars(said)) else 0.0


def _on_override(slots: QuestionSlots, said: str) -> float:
    """Return what is added where a text says what decides, whatever else a question tells of.

    "All with a positive skin smear are multibacillary, irrespective of the number of lesions."
    """
    folded = fold_chars(said)
    match = None if slots.drugs else _OVERRIDES.search(folded)
    start = 1 + max(folded.rfind(mark, 0, match.start()) for mark in ".;") if match else 0
    if match is None or not _ORDERS.search(folded, start, match.start()):
        return 0.0
    asked = set(key_stems(slots.text))
    decides, others = (
        len(asked.intersection(key_stems(one)))
        for one in (folded[start : match.start()], match["of"])
    )
    return 2 * CONCLUSIVE if decides >= _DECIDING_WORDS and others else 0.0


def _on_preferred(slots: QuestionSlots, said: str) -> float:
    """Return what is added where a text says which of several is preferred, and that is asked.

    Of two tests the one for the very people: "skin test or blood test at 3 years?".
    """
    is_choice = len(slots.facet("skin_test")) > 1 and slots.people
    if is_choice and _SAYS_PREFERRED.search(fold_chars(said)):
        return 3 * CONCLUSIVE if names_them(slots, said, with_groups=True) else 0.0
    if slots.drugs or not _ASKS_PREFERRED.search(fold_chars(slots.text)):
        return 0.0
    return DECISIVE if _SAYS_PREFERRED.search(fold_chars(said)) else 0.0


def on_term(slots: QuestionSlots, own: StatementSlots, words: Sequence[TopicWord]) -> float:
    """Return what is added where a statement defines the term, or names the drug, asked for.

    A list of terms is far from a question for an encoder, and so are names from "which drugs".
    """
    said = own.statement.said
    if _is_no_test_of_response(slots, own, words):
        return 3 * CONCLUSIVE  # before what is done on its result
    is_it = defines(slots, said) or settles_length(slots, said) or _is_most_important(slots, said)
    if is_it or _is_of_smear_then(slots, own):
        return 2 * CONCLUSIVE
    if (
        names_avoided(slots, said, own.drugs_of_names)
        or _forbids_in_disease(slots, own)
        or _changes_dose_of_pair(slots, own)
        or _is_of_their_value(slots, said)
    ):
        return CONCLUSIVE
    if (
        is_on_earlier_use(slots, said)
        or (slots.asks_dosing and is_after_course(slots.text, said))
        # What is done without a culture that grows is another rule than the one for all.
        or slots.facet("culture") & own.facet("culture")
        or says_other_drug(words, own.statement)
    ):
        return DECISIVE
    return 0.0


def _changes_dose_of_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label changes a dose of the very pair, where it is asked: "change X?"."""
    asked = slots.partners and _ASKS_CHANGE.search(fold_chars(slots.text))
    if not asked or own.statement.group not in _ON_DOSES:
        return False
    changes = says(fold_chars(own.statement.said), slot_lexicon().wordings.other_dose)
    return changes and is_on_pair(slots, own)


def _forbids_in_disease(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a contraindication names a disease that a patient has.

    Whether somebody with lupus may have the drug is decided there, not by what it is for.
    """
    is_listed = own.statement.group == WARNING_GROUPS[0]
    is_theirs = is_listed and (slots.is_case or slots.is_patient)
    return is_theirs and bool(slots.diseases & diseases(own.statement.said))


def _is_no_test_of_response(
    slots: QuestionSlots, own: StatementSlots, words: Sequence[TopicWord]
) -> bool:
    """Return whether a statement forbids monitoring by a test, or says not to repeat it."""
    asked, said = fold_chars(slots.text), fold_chars(own.statement.said)
    if _REPEATS.search(asked) and names_diagnostics(asked) and _NOT_AGAIN.search(said):
        return True
    if not (_MONITORS.search(asked) and _NOT_BY.search(said)):
        return False
    tests = [word for word in words if names_diagnostics(word.word)]
    return bool(tests) and len(not_said(tests, [own.statement])) < len(tests)


def _is_of_their_value(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text has a rule for the very value that was measured: "trough 3 or more"."""
    measured = [one for one in slots.findings if one.is_measured]
    if not measured:
        return False
    its = [one for one in read_findings(said) if one.is_measured]
    return any(mine.meets(other) for mine in measured for other in its)


def is_on_earlier_use(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says who may have a regimen by what they had before, where asked.

    "She had X for 3 weeks last year: does that rule the regimen out?"
    """
    asked = fold_chars(slots.text)
    is_asked = bool(slots.regimens) and not slots.asks_dosing and _HAD.search(asked)
    return bool(is_asked and _HAD_BEFORE.search(fold_chars(said)))


def _is_most_important(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says what is most important, where that is asked or suggested."""
    is_asked = "most important" in fold_chars(slots.text)
    return is_asked and "most important" in fold_chars(said) and ranks_first(slots, said)


def _is_of_smear_then(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text is on the result of a smear in the very month of treatment asked."""
    if not slots.facet("smear") & own.facet("smear"):
        return False
    begins, colon, _ = own.statement.said.partition(": ")  # "At the end of 6 months: ..."
    levels = (begins if colon else "", *own.levels[1:], own.levels[0])
    named = next(filter(None, map(treatment_months, levels)), frozenset[int]())
    return bool(treatment_months(slots.text) & named)


def on_restart(slots: QuestionSlots, said: str) -> bool:
    """Return whether a folded text is on a drug stopped for no reaction, where it is so asked."""
    if not _OTHER_REASONS.search(said):
        return False
    folded = fold_chars(slots.text)
    mentions = (match.start() for match in _REACTED.finditer(folded))
    reacted = any(one.name in _REACTIONS for one in slots.findings)
    reacted = reacted or any(not is_denied(folded, start) for start in mentions)
    return says(folded, slot_lexicon().wordings.restarts) and not reacted


def on_standard_regimen(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a text gives the standard regimen, or its length, where that is asked for.

    Of those asked about; without anybody, that of adults.
    """
    on_length = slots.aspects == LENGTH and any(
        one.kind == "duration" for one in own.facts.quantities
    )
    is_asked = on_length or ("regimen" in slots.aspects and own.has_regimen)
    if slots.drugs or not (is_asked and _STANDARD.search(fold_chars(own.statement.said))):
        return False
    ages = read_people(own.statement.said).ages
    return (
        names_them(slots, own.statement.said)
        if slots.people
        else not any(one.high <= ADULT for one in ages)
    )

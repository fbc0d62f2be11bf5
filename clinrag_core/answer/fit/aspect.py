"""Whether a statement says what is asked of a drug: its dose, its tests, missed or too many doses.

Figures of an overdose, of a study or of a vial are no dose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.barred_people import bars_them
from clinrag_core.answer.fit.classes import involves_part
from clinrag_core.answer.fit.conclusive import keeps_dose, settles_matter
from clinrag_core.answer.fit.found import other_harm_misfit
from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.pairs import shared_supplements
from clinrag_core.answer.fit.people import is_titled_for_them, names_them
from clinrag_core.answer.fit.slot_words import people_in_words
from clinrag_core.answer.fit.whole_length import whole_length_misfits
from clinrag_core.answer.question.asking import asked_matters, asking_sentences, asks, lists_matters
from clinrag_core.answer.question.facets import DOSING, LENGTH
from clinrag_core.answer.question.pair_order import PAIR, SWITCH
from clinrag_core.facts.missed_doses import (
    meet_missed,
    missed_doses,
    since_last_dose,
    weeks_of_pack,
)
from clinrag_core.facts.negation import says_unknown
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.facts.times import has_other_schedule
from clinrag_core.facts.vomited_doses import vomited_after
from clinrag_core.lexicon.drugs import drug_classes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.lexicon.slots import Aspect

_OF_LEVELS = lazy_re(r"\bnumber of subjects\b|\bmean % change\b|\bcmax\b[^;]*:.*\bauc\b")
"""What heads the columns of a study of levels: its doses are those of the study."""
_BESIDES: frozenset[Aspect] = frozenset({"when", "who", "criterion", "comparison", "stopping"})
"""Aspects that a question about a dose may have as well: "the dose for patients who ..."."""
ALONE, WITH_OTHERS = "no other drug", "use with other drugs"
"""The partner of a drug that is asked about alone, and what else a text is on."""
_DOSE: frozenset[Aspect] = frozenset({"dose"})
_OF_CHANGE: frozenset[Aspect] = frozenset({"when", "duration", "stopping", "criterion"})
"""Aspects of a change of drugs itself, not of the dose after it."""
_AMOUNT: frozenset[Aspect] = frozenset({"dose", "frequency"})
_COURSE: frozenset[Aspect] = frozenset({"dose", "duration"})
_NARROWING = ("stage", "resistance")
"""Facets that make a disease another one to treat."""
_LATENT = frozenset({"latent"})
_TEST: frozenset[Aspect] = frozenset({"test"})
_TREATS = lazy_re(
    r"\bpositive\b.{0,160}\b(?:given|offered|receive|priority for|considered for|start\w*)\b"
    r".{0,60}\b(?:treat\w+|therapy|ipt|tpt)\b"
)
"""Who is treated because a test was positive: it says nothing of the test."""
_TREATMENT = lazy_re(r"\b(?:positive|treat\w*|therapy|prevent\w*|prophyla\w+)\b")
_MECHANISM = lazy_re(
    r"\bmechanisms? of (?:action|resistance)\b|\binhibits (?:the )?(?:bio)?synthesis\b"
    r"|\binhibits [\w-]+ (?:[\w-]+ )?(?:polymerase|synthase|reductase|kinase)s?\b"
)
_ASKS_HOW = lazy_re(
    r"\b(?:mechanisms?|how (?:does|do) [^?]{1,60}\bwork|why|resist\w*|inhibit\w*|mode of action)\b"
)
"""What says how a drug works, and what asks for it."""
_IN_CELLS = lazy_re(r"\bin (?:cell culture|vitro)\b")
_ON_CELLS = lazy_re(
    r"\b(?:vitro|cells?|activ\w+|mechanism|antagoni\w+|resistan\w+|suscept\w+|mic)\b"
)
"""What was seen in a dish, and what asks for it."""
_THERAPY = lazy_re(
    r"\b(?:treat\w*|drugs?|medicines?|antibiotics?|antimicrobials?|regimens?|therap\w+|prophyla\w+)\b"
)
"""What names a treatment without its name."""
_OF_HARM = frozenset({"warnings", "boxed_warning"})
"""Section groups whose doses are those that did harm, or special cases."""


_ONSET = lazy_re(r"\b(?:occur|report|develop|begin|began|appear|start|onset)\w*\b[^.;]*$")
_AFTER = lazy_re(r"\s*(?:or (?:more|later) )?(?:after|following|into)\b")
_ASKS_SINCE = lazy_re(
    r"\b(?:after|onset|begin|begins|appear|occur|infus|drip|run|push|inject|reaction|block)\w*\b"
)
_OF_REACTIONS = lazy_re(r"\bduration of (?:the )?(?:adverse|side|diarrh\w+|symptoms)\b")


def _levels(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a dose is asked and a row is of a study of levels in blood."""
    is_row = own.statement.statement_kind == "row"
    if slots.asks_dosing and is_row and _OF_LEVELS.search(fold_chars(own.statement.said)):
        yield Misfit("aspect", "dose", "levels of a study")


def _onset(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if it is asked how long a drug is given, and a text says when harm began.

    Nor is it how long an infusion runs, or adverse reactions last.
    """
    if slots.aspects != LENGTH or not slots.drugs or _ASKS_SINCE.search(fold_chars(slots.text)):
        return
    folded = fold_chars(own.statement.said)
    lengths = [one for one in own.facts.quantities if one.kind == "duration"]
    if _OF_REACTIONS.search(folded) or (lengths and all(q.unit == "minute" for q in lengths)):
        yield Misfit("aspect", "duration", "another length of time")
    is_onset = (
        _AFTER.match(folded, one.end) and _ONSET.search(folded[lookback(one.start) : one.start])
        for one in lengths
    )
    if lengths and all(is_onset):
        yield Misfit("aspect", "duration", "when harm began")


def aspect_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a dose is asked and the figures are of an overdose, a study or a vial."""
    yield from _missed(slots, own)
    yield from _overdose(slots, own)
    yield from _special_subjects(slots, own)
    yield from _change(slots, own)
    yield from _matters(slots, own)
    yield from _tests(slots, own)
    yield from _treatment(slots, own)
    yield from _mechanism(slots, own)
    yield from _barred(slots, own)
    yield from _levels(slots, own)
    yield from _onset(slots, own)
    yield from whole_length_misfits(slots, own)
    yield from filter(None, [other_harm_misfit(slots, own)])
    if not slots.asks_dosing or slots.aspects - DOSING - _BESIDES:
        return
    texts = (slots.text, own.statement.said)
    # How one drug takes the place of another, and what is done after as many missed doses, with a
    # dose or without: "go on as before".
    if all(SWITCH.search(fold_chars(one)) for one in texts) or meet_missed(*texts):
        return
    lexicon = slot_lexicon()
    group = own.statement.group or ""
    said = fold_chars(own.statement.said)
    leaves_theirs = says(said, lexicon.wordings.no_change) and names_them(slots, said)
    if (about := lexicon.not_dosing.get(group)) and not leaves_theirs:
        yield Misfit("aspect", "dose", about, is_qualifier=not own.figures)
    elif own.figures and not own.has_schedule and says(said, lexicon.wordings.strength):
        yield Misfit("aspect", "dose", "strengths of the product")
    elif (
        not (own.has_regimen or own.has_amount)
        and _is_silent(slots, said)
        and not _rules_out(slots, own, said)
        and not settles_matter(slots, said)
        and not is_titled_for_them(slots, own.statement)  # that nothing is known answers as well
        and not (group == "dosage" and says_unknown(said) and names_them(slots, said))
    ):
        yield Misfit("aspect", ", ".join(sorted(slots.aspects & DOSING)), "", is_qualifier=True)
    is_plain = not (slots.people or slots.partners or slots.findings)
    if (
        is_plain
        and not slots.suggested
        and slots.aspects == _DOSE
        and slots.drugs
        and not (own.has_regimen or own.has_amount)
        and not keeps_dose(slots, own.statement.said)
    ):
        yield Misfit("aspect", "dose", "", is_qualifier=True)
    if is_plain and own.figures and group in _OF_HARM:
        yield Misfit("aspect", "dose", "harms", is_qualifier=True)
    special = {"special_dose": lexicon.wordings.special_dose, "missed": lexicon.wordings.missed}
    is_counted = missed_doses(slots.text) and missed_doses(said)
    if not (is_counted or since_last_dose(slots.text)) and any(
        not asks(slots.text, name) and says(said, wording) for name, wording in special.items()
    ):
        yield Misfit("aspect", "the usual dose", "reduced or missed doses", is_qualifier=True)
    is_alone = len(slots.drugs) < PAIR and not (slots.partners or slots.regimens)
    is_with = group == "interactions" or (own.figures and says(said, lexicon.wordings.given_with))
    if is_alone and is_with and not shared_supplements(slots, said):
        yield Misfit("partner", ALONE, WITH_OTHERS, is_qualifier=True)


def _barred(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of a row's dose for those whom its cell of contraindications names."""
    is_row = own.statement.statement_kind == "row"
    if slots.asks_dosing and is_row and bars_them(slots, own.statement.said):
        yield Misfit("people", people_in_words(slots), "those without it")


def _mechanism(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of how a drug works, unless that is asked, and of what it did to cells.

    That two drugs do not act against each other in a dish is no "yes" for a patient.
    """
    said, asked = fold_chars(own.statement.said), fold_chars(slots.text)
    if _MECHANISM.search(said) and not _ASKS_HOW.search(asked):
        yield Misfit("aspect", "use", "mechanism of action", is_qualifier=True)
    is_for_patient = slots.is_patient or slots.people
    if is_for_patient and _IN_CELLS.search(said) and not _ON_CELLS.search(asked):
        yield Misfit("aspect", "use", "activity in cells")


def _treatment(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of what names no treatment, where it is asked which to choose."""
    if "regimen" not in slots.aspects or slots.drugs or slots.regimens:
        return
    said = fold_chars(own.statement.said)
    names_any = own.facts.drugs or own.has_regimen or drug_classes().search(said)
    if not (names_any or _THERAPY.search(said)):
        yield Misfit("aspect", "treatment", "", is_qualifier=True)


def _special_subjects(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of what says nothing of an exchange of products, or of contraception, asked."""
    wordings = slot_lexicon().wordings
    asking = asking_sentences(slots.text)  # a story's plasma swap is no product's
    subjects = {"contraception": (wordings.contraception, "contraception")}
    if not slots.partners:
        subjects["exchanged"] = (wordings.exchanged, "one product in the place of another")
    for name, (wording, subject) in subjects.items():
        if asks(asking, name) and not any(says(fold_chars(one), wording) for one in own.levels):
            yield Misfit("aspect", subject, "")


def _change(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of what names one of two drugs, where it is asked how one replaces the other.

    How heparin goes over into warfarin is not how apixaban does.
    """
    if len(slots.drugs) == PAIR and slots.aspects & _OF_CHANGE:
        asked, said = (SWITCH.search(fold_chars(o)) for o in (slots.text, own.statement.said))
        named = (o <= own.all_drugs or (said and involves_part(own, o)) for o in slots.drugs)
        if asked and not all(named):
            yield Misfit("aspect", "a change between them", "")


def _matters(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of what does not speak of the matter asked: storage, the QT interval.

    Its headings are left out: they say what others below them speak of.
    """
    said = fold_chars(f"{own.statement.run_in} {own.statement.said}")
    matters = asked_matters(slots.text, of_drug=bool(slots.drugs))
    if lists_matters(slots.text) and any(one.says.search(said) for one in matters):
        return
    for matter in matters:
        is_asked = matter.of_dose or not slots.aspects & _AMOUNT
        if is_asked and not matter.says.search(said):
            yield Misfit("aspect", matter.name, "")
        elif matter.of_active and own.facet("stage") == _LATENT != slots.facet("stage"):
            yield Misfit("indication", "tuberculosis disease", "latent tuberculosis")


def _tests(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of doses, and of what speaks of no test, where a test alone is asked for."""
    if "test" in slots.aspects and not (slots.asks_dosing or slots.drugs):
        is_silent = slots.aspects == _TEST and not any(map(names_diagnostics, own.levels))
        said, asked = fold_chars(own.statement.said), fold_chars(slots.text)
        treats = _TREATS.search(said) is not None and not _TREATMENT.search(asked)
        if own.figures or is_silent or treats:
            about = "doses" if own.figures else "treatment" if treats else ""
            yield Misfit("aspect", "tests", about, is_qualifier=True)


def _missed(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of missed doses: a question on these is answered by what is said of them."""
    missed = slot_lexicon().wordings.missed
    vomited, stated = vomited_after(slots.text), vomited_after(own.statement.said)
    if vomited and stated and not any(o.meets(other) for o in vomited for other in stated):
        yield Misfit("aspect", "this long after the dose", "another time after the dose")
    ago = since_last_dose(slots.text)
    restarts = slot_lexicon().wordings.restarts
    is_on_restart = bool(slots.drugs) and all(
        restarts.search(fold_chars(one)) for one in (slots.text, own.statement.said)
    )
    if (ago or asks(slots.text, "missed")) and not (
        is_on_restart
        or any(says(fold_chars(text), missed) or since_last_dose(text) for text in own.levels)
    ):
        yield Misfit("aspect", "missed doses", "", is_qualifier=True)
    if meet_missed(slots.text, own.statement.said) is False:
        yield Misfit("aspect", "this many missed doses", "another number of missed doses")
    weeks = weeks_of_pack(slots.text)
    if weeks and (its := weeks_of_pack(own.statement.said)) and weeks.isdisjoint(its):
        yield Misfit("aspect", "this week of the pack", "another week of the pack")
    since = next(filter(None, map(since_last_dose, own.levels)), ()) if ago else ()
    if since and not any(one.meets(other) for one in ago for other in since):
        yield Misfit("aspect", "this long since the last dose", "another time since the last dose")
    if ago and has_other_schedule(quantities(slots.text), own.facts.quantities):
        yield Misfit("aspect", "this schedule of doses", "another schedule of doses")


def _overdose(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of a usual dose where somebody took too much: an antidote has another one."""
    if "handling" in slots.aspects or not asks(slots.text, "overdose"):
        return
    overdose = slot_lexicon().wordings.overdose
    texts = (own.statement.group or "", *own.levels)
    is_on_it = any(overdose.search(fold_chars(text)) for text in texts)
    is_advice = own.statement.kind == "guideline" and _COURSE & {*own.statement.aspects}
    if (own.has_regimen or own.codes or is_advice) and not is_on_it:
        yield Misfit("aspect", "an overdose", "usual doses")


def _rules_out(slots: QuestionSlots, own: StatementSlots, said: str) -> bool:
    """Return whether a statement forbids the drug asked about for the very disease asked about.

    "It is not recommended to add X" for strains resistant to Y answers for how long X is added.
    """
    is_for_it = any(slots.facet(one) & own.facet(one) for one in _NARROWING)
    is_for_it = is_for_it or bool(slots.resistance.to & read_resistance(own.statement.said).to)
    names_drug = any(drug <= own.said_drugs for drug in slots.drugs)
    return is_for_it and names_drug and own.forbids


def _is_silent(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text without a figure says nothing of the dose, or of the duration, asked.

    "Not recommended in children" answers the question for a child's dose; "may cause nausea" does
    not.
    """
    wordings = slot_lexicon().wordings
    asks_amount = slots.aspects & _AMOUNT
    if asks_amount and says(said, wordings.says_dose):
        return False
    if (not asks_amount or "duration" in slots.aspects) and says(said, wordings.says_duration):
        return False
    is_on_people = slots.people or slots.partners
    return not (is_on_people and says(said, wordings.prohibits))

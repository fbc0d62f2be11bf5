"""Chooses the warnings that are shown with every answer on a drug for some people or in a pair.

A contraindication or boxed warning of the label for the population or partner asked about must not
depend on how a ranking ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import involves
from clinrag_core.answer.fit.pairs import forbids_pair, is_on_pair, names_pair
from clinrag_core.answer.fit.people import is_about, names_them
from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.fit.ranges import any_meet
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import PAIR
from clinrag_core.answer.rank.labels import WARNING_GROUPS
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.people import ADULT, AGE_GROUPS, read_people
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

MOST_RATES = 2
"""Rates that a warning gives at most, by judgement: a boxed warning has "rates by age are"."""
_ALLERGY = lazy_re(r"\b(?:hypersensitiv\w+|allerg\w+)\b")
_REFERS = lazy_re(
    r"\bfor (?:more )?information about contraindications\b"
    r"|\bcontraindications (?:applicable )?to (?:those|the other|these) (?:agents|drugs)\b"
    r"|\ball contraindications to .{1,80} also apply\b"
    r"|\brefer to the .{1,60}prescribing information for a list of contraindications\b"
    r"|\bcontraindicated in (?:patients|those) for whom .{1,40} (?:is|are) contraindicated\b",
    re.IGNORECASE,
)
"""What names no contraindication, but says where they are."""
_RATE = lazy_re(r"\bper (?:1|10|100)[ ,]?000\b")
SHOWN = 2
_OF_DRUGS = frozenset({"subject", "partner"})
_AMOUNTS = frozenset({"mg", "g"})


def safety_companions(
    slots: QuestionSlots, statements: Iterable[IndexedStatement], drugs: DrugLexicon
) -> tuple[IndexedStatement, ...]:
    """Return up to two warnings on the drugs asked for the people or partner asked about.

    `statements` are those of the labels of the drugs and partners named; others are passed over.
    Contraindications come first, then boxed warnings, then sentences that forbid or advise against.
    """
    ranked: list[tuple[bool, bool, int, int, IndexedStatement]] = []
    for statement in statements:
        if statement.unfit or statement.statement_kind in {"note", "lead_in"}:
            continue
        own = statement_slots(statement, drugs)
        rank = _rank(own)
        if rank is not None and _concerns(slots, own):
            by_class = bool(slots.partners) and not _names_both(slots, own)
            is_text = rank == len(WARNING_GROUPS)  # no contraindication or boxed warning
            ranked.append((is_text, by_class, rank, statement.order, statement))
    ranked.sort(key=lambda one: one[:4])
    return tuple(statement for *_, statement in ranked[:SHOWN])


def forbids_them(slots: QuestionSlots, warning: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a label's contraindication names the very people or partner asked about.

    Nothing that may be given comes before it, nor before what a guideline forbids to those for whom
    somebody asks whether it may be done.
    """
    if warning.kind == "guideline":
        return _is_forbidden(slots, warning, drugs)
    return warning.group == WARNING_GROUPS[0] and warns_them(slots, warning, drugs)


def forbidding_warnings(
    slots: QuestionSlots,
    warnings: Sequence[RankedStatement],
    fitting: Sequence[RankedStatement],
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return the warnings before which nothing is shown that may be given.

    Those that forbid the very people or partner, and what a label advises against a pair of which
    the best statement that fits does not speak: "X is to be part of the regimen" is no yes to it.
    """
    is_on_pair = bool(fitting) and names_pair(slots, statement_slots(fitting[0].statement, drugs))
    return [
        one
        for one in warnings
        if (forbids_them(slots, one.statement, drugs) and not _is_on_part(slots, one.statement))
        or (not is_on_pair and forbids_pair(slots, statement_slots(one.statement, drugs)))
    ]


def _is_on_part(slots: QuestionSlots, warning: IndexedStatement) -> bool:
    """Return whether a warning is on the youngest, where a dose for a child of a weight is asked.

    A child of 12 kg is no newborn.
    """
    ages = read_people(warning.said).ages
    is_child = slots.asks_dosing and slots.people.weights and slots.people.ages
    return bool(is_child and ages) and all(
        age.high < mine.high for age in ages for mine in slots.people.ages
    )


def _is_forbidden(slots: QuestionSlots, advice: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a guideline forbids what is asked to the very people or for their strains."""
    wordings, said = slot_lexicon().wordings, advice.said
    is_on_strains = bool(slots.resistance.to & statement_slots(advice, drugs).resistance.to)
    asks = wordings.asks_permission.search(fold_chars(slots.text)) and not slots.asks_dosing
    if is_on_strains and "latent" in slots.facet("stage") & facet_values(said, "stage"):
        asks = True  # there is no dose of what contacts of resistant disease do not get
    if not asks or not statement_slots(advice, drugs).forbids:
        return False
    return is_on_strains or (bool(slots.people) and _forbids_group(slots, advice, drugs))


def _forbids_group(slots: QuestionSlots, advice: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether advice names the people asked about in a sentence that forbids something.

    "It protects children. Contacts of MDR-TB should not get it" forbids children nothing.
    """
    prohibits = slot_lexicon().wordings.prohibits
    sentences = [one.text for one in statement_slots(advice, drugs).facts.sentences]
    forbidding = [one for one in sentences if says(fold_chars(one), prohibits)]
    return any(names_them(slots, one, with_groups=True) for one in forbidding or [advice.said])


def warns_them(slots: QuestionSlots, warning: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a contraindication or boxed warning names the very people or partner."""
    own = statement_slots(warning, drugs)
    if warning.group not in WARNING_GROUPS:
        return False
    is_own = any(one & own.label for one in slots.drugs)
    of_people = is_own and not slots.partners and _names_group(slots, own)
    return of_people or is_on_pair(slots, own)


def gives_most_for_them(
    slots: QuestionSlots, warning: IndexedStatement, drugs: DrugLexicon
) -> bool:
    """Return whether a warning has a dose for people as ill as those asked about: it is theirs."""
    own, ill = statement_slots(warning, drugs), slots.people.conditions
    return bool(ill) and ill <= own.people.conditions and any(q.kind == "dose" for q in own.figures)


def _names_group(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a warning names the people asked about.

    By a group such as "children" only where it forbids: a boxed warning has rates by age as well.
    """
    is_listed = own.statement.group == WARNING_GROUPS[0] or own.forbids
    return names_them(slots, own.statement.said, with_groups=is_listed)


def stopped_for_another(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return the best advice of a guideline to stop one of a patient's drugs that names two.

    With what its paragraph says of the drugs of the patient after it: "replace it with Z".
    """
    named = [*slots.drugs, *slots.partners]
    if not slots.is_case or len(named) < PAIR:
        return []
    stops = slot_lexicon().wordings.is_to_stop
    for one in ranked:
        own = statement_slots(one.statement, drugs)
        if (
            one.statement.kind == "guideline"
            and sum(drug <= own.said_drugs for drug in named) > 1
            and says(fold_chars(one.statement.said), stops)
            and {misfit.slot for misfit in each_misfit(slots, one.statement, drugs)} <= _OF_DRUGS
        ):
            rest = [
                other
                for other in ranked
                if _block(other) == _block(one)
                and other.statement.order > one.statement.order
                and statement_slots(other.statement, drugs).said_drugs & frozenset().union(*named)
            ]
            return [one, *sorted(rest, key=lambda other: other.statement.order)[:SHOWN]]
    return []


def _block(one: RankedStatement) -> tuple[str, int, int]:
    statement = one.statement
    return statement.document_id, statement.section_ordinal, statement.block


def leaves_dose(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether the label of one drug of a pair says that the other one changes no dose."""
    no_change = slot_lexicon().wordings.no_change
    return is_on_pair(slots, own) and says(fold_chars(own.statement.said), no_change)


def of_no_change(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return the statements by which a pair changes no dose; none where one forbids the pair."""
    read = [(one, statement_slots(one.statement, drugs)) for one in ranked]
    if any(forbids_pair(slots, own) for _, own in read):
        return []
    return [one for one, own in read if leaves_dose(slots, own)]


def without_rules_of_classes(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without what a label says of classes and takes back for the very pair.

    "No dose adjustment with X" is the exception to "halve it with strong inhibitors".
    """
    read = [(one, statement_slots(one.statement, drugs)) for one in ranked]
    labels = {own.label for _, own in read if leaves_dose(slots, own)}
    given_with = slot_lexicon().wordings.given_with
    return [
        one
        for one, own in read
        if own.label not in labels
        or is_on_pair(slots, own)
        or not (
            one.statement.group == "interactions"
            or says(fold_chars(own.statement.said), given_with)
        )
    ]


def ceiling(
    slots: QuestionSlots,
    first: IndexedStatement,
    others: Iterable[IndexedStatement],
    drugs: DrugLexicon,
) -> IndexedStatement | None:
    """Return the statement with the maximum of a dose per kilogram; None if that says it itself.

    One of the same document is preferred. `others` are for the people and disease asked about.
    """
    maximum = slot_lexicon().wordings.maximum
    own = statement_slots(first, drugs)
    by_weight = any("kg" in figure.per for figure in own.figures)
    if not (slots.asks_dosing and by_weight) or maximum.search(fold_chars(first.said)):
        return None
    found: IndexedStatement | None = None
    for other in others:
        read = statement_slots(other, drugs)
        owned = any(
            figure.per in ((), ("day",))
            and figure.unit in _AMOUNTS
            and any(one in sets for one in slots.drugs)
            for figure, sets in zip(read.figures, read.owners, strict=True)
        )
        is_own = other.document_id == first.document_id
        if is_own and first.headings[: len(other.headings)] != other.headings:
            continue  # that of another use, or of other people
        if owned and maximum.search(fold_chars(other.said)):
            if is_own:
                return other
            found = found or other
    return found


def refers_elsewhere(said: str) -> bool:
    """Return whether a text only says where the contraindications of another drug stand."""
    return _REFERS.search(said) is not None


def _rank(own: StatementSlots) -> int | None:
    """Return how strong a warning is, 0 the strongest; None if it is no warning."""
    group = own.statement.group
    is_listed = group in WARNING_GROUPS
    if not (is_listed or own.forbids) or refers_elsewhere(own.statement.said):
        return None
    return WARNING_GROUPS.index(group) if is_listed else len(WARNING_GROUPS)


def _asked(slots: QuestionSlots) -> list[frozenset[str]]:
    return [*slots.drugs, *(ingredients for _, ingredients in slots.regimens)]


def _concerns(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a warning is about a drug asked, with a partner or people asked."""
    if own.animals:
        return False
    asked = [one for one in _asked(slots) if is_about_drug(own, one)]
    if own.said_codes and not own.label:  # a regimen by its letters is none of its drugs alone
        by_name = own.drugs_of_names
        asked = [one for one in asked if len(one) > 1 or one <= by_name]
    taken = [one for one in slots.partners if is_about_drug(own, one)]
    said = own.said_drugs
    others = own.label.difference(*_asked(slots), *slots.partners)
    of_product = bool(slots.partners) and all(one <= own.label for one in slots.partners)
    if of_product and not slots.allergies and _ALLERGY.search(fold_chars(own.statement.said)):
        return False  # an allergy to its parts is of no pair of them

    def is_involved(drug: frozenset[str]) -> bool:
        # Of a product with more drugs only what names a drug is said of it: not of its class.
        return drug <= said if others else involves(own, drug, said)

    # Not what its product has too: no pair, but one medicine.
    if asked and any(is_involved(one) for one in slots.partners if not one & own.label):
        return True
    if taken and any(is_involved(one) for one in _asked(slots) if not one & own.label):
        return True
    if not asked or own.statement.group == "interactions" or _is_of_other_age(slots, own):
        return False
    is_listed = own.statement.group in WARNING_GROUPS  # it may name mothers as well
    is_on_them = is_listed and _names_group(slots, own)
    return (is_on_them or is_about(slots, own)) and not _gives_rates(own)


def _is_of_other_age(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a warning is for another age: one on children warns no man of 82."""
    asked, has = slots.people.ages, own.people.ages
    groups = {one.name for one in own.facts.populations} & AGE_GROUPS.keys()
    is_on_young = groups and all(AGE_GROUPS[one][1] <= ADULT for one in groups)
    if is_on_young and asked and all(one.low >= ADULT for one in asked):
        return True  # "in children of 2 years and more"
    return bool(asked and has) and not any_meet(asked, has)


def _gives_rates(own: StatementSlots) -> bool:
    """Return whether a statement lists how often something occurs: it warns nobody by that."""
    return len(_RATE.findall(fold_chars(own.statement.said))) > MOST_RATES


def is_about_drug(own: StatementSlots, drug: frozenset[str]) -> bool:
    """Return whether a warning is about a drug: of its label, or naming it."""
    if own.label:
        is_part = drug < own.label and any(one <= drug for one in own.said_sets)
        return own.label <= drug or is_part
    return drug <= own.said_drugs


def _names_both(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a warning names a partner that its label is not about, not its class only."""
    pair = [*_asked(slots), *slots.partners]
    return any(one <= own.said_drugs and not one & own.label for one in pair)

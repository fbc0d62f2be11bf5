"""Whether a statement is about the drug asked: owner, product, partner, and whose its figures are.

The owner is the drug that the statement names, else its caption, run-in label or nearest heading,
else the product of its label. A label speaks of its own product; of other drugs only in a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit import pairs
from clinrag_core.answer.fit.classes import (
    involves,
    involves_part,
    is_on_others_stopped,
    names_class,
    names_class_of,
)
from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.pairs import asks_how_two_go, is_on_pair, lists_partners
from clinrag_core.answer.fit.regimens import excludes_from_part, is_of_other_length
from clinrag_core.answer.question.absent_drugs import is_absent
from clinrag_core.answer.question.asking import asks
from clinrag_core.answer.question.pair_order import PAIR
from clinrag_core.answer.question.roles import ASKS_WHICH, is_taken
from clinrag_core.facts.indications import agree
from clinrag_core.facts.quantities import COUNTED_UNITS
from clinrag_core.facts.regimens import letter_drugs
from clinrag_core.facts.strengths import product_strengths
from clinrag_core.lexicon.drugs import classes_of, other_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

_BASED = lazy_re(r"\b([a-z]+)[- ](?:based|containing)\b")
_OMITTED = lazy_re(r"\s+(?:\w+ ){0,2}be (?:omitted|left out|dropped)\b")
"""What is said right after a drug that is not given: "X may be omitted"."""
_CONTRACEPTIVE = "contraceptive"
_FIRST_LINE = frozenset({"ethambutol", "isoniazid", "pyrazinamide"})  # change few other doses
_BY_LINE = lazy_re(r"\bfirst[- ]line (?:treatment|regimens?)\b")
_TB_TREATMENT = lazy_re(r"\b(?:tb|tuberculosis) (?:regimen|treatment|drugs)\b|\banti-?tb\b")
_ABOUT_OTHERS = frozenset({"interaction"})
_ABOUT_LEVELS = frozenset({"interaction", "criterion"})
"""What "what does it do to the level?" asks."""
_PERMISSION = frozenset({"interaction", "contraindication"})
"""What "can she have X with it?" asks."""
_LETTER = lazy_re(r"(?<=– )[HRZES](?= –)")
"""A drug by its letter, as the heading of a column."""


def subject_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield why a statement is not about the drugs, regimens or classes that a question names."""
    yield from _animals(slots, own)
    asked = slots.drugs
    if asked:
        found = [_drug(slots, one, own) for one in asked]
        taken = frozenset[str]().union(*slots.partners)  # a regimen of these is not asked about
        # What is added to a regimen is asked about, not the regimen.
        added = frozenset[str]().union(*asked) if asks(slots.text, "adds") else taken
        of_asked = (o for o in slots.regimens if o[1] - taken and (o[1] & added or added == taken))
        if all(found) and not any(_is_of_regimen(own, *one) for one in of_asked):
            yield found[0]  # pyright: ignore[reportReturnType] - all of them are misfits
        yield from _partners(slots, own)
        yield from _with_another(slots, own)
    yield from _left_out(slots, own)
    yield from _one_of_two(slots, own)
    yield from _of_none_taken(slots, own)
    if slots.unlisted and (
        (own.figures and all(any(owned) for owned in own.owners))
        or slots.unlisted.isdisjoint(key_stems(" ".join(own.levels)))
    ):
        yield Misfit("subject", ", ".join(sorted(slots.unlisted)), name_of(own.near_drugs))
    for code, ingredients in slots.regimens:
        with_part = bool(ingredients & own.said_drugs)  # "X and a drug of it may both cause it"
        on_part = any(
            (one <= ingredients or with_part) and not _drug(slots, one, own) for one in asked
        )
        if (on_part and not slots.asks_dosing) or _is_on_interruption(slots, own):
            continue  # what is said of a drug holds for it in the regimen, but for its dose
        if (
            len(slots.regimens) == 1
            and not _is_of_regimen(own, code, ingredients)
            and not excludes_from_part(own, ingredients)
        ):
            yield Misfit("subject", code, name_of(own.near_drugs))
    taken = frozenset[str]().union(*slots.partners)
    gives = own.near_drugs if slots.asks_dosing and own.has_regimen else frozenset[str]()
    is_of_other = bool((own.label - taken) | gives)
    is_on_class = slots.classes and not (
        asked or slots.regimens or (slots.is_case and not is_of_other)
    )
    if is_on_class and not any(names_class(own, one) for one in slots.classes):
        yield Misfit("subject", ", ".join(sorted(slots.classes)), name_of(own.near_drugs))


def _is_on_interruption(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a guideline says of any regimen what is done after a gap in treatment."""
    missed = slot_lexicon().wordings.missed
    is_asked = asks(slots.text, "missed") and own.statement.kind == "guideline"
    return is_asked and not own.near_drugs and any(says(fold_chars(o), missed) for o in own.levels)


def _partners(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of the drugs that what is asked about is given with, and that are not named."""
    if supplement := pairs.lacking_supplement(slots, own.statement.said):
        yield Misfit("partner", supplement, "")
    lacking = [one for one in slots.partners if not involves_part(own, one)]
    if lacking and own.label and own.label.isdisjoint(_known(slots)):
        yield Misfit("partner", name_of(lacking[0]), name_of(own.label))
    elif asks_how_two_go(slots) and lists_partners(own) and own.label.isdisjoint(_known(slots)):
        yield Misfit("partner", name_of(_known(slots)), name_of(own.label))
    is_on_one = len(lacking) < len(slots.partners) or _names_treatment(slots, own)
    is_of_regimen = all(one <= _FIRST_LINE for one in lacking)  # "with RHZE": with rifampin
    if (
        _limits_drug(slots, own)
        or (slots.is_case and not _asks_pair_only(slots))
        or (is_on_one and (slots.is_case or is_of_regimen or not slots.asks_dosing))
    ):
        lacking = []  # not each of a patient's drugs matters to what is asked
    for partner in lacking:
        yield Misfit("partner", name_of(partner), "")


def _names_treatment(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a guideline speaks of treatment of tuberculosis, and a regimen is asked of."""
    said = fold_chars(own.statement.said) if own.statement.kind == "guideline" else ""
    return bool(slots.regimens) and _TB_TREATMENT.search(said) is not None


def _asks_pair_only(slots: QuestionSlots) -> bool:
    """Return whether a case asks how two drugs go together, and has nothing else that may forbid.

    Whether X can be given with Y is not answered by what X does with Z.
    """
    is_plain = not (slots.people or slots.findings or slots.diseases or slots.allergies)
    is_on_both = _ABOUT_OTHERS <= slots.aspects <= _ABOUT_LEVELS
    return is_on_both or (is_plain and slots.aspects == _PERMISSION)


def _limits_drug(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label says in which of the diseases asked about its product is not given.

    That holds whatever it is given with; where no disease is asked, only the pair is.
    """
    is_on_use = own.statement.group == "indications" and own.said_drugs <= own.label
    is_limit = is_on_use and own.forbids
    return is_limit and any(agree(mine, its) for mine in slots.diseases for its in own.diseases)


def _with_another(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of a dose that goes with another drug than those somebody takes.

    The dose of rifabutin with ritonavir is not that with efavirenz.
    """
    if not (slots.partners and slots.asks_dosing and own.figures):
        return
    if any(involves_part(own, one) for one in slots.partners):
        return
    known, folded = _known(slots), fold_chars(own.statement.said)
    for one in own.facts.drugs:
        if not one.ingredients & known and is_taken(folded, one):
            yield Misfit("partner", name_of(slots.partners[0]), name_of(one.ingredients))
            return


def _known(slots: QuestionSlots) -> frozenset[str]:
    return frozenset[str]().union(*slots.drugs, *slots.partners, *(d for _, d in slots.regimens))


def _one_of_two(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of a dose of one drug where a patient is on two: the other may change it."""
    if slots.drugs or not slots.asks_dosing or len(slots.partners) != PAIR:
        return
    lacking = [one for one in slots.partners if not involves_part(own, one)]
    if own.figures and len(lacking) == 1:
        yield Misfit("partner", name_of(lacking[0]), "")


def _of_none_taken(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit of the label of a drug that a patient does not take, where none is chosen."""
    if slots.drugs or slots.regimens or slots.classes or not slots.partners:
        return
    taken = frozenset[str]().union(*slots.partners)
    if own.label and own.label.isdisjoint(taken) and not ASKS_WHICH.search(fold_chars(slots.text)):
        yield Misfit("subject", name_of(taken), name_of(own.label))


def _left_out(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of products of another strength and of drugs that are not given."""
    for product in slots.drugs:
        parts = len(product)
        asked = product_strengths(slots.text, parts) if parts > 1 else frozenset[str]()
        has = product_strengths(own.statement.said, parts) if asked else frozenset[str]()
        if has and not asked & has:
            yield Misfit("product", ", ".join(sorted(asked)), ", ".join(sorted(has)))
    for partner in slots.partners:
        is_own = own.label <= partner or any(one & own.label for one in slots.drugs)
        if partner & own.label and not is_own and own.is_product(partner):
            yield Misfit("product", name_of(partner), name_of(own.label))
    for code, regimen in slots.regimens:
        other = own.label if len(own.label) > 1 and own.label != regimen else frozenset[str]()
        if other and own.has_regimen:  # the tablets of another combination
            yield Misfit("product", code, name_of(other))
    if slots.absent & own.said_drugs and not _says_without(own, slots.absent):
        yield Misfit("partner", f"without {name_of(slots.absent)}", name_of(slots.absent))


def _says_without(own: StatementSlots, absent: frozenset[str]) -> bool:
    """Return whether a statement says of a drug that it is not given, or of these that omitted."""
    folded = fold_chars(own.statement.said)
    return any(
        is_absent(folded, one) or bool(one.ingredients & absent and _OMITTED.match(folded, one.end))
        for one in own.facts.drugs
    )


def name_of(ingredients: frozenset[str]) -> str:
    """Return ingredients as one name."""
    return " and ".join(sorted(ingredients))


def _animals(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    asked, has = slots.people.animals, own.animals
    if asked and not asked & has:
        yield Misfit("people", ", ".join(sorted(asked)), "people")
    elif has and not asked:
        is_harmless = not own.has_regimen and not slots.asks_dosing
        yield Misfit("subject", "people", ", ".join(sorted(has)), is_qualifier=is_harmless)


def _drug(slots: QuestionSlots, asked: frozenset[str], own: StatementSlots) -> Misfit | None:
    """Return why a statement is not about one drug or product; None if it is."""
    name = name_of(asked)
    others = asked.union(*slots.partners)
    if own.label:
        if asked < own.label and not (slots.partners and others <= own.label):
            named = own.nearest(own.sets_of) or frozenset[frozenset[str]]()
            is_of_each = own.statement.group == "overdosage" and named <= {own.label}
            is_of_pair = is_on_pair(slots, own) and own.statement.statement_kind == "row"
            is_of_pair &= any("rifamycin" in classes_of(one) for one in asked)  # which induces
            is_dose = len(asked) > 1 and own.has_regimen  # of a larger product
            if not (is_of_each or is_of_pair or (not is_dose and any(o <= asked for o in named))):
                return Misfit("product", name, name_of(own.label))
        elif own.label < asked:
            if not asked <= own.all_drugs or slots.asks_dosing or own.has_regimen:
                return Misfit("product", name, name_of(own.label))
        elif not asked & own.label and not _is_in_other_label(slots, asked, own):
            return Misfit("subject", name, name_of(own.label))
    elif _is_other_product(slots, asked, own):
        return Misfit("product", name, "a fixed-dose combination")
    elif not _is_owner(asked, own) or _is_of_class_alone(asked, own):
        return Misfit("subject", name, name_of(own.said_drugs or own.near_drugs))
    return _figures(slots, asked, own)


def _is_of_class_alone(asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether the text of another drug's label only speaks of the class of a drug."""
    return bool(own.titled_drug) and not asked & (own.titled_drug | own.said_drugs)


def _is_other_product(slots: QuestionSlots, asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether tablets of a guideline are counted where a product is asked for by its brand.

    A brand has strengths of its own: four tablets of another combination are another dose.
    """
    text = fold_chars(slots.text)
    by_brand = len(asked) > 1 and not any(one in text for one in asked)
    if not by_brand or slots.regimens:
        return False
    folded = fold_chars(" ".join(own.levels[:2]))
    counts = any(figure.unit in COUNTED_UNITS for figure in own.figures)
    return counts or slot_lexicon().wordings.fixed_dose.search(folded) is not None


def _is_owner(asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether a guideline's statement, or the nearest frame that names a drug, names it."""
    if len(asked) > 1:
        return _names_product(asked, own)
    if asked & own.said_drugs:
        return True
    if own.said_drugs and own.has_regimen:
        return False
    if not own.said_drugs and _is_of_class(asked, own):
        return True
    for text in own.levels[1:]:
        if named := own.drugs_of(text):
            return asked <= named
    return False


def _is_of_class(asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether a statement that names no drug is on the class of one: "rifamycins".

    What is said of diuretics need not hold for a drug of a class within them; of a drug of another
    field only advice on its class is.
    """
    folded, wordings = fold_chars(own.statement.said), slot_lexicon().wordings
    is_advice = wordings.decides.search(folded) or wordings.restricts.search(folded)
    is_advice = is_advice or not other_drugs().issuperset(asked)
    is_own = is_advice and names_class_of(asked, folded, but_wider=True)
    return bool(is_own) and not own.figures


def _names_product(asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether a combination is named as one, or its drugs as a fixed-dose product."""
    for text in own.levels:
        if any(asked <= one for one in own.sets_of(text)):
            return True
        named = own.drugs_of(text)
        if asked & named:
            fixed = slot_lexicon().wordings.fixed_dose.search(fold_chars(text)) is not None
            # "X, Y and Z may be given in renal failure" is on a product of the three as well.
            return asked <= named and (fixed or not own.has_regimen)
    return False


def _is_in_other_label(slots: QuestionSlots, asked: frozenset[str], own: StatementSlots) -> bool:
    """Return whether the label of another drug may speak of this one: a pair, interactions."""
    named = asked.union(*slots.partners, *slots.drugs)
    if asks(slots.text, "contraception") and any(
        _CONTRACEPTIVE in classes_of(one) for one in own.label
    ):
        return involves(own, asked, own.all_drugs)  # "the pill" is no name of a drug
    if any(partner & own.label for partner in (*slots.partners, *slots.drugs) if partner != asked):
        # The product of a partner with more drugs must name the drug, or the partner and its class.
        is_of_them = own.label <= named or any(one <= own.said_drugs for one in slots.partners)
        is_meant = involves(own, asked, own.all_drugs) or is_on_others_stopped(slots, own)
        return asked <= own.all_drugs or (is_of_them and is_meant)
    return bool(slots.aspects & _ABOUT_OTHERS) and asked <= own.said_drugs and not slots.asks_dosing


def _figures(slots: QuestionSlots, asked: frozenset[str], own: StatementSlots) -> Misfit | None:
    """Return a misfit if a dose is asked and no figure is the drug's, or is that of a product.

    A high dose is a product of its own: its figures are not the usual dose, nor the other way.
    """
    if own.figures and (misfit := _high_dose(slots, asked, own)):
        return misfit
    if own.label == asked and not slots.asks_dosing:
        return None  # what a product contains
    sets = [one for figure in own.owners for one in figure]
    every = frozenset[str]().union(*sets)
    if not own.figures or (len(asked) > 1 and asked <= every):
        return None
    if asked in sets or any(partner in sets for partner in slots.partners):
        mixed = says(fold_chars(own.statement.said), slot_lexicon().wordings.fixed_dose)
        is_mixed = mixed and len(asked) == 1 and all(f.unit in COUNTED_UNITS for f in own.figures)
        return Misfit("product", name_of(asked), "a fixed-dose combination") if is_mixed else None
    if joined := [one for one in sets if asked & one]:
        return Misfit("product", name_of(asked), name_of(max(joined, key=len)))
    return Misfit("subject", name_of(asked), name_of(every)) if slots.asks_dosing else None


def _high_dose(slots: QuestionSlots, asked: frozenset[str], own: StatementSlots) -> Misfit | None:
    """Return a misfit if a dose is asked, and one of question and statement is on the high dose."""
    if not slots.asks_dosing:
        return None
    high_dose = slot_lexicon().wordings.high_dose
    wanted = asks(slots.text, "high_dose")
    has = any(says(fold_chars(text), high_dose) for text in own.levels[:2])
    if wanted == has or (has and _is_on_finding(slots, own)):
        return None
    names = (f"high-dose {name_of(asked)}", f"the usual dose of {name_of(asked)}")
    return Misfit("product", *(names if wanted else reversed(names)), is_qualifier=has)


def _is_on_finding(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on what was found in the patient: its dose is the one asked."""
    return any(found.meets(one) for found in own.findings for one in slots.findings)


def _is_of_regimen(own: StatementSlots, code: str, ingredients: frozenset[str]) -> bool:
    """Return whether a statement is about a regimen: by its letters, its drugs or a class of one.

    What is said of rifamycin-based regimens holds for rifampin with isoniazid, not with others.
    """
    one, said = own.statement, own.said_drugs
    if code in own.codes or (ingredients > _FIRST_LINE and _BY_LINE.search(fold_chars(one.said))):
        return True
    is_other_length = len(ingredients) <= PAIR and is_of_other_length(own, code)
    if is_other_length or own.label > ingredients:  # or the product has more drugs
        return False
    if one.statement_kind == "row":  # "RHZ" in one column, "E" in the next
        said |= letter_drugs("".join(_LETTER.findall(one.said)))
    based = _BASED.findall(fold_chars(" ".join((one.document_title, *one.headings, one.said))))
    has_dose = any(figure.kind == "dose" for figure in own.facts.quantities)
    if based and not said - ingredients and not has_dose:
        of_class = {drug for drug in ingredients if classes_of(drug) & frozenset(based)}
        return bool(of_class) and ingredients - of_class <= _FIRST_LINE
    if ingredients < said and own.said_codes:
        return False  # another regimen with more drugs: 3HR is not 4R
    return ingredients <= (said or own.near_drugs)

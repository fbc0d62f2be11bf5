"""The drugs that a question is about and those given with them, after their parts are known.

A product named once by all it has may then go by one of them; drugs that a sign joins are a pair, a
regimen or a product; who stops one drug asks about the other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import asking_sentences
from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.question.joined_drugs import asks_of_pair
from clinrag_core.answer.question.of_each import asks_of_each
from clinrag_core.answer.question.pair_order import ending
from clinrag_core.answer.question.roles import (
    ASKS_WHICH,
    OTHER_TREATMENT,
    is_case,
    read_roles,
)
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.drugs import classes_of, hiv_drugs, known_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.lexicon.slots import Aspect

    Drugs = tuple[frozenset[str], ...]
    """Ingredient sets, in order."""

PAIR = 2
_VITAMIN = "vitamin"
_TOGETHER_ONLY: frozenset[Aspect] = frozenset({"interaction"})
_TOGETHER = lazy_re(
    r"\+|\bplus\b|\b(?:together )?with\b"
    r"|\b(?:in(?:to)?|through) the same (?:cup|bag|line|syringe|vial|bottle|nebuli[sz]er)\b"
)
"""What joins two drugs that are given together."""
_PAIR_ONLY = lazy_re(
    r"\W*(?:(?:what about|how about|giv(?:e|ing)|tak(?:e|ing)|patient on) )?\|"
    r" ?(?:and|&|\+|plus|with) ?\|(?: together)?\W*"
)
"""What is around and between two drugs where a question has nothing else."""
_BOTH = lazy_re(r"\b(?:both|the two|the pair|either)\b|\bmatters?(?: to| for)?\b[^.?]{0,20}\?")
_HAD = lazy_re(
    r"\b(?:had|received|got|given|finished|completed|after)\s+(?:a |an |her |his |the )?"
    r"(?:\d+|one|two|three|four|five|six|seven|ten|single|few|several)[- ]"
    r"(?:days?|doses?|weeks?|wks?|months?|mths?|courses?)\s+(?:course\s+)?of\s+(?:\w+\s+)?$"
    r"|\b(?:finished|completed)\s+(?:(?:a|an|her|his|the|course|of|\d+|weeks|wks|months|mths)\s+)*$"
)
"""What is said right before a drug that was given for some time before."""
_TO_BE_PUT_ON = lazy_re(
    r"\b(?:put|putting|start|starting|place|placing|get)"
    r" (?:him|her|them|(?:my|the|this) patient) on $"
)
"""What comes before a regimen that somebody is about to get."""
_SIGN = lazy_re(r"\s*[/+-]\s*")
_TOOK = lazy_re(r"\btook an overdose of (?:[\w-]+ )?$")


class Subjects(NamedTuple):
    """Ingredient sets by their part in a question."""

    asked: Drugs
    partners: Drugs
    allergies: Drugs
    absent: frozenset[str]
    together: Drugs
    """Those of several drugs that a sign joins and no label has: a regimen."""


_DOSE_OF = lazy_re(
    r"\bdos(?:e|es|age|ing) of (?:the )?"
    r"(?!(?:each|both|either|them|these|those|this|that|which|every|other|first|second)\b)"
    r"(?P<word>[a-z]{4,})(?![\w-])"
)

_ITS_DOSE = lazy_re(r" (?:dos(?:e|es|age|ing)\b)(?! (?:reduction|adjust\w*|of|is|was)\b)")
_BEGINS = lazy_re(
    r"\b(?:starts|started|starting|begins|began|beginning|is (?:now )?given|put on|adding|added)"
    r" (?:the |an? |oral )*$"
)
_NEVER_ALONE = frozenset(
    {"isoniazid", "rifampin", "rifabutin", "rifapentine", "pyrazinamide", "ethambutol"}
)
"""Drugs that stand for a regimen, or for treatment of the infection, where a patient is on one."""
_FOR_INFECTION = frozenset({"rifampin", "pyrazinamide"})
"""Two drugs of which latent infection is never treated with the second alone."""
_WITH = lazy_re(r"\s*(?:[,&+/-]|\b(?:and|plus|with)\b)?\s*")


def read_subjects(facts: Facts, drugs: DrugLexicon) -> Subjects:
    """Return the drugs that a question is about, those given with them and regimens by their drugs.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    own, partners, allergies, absent, joined = read_roles(facts)
    if asks_of_each(facts):
        own = tuple(dict.fromkeys(one.ingredients for one in facts.drugs))
        return Subjects(own, (), allergies, absent, ())
    if allergies and not own and slot_lexicon().wordings.restarts.search(fold_chars(facts.text)):
        own = allergies  # whether it may be given again
    own, partners = _dosed_first(own, partners, facts)
    folded = fold_chars(facts.text)
    overdosed = [one.ingredients for one in facts.drugs if _TOOK.search(folded[: one.start])]
    if overdosed:  # others named are what is given against it
        return Subjects(tuple(overdosed[:1]), (), allergies, absent, ())
    if not own and _asks_of_only_product(partners, facts) and not regimens(facts.text, drugs):
        own, partners = partners[:1], ()
    own = _run_together(own, facts, drugs)
    products = [one for one in joined if drugs.is_product(one)]
    own, partners = _as_product(own, partners, products, facts)
    partners = tuple(  # "on X/Y/Z": each is one that is taken
        part
        for one in partners
        for part in (
            [frozenset([drug]) for drug in sorted(one)]
            if one in joined and one not in products
            else [one]
        )
    )
    together = tuple(one for one in own if one in joined and one not in products)
    own = tuple(one for one in own if one not in together)
    if _is_of_infection((*own, *partners), facts):  # "rifampin and pyrazinamide for LTBI"
        together = (*together, frozenset[str]().union(*own, *partners))
        own, partners = (), ()
    for pair in [one for one in together if any(drug < one for drug in own)]:
        # "X + Y: what is the dose of Y": Y is asked about, with X.
        partners += tuple(frozenset([one]) for one in sorted(pair.difference(*own)))
        together = tuple(one for one in together if one != pair)
    if not (own or partners) and asks_of_pair(together, fold_chars(facts.text)):
        own, together = tuple(frozenset([d]) for one in together for d in sorted(one)), ()
        own, partners = own[:1], own[1:]  # "X + Y: do they interact?"
    if own and not _is_vitamin(own):  # "on RHZ, X?": each of its drugs is one that is taken
        folded, every = fold_chars(facts.text), is_case(facts)
        asking = fold_chars(asking_sentences(facts.text))
        asked_of = frozenset[str]().union(*own)
        taken = frozenset[str]().union(
            *(
                its
                for code, its in regimens(facts.text, drugs).items()
                if its.isdisjoint(asked_of)
                and (
                    (every and code.casefold() not in asking) or is_passed(folded, code.casefold())
                )
            )
        )
        partners += tuple(frozenset([one]) for one in sorted(taken.difference(*own, *partners)))
    if not partners:
        own, partners = _given_together(own, facts)
    own, partners = _both_asked(own, partners, facts)
    own, partners = _without_ending(own, partners, facts)
    own, partners = _without_past(own, partners, facts)
    return Subjects(own, partners, allergies, absent, together)


def _dosed_first(own: Drugs, partners: Drugs, facts: Facts) -> tuple[Drugs, Drugs]:
    """Return the drug whose dose is asked by name as the one asked about, what is begun as partner.

    "8 kg on X, is starting Y: new X dose?"
    """
    folded = fold_chars(facts.text)
    dosed = {one.ingredients for one in facts.drugs if _ITS_DOSE.match(folded, one.end)}
    begun = {one.ingredients for one in facts.drugs if _BEGINS.search(folded[: one.start])}
    rest = frozenset((*own, *partners)) - dosed
    if len(dosed) != 1 or not dosed < {*own, *partners} or not set(own) - dosed <= begun:
        return own, partners
    return tuple(dosed), tuple(one for one in (*own, *partners) if one in rest)


def _is_of_infection(own: Drugs, facts: Facts) -> bool:
    """Return whether two drugs are what latent infection was treated with together."""
    is_pair = len(own) == PAIR and frozenset[str]().union(*own) == _FOR_INFECTION
    gaps = [facts.text[a.end : b.start] for a, b in pairwise(facts.drugs)]
    is_joined = is_pair and len(gaps) == 1 and _WITH.fullmatch(gaps[0])
    return bool(is_joined) and "latent" in facet_values(facts.text, "stage")


def _asks_of_only_product(partners: Sequence[frozenset[str]], facts: Facts) -> bool:
    """Return whether a patient takes one product, not of a regimen, and no treatment is chosen."""
    folded = fold_chars(facts.text)
    is_chosen = ASKS_WHICH.search(folded) or OTHER_TREATMENT.search(folded)
    alone = len(set(partners)) == 1 and (len(partners[0]) > 1 or not partners[0] & _NEVER_ALONE)
    return alone and not is_chosen


def _is_vitamin(own: Drugs) -> bool:
    """Return whether vitamins are asked about: a regimen is why they are given, no partner."""
    return all(_VITAMIN in classes_of(drug) for one in own for drug in one)


def _run_together(
    own: tuple[frozenset[str], ...], facts: Facts, drugs: DrugLexicon
) -> tuple[frozenset[str], ...]:
    """Return the drugs asked about, two names with nothing between them as one product of a label.

    "Norethindrone ethinyl estradiol pill" is one product.
    """
    for one, other in pairwise(facts.drugs):
        parts, whole = (one.ingredients, other.ingredients), one.ingredients | other.ingredients
        is_one = facts.text[one.end : other.start].isspace() and drugs.is_product(whole)
        if is_one and own.count(parts[0]) and own.count(parts[1]):
            own = (whole, *(part for part in own if part not in parts))
    return own


def is_passed(folded: str, code: str) -> bool:
    """Return whether somebody is on a regimen, or had it: "RHZE started yesterday"."""
    start = max(folded.find(code), 0)
    before = folded[:start]
    passed = slot_lexicon().wordings.passed.search(before) and not _TO_BE_PUT_ON.search(before)
    begun = slot_lexicon().wordings.begun.match(folded, start + len(code))
    return bool(passed) or begun is not None


def _given_together(own: Drugs, facts: Facts) -> tuple[Drugs, Drugs]:
    """Return the drug asked about and its partner where two may be given together: "X + Y ok?".

    Nothing but two names asks how they go together: "X and Y".
    """
    folded = fold_chars(facts.text)
    mentions = [one for one in facts.drugs if one.ingredients in own]
    turns = [n for n, (a, b) in enumerate(pairwise(mentions)) if a.ingredients != b.ingredients]
    if len(own) != PAIR or len(turns) != 1:  # "X (its brand) with Y" names X twice
        return own, ()
    gap = folded[mentions[turns[0]].end : mentions[turns[0] + 1].start]
    asks = slot_lexicon().wordings.asks_permission.search(folded)
    is_pair = (asks and _TOGETHER.search(gap)) or is_bare_pair(facts)
    return (own[:1], own[1:]) if is_pair else (own, ())


def _both_asked(own: Drugs, partners: Drugs, facts: Facts) -> tuple[Drugs, Drugs]:
    """Return the drug asked about and its partner where a case asks of both: "keep both going?"."""
    if own or len(partners) != PAIR:
        return own, partners
    asking = fold_chars(asking_sentences(facts.text))
    if not (_BOTH.search(asking) or slot_lexicon().aspects["interaction"].search(asking)):
        return own, partners
    return partners[1:], partners[:1]


def is_bare_pair(facts: Facts) -> bool:
    """Return whether a text names two drugs and says nothing else: "X and Y?"."""
    if len(facts.drugs) != PAIR:
        return False
    folded, (first, second) = fold_chars(facts.text), facts.drugs
    around = folded[: first.start], folded[first.end : second.start], folded[second.end :]
    return _PAIR_ONLY.fullmatch("|".join(around)) is not None


def _as_product(
    own: Drugs, partners: Drugs, products: Sequence[frozenset[str]], facts: Facts
) -> tuple[Drugs, Drugs]:
    """Return the drugs asked about and their partners, with a part named after its product as that.

    "On hydrocodone/APAP. What do I do with the hydrocodone?" asks about the tablet that has both.
    """
    for product in products:
        begins = next(
            (
                one.start
                for one, other in pairwise(facts.drugs)
                if one.ingredients | other.ingredients == product
                and _SIGN.fullmatch(facts.text[one.end : other.start])
            ),
            len(facts.text),
        )
        earlier = {one.ingredients for one in facts.drugs if one.start < begins}
        if any(one < product and one not in earlier for one in own):
            own = tuple(dict.fromkeys(product if one < product else one for one in own))
            partners = tuple(one for one in partners if not one <= product)
    return own, partners


def _without_ending(own: Drugs, partners: Drugs, facts: Facts) -> tuple[Drugs, Drugs]:
    """Return the drugs asked about and their partners, the other way round if the former end.

    "On X. Finishes Y this week. What to watch for?" asks about X. "Stop Y?" asks about Y.
    """
    ends = ending([one for one in facts.sentences if "?" not in one.text])
    is_told = bool(own) and frozenset[str]().union(*own) <= ends
    if is_told and partners and not any(one & ends for one in partners):
        return partners, own
    return own, partners


def _without_past(own: Drugs, partners: Drugs, facts: Facts) -> tuple[Drugs, Drugs]:
    """Return the drugs asked about and those given with them, without those given before.

    "Had 6 days of X. Dose of Y?" Enzymes stay induced, or inhibited, for some time. What a test
    for the infection shows after X is not asked about X.
    """
    folded = fold_chars(facts.text)
    lasting = frozenset[str]().union(*slot_lexicon().enzyme_effects.values())
    past = {one.ingredients for one in facts.drugs if _HAD.search(folded[: one.start])}
    if own and past.issuperset(own) and facet_values(facts.text, "skin_test"):
        return (), ()
    if not own:
        return own, partners
    return own, tuple(one for one in partners if one not in past or one & lasting)


def with_regimen(
    own: tuple[frozenset[str], ...],
    partners: tuple[frozenset[str], ...],
    asked: tuple[tuple[str, frozenset[str]], ...],
    aspects: frozenset[Aspect],
    text: str,
) -> tuple[
    tuple[frozenset[str], ...], tuple[frozenset[str], ...], tuple[tuple[str, frozenset[str]], ...]
]:
    """Return the drugs asked about, their partners and regimens, where one drug meets a regimen.

    "Takes X. RHZE starts tonight: may the two run together?" asks about X with the drugs of RHZE.
    Vitamins, and the dose of what a site of the disease calls for, are always given with it.
    """
    if own and _is_vitamin(own):
        return own, partners, ()
    if own and aspects & DOSING and facet_values(text, "site"):
        return own, tuple(one for one in partners if not one <= _NEVER_ALONE), ()
    taken = frozenset[str]().union(*partners) if own else frozenset[str]()
    asked = tuple(one for one in asked if not one[1] <= taken)  # it is not asked about
    if not partners and (others := _interacting(own, asked, aspects)):
        return own, others, ()
    ingredients = asked[0][1] if len(asked) == 1 else frozenset[str]()
    if not own and len(ingredients) == 1 and not aspects & DOSING:
        return (ingredients,), partners, ()  # "4R" is rifampin where no dose is asked
    is_pair = not own and aspects == _TOGETHER_ONLY
    if is_pair and (others := _interacting(partners, asked, aspects)):
        return partners, others, ()
    return own, partners, asked


def _interacting(
    own: Sequence[frozenset[str]],
    asked: Sequence[tuple[str, frozenset[str]]],
    aspects: frozenset[Aspect],
) -> tuple[frozenset[str], ...]:
    """Return the drugs of a regimen that change others, where one drug besides it is asked about.

    "On apixaban, needs RHZE" asks about apixaban with rifampin, and so does "3HP or 4R?" with
    both rifamycins; "RHZ and ethambutol" are one regimen.
    """
    of_field = frozenset(
        drug.name for drug in known_drugs() if drug.area != "other" and drug.name not in hiv_drugs()
    )
    given = frozenset[str]().union(*(ingredients for _, ingredients in asked))
    if len(own) != 1 or own[0] & given or (own[0] & of_field and len(asked) > 1):
        return ()
    if "interaction" in aspects:
        return tuple(frozenset([one]) for one in sorted(given))
    if own[0] & of_field:
        return ()
    inducers = slot_lexicon().enzyme_effects["inducer"]
    return tuple(frozenset([one]) for one in sorted(given & inducers))


def unlisted(facts: Facts) -> frozenset[str]:
    """Return the stems of what a dose is asked of, where no table knows it as a drug."""
    words = (
        match["word"]
        for match in _DOSE_OF.finditer(fold_chars(facts.text))
        if not any(one.start <= match.start("word") < one.end for one in facts.drugs)
    )
    return frozenset(stem(word) for word in words) - plain_stems()

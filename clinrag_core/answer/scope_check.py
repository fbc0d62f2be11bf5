"""The scope check: questions of the field that the sources of a release cannot answer.

Compares what a question asks for with the release's scope, before anything is searched. What is
missing is named, and what there is. It stays silent where it cannot tell what is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.answer.question.scope_question import ScopeQuestion
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.index.scope_record import ANY
from clinrag_core.lexicon.drug_names import ingredient
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.index.scope_record import ConditionScope, ReleaseScope
    from clinrag_core.lexicon.scope import Condition, ConditionAspect

GapKind = Literal["drug", "dose", "aspect", "product", "combined", "condition", "pair"]
MIN_PASSAGES = 3
"""Fewest guideline passages that advise on an aspect of a condition for it to count as covered: a
report on something else advises on it once or twice (benchmarks/scope.py)."""
LISTED = 3
"""Most drugs or questions that a message names."""
STEM = 6
"""Letters of an ingredient in a name that set it apart from a brand."""
_INDICATIONS = "indications"
_COMPARED = lazy_re(r"\b(?:versus|vs|or|than|compared|replace[ds]?|instead of)\b")


class ScopeGap(NamedTuple):
    """What a question asks for that the sources do not have."""

    kind: GapKind
    missing: str
    """Noun phrase: "a dose of cefotaxime"."""
    available: tuple[str, ...] = ()
    """What there is instead, as noun phrases."""

    @property
    def sentence(self) -> str:
        """Return the reason in a sentence or two."""
        said = f"the sources here have no {self.missing}"
        if not self.available:
            return f"{said}."
        return f"{said}; they have: {'; '.join(self.available)}."

    @property
    def refusal(self) -> str:
        """Return what is missing in the words that head what is shown instead."""
        return f"No {self.missing} in these sources."


def out_of_scope(
    question: AskedQuestion,
    drugs: DrugLexicon,
    scope: ReleaseScope | None,
    words: Container[str] = frozenset(),
) -> ScopeGap | None:
    """Return what a question asks for that the release does not have; None where it has it.

    `words` are those that its passages have: a brand among them is spoken of.

    None also where the release has no scope, or where it is open what is asked.

    Raises:
        ConfigurationError: the table of scopes cannot be read.
    """
    if scope is None:
        return None
    asked = ScopeQuestion(question.text, drugs)
    slots = read_slots(question.text, drugs)
    own = frozenset[str]().union(*slots.drugs)
    if own and slots.partners and not any(map(scope.drugs.get, own)):
        return None  # the label of what it is given with may have the pair
    if asked.drugs and not asked.chooses:
        return (
            _absent_product(asked, scope, words)
            or _absent_drug(asked, scope)
            or _absent_aspect(asked, scope)
            or _absent_pair(asked, scope)
        )
    return _absent_condition(asked, scope)


def could_ask(
    question: AskedQuestion | None, drugs: DrugLexicon, scope: ReleaseScope | None
) -> tuple[str, ...]:
    """Return up to three things that the sources can be asked, next to what was asked."""
    if scope is None or question is None:
        return ()
    in_domain = question.route.route != "OUT_OF_DOMAIN"  # else what is offered is refused as well
    asked = ScopeQuestion(question.text if in_domain else "", drugs)
    table = scope_table()
    offers: list[str] = []
    for name in asked.drugs:
        entry = scope.drugs.get(name)
        if entry is None:
            continue
        offers += [
            f"{aspect.phrase} of {name}" if not aspect.population else f"{aspect.phrase}: {name}"
            for aspect in table.drug_aspect
            if aspect.name not in asked.aspect_names and entry.covers(aspect.name)
        ][:LISTED]
    for condition in asked.conditions:
        covered = scope.conditions.get(condition.name)
        offers += [
            f"{aspect.phrase} of {condition.name}"
            for aspect in table.condition_aspect
            if covered and covered.guideline.get(aspect.name, 0) >= MIN_PASSAGES
        ]
        if covered and not asked.drugs:
            offers += [f"indications of {name}" for name in covered.indicated]
    if not offers:
        offers = [
            f"{aspect.phrase} of {name}"
            for name, entry in sorted(scope.conditions.items(), key=_most_covered)
            for aspect in table.condition_aspect
            if entry.guideline.get(aspect.name, 0) >= MIN_PASSAGES
        ]
    return tuple(dict.fromkeys(offers))[:LISTED]


def _most_covered(item: tuple[str, ConditionScope]) -> tuple[int, str]:
    """Return the sort key of a condition: those with most passages first, then by name."""
    name, entry = item
    return -entry.guideline.get(ANY, 0), name


def _absent_product(
    asked: ScopeQuestion, scope: ReleaseScope, words: Container[str]
) -> ScopeGap | None:
    """Return the gap of a question about a brand of a combination whose label is not there.

    The ingredients of a brand come in strengths of its own, so that no other product replaces it.
    What guidelines say of the ingredients, but for a dose, holds for a brand of them.
    """
    for mention in asked.mentions:
        name = asked.text[mention.start : mention.end]
        parts = sorted(mention.ingredients)
        if any(part[:STEM] in name for part in parts):
            continue
        if len(parts) == 1 and (name in words or not _is_only_part(name, parts[0], scope)):
            continue
        if name in scope.combinations or any(name in product.names for product in scope.products):
            continue
        if any(product.ingredients == tuple(parts) for product in scope.products):
            continue
        with_any = [p for p in scope.products if mention.ingredients & set(p.ingredients)]
        is_guided = not with_any and all(
            part in scope.drugs and scope.drugs[part].guideline for part in parts
        )
        is_partner = len(asked.subjects) > 1 and any(
            one != mention.ingredients
            and any(p.ingredients == tuple(sorted(one)) for p in scope.products)
            for _, _, one in asked.subjects
        )
        if is_partner and "dose" not in asked.aspect_names:
            continue  # what the label of the other drug says of its parts
        if is_guided and "dose" not in asked.aspect_names:
            continue
        labels = tuple(f"the label of {' and '.join(p.ingredients)}" for p in with_any[:LISTED])
        return ScopeGap("product", f"label of {name} ({' and '.join(parts)})", labels)
    return None


def _is_only_part(name: str, drug: str, scope: ReleaseScope) -> bool:
    """Return whether a brand of one drug is asked about that is here only as part of a product.

    How an injection of two drugs is resumed says nothing of an injection of one for another use.
    """
    own = [product.ingredients for product in scope.products if drug in product.ingredients]
    is_known = drug in scope.drugs and bool(scope.drugs[drug].guideline)
    is_brand = len(name) >= STEM and ingredient(name) != drug  # "APAP" is a short form
    return is_brand and bool(own) and not is_known and all(len(one) > 1 for one in own)


def _absent_drug(asked: ScopeQuestion, scope: ReleaseScope) -> ScopeGap | None:
    """Return the gap of drugs that no source is about; of one of them only if drugs are compared.

    What the labels of other drugs say of a drug is about those: it answers interactions only.
    """
    about = scope.drugs.keys()
    absent = [
        name
        for name in asked.drugs
        if name not in about and not any(name in drug.partners for drug in scope.drugs.values())
    ]
    compared = _COMPARED.search(asked.text) and not asked.is_case
    if not absent or (len(absent) < len(asked.drugs) and not compared):
        passing = about.isdisjoint(asked.drugs) and not asked.is_case
        if not passing or "interactions" in asked.aspect_names:
            return None
        absent = list(asked.drugs)
    return _gap("drug", _label_or_passage(absent), asked.drugs, scope)


def _label_or_passage(names: Sequence[str]) -> str:
    """Return what is missing of drugs that no source is about; they may be named in passing."""
    listed = " or ".join(names[:LISTED])
    return f"label of {listed} and no guideline passage about {'it' if len(names) == 1 else 'them'}"


def _absent_aspect(asked: ScopeQuestion, scope: ReleaseScope) -> ScopeGap | None:
    """Return the gap of a question whose drugs have nothing here on what is asked of them."""
    known = [name for name in asked.drugs if name in scope.drugs]
    if "dose" in asked.aspect_names:
        wanted = asked.dosed()
        others = [scope.drugs[name] for name in known if name not in wanted]
        if wanted and not any(
            (name in scope.drugs and scope.drugs[name].covers("dose"))
            or any(name in other.partners for other in others)
            for name in wanted
        ):
            known_of = not scope.drugs.keys().isdisjoint(wanted)
            dose = f"dose of {' or '.join(wanted[:LISTED])}"
            return _gap("dose", dose if known_of else _label_or_passage(wanted), wanted, scope)
        return _only_combined(wanted, asked.drugs, scope)
    primary = [aspect for aspect in asked.aspects if not aspect.population]
    for aspects in (primary, asked.aspects):
        if (
            aspects
            and len(known) == len(asked.drugs)
            and not any(
                scope.drugs[name].covers(aspect.name) for name in known for aspect in aspects
            )
        ):
            missing = f"{aspects[0].phrase} of {' or '.join(asked.drugs[:LISTED])}"
            return _gap("aspect", missing, asked.drugs, scope)
    return None


def _only_combined(
    wanted: Sequence[str], named: Sequence[str], scope: ReleaseScope
) -> ScopeGap | None:
    """Return the gap of a dose of one drug that is here only as part of a combination.

    A combination all of whose parts are named is what is asked for.
    """
    if len(wanted) != 1:
        return None
    (name,) = wanted
    own = [product for product in scope.products if name in product.ingredients]
    alone = any(set(product.ingredients) <= {name, *named} for product in own)
    if not own or alone or scope.drugs[name].guideline.get("dose"):
        return None
    labels = tuple(f"the label of {' and '.join(p.ingredients)}" for p in own[:LISTED])
    return ScopeGap("combined", f"dose of {name} alone", labels)


def _absent_pair(asked: ScopeQuestion, scope: ReleaseScope) -> ScopeGap | None:
    """Return the gap of a drug and the one condition it is asked for that never come together."""
    objects = asked.objects()
    asks_use = asked.asks_use or asked.is_bare_use
    what = "dose" if "dose" in asked.aspect_names else "use" if asks_use else None
    if len(objects) != 1 or what is None or asked.is_case:
        return None
    (condition,) = objects
    names = {condition.name, condition.narrows} - {None}
    wanted = [name for name in asked.dosed() if name in scope.drugs]
    # The condition may be that of another drug: "dose of X, day 1 of rifampin for tuberculosis".
    named = [name for name in (*wanted, *asked.drugs) if name in scope.drugs]
    if not wanted or any(names & scope.drugs[name].conditions.keys() for name in named):
        return None
    if _INDICATIONS in asked.aspect_names and all(
        scope.drugs[name].label.get(_INDICATIONS) for name in wanted
    ):
        return None  # whether it is for the condition is what its label says
    lists = all(scope.drugs[name].conditions for name in wanted)
    if asked.is_bare_use and "dose" not in asked.aspect_names and not lists:
        return None  # what else its label says of the condition may matter
    missing = f"{what} of {' or '.join(wanted[:LISTED])} for {condition.name}"
    return _gap("pair", missing, wanted, scope)


def _absent_condition(asked: ScopeQuestion, scope: ReleaseScope) -> ScopeGap | None:
    """Return the gap of a condition on which no guideline here advises what is asked.

    Where several are named and none of them as what it is asked for, of any of them.
    """
    objects = asked.objects() or asked.conditions
    if not objects or not asked.condition_aspects:
        return None
    labels = [scope.drugs[name] for name in asked.drugs if name in scope.drugs]
    for condition in objects:
        if asked.is_on_cover and any(condition.name in one.conditions for one in labels):
            return None  # what is given against it besides the drug is in its label
        entry = scope.conditions.get(condition.name)
        indicated = (
            {one for name in entry.indicated for one in name.split("+")} if entry else set[str]()
        )
        if indicated & set(asked.drugs):
            return None  # the label of a drug that is named is indicated for it
        if any(_covers(condition, aspect, scope) for aspect in asked.condition_aspects):
            return None
    condition, aspect = objects[0], asked.condition_aspects[0]
    entry = scope.conditions.get(condition.name)
    available: list[str] = []
    if entry is not None:
        available += [
            f"guidelines on the {other.phrase} of {condition.name}"
            for other in scope_table().condition_aspect
            if entry.guideline.get(other.name, 0) >= MIN_PASSAGES
        ]
        if entry.indicated:
            names = ", ".join(name.replace("+", " and ") for name in entry.indicated[:LISTED])
            available.append(f"labels that list it, which is no advice to choose them: {names}")
    missing = f"guideline on the {aspect.phrase} of {condition.name}"
    return ScopeGap("condition", missing, tuple(available))


def _covers(condition: Condition, aspect: ConditionAspect, scope: ReleaseScope) -> bool:
    """Return whether guidelines advise on an aspect of a condition.

    A form of a condition that they name is covered by what they say of the condition.
    """
    entry = scope.conditions.get(condition.name)
    if entry is None:
        return False
    if entry.guideline.get(aspect.name, 0) >= MIN_PASSAGES:
        return True
    wider = scope.conditions.get(condition.narrows or "")
    named = entry.guideline.get(ANY, 0) > 0
    return named and wider is not None and wider.guideline.get(aspect.name, 0) >= MIN_PASSAGES


def _gap(kind: GapKind, missing: str, names: Sequence[str], scope: ReleaseScope) -> ScopeGap:
    """Return a gap with what there is on its drugs."""
    available: list[str] = []
    for name in names[:LISTED]:
        entry = scope.drugs.get(name)
        if entry is None:
            continue
        covered = [a.phrase for a in scope_table().drug_aspect if entry.covers(a.name)]
        if covered:
            available.append(f"on {name}: {', '.join(covered[:LISTED])}")
    return ScopeGap(kind, missing, tuple(available))

"""What a label's product is for, where a dose of it does not say: read from its indications.

A cream for acne has no dose for pneumonia, whatever its dosing section leaves unsaid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import OF_FIELD
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.sources import statement_bases
from clinrag_core.facts.indications import agree, disease_name, diseases, facet_values
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

_IS_FOR = lazy_re(r"\b(?:recommended|indicated|suitable|appropriate|approved) (?:for|in)\b")
_TESTED = lazy_re(r"\b(?:test|screen|measur|monitor|reactivat)\w*\b")
"""What is said of a disease that a drug is not for, but that is looked for before it."""
_TREATMENT, _PREVENTION = frozenset({"treatment"}), frozenset({"prevention"})


def for_the_disease(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements without doses of a label for others where it has one for the disease.

    "1 to 2 g for moderate to severe infections" is not for tuberculosis if the label has a part on
    it. Without a disease in the question those of the field count. Also left out are doses of one
    list that differ by something which their statements do not say. Every dose of a label that is
    for that disease alone is for it, and one with a partner whatever it is given for.
    """
    if not slots.asks_dosing:
        return fitting
    wanted = slots.diseases or OF_FIELD
    read = {one.statement.id: statement_slots(one.statement, sources.drugs) for one in fitting}
    indications = LabelIndications(sources)
    labels = {
        own.statement.document_id
        for one in fitting
        for own in [read[one.statement.id]]
        if own.label
        and own.has_regimen
        and any(agree(a, b) for a in wanted for b in own.diseases)
        and not indications.is_only(wanted, one)
    }
    ambiguous = _ambiguous(read.values(), slots.drugs)
    partners = frozenset[str]().union(*slots.partners)
    return [
        one
        for one in fitting
        if not (
            one.statement.document_id in labels
            and read[one.statement.id].has_regimen
            and read[one.statement.id].said_drugs.isdisjoint(partners)
            and not any(agree(a, b) for a in wanted for b in read[one.statement.id].diseases)
            and (read[one.statement.id].diseases or not names_them(slots, one.statement.said))
        )
        and one.statement.id not in ambiguous
    ]


def without_approved_uses(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return statements without approved uses, where a question asks who must not have a drug.

    After a prohibition, "for people of 2 years and older" reads as part of it.
    """
    wordings = slot_lexicon().wordings
    if not (fitting and wordings.asks_warnings.search(fold_chars(slots.text))):
        return fitting
    forbids = [says(fold_chars(one.statement.said), wordings.prohibits) for one in fitting]
    if not forbids[0]:
        return fitting
    return [
        one
        for one, is_no in zip(fitting, forbids, strict=True)
        if is_no or not _IS_FOR.search(fold_chars(one.statement.said))
    ]


def doses_are_for_others(
    slots: QuestionSlots,
    fitting: Sequence[RankedStatement],
    special: Sequence[RankedStatement],
    sources: Sources,
) -> bool:
    """Return whether a dose is asked for that a label gives for some people only.

    "Every 4 hours" of a children's syrup is nothing without the amounts by age.
    """

    def labels(some: Sequence[RankedStatement]) -> set[str]:
        own = [statement_slots(one.statement, sources.drugs) for one in some]
        return {o.statement.document_id for o in own if o.label and o.has_amount}

    asks = (
        "dose" in slots.aspects
        and slots.aspects <= DOSING
        and bool(slots.drugs)
        and not labels(fitting)
    )
    return asks and any(one.statement.document_id in labels(special) for one in fitting)


def _ambiguous(
    statements: Iterable[StatementSlots], asked: Sequence[frozenset[str]]
) -> frozenset[str]:
    """Return the ids of statements of one section that differ in a dose and in nothing they say.

    "X: 50 mg daily" and "X: 100 mg daily" are for a child and an adult whose headings are lost.
    """
    groups: dict[tuple[str, int], dict[str, frozenset[object]]] = {}
    for own in statements:
        statement = own.statement
        doses = frozenset(
            figure.key
            for figure, owned in zip(own.figures, own.owners, strict=True)
            if any(one in owned for one in asked)
        )
        if doses and not own.people and not own.says_more_than_figures:
            place = (statement.document_id, statement.section_ordinal)
            groups.setdefault(place, {})[statement.id] = doses
    return frozenset(
        one for doses in groups.values() if len(set(doses.values())) > 1 for one in doses
    )


class LabelIndications:
    """The diseases of the labels of some sources, each read once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def misfit(self, slots: QuestionSlots, one: RankedStatement) -> Misfit | None:
        """Return a misfit if how to use a drug names no disease, and its label has another."""
        own = statement_slots(one.statement, self._sources.drugs)
        is_on_pair = sum(not own.said_drugs.isdisjoint(one) for one in slots.drugs) > 1
        # What two drugs do to each other is no indication.
        if slots.partners or is_on_pair or (own.diseases and not _is_only_tested(slots, own)):
            return None
        asks_cure = slots.facet("purpose") == _TREATMENT
        instructs = slots.asks_dosing or own.statement.group == "dosage"
        if not ((slots.diseases or asks_cure) and instructs and own.label):
            return None
        has, purposes = self._indications_of(one)
        if asks_cure and purposes == _PREVENTION:
            return Misfit("indication", "treatment", "prevention")
        if not has or not slots.diseases or any(agree(a, b) for a in slots.diseases for b in has):
            return None
        asked, stated = (
            ", ".join(sorted(map(disease_name, each))) for each in (slots.diseases, has)
        )
        return Misfit("indication", asked, stated)

    def is_only(self, wanted: Iterable[str], one: RankedStatement) -> bool:
        """Return whether the label of a statement is for some diseases alone."""
        named, _ = self._indications_of(one)
        return bool(named) and all(any(agree(a, b) for a in wanted) for b in named)

    def _indications_of(self, one: RankedStatement) -> tuple[frozenset[str], frozenset[str]]:
        """Return the diseases that a label's indications name, and whether to treat or prevent."""
        label = one.statement.document_id
        if label not in self._known:
            texts: list[str] = []
            for _, index in statement_bases(self._sources.engines, one.knowledge_base):
                rows = index.rows_of(one.statement.ingredients, ("indications",))
                texts += [
                    " ".join((*statement.headings, statement.run_in, statement.said))
                    for statement in index.statements(rows)
                    if statement.document_id == label
                ]
            self._known[label] = (
                frozenset[str]().union(*map(diseases, texts)),
                frozenset[str]().union(*(facet_values(text, "purpose") for text in texts)),
            )
        return self._known[label]


def _is_only_tested(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement names a disease asked about only as what is tested for."""
    named = [
        one.text
        for one in own.facts.sentences
        if any(agree(a, b) for a in slots.diseases for b in diseases(one.text))
    ]
    return bool(named) and all(_TESTED.search(fold_chars(text)) for text in named)

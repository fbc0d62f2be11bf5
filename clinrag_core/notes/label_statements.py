"""The statements of labels that the check of a note reads, and a finding made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.rank.labels import WARNING_GROUPS
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.lexicon.drugs import NO_CLASSES, known_drugs
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.facts.drugs import Mention
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.notes.records import SummaryItem

MOST_EVIDENCE = 2
DOSAGE = "dosage"
"""Read for the dose of people with a condition; it warns of no other drug."""
_GROUPS = (*WARNING_GROUPS, "interactions", "warnings", "specific_populations", DOSAGE)
_CAPITALS = 0.7
"""Share of capital letters of a title such as "WARNING: TENDINITIS and TENDON RUPTURE"."""
KNOWN = frozenset(d.name for d in known_drugs())
"""Drugs of the shipped table: texts are searched for these once and for all."""
CLASS_OF = {d.name: d.drug_class for d in known_drugs() if d.drug_class not in NO_CLASSES}


class LabelStatement(NamedTuple):
    """A statement of a label with the drugs it names."""

    statement: IndexedStatement
    folded: str
    mentions: tuple[Mention, ...]

    @property
    def own(self) -> str:
        """Its own words, without those of the sentence or the row that leads it in."""
        return fold_chars(self.statement.text)


def label_statements(drug: str, engine: AnswerEngine) -> Iterator[LabelStatement]:
    """Yield the statements on a drug in the sections of its labels that warn, in their order."""
    for _, index in statement_bases((engine.search,)):
        for one in index.statements(index.rows_of([drug], _GROUPS)):
            mentions = tuple(engine.drugs.mentions(one.said))
            is_on_drug = one.ingredients == (drug,) or _is_subject(drug, one, engine)
            if (
                is_on_drug
                and not _is_title(one.text)
                and is_quotable(one)
                and "narrative" not in one.unfit
            ):
                yield LabelStatement(one, fold_chars(one.said), mentions)


def combination_statements(
    given: Collection[str], engine: AnswerEngine
) -> Iterator[LabelStatement]:
    """Yield what labels of combinations say of the whole of them, where all of it is given."""
    for _, index in statement_bases((engine.search,)):
        rows = dict.fromkeys(r for d in sorted(given) for r in index.rows_of([d], _GROUPS))
        for one in index.statements(list(rows)):
            is_whole = len(one.ingredients) > 1 and set(one.ingredients) <= set(given)
            is_of_one = is_whole and any(_is_subject(d, one, engine) for d in one.ingredients)
            if is_whole and not is_of_one and not _is_title(one.text) and is_quotable(one):
                mentions = tuple(engine.drugs.mentions(one.said))
                yield LabelStatement(one, fold_chars(one.said), mentions)


def _is_title(text: str) -> bool:
    """Return whether a text is the title of a boxed warning, which names all of it at once."""
    letters = [char for char in text if char.isalpha()]
    return sum(map(str.isupper, letters)) > _CAPITALS * len(letters)


def _is_subject(drug: str, one: IndexedStatement, engine: AnswerEngine) -> bool:
    """Return whether a statement of a combination's label is about one of its ingredients.

    Where its words name none of them, what heads it may.
    """
    for text in (
        one.said,
        f"{one.run_in}\n{one.caption}",
        one.headings[-1] if one.headings else "",
    ):
        named = {m.ingredients for m in engine.drugs.mentions(text)}
        parts = {own for own in named if not own.isdisjoint(one.ingredients)}
        if parts:
            return parts == {frozenset([drug])}
    return False


def evidence_of_label(one: LabelStatement) -> CitedEvidence:
    """Return a statement as it is cited."""
    return CitedEvidence(
        text=" ".join(one.statement.said.split()),
        document=one.statement.document_title,
        section=" > ".join(one.statement.headings),
    )


def label_finding(
    kind: str, question: str, item: SummaryItem, naming: Sequence[LabelStatement]
) -> GuidelineFinding:
    """Return what statements of labels say, the gravest sections first."""
    ordered = sorted(naming, key=lambda s: _GROUPS.index(s.statement.group or _GROUPS[-1]))
    evidence = {one.text: one for one in map(evidence_of_label, ordered)}
    return GuidelineFinding(
        about=item.text,
        source=item.source,
        kind="interaction" if kind == "interaction" else "contraindication",
        question=question,
        verdict="warns" if evidence else "no guideline evidence",
        evidence=tuple(evidence.values())[:MOST_EVIDENCE],
    )

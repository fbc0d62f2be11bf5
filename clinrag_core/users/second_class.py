"""What a user's own documents say to a question: a second class of evidence, shown apart.

The released sources answer first and alone; what they refuse as outside the field stays refused. A
statement of a user's document goes through the same selection and gates, is never part of the
answer's claims or of the patient summary, and is compared with what the released sources say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.abstain import Abstain
from clinrag_core.answer.citations import cite_quotes, date_of
from clinrag_core.answer.compose import evidence_items
from clinrag_core.answer.contradiction import find_contradictions
from clinrag_core.answer.evidence import Scope, find_evidence
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.records import Answer, Claim, Contradiction, OwnDocuments
from clinrag_core.answer.select.ranked import ranked_statements
from clinrag_core.answer.select.selection import select_statements
from clinrag_core.answer.sources import Sources
from clinrag_core.answer.thresholds import Thresholds
from clinrag_core.answer.write import write_claims
from clinrag_core.facts.reader import read_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.question.reader import AskedQuestion, QuestionReader
    from clinrag_core.answer.records import Reason
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.reader import Facts
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.engine import SearchEngine

NEVER_READ: frozenset[Reason] = frozenset(
    {
        "out_of_domain", "self_harm", "other_language", "calibration_missing", "calibration_stale",
        "gate_error", "lexicon_error", "internal_error", "retrieval_failed",
    }
)  # fmt: skip
"""Abstentions in which no document is read: the question is refused, or a safety check failed."""
COMPARED = 12
"""Released statements nearest to a user's statement that it is compared with."""
ONLY_OWN = (
    "Only your own documents were read. Nothing here is from the released sources, and nobody has "
    "reviewed it."
)
NOTHING_OWN = "ABSTAIN: nothing in your own documents answers this."


def only_own_answer(_: str, answer: Answer, own: OwnDocuments | None = None) -> Answer:
    """Return an answer with what only the user's documents say, without the released sources."""
    if answer.reason in NEVER_READ:
        return answer
    own = own or OwnDocuments()
    reason: Reason | None = None if own.claims else "no_claims"
    bare = Answer(
        status="answered" if own.claims else "abstained",
        reason=reason,
        message=ONLY_OWN if own.claims else NOTHING_OWN,
        only_own_documents=True,
        own_documents=own,
    )
    kept = ("route", "corrections", "component_errors", "generator")
    return bare.model_copy(update={name: getattr(answer, name) for name in kept})


class SecondClass:
    """Adds to an answer what one user's documents say."""

    def __init__(self, engine: AnswerEngine, reader: QuestionReader, uploads: SearchEngine) -> None:
        self._engine = engine
        self._reader = reader
        self._uploads = uploads

    def added(self, text: str, answer: Answer) -> Answer:
        """Return the answer of the released sources with the user's documents under it."""
        if answer.reason in NEVER_READ:
            return answer
        return answer.model_copy(update={"own_documents": self._read(text, answer.claims)})

    def alone(self, text: str, answer: Answer) -> Answer:
        """Return what only the user's documents say, and say so; refusals stay as they are."""
        if answer.reason in NEVER_READ:
            return answer
        return only_own_answer(text, answer, self._read(text, answer.claims))

    def _read(self, text: str, released: Sequence[Claim]) -> OwnDocuments:
        """Return the claims of the user's documents that pass every gate."""
        question = self._reader.read(text)
        if any(not self._uploads.vocabulary.uses(word) for word in question.unknown):
            return OwnDocuments()
        if not self._has_evidence(question):
            return OwnDocuments()
        engine = self._engine
        sources = Sources([self._uploads], engine.drugs, engine.idf)
        selection = select_statements(question, sources)
        if not any(part.statements for part in selection.parts):
            return OwnDocuments()
        try:
            written = write_claims(
                selection, engine.generator, engine.gates, engine.drugs, engine.settings.sentences
            )
        except Abstain:
            return OwnDocuments()
        claims = written.checked.accepted
        cited = {c.chunk_id for claim in claims for c in claim.citations}
        passages = [p for p in selection.passages if p.chunk.id in cited]
        conflicts = self._conflicts(claims, released, selection, question)
        return OwnDocuments(
            claims=claims,
            evidence=evidence_items(passages),
            conflicts=(*written.checked.contradictions, *conflicts),
        )

    def _has_evidence(self, question: AskedQuestion) -> bool:
        """Return whether a passage is near enough; nothing is calibrated on users' documents."""
        engine = self._engine
        thresholds = Thresholds(None, engine.settings.abstain_below, sure=question.route.sure)
        scope = Scope(self._uploads, tuple(self._uploads.knowledge_bases))
        found = find_evidence(
            question,
            [scope],
            engine.drugs,
            engine.settings,
            thresholds,
            self._uploads.components,
            engine.idf,
        )
        held = bool(question.targets) and found.reason == "low_confidence"
        return found.reason is None or held

    def _conflicts(
        self,
        claims: Sequence[Claim],
        released: Sequence[Claim],
        selection: Selection,
        question: AskedQuestion,
    ) -> tuple[Contradiction, ...]:
        """Return where a user's statement contradicts the released sources, shown or not."""
        engine = self._engine
        known = {passage.chunk.id: passage.chunk for passage in selection.passages}
        found: dict[tuple[str, str], Contradiction] = {}
        for claim in claims:
            others = [*released, *self._nearest(claim, question, known)]
            for citation in (c for other in others for c in other.citations):
                if (chunk := engine.chunk(citation.chunk_id)) is not None:
                    known[chunk.id] = chunk
            pairs = ((other, claim) for other in others)
            of_claim = [c for p in pairs for c in find_contradictions(p, known, engine.drugs)]
            for one in of_claim or self._unknown_dose(claim, others, known):
                found.setdefault((one.citations[0].snippet, one.citations[1].snippet), one)
        return tuple(found.values())

    def _unknown_dose(
        self, claim: Claim, others: Sequence[Claim], known: Mapping[str, Chunk]
    ) -> list[Contradiction]:
        """Return the contradiction of a dose that no released statement on the drug gives.

        Rows of dose tables are worded unlike sentences, so likeness does not find these.
        """
        own = read_facts(claim.text, self._engine.drugs)
        same = [
            (other, doses_of(facts, own.ingredients))
            for other in others
            if own.ingredients & (facts := read_facts(other.text, self._engine.drugs)).ingredients
        ]
        for unit, values in doses_of(own, own.ingredients).items():
            stated = [(other, doses[unit]) for other, doses in same if unit in doses]
            ranges = [one for _, them in stated for one in them]
            if stated and any(not _within(value, ranges) for value in values):
                citations = (stated[0][0].citations[0], claim.citations[0])
                dates = tuple(date_of(known[c.chunk_id]) for c in citations)
                return [Contradiction(about=("dose",), citations=citations, dates=dates)]
        return []

    def _nearest(
        self, claim: Claim, question: AskedQuestion, known: dict[str, Chunk]
    ) -> list[Claim]:
        """Return the released statements nearest to a claim, as claims; adds their passages."""
        engine = self._engine
        sources = Sources([engine.search], engine.drugs, engine.idf)
        slots = read_slots(claim.text, engine.drugs)
        nearest: list[Claim] = []
        for one in ranked_statements(claim.text, question, slots, sources)[:COMPARED]:
            held = {
                quote.chunk_id: chunk
                for quote in one.statement.quotes
                if (chunk := engine.chunk(quote.chunk_id)) is not None
            }
            known.update(held)
            if citations := cite_quotes(one.statement, held):
                nearest.append(Claim(text=one.statement.said, citations=tuple(citations)))
        return nearest


def doses_of(facts: Facts, drugs: frozenset[str]) -> dict[str, list[tuple[Decimal, ...]]]:
    """Return the doses that a text gives of some drugs, by unit with what they are per.

    A dose is of the drug named last before it, or of the next one as in "600 mg of X". Drugs in a
    row that share one figure are rare; a partner's figure that hides a difference is dangerous.
    """
    doses: dict[str, list[tuple[Decimal, ...]]] = {}
    for quantity in facts.quantities:
        if quantity.kind == "dose" and drugs & _owner(facts, quantity):
            values, unit, per = quantity.key
            # A daily dose and a single dose are compared: a table says "daily" in its heading.
            per_what = "/".join(part for part in per if part not in ("d", "day"))
            doses.setdefault(f"{unit}/{per_what}", []).append(values)
    return doses


def _owner(facts: Facts, dose: Quantity) -> frozenset[str]:
    """Return the ingredients that a dose is of; none where the text names no drug."""
    before = [m.ingredients for m in facts.drugs if m.end <= dose.start]
    after = [m for m in facts.drugs if m.start >= dose.end]
    if after and facts.text[dose.end : after[0].start].strip().lower() == "of":
        return after[0].ingredients
    return [*before[-1:], *(m.ingredients for m in after), frozenset[str]()][0]


def _within(value: tuple[Decimal, ...], ranges: Sequence[tuple[Decimal, ...]]) -> bool:
    """Return whether a figure, or range of figures, meets one of others."""
    return any(one[0] <= value[-1] and value[0] <= one[-1] for one in ranges)

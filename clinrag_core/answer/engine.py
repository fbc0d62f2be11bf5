"""The answer engine: route, gather, generate, check, align; or the reason for no answer.

Fails closed. What goes wrong while an answer is made ends in an abstention that says so, never in
an answer that was not checked.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.align import align, evidence_sentences
from clinrag_core.answer.citations import date_of
from clinrag_core.answer.contradiction import find_contradictions
from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import GATE_ERROR, run_gates
from clinrag_core.answer.gather import Found, Scope, gather
from clinrag_core.answer.generate.protocol import Task
from clinrag_core.answer.generate.registry import build_generator
from clinrag_core.answer.messages import MESSAGES
from clinrag_core.answer.records import Answer, Claim, EvidenceItem
from clinrag_core.answer.signal import SIGNAL
from clinrag_core.answer.summarise import guard_patient_summary, plain_words
from clinrag_core.answer.thresholds import check_calibration
from clinrag_core.errors import (
    CalibrationError,
    ClinragError,
    ConfigurationError,
    GenerationError,
    QueryError,
)
from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.lexicon.domain import domain_spans
from clinrag_core.lexicon.vocabulary import Vocabulary
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.retrieve.route import KINDS, RouteDecision, SecondOpinion, route
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Generator as Yields
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.audit import AuditLog
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.gather import ThresholdOf
    from clinrag_core.answer.generate.protocol import Draft, Generator
    from clinrag_core.answer.records import Reason
    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.facts.drugs import Mended
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import Component, SearchHit
    from clinrag_core.settings import AnswerSettings

logger = logging.getLogger(__name__)
SHOWN_WORDS = 3


class _Question(NamedTuple):
    """What is known of a question before anything is searched."""

    text: str
    mended: tuple[Mended, ...]
    route: RouteDecision | None


class _Stop(Exception):  # noqa: N818 - a way out, not an error
    """Ends an answer with a reason."""

    def __init__(self, reason: Reason, detail: str = "", found: Found | None = None) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.detail = detail
        self.found = found


class AnswerEngine:
    """Answers questions from the knowledge bases of a search engine.

    Args:
        search: searches the release.
        settings: depths, limits, generator.
        calibration: thresholds of the release; without them nothing is answered.
        generator: in place of the profile's.
        gates: in place of the profile's.
        components: retrievers to run; None: those of the profile.
        audit: where every answer is recorded; nowhere where None.
    """

    def __init__(
        self,
        search: SearchEngine,
        settings: AnswerSettings,
        calibration: Calibration | None,
        *,
        generator: Generator | None = None,
        gates: Sequence[Gate] | None = None,
        components: tuple[Component, ...] | None = None,
        audit: AuditLog | None = None,
    ) -> None:
        self.search = search
        self.settings = settings
        self.generator = generator or build_generator(settings.generator)
        self.gates = tuple(gates) if gates is not None else build_gates(settings)
        self._calibration = calibration
        self._audit = audit
        self._components: tuple[Component, ...] = components or search.components
        bases = search.knowledge_bases
        self.idf: dict[str, float] = {}
        for base in bases.values():
            for token, value in base.idf.items():
                self.idf[token] = max(self.idf.get(token, 0.0), value)
        self.vocabulary = Vocabulary([base.bm25.terms for base in bases.values()])
        self._opinion = SecondOpinion(search.encode)
        self._drugs: DrugLexicon | None = None

    @property
    def drugs(self) -> DrugLexicon:
        """Every drug name of the release and the shipped table.

        Raises:
            ConfigurationError: the table cannot be read.
        """
        if self._drugs is None:
            self._drugs = DrugLexicon(self.search.label_names, self.vocabulary.holds)
        return self._drugs

    def ask(self, question: str, own: SearchEngine | None = None) -> Answer:
        """Answer a question, or say why not; both are recorded in the audit trail.

        Args:
            question: as asked.
            own: searches the asking user's own documents, if there are any.

        Raises:
            QueryError: the question is empty or too long.
            AuditError: the audit trail cannot be written; then there is no answer.
        """
        started = time.perf_counter()
        clock: dict[str, float] = {}
        question = _usable(question)
        known = _Question(question, (), None)
        try:
            known = self._read(question)
            answer = self._answer(known, own, clock)
        except _Stop as stop:
            answer = self._abstention(stop, known)
        except QueryError:
            raise
        except ConfigurationError as error:
            logger.error("a lexicon failed: %s", error)  # noqa: TRY400 - one line is enough
            answer = self._abstention(_Stop("lexicon_error"), known)
        except ClinragError as error:
            # Neither message nor trace: they may hold the question.
            logger.error("answering failed: %s", type(error).__name__)  # noqa: TRY400
            answer = self._abstention(_Stop("retrieval_failed"), known)
        clock["total"] = (time.perf_counter() - started) * 1_000
        answer = answer.model_copy(
            update={
                "timings_ms": {name: round(ms, 3) for name, ms in clock.items()},
                "release": self.search.release,
                "generator": f"{self.generator.name}:{self.generator.revision}",
                "mended": known.mended,
            }
        )
        if self._audit is None:
            return answer
        return answer.model_copy(update={"audit_id": self._audit.record(question, answer)})

    def chunk(self, chunk_id: str) -> Chunk | None:
        """A passage of the release by id."""
        bases = self.search.knowledge_bases.values()
        holder = next((base for base in bases if chunk_id in base), None)
        return holder.chunk(chunk_id) if holder is not None else None

    def signals(self, question: str, components: tuple[Component, ...]) -> dict[str, float]:
        """The confidence signal per knowledge base; empty where a question is refused before.

        For calibration: no threshold is looked at.
        """
        known = self._read(question)
        decision = known.route
        if decision is None or decision.route == "OUT_OF_DOMAIN" or self._unknown(known.text, None):
            return {}
        found = self._found(known.text, decision, None, components, lambda *_: (0.0, False))
        least = 0.0 if decision.sure else self.settings.abstain_below
        return {c.knowledge_base: c.signal for c in found.confidence if c.signal >= least}

    def _read(self, question: str) -> _Question:
        text, mended = self.drugs.mend(question)
        return _Question(text, mended, route(text, self.drugs, self._opinion))

    def _answer(
        self, known: _Question, own: SearchEngine | None, clock: dict[str, float]
    ) -> Answer:
        decision = known.route
        assert decision is not None  # noqa: S101 - `_read` gives one
        if decision.route == "OUT_OF_DOMAIN" and own is None:
            raise _Stop("out_of_domain")
        if unknown := self._unknown(known.text, own):
            raise _Stop("unknown_term", ", ".join(unknown[:SHOWN_WORDS]))
        with _timed(clock, "evidence"):
            found = self._found(
                known.text, decision, own, self._components, self._threshold_of(decision)
            )
        if found.reason == "low_confidence" and not decision.sure:
            raise _Stop("out_of_domain", found=found)  # neither words nor evidence speak for it
        if found.reason is not None:
            raise _Stop(found.reason, ", ".join(decision.target_drugs), found)
        chunks = [hit.chunk for hit in found.hits]
        with _timed(clock, "generate"):
            draft = self._draft(known.text, found, chunks)
        with _timed(clock, "gates"):
            claims = self._checked(draft, chunks)
        accepted = [claim for claim in claims if claim.accepted]
        rejected = tuple(claim for claim in claims if not claim.accepted)
        answer = Answer(
            status="abstained",
            route=decision,
            confidence=found.confidence,
            evidence=_items(found.hits),
            rejected_evidence=found.rejected,
            rejected_claims=rejected,
            component_errors=found.component_errors,
        )
        if not accepted:
            return _refused(answer, _why_none(claims), "")
        by_id = {chunk.id: chunk for chunk in chunks}
        contradictions = find_contradictions(accepted, by_id, self.drugs)
        if contradictions:
            answer = answer.model_copy(update={"contradictions": contradictions})
            return _refused(answer, "contradiction", "")
        return self._accepted(answer, accepted, draft, chunks)

    def _unknown(self, question: str, own: SearchEngine | None) -> tuple[str, ...]:
        spans = [(m.start, m.end) for m in self.drugs.mentions(question)]
        unknown = self.vocabulary.unknown(question, [*spans, *domain_spans(question)])
        if own is None or not unknown:
            return unknown
        theirs = Vocabulary([base.bm25.terms for base in own.knowledge_bases.values()])
        return tuple(word for word in unknown if not theirs.uses(word))

    def _found(
        self,
        question: str,
        decision: RouteDecision,
        own: SearchEngine | None,
        components: tuple[Component, ...],
        threshold_of: ThresholdOf,
    ) -> Found:
        kinds = KINDS[decision.route]
        bases = self.search.knowledge_bases
        names = tuple(name for name, base in bases.items() if base.manifest.kind in kinds)
        # A user's own documents may be about anything.
        scopes = [Scope(self.search, names)] if names else []
        if own is not None:
            scopes.append(Scope(own, tuple(own.knowledge_bases)))
        return gather(
            spell_out(question, self.drugs),
            scopes,
            frozenset(decision.target_drugs),
            self.drugs,
            self.settings,
            threshold_of,
            components,
            self.idf,
            labels_alone=self._labels_alone(question, decision),
        )

    def _labels_alone(self, question: str, decision: RouteDecision) -> bool:
        """Whether a question is about medication, so that labels alone may answer it."""
        kinds = {trigger.kind for trigger in decision.triggers}
        medication = "drug_task" in kinds and bool(kinds & {"tb", "cap"})
        return bool(decision.target_drugs) or medication or self.drugs.names_class(question)

    def _threshold_of(self, decision: RouteDecision) -> ThresholdOf:
        if self._calibration is None:
            raise _Stop("calibration_missing")
        calibration = self._calibration
        bases = {n: b.manifest.fingerprint for n, b in self.search.knowledge_bases.items()}
        try:
            check_calibration(calibration, bases, SIGNAL)
        except CalibrationError as error:
            raise _Stop("calibration_stale") from error

        def threshold(base: str, configuration: str) -> tuple[float, bool]:
            found = calibration.of(base, configuration)
            if found is None:
                return self.settings.abstain_below, False
            if not decision.sure and found.threshold < self.settings.abstain_below:
                return self.settings.abstain_below, False
            return found.threshold, True

        return threshold

    def _draft(self, question: str, found: Found, chunks: Sequence[Chunk]) -> Draft:
        task = Task(question, found.analysis, chunks, self.idf, self.settings.sentences)
        try:
            return self.generator.generate(task)
        except GenerationError as error:
            logger.warning("generation failed: %s", error)
            raise _Stop("generation_failed", found=found) from error

    def _checked(self, draft: Draft, chunks: Sequence[Chunk]) -> list[Claim]:
        by_id = {chunk.id: chunk for chunk in chunks}
        claims: list[Claim] = []
        for drafted in draft.claims:
            context = ClaimInContext(drafted.text, drafted.citations, by_id, self.drugs)
            decisions = run_gates(self.gates, context)
            claims.append(
                Claim(text=drafted.text, citations=drafted.citations, decisions=decisions)
            )
        return claims

    def _accepted(
        self, answer: Answer, accepted: Sequence[Claim], draft: Draft, chunks: Sequence[Chunk]
    ) -> Answer:
        sentences = evidence_sentences(chunks)
        claims = tuple(c.model_copy(update={"support": align(c.text, sentences)}) for c in accepted)
        texts = [claim.text for claim in claims]
        patient = draft.patient_sentences or plain_words(texts)
        return answer.model_copy(
            update={
                "status": "answered",
                "claims": claims,
                "patient_summary": guard_patient_summary(patient, texts, self.drugs),
            }
        )

    def _abstention(self, stop: _Stop, known: _Question) -> Answer:
        answer = Answer(status="abstained", route=known.route)
        if stop.found is not None:
            answer = answer.model_copy(
                update={
                    "confidence": stop.found.confidence,
                    "evidence": _items(stop.found.looked_at),
                    "rejected_evidence": stop.found.rejected,
                    "component_errors": stop.found.component_errors,
                }
            )
        return _refused(answer, stop.reason, stop.detail)


def _usable(question: str) -> str:
    text = question.strip()
    if not text or "\x00" in text or len(text) > MAX_QUESTION_CHARACTERS:
        raise QueryError(
            f"a question has 1 to {MAX_QUESTION_CHARACTERS} characters and no NUL character"
        )
    return text


@contextmanager
def _timed(clock: dict[str, float], stage: str) -> Yields[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        clock[stage] = (time.perf_counter() - started) * 1_000


def _refused(answer: Answer, reason: Reason, detail: str) -> Answer:
    status = "out_of_domain" if reason == "out_of_domain" else "abstained"
    message = MESSAGES[reason].format(detail=detail or "what was asked for")
    return answer.model_copy(update={"status": status, "reason": reason, "message": message})


def _why_none(claims: Sequence[Claim]) -> Reason:
    if not claims:
        return "no_claims"
    failed = [any(d.code == GATE_ERROR for d in c.decisions) or not c.decisions for c in claims]
    return "gate_error" if all(failed) else "all_claims_rejected"


def _items(hits: Sequence[SearchHit]) -> tuple[EvidenceItem, ...]:
    return tuple(
        EvidenceItem(
            chunk_id=hit.chunk.id,
            text_sha256=sha256_hex(hit.chunk.text.encode()),
            knowledge_base=hit.knowledge_base,
            document_id=hit.chunk.document_id,
            document_title=hit.chunk.document_title,
            section_path=hit.chunk.section_path,
            page=hit.chunk.page,
            page_label=hit.chunk.page_label,
            loinc=hit.chunk.loinc,
            label_version=hit.chunk.label_version,
            date=date_of(hit.chunk),
            rank=rank,
            scores=_scores(hit.component_scores),
        )
        for rank, hit in enumerate(hits, start=1)
    )


def _scores(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: round(score, 6) for name, score in scores.items()}

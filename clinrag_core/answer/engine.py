"""The answer engine: read the question, find evidence, draft, check, compose.

Each step takes the results of the steps before it. It fails closed: what goes wrong while an
answer is made ends in an abstention with its reason, never in an answer that was not checked.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from clinrag_core.answer.abstain import Abstain, outside_field
from clinrag_core.answer.compose import Progress, compose_abstention, compose_answer
from clinrag_core.answer.confidence import SIGNAL
from clinrag_core.answer.evidence import Scope, find_evidence, nearest
from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.generate.extractive import ExtractiveGenerator
from clinrag_core.answer.generate.registry import build_generator
from clinrag_core.answer.question.reader import QuestionReader, usable
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.topic_words import has_own_document, unsaid
from clinrag_core.answer.rank.unspoken import asked_or_drug
from clinrag_core.answer.scope_check import could_ask, out_of_scope
from clinrag_core.answer.select.low_confidence import (
    is_held_by_statements,
    leads_with_it,
)
from clinrag_core.answer.select.selection import (
    begin_selection,
    headed_by,
    of_dosage,
    select_statements,
    select_warnings,
)
from clinrag_core.answer.sources import Sources, guideline_titles
from clinrag_core.answer.thresholds import UNTHRESHOLDED, Thresholds
from clinrag_core.answer.word_weights import WordWeights
from clinrag_core.answer.write import write_claims
from clinrag_core.errors import (
    ClinragError,
    ConfigurationError,
    QueryError,
    log_failure,
)
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.languages import is_english
from clinrag_core.lexicon.self_harm import asks_for_harm
from clinrag_core.retrieve.route import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Generator as Yields

    from clinrag_core.answer.audit.trail import AuditLog
    from clinrag_core.answer.evidence import Evidence
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.generate.protocol import Generator
    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.records import Answer, Reason
    from clinrag_core.answer.scope_check import ScopeGap
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings import AnswerSettings

logger = logging.getLogger(__name__)
FIELD = frozenset({"tb", "cap"})
REPORTED_WORDS = 3
"""Unknown words that an abstention names; more would not help to reword the question."""


class AnswerEngine:
    """Answers questions from the knowledge bases of a search engine.

    Without `calibration` nothing is answered, without `audit` no record is kept. Generator and
    gates, if given, replace those of the profile.
    """

    def __init__(
        self,
        search: SearchEngine,
        settings: AnswerSettings,
        calibration: Calibration | None,
        *,
        generator: Generator | None = None,
        gates: Sequence[Gate] | None = None,
        audit: AuditLog | None = None,
    ) -> None:
        self.search = search
        self.settings = settings
        self.generator = generator or build_generator(settings.generator)
        self.gates = tuple(gates) if gates is not None else build_gates(settings)
        self._calibration = calibration
        self._audit = audit
        self._reader = QuestionReader(search)
        self.idf = WordWeights(search.knowledge_bases.values())

    @property
    def drugs(self) -> DrugLexicon:
        """Every drug name of the release and of the shipped table."""
        return self.search.drugs

    def ask(self, question: str, more: Callable[[str, Answer], Answer] | None = None) -> Answer:
        """Answer a question, or say why not; both are recorded in the audit trail.

        `more` adds to the answer what the documents of the user who asks say.

        Raises:
            QueryError: the question is empty or too long.
            AuditError: the audit trail cannot be written; then there is no answer.
        """
        text = usable(question)
        clock: dict[str, float] = {}
        progress = Progress()
        with _timed(clock, "total"):
            try:
                answer = self._answer_or_abstention(text, progress, clock)
                if more is not None:
                    with _timed(clock, "own_documents"):
                        answer = more(text, answer)
            except QueryError:
                raise
            except ConfigurationError as error:
                logger.error("a lexicon failed: %s", error)  # noqa: TRY400 - one line is enough
                answer = compose_abstention(progress, "lexicon_error")
            except ClinragError as error:
                log_failure(logger, "answering failed", error)
                answer = compose_abstention(progress, "retrieval_failed")
            except Exception as error:  # noqa: BLE001 - no exception may end without a record
                log_failure(logger, "answering failed", error)
                answer = compose_abstention(progress, "internal_error")
        return self._recorded(text, answer, clock)

    def unaudited(self) -> AnswerEngine:
        """Return this engine without its audit trail, for questions made from a clinical note."""
        twin = copy(self)
        twin._audit = None  # noqa: SLF001 - its own kind
        return twin

    def quoting(self) -> AnswerEngine:
        """Return this engine without its audit trail and its model: it quotes the sources."""
        twin = self.unaudited()
        twin.generator = ExtractiveGenerator()
        return twin

    def refuse(self, question: str, reason: Reason) -> Answer:
        """Return an abstention, recorded as in `ask`, for what failed before the question was read.

        Raises:
            QueryError: the question is empty or too long.
            AuditError: the audit trail cannot be written; then there is no answer.
        """
        answer = compose_abstention(Progress(), reason)
        return self._recorded(usable(question), answer, {"total": 0.0})

    def _recorded(self, text: str, answer: Answer, clock: dict[str, float]) -> Answer:
        """Return an answer with what made it, once it is in the audit trail."""
        answer = answer.model_copy(
            update={
                "timings_ms": {name: round(ms, 3) for name, ms in clock.items()},
                "release": self.search.release,
                "generator": answer.generator or f"{self.generator.name}:{self.generator.revision}",
                **self._release_notices(answer),
            }
        )
        if self._audit is None:
            return answer
        return answer.model_copy(update={"audit_id": self._audit.record(text, answer)})

    def _release_notices(self, answer: Answer) -> dict[str, object]:
        """Return what the reader of an answer must know of the release it was made from."""
        if (served := self.search.served) is None:
            return {}
        cited = {citation.document_id for citation in answer.citations}
        return {
            "unreviewed": served.unreviewed,
            "damaged_release": served.damaged,
            "label_changes": served.changes_of(cited),
        }

    def chunk(self, chunk_id: str) -> Chunk | None:
        """Return the passage with an id; None if the release has none."""
        bases = self.search.knowledge_bases.values()
        return next((base.chunk(chunk_id) for base in bases if chunk_id in base), None)

    def signals(self, question: str, components: tuple[Component, ...]) -> dict[str, float]:
        """Return the confidence signal per knowledge base, for calibration; applies no threshold.

        Empty where a question is refused before its evidence is judged.
        """
        asked = self._reader.read(question)
        if asked.route.route == "OUT_OF_DOMAIN" or asked.unknown:
            return {}
        if out_of_scope(asked, self.drugs, self.search.scope, self._sources.idf) is not None:
            return {}
        evidence = self._evidence(asked, UNTHRESHOLDED, components)
        least = 0.0 if asked.route.sure else self.settings.abstain_below
        return {c.knowledge_base: c.signal for c in evidence.confidence if c.signal >= least}

    def _answer_or_abstention(
        self, text: str, progress: Progress, clock: dict[str, float]
    ) -> Answer:
        """Return an answer, or the abstention it ends in, with what could be asked instead."""
        if asks_for_harm(text):  # before anything of it is read, searched or shown
            return compose_abstention(Progress(), "self_harm")
        if not is_english(text):
            return compose_abstention(Progress(), "other_language")
        try:
            return self._answer(text, progress, clock)
        except Abstain as stop:
            offers = could_ask(progress.question, self.drugs, self.search.scope)
            return compose_abstention(progress, stop.reason, stop.detail, offers)

    def _unsearched(self, question: AskedQuestion, progress: Progress) -> Selection | None:
        """Refuse what the sources never name or do not cover, with the nearest passages.

        What labels warn the very people of is selected where a drug is in scope, but not what is
        asked of it; None where nothing is missing.

        Raises:
            Abstain: they do not.
        """
        slots = read_slots(question.text, self.drugs)
        # A patient's story, or why two drugs are given, has words that no source needs to know.
        is_on_pair = len(slots.drugs) + len(slots.partners) > 1
        has_story = slots.is_case or (is_on_pair and "comparison" not in slots.aspects)
        unknown = () if has_story else asked_or_drug(question.unknown, slots)
        gap = None
        if not unknown:
            gap = out_of_scope(question, self.drugs, self.search.scope, self._sources.idf)
        if gap and gap.kind == "condition" and has_own_document(question.text, self._sources):
            gap = None
        if not unknown and gap is None:
            return None
        if gap is not None and gap.kind == "combined":
            found = self._of_combination(question, gap)
            if found is not None:
                return found
        progress.evidence = nearest(self._evidence(question, UNTHRESHOLDED, self.search.components))
        if gap is not None:
            warned = select_warnings(question, gap.refusal, self._sources)
            if any(part.statements for part in warned.parts):
                return warned
            raise Abstain("out_of_scope", gap.sentence)
        raise Abstain("unknown_term", ", ".join(unknown[:REPORTED_WORDS]))

    def _of_combination(self, question: AskedQuestion, gap: ScopeGap) -> Selection | None:
        """Return the dosage of the combination that a drug is here in, under a line that says so.

        None where its label gives no amount of the very drug: tablets of two are no dose of one.
        """
        found = select_statements(question, self._sources)
        mentions = read_facts(question.text, self.drugs).drugs
        own = of_dosage(found)
        if own is None or len(mentions) != 1:
            return None
        note = f"{gap.refusal} What follows is from the label of {' and '.join(own.ingredients)}."
        before, after = question.text[: mentions[0].start], question.text[mentions[0].end :]
        product = question._replace(text=f"{before}{'/'.join(own.ingredients)}{after}")
        whole = select_statements(product, self._sources)
        return headed_by(note, found if of_dosage(whole) is None else whole)

    def _answer(self, text: str, progress: Progress, clock: dict[str, float]) -> Answer:
        """Answer a question, keeping what is known in `progress`.

        Raises:
            Abstain: there is no answer.
        """
        question = progress.question = self._reader.read(text)
        if question.route.route == "OUT_OF_DOMAIN":
            unlabelled = [d for d in question.route.target_drugs if d not in self.drugs.labelled]
            raise Abstain("out_of_domain", self._outside(unlabelled))
        selection = self._unsearched(question, progress)
        if selection is None:
            selection = self._selected(question, progress, clock)
        progress.selection = selection
        if not any(part.statements for part in selection.parts):
            raise Abstain("nothing_fits", " ".join(selection.unmet))
        with _timed(clock, "write"):
            written = write_claims(
                selection, self.generator, self.gates, self.drugs, self.settings.sentences
            )
        progress.checked = written.checked
        if written.checked.reason is not None:
            raise Abstain(written.checked.reason)
        composed = compose_answer(progress, self.drugs, self.gates)
        made = {"generator": written.generator, "generator_notice": written.notice}
        return composed.model_copy(update=made)

    def _selected(
        self, question: AskedQuestion, progress: Progress, clock: dict[str, float]
    ) -> Selection:
        """Return the statements that fit a question whose evidence is near enough.

        Raises:
            Abstain: it is not.
        """
        begun = begin_selection(question, self._sources)
        with _timed(clock, "evidence"):
            thresholds = self._thresholds(sure=question.route.sure)
            evidence = self._evidence(question, thresholds, self.search.components)
            progress.evidence = evidence
        sources, is_low = self._sources, evidence.reason == "low_confidence"
        if is_low and not (question.route.sure or question.is_covered):
            raise Abstain("out_of_domain", self._outside())  # neither words nor evidence are of it
        is_held = is_low and is_held_by_statements(question, sources)
        if evidence.reason is None or is_low:
            with _timed(clock, "select"):
                selection = select_statements(question, sources, begun)
            if evidence.reason is None or is_held or leads_with_it(question, selection, sources):
                return selection
        drugs = ", ".join(question.route.target_drugs)
        passages = [hit.chunk for hit in evidence.candidates]
        raise Abstain(evidence.reason, drugs or unsaid(question.text, passages, sources))

    def _evidence(
        self,
        question: AskedQuestion,
        thresholds: Thresholds,
        components: tuple[Component, ...],
    ) -> Evidence:
        """Search the knowledge bases that the question is routed to."""
        kinds = KINDS[question.route.route]
        bases = self.search.knowledge_bases
        names = tuple(name for name, base in bases.items() if base.manifest.kind in kinds)
        scopes = [Scope(self.search, names)] if names else []
        return find_evidence(
            question, scopes, self.drugs, self.settings, thresholds, components, self.idf
        )

    def _outside(self, unlabelled: Sequence[str] = ()) -> str:
        """Return in words why a question is of another field than the release."""
        titles = guideline_titles([self.search])
        others = [
            title
            for title in titles
            if not {topic.name for topic in read_facts(title, self.drugs).topics} & FIELD
        ]
        return outside_field(others if 2 * len(others) > len(titles) else (), unlabelled)

    @property
    def _sources(self) -> Sources:
        return Sources([self.search], self.drugs, self.idf)

    def _thresholds(self, *, sure: bool) -> Thresholds:
        """Return the release's thresholds.

        Raises:
            Abstain: there are none, or they belong to another state of the knowledge bases.
        """
        if self._calibration is None:
            raise Abstain("calibration_missing")
        bases = {n: b.manifest.fingerprint for n, b in self.search.knowledge_bases.items()}
        if not self._calibration.fits(bases, SIGNAL):
            raise Abstain("calibration_stale")
        return Thresholds(self._calibration, self.settings.abstain_below, sure=sure)


@contextmanager
def _timed(clock: dict[str, float], stage: str) -> Yields[None]:
    """Put the milliseconds of a stage into `clock`."""
    started = time.perf_counter()
    try:
        yield
    finally:
        clock[stage] = (time.perf_counter() - started) * 1_000

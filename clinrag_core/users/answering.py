"""Answering from the current release: its thresholds, the users' documents, the audit trail."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.answer.audit.trail import audit_log
from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.question.reader import QuestionReader
from clinrag_core.answer.readiness import warm_up_answers
from clinrag_core.answer.thresholds import read_calibration
from clinrag_core.errors import CalibrationError, ClinragError, log_failure
from clinrag_core.garbage import search_seldom
from clinrag_core.index.release import ReleaseStore
from clinrag_core.retrieve.open import open_engine
from clinrag_core.users.second_class import SecondClass, only_own_answer
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer
    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.settings import Settings
    from clinrag_core.users.documents import UserDocuments

logger = logging.getLogger(__name__)


class Answering:
    """Answers a tenant's questions: the answer engine of the release and users' documents."""

    def __init__(self, settings: Settings, engine: AnswerEngine) -> None:
        self.engine = engine
        self.reader = QuestionReader(engine.search)
        self._settings = settings
        self._folder = Workspace(settings.home).user_documents
        if self._folder.is_dir():
            _ = self.documents

    @cached_property
    def documents(self) -> UserDocuments:
        """The documents of all tenants, freed of what killed changes left behind.

        Where nobody has given one, reading and indexing documents is not even imported.
        """
        from clinrag_core.users.changes import Changes
        from clinrag_core.users.documents import UserDocuments as Documents
        from clinrag_core.users.index import TenantIndexes

        search = self.engine.search
        bases = search.knowledge_bases.values()
        guidelines = [base for base in bases if base.manifest.kind == "guideline"]
        background = guidelines[0].idf if guidelines else {}
        # Passages of users are searched with those of the release, which another machine may have
        # made.
        precision = {"precision": search.encoder.precision}
        encoder = self._settings.encoder.model_copy(update=precision)
        changes = Changes(self._settings.model_copy(update={"encoder": encoder}), background)
        documents = Documents(self._settings, changes, TenantIndexes(self._settings, search))
        documents.recover()
        return documents

    def ask(self, question: str, tenant: str = "", *, only_own: bool = False) -> Answer:
        """Answer from the release, with what the tenant's documents say under it.

        With `only_own` from the tenant's documents alone; what is outside the field, or asks for
        harm, is refused all the same.

        Raises:
            QueryError: the question cannot be used.
            AuditError: the audit trail cannot be written.
        """
        try:
            uploads = self.documents.engine(tenant) if self._folder.is_dir() else None
        except Exception as error:  # noqa: BLE001 - whatever is damaged, the question is recorded
            log_failure(logger, "a tenant's documents cannot be opened", error)
            return self.engine.refuse(question, "retrieval_failed")
        if uploads is None:
            return self.engine.ask(question, only_own_answer if only_own else None)
        second = SecondClass(self.engine, self.reader, uploads)
        return self.engine.ask(question, second.alone if only_own else second.added)


def open_answering(settings: Settings, search: SearchEngine | None = None) -> Answering:
    """Open answering over the current release.

    A release without thresholds is opened, and every question to it abstains. `search` is the
    opened release, if there is one already.

    Raises:
        ReleaseError: there is no release, or its parts do not agree.
    """
    search_seldom()
    search = search or open_engine(settings)
    engine = AnswerEngine(
        search,
        settings.answer,
        _calibration(settings, search),
        audit=audit_log(settings),
    )
    return Answering(settings, engine)


def ready_answering(settings: Settings, search: SearchEngine) -> None:
    """Ready answering over an opened release before anybody asks; its failures are logged."""
    engine = AnswerEngine(search, settings.answer, _calibration(settings, search))
    try:
        warm_up_answers(engine)
    except ClinragError as error:  # a question will say what is wrong
        log_failure(logger, "answering is not warmed up", error)


def _calibration(settings: Settings, search: SearchEngine) -> Calibration | None:
    """Thresholds of the release that is open, which may not be the newest any more."""
    if search.served is None:
        return None
    store = ReleaseStore(Workspace(settings.home).releases)
    try:
        return read_calibration(store.folder_of(search.served.release))
    except CalibrationError:
        return None

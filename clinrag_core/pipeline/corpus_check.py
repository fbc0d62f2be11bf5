"""What a run would read of a corpus, and every problem it would meet, before any run.

Uses the file and section stages themselves, in the workspace of the given pipeline. Files behind an
address are not fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import QUESTIONS, load_questions
from clinrag_core.evaluate.parse_audit.structure import structure_findings
from clinrag_core.lexicon.drug_names import ingredient, label_names, split_combination
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind, LabelFormat
from clinrag_core.parse.pdf.label import is_printed_label
from clinrag_core.pipeline.corpus import is_admitted
from clinrag_core.pipeline.stages import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clinrag_core.model.document import Document
    from clinrag_core.pipeline.partition import Partition
    from clinrag_core.pipeline.pipeline import Pipeline


class CheckedDocument(Record):
    """A document as a run would read it."""

    kind: DocumentKind
    key: str
    title: str
    file: str
    organisation: str | None
    year: int | None
    licence: str | None
    topics: tuple[str, ...]
    format: str
    words: int
    sections: int


class CorpusCheck(Record):
    """What is in a corpus and what is wrong with it."""

    documents: tuple[CheckedDocument, ...]
    problems: tuple[str, ...]
    """A file that cannot be used, or a question that cannot be read."""
    notes: tuple[str, ...]
    """What a run accepts and a person may not have meant."""


def check_corpus(
    pipeline: Pipeline, on_progress: Callable[[int, int, str], None] = lambda *_: None
) -> CorpusCheck:
    """Read every file of the pipeline's corpus; nothing outside its workspace changes.

    `on_progress` is called with (partitions done, partitions in all, partition key).

    Raises:
        ManifestError: the manifest has problems.
    """
    manifest = pipeline.manifest
    problems = question_problems(manifest.root)
    documents: list[CheckedDocument] = []
    notes: list[str] = []
    seen: dict[str, str] = {}
    partitions = [pipeline.partition(kind, key) for kind in KINDS for key in pipeline.keys(kind)]
    for done, partition in enumerate(partitions):
        on_progress(done, len(partitions), partition.key)
        where = f"{partition.kind} {partition.key}"
        if _needs_network(pipeline, partition):
            notes.append(f"{where}: fetched by a run, not checked here")
            continue
        partition.record_acquired(pipeline.acquire(partition.kind, partition.key))
        partition.parse()
        parsed = partition.need_parsed()
        problems += [f"{where}: {failure.reason}" for failure in parsed.failures]
        notes += [f"{where}: {e.document_id}: not indexed: {e.reason}" for e in parsed.equivalents]
        for document in parsed.documents:
            documents.append(_checked(partition, document))
            notes += [f"{where}: {note}" for note in _notes(pipeline, document)]
            if (first := seen.setdefault(document.file.sha256, where)) != where:
                notes.append(f"{where}: the same file as {first}")
    for kind in KINDS:
        if not pipeline.keys(kind):
            notes.append(f"no {kind} in this corpus: {pipeline.knowledge_base_name(kind)} is empty")
    return CorpusCheck(
        documents=tuple(documents),
        problems=tuple(problems),
        notes=tuple(notes),
    )


def question_problems(folder: Path) -> list[str]:
    """Return what is wrong with the questions of a corpus folder; nothing if it has none."""
    if not (folder / QUESTIONS).is_file():
        return []
    try:
        load_questions(folder)
    except BenchmarkError as error:
        return list(error.problems)
    return []


def _needs_network(pipeline: Pipeline, partition: Partition) -> bool:
    entries = pipeline.ledger(partition.kind).entries(partition.key)
    return any(entry.path is None for entry in entries)


def _checked(partition: Partition, document: Document) -> CheckedDocument:
    """Return what is shown of a document."""
    return CheckedDocument(
        kind=partition.kind,
        key=partition.key,
        title=document.title,
        file=document.file.name,
        organisation=document.organisation,
        year=document.year,
        licence=document.licence,
        topics=document.topics,
        format=document.format,
        words=document.words,
        sections=len(document.sections),
    )


def _notes(pipeline: Pipeline, document: Document) -> list[str]:
    """Return what is odd about a document that can be read."""
    if document.label is None:
        found = [f"{f.code}: {f.message}" for f in structure_findings(document)]
        if document.format in get_args(LabelFormat) and is_printed_label(document):
            found.append("its sections are those of a drug label: list it as [[label]]")
        if is_admitted(document.topics, pipeline.settings.corpus.topics):
            return found
        topics = ", ".join(document.topics) or "(none)"
        return [f"not indexed: topic {topics} is not admitted by the setting corpus.topics", *found]
    printed = {ingredient(name) for name in label_names(document.label.products)}
    listed = {ingredient(name) for name in split_combination(document.label.drug.replace("-", " "))}
    words = {word for name in printed for word in name.split()}
    asked = {word for name in listed for word in name.split()}
    if printed and not asked & words:
        return [f"the file is a label of {', '.join(sorted(printed)[:3])}"]
    return []

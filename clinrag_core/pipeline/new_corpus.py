"""A folder of documents as a corpus: which files can be used, as what, and the manifest to write.

Format, title and drug come from the content, by the parsers of the chain itself, so a file that is
listed as usable is one that a run will read.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from clinrag_core.acquire.entries import checked_path
from clinrag_core.acquire.folder import SUFFIXES, leaves_folder
from clinrag_core.acquire.keys import partition_key
from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.recognise import recognise
from clinrag_core.errors import DocumentError
from clinrag_core.lexicon.drug_names import ingredient, join_combination
from clinrag_core.model.source import DocumentSource, GuidelineFormat, LabelFormat, SourceFile
from clinrag_core.parse.child import parse_bounded
from clinrag_core.parse.pdf.label import is_printed_label
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.model.document import Document
    from clinrag_core.model.label import Label
    from clinrag_core.model.source import Format

TEXT_SUFFIXES = frozenset({"", ".text"}.union(*SUFFIXES.values()))
"""Data and programs are text too, so text counts as a document only under these suffixes."""
ABOUT_FOLDER = re.compile(r"^(?:read ?me|licen[cs]e|copying|notice|changelog)\b", re.IGNORECASE)
ID_WORDS = 8
"""Words of a title that make an id: enough to recognise it, short enough to type."""
_NAME = re.compile(r"[a-z]{4,}|[a-z]+[-_ ]+[a-z]+", re.IGNORECASE)
"""A longer word, or two: a file name without them, such as '9789241550512-eng', is no id."""

LEFT_OUT = "left_out"
"""Code of files that are readable but are no documents of a corpus."""


class UsableFile(NamedTuple):
    """A file that a run can read."""

    path: str
    name: str
    """Id of a guideline, drug of a label."""
    title: str
    note: str
    """What was read of it, in a few words."""


class UnusableFile(NamedTuple):
    """A file that is left out, and why."""

    path: str
    reason: str


class FolderScan(NamedTuple):
    """The files of a folder."""

    guidelines: tuple[UsableFile, ...]
    labels: tuple[UsableFile, ...]
    unusable: tuple[UnusableFile, ...]


def scan_folder(
    folder: Path, on_progress: Callable[[int, int, str], None] = lambda *_: None
) -> FolderScan:
    """Read every file of a folder and of those inside it; hidden and TOML files are passed over.

    `on_progress` is called with (files done, files in all, file name).
    """
    guidelines: list[UsableFile] = []
    labels: list[UsableFile] = []
    unusable: list[UnusableFile] = []
    seen: dict[str, str] = {}
    paths = _documents_of(folder)
    for done, path in enumerate(paths):
        on_progress(done, len(paths), path.name)
        relative = path.relative_to(folder).as_posix()
        try:
            _check_name(path, relative)
            if leaves_folder(folder, relative):
                raise _left_out(path, "a link to a file that is not in the folder")
            data = path.read_bytes()
            if (first := seen.setdefault(sha256_hex(data), relative)) != relative:
                raise _left_out(path, f"the same bytes as {first}")
            document = _read(path, data)
        except (DocumentError, OSError) as error:
            unusable.append(UnusableFile(_printable(relative), _printable(_reason(error))))
            continue
        if document.label is not None:
            labels.append(_label_file(relative, document, document.label))
        else:
            taken = {file.name for file in guidelines}
            guidelines.append(_guideline_file(relative, document, taken))
    return FolderScan(tuple(guidelines), tuple(labels), tuple(unusable))


def _documents_of(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix.lower() != ".toml"
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _check_name(path: Path, relative: str) -> None:
    """Refuse a name that cannot be written into a manifest."""
    try:
        if checked_path(relative).isprintable():
            return
    except ValueError:
        pass
    raise _left_out(path, "a backslash, colon or control character in its name: rename it")


def _printable(text: str) -> str:
    """Return a text in one line, without what TOML does not allow in a comment."""
    return "".join(filter(str.isprintable, " ".join(text.split())))


def _left_out(path: Path, reason: str) -> DocumentError:
    return DocumentError(reason, code=LEFT_OUT, file=path.name)


def _reason(error: DocumentError | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    place = f"{error.place}: " if error.place else ""
    code = "" if error.code == LEFT_OUT else f" [{error.code}]"
    return f"{place}{error.reason}{code}"


def _read(path: Path, data: bytes) -> Document:
    """Return the document of a file, in the format that its bytes have.

    Raises:
        DocumentError: it is no document, or cannot be used.
    """
    if ABOUT_FOLDER.match(path.stem):
        raise _left_out(path, "its name says that it is about the folder")
    form: Format = recognise(data, path.name)
    if form in {"text", "markdown"} and path.suffix.lower() not in TEXT_SUFFIXES:
        raise _left_out(path, "text, but not a .txt or .md file: rename it if it is a document")
    payload = check_payload(data, form, path.name).data
    file = SourceFile(name=path.name, sha256=sha256_hex(payload), size=len(payload))
    if form not in get_args(GuidelineFormat):
        return parse_bounded(payload, DocumentSource(kind="label", format=form, file=file))
    document = parse_bounded(payload, DocumentSource(kind="guideline", format=form, file=file))
    if form in get_args(LabelFormat) and is_printed_label(document):
        return parse_bounded(payload, DocumentSource(kind="label", format=form, file=file))
    return document


def _guideline_file(path: str, document: Document, taken: set[str]) -> UsableFile:
    """Return a guideline with an id that no other has, and a title."""
    stem = Path(path).name.split(".")[0]
    named = document.title != document.file.name
    title = " ".join(document.title.split()) if named else re.sub(r"[-_\s]+", " ", stem).strip()
    source = stem if _NAME.search(stem) else " ".join(title.split()[:ID_WORDS])
    id_ = first = partition_key(source if any(map(str.isalnum, source)) else "document")
    number = 1
    while id_ in taken:
        number += 1
        id_ = partition_key(f"{first}-{number}")
    size = f"{document.pages} page(s), " if document.pages else ""
    note = f"{document.format}, {size}{document.words:,} words"
    return UsableFile(path, id_, title, note if named else f"{note}; title from the file name")


def _label_file(path: str, document: Document, label: Label) -> UsableFile:
    """Return a label under its active ingredients, which name its partition."""
    coded = [
        ingredient(name)
        for product in label.products
        for active in product.actives
        for name in (active.moieties or (active.substance,))
    ]
    generic = [name.lower() for product in label.products for name in product.generic_names]
    names = sorted(dict.fromkeys(coded)) or generic[:1] or [label.drug]
    version = f"version {label.version}" if label.version is not None else "no version"
    dated = f", {label.effective}" if label.effective else ""
    note = f"{document.format}, {version}{dated}, {document.words:,} words"
    return UsableFile(path, join_combination(names), document.title, note)


def manifest_text(name: str, scan: FolderScan) -> str:
    """Return a commented `corpus.toml` of the usable files; the others are comments."""
    lines = [
        "# Written by `clinrag corpus init`. Correct what is wrong, add what you know, then run",
        "# `clinrag corpus check` on this folder. Paths are relative to this file.",
        "",
        "[corpus]",
        f"name = {_quoted(name)}",
        "",
        "# A guideline needs id, title and path. You may add: organisation, year, topics, licence,",
        '# landing, sha256, notes, ocr, superseded_by. Topics are any words: topics = ["tb"]; a',
        '# guideline with the topic "other" is not indexed. Another id makes it another document.',
    ]
    for file in scan.guidelines:
        lines += ["", f"# {file.note}", "[[guideline]]"]
        lines += [f"id = {_quoted(file.name)}", f"title = {_quoted(file.title)}"]
        lines.append(f"path = {_quoted(file.path)}")
    lines += [
        "",
        "# A label needs drug and path. Labels of one drug are one partition; of one set id the",
        "# newest version is indexed.",
    ]
    for file in scan.labels:
        lines += ["", f"# {_printable(file.title)}: {file.note}", "[[label]]"]
        lines += [f"drug = {_quoted(file.name)}", f"path = {_quoted(file.path)}"]
    if scan.unusable:
        lines += ["", "# Not used:"]
        lines += [f"#   {file.path}: {file.reason}" for file in scan.unusable]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # JSON and TOML write strings the same way, but for the one control character JSON lets be.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

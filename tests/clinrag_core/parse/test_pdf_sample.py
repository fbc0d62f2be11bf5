"""The sample PDFs against the texts they were made from: no column is mixed into another."""

import re
from pathlib import Path

import pytest

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import data_folder
from clinrag_core.workspace import sha256_hex

SAMPLE = data_folder() / "corpora" / "sample"
PDFS = sorted((SAMPLE / "guidelines").glob("*.pdf"))
WINDOW = 5


def parsed(path: Path) -> Document:
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    source = DocumentSource(
        kind="guideline", format="pdf", id=path.stem, title=path.stem, file=file
    )
    return parse_document(data, source)


def words(text: str) -> list[str]:
    text = text.replace("\u00ad", "").replace("-\n", "").replace("\N{HYPHEN}", "-")
    return re.findall(r"[a-z0-9]+", text.casefold())


def source_paragraphs(name: str) -> list[str]:
    """Plain paragraphs of the source texts: no heading, table, list or markup line."""
    text = "\n\n".join(p.read_text() for p in sorted((SAMPLE / "source" / name).glob("*.txt")))
    paragraphs = [" ".join(p.split("\n")) for p in text.split("\n\n")]
    return [p for p in paragraphs if re.match(r"[A-Z]", p) and "|" not in p and len(p) > 120]


@pytest.mark.parametrize("path", PDFS, ids=lambda p: p.stem)
def test_nearly_every_five_words_of_a_source_paragraph_stay_together(path: Path):
    """A dose from one column read into the sentence of another would be a made-up dose."""
    document = parsed(path)
    text = " ".join(" ".join(words(section.text)) for section in document.sections)
    found = " " + text + " "
    bad: list[str] = []
    paragraphs = source_paragraphs(path.stem)
    assert len(paragraphs) >= 10
    for paragraph in paragraphs:
        tokens = words(re.sub(r"\^\{?\w+\}?|\{[^}]*\}", "", paragraph))
        windows = [" ".join(tokens[i : i + WINDOW]) for i in range(len(tokens) - WINDOW + 1)]
        missing = [w for w in windows if f" {w} " not in found]
        if len(missing) > 0.15 * len(windows):
            bad.append(f"{len(missing)}/{len(windows)}: {paragraph[:80]}")
    assert not bad, "\n".join(bad)

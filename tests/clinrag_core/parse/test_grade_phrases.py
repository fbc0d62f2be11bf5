"""Every graded phrase of a real guideline is part of a recommendation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.pdf.reader import PdfFile
from clinrag_core.parse.registry import parse_document

pytestmark = pytest.mark.slow

# Independent of the parser's own expressions; over page text with line ends and hyphens undone.
PHRASE = re.compile(
    r"\(\s*(?:conditional|strong)\s+recommendation[^()]{0,120}(?:low|moderate|high)[^()]{0,80}\)",
    re.IGNORECASE,
)


@pytest.mark.parametrize(("name", "count"), [("who-tb-ipc-2019", 23), ("who-lenacapavir-2025", 4)])
def test_each_phrase_is_part_of_a_recommendation(reference_corpus: Path, name: str, count: int):
    entries = tomllib.loads((reference_corpus / "corpus.toml").read_text())["guideline"]
    entry = next(e for e in entries if e["id"] == name)
    path = reference_corpus / entry["path"]
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=entry["sha256"], size=len(data))
    source = DocumentSource(kind="guideline", format="pdf", file=file, id=name)
    with PdfFile(data, source) as pdf:
        pages = [pdf.plain_text(n) for n in range(1, pdf.page_count + 1)]
    printed = [
        " ".join(match.split()).casefold()
        for page in pages
        for match in PHRASE.findall(re.sub(r"-\n", "-", page).replace("\n", " "))
    ]
    assert len(printed) >= count
    document = parse_document(data, source)
    held = [
        " ".join(s.text[b.start : b.end].split()).casefold()
        for s in document.sections
        for b in s.blocks
        if b.recommendation is not None
    ]
    letters = ["".join(filter(str.isalnum, text)) for text in held]
    wanted = ["".join(filter(str.isalnum, phrase)) for phrase in printed]
    for phrase in set(wanted):
        assert sum(phrase in text for text in letters) >= wanted.count(phrase), phrase

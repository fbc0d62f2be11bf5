"""Text and Markdown files against their own words: every line once, in one section."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.assemble.flow import Heading, Piece
from clinrag_core.parse.lines.flat_tables import open_flat_tables
from clinrag_core.parse.lines.running_heads import drop_running
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

WORD = re.compile(r"[^\W_]+")
TEXTS = (
    "cdc-drtb-treatment-2025",
    "cdc-ltbi-overview-2025",
    "cdc-ltbi-treatment-2025",
    "cdc-tb-guidance-hub-2025",
    "cdc-tb-infection-control-2025",
    "cdc-tb-treatment-2025",
)


def parsed(path: Path) -> Document:
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    kind = "text" if path.suffix == ".txt" else "markdown"
    return parse_document(data, DocumentSource(kind="guideline", format=kind, file=file, id="d"))


def words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in WORD.findall(text))


def letters(text: str) -> str:
    return "".join(WORD.findall(text)).casefold()


def printed(document: Document) -> list[str]:
    """Heading and text of each section; a heading whose section is split by role once."""
    out: list[str] = []
    before: tuple[str, ...] = ()
    for section in document.sections:
        out.append(f"{section.title if section.path != before else ''}\n{section.text}")
        before = section.path
    return out


@pytest.mark.parametrize("name", TEXTS)
def test_every_word_of_a_text_file_is_kept_once(reference_corpus: Path, name: str):
    path = reference_corpus / "guidelines" / f"{name}.txt"
    document = parsed(path)
    found = sum((words(part) for part in printed(document)), Counter[str]())
    source = words(path.read_text(encoding="utf-8"))
    assert not source - found
    # The title of a document that begins without a heading names its first section too.
    assert not found - source - words(document.title)


@pytest.mark.parametrize("name", TEXTS)
def test_every_line_of_a_text_file_is_in_one_section(reference_corpus: Path, name: str):
    path = reference_corpus / "guidelines" / f"{name}.txt"
    sections = [letters(part) for part in printed(parsed(path))]
    source = path.read_text(encoding="utf-8")
    long = {own for line in source.splitlines() if len(own := letters(line)) > 40}
    assert len(long) > 10
    for line in long:
        assert sum(part.count(line) for part in sections) == letters(source).count(line), line


def test_markdown_loses_running_headers_and_page_numbers_only(reference_corpus: Path):
    path = reference_corpus / "guidelines" / "who-tb-module4-drtb-2020.md"
    document = parsed(path)
    found = sum((words(part) for part in printed(document)), Counter[str]())
    source = words(path.read_text(encoding="utf-8"))
    header = words(
        "WHO consolidated guidelines on tuberculosis drug resistant tuberculosis treatment "
        "recommendations executive summary"
    )
    missing = source - found
    # 'treatment31and', '16management', 'îthe': a page number or an icon glued to a word.
    glued = re.compile(
        r"(?:treatment)?(?:\d{1,3}|[xvi]+)(?:[a-z]+|\d)?|î[a-z]+|.*ﬂ.*|(?:treatment)?87185|10"
    )
    odd = {w: n for w, n in missing.items() if w not in header and not glued.fullmatch(w)}
    assert odd == {}
    assert missing.total() / source.total() < 0.008
    # What a page number was glued to is there again, whole.
    for word in ("exposed", "management", "cohort", "critical", "protections"):
        assert found[word] > source[word] - 1
    assert not {w for w in found if re.fullmatch(r"\d[a-z]{4,}", w)} - set(source)


def test_a_table_of_all_regimens_is_not_part_of_the_last_one(reference_corpus: Path):
    """A rifampin dose under the heading 'Nine months of isoniazid' would be cited as such."""
    document = parsed(reference_corpus / "guidelines" / "cdc-ltbi-treatment-2025.txt")
    by_title = {section.title: section.text for section in document.sections}
    assert "Rifampin" not in by_title["Nine months of daily isoniazid (9H)"]
    table = by_title["Summary of latent TB infection treatment regimens"]
    assert "Rifampin (RIF)" in table
    assert "Total Doses" in table


COLUMNS = ["Drug", "Duration", "Dose", "Total doses"]
CELLS = ["Testazid", "3 months", "5 mg/kg", "90", "Otherazid", "4 months", "10 mg/kg", "120"]


def pieces(*texts: str) -> list[Heading | Piece]:
    return [Piece("paragraph", text) for text in texts]


def test_a_flattened_table_opens_a_section_with_the_line_before_it_as_heading():
    items = [Heading("Last regimen", 3), *pieces("It is safe.", "All regimens", "Dose Table")]
    items += pieces(*COLUMNS, *CELLS)
    out = open_flat_tables(items)
    assert out[:4] == [
        Heading("Last regimen", 3),
        Piece("paragraph", "It is safe."),
        Heading("All regimens", 3),
        Piece("caption", "Dose Table"),
    ]
    assert out[4:] == items[4:]


def test_a_table_title_without_a_line_before_it_is_the_heading():
    items = pieces("It is safe.", "Table 2 Doses by drug", *COLUMNS, *CELLS)
    assert open_flat_tables(items)[1] == Heading("Table 2 Doses by drug", 2)


@pytest.mark.parametrize(
    "texts",
    [
        ("See the table.", *COLUMNS, *CELLS),
        ("Printable table", "Sources", "Print", "Share", "Facebook"),
        ("Dose Table", "Drug", *CELLS),
        ("Dose Table", *COLUMNS, *["Words without any number"] * 9),
        ("Regimens", *COLUMNS, *CELLS),
    ],
)
def test_what_is_not_surely_a_table_stays_as_it_is(texts: tuple[str, ...]):
    items = pieces(*texts)
    assert open_flat_tables(items) == items


def test_a_dose_behind_a_word_that_is_also_a_heading_is_no_page_number():
    """'Treatment 600mg' twice looks like a running header with its page number, and is a dose."""
    items: list[Heading | Piece] = [
        Heading("Treatment options", 1),
        *pieces(
            "Give Treatment options 300mg daily.",
            "Give Treatment options 600mg daily.",
            "Care goes on. Treatment options 12The next page begins.",
            "It ends. Treatment options 14management of harm.",
            "Later Treatment options 3Falls outside the count.",
        ),
    ]
    out, dropped = drop_running(items)
    assert dropped == 2
    assert [item.text for item in out if isinstance(item, Piece)] == [
        "Give Treatment options 300mg daily.",
        "Give Treatment options 600mg daily.",
        "Care goes on. The next page begins.",
        "It ends. management of harm.",
        "Later Treatment options 3Falls outside the count.",
    ]

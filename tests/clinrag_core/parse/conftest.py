"""Builders of small labels: tests say only what they are about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile

SET_ID = "0F1E2D3C-0000-4000-8000-00000000000A"


def source_of(
    data: bytes, name: str, format_: str, drug: str | None = "testazid"
) -> DocumentSource:
    """A manifest entry for these bytes."""
    file = SourceFile(name=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    return DocumentSource.model_validate(
        {"kind": "label", "format": format_, "file": file, "drug": drug}
    )


def spl_section(
    code: str | None = None,
    title: str | None = None,
    text: str = "",
    inner: str = "",
    extra: str = "",
) -> str:
    """One `component/section`; `text` is the markup inside its `text` element."""
    parts = ['<id root="11111111-2222-4333-8444-555555555555"/>']
    if code:
        parts.append(f'<code code="{code}" codeSystem="2.16.840.1.113883.6.1"/>')
    if title is not None:
        parts.append(f"<title>{title}</title>")
    if text:
        parts.append(f"<text>{text}</text>")
    parts += ['<effectiveTime value="20240131"/>', extra, inner]
    return f"<component><section>{''.join(parts)}</section></component>"


def spl_document(
    body: str,
    *,
    code: str = "34391-3",
    title: str = "TESTAZID tablets",
    set_id: str = SET_ID,
    version: str = "7",
    prologue: str = "",
) -> bytes:
    """A whole SPL document."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>{prologue}
<document xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <id root="99999999-0000-4000-8000-000000000001"/>
  <code code="{code}" codeSystem="2.16.840.1.113883.6.1" displayName="A LABEL"/>
  <title>{title}</title>
  <effectiveTime value="20240229"/>
  <setId root="{set_id}"/>
  <versionNumber value="{version}"/>
  <author><assignedEntity><representedOrganization>
    <name>Test  Laboratories</name>
  </representedOrganization></assignedEntity></author>
  <component><structuredBody>{body}</structuredBody></component>
</document>""".encode()


@pytest.fixture
def section() -> Callable[..., str]:
    """See `spl_section`."""
    return spl_section


@pytest.fixture
def document() -> Callable[..., bytes]:
    """See `spl_document`."""
    return spl_document


@pytest.fixture
def label_source() -> Callable[..., DocumentSource]:
    """See `source_of`."""
    return source_of


@pytest.fixture
def parse() -> Callable[..., Document]:
    """Parse a body (or a whole document) as SPL."""
    from clinrag_core.parse.spl.parser import parse_spl

    def parse_body(body: str | bytes, **header: str) -> Document:
        data = body if isinstance(body, bytes) else spl_document(body, **header)
        return parse_spl(data, source_of(data, "test.xml", "spl"))

    return parse_body


def assembled(element) -> tuple[str, tuple]:
    """Text and blocks of one narrative element."""
    from clinrag_core.parse.assemble.blocks import write_blocks
    from clinrag_core.parse.spl.narrative import read_pieces

    return write_blocks(read_pieces(element), repeat_cells=False)


def printed_block(section, block) -> str:
    """Text of a block with the calls that left it back in their places."""
    text = section.text
    for call in reversed(block.calls):
        text = text[: call.at] + call.label + text[call.at :]
    added = sum(len(call.label) for call in block.calls)
    return text[block.start : block.end + added]


@pytest.fixture(scope="session")
def printed() -> Callable[..., str]:
    """See `printed_block`."""
    return printed_block


@pytest.fixture
def narrative() -> Callable[[str], tuple[str, tuple]]:
    """Text and blocks of narrative markup."""
    from lxml import etree

    def read(markup: str) -> tuple[str, tuple]:
        return assembled(etree.fromstring(f'<text xmlns="urn:hl7-org:v3">{markup}</text>'))

    return read


@pytest.fixture(scope="session")
def spl_files(reference_corpus: Path) -> list[Path]:
    """The real SPL labels."""
    return sorted((reference_corpus / "labels" / "spl").glob("*.xml"))


@cache
def _parsed(path: Path) -> tuple[object, Document]:
    """Element tree and document, also of the one file that parse_spl refuses."""
    from clinrag_core.acquire.spl_header import read_spl
    from clinrag_core.lexicon.sections import document_type
    from clinrag_core.parse.spl.parser import read_label
    from clinrag_core.parse.spl.xml import V3

    data = path.read_bytes()
    root = read_spl(data, path.name)
    kind = document_type(root.find(f"{V3}code").get("code"))
    return root, read_label(root, kind, source_of(data, path.name, "spl"))


@pytest.fixture(scope="session")
def labels(spl_files: list[Path], reference_corpus: Path) -> list[tuple]:
    """Triples (facts, element tree, document) of the real SPL labels."""
    facts = json.loads((reference_corpus / "labels" / "spl_facts.json").read_text())
    by_name = {fact["file"]: fact for fact in facts}
    assert len(spl_files) == len(by_name) == 30
    return [(by_name[p.name], *_parsed(p)) for p in spl_files]

"""A parsed document and its chunks as text, so that a change of either reads as a diff.

`python tests/golden_text.py CORPUS FOLDER` writes one file per document; two checkouts' folders
can then be compared with `diff -r`.
"""

import hashlib
import sys
from collections import Counter
from pathlib import Path

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.acquire.sources import document_source, entry_format
from clinrag_core.chunk.chunker import Chunker
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import TokenCounter, load_tokenizer
from clinrag_core.errors import DocumentError
from clinrag_core.model.chunk import Chunk
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block, Section
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import ChunkSettings, EncoderSettings
from clinrag_core.workspace import sha256_hex


def document_text(document: Document) -> str:
    """Every section and block, one line per block or table row."""
    lines = [
        f"document {document.id}",
        f"title {document.title}",
        f"format {document.format}, pages {document.pages}, running {document.running_characters}",
    ]
    if document.label is not None:
        lines.append(f"label {document.label.model_dump_json()}")
    lines += [f"warning {w.code}: {w.message} [{w.place}]" for w in document.warnings]
    for section in document.sections:
        lines += _section(section)
    return "\n".join(lines) + "\n"


def _section(section: Section) -> list[str]:
    facts = [f"role {section.role}", f"page {section.page}/{section.page_label}"]
    if code := (section.own_loinc or section.loinc):
        facts.append(f"loinc {code} {section.group} {section.audience}")
    if section.text_source != "text_layer":
        facts.append(section.text_source)
    lines = ["", f"# {' > '.join(section.path)}", f"  ({', '.join(facts)})"]
    for block in section.blocks:
        lines += _block(section, block)
    return lines


def _block(section: Section, block: Block) -> list[str]:
    place = f" p{block.page}" if block.page is not None else ""
    text = section.text[block.start : block.end]
    if block.table is not None:
        lines = [f"table{place} header {block.table.header_rows} [{block.table.caption}]"]
        lines += ["  | " + " | ".join(row).replace("\n", "\\n") for row in block.table.rows]
    else:
        lines = [f"{block.kind}{place}: {text}".replace("\n", "\\n")]
    if block.recommendation is not None:
        lines.append(f"  recommendation {block.recommendation.model_dump_json(exclude_none=True)}")
    if block.calls:
        lines.append(f"  calls {', '.join(c.label or 'note' for c in block.calls)}")
    if block.image is not None:
        lines.append(f"  image {block.image.reference} [{block.image.alt}]")
    return lines


def chunk_text(chunks: list[Chunk]) -> str:
    """One line per chunk: where it lies and hashes of what is quoted and of what is embedded."""
    return "".join(
        f"{chunk.section_ordinal} {chunk.start}-{chunk.end} tokens {chunk.tokens}"
        f" table {chunk.has_table} text {digest(chunk.text)}"
        f" embedded {digest(chunk.embed_title, chunk.embed_text)}\n"
        for chunk in chunks
    )


def document_counts(document: Document, chunks: list[Chunk]) -> dict[str, object]:
    """Counts and hashes of a document; no word of it."""
    blocks = [(s, b) for s in document.sections for b in s.blocks]
    tables = [b.table for _, b in blocks if b.table is not None]
    return {
        "sections": len(document.sections),
        "roles": dict(sorted(Counter(s.role for s in document.sections).items())),
        "blocks": dict(sorted(Counter(b.kind for _, b in blocks).items())),
        "cells": sum(len(row) for table in tables for row in table.rows),
        "calls": sum(len(b.calls) for _, b in blocks),
        "words": document.words,
        "warnings": dict(sorted(Counter(w.code for w in document.warnings).items())),
        "headings": digest(*(" > ".join(s.path) for s in document.sections)),
        "text": digest(*(s.text for s in document.sections)),
        "tables": digest(*("\t".join(row) for table in tables for row in table.rows)),
        "chunks": len(chunks),
        "quoted": digest(*(c.text for c in chunks)),
        "embedded": digest(*(t for c in chunks for t in (c.embed_title, c.embed_text))),
    }


def digest(*texts: str) -> str:
    """First 16 hexadecimal digits of the SHA-256 of some texts."""
    return hashlib.sha256("\x00".join(texts).encode()).hexdigest()[:16]


def corpus_files(corpus: Path) -> dict[str, DocumentSource]:
    """Every file of a corpus folder by its name, with what the manifest says of it."""
    manifest = load_manifest(corpus)
    found: dict[str, DocumentSource] = {}
    for entry in (*manifest.guidelines, *manifest.labels):
        assert entry.path is not None
        data = (corpus / entry.path).read_bytes()
        name = Path(entry.path).name
        file = SourceFile(name=name, sha256=sha256_hex(data), size=len(data))
        assert name not in found
        found[name] = document_source(entry, file, entry_format(entry, data, name))
    return found


def parsed(corpus: Path, source: DocumentSource) -> Document | str:
    """The document of a file, or the code of the error that quarantines it."""
    manifest = load_manifest(corpus)
    path = next(
        entry.path
        for entry in (*manifest.guidelines, *manifest.labels)
        if entry.path is not None and Path(entry.path).name == source.file.name
    )
    try:
        return parse_document((corpus / path).read_bytes(), source)
    except DocumentError as error:
        return error.code


def minilm_chunker() -> Chunker:
    """The chunker of the sample profile."""
    spec = encoder_spec(EncoderSettings(name="minilm", max_tokens=320))
    counter = TokenCounter(load_tokenizer(model_folder(spec.passage_model, spec.package)))
    capacity = spec.max_tokens - counter.special_tokens(pair=spec.pair)
    return Chunker(ChunkSettings(), counter, capacity)


def main(corpus: Path, folder: Path) -> None:
    """Write every document of a corpus and its chunks as text."""
    folder.mkdir(parents=True, exist_ok=True)
    chunker = minilm_chunker()
    for name, source in corpus_files(corpus).items():
        document = parsed(corpus, source)
        if isinstance(document, str):
            text = f"quarantined: {document}\n"
        else:
            text = document_text(document) + "\n" + chunk_text(chunker.chunk(document))
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

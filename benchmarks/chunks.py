#!/usr/bin/env python3
"""Faults of chunks that a reader of one chunk would notice, counted over documents.

A chunk is short if it has six words or fewer, those of the header counted for rows; it lacks its
lead-in if it holds items of a list and neither its text nor what is embedded holds the words that
introduce them; it ends in a heading if its last block is a sub-heading whose text is in the next
chunk. A list or recommendation is torn if it fits one chunk and is cut. Counts only: nothing of a
text is printed without `--show`.

    python benchmarks/chunks.py --corpus ../shared/corpus --layouts ../shared/corpus/layouts
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from headings import parsed

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.acquire.sources import document_source, entry_format
from clinrag_core.chunk.chunker import Chunker
from clinrag_core.chunk.fragments import is_sub_heading
from clinrag_core.chunk.units import is_indexed
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import TokenCounter, load_tokenizer
from clinrag_core.errors import DocumentError
from clinrag_core.model.source import SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import ChunkSettings, EncoderSettings
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Section

SHORT = 6  # words: a chunk of so few says nothing without its neighbours
FAULTS = ("chunks", "short", "short section", "no lead-in", "ends in heading", "torn")


def corpus_documents(corpus: Path) -> Iterator[Document]:
    """Yield the documents of a corpus folder that can be read."""
    manifest = load_manifest(corpus)
    for entry in (*manifest.guidelines, *manifest.labels):
        if entry.path is None:
            continue
        path = corpus / entry.path
        data = path.read_bytes()
        file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
        source = document_source(entry, file, entry_format(entry, data, path.name))
        try:
            yield parse_document(data, source)
        except DocumentError as error:
            print(f"{path.name}: {error.code}")


def layout_documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of a folder without a manifest."""
    for path in sorted(folder.glob("*.*")):
        if path.suffix in (".pdf", ".html"):
            try:
                yield parsed(path)
            except DocumentError as error:
                print(f"{path.name}: {error.code}")


def sample_chunker() -> tuple[Chunker, TokenCounter]:
    """Return the chunker of the default profile, and what counts its tokens."""
    spec = encoder_spec(EncoderSettings.model_validate({"name": "minilm", "max_tokens": 320}))
    counter = TokenCounter(load_tokenizer(model_folder(spec.passage_model, spec.package)))
    capacity = spec.max_tokens - counter.special_tokens(pair=spec.pair)
    return Chunker(ChunkSettings.model_validate({}), counter, capacity), counter


def words(text: str) -> int:
    """Return how many words with a letter or digit a text has."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def wholes(section: Section) -> list[tuple[int, int]]:
    """Return the spans that should stay whole: recommendations, and lists with their lead-in."""
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    found: list[tuple[int, int]] = []
    for block in section.blocks:
        if block.recommendation is not None:
            if block.recommendation.repeats is None:  # else it is indexed elsewhere
                found.append((block.start, block.end))
        elif block.lead_in is not None:
            start, end = spans.get(block.lead_in, (block.lead_in[0], block.end))
            spans[block.lead_in] = (start, max(end, block.end))
    return [*found, *spans.values()]


def faults(
    section: Section, chunks: Sequence[Chunk], counter: TokenCounter, limit: int
) -> Iterator[tuple[str, str]]:
    """Yield the faults of the chunks of one section, each with the words that show it."""
    for chunk in chunks:
        if words(chunk.embed_text if chunk.has_table else chunk.text) <= SHORT:
            yield ("short section" if len(chunks) == 1 else "short"), chunk.text
        inside = [b for b in section.blocks if chunk.start <= b.start and b.end <= chunk.end]
        for block in inside:
            if block.lead_in is not None and not chunk.start <= block.lead_in[0] < chunk.end:
                lead = section.text[slice(*block.lead_in)]
                if lead not in chunk.embed_text:
                    yield "no lead-in", f"{lead} || {chunk.text[:80]}"
                    break
        last = inside[-1] if inside else None
        if last is not None and last.end == chunk.end and last is not section.blocks[-1]:
            following = section.blocks[section.blocks.index(last) + 1]
            if is_sub_heading(section, last, following):
                yield "ends in heading", section.text_of(last)
    for start, end in wholes(section):
        held = any(c.start <= start and end <= c.end for c in chunks)
        if not held and counter.count([section.text[start:end]])[0] <= limit:
            yield "torn", section.text[start : start + 100]


def measure(
    documents: Iterator[Document], show: str | None, chunker: Chunker, counter: TokenCounter
) -> Counter[str]:
    """Return the counts of a set of documents."""
    limit = ChunkSettings.model_validate({}).max_tokens
    counts: Counter[str] = Counter()
    for document in documents:
        of_section: dict[int, list[Chunk]] = {}
        for chunk in chunker.chunk(document):
            of_section.setdefault(chunk.section_ordinal, []).append(chunk)
        for section in filter(is_indexed, document.sections):
            cut = of_section.get(section.ordinal, [])
            counts["chunks"] += len(cut)
            for fault, text in faults(section, cut, counter, limit):
                counts[fault] += 1
                if fault == show:
                    print(document.id, " > ".join(section.path)[-60:], repr(text[:160]))
    return counts


def main() -> None:
    """Measure and print one line per set of documents."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--corpus", type=Path)
    arguments.add_argument("--layouts", type=Path)
    arguments.add_argument("--show", choices=FAULTS[1:], help="print the places of one fault")
    args = arguments.parse_args()
    chunker, counter = sample_chunker()
    sets = [
        ("corpus", corpus_documents(args.corpus) if args.corpus else None),
        ("layouts", layout_documents(args.layouts) if args.layouts else None),
    ]
    print(f"{'':8}" + "".join(f"{fault:>17}" for fault in FAULTS))
    for name, documents in sets:
        if documents is not None:
            counts = measure(documents, args.show, chunker, counter)
            print(f"{name:8}" + "".join(f"{counts[fault]:17}" for fault in FAULTS))


if __name__ == "__main__":
    main()

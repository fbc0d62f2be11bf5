"""What parsing and chunking give for every document, so that no change goes unseen.

The sample corpus is kept as text, one file per document. The reference corpus is not part of the
repository: counts and hashes show that something changed, and comparing the folders that
`tests/golden.py` writes shows what. After a wanted change: `pytest --snapshot-update`.
"""

import json
from pathlib import Path

import pytest
from golden import chunk_text, corpus_files, document_counts, document_text, minilm_chunker, parsed
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from clinrag_core.chunk.chunker import Chunker
from clinrag_core.settings import data_folder

SAMPLE = data_folder() / "corpora" / "sample"
SNAPSHOTS = Path(__file__).parent / "__snapshots__" / "test_golden"
REFERENCE = SNAPSHOTS / "test_reference_documents_parse_and_chunk_as_before.json"


class TextFile(SingleFileSnapshotExtension):
    """One plain text file per snapshot."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture(scope="module")
def chunker() -> Chunker:
    return minilm_chunker()


@pytest.mark.parametrize("name", sorted(corpus_files(SAMPLE)))
def test_sample_documents_parse_and_chunk_as_before(
    name: str, chunker: Chunker, snapshot: SnapshotAssertion
) -> None:
    document = parsed(SAMPLE, corpus_files(SAMPLE)[name])
    assert not isinstance(document, str)
    text = document_text(document) + "\n" + chunk_text(chunker.chunk(document))
    assert text == snapshot(extension_class=TextFile)


def reference_counts(corpus: Path, names: list[str], chunker: Chunker) -> dict[str, object]:
    """Counts and hashes of some documents of the reference corpus, by file."""
    sources = corpus_files(corpus)
    found: dict[str, object] = {}
    for name in names:
        document = parsed(corpus, sources[name])
        found[name] = (
            {"quarantined": document}
            if isinstance(document, str)
            else document_counts(document, chunker.chunk(document))
        )
    return found


def test_every_fourth_reference_document_parses_and_chunks_as_before(
    reference_corpus: Path, chunker: Chunker
) -> None:
    before = json.loads(REFERENCE.read_text())
    names = sorted(corpus_files(reference_corpus))[::4]
    found = reference_counts(reference_corpus, names, chunker)
    assert json.loads(json.dumps(found)) == {name: before[name] for name in names}


@pytest.mark.slow
def test_reference_documents_parse_and_chunk_as_before(
    reference_corpus: Path, chunker: Chunker, snapshot: SnapshotAssertion
) -> None:
    names = sorted(corpus_files(reference_corpus))
    found = reference_counts(reference_corpus, names, chunker)
    assert found == snapshot(extension_class=JSONSnapshotExtension)

"""Mutated files end in a document or in a clinrag error, never in anything else."""

from __future__ import annotations

import importlib.util
import random
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinrag_core.errors import DocumentError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import data_folder
from clinrag_core.workspace import sha256_hex

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "fuzz_parse.py"


def load_script():
    spec = importlib.util.spec_from_file_location("fuzz_parse", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_parse"] = module
    spec.loader.exec_module(module)
    return module


fuzz = load_script()
SAMPLE = data_folder() / "corpora" / "sample"
FILES = [(p, k) for p, k in fuzz.corpus_files(SAMPLE) if p.stat().st_size < 200_000]


def parse(name: str, kind: str, data: bytes) -> None:
    label = kind in ("spl", "openfda")
    source = DocumentSource(
        kind="label" if label else "guideline",
        format=kind,
        file=SourceFile(name=name, sha256=sha256_hex(data), size=len(data)),
        id=None if label else "fuzzed",
        drug="fuzzed" if label else None,
    )
    with suppress(DocumentError):  # anything else is what these tests look for
        parse_document(data, source)


@settings(deadline=10_000)
@given(st.integers(0, 10**9))
def test_a_mutated_sample_file_ends_in_a_document_or_a_clinrag_error(seed: int):
    rng = random.Random(seed)  # noqa: S311 - mutations, no secrets
    path, kind = rng.choice(FILES)
    other = rng.choice([p for p, k in FILES if k == kind])
    parse(path.name, kind, fuzz.mutate(path.read_bytes(), kind, rng, other.read_bytes()))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.pdf", "pdf"),
        ("a.html", "html"),
        ("a.txt", "text"),
        ("a.md", "markdown"),
        ("a.xml", "spl"),
        ("a.json", "openfda"),
    ],
)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 5_000_000,
        b"PK\x03\x04" + b"x" * 100,
        b"<" * 200_000,
        b"<a>" * 50_000,
        b"[" * 200_000,
        '{"results": [{"x": "\u0000"}]}'.encode("utf-16"),
        b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n",
    ],
    ids=["empty", "zeros", "zip", "angles", "deep xml", "deep json", "utf-16", "pdf loop"],
)
def test_hostile_bytes_give_a_clinrag_error_or_a_document(name: str, kind: str, data: bytes):
    parse(name, kind, data)

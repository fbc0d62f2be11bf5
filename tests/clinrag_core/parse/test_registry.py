"""The registry of parsers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clinrag_core.parse.registry import parser_version


@pytest.mark.parametrize("name", ["pdf", "html", "text", "markdown", "spl", "openfda"])
def test_every_format_has_a_versioned_parser(name: str):
    parser, _, version = parser_version(name).partition("/")
    assert parser
    assert version.isdigit()


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import clinrag_core.parse.registry", ("pymupdf", "lxml", "markdown_it")),
        ("from clinrag_core.parse.registry import parser_version as v; v('pdf')", ("pymupdf",)),
    ],
)
def test_choosing_a_parser_loads_no_library(code: str, absent: tuple[str, ...]):
    script = f"{code}\nimport sys\nprint([m for m in {absent!r} if m in sys.modules])"
    # A fresh interpreter: this one has loaded the libraries already.
    out = subprocess.run(  # noqa: S603 - runs this interpreter on a literal
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[]"

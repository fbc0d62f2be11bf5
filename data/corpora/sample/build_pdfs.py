#!/usr/bin/env python3
"""Builds the PDFs of the sample guidelines and updates their checksums in `corpus.toml`.

Run `python data/corpora/sample/build_pdfs.py`; needs reportlab (the `dev` extra). Running it twice
gives identical bytes. The texts are in `source/`, the layouts in `source/publications.toml`.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from pathlib import Path

from pdf_layout.document import build
from pdf_layout.theme import Theme

HERE = Path(__file__).resolve().parent


def source_text(folder: Path) -> str:
    """Return the files of a publication's folder, in order, as one text."""
    return "\n\n".join(p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.txt")))


def build_all(wanted: list[str]) -> None:
    """Write the PDFs of the wanted publications, or all if none is named."""
    table = tomllib.loads((HERE / "source" / "publications.toml").read_text(encoding="utf-8"))
    for name, look in table.items():
        if wanted and name not in wanted:
            continue
        for key in ("margins", "heading_sizes"):
            if key in look:
                look[key] = tuple(look[key])
        data = build(Theme(**look), source_text(HERE / "source" / name))
        (HERE / "guidelines" / f"{name}.pdf").write_bytes(data)
        sys.stdout.write(f"{name}.pdf  {len(data):,} bytes\n")


def update_checksums(manifest: Path) -> None:
    """Update `sha256` below every `path = "guidelines/..."` of the manifest."""
    text = manifest.read_text(encoding="utf-8")

    def renewed(match: re.Match[str]) -> str:
        digest = hashlib.sha256((manifest.parent / match[2]).read_bytes()).hexdigest()
        return f'{match[1]}sha256 = "{digest}"'

    pattern = r'(path = "(guidelines/[^"]+)"\n)sha256 = "[0-9a-f]*"'
    manifest.write_text(re.sub(pattern, renewed, text), encoding="utf-8")


if __name__ == "__main__":
    build_all(sys.argv[1:])
    update_checksums(HERE / "corpus.toml")

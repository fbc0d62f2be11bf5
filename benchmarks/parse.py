#!/usr/bin/env python3
"""Pages and labels per second, compared with pymupdf4llm on the same pages in the same run.

clinrag returns sections, headings, tables, recommendations and boxes; pymupdf4llm returns Markdown.
It needs PyMuPDF 2 and clinrag uses 1.28, so it runs in a temporary virtual environment. Rounds
alternate, each in its own process, and medians are compared.

    python benchmarks/parse.py --corpus ../shared/corpus
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODES = ("legacy", "layout")
PEER = ["pymupdf==2.0.0"]
PEER_CODE = """
import json, sys, time
import pymupdf, pymupdf4llm
if sys.argv[1] == "legacy" and hasattr(pymupdf4llm, "use_layout"):
    pymupdf4llm.use_layout(False)
files = json.load(open(sys.argv[2]))
for name, pages in files:
    pymupdf4llm.to_markdown(name, pages=[0], show_progress=False)
    break
start = time.perf_counter()
for name, pages in files:
    pymupdf4llm.to_markdown(name, pages=list(range(pages)), show_progress=False)
print(json.dumps({"seconds": time.perf_counter() - start, "pymupdf": pymupdf.__version__,
                  "pymupdf4llm": getattr(pymupdf4llm, "__version__", "?")}))
"""
CLINRAG_CODE = """
import json, sys, time
from pathlib import Path
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
files = json.load(open(sys.argv[2]))
kind = sys.argv[1]
def read(name):
    data = Path(name).read_bytes()
    label = kind != "pdf"
    file = SourceFile(name="f", sha256="0" * 64, size=len(data))
    return data, DocumentSource(kind="label" if label else "guideline", format=kind, file=file,
        id=None if label else "f", title=None if label else "t", drug="d" if label else None)
todo = [read(name) for name, _ in files]
parse_document(*todo[0])
start = time.perf_counter()
for data, source in todo:
    parse_document(data, source)
print(json.dumps({"seconds": time.perf_counter() - start}))
"""


def timed(python: str, code: str, mode: str, files: Path) -> dict[str, float | str]:
    """Run one measurement in a new process; imports are not counted."""
    command = [python, "-c", code, mode, str(files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed code
    if done.returncode:
        sys.exit(f"{mode} failed:\n{done.stderr[-2000:]}")
    result: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return result


def environment(folder: Path, packages: list[str]) -> str:
    """Create a virtual environment with some packages and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603 - fixed arguments
    python = str(folder / "bin" / "python")
    command = [python, "-m", "pip", "install", "--quiet", *packages]
    subprocess.run(command, check=True)  # noqa: S603 - fixed arguments
    return python


def usable_pdfs(corpus: Path, pages: int) -> list[tuple[str, int]]:
    """Return PDF guidelines with their page counts, at most `pages` pages together."""
    import pymupdf

    chosen: list[tuple[str, int]] = []
    for path in sorted((corpus / "guidelines").glob("*.pdf")):
        with pymupdf.open(path) as document:
            count = document.page_count
        if sum(n for _, n in chosen) + count <= pages:
            chosen.append((str(path), count))
    return chosen


def labels(corpus: Path, kind: str) -> list[tuple[str, int]]:
    """Return the label files of a format."""
    from clinrag_core.acquire.manifest import load_manifest

    manifest = load_manifest(corpus)
    paths = [manifest.root / str(e.path) for e in manifest.labels if e.format == kind and e.path]
    # The remdesivir file is an emergency use fact sheet, which clinrag refuses.
    return [(str(p), 1) for p in paths if "remdesivir" not in p.name]


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=150, help="pages compared with the peer")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--peer", help="interpreter that has pymupdf4llm; else one is made")
    args = parser.parse_args()
    corpus = args.corpus.absolute()
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder)
        lists = {
            "pdf": usable_pdfs(corpus, args.pages),
            "spl": labels(corpus, "spl"),
            "openfda": labels(corpus, "openfda"),
        }
        lists = {name: files for name, files in lists.items() if files}
        for name, files in lists.items():
            (tmp / f"{name}.json").write_text(json.dumps(files))
        modes = () if args.no_peers else MODES
        python = sys.executable
        if modes:
            python = args.peer or environment(tmp / "peer", PEER)
        seconds: dict[str, list[float]] = {}
        versions: dict[str, str] = {}
        for _ in range(args.rounds):
            for kind in lists:
                result = timed(sys.executable, CLINRAG_CODE, kind, tmp / f"{kind}.json")
                seconds.setdefault(kind, []).append(float(result["seconds"]))
            for mode in modes:
                result = timed(python, PEER_CODE, mode, tmp / "pdf.json")
                seconds.setdefault(mode, []).append(float(result["seconds"]))
                versions[mode] = f"{result['pymupdf4llm']} on PyMuPDF {result['pymupdf']}"
        pages = sum(n for _, n in lists["pdf"])
        clinrag_s = statistics.median(seconds["pdf"])
        print(f"{len(lists['pdf'])} PDFs, {pages} pages, median of {args.rounds} rounds")
        print(f"  clinrag             {pages / clinrag_s:7.1f} pages/s")
        for mode in modes:
            peer_s = statistics.median(seconds[mode])
            print(
                f"  pymupdf4llm {mode:7} {pages / peer_s:7.1f} pages/s, "
                f"{peer_s / clinrag_s:5.1f} times slower ({versions[mode]})"
            )
        for kind in sorted(lists.keys() - {"pdf"}, reverse=True):
            rate = len(lists[kind]) / statistics.median(seconds[kind])
            print(f"  {kind:19} {rate:7.1f} labels/s ({len(lists[kind])} labels)")
        print(f"measured {time.strftime('%Y-%m-%d')}")


if __name__ == "__main__":
    main()

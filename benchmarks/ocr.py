#!/usr/bin/env python3
"""Values of a table in a picture as read by Tesseract and by RapidOCR, against those read by eye.

The page is one of the layouts whose text is all in pictures. `ocr.tsv` has for each row of its
first table the place, and hashes of its values as read from the enlarged picture. A value is right
if its row holds it, wrong if the row does not: each row is compared as a multiset. Tesseract is run
as `parse/pdf/reader.py` does, at several resolutions. RapidOCR runs in an environment of its own.

    python benchmarks/ocr.py --layouts ../shared/corpus/layouts
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from headings import rows
from parse import environment

from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.pdf.reader import PdfFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "va-abgm-minn.pdf"
SHEET = Path(__file__).with_suffix(".tsv")
PEER = ["rapidocr-onnxruntime==1.4.4", "pymupdf==1.28.2"]
PEER_CODE = """
import json, sys, time
import numpy, pymupdf
from rapidocr_onnxruntime import RapidOCR
name, dpi = sys.argv[1], int(sys.argv[2])
engine = RapidOCR(max_side_len=4000)
page = pymupdf.open(name)[0]
picture = sorted((b for k, b in page.get_bboxlog() if k == "fill-image"), key=lambda b: b[1])[1]
clip = pymupdf.Rect(picture)
pixels = page.get_pixmap(dpi=dpi, clip=clip)
image = numpy.frombuffer(pixels.samples, numpy.uint8).reshape(pixels.height, pixels.width, -1)
start = time.perf_counter()
found, _ = engine(image[:, :, ::-1])
seconds = time.perf_counter() - start
middles = [(clip.y0 + sum(p[1] for p in box) / 4 * 72 / dpi, text) for box, text, _ in found or ()]
print(json.dumps({"seconds": seconds, "found": middles}))
"""
_VALUE = re.compile(r"(?<!\d)(\d{1,3})\s?%")
_NEAR = 2.4  # points between the middle of a text and that of its row; rows are 5 apart


def scored(found: Iterable[tuple[float, str]]) -> tuple[int, int, int]:
    """Return how many values are right, wrong, and in the truth."""
    truth = {float(row[0]): set(row[1].split()) for row in rows(SHEET)}
    read: dict[float, Counter[str]] = {y: Counter() for y in truth}
    for y, text in found:
        near = min(truth, key=lambda row: abs(row - y))
        if abs(near - y) <= _NEAR:
            read[near].update(str(int(value)) for value in _VALUE.findall(text))
    right = wrong = 0
    for y, values in read.items():
        for value, count in values.items():
            for nth in range(1, count + 1):
                held = sha256_hex(f"{y} {value} {nth}".encode())[:12] in truth[y]
                right, wrong = right + held, wrong + (not held)
    return right, wrong, sum(map(len, truth.values()))


def by_tesseract(path: Path, dpi: int | None) -> tuple[list[tuple[float, str]], float]:
    """Return the texts of the page with their middles, and the seconds it took."""
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    source = DocumentSource(kind="guideline", format="pdf", file=file, id="f", title="t", ocr=True)
    with PdfFile(data, source) as pdf:
        start = time.perf_counter()
        page = pdf.recognise(1, dpi)
        seconds = time.perf_counter() - start
    spans = [span for line in page.lines for span in line.spans]
    return [((s.box[1] + s.box[3]) / 2, s.text) for s in spans], seconds


def by_rapidocr(path: Path, dpi: int, python: str) -> tuple[list[tuple[float, str]], float]:
    """Return the texts of the table's picture with their middles, and the seconds it took."""
    command = [python, "-c", PEER_CODE, str(path), str(dpi)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed code
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    result = json.loads(done.stdout.splitlines()[-1])
    return [(float(y), str(text)) for y, text in result["found"]], float(result["seconds"])


def main() -> None:
    """Measure and print one line per engine and resolution."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--layouts", type=Path, required=True)
    arguments.add_argument("--peer", help="interpreter that has rapidocr; else one is made")
    args = arguments.parse_args()
    path = args.layouts / FILE
    print(f"{'engine':11} {'dpi':>6} {'right':>6} {'wrong':>6} {'of':>5} {'s':>6}")
    for dpi in (200, 300, 450, None):
        found, seconds = by_tesseract(path, dpi)
        name = str(dpi) if dpi else "chosen"
        print(
            f"{'tesseract':11} {name:>6} {' '.join(f'{n:6}' for n in scored(found))} {seconds:6.1f}"
        )
    with tempfile.TemporaryDirectory() as folder:
        python = args.peer or environment(Path(folder) / "peer", PEER)
        for dpi in (200, 300, 450):
            found, seconds = by_rapidocr(path, dpi, python)
            numbers = " ".join(f"{n:6}" for n in scored(found))
            print(f"{'rapidocr':11} {dpi:6} {numbers} {seconds:6.1f}", flush=True)


if __name__ == "__main__":
    main()

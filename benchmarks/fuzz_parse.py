#!/usr/bin/env python3
"""Parses mutated real files; an unexpected exception, a hang or high memory use is a fault.

Each file is parsed in a worker process, which is killed after `--limit` seconds and whose peak
memory is measured. A fault prints its recipe (file, seed), which gives the same bytes again. No
content of a file is printed or written.

    python benchmarks/fuzz_parse.py --corpus ../shared/corpus --minutes 10
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing as mp
import os
import random
import resource
import sys
import time
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

from lxml import etree

FORMATS = {
    ".pdf": "pdf", ".html": "html", ".txt": "text", ".md": "markdown",
    ".xml": "spl", ".json": "openfda",
}  # fmt: skip
MAX_BYTES = 4 * 2**20
"""Largest file and mutant, so that a minute allows hundreds of them."""
KIB_PER_GIB = 2**20  # ru_maxrss is in KiB
STRUCTURAL_SHARE = 0.7
"""Share of XML and JSON mutants that stay well-formed, because others end in the XML parser."""
MAX_COPIED_BYTES = 200_000
"""Largest element that is copied, which limits growth over many changes."""
SEEDS_PER_RUN = 1_000_000
TOKENS = [
    b"<", b">", b"</", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"\xef\xbb\xbf",
    b"{", b"}", b"[", b"]", b'"', b"null", b"1e999", b"-1", b"99999999999999999999", b"\\u0000",
    b"endobj", b"stream", b"endstream", b"xref", b"/Kids [", b"/Count 99999999", b"/Length 0",
    b"<table>", b"<td colspan='100000'>", b"<tr>", b"</section>", b"<component>", b"<paragraph/>",
    b"|---|", b"# ", b"\n\n\n", b"\t" * 200, b"A" * 5_000, b"<b>" * 2_000, b"[" * 2_000,
]  # fmt: skip
VALUES: list[Any] = [
    None, 1, -1e300, True, "", "x" * 100_000, [], {}, [[]], [None], "\x00", {"": 0},
]  # fmt: skip


def flip(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Replace bytes at random places."""
    for _ in range(rng.randint(1, 200) if out else 0):
        out[rng.randrange(len(out))] = rng.randrange(256)


def cut(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Delete a piece, or everything to the end."""
    at = rng.randrange(len(out) + 1)
    del out[at : at + rng.choice([10, 1_000, 20_000, len(out)])]


def copy(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Repeat a piece."""
    at = rng.randrange(len(out) + 1)
    out[at:at] = out[at : at + rng.randint(1, 20_000)] * rng.randint(1, 5)


def splice(out: bytearray, rng: random.Random, other: bytes) -> None:
    """Insert a piece of another file of the format."""
    at, start = rng.randrange(len(out) + 1), rng.randrange(len(other) + 1)
    out[at:at] = other[start : start + rng.randint(1, 50_000)]


def insert(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Insert tokens of the formats."""
    for _ in range(rng.randint(1, 30)):
        at = rng.randrange(len(out) + 1)
        out[at:at] = rng.choice(TOKENS)


def swap(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Exchange the beginning and the end."""
    at = rng.randrange(len(out) + 1)
    out[:] = out[at:] + out[:at]


BYTES = (flip, cut, copy, splice, insert, swap)


def mutate(data: bytes, kind: str, rng: random.Random, other: bytes) -> bytes:
    """Return mutated bytes: for XML and JSON mostly well-formed, else with random bytes."""
    if kind == "spl" and rng.random() < STRUCTURAL_SHARE:
        return mutate_xml(data, rng)
    if kind == "openfda" and rng.random() < STRUCTURAL_SHARE:
        return mutate_json(data, rng)
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        rng.choice(BYTES)(out, rng, other)
        del out[MAX_BYTES:]
    return bytes(out)


def mutate_xml(data: bytes, rng: random.Random) -> bytes:
    """Remove, repeat, copy and rename elements; change attributes and texts."""
    root = etree.fromstring(data)
    for _ in range(rng.randint(1, 40)):
        elements = [e for e in root.iter() if isinstance(e.tag, str)]
        one, two = rng.choice(elements), rng.choice(elements)
        change = rng.choice(["remove", "repeat", "copy", "rename", "attribute", "text"])
        parent = one.getparent()
        small = change in ("repeat", "copy") and len(etree.tostring(one)) < MAX_COPIED_BYTES
        if change == "remove" and parent is not None:
            parent.remove(one)
        elif change == "repeat" and parent is not None and small:
            parent.append(deepcopy(one))
        elif change == "copy" and small and two is not one and two not in one.iterdescendants():
            two.append(deepcopy(one))
        elif change == "rename":
            one.tag = two.tag
        elif change == "attribute" and one.attrib:
            name = rng.choice(sorted(one.attrib))
            one.attrib[name] = rng.choice(["", "-1", "x" * 5_000, "20259999", "99999999999", "NaN"])
        else:
            one.text = rng.choice(["", None, "\u2028", "5 mg", "\ufeff", "a" * 100_000, two.text])
    return etree.tostring(root)


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """Change values to other types, rename and remove keys."""
    tree = json.loads(data)
    for _ in range(rng.randint(1, 15)):
        nodes: list[Any] = [tree]
        for node in nodes:
            children = node.values() if isinstance(node, dict) else node
            nodes.extend(v for v in children if isinstance(v, dict | list) and v)
        node = rng.choice(nodes)
        key = rng.choice(sorted(node) if isinstance(node, dict) else range(len(node)))
        change = rng.choice(["remove", "rename", "value", "value"])
        if change == "remove":
            del node[key]
            if not tree:
                break
        elif change == "rename" and isinstance(node, dict):
            node[rng.choice(["openfda", "set_id", "version", "x", ""])] = node.pop(key)
        else:
            node[key] = deepcopy(rng.choice(VALUES))
    return json.dumps(tree).encode()


def worker(pipe: Any) -> None:
    """Parse what the pipe delivers; send back the outcome and the peak memory."""
    from clinrag_core.errors import ClinragError
    from clinrag_core.model.source import DocumentSource, SourceFile
    from clinrag_core.parse.registry import parse_document
    from clinrag_core.workspace import sha256_hex

    while True:
        name, kind, data = pipe.recv()
        label = kind in ("spl", "openfda")
        source = DocumentSource(
            kind="label" if label else "guideline",
            format=kind,
            file=SourceFile(name=name, sha256=sha256_hex(data), size=len(data)),
            id=None if label else "fuzzed",
            title=None if label else "Fuzzed",
            drug="fuzzed" if label else None,
        )
        try:
            document = parse_document(data, source)
            outcome = ("parsed", f"{len(document.sections) > 0}")
        except ClinragError as error:
            outcome = ("refused", str(getattr(error, "code", type(error).__name__)))
        except Exception as error:  # noqa: BLE001 - the faults that this script counts
            outcome = ("FAULT", f"{type(error).__name__}: {str(error)[:200]}")
        pipe.send((*outcome, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


class Runner:
    """Keeps a worker process and replaces it if it hangs, dies or uses too much memory."""

    def __init__(self, limit_s: float) -> None:
        self._limit = limit_s
        self._start()

    def _start(self) -> None:
        context = mp.get_context("spawn")
        self._pipe, worker_end = context.Pipe()
        self._process = context.Process(target=worker, args=(worker_end,), daemon=True)
        self._process.start()
        worker_end.close()

    def run(self, name: str, kind: str, data: bytes) -> tuple[str, str, int]:
        """Return the outcome, its detail and the worker's peak memory in KiB."""
        before = self._cpu_seconds()
        self._pipe.send((name, kind, data))
        while not self._pipe.poll(1):
            if self._cpu_seconds() - before > self._limit:
                self.stop()
                self._start()
                return "FAULT", f"no result in {self._limit:.0f} s", 0
        try:
            outcome, detail, peak = self._pipe.recv()
        except EOFError:
            self.stop()
            self._start()
            return "FAULT", "the process died", 0
        if peak > KIB_PER_GIB:
            self.stop()
            self._start()
            return "FAULT", f"peak memory {peak / KIB_PER_GIB:.2f} GiB", peak
        return outcome, detail, peak

    def _cpu_seconds(self) -> float:
        """Return the worker's processor time, which other programs do not affect."""
        text = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2]
        user, system = text.split()[11:13]  # utime and stime, proc(5)
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Kill the worker."""
        self._process.kill()
        self._process.join()


def corpus_files(corpus: Path) -> list[tuple[Path, str]]:
    """Return the files below a folder with their formats by suffix, up to `MAX_BYTES` each."""
    files = [
        (path, FORMATS[path.suffix])
        for path in sorted(corpus.rglob("*"))
        if path.suffix in FORMATS and path.stat().st_size <= MAX_BYTES
    ]
    return [(p, k) for p, k in files if p.name != "spl_facts.json" and "api_samples" not in p.parts]


def main() -> int:
    """Fuzz until the time is over; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10, help="seconds per file")
    parser.add_argument("--only", help="recipe FILE:SEED of a fault, to reproduce it")
    args = parser.parse_args()
    by_kind: dict[str, list[Path]] = {}
    for path, kind in corpus_files(args.corpus):
        by_kind.setdefault(kind, []).append(path)
    runner = Runner(args.limit)
    runner.run("warm.txt", "text", b"Warm up\n\nSome text to load the parser.\n")
    outcomes: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    faults: list[str] = []
    slowest, peak_all = 0.0, 0
    wanted, _, number = (args.only or "").rpartition(":")
    seeds = [int(number)] if args.only else itertools.count(args.seed * SEEDS_PER_RUN + 1)
    end = time.monotonic() + args.minutes * 60
    for seed in seeds:
        if time.monotonic() >= end:
            break
        rng = random.Random(seed)  # noqa: S311 - mutations, not secrets
        kind = rng.choice(sorted(by_kind))
        path, other = rng.choice(by_kind[kind]), rng.choice(by_kind[kind])
        if wanted and path.name != wanted:
            print(f"seed {seed} is {path.name}, not {wanted}; use the corpus of the recipe")
            return 1
        data = mutate(path.read_bytes(), kind, rng, other.read_bytes())
        started = time.monotonic()
        outcome, detail, peak = runner.run(path.name, kind, data)
        slowest = max(slowest, time.monotonic() - started)
        peak_all = max(peak_all, peak)
        outcomes[kind, outcome] += 1
        codes[detail] += outcome == "refused"
        if outcome == "FAULT":
            faults.append(f"{path.name}:{seed}: {detail}")
            print("FAULT", faults[-1], flush=True)
        if wanted:
            print(outcome, detail)
    runner.stop()
    for (kind, outcome), count in sorted(outcomes.items()):
        print(f"{kind:9} {outcome:8} {count}")
    print("refused as:", dict(codes.most_common()))
    total = sum(outcomes.values())
    print(
        f"{total} files, {len(faults)} faults; slowest {slowest:.1f} s, "
        f"peak memory {peak_all / KIB_PER_GIB:.2f} GiB"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

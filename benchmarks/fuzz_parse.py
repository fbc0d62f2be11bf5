#!/usr/bin/env python3
"""Parses mutated real files for a while; anything but a clinrag error, a hang or a leak is a fault.

Each file is parsed in a worker process, which is killed after `--limit` seconds and whose peak
memory is watched. A fault prints its recipe (file, seed), which gives the same bytes again. Nothing
of a file is printed or written.

    python benchmarks/fuzz_parse.py --corpus ../shared/corpus --minutes 10
"""

from __future__ import annotations

import argparse
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

FORMATS = {".pdf": "pdf", ".html": "html", ".txt": "text", ".md": "markdown", ".xml": "spl"}
MAX_SIZE = 4 * 2**20
GIB = 2**20  # ru_maxrss counts KiB
TOKENS = [
    b"<", b">", b"</", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"\xef\xbb\xbf",
    b"{", b"}", b"[", b"]", b'"', b"null", b"1e999", b"-1", b"99999999999999999999", b"\\u0000",
    b"endobj", b"stream", b"endstream", b"xref", b"/Kids [", b"/Count 99999999", b"/Length 0",
    b"<table>", b"<td colspan='100000'>", b"<tr>", b"</section>", b"<component>", b"<paragraph/>",
    b"|---|", b"# ", b"\n\n\n", b"\t" * 200, b"A" * 5_000, b"<b>" * 2_000, b"[" * 2_000,
]  # fmt: skip


def flip(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Other bytes at random places."""
    for _ in range(rng.randint(1, 200) if out else 0):
        out[rng.randrange(len(out))] = rng.randrange(256)


def cut(out: bytearray, rng: random.Random, _: bytes) -> None:
    """A piece, or everything to the end, is gone."""
    at = rng.randrange(len(out) + 1)
    del out[at : at + rng.choice([10, 1_000, 20_000, len(out)])]


def copy(out: bytearray, rng: random.Random, _: bytes) -> None:
    """A piece again and again."""
    at = rng.randrange(len(out) + 1)
    out[at:at] = out[at : at + rng.randint(1, 20_000)] * rng.randint(1, 5)


def splice(out: bytearray, rng: random.Random, other: bytes) -> None:
    """A piece of another file of the format."""
    at, start = rng.randrange(len(out) + 1), rng.randrange(len(other) + 1)
    out[at:at] = other[start : start + rng.randint(1, 50_000)]


def insert(out: bytearray, rng: random.Random, _: bytes) -> None:
    """Tokens that mean something to a parser."""
    for _ in range(rng.randint(1, 30)):
        at = rng.randrange(len(out) + 1)
        out[at:at] = rng.choice(TOKENS)


def swap(out: bytearray, rng: random.Random, _: bytes) -> None:
    """The end before the beginning."""
    at = rng.randrange(len(out) + 1)
    out[:] = out[at:] + out[:at]


BYTES = (flip, cut, copy, splice, insert, swap)


def mutate(data: bytes, kind: str, rng: random.Random, other: bytes) -> bytes:
    """Changes that break the syntax, or, as often where there is one, only the structure."""
    if kind == "spl" and rng.random() < 0.7:
        return mutate_xml(data, rng)
    if kind == "openfda" and rng.random() < 0.7:
        return mutate_json(data, rng)
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        rng.choice(BYTES)(out, rng, other)
        del out[MAX_SIZE:]
    return bytes(out)


def mutate_xml(data: bytes, rng: random.Random) -> bytes:
    """Elements removed, repeated, moved or renamed; attributes and texts changed."""
    root = etree.fromstring(data)
    for _ in range(rng.randint(1, 40)):
        elements = [e for e in root.iter() if isinstance(e.tag, str)]
        one, two = rng.choice(elements), rng.choice(elements)
        change = rng.randrange(6)
        parent = one.getparent()
        if change == 0 and parent is not None:
            parent.remove(one)
        elif change == 1 and parent is not None and len(etree.tostring(one)) < 200_000:
            parent.append(deepcopy(one))
        elif change == 2 and two not in one.iterdescendants() and two is not one:
            if len(etree.tostring(one)) < 200_000:
                two.append(deepcopy(one))
        elif change == 3:
            one.tag = two.tag
        elif change == 4 and one.attrib:
            name = rng.choice(sorted(one.attrib))
            one.attrib[name] = rng.choice(["", "-1", "x" * 5_000, "20259999", "99999999999", "NaN"])
        else:
            one.text = rng.choice(["", None, "\u2028", "5 mg", "\ufeff", "a" * 100_000, two.text])
    return etree.tostring(root)


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """Values of other types, keys renamed or removed."""
    tree = json.loads(data)
    for _ in range(rng.randint(1, 15)):
        nodes: list[Any] = [tree]
        for node in nodes:
            held = node.values() if isinstance(node, dict) else node
            nodes.extend(v for v in held if isinstance(v, dict | list) and v)
        node = rng.choice(nodes)
        key = rng.choice(sorted(node) if isinstance(node, dict) else range(len(node)))
        change = rng.randrange(4)
        if change == 0:
            del node[key]
            if not tree:
                break
        elif change == 1 and isinstance(node, dict):
            node[rng.choice(["openfda", "set_id", "version", "x", ""])] = node.pop(key)
        else:
            values = [
                None,
                1,
                -1e300,
                True,
                "",
                "x" * 100_000,
                [],
                {},
                [[]],
                [None],
                "\x00",
                {"": 0},
            ]
            node[key] = rng.choice(values)
    return json.dumps(tree).encode()


def worker(pipe: Any) -> None:
    """Parses what comes through the pipe; answers with what became of it."""
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
        except Exception as error:  # noqa: BLE001 - what this script looks for
            outcome = ("FAULT", f"{type(error).__name__}: {str(error)[:200]}")
        pipe.send((*outcome, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


class Runner:
    """Keeps a worker process, and replaces one that hangs, dies or grows."""

    def __init__(self, limit_s: float) -> None:
        self._limit = limit_s
        self._start()

    def _start(self) -> None:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=worker, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def run(self, name: str, kind: str, data: bytes) -> tuple[str, str, int]:
        """What became of the bytes, and the worker's peak memory in KiB."""
        before = self._cpu_seconds()
        self._pipe.send((name, kind, data))
        while not self._pipe.poll(1):
            if self._cpu_seconds() - before > self._limit:
                self.stop()
                self._start()
                return "FAULT", f"no answer in {self._limit:.0f} s", 0
        try:
            outcome, detail, peak = self._pipe.recv()
        except EOFError:
            self.stop()
            self._start()
            return "FAULT", "the process died", 0
        if peak > GIB:
            self.stop()
            self._start()
            return "FAULT", f"peak memory {peak / GIB:.2f} GiB", peak
        return outcome, detail, peak

    def _cpu_seconds(self) -> float:
        """Processor time of the worker: the clock would count what other programs take."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Kill the worker."""
        self._process.kill()
        self._process.join()


def corpus_files(corpus: Path) -> list[tuple[Path, str]]:
    """Files below a folder by the format their name says, at most 4 MiB each."""
    files = [
        (path, "openfda" if path.suffix == ".json" else FORMATS[path.suffix])
        for path in sorted(corpus.rglob("*"))
        if (path.suffix in FORMATS or path.suffix == ".json") and path.stat().st_size <= MAX_SIZE
    ]
    return [(p, k) for p, k in files if p.name != "spl_facts.json" and "api_samples" not in p.parts]


def main() -> int:
    """Fuzz until the time is over; exit 1 where a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10, help="seconds per file")
    parser.add_argument("--only", help="recipe FILE:SEED of a fault, to see it again")
    args = parser.parse_args()
    files = corpus_files(args.corpus)
    by_kind: dict[str, list[Path]] = {}
    for path, kind in files:
        by_kind.setdefault(kind, []).append(path)
    runner = Runner(args.limit)
    runner.run("warm.txt", "text", b"Warm up\n\nSome text to load the parser.\n")
    outcomes: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    faults: list[str] = []
    slowest, peak_all = 0.0, 0
    end = time.monotonic() + args.minutes * 60
    seed = args.seed * 1_000_000
    while time.monotonic() < end:
        seed += 1
        rng = random.Random(seed)  # noqa: S311 - mutations, no secrets
        kind = rng.choice(sorted(by_kind))
        path, other = rng.choice(by_kind[kind]), rng.choice(by_kind[kind])
        if args.only:
            wanted, _, number = args.only.rpartition(":")
            seed, rng = int(number), random.Random(int(number))  # noqa: S311
            kind = rng.choice(sorted(by_kind))
            path, other = rng.choice(by_kind[kind]), rng.choice(by_kind[kind])
            if path.name != wanted:
                print(f"seed {seed} is {path.name}, not {wanted}")
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
        if args.only:
            print(outcome, detail)
            break
    runner.stop()
    for (kind, outcome), count in sorted(outcomes.items()):
        print(f"{kind:9} {outcome:8} {count}")
    print("refused as:", dict(codes.most_common()))
    total = sum(outcomes.values())
    print(
        f"{total} files, {len(faults)} faults; slowest {slowest:.1f} s, "
        f"peak memory {peak_all / GIB:.2f} GiB"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

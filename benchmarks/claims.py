#!/usr/bin/env python3
"""Kill rates of the claim gates by the ruler, pass rates of true claims, and the gates' time.

CLINRAG_HOME=.clinrag python benchmarks/claims.py --half dev --survivors
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.evaluate.claim_checks import check_pairs, count_checked
from clinrag_core.evaluate.ruler.sentences import RealSentence, make_claims
from clinrag_core.evaluate.ruler.tables import Half, load_ruler
from clinrag_core.evaluate.ruler_figures import measure_ruler
from clinrag_core.evaluate.safety import scifact_samples
from clinrag_core.pipeline.candidates import answer_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

HAND_CHECKED = "claims/hand_checked.tsv"
"""Verdicts on 200 mutants, drawn by kind, and 50 rewordings, shown in one shuffled list."""


def main() -> None:
    """Print a row per kind, the groups, the true claims and the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--scifact", type=Path, help="folder of its original release")
    parser.add_argument("--candidates", action="store_true")
    parser.add_argument("--hand-checked", action="store_true", help="only the verdicts by hand")
    args = parser.parse_args()
    settings = load_settings(args.profile)
    if args.hand_checked:
        _print_hand_checked(settings.benchmark)
        return
    if args.candidates:
        pipeline = Pipeline(settings)
        thresholds = pipeline.thresholds.read().value
        engine = answer_engine(pipeline, read_candidates(pipeline), thresholds)
    else:
        engine = open_answering(settings).engine
    figures = measure_ruler(engine, settings.benchmark, args.half)
    for kind in sorted(figures.kinds, key=lambda kind: kind.rate):
        print(
            f"{kind.kind:24} {kind.group:10} {kind.rejected:3} of {kind.mutants:3} {kind.rate:.3f}"
        )
    for group, (made, rate) in figures.groups().items():
        print(f"group {group:12} {made:4} {rate:.3f}")
    print(f"all mutants rejected: {figures.rate:.3f}")
    for one in (*figures.true_claims, figures.reworded):
        print(f"{one.sort}: {one.passed} of {one.claims} pass ({one.rate:.4f})")
    print(f"gates, p95 of a verbatim claim: {figures.p95_ms} ms")
    for survivor in figures.survivors if args.survivors else ():
        print(f"{survivor.kind}: {survivor.claim}")
    if args.scifact is not None:
        _print_scifact(args.scifact, engine, settings.benchmark, args.half)


def _print_hand_checked(benchmark: Path) -> None:
    """Print how many mutants of a seeded sample a reader judged false, and true claims true."""
    with (benchmark / HAND_CHECKED).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for name, own in (
        ("mutants", [row for row in rows if row["kind"] != "reworded"]),
        ("rewordings", [row for row in rows if row["kind"] == "reworded"]),
    ):
        verdicts = Counter(row["verdict"] for row in own)
        print(f"{name}: {len(own)} judged, {dict(verdicts)}")
        for row in own:
            if row["verdict"] != ("true" if name == "rewordings" else "false"):
                print(f"  {row['kind']}: {row['verdict']}")


def _print_scifact(folder: Path, engine: AnswerEngine, benchmark: Path, half: Half) -> None:
    """Print the figures on sentences of SciFact, each a document of its own."""
    texts = [sample.claim.text for sample in scifact_samples(folder)]
    claims = make_claims([RealSentence(text, text) for text in texts], load_ruler(benchmark))
    for name, pairs in zip(("mutants", "twins", "reworded"), claims, strict=True):
        own = [pair for pair in pairs if pair.half == half]
        counts = count_checked(check_pairs(own, engine.gates, engine.drugs))
        print(f"SciFact, {name}: {counts.rejected} of {counts.of} rejected")


if __name__ == "__main__":
    main()

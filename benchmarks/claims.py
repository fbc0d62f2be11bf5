#!/usr/bin/env python3
"""Kill rates of the claim gates by the ruler, pass rates of true claims, and the gates' time.

CLINRAG_HOME=.clinrag python benchmarks/claims.py --half dev --survivors
"""

from __future__ import annotations

import argparse

from clinrag_core.evaluate.ruler_figures import measure_ruler
from clinrag_core.pipeline.candidates import read_candidates
from clinrag_core.pipeline.evaluation import answer_engine
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering


def main() -> None:
    """Print a row per kind, the groups, the true claims and the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--candidates", action="store_true")
    args = parser.parse_args()
    settings = load_settings(args.profile)
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


if __name__ == "__main__":
    main()

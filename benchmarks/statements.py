#!/usr/bin/env python3
"""How many statements of the candidates of a home can be quoted, and how large their index is.

Prints, by kind of document and statement: all, quotable, and of the table rows with a figure the
share whose headings are sure and the share that is quotable.

    CLINRAG_HOME=.clinrag python benchmarks/statements.py --profile sample
"""

from __future__ import annotations

import argparse
from collections import Counter

from clinrag_core.answer.sources import is_quotable
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import SHARDS, STATEMENTS
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

MEGABYTE = 1_000_000


def main() -> None:
    """Print the counts, the shares and the size on disk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    pipeline = Pipeline(load_settings(parser.parse_args().profile))
    kinds: Counter[tuple[str, str]] = Counter()
    rows: Counter[str] = Counter()
    size = 0
    for candidate in read_candidates(pipeline):
        directory = candidate_directory(pipeline, candidate.value)
        for name in candidate.value.shards:
            folder = directory / SHARDS / name / STATEMENTS
            size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        index = KnowledgeBase(directory).statements
        if index is None:
            continue
        for statement in index.statements(list(range(len(index)))):
            name = f"{statement.kind} {statement.statement_kind}"
            kinds[name, "all"] += 1
            kinds[name, "quotable"] += is_quotable(statement)
            if statement.statement_kind == "row" and any(map(str.isdigit, statement.text)):
                rows["all"] += 1
                rows["sure"] += "unsure_binding" not in statement.unfit
                rows["quotable"] += is_quotable(statement)
    for name in sorted({name for name, _ in kinds}):
        print(f"{name:26} {kinds[name, 'all']:6} of which quotable {kinds[name, 'quotable']:6}")
    print(f"rows with a figure {rows['all']}")
    for share in ("sure", "quotable"):
        print(f"  {share:8} {rows[share] / max(rows['all'], 1):.3f}")
    print(f"index of statements {size / MEGABYTE:.1f} MB")


if __name__ == "__main__":
    main()

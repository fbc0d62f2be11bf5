#!/usr/bin/env python3
"""Questions that are refused before anything is searched, on the served release of a home.

For the questions of the benchmark that the release can answer, and for those to refuse: how many
stop because of a word that the sources never use, and how many because of the scope. `--questions`
reads other questions, one a line, and lists the words that they are refused for.

    CLINRAG_HOME=.clinrag python benchmarks/scope.py --list
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.answer.question.reader import QuestionReader
from clinrag_core.answer.scope_check import out_of_scope
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.judge import RelevanceJudge
from clinrag_core.index.scope import release_scope
from clinrag_core.retrieve.open import open_engine
from clinrag_core.settings import data_folder, load_settings

if TYPE_CHECKING:
    import pyarrow as pa

    from clinrag_core.evaluate.benchmark import BaseKind
    from clinrag_core.index.scope_record import ReleaseScope
    from clinrag_core.retrieve.engine import SearchEngine


def scope_of(engine: SearchEngine) -> ReleaseScope:
    """Return the scope of a release; computed here if it was made before there were scopes."""
    if engine.scope is not None:
        return engine.scope
    started = time.process_time()
    bases = engine.knowledge_bases.values()
    scope = release_scope(
        [base.table for base in bases if base.manifest.kind == "guideline"],
        [base.table for base in bases if base.manifest.kind == "label"],
        engine.drugs,
    )
    print(f"  scope computed in {time.process_time() - started:.1f} s of CPU time")
    return scope


def main() -> None:
    """Print how many questions each check refuses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--questions", type=Path, default=None, help="one question a line")
    parser.add_argument("--list", action="store_true", help="print each refused question")
    args = parser.parse_args()
    engine = open_engine(load_settings(args.profile))
    reader, scope = QuestionReader(engine), scope_of(engine)

    def refusal(text: str) -> tuple[str, str]:
        """Return which check refuses a question, and what it names."""
        asked = reader.read(text)
        if asked.route.route == "OUT_OF_DOMAIN":
            return "out_of_domain", ""
        if asked.unknown:
            return "unknown_term", ", ".join(asked.unknown)
        gap = out_of_scope(asked, engine.drugs, scope)
        return ("out_of_scope", gap.sentence) if gap else ("searched", "")

    if args.questions is not None:
        sets = {"given": args.questions.read_text(encoding="utf-8").splitlines()}
    else:
        benchmark = load_benchmark(data_folder() / "benchmark")
        tables: dict[BaseKind, pa.Table] = {
            "guidelines" if base.manifest.kind == "guideline" else "labels": base.table
            for base in engine.knowledge_bases.values()
        }
        judged = RelevanceJudge(tables).judge(benchmark)
        sets = {
            "to answer": [q.text for q in benchmark.questions if q.id in judged.relevant],
            "to refuse": [
                q.text
                for q in benchmark.questions
                if q.expect == "refuse" and q.id not in judged.answerable
            ],
        }
    for name, texts in sets.items():
        found = [(text, *refusal(text)) for text in texts if text.strip()]
        counts = Counter(check for _, check, _ in found)
        print(
            f"{name}: {len(found)} questions; " + ", ".join(f"{n} {c}" for c, n in counts.items())
        )
        if args.list:
            for text, check, detail in found:
                if check in {"unknown_term", "out_of_scope"}:
                    print(f"  {check}: {text} | {detail}")


if __name__ == "__main__":
    main()

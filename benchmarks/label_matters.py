#!/usr/bin/env python3
"""Plain questions on matters of which labels speak or not: silence where they do not?

One question per drug of a home and matter (food, the QT interval ...). Whether its labels speak of
the matter is read from their words by one term, which is not that of the answers' own table. Where
they do, the first claim should have the term; where they do not, nothing should be answered.

    CLINRAG_HOME=.clinrag python benchmarks/label_matters.py --list food
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer
    from clinrag_core.retrieve.engine import SearchEngine

SEED = 7
MOST_PARTS = 2
"""Ingredients of a product that a question names one by one."""
SPEAKS, SILENT = ("first", "later", "elsewhere", "refused"), ("silent: answered", "silent: refused")


class Matter(NamedTuple):
    """What is asked of a drug, and the term of labels that speak of it."""

    term: str
    wordings: tuple[str, ...]


MATTERS = {
    "storage": Matter(r"\bstor(?:e|ed|age)\b", ("How is {} stored?", "{} - fridge or not?")),
    "food": Matter(r"\b(?:food|meals?)\b", ("Should {} be taken with food?", "{} before meals?")),
    "QT": Matter(r"\bQT", ("Does {} prolong QT?", "{} QT prolongation?")),
    "half-life": Matter(r"\bhalf-li(?:fe|ves)\b", ("What is the half-life of {}?", "{} half life")),
    "dialysis": Matter(r"dialy[sz]", ("Is {} dialysable?", "Is {} removed by dialysis?")),
    "driving": Matter(r"\bdriv|\bmachin", ("Can patients drive on {}?", "{} and driving")),
    "enzymes": Matter(r"\bCYP|P450", ("Is {} a CYP inhibitor?", "does {} induce CYP enzymes")),
    "missed dose": Matter(r"\bmiss", ("What if a dose of {} is missed?", "missed {} dose")),
    "abrupt stop": Matter(r"\babrupt", ("Can {} be stopped abruptly?", "stop {} suddenly ok?")),
    "alcohol": Matter(r"\balcohol", ("{} and alcohol?", "Can I drink alcohol on {}?")),
    "loading dose": Matter(r"\bloading\b", ("Loading dose of {}?", "does {} need a loading dose")),
}


def label_texts(engine: SearchEngine) -> dict[tuple[str, ...], list[str]]:
    """Return by ingredients what the labels of a drug say, statement by statement."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for base in engine.knowledge_bases.values():
        if base.statements is not None and base.manifest.kind == "label":
            for one in base.statements.statements(range(len(base.statements))):
                found[tuple(sorted(one.ingredients))].append(one.said)
    return found


def outcome(answer: Answer, term: re.Pattern[str], *, speaks: bool) -> str:
    """Return where an answer has a term, or whether one was given where no label has it."""
    if not speaks:
        return SILENT[0] if answer.claims else SILENT[1]
    has = [term.search(claim.text) is not None for claim in answer.claims]
    if not has:
        return "refused"
    return "first" if has[0] else "later" if any(has) else "elsewhere"


def main() -> None:
    """Print a line for every matter: what came where labels speak of it, and where they do not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--list", default="", help="matter whose questions are printed")
    args = parser.parse_args()
    pipeline = Pipeline(load_settings(args.profile))
    search = candidate_engine(pipeline, read_candidates(pipeline))
    engine = AnswerEngine(search, pipeline.settings.answer, pipeline.thresholds.read().value)
    drawn = random.Random(SEED)  # noqa: S311 - wordings, no secrets
    counts: dict[str, Counter[str]] = {name: Counter() for name in MATTERS}
    for ingredients, said in sorted(label_texts(engine.search).items()):
        for name, matter in MATTERS.items():
            wording = drawn.choice(matter.wordings)
            if not 0 < len(ingredients) <= MOST_PARTS:
                continue
            term = re.compile(matter.term, re.IGNORECASE)
            question = wording.format(" and ".join(ingredients))
            how = outcome(engine.ask(question), term, speaks=any(map(term.search, said)))
            counts[name][how] += 1
            if name == args.list:
                print(f"  {how}: {question}")
    for name, count in (*counts.items(), ("all", sum(counts.values(), Counter()))):
        shares = ", ".join(f"{how} {count[how]}" for how in (*SPEAKS, *SILENT))
        print(f"{name}: {count.total()} questions; {shares}")


if __name__ == "__main__":
    main()

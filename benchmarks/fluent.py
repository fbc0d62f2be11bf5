#!/usr/bin/env python3
"""How much of a generator that writes fluent false sentences reaches the answers: it must be none.

The generator exchanges bands, drops conditions and people, raises certainty and turns directions in
the statements that it is given, by the rules of the ruler; it cites them rightly.

    CLINRAG_HOME=.clinrag python benchmarks/fluent.py --split dev --most 100
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.generate.protocol import Draft, DraftClaim, Task
from clinrag_core.answer.thresholds import read_calibration
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.ruler.false_claims import FalseClaims
from clinrag_core.evaluate.ruler.tables import load_ruler
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.retrieve.open import open_engine
from clinrag_core.settings import load_settings

KINDS = (
    "bands_exchanged", "doses_exchanged", "condition_dropped", "exception_dropped",
    "population_dropped", "hedge_dropped", "modality_changed", "direction_turned",
)  # fmt: skip


class FluentGenerator:
    """Drafts a false claim of each statement, in words that read well."""

    name = "fluent"
    revision = "fluent/1"

    def __init__(self, made: FalseClaims) -> None:
        self._made = made
        self.written: dict[str, str] = {}
        """Each false claim with its kind."""
        self.true: dict[str, str] = {}
        """Each false claim with what the statement says."""

    def generate(self, task: Task) -> Draft:
        """Return the false claims of the statements."""
        claims: list[DraftClaim] = []
        for one in task.statements:
            said = one.statement.said
            rng = random.Random(said)  # noqa: S311 - a repeatable choice
            for false in self._made.of_sentence(said, rng, KINDS):
                if _is_quoted(false.claim, said):
                    continue  # a whole sentence less is not false
                self.written[false.claim] = false.kind
                self.true[false.claim] = said
                claims.append(DraftClaim(false.claim, one.citations, "", (said,)))
        return Draft(tuple(claims))


def _is_quoted(claim: str, said: str) -> bool:
    """Return whether each sentence of a claim is a sentence of the statement."""
    sentences = {one.strip(" .") for one in re.split(r"(?<=[.;])\s", said)}
    return all(one.strip(" .") in sentences for one in re.split(r"(?<=[.;])\s", claim))


def main() -> None:
    """Print how many false claims were written, and how many answers hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--most", type=int, default=100, help="questions asked")
    parser.add_argument("--candidates", action="store_true", help="of a run that is not released")
    args = parser.parse_args()
    settings = load_settings(args.profile)
    generator = FluentGenerator(FalseClaims(load_ruler(settings.benchmark)))
    if args.candidates:
        pipeline = Pipeline(settings)
        search = candidate_engine(pipeline, read_candidates(pipeline))
        calibration = pipeline.thresholds.read().value
    else:
        store = ReleaseStore(settings.home / "releases")
        search = open_engine(settings)
        calibration = read_calibration(store.folder_of(store.current()))
    engine = AnswerEngine(search, settings.answer, calibration, generator=generator)
    questions = [q for q in load_benchmark(settings.benchmark).nuggets if q.split == args.split]
    answers = [engine.ask(question.text) for question in questions[: args.most]]
    shown = [claim.text for answer in answers for claim in answer.claims]
    reached = [text for text in shown if text in generator.written]
    print(f"false claims written: {len(generator.written)}")
    print(f"claims shown: {len(shown)}, of them false: {len(reached)}")
    for kind, count in Counter(generator.written[text] for text in reached).most_common():
        print(f"  {kind}: {count}")
    for text in dict.fromkeys(reached):
        print(f"    {generator.true[text]}\n -> {text}")


if __name__ == "__main__":
    main()

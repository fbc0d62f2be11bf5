#!/usr/bin/env python3
"""Patient summaries of real answers: how many are plain, their grade, and copies.

CLINRAG_HOME=.clinrag python benchmarks/patient.py --profile sample --split dev --show 30
"""

from __future__ import annotations

import argparse
from collections import Counter
from statistics import median

from clinrag_core.answer.plain.reading import grade_of
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering


def main() -> None:
    """Answer the questions of a split and print what their patient summaries are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--show", type=int, default=0, help="parts to print with their claims")
    args = parser.parse_args()
    settings = load_settings(args.profile)
    engine = open_answering(settings).engine
    questions = [
        q.text
        for q in load_benchmark(settings.benchmark).questions
        if q.split == args.split and q.expect == "answer"
    ]
    answers = [engine.ask(question) for question in questions[: args.questions]]
    answered = [answer for answer in answers if answer.status == "answered"]
    pairs = [
        (claim.text, part)
        for answer in answered
        for claim, part in zip(answer.claims, answer.patient_summary.parts, strict=True)
    ]
    kinds = Counter(part.kind for _, part in pairs)
    # What reads like the clinician's text without a word that it is the clinician's text.
    copies = sum(
        all(part.kind == "plain" for part in answer.patient_summary.parts)
        and [s for part in answer.patient_summary.parts for s in part.sentences]
        == [claim.text for claim in answer.claims]
        for answer in answered
    )
    reasons = Counter(reason.split(":")[0] for _, part in pairs for reason in part.reasons)
    made = [(claim, part.sentences) for claim, part in pairs if part.kind == "plain"]
    before = [grade_of([claim], engine.drugs) or 0.0 for claim, _ in pairs]
    suppressed = sum(answer.patient_summary.suppressed for answer in answered)
    print(f"{len(answered)} answered of {len(answers)}, {len(pairs)} claims: {dict(kinds)}")
    print(f"unmarked copies of the clinician's text: {copies}")
    print(f"answers without a plain part: {suppressed} of {len(answered)}")
    print(f"reasons: {dict(reasons.most_common())}")
    print(f"median grade of all claims: {median(before):.1f}")
    if made:
        old = median(grade_of([claim], engine.drugs) or 0.0 for claim, _ in made)
        new = median(grade_of(sentences, engine.drugs) or 0.0 for _, sentences in made)
        print(f"median grade of those made plain: {old:.1f} before, {new:.1f} after")
    for claim, sentences in made[: args.show]:
        print(f"\n  {claim}\n  -> {' | '.join(sentences)}")


if __name__ == "__main__":
    main()

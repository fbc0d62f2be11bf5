#!/usr/bin/env python3
"""Patient summaries of the benchmark's nugget questions: how plain, how easy, how strict.

CLINRAG_HOME=.clinrag python benchmarks/patient.py --profile sample --split dev --show 30
"""

from __future__ import annotations

import argparse

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.patient_figures import ClaimForPatient, patient_figures
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering


def main() -> None:
    """Answer the questions of a split and print what their patient summaries are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--show", type=int, default=0, help="claims to print with their parts")
    args = parser.parse_args()
    settings = load_settings(args.profile)
    engine = open_answering(settings).engine
    questions = [q for q in load_benchmark(settings.benchmark).nuggets if q.split == args.split]
    answers = [engine.ask(question.text) for question in questions]
    answered = [answer for answer in answers if answer.status == "answered"]
    shown = [
        ClaimForPatient(claim.text, part)
        for answer in answered
        for claim, part in zip(answer.claims, answer.patient_summary.parts, strict=True)
    ]
    print(f"answers: {len(answered)} of {len(answers)}")
    suppressed = sum(answer.patient_summary.suppressed for answer in answered)
    print(f"answers without a plain part: {suppressed}")
    figures = patient_figures(shown, engine.drugs, engine.gates)
    for name, value in figures._asdict().items():
        print(f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}")
    for one in shown[: args.show]:
        print(f"\n  {one.claim}\n  {one.part.kind}: {' | '.join(one.part.sentences)}")


if __name__ == "__main__":
    main()

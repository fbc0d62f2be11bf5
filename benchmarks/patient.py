#!/usr/bin/env python3
"""Patient summaries of the benchmark's nugget questions: how plain, how easy, how strict.

CLINRAG_HOME=.clinrag python benchmarks/patient.py --profile sample --split dev --show 30
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.plain.reading import Reading, grade_of
from clinrag_core.answer.summarise import EASY
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.patient_mutants import mutants_that_pass, patient_mutants
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.records import PatientPart
    from clinrag_core.facts.drugs import DrugLexicon


class ClaimForPatient(NamedTuple):
    """A claim of an answer, and its part of the patient summary."""

    claim: str
    part: PatientPart


class PatientFigures(NamedTuple):
    """Shares are of the claims, or of those shown in plain words where it says `plain`."""

    claims: int
    kinds: dict[str, int]
    """Claims by the kind of their part: plain, already_plain, clinician (to ask about)."""
    asked: float
    """Share of claims shown with the advice to ask the clinician."""
    copied: int
    """Parts that are called plain and have the clinician's very words."""
    easy: float
    """Share of the plain parts with a grade of at most `EASY`, lines counting as sentences."""
    grade: float | None
    """Grade of all plain parts, lines counting as sentences."""
    whole_grade: float | None
    """The same of whole sentences."""
    claim_grade: float | None
    """The same of the claims that these parts say, as clinicians read them."""
    reasons: dict[str, int]
    """Claims to ask about by reason; one may have several."""
    mutants: int
    """Plain parts made wrong on purpose."""
    passed: int
    """Of them, those that the guard accepts."""


def patient_figures(
    shown: Sequence[ClaimForPatient], drugs: DrugLexicon, gates: Sequence[Gate]
) -> PatientFigures:
    """Return the figures of the claims of some answers; a claim counts whenever it is shown."""
    plain = [one for one in shown if one.part.kind != "clinician"]
    readings = [Reading(one.part.sentences, drugs) for one in plain]
    claims = [Reading([one.claim], drugs) for one in plain]
    easy = sum((grade_of([reading]) or 0.0) <= EASY for reading in readings)
    reasons = Counter(
        code for one in shown for code in {reason.split(":")[0] for reason in one.part.reasons}
    )
    distinct = {one.claim: one.part.sentences for one in plain}
    return PatientFigures(
        claims=len(shown),
        kinds=dict(Counter(one.part.kind for one in shown)),
        asked=_share(len(shown) - len(plain), len(shown)),
        copied=sum(
            one.part.kind == "plain" and " ".join(one.part.sentences) == one.claim for one in plain
        ),
        easy=_share(easy, len(plain)),
        grade=grade_of(readings),
        whole_grade=grade_of(readings, whole=True),
        claim_grade=grade_of(claims),
        reasons=dict(reasons.most_common()),
        mutants=sum(len(list(patient_mutants(lines))) for lines in distinct.values()),
        passed=sum(
            len(mutants_that_pass(lines, claim, drugs, gates)) for claim, lines in distinct.items()
        ),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


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

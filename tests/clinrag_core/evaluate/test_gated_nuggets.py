"""Lost nuggets are compared with the accepted baseline, by question of the test split."""

import datetime as dt

from clinrag_core.evaluate.baseline import Baseline, Evaluated, compare_with_baseline
from clinrag_core.evaluate.benchmark import Benchmark
from clinrag_core.evaluate.gated_metrics import Measured, measure
from clinrag_core.evaluate.nugget_metrics import NuggetResult
from clinrag_core.evaluate.nuggets import Nugget, NuggetQuestion
from clinrag_core.settings import AcceptanceSettings

SETTINGS = AcceptanceSettings(minimum_questions=25, lost_share=0.03)
COUNT = 50


def question(number: int, **more) -> NuggetQuestion:
    values = {
        "id": f"n-{number}",
        "text": f"question {number}",
        "split": "test",
        "topic": "tb",
        "kind": "dose",
        "nuggets": (Nugget(terms=("5 mg",), document="*"), Nugget(terms=("daily",), document="*")),
    }
    return NuggetQuestion.model_validate(values | more)


def measured(
    lost: int, questions: list[NuggetQuestion] | None = None, trapped: int = 0
) -> Measured:
    """Values where the first `lost` answers hold one nugget of two, and the others both.

    The first `trapped` answers say a trap.
    """
    asked = questions or [question(number) for number in range(COUNT)]
    results = [
        NuggetResult(
            question_id=q.id,
            split=q.split,
            topic=q.topic,
            kind=q.kind,
            expect=q.expect,
            absent=False,
            status="answered",
            reason=None,
            counted=(0, 1),
            said=(0,) if number < lost else (0, 1),
            vital=2,
            vital_said=1 if number < lost else 2,
            first_claim=None,
            traps_said=(0,) if number < trapped else (),
            relevant=(True,),
            claims=("text",),
            words=1,
        )
        for number, q in enumerate(asked)
    ]
    benchmark = Benchmark(questions=(), nuggets=tuple(asked), fingerprint="b")
    return measure(benchmark, (), (), results)


def verdicts(now: Measured) -> dict[str, str]:
    """Verdicts against a baseline without a loss."""
    accepted = Baseline(
        sequence=1,
        author="a",
        reason="r",
        accepted=dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
        evaluated=Evaluated(
            corpus="c",
            profile="p",
            evaluation="e",
            benchmark="b",
            knowledge_bases={},
            encoder="e",
            commit=None,
            measured=measured(0),
        ),
    )
    found = compare_with_baseline(accepted, now, SETTINGS, "answers")
    return {verdict.metric: verdict.verdict for verdict in found if verdict.judged}


def test_one_question_in_fifty_may_lose_a_nugget_and_two_may_not_be_incomplete():
    names = ("answers/vital_recall", "answers/complete", "answers/no_trap")
    held = dict.fromkeys(names, "holds")
    assert verdicts(measured(0)) == verdicts(measured(1)) == held
    assert verdicts(measured(2)) == held | {"answers/complete": "worse"}
    assert verdicts(measured(3)) == dict.fromkeys(names, "worse") | {"answers/no_trap": "holds"}


def test_one_answer_in_fifty_may_say_a_trap_more_and_two_may_not():
    """Of a user's corpus nothing else stops a release for them (ADR 0048)."""
    assert verdicts(measured(0, trapped=1))["answers/no_trap"] == "holds"
    assert verdicts(measured(0, trapped=2))["answers/no_trap"] == "worse"


def test_a_nugget_that_was_changed_makes_another_question():
    changed = [
        question(number, nuggets=(Nugget(terms=("6 mg",), document="*"),))
        if number < COUNT / 10
        else question(number)
        for number in range(COUNT)
    ]
    assert set(verdicts(measured(0, changed)).values()) == {"5 questions lost"}


def test_dev_questions_and_refusals_are_not_gated():
    other = [question(0, split="dev"), question(1, expect="refuse", nuggets=())]
    assert not any(values for values in measured(0, other).values.values())

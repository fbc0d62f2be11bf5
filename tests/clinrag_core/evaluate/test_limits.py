"""Absolute limits: a fault breaks them; what a corpus has nothing to judge by is not judged."""

import pytest

from clinrag_core.answer.records import Answer
from clinrag_core.evaluate.drug_pairs import DrugPairs
from clinrag_core.evaluate.evaluation import AnswerResult
from clinrag_core.evaluate.gate_rates import GateRates, KindRate
from clinrag_core.evaluate.limits import REFUSED, answer_limits, safety_limits
from clinrag_core.evaluate.nugget_metrics import NuggetResult
from clinrag_core.evaluate.reports.gates import limit_check, limit_table
from clinrag_core.evaluate.safety import ParaphraseRate, Safety
from clinrag_core.model.citation import Citation
from clinrag_core.retrieve.route import RouteDecision
from clinrag_core.settings import AcceptanceSettings

SETTINGS = AcceptanceSettings(minimum_questions=25, lost_share=0.03)
ROUTE = RouteDecision(route="MIXED", confidence=1.0, triggers=())
CITATION = Citation(
    chunk_id="c",
    document_id="d",
    document_title="t",
    section_path=(),
    start=0,
    end=1,
    snippet="s",
)


def result(number: int, *, expect: str = "refuse", answered: bool = False, **more) -> AnswerResult:
    status = "answered" if answered else "abstained"
    values = {
        "question_id": f"q{number}",
        "split": "test",
        "intent": "OTHER",
        "expect": expect,
        "judged": True,
        "status": status,
        "reason": None,
        "route": "MIXED",
        "confidence": 0.0,
        "margin": None,
        "cited_relevant": False,
        "relevant_evidence": 0,
        "citation_problems": (),
        "wrong_drug": 0,
        "answer": Answer(status=status, route=ROUTE),
    }
    return AnswerResult.model_validate(values | more)


def broken(limits) -> set[str]:
    return {limit.name for limit in limits if not limit.passed}


def unjudged(limits) -> set[str]:
    assert all(limit.passed for limit in limits if not limit.judged)
    return {limit.name for limit in limits if not limit.judged}


def test_without_answers_no_limit_on_answers_is_judged():
    """A corpus of one's own may have no question of the benchmark: that stops no release."""
    limits = answer_limits([], SETTINGS)
    assert unjudged(limits) == {limit.name for limit in limits}
    assert {"citations_valid", "refusals_kept", "traps_not_said"} <= unjudged(limits)
    assert all(limit.description.startswith("not judged") for limit in limits)


@pytest.mark.parametrize(("answered", "holds"), [(0, True), (3, True), (4, False), (30, False)])
def test_refusals_are_compared_with_their_floor(answered: int, holds: bool):
    answers = [result(n, answered=n < answered) for n in range(30)]
    assert (1 - answered / 30 >= REFUSED) == holds
    assert ("refusals_kept" not in broken(answer_limits(answers, SETTINGS))) == holds


def test_too_few_refusals_show_nothing():
    answers = [result(n, answered=True) for n in range(24)]
    assert "refusals_kept" in unjudged(answer_limits(answers, SETTINGS))


def test_one_broken_citation_or_wrong_drug_is_too_many():
    cited = Answer.model_validate(
        {
            "status": "answered",
            "route": ROUTE,
            "claims": [{"text": "x", "citations": [CITATION]}],
        }
    )
    fine = [
        *(result(n) for n in range(30)),
        result(99, expect="answer", answered=True, answer=cited),
    ]
    assert broken(answer_limits(fine, SETTINGS)) == set()
    bad = [*fine, result(100, citation_problems=("not_verbatim",))]
    assert broken(answer_limits(bad, SETTINGS)) == {"citations_valid"}
    wrong = [*fine, result(101, wrong_drug=1)]
    assert broken(answer_limits(wrong, SETTINGS)) == {"no_wrong_drug"}


def nugget(number: int, **more) -> NuggetResult:
    values = {
        "question_id": f"n{number}",
        "split": "test",
        "topic": "tb",
        "kind": "dose",
        "expect": "refuse",
        "absent": True,
        "status": "abstained",
        "reason": "no_evidence",
        "counted": (),
        "said": (),
        "vital": 0,
        "vital_said": 0,
        "first_claim": None,
        "traps_said": (),
        "relevant": (),
        "claims": (),
        "words": 0,
    }
    return NuggetResult.model_validate(values | more)


@pytest.mark.parametrize(("answered", "holds"), [(0, True), (6, True), (7, False)])
def test_questions_on_what_is_absent_must_be_refused(answered: int, holds: bool):
    absent = [nugget(n, status="answered" if n < answered else "abstained") for n in range(40)]
    assert (1 - answered / 40 >= SETTINGS.absent_refused) == holds
    assert ("absent_refused" not in broken(answer_limits([], SETTINGS, absent))) == holds
    few = answer_limits([], SETTINGS, absent[: SETTINGS.minimum_questions - 1])
    assert "absent_refused" in unjudged(few)


def test_one_trap_on_test_is_too_many():
    fine = [nugget(1, expect="answer"), nugget(2, split="dev", traps_said=(0,))]
    assert broken(answer_limits([], SETTINGS, fine)) == set()
    trapped = [*fine, nugget(3, status="answered", traps_said=(1,))]
    limits = answer_limits([], SETTINGS, trapped)
    assert broken(limits) == {"traps_not_said"}
    described = next(one.description for one in limits if one.name == "traps_not_said")
    assert "at most 0 may be said (acceptance.traps_said)" in described


def test_traps_of_questions_written_for_other_corpora_are_a_warning():
    """They stopped the first release of every corpus that holds a document of another one."""
    shown = [
        nugget(1, expect="answer"),
        nugget(2, expect="answer", status="answered", traps_said=(1,), gates=False),
    ]
    limits = answer_limits([], SETTINGS, shown)
    assert broken(limits) == set()
    (limit,) = (one for one in limits if one.name == "traps_not_said")
    assert (limit.judged, limit.n, limit.value) == (True, 1, 0.0)
    assert limit.warning
    assert "n2" in limit.description
    check = limit_check(limit)
    assert (check.passed, check.gate) == (False, False)
    (alone,) = (
        one for one in answer_limits([], SETTINGS, shown[1:]) if one.name == "traps_not_said"
    )
    assert not alone.judged
    assert alone.warning
    assert "not judged" in alone.description
    assert "of 1 answers" in alone.description
    rows = {row[1]: row[0] for row in limit_table([alone]).rows}
    assert rows == {"traps_not_said": "warning"}
    quiet = [nugget(2, expect="answer", gates=False)]
    (none,) = (one for one in answer_limits([], SETTINGS, quiet) if one.name == "traps_not_said")
    assert not none.warning
    assert limit_check(none).passed


def safety(**more) -> Safety:
    kind = KindRate(kind="dose", critical=True, mutants=50, rejected=50)
    rates = GateRates(claims=20, passed=20, kinds=(kind,), by_gate={})
    values = {
        "gates": rates,
        "paraphrased": rates,
        "paraphrases": (ParaphraseRate(split="test", claims=20, passed=19),),
        "drug_pairs": DrugPairs(drugs=2, questions=5, answered=4, wrong=0),
        "citations": 1,
        "citation_problems": 0,
    }
    return Safety.model_validate(values | more)


def rates(claims: int, passed: int, *kinds: KindRate) -> GateRates:
    return GateRates(claims=claims, passed=passed, kinds=kinds, by_gate={})


DOSE = KindRate(kind="dose", critical=True, mutants=50, rejected=50)


def test_safe_values_pass():
    assert broken(safety_limits(safety())) == set()


@pytest.mark.parametrize(
    ("gates", "name"),
    [
        (rates(20, 20, DOSE.model_copy(update={"rejected": 49})), "critical_mutants_rejected"),
        (
            rates(20, 20, DOSE.model_copy(update={"mutants": 0, "rejected": 0})),
            "critical_mutants_rejected",
        ),
        (rates(20, 20), "critical_mutants_rejected"),
        (rates(20, 18, DOSE), "true_claims_pass"),
        (rates(0, 0, DOSE), "true_claims_pass"),
    ],
)
def test_a_mutant_that_passes_or_was_never_made_breaks_the_limit(gates: GateRates, name: str):
    assert broken(safety_limits(safety(gates=gates))) == {name}


@pytest.mark.parametrize(
    ("pairs", "holds"),
    [
        (DrugPairs(drugs=2, questions=5, answered=5, wrong=1, wrong_in=("Can A?",)), False),
        (DrugPairs(drugs=2, questions=5, answered=0, wrong=0), True),
        (DrugPairs(drugs=2, questions=5, answered=0, wrong=1), False),
        (DrugPairs(drugs=0, questions=0, answered=0, wrong=0), True),
    ],
)
def test_drugs_are_asked_about_where_there_are_any(pairs: DrugPairs, holds: bool):
    limits = safety_limits(safety(drug_pairs=pairs))
    found = broken(limits)
    described = {limit.name: limit.description for limit in limits}
    assert all(text in described["no_wrong_drug_in_pairs"] for text in pairs.wrong_in)
    assert ("no_wrong_drug_in_pairs" not in found) == holds


def test_paraphrases_that_were_never_measured_break_the_limit():
    assert "true_claims_pass" in broken(safety_limits(safety(paraphrases=())))

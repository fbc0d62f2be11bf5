"""One evaluation of a set of knowledge bases: runs, metrics and answers of every question.

An evaluation is named by what it evaluated, so that an unchanged one is never computed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from clinrag_core.answer.citations import citation_problem
from clinrag_core.answer.records import Answer
from clinrag_core.errors import ComponentUnavailableError
from clinrag_core.evaluate.benchmark import Split
from clinrag_core.evaluate.claim_drugs import drugs_of_claim
from clinrag_core.evaluate.judge import Judgements
from clinrag_core.evaluate.metrics import Run, evaluate_run, means
from clinrag_core.evaluate.nugget_answers import answers_to
from clinrag_core.evaluate.nugget_metrics import NuggetResult
from clinrag_core.facts.regimens import regimens
from clinrag_core.model.base import Record
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.revision import answering_code
from clinrag_core.settings import data_folder
from clinrag_core.workspace import fingerprint, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.benchmark import BaseKind, Benchmark
    from clinrag_core.evaluate.judging import Spread
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.stages.multistage import MultistageRetriever
    from clinrag_core.settings import AnswerSettings, MultistageSettings, RetrievalSettings

Slice = Literal["guidelines", "labels", "both"]
SLICES: tuple[Slice, ...] = ("guidelines", "labels", "both")
DEFAULT = "default"
"""Pipeline of a search as a user makes it, over all knowledge bases with the profile's choices."""
OWN_BASES = "own_bases"
"""The same over the knowledge bases that the question is put to."""
MULTISTAGE = "multistage"
"""The three stages as the profile sets them."""


class Score(Record):
    """Means of one pipeline on one slice of the benchmark, with how many questions they rest on."""

    pipeline: str
    slice: Slice
    split: Split
    questions: int
    metrics: dict[str, float]


class QuestionResult(Record):
    """How one pipeline did on one question; ids only, never the question's text."""

    question_id: str
    pipeline: str
    slice: Slice
    split: Split
    intent: str
    best_rank: int | None
    metrics: dict[str, float]


class EvaluatedBases(Record):
    """What an evaluation evaluates: names its knowledge bases, its questions and its corpus."""

    fingerprint: str
    corpus: str
    corpus_manifest: str = ""
    """Digest of the corpus manifest; empty in records of older versions."""
    profile: str
    encoder: str
    benchmark: str
    knowledge_bases: dict[str, str]
    """Name to fingerprint."""


class RetrievalRuns(Record):
    """Judgements, runs and scores of one evaluation."""

    evaluated: EvaluatedBases
    judgements: Judgements
    runs: dict[str, Run]
    scores: tuple[Score, ...]
    results: tuple[QuestionResult, ...]


class AnswerResult(Record):
    """The outcome of one question, with its answer."""

    question_id: str
    split: Split
    intent: str
    expect: str
    judged: bool
    status: str
    reason: str | None
    route: str
    confidence: float = Field(description="best signal of a knowledge base; 0: refused before")
    margin: float | None = Field(description="best signal above its threshold; null: none")
    cited_relevant: bool = Field(
        description="cites a passage of the best grade that this corpus has for the question"
    )
    relevant_evidence: int = Field(description="relevant passages among the evidence")
    citation_problems: tuple[str, ...]
    wrong_drug: int = Field(
        description="claims of the answer that are about no drug of the question"
    )
    answer: Answer


class BenchmarkAnswers(Record):
    """The answers of one evaluation."""

    evaluated: EvaluatedBases
    answers: tuple[AnswerResult, ...]
    nuggets: tuple[NuggetResult, ...] = ()
    """Of the nugget questions that this corpus can be judged by."""


def evaluation_fingerprint(
    bases: Mapping[str, str],
    benchmark: Benchmark,
    retrieval: RetrievalSettings,
    answer: AnswerSettings,
    stages: MultistageSettings,
) -> str:
    """Return the fingerprint of all that decides an evaluation's numbers.

    The code that answers and the lexicons count by their bytes.
    """
    lexicons = sorted((data_folder() / "lexicons").glob("*.toml"))
    return fingerprint(
        answering_code(),
        fingerprint(*(sha256_hex(path.read_bytes()) for path in lexicons)),
        dict(sorted(bases.items())),
        benchmark.fingerprint,
        retrieval.model_dump(),
        answer.model_dump(),
        stages.model_dump(),
    )


def retrieval_runs(
    engine: SearchEngine,
    benchmark: Benchmark,
    judgements: Judgements,
    base_names: Mapping[BaseKind, str],
    stages: MultistageRetriever,
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, Run]:
    """Ranked chunk ids of every question that was judged to have an answer here, per pipeline.

    All but `OWN_BASES` search every knowledge base: nobody knows beforehand where an answer is.
    `on_progress` is called with the number of questions done and of all.

    Raises:
        ComponentUnavailableError: a component failed: an evaluation must not go on without it.
    """
    pipelines = _pipelines(engine)
    runs: dict[str, Run] = {name: {} for name in (*pipelines, MULTISTAGE)}
    # No metric sees the other runs; on a small corpus they were most of the time.
    questions = [q for q in benchmark.questions if q.id in judgements.relevant]
    for done, question in enumerate(questions, start=1):
        own = tuple(base_names[kind] for kind in question.knowledge_bases)
        for pipeline, choices in pipelines.items():
            bases = own if pipeline == OWN_BASES else None
            request = SearchRequest.model_validate(
                {"query": question.text, "knowledge_bases": bases, **choices}
            )
            best = engine.rank(request)[: engine.settings.candidates]
            runs[pipeline][question.id] = [hit.id for hit in best]
        staged = stages.order(SearchRequest(query=question.text))
        if staged.errors:
            raise ComponentUnavailableError(f"components failed: {', '.join(staged.errors)}")
        depth = engine.settings.candidates
        runs[MULTISTAGE][question.id] = [hit.id for hit in staged.candidates[:depth]]
        if on_progress is not None:
            on_progress(done, len(questions))
    return runs


def _pipelines(engine: SearchEngine) -> dict[str, dict[str, object]]:
    """Request of each pipeline: the default search, every retriever alone, other fusions.

    `rrf` is the default without its reranker, if the profile names one.
    """
    plain: dict[str, object] = {"boost": False, "rerank": False}
    pipelines: dict[str, dict[str, object]] = {
        DEFAULT: {},
        OWN_BASES: {},
        "weighted": plain | {"fusion_method": "weighted"},
        "boosted": plain | {"boost": True},
        **{name: plain | {"components": (name,)} for name in engine.components},
    }
    return pipelines | ({"rrf": plain} if engine.reranker else {})


def score_runs(
    runs: Mapping[str, Run], benchmark: Benchmark, judgements: Judgements
) -> tuple[list[Score], list[QuestionResult]]:
    """Metrics per pipeline, slice and split, and per question; none if nothing is judged."""
    judged = [q for q in benchmark.questions if q.id in judgements.relevant]
    if not judged:
        return [], []
    relevant = {q.id: judgements.relevant[q.id] for q in judged}
    slices: dict[str, Slice] = {
        q.id: q.knowledge_bases[0] if len(q.knowledge_bases) == 1 else "both" for q in judged
    }
    scores: list[Score] = []
    results: list[QuestionResult] = []
    for pipeline, run in runs.items():
        values = evaluate_run(relevant, run)
        for name in SLICES:
            members = [q for q in judged if slices[q.id] == name]
            scores.extend(
                Score(
                    pipeline=pipeline,
                    slice=name,
                    split=split,
                    questions=len(ids),
                    metrics=means(values, ids),
                )
                for split in ("dev", "test")
                if (ids := [q.id for q in members if q.split == split])
            )
            results.extend(
                QuestionResult(
                    question_id=q.id,
                    pipeline=pipeline,
                    slice=name,
                    split=q.split,
                    intent=q.intent,
                    best_rank=next(
                        (n for n, i in enumerate(run.get(q.id, []), 1) if i in relevant[q.id]), None
                    ),
                    metrics={metric: per[q.id] for metric, per in values.items()},
                )
                for q in members
            )
    return scores, results


def answer_benchmark(
    engine: AnswerEngine,
    benchmark: Benchmark,
    judgements: Judgements,
    on_progress: Callable[[int, int], None] | None = None,
    spread: Spread | None = None,
) -> list[AnswerResult]:
    """Return the answer to every question as a user would get it, with its citations checked.

    For `spread` see `answers_to`.

    Raises:
        ComponentUnavailableError: as `checked_answer`.
    """
    results: list[AnswerResult] = []
    given = answers_to(engine, [(q.id, q.text) for q in benchmark.questions], spread)
    for done, (question, answer) in enumerate(zip(benchmark.questions, given, strict=True), 1):
        relevant = judgements.relevant.get(question.id, {})
        best = max(relevant.values(), default=0)
        judged = question.id not in (*judgements.unjudged, *judgements.answerable)
        results.append(
            AnswerResult(
                question_id=question.id,
                split=question.split,
                intent=question.intent,
                expect=question.expect,
                judged=judged,
                status=answer.status,
                reason=answer.reason,
                route=answer.route.route if answer.route else "none",
                confidence=max((c.signal for c in answer.confidence), default=0.0),
                margin=max((c.signal - c.threshold for c in answer.confidence), default=None),
                cited_relevant=any(relevant.get(c.chunk_id) == best for c in answer.citations),
                relevant_evidence=sum(item.chunk_id in relevant for item in answer.evidence),
                citation_problems=tuple(_problems(engine, answer)),
                wrong_drug=_wrong_drug(engine, question.text, answer),
                answer=answer,
            )
        )
        if on_progress is not None:
            on_progress(done, len(benchmark.questions))
    return results


def _problems(engine: AnswerEngine, answer: Answer) -> list[str]:
    """Why citations cannot be verified or opened at their place."""
    problems: list[str] = []
    for citation in answer.citations:
        chunk = engine.chunk(citation.chunk_id)
        problem = citation_problem(citation, chunk)
        if problem is None and chunk is not None:
            # A place is a page with a box, a LOINC section or, on a web page, a heading.
            located = chunk.loinc or chunk.section_path or chunk.xml_id
            located = located if citation.page is None else citation.boxes
            problem = None if located else "no_place"
        if problem is not None:
            problems.append(problem)
    return problems


def _wrong_drug(engine: AnswerEngine, question: str, answer: Answer) -> int:
    """Return the number of claims of an answer about no drug or regimen of the question."""
    targets = frozenset(answer.route.target_drugs) if answer.route else frozenset[str]()
    if not targets or answer.status != "answered":
        return 0
    targets = targets.union(*regimens(question, engine.drugs).values())
    return sum(not drugs_of_claim(engine, claim) & targets for claim in answer.claims)

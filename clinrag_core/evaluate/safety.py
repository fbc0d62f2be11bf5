"""The safety of answers, measured: gates against mutants and paraphrases, drugs against drugs.

Blocking checks compare everything here with fixed limits, on any corpus.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.claim_checks import sample_of
from clinrag_core.evaluate.drug_pairs import DrugPairs, measure_drug_pairs
from clinrag_core.evaluate.gate_rates import GateRates, Sample, measure_gates
from clinrag_core.evaluate.judging import MadeClaim, in_this_process, judge_by
from clinrag_core.evaluate.mutation import TrueClaim
from clinrag_core.evaluate.ruler_figures import RulerFigures, measure_ruler
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Answer
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.judging import Judge, Spread

PARAPHRASES = "claims/paraphrases.toml"


class Paraphrase(Record):
    """A sentence and a paraphrase of it or of a part of it."""

    split: Literal["dev", "test"]
    evidence: str
    claim: str


class ParaphraseRate(Record):
    """How many paraphrases pass."""

    split: str
    claims: int
    passed: int


class Safety(Record):
    """Everything measured."""

    gates: GateRates
    """On claims that are sentences of the evidence: of answers and of the paraphrases' evidence."""
    paraphrased: GateRates
    """On the paraphrases themselves, which is harder."""
    paraphrases: tuple[ParaphraseRate, ...]
    drug_pairs: DrugPairs
    citations: int
    citation_problems: int
    ruler: RulerFigures = RulerFigures()
    """By the ruler, which shares no reader with the gates; empty where it was not measured."""

    def metrics(self) -> dict[str, float]:
        """Flat figures, by name."""
        said = sum(p.claims for p in self.paraphrases)
        kept = sum(p.passed for p in self.paraphrases)
        return {
            "mutants": float(self.gates.mutants),
            "critical_survivors": float(self.gates.critical_survivors),
            **{f"kill_rate/{k.kind}": k.rate for k in self.gates.kinds},
            "paraphrase_mutants": float(self.paraphrased.mutants),
            "paraphrase_critical_survivors": float(self.paraphrased.critical_survivors),
            "true_claims_passed": self.gates.pass_rate,
            "paraphrases_passed": kept / said if said else 0.0,
            "wrong_drug_passages": float(self.drug_pairs.wrong),
            "drug_questions": float(self.drug_pairs.questions),
            "citations": float(self.citations),
            "citation_problems": float(self.citation_problems),
            **{f"ruler/{name}": rate for name, (_, rate) in self.ruler.groups().items()},
            "ruler/all": self.ruler.rate,
            "ruler/verbatim": self.ruler.verbatim.rate,
            "ruler/reworded": self.ruler.reworded.rate,
        }


def load_paraphrases(folder: Path) -> tuple[Paraphrase, ...]:
    """Return the paraphrases of a benchmark folder; none if it has none.

    Raises:
        BenchmarkError: the file is malformed.
    """
    path = folder / PARAPHRASES
    if not path.is_file():
        return ()
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["paraphrase"]
        return tuple(Paraphrase.model_validate(row) for row in rows)
    except (KeyError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise BenchmarkError(f"{path.name}: {error}") from error


def measure_safety(
    engine: AnswerEngine,
    answers: Sequence[AnswerResult],
    paraphrases: Sequence[Paraphrase],
    on_progress: Callable[[str], None] | None = None,
    most_pairs: int | None = None,
    benchmark: Path | None = None,
    spread: Spread | None = None,
) -> Safety:
    """Measure the gates on true claims and the paraphrases, and answers on pairs of drugs.

    `benchmark` is the folder with the ruler; without it the ruler is not measured. `most_pairs` is
    the most questions on drugs and pairs; None asks all. The true claims are those
    of `answers`; without any, those of the answers on drugs and pairs. `spread` does the work on
    an engine of the same state as `engine`; without it `engine` does.
    """
    say = on_progress or (lambda _: None)
    spread = spread or in_this_process(engine)
    judge = judge_by(spread)
    say("every pair of drugs" if most_pairs is None else f"{most_pairs} pairs of drugs at most")
    drug_pairs, on_drugs = measure_drug_pairs(
        engine, most_pairs, spread, lambda done, of: say(f"{done} of {of} questions on drugs")
    )
    claims = claims_of(engine, [a.answer for a in answers] or on_drugs)
    sentences = dict.fromkeys(p.evidence for p in paraphrases)
    samples = claims + [sample_of(text, text) for text in sentences]
    say(f"{len(samples)} true claims and their mutants")
    rates, _ = measure_gates(samples, engine.gates, engine.drugs, judge)
    say(f"{len(paraphrases)} paraphrases and their mutants")
    ruler = RulerFigures()
    if benchmark is not None:
        say("the ruler's mutants of statements")
        ruler = measure_ruler(engine, benchmark, spread=spread)
    said = [sample_of(p.claim, p.evidence) for p in paraphrases]
    paraphrased, _ = measure_gates(said, engine.gates, engine.drugs, judge)
    return Safety(
        gates=rates,
        paraphrased=paraphrased,
        paraphrases=tuple(_paraphrase_rate(judge, paraphrases, split) for split in ("dev", "test")),
        drug_pairs=drug_pairs,
        citations=sum(len(a.answer.citations) for a in answers),
        citation_problems=sum(len(a.citation_problems) for a in answers),
        ruler=ruler,
    )


def claims_of(engine: AnswerEngine, answers: Iterable[Answer]) -> list[Sample]:
    """Return the claims of answers with the passages they were made from; each claim once."""
    samples: dict[str, Sample] = {}
    for answer in answers:
        chunks = {
            item.chunk_id: chunk
            for item in answer.evidence
            if (chunk := engine.chunk(item.chunk_id)) is not None
        }
        for claim in (*answer.claims, *answer.rejected_claims):
            true = TrueClaim(claim.text, claim.citations)
            samples.setdefault(claim.text, Sample(true, chunks, claim.sources))
    return list(samples.values())


def _paraphrase_rate(judge: Judge, paraphrases: Sequence[Paraphrase], split: str) -> ParaphraseRate:
    """Return how many paraphrases of a split pass every gate."""
    samples = [sample_of(p.claim, p.evidence) for p in paraphrases if p.split == split]
    judged = judge(MadeClaim(*sample.claim, sample.evidence) for sample in samples)
    passed = sum(not one.refusals for one in judged)
    return ParaphraseRate(split=split, claims=len(samples), passed=passed)


def scifact_samples(folder: Path) -> list[Sample]:
    """Return each rationale sentence of a supported claim of SciFact's original release, once.

    Wadden et al. 2020. A claim of SciFact itself says more than its sentences do, so lexical gates
    could not pass it; a rationale sentence cites itself and is true.

    Raises:
        BenchmarkError: a file is missing or malformed.
    """
    try:
        abstracts = {
            str(row["doc_id"]): row["abstract"] for row in _rows(folder / "corpus_sentences.jsonl")
        }
        sentences: dict[str, None] = {}
        for name in ("claims_train.jsonl", "claims_validation.jsonl"):
            for claim in _rows(folder / name):
                for document, rationales in claim["evidence"].items():
                    for rationale in rationales:
                        if rationale["label"] == "SUPPORT":
                            for number in rationale["sentences"]:
                                sentences[abstracts[document][number].strip()] = None
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise BenchmarkError(f"{folder.name}: not SciFact's original release: {error}") from error
    return [sample_of(sentence, sentence) for sentence in sentences if sentence]


def _rows(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)

"""The safety of answers, measured: gates against mutants and paraphrases, drugs against drugs.

Everything here must hold on any corpus; blocking checks compare it with fixed limits.
"""

from __future__ import annotations

import tomllib
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from clinrag_core.answer.citations import cite
from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.gate_rates import GateRates, Sample, Survivor, measure_gates
from clinrag_core.evaluate.mutation import TrueClaim
from clinrag_core.model.base import Record
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.constrain import named_ingredients
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.evaluation import AnswerResult

PARAPHRASES = "claims/paraphrases.toml"
DRUG_QUESTIONS = (
    "What is the recommended dose of {0}?",
    "Which adverse reactions does {0} have?",
)
PAIR_QUESTION = "Can {0} be given together with {1}?"


class Paraphrase(Record):
    """A sentence and another way to say it, or part of it."""

    split: Literal["dev", "test"]
    evidence: str
    claim: str


class ParaphraseRate(Record):
    """How many paraphrases pass."""

    split: str
    claims: int
    passed: int


class DrugPairs(Record):
    """Questions on drugs and pairs of drugs, and passages behind answers that name none."""

    drugs: int
    questions: int
    answered: int
    wrong: int


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
        }


def load_paraphrases(folder: Path) -> tuple[Paraphrase, ...]:
    """The paraphrases of a benchmark folder; none where it has none.

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
) -> tuple[Safety, list[Survivor]]:
    """Measure the gates on the claims of the answers, the paraphrases and every pair of drugs."""
    say = on_progress or (lambda _: None)
    sentences = dict.fromkeys(p.evidence for p in paraphrases)
    samples = claims_of(engine, answers) + [sample_of(text, text) for text in sentences]
    say(f"{len(samples)} true claims and their mutants")
    rates, survivors = measure_gates(samples, engine.gates, engine.drugs)
    say(f"{len(paraphrases)} paraphrases and their mutants")
    said = [sample_of(p.claim, p.evidence) for p in paraphrases]
    paraphrased, more = measure_gates(said, engine.gates, engine.drugs)
    said_rates = tuple(_paraphrase_rate(engine, paraphrases, split) for split in ("dev", "test"))
    say("every pair of drugs")
    safety = Safety(
        gates=rates,
        paraphrased=paraphrased,
        paraphrases=said_rates,
        drug_pairs=measure_drug_pairs(engine),
        citations=sum(len(a.answer.citations) for a in answers),
        citation_problems=sum(len(a.citation_problems) for a in answers),
    )
    return safety, [*survivors, *more]


def claims_of(engine: AnswerEngine, answers: Sequence[AnswerResult]) -> list[Sample]:
    """The claims of answers with the passages they were made from; each claim once."""
    samples: dict[str, Sample] = {}
    for result in answers:
        answer = result.answer
        chunks = {
            item.chunk_id: chunk
            for item in answer.evidence
            if (chunk := engine.chunk(item.chunk_id)) is not None
        }
        for claim in (*answer.claims, *answer.rejected_claims):
            samples.setdefault(claim.text, Sample(TrueClaim(claim.text, claim.citations), chunks))
    return list(samples.values())


def passage_of(sentence: str) -> Chunk:
    """A sentence as a passage."""
    return Chunk(
        id=sha256_hex(sentence.encode())[:24],
        document_id="sentence",
        document_title="",
        kind="guideline",
        section_ordinal=0,
        section_path=(),
        ordinal=0,
        start=0,
        end=len(sentence),
        text=sentence,
        embed_title="",
        embed_text=sentence,
        tokens=max(len(sentence.split()), 1),
        file_sha256="0" * 64,
    )


def sample_of(claim: str, evidence: str) -> Sample:
    """A claim that cites a sentence."""
    chunk = passage_of(evidence)
    return Sample(TrueClaim(claim, (cite(chunk, 0, len(evidence)),)), {chunk.id: chunk})


def _paraphrase_rate(
    engine: AnswerEngine, paraphrases: Sequence[Paraphrase], split: str
) -> ParaphraseRate:
    """How many paraphrases of a split pass every gate."""
    own = [p for p in paraphrases if p.split == split]
    passed = 0
    for paraphrase in own:
        sample = sample_of(paraphrase.claim, paraphrase.evidence)
        claim = ClaimInContext(
            sample.claim.text, sample.claim.citations, sample.evidence, engine.drugs
        )
        passed += all(d.passed for d in run_gates(engine.gates, claim))
    return ParaphraseRate(split=split, claims=len(own), passed=passed)


def measure_drug_pairs(engine: AnswerEngine) -> DrugPairs:
    """Ask about every drug with a label and every pair of them; count passages of other drugs.

    A passage behind an answer must name a drug asked for, and all passages together each of them.
    """
    drugs = sorted(engine.drugs.labelled)
    asked = [((one,), text.format(one)) for one in drugs for text in DRUG_QUESTIONS]
    asked += [(pair, PAIR_QUESTION.format(*pair)) for pair in combinations(drugs, 2)]
    answered = wrong = 0
    for targets, question in asked:
        answer = engine.ask(question)
        if answer.status != "answered":
            continue
        answered += 1
        chunks = [engine.chunk(item.chunk_id) for item in answer.evidence]
        named = [named_ingredients(c, engine.drugs) if c else frozenset[str]() for c in chunks]
        wrong += sum(not names & set(targets) for names in named)
        wrong += len(set(targets) - frozenset[str]().union(*named))
    return DrugPairs(drugs=len(drugs), questions=len(asked), answered=answered, wrong=wrong)

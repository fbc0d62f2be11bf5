"""Measures the claim gates by the ruler on the statements of the candidates.

All claims are of one half, the test half by default. Verbatim claims are statements with their own
citations, as an extractive answer makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.answer.citations import cite_quotes
from clinrag_core.answer.sources import is_quotable
from clinrag_core.evaluate.claim_checks import check_pairs
from clinrag_core.evaluate.gate_rates import MutantRate
from clinrag_core.evaluate.judging import MadeClaim, in_this_process, judge_by
from clinrag_core.evaluate.ruler.false_claims import FalseClaims
from clinrag_core.evaluate.ruler.sentences import RealSentence, make_claims
from clinrag_core.evaluate.ruler.tables import (
    RULES,
    WRITTEN_MUTANTS,
    WRITTEN_PARAPHRASES,
    load_ruler,
    read_pairs,
)
from clinrag_core.model.base import Record
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.claim_checks import CheckedPair
    from clinrag_core.evaluate.judging import Judge, Spread
    from clinrag_core.evaluate.ruler.tables import ClaimPair, Half
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement

VERBATIM = 2_000
"""Statements that are claims as they are, at most."""
WRITTEN = "written"
SHOWN = 240
"""Characters of a survivor that the report shows."""


class RulerKind(MutantRate):
    """Mutants of one kind of the ruler."""

    group: str


class TrueClaims(Record):
    """True claims of one sort: verbatim, reworded by rule, written by hand."""

    sort: str
    claims: int
    passed: int

    @property
    def rate(self) -> float:
        """Share that passed; 1 if there is none."""
        return self.passed / self.claims if self.claims else 1.0


class RulerSurvivor(Record):
    """A mutant that passed, with its kind."""

    kind: str
    claim: str


class RulerFigures(Record):
    """The figures of one half of the ruler."""

    kinds: tuple[RulerKind, ...] = ()
    true_claims: tuple[TrueClaims, ...] = ()
    survivors: tuple[RulerSurvivor, ...] = ()
    p95_ms: float = 0.0
    """Processor time of all gates on one verbatim claim."""

    @property
    def rate(self) -> float:
        """Share of all mutants rejected; 1 if there is none."""
        made = sum(kind.mutants for kind in self.kinds)
        return sum(kind.rejected for kind in self.kinds) / made if made else 1.0

    def groups(self) -> dict[str, tuple[int, float]]:
        """Return how many mutants each group has, and the share of them that is rejected."""
        groups: dict[str, tuple[int, float]] = {}
        for name in dict.fromkeys(kind.group for kind in self.kinds):
            own = [kind for kind in self.kinds if kind.group == name]
            made = sum(kind.mutants for kind in own)
            groups[name] = (made, sum(kind.rejected for kind in own) / max(made, 1))
        return groups

    @property
    def reworded(self) -> TrueClaims:
        """The rewordings of every sort."""
        own = [one for one in self.true_claims if one.sort.startswith("reworded")]
        return TrueClaims(
            sort="reworded",
            claims=sum(one.claims for one in own),
            passed=sum(one.passed for one in own),
        )

    @property
    def verbatim(self) -> TrueClaims:
        """The verbatim claims."""
        none = TrueClaims(sort="verbatim", claims=0, passed=0)
        return next((one for one in self.true_claims if one.sort == "verbatim"), none)


def measure_ruler(
    engine: AnswerEngine, folder: Path, half: Half = "test", spread: Spread | None = None
) -> RulerFigures:
    """Return the figures of a half of the ruler on the statements of an engine; none without one.

    `spread` does the work on an engine of the same state; without it this one does.

    Raises:
        BenchmarkError: a file of the ruler is missing or malformed.
    """
    if not (folder / RULES).is_file():
        return RulerFigures()  # a corpus's own benchmark need not have one
    judge = judge_by(spread or in_this_process(engine))
    table = load_ruler(folder)
    groups = FalseClaims(table).groups
    statements = list(_quotable(engine))
    claims = make_claims((RealSentence(s.document_id, s.said) for s in statements), table)
    mutants = [pair for pair in claims.mutants if pair.half == half]
    checked = check_pairs(mutants, engine.gates, engine.drugs, judge)
    written = read_pairs(folder / WRITTEN_MUTANTS)
    checked += [
        one._replace(pair=one.pair._replace(kind=WRITTEN))
        for one in check_pairs(_of(written, half), engine.gates, engine.drugs, judge)
    ]
    names = dict.fromkeys(one.pair.kind for one in checked)
    verbatim, p95 = _verbatim(engine, statements, judge)
    sorts = {
        "twins": claims.twins,
        "reworded by rule": claims.rewordings,
        "reworded by hand": read_pairs(folder / WRITTEN_PARAPHRASES),
    }
    return RulerFigures(
        kinds=tuple(_kind(name, groups.get(name, WRITTEN), checked) for name in names),
        true_claims=(
            verbatim,
            *(_passed(engine, name, _of(pairs, half), judge) for name, pairs in sorts.items()),
        ),
        survivors=tuple(
            RulerSurvivor(kind=one.pair.kind, claim=one.pair.claim[:SHOWN])
            for one in checked
            if not one.why
        ),
        p95_ms=round(p95, 3),
    )


def _of(pairs: Iterable[ClaimPair], half: Half) -> list[ClaimPair]:
    return [pair for pair in pairs if pair.half == half]


def _kind(name: str, group: str, checked: list[CheckedPair]) -> RulerKind:
    own = [one for one in checked if one.pair.kind == name]
    rejected = sum(bool(one.why) for one in own)
    return RulerKind(kind=name, group=group, mutants=len(own), rejected=rejected)


def _passed(engine: AnswerEngine, sort: str, pairs: list[ClaimPair], judge: Judge) -> TrueClaims:
    checked = check_pairs(pairs, engine.gates, engine.drugs, judge)
    return TrueClaims(sort=sort, claims=len(pairs), passed=sum(not one.why for one in checked))


def _quotable(engine: AnswerEngine) -> Iterator[IndexedStatement]:
    """Yield the statements of an engine that can be quoted, in the order of their documents."""
    for base in engine.search.knowledge_bases.values():
        if (index := base.statements) is not None:
            yield from (s for s in index.statements(range(len(index))) if is_quotable(s))


def _verbatim(
    engine: AnswerEngine, statements: list[IndexedStatement], judge: Judge
) -> tuple[TrueClaims, float]:
    """Return how many statements pass as claims, and the 95th percentile of the gates' time."""
    chosen = sorted(statements, key=lambda s: sha256_hex(s.id.encode()))[:VERBATIM]
    judged = list(judge(_as_claim(engine, statement) for statement in chosen))
    passed = sum(not one.refusals for one in judged)
    p95 = float(np.percentile([one.milliseconds for one in judged], 95)) if judged else 0.0
    return TrueClaims(sort="verbatim", claims=len(chosen), passed=passed), p95


def _as_claim(engine: AnswerEngine, statement: IndexedStatement) -> MadeClaim:
    """Return a statement as the claim of an extractive answer."""
    chunks: dict[str, Chunk] = {}
    for quote in statement.quotes:
        if (chunk := engine.chunk(quote.chunk_id)) is not None:
            chunks[quote.chunk_id] = chunk
    return MadeClaim(statement.said, cite_quotes(statement, chunks), chunks, (statement.said,))

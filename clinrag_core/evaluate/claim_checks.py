"""Runs the claim gates on pairs of evidence and claim: how many are rejected, per kind, and why.

The pairs are anybody's: a table that a user brings, or the ruler's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite
from clinrag_core.evaluate.gate_rates import Sample
from clinrag_core.evaluate.judging import MadeClaim, judge_here
from clinrag_core.evaluate.mutation import TrueClaim
from clinrag_core.model.base import Record
from clinrag_core.model.chunk import Chunk
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.evaluate.judging import Judge
    from clinrag_core.evaluate.ruler.tables import ClaimPair
    from clinrag_core.facts.drugs import DrugLexicon


class CheckedPair(NamedTuple):
    """A pair with the codes of the gates that rejected its claim; none where it passed."""

    pair: ClaimPair
    why: tuple[str, ...]


class KindOfClaims(Record):
    """The claims of one kind."""

    rejected: int
    of: int
    why: dict[str, int]
    """How many claims each code rejected; several may reject one."""


class CheckedClaims(Record):
    """The claims of a table."""

    rejected: int
    of: int
    kinds: dict[str, KindOfClaims]


def check_pairs(
    pairs: Iterable[ClaimPair],
    gates: Sequence[Gate],
    drugs: DrugLexicon,
    judge: Judge | None = None,
) -> list[CheckedPair]:
    """Return each pair with why its claim was rejected by the gates, or by `judge` instead."""
    listed = list(pairs)
    samples = (sample_of(pair.claim, pair.evidence) for pair in listed)
    claims = (MadeClaim(*sample.claim, sample.evidence) for sample in samples)
    judged = (judge or judge_here(gates, drugs))(claims)
    return [
        CheckedPair(pair, tuple(": ".join((d.code or d.gate, *d.detail)) for d in one.refusals))
        for pair, one in zip(listed, judged, strict=True)
    ]


def count_checked(checked: Sequence[CheckedPair]) -> CheckedClaims:
    """Return how many claims were rejected, in all and per kind, with the codes."""
    kinds: dict[str, KindOfClaims] = {}
    for name in dict.fromkeys(one.pair.kind for one in checked):
        own = [one for one in checked if one.pair.kind == name]
        why = Counter(code.split(":")[0] for one in own for code in set(one.why))
        kinds[name] = KindOfClaims(
            rejected=sum(bool(one.why) for one in own), of=len(own), why=dict(why.most_common())
        )
    return CheckedClaims(
        rejected=sum(bool(one.why) for one in checked), of=len(checked), kinds=kinds
    )


def sample_of(claim: str, evidence: str) -> Sample:
    """Return a claim that cites a text, which is a passage by itself."""
    chunk = Chunk(
        id=sha256_hex(evidence.encode())[:24],
        document_id="sentence",
        document_title="",
        kind="guideline",
        section_ordinal=0,
        section_path=(),
        ordinal=0,
        start=0,
        end=len(evidence),
        text=evidence,
        embed_title="",
        embed_text=evidence,
        tokens=max(len(evidence.split()), 1),
        file_sha256="0" * 64,
    )
    return Sample(TrueClaim(claim, (cite(chunk, 0, len(evidence)),)), {chunk.id: chunk})

"""The tables of the ruler: rules that falsify or reword true sentences, pairs written by hand.

They are read from the benchmark's folder `claims`, never from the lexicons: what measures the gates
shares no table with them.
"""

from __future__ import annotations

import csv
import re
import tomllib
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import ValidationError

from clinrag_core.errors import BenchmarkError
from clinrag_core.model.base import Record
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from pathlib import Path

RULES = "claims/ruler.toml"
WRITTEN_MUTANTS = "claims/written_mutants.tsv"
WRITTEN_PARAPHRASES = "claims/written_paraphrases.tsv"

Group = Literal[
    "dose", "drug", "population", "polarity", "direction", "condition",
    "certainty", "purpose", "figures", "written",
]  # fmt: skip
Half = Literal["dev", "test"]
Rule = tuple[re.Pattern[str], str]


class RuledKind(Record):
    """A kind of mutant that replaces words."""

    name: str
    group: Group
    rules: tuple[tuple[str, str], ...]
    needs: str = ""
    """What else a sentence must say for the mutant to be false."""


class Rewordings(Record):
    """Replacements that keep the meaning."""

    rules: tuple[tuple[str, str], ...]


class RulerTable(Record):
    """The file `ruler.toml`."""

    drugs: tuple[str, ...]
    classes: tuple[tuple[str, str], ...]
    kind: tuple[RuledKind, ...]
    rewordings: Rewordings


class ClaimPair(NamedTuple):
    """A claim with the sentence it is checked against."""

    kind: str
    evidence: str
    claim: str
    half: Half = "dev"


def load_ruler(folder: Path) -> RulerTable:
    """Return the rules of a benchmark folder.

    Raises:
        BenchmarkError: the file is missing or malformed.
    """
    path = folder / RULES
    try:
        return RulerTable.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise BenchmarkError(f"{path.name}: {error}") from error


def ruler_digest(folder: Path) -> str:
    """Return a digest of the ruler's files of a benchmark folder; of none where it has none."""
    paths = (folder / name for name in (RULES, WRITTEN_MUTANTS, WRITTEN_PARAPHRASES))
    return sha256_hex(b"\n".join(path.read_bytes() for path in paths if path.is_file()))


def compiled(rules: tuple[tuple[str, str], ...]) -> list[Rule]:
    """Return rules with their expressions compiled; case is ignored."""
    return [(re.compile(expression, re.IGNORECASE), to) for expression, to in rules]


def read_pairs(path: Path) -> list[ClaimPair]:
    """Return the rows of a table of claims: columns evidence, claim and optionally kind and split.

    Raises:
        BenchmarkError: it cannot be read, lacks a column or has an empty evidence or claim.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BenchmarkError(f"{path.name}: {error}") from error
    pairs: list[ClaimPair] = []
    for line, row in enumerate(rows, start=2):
        evidence, claim = ((row.get(name) or "").strip() for name in ("evidence", "claim"))
        if not evidence or not claim:
            raise BenchmarkError(f"{path.name}: line {line}: evidence or claim is missing")
        half: Half = "test" if row.get("split") == "test" else "dev"
        pairs.append(ClaimPair((row.get("kind") or "").strip() or "claim", evidence, claim, half))
    return pairs

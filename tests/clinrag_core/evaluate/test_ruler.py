"""The ruler: false claims that share no table with the gates, and tables that a user brings."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.cli.main import app
from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.claim_checks import check_pairs, count_checked
from clinrag_core.evaluate.ruler.false_claims import FalseClaims
from clinrag_core.evaluate.ruler.sentences import RealSentence, half_of, make_claims
from clinrag_core.evaluate.ruler.tables import (
    WRITTEN_MUTANTS,
    WRITTEN_PARAPHRASES,
    load_ruler,
    read_pairs,
    ruler_digest,
)
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.settings import AnswerSettings, data_folder

FOLDER = data_folder() / "benchmark"
TABLE = load_ruler(FOLDER)
MADE = FalseClaims(TABLE)
GATES = build_gates(AnswerSettings())
DRUGS = DrugLexicon()
SENTENCES = [
    "Adults of 40 kg or more should take isoniazid 300 mg once daily for 6 months with food.",
    "Rifampin increases the clearance of warfarin, and 12 of 30 patients needed twice the dose.",
    "If creatinine clearance is below 30 mL/min, streptomycin 15 mg/kg is given every 48 hours.",
    "In the intensive phase pyrazinamide may cause mild liver injury in 20% of men, 10% of women.",
]


def false(text: str) -> dict[str, str]:
    rng = random.Random(3)  # noqa: S311 - repeatable, no secret
    return {one.kind: one.claim for one in MADE.of_sentence(text, rng, MADE.groups)}


def test_it_has_forty_kinds_and_most_apply_to_four_sentences():
    assert len(MADE.groups) >= 40
    kinds = {kind for text in SENTENCES for kind in false(text)}
    assert len(kinds) >= 20
    assert all(claim != text for text in SENTENCES for claim in false(text).values())


def test_exchanged_things_change_places():
    text = "Rifampin 600 mg lowers levels by 20%, warfarin 5 mg by 10%."
    assert false(text)["doses_exchanged"] == (
        "Rifampin 5 mg lowers levels by 20%, warfarin 600 mg by 10%."
    )
    assert "drugs_exchanged" not in false("Isoniazid, rifampin and ethambutol cause nausea.")


def test_merged_statements_and_rows():
    (merged,) = MADE.of_neighbours("Isoniazid is cheap.", "Warfarin needs tests.")
    assert merged.claim == "Isoniazid needs tests."
    (row,) = MADE.of_rows("Weight: 10 kg; Dose: 1 tablet", "Weight: 20 kg; Dose: 2 tablets")
    assert row.claim == "Weight: 10 kg; Dose: 2 tablets"


def test_the_claims_are_the_same_each_time_and_halves_share_no_document():
    sentences = [RealSentence(f"d{n % 7}", text) for n, text in enumerate(SENTENCES * 4)]
    claims = make_claims(sentences, TABLE)
    assert claims == make_claims(sentences, TABLE)
    of_text = {s.text: {half_of(other.document_id) for other in sentences if other.text == s.text}
               for s in sentences}  # fmt: skip
    assert all(pair.half in of_text[pair.claim] for pair in claims.twins)
    assert {half_of(f"d{n}") for n in range(20)} == {"dev", "test"}


def test_hand_written_pairs_are_many_and_in_two_halves():
    mutants, paraphrases = (
        read_pairs(FOLDER / name) for name in (WRITTEN_MUTANTS, WRITTEN_PARAPHRASES)
    )
    assert len(mutants) >= 100
    assert len(paraphrases) >= 150
    assert {pair.half for pair in mutants} == {"dev", "test"}


def test_hand_written_mutants_are_rejected_and_true_sentences_pass():
    mutants = read_pairs(FOLDER / WRITTEN_MUTANTS)
    counts = count_checked(check_pairs(mutants, GATES, DRUGS))
    assert counts.rejected >= 0.9 * counts.of
    twins = [pair._replace(claim=pair.evidence) for pair in mutants]
    assert count_checked(check_pairs(twins, GATES, DRUGS)).rejected == 0


@pytest.mark.parametrize("text", ["evidence\tclaim\nonly one\t\n", "claim\nno evidence\n"])
def test_a_table_without_evidence_or_claim_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "claims.tsv"
    path.write_text(text)
    with pytest.raises(BenchmarkError, match=r"claims\.tsv"):
        read_pairs(path)


def test_the_digest_follows_the_files(tmp_path: Path):
    before = ruler_digest(tmp_path)
    (tmp_path / "claims").mkdir()
    (tmp_path / WRITTEN_MUTANTS).write_text("kind\tevidence\tclaim\n")
    assert ruler_digest(tmp_path) != before
    with pytest.raises(BenchmarkError, match="ruler"):
        load_ruler(tmp_path)


def test_anybody_can_bring_a_table(tmp_path: Path):
    path = tmp_path / "claims.tsv"
    path.write_text(
        "evidence\tclaim\tkind\n"
        "Give isoniazid 300 mg daily.\tGive isoniazid 3000 mg daily.\tdose\n"
        "Give isoniazid 300 mg daily.\tGive isoniazid 300 mg daily.\ttrue\n"
    )
    result = CliRunner().invoke(app, ["evaluate", "claims", str(path), "--json"])
    assert result.exit_code == 0
    printed = json.loads(result.stdout)
    assert (printed["rejected"], printed["of"]) == (1, 2)
    assert printed["kinds"]["dose"]["why"] == {"quantity_not_in_evidence": 1, **{
        code: 1 for code in printed["kinds"]["dose"]["why"] if code != "quantity_not_in_evidence"
    }}  # fmt: skip
    shown = CliRunner().invoke(app, ["evaluate", "claims", str(path), "--show"])
    assert "1 of 2 rejected" in shown.stdout
    assert "passed" in shown.stdout

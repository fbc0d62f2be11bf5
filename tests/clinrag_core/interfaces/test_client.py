"""`import clinrag_core as clinrag`: what a person at a console or in a notebook gets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import clinrag_core as clinrag
from clinrag_core.errors import QueryError, ReleaseError
from clinrag_core.settings.render import toml_file

NOTEBOOK = Path(__file__).parents[3] / "docs" / "notebooks" / "python.ipynb"
DOSE = "ethambutol daily dose for tuberculosis in adults"


@pytest.fixture(scope="module")
def opened(pages_home):
    with clinrag.Clinrag(pages_home) as release:
        yield release


def test_importing_loads_nothing_heavy():
    heavy = "numpy", "torch", "pydantic", "faiss", "pandas"
    code = f"import sys, clinrag_core; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert shown.stdout.strip() == "[]"
    assert dir(clinrag) == ["AskResult", "Clinrag", "FoundPassages", "open"]
    with pytest.raises(AttributeError):
        _ = clinrag.nothing


def test_an_answer_is_readable_true_and_a_table(opened):
    answer = opened.ask(DOSE)
    assert answer
    table = "Table 1. Daily doses of medicines for tuberculosis in adults"
    assert repr(answer).startswith(f"{table}: Medicine: Ethambutol; Daily dose: 15 mg per kg")
    assert "[1] Tuberculosis care on pages › 2. Doses for tuberculosis · p. 2 · 2026" in repr(
        answer
    )
    assert repr(answer).endswith("Not a medical device.")
    (row,) = answer.to_pandas().to_dict("records")
    assert (row["claim"], row["source"], row["page"], row["date"]) == (1, 1, "2", "2026")
    assert "<td>15 mg per kg</td>" in answer._repr_html_()


def test_an_abstention_is_false_with_its_reason_and_an_empty_table(opened):
    answer = opened.ask("<b>zebra</b> dose")
    assert not answer
    assert "The sources never mention" in repr(answer)
    assert answer.to_pandas().empty
    assert "text" in answer.to_pandas().columns
    assert "<b>zebra" not in answer._repr_html_()


def test_a_search_is_a_sequence_and_a_table(opened):
    found = opened.search("isoniazid and the liver", top_k=3, filter={"drugs": ["isoniazid"]})
    assert len(found) == 3
    assert found[0].rank == 1
    assert [hit.rank for hit in found] == [1, 2, 3]
    assert list(found.to_pandas()["rank"]) == [1, 2, 3]
    assert repr(found).startswith("1. Isoniazid")
    assert "<table>" in found._repr_html_()


@pytest.mark.parametrize("choices", [{"top_kk": 3}, {"top_k": 0}, {"components": ["x"]}])
def test_a_wrong_choice_is_named(opened, choices):
    with pytest.raises(QueryError, match=next(iter(choices))):
        opened.search("isoniazid", **choices)


def test_a_home_without_a_release_says_so(tmp_path):
    with pytest.raises(ReleaseError):
        clinrag.open(tmp_path)


def test_the_cells_of_the_notebook_run(pages_home, tmp_path, monkeypatch):
    config = tmp_path / "tiny.toml"
    config.write_text(toml_file(pages_home))
    monkeypatch.setenv("CLINRAG_CONFIG", str(config))
    monkeypatch.delenv("CLINRAG_HOME", raising=False)
    monkeypatch.delenv("CLINRAG_PROFILE", raising=False)
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    space: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), cell["id"], "exec"), space)  # noqa: S102


def test_the_recorded_session_is_of_the_notebook_and_of_every_tool():
    recorded = (NOTEBOOK.parents[1] / "sessions.md").read_text()
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert f"```python\n{''.join(cell['source'])}\n```" in recorded
    for tool in ("ask", "search", "passage", "label_diff"):
        assert f"```text\n{tool} {{" in recorded

"""Tables of a report fit a terminal: names stay in one piece, headings break between words."""

import io

from rich.console import Console

from clinrag_core.evaluate.render_console import console_table
from clinrag_core.evaluate.report import table_block


def test_names_of_pipelines_are_not_broken():
    """`multistage` was printed as `multista` and `ge`, and `precision_at_5` as `precisi`."""
    columns = ("questions on", "split", "pipeline", "n", *(f"precision_at_{n}" for n in range(9)))
    rows = [
        ("guidelines", "test", name, 40, *([0.125] * 9)) for name in ("multistage", "own_bases")
    ]
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(console_table(table_block("scores", "Scores", columns, rows)))
    printed = console.export_text()
    assert "multistage" in printed
    assert "own_bases" in printed
    assert "precisi " not in printed
    assert max(map(len, printed.splitlines())) <= 120

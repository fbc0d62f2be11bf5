"""`clinrag audit`: the trail of answers."""

from __future__ import annotations

import typer

from clinrag_core.cli.common import console
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

app = typer.Typer(help="The audit trail of answers.", no_args_is_help=True)


@app.command()
def verify() -> None:
    """Check that no record was changed, removed or added."""
    from clinrag_core.answer.audit import AuditLog

    verified = AuditLog(Workspace(load_settings().home).audit).verify()
    console.print(f"{verified.records} records, unbroken; last hash {verified.last}")

"""`clinrag audit`: the trail of answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clinrag_core.cli.common import Json, console, echo_json
from clinrag_core.settings import load_settings

app = typer.Typer(help="The audit trail of answers.", no_args_is_help=True)


@app.command()
def verify(
    anchor: Annotated[
        Path | None,
        typer.Option(exists=True, help="an anchor, or a folder of them; default: the daily ones"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check that no record was changed, removed, added or cut off since the anchors."""
    from clinrag_core.answer.audit.anchors import anchors_folder, read_anchors
    from clinrag_core.answer.audit.trail import audit_log

    settings = load_settings()
    daily = anchors_folder(settings)
    chosen = anchor or (daily if any(daily.glob("*.json")) else None)
    verified = audit_log(settings).verify(read_anchors(chosen) if chosen else [])
    if as_json:
        echo_json(verified._asdict())
        return
    console.print(
        f"{verified.records} records, unbroken; {verified.anchors} anchors agree; "
        f"last code {verified.last}",
        highlight=False,
    )
    if verified.gaps or verified.torn:
        console.print(f"{verified.gaps + verified.torn} records were cut off while written")
    if verified.unkeyed:
        console.print(f"the first {verified.unkeyed} records are of before there was a key")
    if not verified.anchors:
        console.print("no anchor: a trail that was cut or replaced as a whole would not show")


@app.command("anchor")
def write(as_json: Json = False) -> None:
    """Write what the trail is now into the folder of anchors, as the daily asset does."""
    from clinrag_core.answer.audit.anchors import anchors_folder, write_anchor
    from clinrag_core.answer.audit.trail import audit_log

    settings = load_settings()
    file = write_anchor(anchors_folder(settings), audit_log(settings).anchor())
    if as_json:
        echo_json({"anchor": file})
        return
    console.print(str(file), markup=False, highlight=False)

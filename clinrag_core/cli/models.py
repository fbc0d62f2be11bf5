"""`clinrag models`: weights of encoders and rerankers from the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clinrag_core.cli.common import Json, console, echo_json, echo_records

app = typer.Typer(help="Weights of encoders and rerankers.", no_args_is_help=True)


@app.command("fetch")
def fetch(
    names: Annotated[
        list[str], typer.Argument(help="medcpt, medcpt-cross-encoder, owner/name or with @COMMIT")
    ],
    to: Annotated[
        Path | None, typer.Option("--to", help="folder for models; CLINRAG_MODELS by default")
    ] = None,
    as_json: Json = False,
) -> None:
    """Download models at one commit, check every hash, convert pickled weights to safetensors."""
    from clinrag_core.encode.fetch import default_models_folder, fetch_model, models_of

    folder = to or default_models_folder()
    wanted = dict.fromkeys(model for name in names for model in models_of(name))
    if as_json:
        echo_records(fetch_model(model, folder)[1] for model in wanted)
        return
    for model in wanted:
        path, ledger = fetch_model(model, folder)
        console.print(f"{ledger.model}@{ledger.commit}", highlight=False)
        how = " (converted from a pickle)" if ledger.converted else ""
        console.print(f"  {len(ledger.files)} files in {path}{how}", highlight=False)


@app.command("check")
def check(
    folder: Annotated[
        Path | None, typer.Option("--to", help="folder for models; CLINRAG_MODELS by default")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare every fetched model with its ledger."""
    from clinrag_core.encode.fetch import default_models_folder
    from clinrag_core.encode.ledger import check_ledger

    folder = folder or default_models_folder()
    paths = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    found = {path: check_ledger(path) for path in paths}
    if as_json:
        echo_json(
            [{"folder": p.name, "files": len(v.files) if v else None} for p, v in found.items()]
        )
        return
    for path, ledger in found.items():
        said = f"{len(ledger.files)} files as fetched" if ledger else "no ledger: put there by hand"
        console.print(f"{path.name}: {said}", highlight=False)

"""`clinrag release`: what is served, and how to go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import console
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.index.release import ReleaseStore

app = typer.Typer(help="What is served, and how to go back.", no_args_is_help=True)


def _store() -> ReleaseStore:
    from clinrag_core.index.release import ReleaseStore as Store

    settings = load_settings()
    return Store(Workspace(settings.home).releases, settings.release.keep)


@app.command("list")
def release_list() -> None:
    """The releases that are kept, newest first."""
    store = _store()
    pointer = store.pointer()
    table = Table("release", "state", "created (UTC)", "profile", "knowledge bases")
    for release in store.list():
        state = "served" if pointer and pointer.release == release.id else ""
        if pointer and release.fingerprint in pointer.withdrawn:
            state = "withdrawn"
        bases = ", ".join(f"{n} {f[:8]}" for n, f in sorted(release.knowledge_bases.items()))
        created = release.created.strftime("%Y-%m-%d %H:%M")
        table.add_row(release.id, state, created, release.profile, bases)
    console.print(table)


@app.command("rollback")
def release_rollback(
    release: Annotated[
        str | None, typer.Argument(help="id of the release to serve; the one before by default")
    ] = None,
) -> None:
    """Serve an earlier release; the one taken back is not published again by itself."""
    target = _store().rollback(release)
    console.print(f"serving release {target.id}")

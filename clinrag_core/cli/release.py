"""`clinrag release`: what is served, whether it is undamaged, and what people decide about it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json, echo_records
from clinrag_core.errors import ReleaseError
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.index.release import ReleaseStore
    from clinrag_core.index.release_record import LabelChange, Pointer, Release

app = typer.Typer(help="What is served, and what people decide about it.", no_args_is_help=True)
Author = Annotated[str, typer.Option(help="who decides")]
Reason = Annotated[str, typer.Option(help="why; both are recorded")]


def _store() -> ReleaseStore:
    from clinrag_core.index.release import ReleaseStore as Store

    settings = load_settings()
    return Store(Workspace(settings.home).releases, settings.release.keep)


@app.command("list")
def release_list(as_json: Json = False) -> None:
    """The releases that are kept, newest first."""
    store = _store()
    pointer = store.pointer()
    if as_json:
        listed = [_described(release, pointer) for release in store.list()]
        typer.echo(json.dumps(listed, indent=1, ensure_ascii=False))
        return
    if not store.ids():
        console.print("no release is kept yet: `make run` builds one")
        return
    table = Table("release", "state", "created (UTC)", "profile/corpus", "knowledge bases")
    table.columns[1].no_wrap = True
    for release in store.list():
        bases = ", ".join(f"{n} {f[:8]}" for n, f in sorted(release.knowledge_bases.items()))
        created = release.created.strftime("%Y-%m-%d %H:%M")
        table.add_row(release.id, _state(release, pointer), created, release.line, bases)
    console.print(table)


def _state(release: Release, pointer: Pointer | None) -> str:
    """Return whether a release is served, withdrawn or unreviewed."""
    if pointer is None:
        return ""
    states = ["served"] if pointer.release == release.id else []
    if release.fingerprint in pointer.withdrawn:
        states.append("withdrawn")
    if release.line not in pointer.reviewed:
        states.append("unreviewed")
    return ", ".join(states)


@app.command("show")
def release_show(
    release: Annotated[
        str | None, typer.Argument(help="id; the one that is served by default")
    ] = None,
    as_json: Json = False,
) -> None:
    """What a release holds, what made it, and what people decided about it."""
    store = _store()
    pointer = store.pointer()
    listed = {known.id: known for known in store.list()}
    chosen = release or (pointer.release if pointer else "")
    if chosen not in listed:
        there = ", ".join(listed) or "none: `make run` builds one"
        raise ReleaseError(f"there is no release {chosen}; there are: {there}")
    found = listed[chosen]
    if as_json:
        typer.echo(json.dumps(_described(found, pointer), indent=1, ensure_ascii=False))
        return
    table = Table(show_header=False)
    for name, value in _facts(found, pointer):
        table.add_row(name, value)
    console.print(table, markup=False, highlight=False)
    for decision in pointer.decisions if pointer else ():
        console.print(
            f"{decision.time:%Y-%m-%d %H:%M} {decision.kind} {decision.about}, by "
            f"{decision.author}: {decision.reason}",
            markup=False,
            highlight=False,
        )


def _facts(release: Release, pointer: Pointer | None) -> list[tuple[str, str]]:
    """Return what a person wants to know of a release, by name."""
    return [
        ("release", release.id),
        ("state", _state(release, pointer)),
        ("created (UTC)", release.created.strftime("%Y-%m-%d %H:%M")),
        ("profile/corpus", release.line),
        ("encoder", release.encoder),
        *((name, print_) for name, print_ in sorted(release.knowledge_bases.items())),
        ("evaluation", release.evaluation or "-"),
        ("thresholds", release.thresholds or "none: every question is refused"),
        ("HIGH label changes", str(len(release.changes))),
        ("files", str(len(release.files))),
    ]


def _described(release: Release, pointer: Pointer | None) -> dict[str, object]:
    """Return the record of a release with its state, without the list of its files."""
    states = _state(release, pointer)
    facts = release.model_dump(mode="json", exclude={"files"})
    return {**facts, "state": states.split(", ") if states else []}


@app.command("verify")
def release_verify(
    release: Annotated[str | None, typer.Argument(help="id; every release by default")] = None,
    as_json: Json = False,
) -> None:
    """Check every file of the releases against the sha256 it was written with."""
    store = _store()
    ids = store.ids() if release is None else [release]
    if as_json:
        found = {release_id: list(store.problems(release_id)) for release_id in ids}
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        if any(found.values()):
            raise typer.Exit(1)
        return
    table = Table("release", "result", "milliseconds")
    damaged = 0
    for release_id in ids:
        started = time.perf_counter()
        problems = store.problems(release_id)
        took = f"{(time.perf_counter() - started) * 1_000:.0f}"
        damaged += bool(problems)
        table.add_row(release_id, "; ".join(problems) or "undamaged", took)
    console.print(table)
    served = store.open()
    for line in served.notices:
        console.print(line, style="yellow")
    console.print(f"serving release {served.release.id}")
    if damaged:
        raise typer.Exit(1)


@app.command("rollback")
def release_rollback(
    author: Author,
    reason: Reason,
    release: Annotated[
        str | None, typer.Argument(help="id of the release to serve; the one before by default")
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve an earlier release; the one taken back is not published again by itself."""
    target = _store().rollback(release, author=author, reason=reason)
    if as_json:
        echo_json({"release": target.id})
        return
    console.print(f"serving release {target.id}")


@app.command("changes")
def release_changes(as_json: Json = False) -> None:
    """HIGH changes of labels that nobody has acknowledged: answers that cite them show them."""
    changes = _store().open().changes
    if as_json:
        echo_records(changes)
        return
    if not changes:
        console.print("no unacknowledged HIGH change in the served release")
        return
    table = Table("set id", "drug", "from", "to", "since release", "sections")
    for change in changes:
        table.add_row(change.document_id, change.name, *_versions(change), change.release,
                      "; ".join(change.sections) or "the versions cannot be compared")  # fmt: skip
    console.print(table)


@app.command("acknowledge")
def release_acknowledge(
    set_id: Annotated[str, typer.Argument(help="set id of the label")],
    author: Author,
    reason: Reason,
    as_json: Json = False,
) -> None:
    """Record that a person has read a label's HIGH changes; answers no longer show them."""
    acknowledged = _store().acknowledge(set_id, author=author, reason=reason)
    if as_json:
        echo_records(acknowledged)
        return
    for change in acknowledged:
        console.print(f"acknowledged: {change.name}, version {' to '.join(_versions(change))}")


def _versions(change: LabelChange) -> tuple[str, str]:
    return str(change.old_version or "?"), str(change.new_version or "?")

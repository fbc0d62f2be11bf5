"""Draws the way of one question through the code, as it ran, into docs/architecture.md.

`CLINRAG_PROFILE=sample python docs/walk.py` asks the current release one question, records which
module calls which, and writes the calls as a Mermaid diagram between the markers of the page. A
step back up is a call from a module to one of a higher layer of the import contract in
pyproject.toml.
"""

import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- walk: begin -->", "<!-- walk: end -->"
PACKAGE = "clinrag_core."
QUESTION = "What is the dose of rifapentine for latent tuberculosis infection in adults?"
SHOWN_LAYERS = ("cli", "serve", "users", "answer", "retrieve", "index", "encode", "facts")
"""Text, lexicon and model functions are called from everywhere and would hide the way."""

BY_FILE = ("cli", "serve", "users", "answer")

Calls = dict[tuple[str, str], int]


def layers() -> list[str]:
    """Layers of the core, highest first, as the import contract has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    return next(c["layers"] for c in contracts if c.get("containers") == ["clinrag_core"])


def record_calls(work: Callable[[], object]) -> Calls:
    """Count calls between modules of the core while `work` runs, in order of the first call.

    Calls in threads count where `work` has started the thread.
    """
    calls: Calls = {}

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code.co_name == "<module>":
            return
        callee = frame.f_globals.get("__name__", "")
        if not callee.startswith(PACKAGE):
            return
        caller = _calling_module(frame)
        if caller and caller != callee:
            calls[caller, callee] = calls.get((caller, callee), 0) + 1

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def _calling_module(frame: FrameType) -> str | None:
    """The nearest module of the core below a frame on the stack; libraries are passed over."""
    back = frame.f_back
    while back is not None:
        name = back.f_globals.get("__name__", "")
        if name.startswith(PACKAGE):
            return name
        back = back.f_back
    return None


def layer_of(module: str) -> str:
    """Layer of a module: the part of its name after the package."""
    return module.removeprefix(PACKAGE).split(".")[0]


def steps_back_up(calls: Calls) -> list[tuple[str, str]]:
    """Calls into a higher layer than the caller's."""
    order = {name: depth for depth, name in enumerate(layers())}
    return [
        (caller, callee)
        for caller, callee in calls
        if order.get(layer_of(callee), 0) < order.get(layer_of(caller), 0)
    ]


def diagram(calls: Calls) -> str:
    """The calls as a Mermaid flowchart, a box for each layer."""
    shown = dict.fromkeys(
        (_box(caller), _box(callee))
        for caller, callee in calls
        if {layer_of(caller), layer_of(callee)} <= set(SHOWN_LAYERS)
        and _box(caller) != _box(callee)
    )
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"  {caller} --> {callee}" for caller, callee in shown]
    return "\n".join([*lines, "```"])


def _box(module: str) -> str:
    """The box of a module: its file in the layers a question passes, else its layer."""
    parts = module.removeprefix(PACKAGE).split(".")
    return "/".join(parts[: 2 if parts[0] in BY_FILE else 1])


def main() -> None:
    """Ask, draw, and write the page."""
    from typer.testing import CliRunner

    from clinrag_core.cli.main import app

    def ask() -> None:
        result = CliRunner().invoke(app, ["ask", QUESTION])
        if result.exit_code != 0:  # half a way would be drawn
            raise SystemExit(result.output)

    ask()  # imports are not part of the way
    calls = record_calls(ask)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    up = steps_back_up(calls)
    summary = f"Steps back up: {len(up)}" + (f" ({', '.join(map(str, up))})" if up else "") + "."
    PAGE.write_text(f"{before}{BEGIN}\n{diagram(calls)}\n\n{summary}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()

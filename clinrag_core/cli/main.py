"""`clinrag`: thin, every command a call into the packages above it.

Imports nothing that a command may not need.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

    app: typer.Typer

ONE_QUESTION = ("ask", "search")


def __getattr__(name: str) -> Any:
    """Return `app`, every command, made when it is first asked for."""
    if name != "app":
        raise AttributeError(name)
    from clinrag_core.cli.application import application

    globals()[name] = application()
    return globals()[name]


def main() -> None:
    """Run the command line of this process."""
    command = next(iter(sys.argv[1:]), None)
    if command in ONE_QUESTION:
        from clinrag_core.cli.start import start_quickly

        start_quickly()
    from clinrag_core.cli.application import application

    application(command)()


if __name__ == "__main__":
    main()

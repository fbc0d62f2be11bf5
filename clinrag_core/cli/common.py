"""What every command shares: the consoles, the guard that turns errors into one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.console import Console

from clinrag_core.errors import ClinragError

if TYPE_CHECKING:
    from collections.abc import Callable

console = Console()
if not console.is_terminal:
    console = Console(width=200)  # a file or a pipe has no width to fold lines to
errors = Console(stderr=True)


def guarded(work: Callable[[], None]) -> None:
    """Print a clinrag error as one line and exit 1; anything else is a defect and shows itself."""
    try:
        work()
    except ClinragError as error:
        errors.print(f"error: {error}", style="red", highlight=False, markup=False)
        raise typer.Exit(1) from error

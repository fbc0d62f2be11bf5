"""Answers and passages from a released corpus: `clinrag.open(home).ask("...")`.

Importing this costs milliseconds: what it names is loaded when it is first used.

    >>> import clinrag_core as clinrag
    >>> clinrag.open
    <function open at ...>
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinrag_core.client import Clinrag as Clinrag
    from clinrag_core.client import open as open  # noqa: A004 - as in `gzip.open`
    from clinrag_core.client_results import AskResult as AskResult
    from clinrag_core.client_results import FoundPassages as FoundPassages

_PUBLIC = {
    "AskResult": "clinrag_core.client_results",
    "Clinrag": "clinrag_core.client",
    "FoundPassages": "clinrag_core.client_results",
    "open": "clinrag_core.client",
}
__all__ = ["AskResult", "Clinrag", "FoundPassages", "open"]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)

"""What a command that answers one question need not load."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class _Hidden:
    """Says of pandas that it is not installed."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Raise ImportError for pandas, and leave every other module to the next finder."""
        del path, target
        if name == "pandas":
            raise ImportError(name)


def hide_pandas() -> None:
    """Spare this process pandas, which pyarrow loads to see whether an index is a pandas Series.

    That takes a fifth of the time of an answer at the command line, where nothing uses pandas.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _Hidden)  # pyright: ignore[reportArgumentType] - a finder is duck-typed

"""What a command that answers one question need not load."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


GARBAGE_AFTER = 500_000
"""More objects made than deleted before Python searches for garbage: a question makes 180,000."""


class _Hidden:
    """Says of pandas that it is not installed."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Raise ImportError for pandas, and leave every other module to the next finder."""
        del path, target
        if name == "pandas":
            raise ImportError(name)


def start_quickly() -> None:
    """Spare this process what takes long at its start and an answer does not use.

    - pandas, which pyarrow loads to see whether an index is a pandas Series: a fifth of the time;
    - the search for plugins of pydantic in every installed distribution: 25 ms;
    - searches for garbage, of which modules and a question make hardly any: a tenth, at the end of
      the process as well.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _Hidden)  # pyright: ignore[reportArgumentType] - a finder is duck-typed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(GARBAGE_AFTER)
    atexit.register(gc.freeze)

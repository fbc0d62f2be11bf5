"""What a command that answers one question need not load, nor compute again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clinrag_core.kept import keep, kept_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from clinrag_core.kept import KeptValues
    from clinrag_core.users.answering import Answering

EXAMPLES = (
    "daily dose of isoniazid for adults with tuberculosis",
    "What are the side effects of rifampicin?",
    "Is moxifloxacin contraindicated in pregnancy?",
    "Who wrote the play Hamlet?",
)
"""Questions that need nearly every table between them; what answering them computed is kept."""


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


_started: KeptValues | None = None


def start() -> None:
    """Take what earlier processes computed; call it before anything else is imported."""
    global _started  # noqa: PLW0603 - one start for each process
    hide_pandas()
    _started = keep(kept_file())


def record_start(answering: Answering) -> None:
    """Keep what this process computed, before it reads the question that it was started for.

    Where anything was missing, the examples are answered first, without a record in the audit
    trail, so that the tables that are read with a question are kept as well.
    """
    if _started is None or not _started.recording:
        return
    if _started.is_complete:
        _started.recording = False
        return
    engine = answering.engine.unaudited()
    for question in EXAMPLES:
        engine.ask(question)
    if sys.dont_write_bytecode:
        _started.recording = False
    else:
        _started.write()

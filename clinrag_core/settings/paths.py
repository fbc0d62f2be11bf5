"""Where the data the project ships is: profiles, lexicons, corpora, benchmark."""

from __future__ import annotations

from pathlib import Path

from clinrag_core.errors import ConfigurationError


def data_folder() -> Path:
    """Return the shipped data: next to the packages in a checkout, inside them in a wheel.

    Raises:
        ConfigurationError: neither folder exists.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package.parent / "data", package / "_data"):
        if (folder / "profiles").is_dir():
            return folder
    raise ConfigurationError(f"no data folder next to or inside {package}: reinstall clinrag")

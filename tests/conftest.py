"""Fixtures every test may use."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"real documents not available: ../shared/{folder} is absent")
    return path


@pytest.fixture(scope="session")
def reference_corpus() -> Path:
    """Folder of real guidelines and labels; the test skips where it is absent."""
    return _shared("corpus")

"""The least time between two requests to a host, and the wait that a host requests.

A backfill runs one process per partition, so all processes of a workspace share the times of the
last requests through lock files.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class HostTurns:
    """Keeps requests to one host at least `interval` seconds apart, across processes."""

    folder: Path
    interval: float
    sleep: Callable[[float], None]
    clock: Callable[[], float]

    def wait(self, host: str) -> None:
        """Wait until a request to the host is allowed, and record its time."""
        if self.interval <= 0:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = self.folder / sha256_hex(host.encode())
        with FileLock(stamp.with_suffix(".lock")):
            passed = self.clock() - self._last(stamp)
            if 0 <= passed < self.interval:
                self.sleep(self.interval - passed)
            stamp.write_text(repr(self.clock()), encoding="ascii")

    def _last(self, stamp: Path) -> float:
        try:
            return float(stamp.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return float("-inf")


def retry_after(header: str | None, now: float) -> float | None:
    """Return the seconds in a `Retry-After` header (RFC 9110, 10.2.3), None if it has none.

    The header states whole seconds or an HTTP date; `now` is in seconds since the epoch.
    """
    if header is None:
        return None
    if re.fullmatch(r"\s*\d{1,9}\s*", header):
        return float(header)
    try:
        moment = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, moment.timestamp() - now)

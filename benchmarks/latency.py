"""Latency of repeated calls and its percentiles, for the benchmarks in this folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")
MS_PER_S = 1_000


def timed(
    call: Callable[[_Argument], _Result], arguments: Iterable[_Argument]
) -> tuple[list[float], list[_Result]]:
    """Return the wall time in milliseconds and the result of each call, one after the other."""
    times: list[float] = []
    results: list[_Result] = []
    for argument in arguments:
        started = time.perf_counter()
        results.append(call(argument))
        times.append(MS_PER_S * (time.perf_counter() - started))
    return times, results


def percentiles(name: str, milliseconds: list[float]) -> str:
    """Return one line with the 50th, 95th and 99th percentile."""
    p50, p95, p99 = np.quantile(milliseconds, (0.5, 0.95, 0.99))
    return f"  {name:26} p50 {p50:9.3f}  p95 {p95:9.3f}  p99 {p99:9.3f} ms ({len(milliseconds)})"

"""Where passages are encoded and in which precision, decided before a model is loaded.

Precision is part of an encoder's fingerprint; a device is not. Questions are encoded in fp32.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from clinrag_core.settings import EncoderSettings

Precision = Literal["fp32", "bf16", "fp16"]
CPU_INFO = Path("/proc/cpuinfo")
TOPOLOGY = Path("/sys/devices/system/cpu")
BF16_FLAGS = frozenset({"amx_bf16", "avx512_bf16"})
"""Processor flags with which bf16 was measured to be faster (benchmarks/encode.py)."""


def resolve_device(device: str) -> str:
    """`cuda` or `cpu`; `auto` takes a GPU if there is one.

    Raises:
        EncoderError: the setting is `cuda` and there is no GPU.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise EncoderError("encoder.device is 'cuda' but this machine has no usable CUDA device")
    return device


def resolve_precision(settings: EncoderSettings) -> Precision:
    """Return the precision of a profile's passages; `auto` is bf16 where the hardware has it.

    A precision that is named is used on every machine, so that fingerprints agree; a processor
    without bf16 computes it slowly.

    Raises:
        EncoderError: fp16 on a CPU, or a GPU that is named and missing.
    """
    chosen = settings.precision
    if chosen in ("fp32", "bf16"):
        return chosen
    if chosen == "auto" and settings.device != "cuda" and cpu_has_bf16():
        return "bf16"  # a GPU would say the same: no need to import torch and look for one
    on_gpu = resolve_device(settings.device) == "cuda"
    if chosen == "auto":
        return "bf16" if on_gpu and _gpu_has_bf16() else "fp32"
    if not on_gpu:
        raise EncoderError("encoder.precision is 'fp16', which needs a GPU: 'bf16' or 'fp32'")
    return "fp16"


@cache
def cpu_has_bf16() -> bool:
    """True if the processor multiplies bf16 numbers in hardware (Linux on x86-64 only)."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not BF16_FLAGS.isdisjoint(flags.split())


def _gpu_has_bf16() -> bool:
    import torch

    return torch.cuda.is_bf16_supported(including_emulation=False)


def physical_cores() -> int:
    """Return the physical cores that this process may use; `OMP_NUM_THREADS` if that is set.

    Two threads of one core share its multipliers, so a matrix product gains nothing from both.
    """
    if (wanted := os.environ.get("OMP_NUM_THREADS", "")).isdigit():
        return max(int(wanted), 1)
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if allowed is None:
        return os.cpu_count() or 1
    cores: set[str] = set()
    for cpu in allowed:
        siblings = TOPOLOGY / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        try:
            cores.add(siblings.read_text(encoding="ascii").strip())
        except OSError:
            cores.add(str(cpu))
    return len(cores)

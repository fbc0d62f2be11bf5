"""Where passages are encoded and in which precision, decided before a model is loaded.

`auto` is what was measured to be fastest with nearly the same results (ADR 0041). Precision is part
of an encoder's fingerprint; a device is not. Questions are encoded in fp32.
"""

from __future__ import annotations

import os
import sys
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
GPU_FILES = (Path("/dev/nvidiactl"), Path("/dev/dxg"), Path("/dev/kfd"))
"""Devices of NVIDIA's driver, of Windows' Linux and of AMD's driver."""


def resolve_device(device: str) -> str:
    """`cuda` or `cpu`; `auto` takes a GPU if there is one.

    Raises:
        EncoderError: the setting is `cuda` and there is no GPU.
    """
    if device == "cpu":
        return device
    if may_have_gpu():
        import torch

        if torch.cuda.is_available():
            return "cuda"
    if device == "cuda":
        raise EncoderError("encoder.device is 'cuda' but this machine has no usable CUDA device")
    return "cpu"


def may_have_gpu() -> bool:
    """False if Linux has no device file of a GPU: then torch need not be imported to ask."""
    return sys.platform != "linux" or any(file.exists() for file in GPU_FILES)


def resolve_precision(settings: EncoderSettings) -> Precision:
    """Return the precision of a profile's passages.

    `auto` is fp16 on a GPU and bf16 on a processor that has it, else fp32. A precision that is
    named is used on every machine, so that fingerprints agree; a processor without bf16 computes it
    slowly.

    Raises:
        EncoderError: fp16 on a CPU, or a GPU that is named and missing.
    """
    chosen = settings.precision
    if chosen in ("fp32", "bf16"):
        return chosen
    if resolve_device(settings.device) == "cuda":
        return "fp16"
    if chosen == "fp16":
        raise EncoderError("encoder.precision is 'fp16', which needs a GPU: 'bf16' or 'fp32'")
    return "bf16" if cpu_has_bf16() else "fp32"


@cache
def cpu_has_bf16() -> bool:
    """True if the processor multiplies bf16 numbers in hardware (Linux on x86-64 only)."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not BF16_FLAGS.isdisjoint(flags.split())


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

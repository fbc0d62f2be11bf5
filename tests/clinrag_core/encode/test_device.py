"""Precision and device: named by the settings, or the best the hardware has; never silently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from clinrag_core.encode import device
from clinrag_core.encode.device import cpu_has_bf16, physical_cores, resolve_precision
from clinrag_core.encode.onnx_query import OnnxQueryEncoder, export_query_encoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.errors import EncoderError
from clinrag_core.settings import EncoderSettings

PASSAGES = [Passage("Dose", f"{n} mg once daily for {n} weeks " * 4) for n in range(1, 30)]


@pytest.fixture(params=["amx_bf16", "avx512_bf16", ""])
def flag(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    info = tmp_path / "cpuinfo"
    info.write_text(f"processor\t: 0\nflags\t\t: fpu avx512f {request.param} sse\n\nflags\t: x\n")
    monkeypatch.setattr(device, "CPU_INFO", info)
    cpu_has_bf16.cache_clear()
    yield request.param
    cpu_has_bf16.cache_clear()


def test_auto_is_bf16_where_the_processor_has_it(flag: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    expected = "bf16" if flag else "fp32"
    assert resolve_precision(EncoderSettings(precision="auto")) == expected
    assert resolve_precision(EncoderSettings(precision="auto", device="cpu")) == expected


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_named_precision_is_the_same_on_every_machine(flag: str, precision: str):
    settings = EncoderSettings.model_validate({"precision": precision})
    assert resolve_precision(settings) == precision


def test_fp16_needs_a_gpu(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(device, "may_have_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(EncoderError, match="fp16"):
        resolve_precision(EncoderSettings(precision="fp16"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_precision(EncoderSettings(precision="fp16")) == "fp16"


def test_auto_is_fp16_on_a_gpu_whatever_the_processor_has(
    flag: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(device, "may_have_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_precision(EncoderSettings(precision="auto")) == "fp16"
    here = resolve_precision(EncoderSettings(precision="auto", device="cpu"))
    assert here == ("bf16" if flag else "fp32")


def test_torch_is_not_asked_for_a_gpu_where_no_driver_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(device, "GPU_FILES", (tmp_path / "nvidiactl",))
    monkeypatch.setattr(device.sys, "platform", "linux")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: pytest.fail("torch was asked"))
    assert device.resolve_device("auto") == "cpu"
    (tmp_path / "nvidiactl").touch()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device.resolve_device("auto") == "cuda"


def test_a_gpu_that_is_named_and_missing_is_an_error(
    tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    settings = EncoderSettings(
        name="tiny", model=str(tiny_encoder), pooling="mean", device="cuda", precision="fp32"
    )
    with pytest.raises(EncoderError, match="no usable CUDA device"):
        load_encoder(settings)


def test_two_threads_of_a_core_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for cpu, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings + "\n")
    monkeypatch.setattr(device, "TOPOLOGY", tmp_path)
    monkeypatch.setattr(device.os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert physical_cores() == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert physical_cores() == 1


def test_bf16_vectors_are_near_and_an_encoder_of_their_own(tiny_encoder: Path, tmp_path: Path):
    settings = EncoderSettings(name="tiny", model=str(tiny_encoder), pooling="mean", device="cpu")
    exact = load_encoder(settings)
    lower = load_encoder(settings.model_copy(update={"precision": "bf16"}))
    assert exact.fingerprint != lower.fingerprint
    a, b = exact.encode_passages(PASSAGES), lower.encode_passages(PASSAGES)
    assert b.dtype == np.float32
    assert not np.array_equal(a, b)
    assert (a * b).sum(axis=1).min() > 0.999
    np.testing.assert_allclose(np.linalg.norm(b, axis=1), 1, atol=1e-5)
    # Questions are encoded in fp32 by both, and by the export, which names the precision.
    np.testing.assert_array_equal(exact.encode_query("dose"), lower.encode_query("dose"))
    exported = OnnxQueryEncoder(export_query_encoder(lower, tmp_path))
    assert exported.precision == "bf16"
    assert exported.fingerprint == lower.fingerprint

"""Weights of the hub: a pinned commit, and the hashes the hub states."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from clinrag_core.encode.hub import check_hashes, hub_folder
from clinrag_core.encode.registry import model_folder
from clinrag_core.errors import EncoderError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE, SMALL = b"weights" * 1_000, b'{"model_type": "bert"}'


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """A snapshot as the hub's cache keeps it: links to blobs named by their hashes."""
    blobs, folder = tmp_path / "blobs", tmp_path / "snapshots" / COMMIT
    blobs.mkdir()
    folder.mkdir(parents=True)
    git = hashlib.sha1(f"blob {len(SMALL)}\0".encode() + SMALL).hexdigest()  # noqa: S324 - git's
    names = {"model.safetensors": (hashlib.sha256(LARGE).hexdigest(), LARGE)}
    names["config.json"] = (git, SMALL)
    for name, (digest, content) in names.items():
        (blobs / digest).write_bytes(content)
        (folder / name).symlink_to(blobs / digest)
    return folder


def test_a_model_without_a_commit_is_never_downloaded(monkeypatch):
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: pytest.fail("asked"))
    for name in ("owner/model", "owner/model@main", f"owner/model@{COMMIT[:12]}"):
        with pytest.raises(EncoderError, match="@COMMIT"):
            hub_folder(name)


def test_a_commit_is_downloaded_and_its_files_are_checked(monkeypatch, snapshot: Path):
    asked: list[tuple] = []

    def download(name: str, *, revision: str, allow_patterns: list[str]) -> str:
        asked.append((name, revision))
        return str(snapshot)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert model_folder(f"owner/model@{COMMIT}") == snapshot
    assert asked == [("owner/model", COMMIT)]
    (snapshot / "model.safetensors").resolve().write_bytes(LARGE[:-1] + b"X")
    with pytest.raises(EncoderError, match=r"model.safetensors .* is not the file"):
        model_folder(f"owner/model@{COMMIT}")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_changed_file_is_found(snapshot: Path, name: str):
    check_hashes(snapshot)
    blob = (snapshot / name).resolve()
    blob.write_bytes(blob.read_bytes() + b" ")
    with pytest.raises(EncoderError, match=name):
        check_hashes(snapshot)


def test_a_clone_in_the_models_folder_needs_no_commit(monkeypatch, tmp_path: Path):
    (tmp_path / "owner--model").mkdir()
    monkeypatch.setenv("CLINRAG_MODELS", str(tmp_path))
    assert model_folder("owner/model") == model_folder(f"owner/model@{COMMIT}")

"""Files that are not read again: none that was changed, whatever it looks like."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clinrag_core.index import integrity
from clinrag_core.index.integrity import EVERY_FILE_S, SeenFiles, differences, file_digests

HOUR_NS = 3_600_000_000_000


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files, and a clock for which they were written an hour ago."""
    folder = tmp_path / "release"
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "chunks.arrow").write_bytes(b"15 mg per kg")
    (folder / "encoder.onnx").write_bytes(b"weights")
    now = time.time_ns
    monkeypatch.setattr(integrity.time, "time_ns", lambda: now() + HOUR_NS)
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were read."""
    names: list[str] = []
    digest = integrity.file_digest

    def noted(path: Path) -> str:
        names.append(path.name)
        return digest(path)

    monkeypatch.setattr(integrity, "file_digest", noted)
    return names


def check(folder: Path, expected: dict[str, str], now: float = 0.0) -> list[str]:
    seen = SeenFiles(folder.with_name("seen.json"), lambda: time.time() + now)
    return differences(folder, expected, seen=seen)


def test_untouched_files_are_read_once(release: Path, read: list[str]):
    expected = file_digests(release)
    assert check(release, expected) == []
    read.clear()
    assert check(release, expected) == []
    assert read == []


def edit_in_place(file: Path) -> None:
    """Change a byte; size and time of writing are put back as they were."""
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"15", b"51"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def replace_by_another(file: Path) -> None:
    """Put another file of the same size and time in its place."""
    before, other = file.stat(), file.with_name("other")
    other.write_bytes(file.read_bytes().replace(b"15", b"51"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)


@pytest.mark.parametrize("change", [edit_in_place, replace_by_another])
def test_a_changed_dose_is_noticed_though_size_and_time_are_the_same(
    release: Path, change: Callable[[Path], None]
):
    expected = file_digests(release)
    assert check(release, expected) == []
    change(release / "base" / "chunks.arrow")
    assert check(release, expected) == ["base/chunks.arrow is changed"]
    assert check(release, expected) == ["base/chunks.arrow is changed"]


def test_missing_and_added_files_are_noticed(release: Path):
    expected = file_digests(release)
    assert check(release, expected) == []
    (release / "encoder.onnx").rename(release / "renamed.onnx")
    assert check(release, expected) == [
        "encoder.onnx is missing", "renamed.onnx does not belong to it",
    ]  # fmt: skip


def test_a_damage_that_was_seen_is_reported_until_it_is_repaired(release: Path):
    expected = file_digests(release)
    file = release / "encoder.onnx"
    file.write_bytes(b"damaged")
    assert check(release, expected) == check(release, expected) == ["encoder.onnx is changed"]
    file.write_bytes(b"weights")
    assert check(release, expected) == []


def test_after_a_day_everything_is_read_again(release: Path, read: list[str]):
    expected = file_digests(release)
    check(release, expected)
    read.clear()
    assert check(release, expected, now=EVERY_FILE_S + 1) == []
    assert sorted(read) == ["chunks.arrow", "encoder.onnx"]


def test_one_changed_file_does_not_put_off_the_day_of_the_others(release: Path, read: list[str]):
    expected = file_digests(release)
    check(release, expected)
    (release / "encoder.onnx").write_bytes(b"weights")
    check(release, expected, now=EVERY_FILE_S - 60)
    read.clear()
    check(release, expected, now=EVERY_FILE_S + 60)
    assert "chunks.arrow" in read


def test_a_file_written_just_now_is_read_again(release: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    expected = file_digests(release)
    (release / "encoder.onnx").write_bytes(b"weights")
    record = release.with_name("seen.json")
    differences(release, expected, seen=SeenFiles(record))
    assert json.loads(record.read_text())["files"] == {}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"checked": "x", "files": {}}'])
def test_a_record_that_cannot_be_read_is_as_none(release: Path, read: list[str], content: bytes):
    expected = file_digests(release)
    check(release, expected)
    release.with_name("seen.json").write_bytes(content)
    read.clear()
    assert check(release, expected) == []
    assert sorted(read) == ["chunks.arrow", "encoder.onnx"]

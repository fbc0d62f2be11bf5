"""Models of the Hugging Face hub: a pinned revision, every file's hash checked.

A model is named `owner/name@commit`; the commit is the 40 hex digits of the hub's page. A name
without one would load whatever its owner publishes tomorrow, so it is never downloaded.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from clinrag_core.errors import EncoderError
from clinrag_core.text.expressions import lazy_re

WANTED = ("*.json", "*.txt", "*.model", "model.safetensors", "*/config.json")
_PINNED = lazy_re(r"(?P<name>[^@]+)@(?P<commit>[0-9a-f]{40})")
_GIT_DIGITS, _SHA256_DIGITS = 40, 64  # of the names of small and of large files
_PIECE = 2**20  # bytes that are hashed at once


def hub_name(model: str) -> str:
    """Return a model's name without its revision."""
    return model.partition("@")[0]


def hub_folder(model: str) -> Path:
    """Return the local copy of a hub model at its commit, downloaded if it is not there.

    Raises:
        EncoderError: it names no commit, cannot be downloaded, or a file differs from the hub.
    """
    from huggingface_hub import snapshot_download  # slow import, only for hub models
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    ways = (
        f"run `clinrag models fetch {model}`, or put a clone of the model at "
        f"$CLINRAG_MODELS/{hub_name(model).replace('/', '--')}, or set "
        "encoder.model in the profile to a local folder, or use a profile whose encoder is 'minilm'"
    )
    pinned = _PINNED.fullmatch(model)
    if pinned is None:
        raise EncoderError(
            f"the weights of {model} are not on this machine, and are not downloaded without the "
            f"commit they are to have: name it {hub_name(model)}@COMMIT (40 hex digits), or {ways}"
        )
    try:
        folder = Path(
            snapshot_download(
                pinned["name"], revision=pinned["commit"], allow_patterns=list(WANTED)
            )
        )
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise EncoderError(
            f"the weights of {model} are not on this machine and cannot be downloaded: {ways}"
        ) from error
    check_hashes(folder)
    return folder


def check_hashes(folder: Path) -> None:
    """Compare the files of a downloaded snapshot with the hashes that the hub states for them.

    In the hub's cache a file is a link to a blob named by that hash: SHA-256 of large files, git's
    SHA-1 of small ones. The blob of another file is removed, so that it is downloaded again.

    Raises:
        EncoderError: a file is another one, or is not of the cache.
    """
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        blob = path.resolve()
        if len(blob.name) == _SHA256_DIGITS:
            found = _digest(path, "sha256")
        elif len(blob.name) == _GIT_DIGITS:
            header = f"blob {path.stat().st_size}\0".encode()
            found = _digest(path, "sha1", header)
        else:
            raise EncoderError(f"{path.name} of {folder.name}: the hub states no hash of it")
        if found != blob.name:
            path.unlink()
            blob.unlink()
            raise EncoderError(f"{path.name} of {folder.name} is not the file that the hub states")


def _digest(path: Path, algorithm: str, header: bytes = b"") -> str:
    digest = hashlib.new(algorithm, header, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()

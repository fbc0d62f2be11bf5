"""Fetches models of the hub into a folder of one's own, ready to be loaded.

Every file is compared with the hash that the hub states for it, and an interrupted download is
resumed. Weights that exist only as a pickle are converted to safetensors once, by torch's loader of
plain tensors, which runs no code; a pickle is never loaded to answer.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinrag_core.encode.cross_encoder import MODELS as CROSS_ENCODERS
from clinrag_core.encode.hub import WANTED, check_hashes
from clinrag_core.encode.ledger import check_ledger, write_ledger
from clinrag_core.encode.registry import SPECS
from clinrag_core.errors import EncoderError
from clinrag_core.text.expressions import lazy_re
from clinrag_core.workspace import file_digest, new_directory

if TYPE_CHECKING:
    from clinrag_core.encode.ledger import ModelLedger

PICKLED = "pytorch_model.bin"
WEIGHTS = "model.safetensors"
DOWNLOADS = ".downloads"
_MODEL = lazy_re(r"\w[\w.-]*/\w[\w.-]*(@[0-9a-f]{40})?")


def models_of(name: str) -> list[str]:
    """Return the hub ids of an encoder or reranker of the registry, or the hub id that it is.

    Raises:
        EncoderError: it is neither.
    """
    if name in SPECS:
        spec = SPECS[name]
        return list(dict.fromkeys((spec.passage_model, spec.query_model)))
    if name in CROSS_ENCODERS:
        return [CROSS_ENCODERS[name]]
    if _MODEL.fullmatch(name):
        return [name]
    known = ", ".join(sorted({*SPECS, *CROSS_ENCODERS}))
    raise EncoderError(f"{name!r} is neither owner/name, owner/name@COMMIT nor one of {known}")


def fetch_model(model: str, models: Path) -> tuple[Path, ModelLedger]:
    """Return the folder of a hub model and its ledger; downloaded unless it is there and sound.

    The folder is `models/owner--name`, where `CLINRAG_MODELS` is looked up. Without a commit, the
    newest one is taken, and named by the ledger.

    Raises:
        EncoderError: the hub does not answer, lacks the model, or a file is not the one it states.
    """
    name, _, commit = model.partition("@")
    folder = models / name.replace("/", "--")
    if (known := check_ledger(folder)) is not None and commit in ("", known.commit):
        return folder, known
    if folder.exists():
        raise EncoderError(
            f"{folder} is there already"
            + (f" at commit {known.commit}" if known else " and was not fetched by this command")
            + ": remove it first"
        )
    snapshot, found = _downloaded(name, commit, models / DOWNLOADS)
    with new_directory(folder) as tmp:
        for path in sorted(p for p in snapshot.rglob("*") if p.is_file()):
            target = tmp / path.relative_to(snapshot)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.name != PICKLED:
                shutil.copyfile(path, target)
        pickle = snapshot / PICKLED
        converted = file_digest(pickle) if pickle.is_file() else None
        if converted is not None:
            convert_weights(pickle, tmp / WEIGHTS)
        ledger = write_ledger(tmp, name, found, converted)
    shutil.rmtree(models / DOWNLOADS / f"models--{name.replace('/', '--')}")
    return folder, ledger


def _downloaded(name: str, commit: str, cache: Path) -> tuple[Path, str]:
    """Return a checked snapshot of a model with the files it needs, and its commit."""
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download  # slow import, only to download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    endpoint = os.environ.get("HF_ENDPOINT")
    try:
        info = HfApi(endpoint=endpoint).model_info(name, revision=commit or None)
        files = {sibling.rfilename for sibling in info.siblings or ()}
        if not files & {WEIGHTS, PICKLED}:
            raise EncoderError(f"{name} has neither {WEIGHTS} nor {PICKLED}")
        wanted = [*WANTED, *([PICKLED] if WEIGHTS not in files else [])]
        snapshot = snapshot_download(
            name, revision=info.sha, allow_patterns=wanted, cache_dir=cache, endpoint=endpoint
        )
    except (HfHubHTTPError, HFValidationError, HTTPError, OSError) as error:
        raise EncoderError(
            f"{name} cannot be downloaded ({type(error).__name__}: {error}): run the same command "
            "again to go on where it ended"
        ) from error
    check_hashes(Path(snapshot))
    return Path(snapshot), str(info.sha)


def convert_weights(pickle: Path, target: Path) -> None:
    """Write the tensors of a pickled checkpoint as safetensors; equal tensors, equal bytes.

    Raises:
        EncoderError: it holds something else than tensors, which is refused without being run.
    """
    import pickle as pickle_format

    import torch
    from safetensors.torch import save_file

    try:
        state: Any = torch.load(pickle, map_location="cpu", weights_only=True)
    except (pickle_format.UnpicklingError, RuntimeError, EOFError) as error:
        raise EncoderError(f"{pickle.name} cannot be converted: {error}") from error
    if not isinstance(state, dict) or not all(torch.is_tensor(v) for v in state.values()):
        raise EncoderError(f"{pickle.name} cannot be converted: it is no table of tensors")
    # Tensors that share memory are written apart: safetensors refuses shared ones.
    tensors = {str(name): value.detach().clone().contiguous() for name, value in state.items()}
    save_file(tensors, str(target), metadata={"format": "pt"})


def default_models_folder() -> Path:
    """Return the folder named by `CLINRAG_MODELS`.

    Raises:
        EncoderError: it is not set.
    """
    folder = os.environ.get("CLINRAG_MODELS")
    if not folder:
        raise EncoderError("set CLINRAG_MODELS to the folder for models, or give --to")
    return Path(folder)

"""Query encoding at run time on ONNX Runtime: no torch, a tenth of the start-up, the same vectors.

The export is made once, when a knowledge base is built, and stored under `models/<fingerprint>`.
"""

from __future__ import annotations

import io
import shutil
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import accepted_inputs, model_inputs, pool
from clinrag_core.errors import EncoderError, WorkspaceError
from clinrag_core.workspace import new_directory, read_json, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from clinrag_core.encode.device import Precision
    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.encode.torch_encoder import TorchEncoder

RECORD = "encoder.json"
MODEL = "model.onnx"
WEIGHTS = "model.weights"
"""The tensors of the model: the file is mapped, so a question reads only the words that it has."""
FILES = {
    MODEL: "model_sha256",
    WEIGHTS: "weights_sha256",
    "tokenizer.json": "tokenizer_sha256",
}
"""Files of an export, with the key of their sha256 in its record."""
PROBE = "isoniazid 300 mg once daily for six months"
PROBE_TOLERANCE = 1e-5
"""Largest difference of a component from torch's vector; fp32 exports differ by about 1e-6."""


class EncoderRecord(NamedTuple):
    """What an export says of its encoder."""

    fingerprint: str
    dimension: int
    query_max_tokens: int
    query_prompt: str
    precision: Precision


def read_encoder_record(folder: Path) -> EncoderRecord:
    """Return what an exported encoder says of itself.

    Raises:
        WorkspaceError: it says nothing.
    """
    record: Any = read_json(folder / RECORD)
    return EncoderRecord(
        str(record["fingerprint"]),
        int(record["dimension"]),
        int(record["query_max_tokens"]),
        str(record.get("query_prompt", "")),
        record.get("precision", "fp32"),
    )


def _export_bytes(encoder: TorchEncoder) -> bytes:
    """Return the query encoder with its pooling as an ONNX model."""
    import torch

    class Pooled(torch.nn.Module):
        """Model and pooling as one graph."""

        def __init__(self) -> None:
            super().__init__()
            self.model = encoder.query_model

        def forward(self, *inputs: Any) -> Any:
            given = dict(zip(names, inputs, strict=True))
            hidden = self.model(**given).last_hidden_state
            mask = given["attention_mask"]
            return pool(hidden, mask, encoder.spec.pooling, normalise=encoder.normalise)

    names = accepted_inputs(encoder.query_model)
    probe = model_inputs([encoder.query_tokenizer.encode(PROBE)], encoder.device)
    inputs = tuple(probe[name] for name in names)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # The TorchScript exporter warns about itself; the vectors are compared below instead.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Pooled().eval(),
            inputs,
            buffer,  # pyright: ignore[reportArgumentType] - the older exporter takes a file object
            input_names=names,
            output_names=["vector"],
            dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names},
            opset_version=17,
            dynamo=False,
        )
    return buffer.getvalue()


def _write_model(model: bytes, folder: Path) -> None:
    """Write an ONNX model, its tensors into a file of their own."""
    import onnx
    from onnx.external_data_helper import convert_model_to_external_data

    parts = onnx.load_model_from_string(model)
    convert_model_to_external_data(parts, location=WEIGHTS)
    onnx.save_model(parts, str(folder / MODEL))
    # onnx lets nobody but its owner read the tensors; a release may be served by another user.
    (folder / WEIGHTS).chmod((folder / MODEL).stat().st_mode)


def export_problem(
    folder: Path, digests: Callable[[Mapping[str, Path]], Mapping[str, str]] | None = None
) -> str | None:
    """Return what is missing or changed in an exported encoder; None if nothing is.

    `digests` gives the sha256 of files that exist, by name; by default each is read.
    """
    try:
        record: Any = read_json(folder / RECORD)
    except WorkspaceError as error:
        return str(error)
    there = {name: folder / name for name in FILES if (folder / name).is_file()}
    actual = _read_digests(there) if digests is None else digests(there)
    for name, key in FILES.items():
        if name not in actual or actual[name] != record.get(key):
            return f"{name} of the exported encoder {folder.name} is damaged or missing"
    return None


def _read_digests(files: Mapping[str, Path]) -> dict[str, str]:
    return {name: sha256_hex(path.read_bytes()) for name, path in files.items()}


def export_query_encoder(encoder: TorchEncoder, models: Path) -> Path:
    """Export the query encoder unless a sound one is there already; returns its folder.

    Raises:
        EncoderError: the export does not give the vectors torch gives.
    """
    folder = models / encoder.fingerprint
    if export_problem(folder) is None:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    with new_directory(folder) as tmp:
        _write_model(_export_bytes(encoder), tmp)
        encoder.query_tokenizer.save(str(tmp / "tokenizer.json"))
        record = {
            "fingerprint": encoder.fingerprint,
            "name": encoder.name,
            "dimension": encoder.dimension,
            "query_max_tokens": encoder.spec.query_max_tokens,
            "query_prompt": encoder.spec.query_prompt,
            "precision": encoder.precision,
            **{key: sha256_hex((tmp / name).read_bytes()) for name, key in FILES.items()},
        }
        write_json(tmp / RECORD, record)
        exported = OnnxQueryEncoder(tmp).encode_query(PROBE)
        difference = float(np.abs(exported - encoder.encode_query(PROBE)).max())
        if difference > PROBE_TOLERANCE:
            raise EncoderError(
                f"the ONNX export of {encoder.name!r} differs from torch by {difference:.1e}"
            )
    return folder


class OnnxQueryEncoder:
    """Query encoder on ONNX Runtime; see `QueryEncoder` for the contract.

    Does not check its files: a release checks all of its own, `export_problem` those of an export.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime as ort

        record = read_encoder_record(folder)
        options = ort.SessionOptions()
        options.log_severity_level = 3
        # Spinning threads take twice the processor time for one short question.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.fingerprint = record.fingerprint
        self.dimension = record.dimension
        self.precision: Precision = record.precision
        self.queries_truncated = 0
        self._prompt = record.query_prompt
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.enable_truncation(record.query_max_tokens)
        self._session: Any = ort.InferenceSession(
            str(folder / MODEL), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [given.name for given in self._session.get_inputs()]

    def encode_query(self, text: str) -> Vectors:
        """See `QueryEncoder.encode_query`."""
        encoding = self._tokenizer.encode(self._prompt + text)
        self.queries_truncated += bool(encoding.overflowing)
        rows = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed = {name: np.array([rows[name]], dtype=np.int64) for name in self._inputs}
        vector = np.asarray(self._session.run(["vector"], feed)[0], dtype=np.float32)
        return vector[0]

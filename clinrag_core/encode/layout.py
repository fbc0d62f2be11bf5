"""The declarations of a model folder: pooling, normalisation, prompts, limits.

Reads the files sentence-transformers writes (`modules.json`, `1_Pooling/config.json`,
`sentence_bert_config.json`, `config_sentence_transformers.json`). What cannot be understood is
refused with the reason: a wrong guess gives vectors that are silently worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import EncoderError
from clinrag_core.workspace import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.settings import Pooling

POOLINGS: dict[str, Pooling] = {
    "cls": "cls",
    "cls_token": "cls",
    "mean": "mean",
    "mean_tokens": "mean",
}
PADDED_POSITIONS = frozenset(["roberta", "xlm-roberta", "camembert", "mpnet"])
"""Architectures whose positions start after the padding id, so that the table has fewer."""


class ModelLayout(NamedTuple):
    """The declarations of a model folder; None or empty if it declares nothing."""

    transformer: Path
    """Folder of config, tokenizer and weights."""
    pooling: Pooling | None = None
    normalise: bool = False
    max_tokens: int | None = None
    query_prompt: str = ""
    passage_prompt: str = ""
    similarity: str | None = None


def read_layout(folder: Path) -> ModelLayout:
    """Read a dense encoder's folder.

    Raises:
        EncoderError: modules, pooling or options that this project does not implement.
    """
    if not (folder / "modules.json").is_file():
        return ModelLayout(folder, max_tokens=token_limit(folder))
    modules: list[dict[str, Any]] = _read(folder / "modules.json")
    kinds = [_kind(folder, module) for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise _refused(
            folder, f"its modules are {', '.join(kinds)}; only Transformer, Pooling, Normalize run"
        )
    transformer = folder / modules[0]["path"]
    options = _read(folder / "config_sentence_transformers.json", missing={})
    query, passage = _prompts(options)
    pooling = _pooling(folder, _read(folder / modules[1]["path"] / "config.json"), query + passage)
    return ModelLayout(
        transformer,
        pooling,
        "Normalize" in kinds,
        _max_tokens(folder, transformer),
        query,
        passage,
        options.get("similarity_fn_name"),
    )


def token_limit(folder: Path) -> int | None:
    """Return the most tokens a transformer takes, with specials; None if it declares no limit.

    Raises:
        EncoderError: no model, or one with custom code.
    """
    refuse_custom_code(folder)
    config = _read(folder / "config.json")
    limits = [_read(folder / "tokenizer_config.json", missing={}).get("model_max_length")]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in PADDED_POSITIONS:
        positions -= int(config.get("pad_token_id", 1)) + 1
    limits.append(positions)
    # Tokenizers without a limit declare 10 ** 30.
    return min((int(n) for n in limits if n is not None and n < 2**31), default=None)


def refuse_custom_code(folder: Path) -> None:
    """Refuse a model that needs custom Python code.

    Raises:
        EncoderError: it does, or the folder contains no model.
    """
    if not (folder / "config.json").is_file():
        raise EncoderError(f"{folder} holds no config.json: it is not a model folder")
    if _read(folder / "config.json").get("auto_map"):
        raise _refused(folder, "it needs code of its own (auto_map in config.json)")


def _kind(folder: Path, module: dict[str, Any]) -> str:
    """Return the name of a module's class."""
    package, _, name = str(module.get("type")).rpartition(".")
    if package.split(".")[0] != "sentence_transformers":
        raise _refused(folder, f"its module {module.get('type')} is code of its own")
    return name


def _pooling(folder: Path, config: dict[str, Any], prompts: str) -> Pooling:
    """Return the pooling of a Pooling module, in the older or the newer form of its config."""
    modes = [n.removeprefix("pooling_mode_") for n, on in config.items() if "_mode_" in n and on]
    if "pooling_mode" in config:
        modes = [str(config["pooling_mode"])]
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise _refused(folder, f"its pooling is {' + '.join(modes) or 'none'}, not cls or mean")
    if prompts and config.get("include_prompt") is False:
        raise _refused(folder, "its pooling leaves the prompt out (include_prompt is false)")
    return POOLINGS[modes[0]]


def _prompts(options: dict[str, Any]) -> tuple[str, str]:
    """Return the prompts of queries and passages, by the names sentence-transformers looks for."""
    prompts: dict[str, str] = options.get("prompts") or {}
    default = prompts.get(options.get("default_prompt_name") or "", "")
    passage = next((prompts[n] for n in ("document", "passage", "corpus") if n in prompts), default)
    return prompts.get("query", default), passage


def _max_tokens(folder: Path, transformer: Path) -> int | None:
    """Return the token limit of a Transformer module, at most that of its model."""
    config = _read(transformer / "sentence_bert_config.json", missing={})
    plain = {
        "max_seq_length": config.get("max_seq_length"),
        "do_lower_case": False,
        "transformer_task": "feature-extraction",
        "module_output_name": "token_embeddings",
        "modality_config": {
            "text": {"method": "forward", "method_output_name": "last_hidden_state"}
        },
    }
    strange = [n for n, value in config.items() if value not in (plain.get(n), None, {})]
    if strange:
        raise _refused(
            folder, f"its option {strange[0]} = {config[strange[0]]!r} is not implemented"
        )
    limits = [n for n in (config.get("max_seq_length"), token_limit(transformer)) if n is not None]
    return min(limits, default=None)


def _refused(folder: Path, reason: str) -> EncoderError:
    return EncoderError(
        f"the model in {folder} is refused: {reason}; choose another model, or save this one as a "
        "plain transformer with mean or CLS pooling"
    )


def _read(file: Path, missing: Any = None) -> Any:
    """Return a JSON file; `missing`, where given, if it does not exist."""
    return missing if missing is not None and not file.is_file() else read_json(file)

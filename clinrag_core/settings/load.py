"""Reads a profile: which file, which environment variables, which command line options.

Every source is read separately, so that each value keeps its origin. A missing file, an unknown key
and an unknown `CLINRAG_*` variable are errors.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import tomli
from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings.leaves import PREFIX, flattened, leaves, nearest, nested
from clinrag_core.settings.paths import data_folder
from clinrag_core.settings.tree import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

ALIASES = {"CLINRAG_CORPUS": "corpus.manifest", "CLINRAG_BENCH": "external_benchmarks"}
"""Short names of two settings."""
NOT_SETTINGS = frozenset(
    [
        "CLINRAG_PROFILE",
        "CLINRAG_CONFIG",
        "CLINRAG_MODELS",
        "CLINRAG_API_KEYS",
        "CLINRAG_ALERT_WEBHOOK",
        "CLINRAG_AUDIT_KEY",
        "CLINRAG_METRICS_KEY",
        "CLINRAG_PROXY_FILES",
        "CLINRAG_CORPUS_FOLDER",
        "CLINRAG_MODELS_FOLDER",
        "CLINRAG_GRAFANA_PASSWORD",
    ]
)
"""Variables that choose a profile, hold a secret or belong to the deployment."""


class CommandLine(NamedTuple):
    """The settings options of the running command."""

    config: Path | None = None
    values: tuple[tuple[str, str], ...] = ()
    """Dotted names and values of `--set`."""


class Loaded(NamedTuple):
    """Settings and the origin of each value, by dotted name."""

    settings: Settings
    origins: dict[str, str]


Sourced = dict[str, tuple[Any, str]]
"""Dotted name to value and origin."""
NOTHING_GIVEN = CommandLine()
command_line: ContextVar[CommandLine] = ContextVar("command_line", default=NOTHING_GIVEN)


def choose(config: Path | None = None, values: tuple[str, ...] = ()) -> None:
    """Record the TOML file and the `name=value` pairs of the running command for `load_settings`.

    Raises:
        ConfigurationError: a pair without `=`, or an unknown setting.
    """
    pairs: list[tuple[str, str]] = []
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise ConfigurationError(f"--set {value}: write it as retrieval.rrf_k=10")
        if name not in leaves():
            raise ConfigurationError(f"--set: unknown setting {name}{nearest(name, leaves())}")
        pairs.append((name, text))
    before = command_line.get()
    command_line.set(CommandLine(config or before.config, (*before.values, *pairs)))


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped profiles."""
    return tuple(sorted(p.stem for p in (data_folder() / "profiles").glob("*.toml")))


def load_settings(profile: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings in force; see `load_with_origins`."""
    return load_with_origins(profile, environ).settings


def load_with_origins(
    profile: str | None = None, environ: Mapping[str, str] | None = None
) -> Loaded:
    """Read the settings in force: defaults, then the TOML file, environment, command line.

    Args:
        profile: name of a preset; None: `--config`, `$CLINRAG_CONFIG`, `$CLINRAG_PROFILE`, sample.
        environ: None: the process environment.

    Raises:
        ConfigurationError: a file that does not exist or is malformed, an unknown or wrong setting.
    """
    environ = os.environ if environ is None else environ
    config, pairs = command_line.get()
    file = _profile_file(profile, environ, config)
    sourced = _defaults(file) | _from_file(file) | _from_environment(environ)
    sourced |= _parsed({name: (text, "command line") for name, text in pairs})
    if "corpus.manifest" not in sourced:
        raise ConfigurationError(
            f"{file} reads any folder with a corpus.toml: name it, e.g. "
            "`make run CORPUS=path/to/folder` or CLINRAG_CORPUS=path/to/folder"
        )
    origins = {name: origin for name, (_, origin) in sourced.items()}
    try:
        settings = Settings.model_validate(nested({n: v for n, (v, _) in sourced.items()}))
    except ValidationError as error:
        raise ConfigurationError(_problems(error, origins)) from error
    _check_variables(
        environ, {sourced[n][0] for n, leaf in leaves().items() if leaf.is_secret_name}
    )
    return Loaded(settings, origins)


def _profile_file(profile: str | None, environ: Mapping[str, str], config: Path | None) -> Path:
    """Return the TOML file to read: the path that was chosen, or a preset."""
    chosen, preset = environ.get("CLINRAG_CONFIG"), environ.get("CLINRAG_PROFILE")
    if profile is None and config is None and chosen and preset:
        raise ConfigurationError(
            "CLINRAG_CONFIG and CLINRAG_PROFILE both choose the settings: unset one of them"
        )
    if profile is None and (path := config or (Path(chosen) if chosen else None)):
        path = path.expanduser().absolute()
        if not path.is_file():
            near = nearest(path.stem, (p.stem for p in path.parent.glob("*.toml")), ".toml")
            raise ConfigurationError(f"settings file {path} does not exist{near}")
        return path
    name = profile or preset or "sample"
    if name not in preset_names():
        raise ConfigurationError(
            f"unknown profile {name!r}{nearest(name, preset_names())} There are "
            f"{', '.join(preset_names())}; --config and CLINRAG_CONFIG take any TOML file"
        )
    return data_folder() / "profiles" / f"{name}.toml"


def _defaults(file: Path) -> Sourced:
    """Return the defaults; the profile is named after its file."""
    chosen = {"profile": file.stem, "home": Path(".clinrag").absolute()}
    values = {name: chosen.get(name, leaf.default) for name, leaf in leaves().items()}
    return {n: (value, "default") for n, value in values.items() if value is not PydanticUndefined}


def _from_file(file: Path) -> Sourced:
    """Return the values of a TOML file, its relative paths resolved against its folder."""
    try:
        values = flattened(tomli.loads(file.read_text(encoding="utf-8")))
    except (tomli.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from error
    for name in values:
        if name not in leaves():
            raise ConfigurationError(f"{file}: unknown setting {name}{nearest(name, leaves())}")
    shipped = file.parent == data_folder() / "profiles"
    base = data_folder() if shipped else file.parent
    return {name: (_resolved(name, value, base), str(file)) for name, value in values.items()}


def _from_environment(environ: Mapping[str, str]) -> Sourced:
    """Return the values of `CLINRAG_*` variables; an empty variable is no value."""
    names = {leaf.variable: name for name, leaf in leaves().items() if name != "profile"} | ALIASES
    return _parsed(
        {names[n]: (text, f"environment {n}") for n, text in environ.items() if n in names and text}
    )


def _parsed(texts: Mapping[str, tuple[str, str]]) -> Sourced:
    """Return values read from text as pydantic-settings reads environment variables.

    Lists are JSON; relative paths are relative to the current folder.
    """
    values: dict[str, Any] = {n: text for n, (text, _) in texts.items() if leaves()[n].is_text}
    if others := {n: given for n, given in texts.items() if n not in values}:
        values |= _read_as_json(others)
    return {n: (_resolved(n, value, Path.cwd()), texts[n][1]) for n, value in values.items()}


def _read_as_json(texts: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return values that pydantic-settings reads from text."""
    from pydantic_settings import EnvSettingsSource, SettingsError  # a tenth of a start

    source = EnvSettingsSource(
        Settings,  # pyright: ignore[reportArgumentType] - only its fields are read
        env_prefix=PREFIX,
        env_nested_delimiter="__",
    )
    source.env_vars = {leaves()[n].variable.lower(): text for n, (text, _) in texts.items()}
    try:
        return flattened(source())
    except SettingsError as error:
        names = ", ".join(f"{name} ({origin})" for name, (_, origin) in texts.items())
        raise ConfigurationError(f'{names}: {error}; lists are JSON, e.g. ["tb"]') from error


def _resolved(name: str, value: Any, base: Path) -> Any:
    """Return the value of a setting; a relative path becomes absolute, from a folder."""
    kind = leaves()[name].kind
    if not isinstance(value, str) or kind == "value":
        return value
    path = base / Path(value).expanduser()
    is_name = kind == "model" and value[:1] not in {".", "~"} and not path.is_dir()
    return value if is_name else os.path.normpath(path)


def _problems(error: ValidationError, origins: Mapping[str, str]) -> str:
    """Describe each wrong value with its origin; values of secrets left out."""
    problems: list[str] = []
    for item in error.errors(include_url=False, include_context=False):
        parts = [str(part) for part in item["loc"]]
        name = next((n for n in leaves() if parts[: len(n.split("."))] == n.split(".")), "")
        value = "" if name.endswith("_env") else f", not {item['input']!r}"
        problems.append(f"{name or '.'.join(parts)} ({origins.get(name)}): {item['msg']}{value}")
    return "; ".join(problems)


def _check_variables(environ: Mapping[str, str], secrets: set[str]) -> None:
    """Refuse `CLINRAG_*` variables that nothing reads: a misspelt one must not pass unnoticed."""
    known = {leaf.variable for leaf in leaves().values()} | set(ALIASES) | NOT_SETTINGS | secrets
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            raise ConfigurationError(f"unknown environment variable {name}{nearest(name, known)}")

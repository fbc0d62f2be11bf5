"""Reads a profile: which file, which environment variables, which command line options.

Every source is read on its own, so that each value knows where it came from. Nothing is skipped in
silence: a missing file, an unknown key and an unknown `CLINRAG_*` variable are errors.
"""

from __future__ import annotations

import os
import tomllib
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource, SettingsError, TomlConfigSettingsSource

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings.leaves import (
    PREFIX,
    default_tree,
    flattened,
    leaves,
    nearest,
    nested,
)
from clinrag_core.settings.paths import data_folder
from clinrag_core.settings.tree import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_PRESET = "sample"
ALIASES = {"CLINRAG_CORPUS": "corpus.manifest", "CLINRAG_BENCH": "external_benchmarks"}
"""Short names of two settings."""
NOT_SETTINGS = frozenset(
    [
        "CLINRAG_PROFILE",
        "CLINRAG_CONFIG",
        "CLINRAG_MODELS",
        "CLINRAG_API_KEYS",
        "CLINRAG_ALERT_WEBHOOK",
        "CLINRAG_PROXY_FILES",
    ]
)
"""Variables that choose a profile, hold a secret or belong to the deployment."""


class CommandLine(NamedTuple):
    """What a command was given."""

    config: Path | None = None
    values: tuple[tuple[str, str], ...] = ()
    """Dotted names and values of `--set`."""


class Loaded(NamedTuple):
    """Settings and where each value came from, by dotted name."""

    settings: Settings
    origins: dict[str, str]


class _Source(NamedTuple):
    """One source of values: dotted names to values and to what the source is called."""

    values: dict[str, Any]
    origins: dict[str, str]


NOTHING_GIVEN = CommandLine()
command_line: ContextVar[CommandLine] = ContextVar("command_line", default=NOTHING_GIVEN)


def choose(config: Path | None = None, values: tuple[str, ...] = ()) -> None:
    """Record what the running command was given; the next `load_settings` follows it.

    Args:
        config: a TOML file.
        values: `name=value` pairs.

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
    """Names of the shipped profiles."""
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
    given = command_line.get()
    file = _profile_file(profile, environ, given.config)
    sources = [
        _defaults(file),
        _from_file(file),
        _from_environment(environ),
        _from_command_line(given),
    ]
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for source in sources:
        values |= source.values
        origins |= source.origins
    if "corpus.manifest" not in values:
        raise ConfigurationError(
            f"{file} reads any folder with a corpus.toml: name it, e.g. "
            "`make run CORPUS=path/to/folder` or CLINRAG_CORPUS=path/to/folder"
        )
    try:
        settings = Settings.model_validate(nested(values))
    except ValidationError as error:
        raise ConfigurationError(_problems(error, origins)) from error
    _check_variables(
        environ, {values[leaf.name] for leaf in leaves().values() if leaf.is_secret_name}
    )
    return Loaded(settings, {name: origins[name] for name in leaves()})


def _profile_file(profile: str | None, environ: Mapping[str, str], config: Path | None) -> Path:
    """The TOML file to read: a path that was given, or a preset."""
    name = profile or environ.get("CLINRAG_PROFILE") or DEFAULT_PRESET
    path = config
    if path is None and profile is None and (chosen := environ.get("CLINRAG_CONFIG")):
        if environ.get("CLINRAG_PROFILE"):
            raise ConfigurationError(
                "CLINRAG_CONFIG and CLINRAG_PROFILE both choose the settings: unset one of them"
            )
        path = Path(chosen)
    if path is not None and profile is None:
        path = path.expanduser().absolute()
        if not path.is_file():
            near = nearest(path.stem, (p.stem for p in path.parent.glob("*.toml")), ".toml")
            raise ConfigurationError(f"settings file {path} does not exist{near}")
        return path
    if name not in preset_names():
        raise ConfigurationError(
            f"unknown profile {name!r}{nearest(name, preset_names())} There are "
            f"{', '.join(preset_names())}; --config and CLINRAG_CONFIG take any TOML file"
        )
    return data_folder() / "profiles" / f"{name}.toml"


def _defaults(file: Path) -> _Source:
    values = flattened(default_tree())
    values |= {"profile": file.stem, "home": Path(".clinrag").absolute()}
    return _Source(values, dict.fromkeys(leaves(), "default"))


def _from_file(file: Path) -> _Source:
    """The values of a TOML file, its relative paths resolved against its folder."""
    try:
        values = flattened(TomlConfigSettingsSource(Settings, file)())
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from error
    for name in values:
        if name not in leaves():
            raise ConfigurationError(f"{file}: unknown setting {name}{nearest(name, leaves())}")
    shipped = file.parent == data_folder() / "profiles"
    base = data_folder() if shipped else file.parent
    return _Source(_resolved(values, base), dict.fromkeys(values, str(file)))


def _from_environment(environ: Mapping[str, str]) -> _Source:
    """The values of `CLINRAG_*` variables; relative paths are relative to the current folder."""
    names = {leaf.variable: name for name, leaf in leaves().items() if name != "profile"} | ALIASES
    given = {name: v for name, v in environ.items() if name in names and v}
    texts = {names[variable]: text for variable, text in given.items()}
    origins = {names[variable]: f"environment {variable}" for variable in given}
    return _Source(_parsed(texts, origins), origins)


def _from_command_line(given: CommandLine) -> _Source:
    texts = dict(given.values)
    origins = dict.fromkeys(texts, "command line")
    return _Source(_parsed(texts, origins), origins)


def _parsed(texts: Mapping[str, str], origins: Mapping[str, str]) -> dict[str, Any]:
    """Values from text, as pydantic-settings reads environment variables: lists as JSON."""

    class Texts(EnvSettingsSource):
        """Reads the given texts instead of the environment."""

        def _load_env_vars(self) -> Mapping[str, str | None]:
            return {leaves()[name].variable.lower(): text for name, text in texts.items()}

    try:
        values = flattened(Texts(Settings)())
    except SettingsError as error:
        names = ", ".join(f"{name} ({origins[name]})" for name in texts)
        raise ConfigurationError(f'{names}: {error}; lists are JSON, e.g. ["tb"]') from error
    return _resolved(values, Path.cwd())


def _resolved(values: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Values with their relative paths resolved against a folder."""
    resolved = dict(values)
    for name, value in values.items():
        if not isinstance(value, str):
            continue
        path = base / Path(value).expanduser()
        kind = leaves()[name].kind
        if kind == "path" or (kind == "model" and (value[:1] in {".", "~"} or path.is_dir())):
            resolved[name] = os.path.normpath(path)
    return resolved


def _problems(error: ValidationError, origins: Mapping[str, str]) -> str:
    """What is wrong with which value, and where it came from; values of secrets left out."""
    found: list[str] = []
    for item in error.errors(include_url=False, include_context=False):
        parts = [str(part) for part in item["loc"]]
        name = next((n for n in leaves() if parts[: len(n.split("."))] == n.split(".")), "")
        value = "" if name.endswith("_env") else f", not {item['input']!r}"
        found.append(f"{name or '.'.join(parts)} ({origins.get(name)}): {item['msg']}{value}")
    return "; ".join(found)


def _check_variables(environ: Mapping[str, str], secrets: set[str]) -> None:
    """Refuse `CLINRAG_*` variables that nothing reads: a misspelt one must not pass unnoticed."""
    known = {leaf.variable for leaf in leaves().values()} | set(ALIASES) | NOT_SETTINGS | secrets
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            raise ConfigurationError(f"unknown environment variable {name}{nearest(name, known)}")

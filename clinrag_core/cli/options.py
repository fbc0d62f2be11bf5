"""What every command has: `--config`, `--set` and errors printed as one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from clinrag_core.cli.common import errors
from clinrag_core.errors import ClinragError, ConfigurationError, WorkspaceError
from clinrag_core.settings import choose, load_settings
from clinrag_core.settings.load import NOTHING_GIVEN, command_line


def _config(path: Path | None) -> None:
    choose(config=path)


def _values(pairs: list[str] | None) -> None:
    """Record the pairs of `--set`."""
    try:
        choose(values=tuple(pairs or ()))
    except ConfigurationError as error:
        raise typer.BadParameter(str(error)) from error


def _template(
    config: Annotated[
        Path | None,
        typer.Option(callback=_config, expose_value=False, help="settings file (TOML)"),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            callback=_values,
            expose_value=False,
            metavar="NAME=VALUE",
            help="one setting, e.g. retrieval.rrf_k=10; repeat for more",
        ),
    ] = None,
) -> None:
    """Carries the two options; never runs."""


class ConfiguredGroup(TyperGroup):
    """The root command: gives every command below it `--config` and `--set`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        template = typer.Typer(add_completion=False)
        template.command()(_template)
        _add_options(self, [p for p in get_command(template).params if p.name != "help"])

    def invoke(self, ctx: Any) -> Any:
        """Run a command; print a clinrag error as one line and exit 1.

        Another error is a defect and keeps its traceback. The given settings end with the command.
        """
        token = command_line.set(NOTHING_GIVEN)
        try:
            return super().invoke(ctx)
        except ClinragError as error:
            errors.print(f"error: {error}", style="red", highlight=False, markup=False)
            if isinstance(error, WorkspaceError):
                advice = f"looked in {load_settings().home}: `make run` builds it; CLINRAG_HOME "
                errors.print(f"{advice}names another", highlight=False, markup=False)
            raise typer.Exit(1) from error
        finally:
            command_line.reset(token)


def _add_options(command: Any, options: list[Any]) -> None:
    """Add options to a command, or to every command of a group."""
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            _add_options(inner, options)
    elif isinstance(command, TyperCommand):
        command.params += options

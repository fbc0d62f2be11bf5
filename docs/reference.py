"""Writes the generated references: settings, corpus.toml, questions, command line, HTTP, Python.

Each is made from what the program itself reads, so that it cannot differ from it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticUndefined, to_jsonable_python
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pydantic import BaseModel

MADE = "<!-- Made by docs/reference.py: do not edit. -->\n\n"


def write_references(folder: Path) -> list[Path]:
    """Write every reference page; returns their paths."""
    pages = {
        "settings": settings_page(),
        "corpus-toml": corpus_page(),
        "questions": questions_page(),
        "command-line": command_page(),
        "http": http_page(),
        "python": PYTHON,
    }
    folder.mkdir(exist_ok=True)
    written: list[Path] = []
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != MADE + text:
            path.write_text(MADE + text, encoding="utf-8")
        written.append(path)
    return written


def settings_page() -> str:
    """Every setting with its default, meaning and environment variable, a table per section."""
    from clinrag_core.settings.leaves import leaves

    sections: dict[str, list[tuple[str, ...]]] = {}
    for name, leaf in leaves().items():
        section, _, key = name.rpartition(".")
        default = "required" if leaf.default is PydanticUndefined else _code(leaf.default)
        meaning = leaf.field.description or ""
        sections.setdefault(section, []).append((f"`{key}`", default, meaning))
    parts = [
        "# Settings\n\n`clinrag config show` prints what is in force and where each value came "
        "from. The environment variable of a setting is its name in capitals, with `CLINRAG_` "
        "before it and `__` for a dot: `retrieval.rrf_k` is `CLINRAG_RETRIEVAL__RRF_K`.\n"
    ]
    for section, rows in sections.items():
        title = f"`[{section}]`" if section else "Top level"
        parts.append(f"## {title}\n\n{_table(('setting', 'default', 'meaning'), rows)}")
    return "\n".join(parts)


def corpus_page() -> str:
    """The entries of corpus.toml."""
    from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry

    head = (
        "# corpus.toml\n\nThe manifest of a corpus: `[corpus]` with a `name`, then one "
        "`[[guideline]]` or `[[label]]` per document. `clinrag corpus init` writes it, `clinrag "
        "corpus check` names every problem in it.\n"
    )
    return "\n".join(
        (head, _model("`[[guideline]]`", GuidelineEntry), _model("`[[label]]`", LabelEntry))
    )


def questions_page() -> str:
    """The files of questions that an evaluation reads."""
    from clinrag_core.evaluate.benchmark import BenchmarkQuestion, Locator
    from clinrag_core.evaluate.nuggets import Nugget, NuggetQuestion, Trap

    head = (
        "# Questions of an evaluation\n\nTOML files in the benchmark folder, and "
        "`questions.toml` in a corpus. A question is judged by passages (`relevant`) or by facts "
        "(`nuggets`).\n"
    )
    models = {
        "`[[question]]`": BenchmarkQuestion,
        "An entry of `relevant`": Locator,
        "`[[question]]` of a file of facts": NuggetQuestion,
        "An entry of `nuggets`": Nugget,
        "An entry of `traps`": Trap,
    }
    return "\n".join((head, *(_model(title, model) for title, model in models.items())))


def command_page() -> str:
    """Every command with its options."""
    from clinrag_core.cli.main import app

    root = get_command(app)
    parts = [
        "# Command line\n\nEvery command also takes `--config FILE` (settings) and "
        "`--set NAME=VALUE` (one setting). Exit codes: 0 done; 1 an error, in one line; 2 wrong "
        "arguments, or a row that cannot be used; 3 a question that was not answered.\n"
    ]
    for path, command in _commands(root, ("clinrag",)):
        parts.append(f"## {' '.join(path)}\n\n{(command.help or '').strip()}\n")
        rows = [
            (f"`{_option(p)}`", getattr(p, "help", None) or "")
            for p in command.params
            if p.name not in {"help", "config", "values"}
        ]
        if rows:
            parts.append(_table(("argument or option", "meaning"), rows))
    return "\n".join(parts)


def http_page() -> str:
    """Every route of the service with its fields."""
    from clinrag_core.serve.app import service_app
    from clinrag_core.serve.auth import ApiKeys
    from clinrag_core.settings import load_settings

    schema: dict[str, Any] = service_app(load_settings("sample", {}), ApiKeys({})).openapi()
    parts = [
        "# HTTP\n\n`clinrag serve` answers on 127.0.0.1:8000. With keys (`clinrag keys new NAME`) "
        "send `Authorization: Bearer KEY` or `X-API-Key: KEY`. Errors are `application/"
        "problem+json` (RFC 9457), those of the chat interface have the form of OpenAI's. The "
        "machine-readable schema is at `/openapi.json`. The question page at `/` is described in "
        "[The question page](../page.md).\n"
    ]
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            parts.append(f"## {method.upper()} {path}\n\n{route.get('summary', '')}. "
                         f"{route.get('description', '')}\n")  # fmt: skip
            rows = [
                (f"`{p['name']}`", p["in"], str(p.get("description") or p["schema"].get(
                    "description") or ""))
                for p in route.get("parameters", ())
            ]  # fmt: skip
            if rows:
                parts.append(_table(("parameter", "in", "meaning"), rows))
            if body := _body(schema, route):
                parts.append(_schema("Body", body))
    return "\n".join(parts)


PYTHON = """# Python

```{eval-rst}
.. automodule:: clinrag_core.client
   :members: open, Clinrag
   :special-members: __init__

.. automodule:: clinrag_core.client_results
   :members: AskResult, FoundPassages
```
"""


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, with its names."""
    inner: dict[str, Any] = getattr(command, "commands", {})
    if not inner:
        yield path, command
    for name, one in inner.items():
        yield from _commands(one, (*path, name))


def _option(parameter: Any) -> str:
    names = ", ".join((*parameter.opts, *getattr(parameter, "secondary_opts", ())))
    return names if names.startswith("-") else str(parameter.name).upper()


def _body(schema: dict[str, Any], route: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of a route's JSON body, resolved; None without one."""
    content = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    reference = content.get("schema", {}).get("$ref")
    return schema["components"]["schemas"][reference.rsplit("/", 1)[1]] if reference else None


def _model(title: str, model: type[BaseModel]) -> str:
    return _schema(title, model.model_json_schema(), level="##")


def _schema(title: str, schema: dict[str, Any], level: str = "###") -> str:
    """The fields of a JSON schema."""
    required = set(schema.get("required", ()))
    rows = [
        (
            f"`{name}`",
            "required" if name in required else _code(field.get("default")),
            str(field.get("description") or ""),
        )
        for name, field in schema.get("properties", {}).items()
    ]
    return f"{level} {title}\n\n{_table(('field', 'default', 'meaning'), rows)}"


def _code(value: object) -> str:
    if value is None or value == PydanticUndefined:
        return ""
    text = json.dumps(to_jsonable_python(value), ensure_ascii=False)
    root = str(__file__).rsplit("/docs/", 1)[0]
    return f"`{text.replace(root, '...')}`"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; cells in one line, without a meaning for the table."""
    head = tuple(columns)
    lines = [head, ("---",) * len(head), *rows]
    shown = (
        "| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in line) + " |"
        for line in lines
    )
    return "\n".join(shown) + "\n"

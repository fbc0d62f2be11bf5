"""Which parser reads which format.

Importing this module imports no parser, so a caller that only needs a version (to decide whether a
document must be parsed again) pays for no PDF or XML library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from clinrag_core.errors import ConfigurationError

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

_PARSERS: dict[str, tuple[str, str]] = {
    "pdf": ("clinrag_core.parse.pdf.parser", "parse_pdf"),
    "html": ("clinrag_core.parse.html.parser", "parse_html"),
    "text": ("clinrag_core.parse.lines.parser", "parse_lines"),
    "markdown": ("clinrag_core.parse.lines.parser", "parse_lines"),
    "spl": ("clinrag_core.parse.spl.parser", "parse_spl"),
    "openfda": ("clinrag_core.parse.openfda.parser", "parse_openfda"),
}


class Parser(Protocol):
    """Reads the bytes of one document; pure: same bytes and source, same document."""

    def __call__(self, data: bytes, source: DocumentSource) -> Document:
        """Parse a document.

        Raises:
            DocumentError: the bytes are not a usable document of the format.
        """
        ...


def formats() -> tuple[str, ...]:
    """Formats that can be parsed."""
    return tuple(_PARSERS)


def parse_document(data: bytes, source: DocumentSource) -> Document:
    """Parse a document with the parser of its format.

    Raises:
        DocumentError: the bytes are not a usable document of `source.format`.
    """
    module, function = _lookup(source.format)
    parser = cast("Parser", getattr(importlib.import_module(module), function))
    return parser(data, source)


def parser_version(name: str) -> str:
    """Name and version of a format's parser, e.g. 'pdf/1'; part of the parse fingerprint.

    Raises:
        ConfigurationError: no such format.
    """
    module, _ = _lookup(name)
    return str(importlib.import_module(module).PARSER)


def _lookup(name: str) -> tuple[str, str]:
    if name not in _PARSERS:
        raise ConfigurationError(f"no parser for format {name!r}; there are: {', '.join(_PARSERS)}")
    return _PARSERS[name]

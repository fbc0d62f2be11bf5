"""Which parser reads which format.

Importing this module imports no parser, so a caller that only needs a version (to decide whether a
document must be parsed again) loads no PDF or XML library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource, Format

_PARSERS: dict[Format, tuple[str, str]] = {
    "pdf": ("clinrag_core.parse.pdf.parser", "parse_pdf"),
    "html": ("clinrag_core.parse.html.parser", "parse_html"),
    "text": ("clinrag_core.parse.lines.parser", "parse_lines"),
    "markdown": ("clinrag_core.parse.lines.parser", "parse_lines"),
    "spl": ("clinrag_core.parse.spl.parser", "parse_spl"),
    "openfda": ("clinrag_core.parse.openfda.parser", "parse_openfda"),
}


def parse_document(data: bytes, source: DocumentSource) -> Document:
    """Parse a document with the parser of its format: same bytes and source, same document.

    Raises:
        DocumentError: the bytes are not a usable document of `source.format`.
    """
    function = _PARSERS[source.format][1]
    document: Document = getattr(_module(source.format), function)(data, source)
    return document


def parser_version(name: Format) -> str:
    """Return name and version of a format's parser, e.g. 'pdf/1'; part of the fingerprint."""
    return str(_module(name).PARSER)


def _module(name: Format) -> ModuleType:
    return importlib.import_module(_PARSERS[name][0])

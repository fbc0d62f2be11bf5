"""Files made to stop a parser end in their own error or in time (see `fakes.hostile_files`)."""

from __future__ import annotations

import pytest
from fakes.hostile_files import HOSTILE

from clinrag_core.errors import DocumentError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.child import parse_bounded
from clinrag_core.settings import ParseLimits
from clinrag_core.workspace import sha256_hex

LIMITS = ParseLimits(seconds=1, megabytes=1024)
FORMATS = {"pdf": "pdf", "html": "html", "xml": "spl", "md": "markdown"}
ENDS = {
    "deep_pages.pdf": {"pdf_blank_pages", "pdf_truncated"},
    "many_pages.pdf": {"pdf_truncated", "pdf_too_many_pages"},
    "doubling_forms.pdf": {"parse_timeout"},
    "packed_stream.pdf": {"parse_timeout", "parse_memory"},
    "packed_twice.pdf": {"parse_timeout", "parse_memory"},
    "nested_arrays.pdf": {"pdf_truncated"},
    "million_rows.html": {"parse_timeout", "parse_memory"},
    "entities.xml": {"xml_doctype"},
    "long_entity.xml": {"xml_doctype"},
    "outside_entity.xml": {"xml_doctype"},
}
"""How a file must end; one that is not listed may also become a document."""
MAY_END = {"parse_timeout", "parse_memory", "empty_document", "pdf_blank_pages"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_its_own_error_or_in_time(name: str) -> None:
    """A parser that fails (`parser_failed`) would leave nobody an idea of what is wrong."""
    data = HOSTILE[name]()
    form = FORMATS[name.rsplit(".", 1)[1]]
    label = form == "spl"
    source = DocumentSource.model_validate(
        {
            "kind": "label" if label else "guideline",
            "format": form,
            "file": SourceFile(name=name, sha256=sha256_hex(data), size=len(data)),
            "id": None if label else "hostile",
            "drug": "hostile" if label else None,
        }
    )
    if name in ENDS:
        with pytest.raises(DocumentError) as caught:
            parse_bounded(data, source, LIMITS)
        assert caught.value.code in ENDS[name]
        return
    try:
        parse_bounded(data, source, LIMITS)
    except DocumentError as error:
        assert error.code in MAY_END  # noqa: PT017 - a document is as good

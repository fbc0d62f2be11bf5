"""Lines of a text file -> paragraphs.

Two kinds of file: hard-wrapped text, where blank lines part paragraphs, and text taken from a web
page, one line per element, where a link inside a sentence is a line of its own. In the second kind
a line is joined to the one before wherever the sentence goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clinrag_core.parse.assemble.characters import squeeze
from clinrag_core.parse.assemble.continuation import continues, glue, goes_on
from clinrag_core.parse.assemble.wording import ends_sentence
from clinrag_core.text.list_signs import is_item

_UNDERLINE = re.compile(r"^([=\-~_])\1{3,}$")
_TYPED_BULLET = re.compile(r"^\*\s(?=\S)")
_WRAPPED_WIDTH = 140
"""Characters. Editors wrap at 72 to 100; a web extract has lines of several hundred."""
_LINES_A_BLANK = 12
"""Lines of wrapped text have a blank one among so many; a web extract hardly any. In the reference
corpus either of the two tells them apart by itself, halved or doubled as well."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph on one line, with the page it begins on and whether a rule underlines it."""

    text: str
    page: int | None = None
    underlined: bool = False


def paragraphs(text: str) -> list[Paragraph]:
    r"""Split a cleaned text with '\n' line ends into paragraphs; form feeds begin pages."""
    lines = text.split("\n")
    wrapped = _is_wrapped(lines)
    out: list[Paragraph] = []
    page, blank = 1, True
    for raw in lines:
        page += raw.count("\f")
        # A page break parts paragraphs where no sentence runs over it.
        blank = blank or ("\f" in raw and bool(out) and ends_sentence(out[-1].text))
        line = _TYPED_BULLET.sub("• ", squeeze(raw))
        last = out[-1] if out else None
        if not line or _UNDERLINE.match(line):
            if line and last is not None and not blank:
                out[-1] = replace(last, underlined=True)
            blank = True
        elif last is not None and not blank and not last.underlined and _joins(last, line, wrapped):
            out[-1] = replace(last, text=glue(last.text, line))
        else:
            out.append(Paragraph(line, page if "\f" in text else None))
            blank = False
    return out if wrapped else _joined(out)


def _is_wrapped(lines: list[str]) -> bool:
    filled = [len(line.strip()) for line in lines if line.strip()]
    if not filled or max(filled) > _WRAPPED_WIDTH:
        return False
    return (len(lines) - len(filled)) * _LINES_A_BLANK >= len(filled)


def _joins(last: Paragraph, line: str, wrapped: bool) -> bool:
    if is_item(line):
        return False
    return wrapped or (continues(line) and not ends_sentence(last.text))


def _joined(found: list[Paragraph]) -> list[Paragraph]:
    """Paragraphs with those joined whose sentence goes on: 'to which the' + 'Mycobacterium'."""
    out: list[Paragraph] = []
    for paragraph in found:
        last = out[-1] if out else None
        if last and not is_item(paragraph.text) and goes_on(last.text, paragraph.text):
            out[-1] = replace(last, text=glue(last.text, paragraph.text))
        else:
            out.append(paragraph)
    return out

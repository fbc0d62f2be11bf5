"""Lines of a text file -> paragraphs.

Two kinds of file: hard-wrapped text, where blank lines part paragraphs, and text taken from a web
page, one line per element, where a link inside a sentence stands on a line of its own. The second
kind is mended by joining a line to the one before wherever the sentence evidently goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clinrag_core.parse.assemble.characters import squeeze

_FUNCTION = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "of",
        "for",
        "to",
        "in",
        "on",
        "at",
        "by",
        "with",
        "from",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "not",
        "that",
        "which",
        "who",
        "whose",
        "if",
        "when",
        "while",
        "than",
        "but",
        "nor",
        "into",
        "through",
        "during",
        "between",
        "among",
        "under",
        "over",
        "per",
        "via",
        "like",
        "your",
        "our",
        "their",
        "its",
        "this",
        "these",
        "those",
        "such",
        "other",
        "including",
        "either",
        "both",
        "all",
        "any",
        "each",
        "consult",
        "contact",
        "see",
        "use",
        "read",
        "visit",
        "until",
    ]
)
_LIST_START = re.compile(r"(?:[•*‣▪◦–—-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
_TERMINAL = re.compile(r"[.!?:;][\"'”’)\]]*$")
_CONTINUES = re.compile(r"[a-z,.;:)\]%]|\((?![A-Z]{2,}\))")
_UNDERLINE = re.compile(r"^([=\-~_])\1{3,}$")
_TIGHT = re.compile(r"\s+(?=[,.;:)\]](?:\s|$))|(?<=[(\[])\s+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph on one line, with the page it begins on and whether a rule underlines it."""

    text: str
    page: int | None = None
    underlined: bool = False
    after_blank: bool = False


def paragraphs(text: str) -> list[Paragraph]:
    r"""Split a text into paragraphs; form feeds begin pages.

    Args:
        text: cleaned text with '\n' line ends.
    """
    paged = "\f" in text
    lines = text.split("\n")
    wrapped = _is_wrapped(lines)
    out: list[Paragraph] = []
    page, blank = 1, True
    for raw in lines:
        page += raw.count("\f")
        # A page break parts paragraphs where no sentence runs over it.
        blank = blank or ("\f" in raw and bool(out) and bool(_TERMINAL.search(out[-1].text)))
        line = squeeze(raw)
        if not line:
            blank = True
        elif _UNDERLINE.match(line):
            if out and not blank:
                out[-1] = Paragraph(out[-1].text, out[-1].page, True, out[-1].after_blank)
            blank = True
        elif out and not blank and not out[-1].underlined and _joins(out[-1].text, line, wrapped):
            last = out[-1]
            out[-1] = Paragraph(_glue(last.text, line), last.page, False, last.after_blank)
        else:
            out.append(Paragraph(line, page if paged else None, False, blank))
            blank = False
    return out if wrapped else _mend(out)


def _is_wrapped(lines: list[str]) -> bool:
    filled = [len(line.strip()) for line in lines if line.strip()]
    blanks = sum(not line.strip() for line in lines)
    if not filled or max(filled) > 140:
        return False
    return blanks * 12 >= len(filled)


def _joins(last: str, line: str, wrapped: bool) -> bool:
    if _LIST_START.match(line):
        return False
    return wrapped or (bool(_CONTINUES.match(line)) and not _TERMINAL.search(last))


def _glue(last: str, line: str) -> str:
    return _TIGHT.sub("", f"{last} {line}")


def _mend(found: list[Paragraph]) -> list[Paragraph]:
    """Join lines whose sentence goes on with a capital: 'to which the' + 'Mycobacterium ...'."""
    out: list[Paragraph] = []
    for paragraph in found:
        if out and not _LIST_START.match(paragraph.text) and _is_open(out[-1].text, paragraph.text):
            last = out[-1]
            out[-1] = Paragraph(
                _glue(last.text, paragraph.text), last.page, False, last.after_blank
            )
        else:
            out.append(paragraph)
    return out


def _is_open(last: str, line: str) -> bool:
    """Whether the sentence `last` cannot end where it does, given the line that follows."""
    if not any(c.isalnum() for c in last):
        return True  # the sign of a note on a line of its own
    if _TERMINAL.search(last):
        return False
    if last.endswith(",") or _CONTINUES.match(line):
        return True
    words = last.split()
    if re.sub(r"\W", "", words[-1]).lower() in _FUNCTION:
        return True
    # 'either a positive' + 'IGRA result': an article cannot stand two words before the end.
    return len(words) > 2 and words[-2] in ("a", "an", "the") and line[:2].isupper()

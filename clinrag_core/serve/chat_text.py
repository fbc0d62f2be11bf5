"""An answer as the text of a chat: checked statements, notices, then sources with their places.

Many chat pages ignore annotations, so the sources are also a list at the end of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.present.lines import (
    NOT_A_DEVICE,
    claim_lines,
    first_lines,
    notice_lines,
    reason_of,
    source_line,
)
from clinrag_core.present.numbering import number_sources
from clinrag_core.serve.page.view import source_href

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>#|~"})


class ChatText(NamedTuple):
    """The text in the pieces it is streamed in, and its annotations."""

    pieces: tuple[str, ...]
    annotations: tuple[dict[str, Any], ...]
    """Positions are those of a source's markers in the joined text, in characters."""

    @property
    def whole(self) -> str:
        """The joined text."""
        return "".join(self.pieces)


def chat_text(answer: Answer, address: str) -> ChatText:
    """Return an answer as chat text; `address` is that of the service, for links to sources."""
    numbered = number_sources(answer)
    links = {s.number: f"{address}{source_href(s.citations)}" for s in numbered.sources}
    first = [] if answer.status == "answered" else [f"{_plain(reason_of(answer))}\n\n"]
    if answer.could_ask:
        first.append(f"Could be asked: {_plain('; '.join(answer.could_ask))}\n\n")
    notices = (*first_lines(answer), *notice_lines(answer))
    pieces = [*first, *(f"**{_plain(line)}**\n\n" for line in notices)]
    annotations: list[dict[str, Any]] = []
    for line, sources in zip(claim_lines(answer), numbered.by_claim, strict=True):
        text = line[: line.rindex(" ") + 1] if sources else f"{line} "
        piece = _plain(text)
        position = len("".join(pieces))
        for source in sources:
            mark = f"[{source.number}]"
            annotations.append(
                _annotation(links[source.number], source.title, position + len(piece), mark)
            )
            piece += mark
        pieces.append(f"{piece}\n\n")
    listed = "".join(
        f"- \\[{source.number}\\] [{_plain(source_line(source).partition('] ')[2])}]"
        f"({links[source.number]})\n"
        for source in numbered.sources
    )
    if listed:
        pieces.append(f"Sources:\n{listed}\n")
    pieces.append(f"Release {answer.release}. {NOT_A_DEVICE}")
    return ChatText(tuple(pieces), tuple(annotations))


def _annotation(url: str, title: str, start: int, mark: str) -> dict[str, Any]:
    return {
        "type": "url_citation",
        "url_citation": {
            "url": url,
            "title": title,
            "start_index": start,
            "end_index": start + len(mark),
        },
    }


def _plain(text: str) -> str:
    """Return a text without meaning in Markdown: no link, image or markup is rendered."""
    return text.translate(_SPECIAL)

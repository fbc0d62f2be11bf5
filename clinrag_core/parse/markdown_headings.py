"""Undoes what PDF-to-Markdown conversion does to headings.

A heading that returns on many pages is the page header. A 'heading' that is the middle of a
sentence is text: filed as a title it would be lost to search, and a recommendation cut in two
could be quoted without its end.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from os.path import commonprefix

from clinrag_core.parse.assembly import Heading, Piece

_MIN_RUNNING = 4
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[A-Z]\.|annex|appendix|chapter|section)\s", re.I)
_ENDS = re.compile(r"[.;,:)]$")
_FRAGMENT = re.compile(r"^(?:[a-z(]|\d+(?:\.\d+)?\s*(?:%|[a-zµ]+\b|or\b|to\b|and\b))")
_SENTENCE_END = re.compile(r"[.!?:;)\]\"”’]$")
_PAGE_TAIL = re.compile(r"^\s*(?:\d{1,4}|[ivxlc]{1,7})?(?=[^a-z0-9]|[A-Z]|[a-z]|$)")
_LEADERS = re.compile(r"\s+\d{1,3}$")


@dataclass(frozen=True, slots=True)
class Mended:
    """Items with their headings set right, and what was done."""

    items: list[Heading | Piece]
    running: int = 0
    running_title: str | None = None
    demoted: int = 0


def mend(items: list[Heading | Piece]) -> Mended:
    """Drop running headers, turn broken-off sentences back into text."""
    kept, running, title = _drop_running(items)
    out: list[Heading | Piece] = []
    demoted = 0
    for index, item in enumerate(kept):
        following = kept[index + 1] if index + 1 < len(kept) else None
        previous = out[-1] if out else None
        if isinstance(item, Heading) and _is_text(item, previous, following):
            demoted += 1
            out.append(Piece("paragraph", item.title, item.place))
        else:
            out.append(item)
    return Mended(_join(out), running, title, demoted)


def _drop_running(
    items: list[Heading | Piece],
) -> tuple[list[Heading | Piece], int, str | None]:
    counts = Counter(i.title for i in items if isinstance(i, Heading))
    titles = {t for t, n in counts.items() if n >= _MIN_RUNNING and not _NUMBERED.match(t)}
    out: list[Heading | Piece] = []
    dropped = 0
    for title in sorted(titles):
        after = [
            b.text
            for a, b in zip(items, items[1:], strict=False)
            if isinstance(a, Heading) and a.title == title and isinstance(b, Piece)
        ]
        tail = _common_start(after)
        if tail is None:
            continue
        kept: list[Heading | Piece] = []
        cut = False
        for item in items:
            if isinstance(item, Heading) and item.title == title:
                cut, dropped = True, dropped + 1
                continue
            if cut and isinstance(item, Piece) and item.text.startswith(tail):
                rest = _PAGE_TAIL.sub("", item.text[len(tail) :], count=1).strip()
                if rest:
                    kept.append(replace(item, text=rest))
            else:
                kept.append(item)
            cut = False
        items = kept
    out = items
    return out, dropped, ", ".join(sorted(titles)) if dropped else None


def _common_start(texts: list[str]) -> str | None:
    """Words that most of the texts begin with; None where fewer than half share any."""
    if len(texts) < _MIN_RUNNING:
        return None
    first = Counter(t.split()[0] for t in texts if t.split()).most_common(1)[0][0]
    sharing = [t for t in texts if t.startswith(first)]
    if len(sharing) * 2 < len(texts):
        return None
    prefix = commonprefix(sharing)
    return prefix.rstrip("0123456789ivxlc ") if prefix[-1:].isdigit() else prefix.rstrip()


def _is_text(item: Heading, previous: Heading | Piece | None, following: Heading | Piece | None) -> bool:
    """Whether a heading is a broken-off piece of a sentence."""
    title = item.title
    if _FRAGMENT.match(title):
        return True
    after = following.text if isinstance(following, Piece) else ""
    if after[:1].islower() and not _ENDS.search(title):
        return True  # the sentence goes on below
    if isinstance(previous, Piece) and previous.kind == "paragraph":
        open_before = not _SENTENCE_END.search(previous.text) and len(previous.text.split()) > 8
        if open_before and not _NUMBERED.match(title):
            return True
    return title.endswith((";", ",", ".")) and len(title.split()) > 8


def _join(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Join paragraphs that one sentence was cut into."""
    out: list[Heading | Piece] = []
    for item in items:
        last = out[-1] if out else None
        if (
            isinstance(item, Piece)
            and isinstance(last, Piece)
            and item.kind == last.kind == "paragraph"
            and not _SENTENCE_END.search(last.text)
            and (item.text[:1].islower() or item.text[:1].isdigit() or last.text[-1:] in ",-–/(")
        ):
            glue = "" if re.search(r"[a-z]-$", last.text) else " "
            out[-1] = replace(last, text=f"{last.text}{glue}{item.text}")
        else:
            out.append(item)
    return out

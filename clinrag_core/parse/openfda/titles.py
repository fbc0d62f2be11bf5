"""Where the title of a numbered subsection ends in a flat text.

openFDA writes '5.1 Liver Injury Liver injury was seen ...': title and first sentence on one line;
only some answers keep the line break. A title is cut only where the sentence after it can be
recognised: it repeats the title's first words, names the drug, or begins with a word that begins
sentences. Otherwise the subsection keeps its bare number: no title is better than a wrong one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.loader import load_table
from clinrag_core.lexicon.sections import standard_headings
from clinrag_core.model.base import Record
from clinrag_core.parse.spl.xml import squeeze
from clinrag_core.text.list_signs import BULLETS

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_TITLE_WORDS = 24  # by which the title of a section has ended
# Shorter words ('A', 'In') begin titles and sentences alike; 2 and 6 give the same so far.
_ECHO_LETTERS = 3
_REPEATED_LETTERS = 8  # of 'Pediatric'; shorter words ('Risk') may be twice in one title
_STUDY = re.compile(r"\(\w+[ -]\d+\)$")
_NUMBER = re.compile(r"(\d{1,2})\.\d{1,2}\.?\s+")


class FlatTitleTable(Record):
    """The words of `lexicons/flat_titles.toml`."""

    small: frozenset[str]
    openers: frozenset[str]
    weak_openers: frozenset[str]
    kinds: frozenset[str]
    verbs: frozenset[str]
    forms: frozenset[str]


def _table() -> FlatTitleTable:
    return load_table("flat_titles", FlatTitleTable)


_LIST = re.compile(rf"[{BULLETS}*]|\[see\b|\(see\b|\d{{1,2}}[.)]\s+[A-Z]|table\s+\d", re.IGNORECASE)
_WORD = re.compile(r"\S+")


class _Names(NamedTuple):
    """Words of the drug's names: the first of each name, and all."""

    first: frozenset[str]
    any: frozenset[str]


def heading_title(text: str, names: Collection[str] = ()) -> str:
    """Return the title that a subsection's text starts with, e.g. '5.1 Liver Injury'.

    With line breaks it is the first line. If its end is not sure, the bare number or an empty
    string is returned. `names` are those of the label's drug in lower case, since a sentence may
    begin with one.
    """
    line, _, rest = text.strip().partition("\n")
    if rest:
        return squeeze(line)
    flat = squeeze(text)
    match = _NUMBER.match(flat)
    if match is None:
        return _cut(flat, names)
    number = match.group(0).strip(" .")
    body = flat[match.end() :]
    title = _standard(body, int(match.group(1))) or _cut(body, names)
    title = "" if _is_two_titles(title) else title
    return f"{number} {title}".strip()


def _is_two_titles(title: str) -> bool:
    """Return whether a title has the one below it as well, which heads only part of the section.

    '14.2 Trials in Adults Untreated Adults - ALFA (Study 12)': a word again, or a study's name.
    """
    words = [word for word in title.split() if len(word) >= _REPEATED_LETTERS]
    is_list = "," in title  # "Patients with Liver Disease, Older Patients" is one title
    return (len(set(words)) < len(words) and not is_list) or bool(_STUDY.search(title))


def _standard(body: str, main: int) -> str:
    """Return the standard heading that the text starts with, unless the title goes on after it."""
    for heading in standard_headings(main):
        match = re.match(rf"{re.escape(heading)}(?![\w-])\s*(\S*)", body, re.IGNORECASE)
        if match:
            goes_on = match[1] in _table().small or match[1][:1] in tuple("(&/:,")
            return "" if goes_on else body[: len(heading)]
    return ""


def _cut(body: str, names: Collection[str]) -> str:
    """Return the words before the first sentence that can be recognised; empty if there is none."""
    spans = [m.span() for m in _WORD.finditer(body[:500])][: MAX_TITLE_WORDS + 8]
    words = [body[a:b] for a, b in spans]
    drug = _Names(
        first=frozenset(name.split()[0] for name in names if name),
        any=frozenset(token for name in names for token in name.split()),
    )
    for index, word in enumerate(words[: MAX_TITLE_WORDS + 1]):
        if index and words[index - 1].lower() not in _table().small and words[index - 1] != "-":
            rest = body[spans[index][0] :]
            if _LIST.match(rest) or _opens_sentence(words, index, drug):
                return " ".join(words[:index]).rstrip(" :–—-")
        # A title's words have a capital, or are small.
        if word[:1].islower() and word not in _table().small and word.islower():
            return ""
    return ""


def _opens_sentence(words: list[str], index: int, drug: _Names) -> bool:
    """Return True if a sentence begins at a word."""
    word, following = words[index], words[index + 1 : index + 8]
    if not word[:1].isupper() or not following:
        return False
    if _echoes(words, index) or word in _table().openers:
        return True
    if word in _table().weak_openers and words[index - 1] not in _table().kinds:
        lower = next((w for w in following if w not in _table().small), "")[:1].islower()
        named = word in ("Because", "When") and _bare(following[0]) in drug.first
        return lower or named or (word == "In" and following[0] in ("Study", "Studies"))
    if _bare(word) in drug.first:
        return _is_subject(following, drug)
    return following[0] in _table().verbs or _only_capital(word, following[0], drug)


def _is_subject(following: list[str], drug: _Names) -> bool:
    """Return True if a verb or the like follows a drug's name: 'ZAPID and ZAPID Quick are'."""
    if _bare(following[0]) in drug.first:
        return False  # the title ends in a name and the sentence begins with the next
    rest = [w for w in following if _bare(w) not in drug.any | _table().forms]
    if len(rest) > 1 and rest[0][:1].isupper() and rest[0] != following[0]:
        del rest[0]  # the second word of a brand name
    return bool(rest) and rest[0][:1].islower()


def _only_capital(word: str, following: str, drug: _Names) -> bool:
    """Return True for the only capital before lower case: 'Liver Injury Rare cases of'."""
    plain = word.replace("-", "").isalpha() and not word.isupper() and _bare(word) not in drug.any
    lower = following.replace("-", "").strip(",").isalpha() and following.islower()
    return plain and lower and following not in _table().small


def _echoes(words: list[str], index: int) -> bool:
    """Return True if the sentence repeats the title: 'Liver Injury Liver injury was ...'."""
    first = _bare(words[0])
    if _bare(words[index]) != first or len(first) < _ECHO_LETTERS:
        return False
    following = words[index + 1]
    return index == 1 or following[:1].islower() or _bare(following) == _bare(words[1])


def _bare(word: str) -> str:
    return word.strip("()[],.;:®™").casefold()

"""The table of clinical wordings with the plain words that patients read instead."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from pydantic import field_validator

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import LazyExpression, lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = lazy_re(r"(?<![\w/-])[^\W_][\w-]*|[↑↓](?=\s?[a-z])")
_IN_BRACKETS = lazy_re(r"\(.*?\)")
_FIRST_LETTERS = lazy_re(r"[^\W_]+")
_OPTIONAL = lazy_re(r"\\\((.*?)\\\)")


class WordLists(Record):
    """Words by what they mean for a reader who is no professional."""

    known: frozenset[str]
    general: frozenset[str]
    professional: frozenset[str]
    grammar: frozenset[str]

    @field_validator("*", mode="before")
    @classmethod
    def _words(cls, listed: object) -> object:
        return frozenset(listed.split()) if isinstance(listed, str) else listed


class TermUse(NamedTuple):
    """A clinical wording in a text, with the plain words for it."""

    start: int
    end: int
    plain: str


class ClinicalTermTable(Record):
    """Clinical wordings by subject, each with its plain words, and the word lists."""

    terms: dict[str, dict[str, str]]
    words: WordLists

    @cached_property
    def pairs(self) -> dict[str, str]:
        """Plain words of every wording, as printed in the table."""
        return {term: plain for rows in self.terms.values() for term, plain in rows.items()}

    @cached_property
    def _patterns(self) -> dict[str, tuple[LazyExpression, tuple[str, ...]]]:
        """By first word, an expression with a group for each wording, the longest first.

        One expression of all wordings takes milliseconds a sentence.
        """
        by_word: dict[str, list[str]] = {}
        for term in sorted(self.pairs, key=lambda term: (-len(term), term)):
            without = _IN_BRACKETS.sub("", term)
            for form in {without, term.replace("(", "").replace(")", "")}:
                by_word.setdefault(_first_word(form.casefold()), []).append(term)
        patterns: dict[str, tuple[LazyExpression, tuple[str, ...]]] = {}
        for word, terms in by_word.items():
            wordings = (_OPTIONAL.sub(r"(?:\1)?", re.escape(term.casefold())) for term in terms)
            groups = "|".join(rf"({wording})" for wording in wordings)
            end = r"(?![\w-]|[./]\w)" if word else r"\s?"  # an arrow may touch the next word
            patterns[word] = (LazyExpression(rf"(?:{groups}){end}"), tuple(terms))
        return patterns

    def uses(self, text: str) -> Iterator[TermUse]:
        """Yield the clinical wordings of a text in order, the longest at each place."""
        folded, end = fold_chars(text), 0
        for word in _WORD.finditer(folded):
            found = self._patterns.get(_first_word(word.group()))
            match = found[0].match(folded, word.start()) if found else None
            if word.start() < end or match is None or found is None or match.lastindex is None:
                continue
            terms, end = found[1], match.end()
            matched = text[match.start() : match.end()]
            term = terms[match.lastindex - 1]
            if term[:2].isupper() and (not matched[:2].isupper() or _in_parentheses(text, match)):
                end = match.start()
                continue  # a word with the same letters, or what a plain wording is short for
            words = self.pairs[term].replace("{}", _inside_a_sentence(matched))
            plural = "s" if matched.casefold().endswith("s") else ""
            words = words.replace("(s)", plural).replace("(es)", "es" if plural else "")
            yield TermUse(match.start(), match.end(), words)


def _first_word(text: str) -> str:
    """Return the first four letters that a text begins with: wordings may have endings."""
    match = _FIRST_LETTERS.match(text)
    return match.group()[:4] if match else ""


def _inside_a_sentence(words: str) -> str:
    """Return words without the capital of a first word; abbreviations keep their capitals."""
    return words[:1].lower() + words[1:] if words[1:].islower() else words


def _in_parentheses(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith("(") and text[match.end() :].startswith(")")


@cache
def clinical_terms() -> ClinicalTermTable:
    """Return the shipped table."""
    return load_table("clinical_terms", ClinicalTermTable)

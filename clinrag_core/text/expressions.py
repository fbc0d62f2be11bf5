"""Regular expressions: compiled when they are needed, and joined to reject a text fast."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakSet

from clinrag_core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Pattern

TABLES = 64
"""Sets of expressions whose union is kept: there are about twenty."""
LOOKBACK = 64
"""Characters before a place in which an expression that ends there is searched for. The number
decides nothing (twice as many read the same in every statement of the corpora), but a bound keeps
the time linear: without one, 60,000 characters with 4,000 figures take 12 s instead of 0.2.
"""
_BOUNDARY = r"\b"
_LETTER = re.compile(r"[a-z](?![?*+{])")
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")
_ATTRIBUTES = (*_METHODS, "scanner", "flags", "groups", "groupindex")
BRACKETS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)
"""What divides an expression; a sign behind a backslash or in a class is passed over."""
_LEADING = re.compile(r"\(\?:([a-z|]+)\)(?![?*+{])")
"""A group of plain words that an alternative begins with."""


class LazyExpression:
    """A regular expression that is compiled when it is first searched for; else as `re.Pattern`.

    The tables hold 600 of them and the modules 500, most of which no word of a question calls for:
    compiling all took a third of the time of an answer at the command line. A copy is as lazy.
    """

    _every: ClassVar[WeakSet[LazyExpression]] = WeakSet()

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags
        self._every.add(self)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled expression, and keep its methods.

        Raises:
            ConfigurationError: the expression is malformed.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            compiled = re.compile(self.pattern, self._flags)
        except re.error as error:
            raise ConfigurationError(f"the expression {self.pattern!r}: {error}") from error
        for one in _ATTRIBUTES:
            setattr(self, one, getattr(compiled, one))
        return getattr(compiled, name)

    @classmethod
    def compile_all(cls) -> None:
        """Compile every one that there is: for a service, which takes no question before.

        Raises:
            ConfigurationError: one is malformed.
        """
        for one in list(cls._every):
            one.flags  # noqa: B018 - reading it compiles

    def __reduce__(self) -> tuple[type[LazyExpression], tuple[str, int]]:
        return LazyExpression, (self.pattern, self._flags)


def lookback(at: int) -> int:
    """Return where to begin searching for an expression that ends at a place of a text."""
    return max(0, at - LOOKBACK)


def lazy_re(pattern: str, flags: int = 0) -> Pattern[str]:
    """Return an expression as `re.compile` does, compiled when it is first used.

    For the constants of a module: a malformed one is an error when it is first used. The functions
    of `re`, such as `re.sub`, do not take it; its methods are the same.
    """
    return cast("Pattern[str]", LazyExpression(pattern, flags))


@lru_cache(maxsize=TABLES)
def any_of(expressions: tuple[Pattern[str], ...]) -> Pattern[str]:
    """Return one expression that matches where any of some does; most texts match none.

    Alternatives that begin at a word are tried at the beginnings of words only, and as a tree:
    searching a text for 92 diseases takes 0.02 instead of 0.5 ms. Of several alternatives that
    match at a place, another than the first may be the one that matches.
    """
    return joined(one for expression in expressions for one in alternatives(expression.pattern))


def joined(every: Iterable[str]) -> Pattern[str]:
    """Return one expression of alternatives; see `any_of`."""
    every = list(every)
    of_words = [one.removeprefix(_BOUNDARY) for one in every if one.startswith(_BOUNDARY)]
    others = [one for one in every if not one.startswith(_BOUNDARY)]
    words = [rf"\b{as_tree(of_words)}"] if of_words else []
    return lazy_re("|".join([*words, *others]))


def as_tree(every: Iterable[str]) -> str:
    """Return alternatives as one group, in which those with the same first letters share them.

    A place in a text is then compared with the letters that some begin with, not with each of them.
    """
    shared: dict[str, list[str]] = {}
    others: list[str] = []
    for one in every:
        leading = _LEADING.match(one)
        words = leading[1].split("|") if leading else [""]
        rest = one[leading.end() :] if leading else one
        for word in words:
            if _LETTER.match(word + rest):
                shared.setdefault((word + rest)[0], []).append((word + rest)[1:])
            else:
                others.append(word + rest)
    branches = [
        letter + (as_tree(rest) if len(rest) > 1 else rest[0]) for letter, rest in shared.items()
    ]
    return f"(?:{'|'.join([*branches, *others])})"


def alternatives(pattern: str) -> list[str]:
    """Return the alternatives of an expression, those outside brackets."""
    if "|" not in pattern:
        return [pattern]
    found, depth, start = list[str](), 0, 0
    for sign in BRACKETS.finditer(pattern):
        if sign[0] == "|" and not depth:
            found.append(pattern[start : sign.start()])
            start = sign.end()
        else:
            depth += (sign[0] == "(") - (sign[0] == ")")
    return [*found, pattern[start:]]

"""What a start computes from shipped data, kept for the next one (ADR 0046).

Regular expressions, stems, word lists and parsed tables take most of the time of a command that
answers one question, and are the same each time. They are kept where Python keeps compiled code,
and a value is taken only where all that decides it is unchanged. Nothing that a user wrote is kept:
recording ends before a question is read.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
import sys
import threading
import uuid
from array import array
from contextlib import suppress
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORMAT = f"kept/1 {sys.version}"
DIGEST = 32
MARSHAL_VERSION = 4
_CODE = "I"
"""Type of the units of compiled expressions."""
_compiler: Any = getattr(re, "_compiler", None)


class KeptValues:
    """Values by name, read from one file and written to it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[Any, Any] = read_values(file, FORMAT) or {}
        self._used: dict[Any, Any] = {}
        self._new = 0
        self.recording = True

    @property
    def is_complete(self) -> bool:
        """Whether nothing had to be computed so far."""
        return not self._new

    def get(self, key: Any) -> Any:
        """Return the value of a key, a name and all that decides the value; None if not kept."""
        value = self._known.get(key)
        if value is not None and self.recording:
            self._used[key] = value
        return value

    def add(self, key: Any, value: Any) -> None:
        """Record a value of a key, unless recording has ended."""
        if self.recording:
            self._used[key] = value
            self._new += 1

    def write(self) -> None:
        """End recording and write what was used; where that cannot be written, nothing is kept."""
        self.recording = False
        write_values(self._file, FORMAT, self._used)


def write_values(file: Path, form: str, values: Any) -> None:
    """Write values; not where the folder cannot be written, or `marshal` does not take them."""
    part = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        data = marshal.dumps((form, values), MARSHAL_VERSION)
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(hashlib.blake2b(data, digest_size=DIGEST).digest() + data)
        part.replace(file)
    except (OSError, ValueError):
        with suppress(OSError):
            part.unlink()


def read_values(file: Path, form: str) -> Any:
    """Return what was written; None where it is absent, damaged or of another format."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if hashlib.blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
        return None
    # Files that this program wrote, where compiled code and states are: as trusted as these.
    version, values = marshal.loads(data[DIGEST:])  # noqa: S302  # nosec B302
    return values if version == form else None


_values: KeptValues | None = None


def kept_file() -> Path:
    """Return the file next to the compiled code of this package."""
    return Path(cache_from_source(__file__)).with_suffix(".bin")


def keep(file: Path) -> KeptValues:
    """Take values of a file from now on in this process, compiled expressions too."""
    global _values  # noqa: PLW0603 - one for the process, like `sys.modules`
    _values = KeptValues(file)
    _keep_expressions(_values)
    return _values


def kept(name: str, deciding: Iterable[object], make: Callable[[], Any]) -> Any:
    """Return what `make` gives, or what it gave an earlier process.

    Args:
        name: of the value.
        deciding: everything else that decides the value; see `look` for files.
        make: computes a value of None, numbers, strings, bytes and collections of those.
    """
    if _values is None:
        return make()
    key = (name, *deciding)
    value = _values.get(key)
    if value is None:
        value = make()
        _values.add(key, value)
    return value


class KeptWords:
    """Results of a function of one word, kept together."""

    def __init__(self, name: str, deciding: Iterable[object]) -> None:
        self._key = (name, *deciding)
        self._words: dict[str, str] = (_values.get(self._key) if _values else None) or {}

    def of(self, word: str, make: Callable[[str], str]) -> str:
        """Return what `make` gives for a word, or what it gave an earlier process."""
        known = self._words.get(word)
        if known is None:
            known = make(word)
            if _values is not None and _values.recording:
                self._words[word] = known
                _values.add(self._key, self._words)
        return known


def look(module: str, *files: str) -> tuple[Any, ...]:
    """Return size and time of the source of a module and of files next to it, as of `.pyc` files.

    The module is not imported.
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return (module,)
    paths = (spec.origin, *(os.path.join(os.path.dirname(spec.origin), f) for f in files))  # noqa: PTH118, PTH120 - on the path of every start
    return tuple((s.st_size, s.st_mtime_ns) for s in map(os.stat, paths))


class _Compiled(threading.local):
    """Stands in for the C module of `re`, and remembers with what it was called last."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self.arguments: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def compile(self, *arguments: Any) -> Any:
        """Compile, as the C module does."""
        self.arguments = arguments
        return self._module.compile(*arguments)


def _keep_expressions(values: KeptValues) -> None:
    """Compile expressions from their kept code; a pattern with its flags decides it all.

    `re` has no way to store a compiled expression; its C module takes the code and checks it.
    """
    module, compiled = _compiler._sre, _Compiled(_compiler._sre)  # noqa: SLF001 - see above
    original, size = _compiler.compile, module.CODESIZE
    if size != array(_CODE).itemsize:
        return

    def compile_kept(pattern: Any, flags: Any = 0) -> Any:
        """Return the compiled expression."""
        if not isinstance(pattern, str):
            return original(pattern, flags)
        key = ("re", pattern, int(flags))
        if (known := values.get(key)) is not None:
            all_flags, code, groups, names, by_number = known
            return module.compile(
                pattern, all_flags, array(_CODE, code).tolist(), groups, names, by_number
            )
        made = original(pattern, flags)
        if values.recording and compiled.arguments[:1] == (pattern,):
            _, all_flags, code, groups, names, by_number = compiled.arguments
            stored = array(_CODE, code).tobytes()
            values.add(key, (int(all_flags), stored, groups, dict(names), by_number))
        return made

    _compiler._sre, _compiler.compile = compiled, compile_kept  # noqa: SLF001

"""API keys: only their hashes are kept, and every key belongs to one tenant.

A line of the key file is `tenant sha256 [created=DATE] [expires=DATE] [revoked=DATE]`. Keys are 32
random bytes, so a plain SHA-256 is enough: there is nothing to guess.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import hashlib
import hmac
import logging
import os
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock

from clinrag_core.errors import ConfigurationError
from clinrag_core.workspace import utc_now, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)
SHA256_DIGITS = 64  # hexadecimal
ENVIRONMENT = "CLINRAG_API_KEYS"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
SHOWN_DIGITS = 8
"""Digits of a key's hash that name it in lists: two of a thousand keys meet once in 8,000 files."""
_PREFIX = "clinrag_"
_DATES = ("created", "expires", "revoked")


class UnknownKeyError(Exception):
    """The request has no key, or one that is unknown, revoked or expired."""


def key_hash(key: str) -> str:
    """SHA-256 of a key, 64 hex digits."""
    return hashlib.sha256(key.encode()).hexdigest()


def given_key(authorization: str | None, x_api_key: str | None) -> str:
    """Return the key of a request: `X-API-Key`, a bearer token, or the password of a browser."""
    if x_api_key:
        return x_api_key
    scheme, _, value = (authorization or "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """Tenant by hash of key; without any key anybody may ask, unless one is `required`."""

    tenants: Mapping[str, str]
    expires: Mapping[str, dt.date] = field(default_factory=dict[str, dt.date])
    """First day on which a key is not valid any more."""
    required: bool = False
    """Whether a key is needed though there is none: all were revoked."""

    @property
    def needed(self) -> bool:
        """Whether a request needs a key."""
        return bool(self.tenants) or self.required

    def tenant(self, key: str, today: dt.date | None = None) -> str:
        """Return whose key it is; empty where nobody needs one.

        Raises:
            UnknownKeyError: no key, or an unknown or expired one.
        """
        if not self.needed:
            return ""
        digest, today = key_hash(key), today or utc_now().date()
        for known, tenant in self.tenants.items():
            if hmac.compare_digest(known, digest):
                if self.expires.get(known, dt.date.max) <= today:
                    break
                return tenant
        raise UnknownKeyError


class KeyEntry(NamedTuple):
    """One key as its file lists it."""

    tenant: str
    digest: str
    created: dt.date | None = None
    expires: dt.date | None = None
    revoked: dt.date | None = None

    @property
    def id(self) -> str:
        """What names the key in lists."""
        return self.digest[:SHOWN_DIGITS]

    def state(self, today: dt.date) -> str:
        """Return `valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= today else "valid"

    def line(self) -> str:
        """Return the line of the key file."""
        dates = (self.created, self.expires, self.revoked)
        stated = [f"{n}={d.isoformat()}" for n, d in zip(_DATES, dates, strict=True) if d]
        return " ".join([self.tenant, self.digest, *stated])


def read_entries(file: Path, environ: Mapping[str, str] | None = None) -> list[KeyEntry]:
    """Keys of a file and of the environment (the same, by commas).

    Raises:
        ConfigurationError: a line is malformed.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    extra = (os.environ if environ is None else environ).get(ENVIRONMENT, "")
    entries: list[KeyEntry] = []
    for number, line in enumerate([*lines, *extra.split(",")], start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            entries.append(_entry(text, f"{file.name} or {ENVIRONMENT}, entry {number}"))
    return entries


def _entry(text: str, place: str) -> KeyEntry:
    """Return the key of a line; `place` names it in the error."""
    tenant, *rest = text.split()
    digest = rest[0].lower() if rest else ""
    if len(digest) != SHA256_DIGITS or set(digest) - set("0123456789abcdef"):
        raise ConfigurationError(f"{place}: write `tenant sha256-of-key`")
    dates: dict[str, dt.date] = {}
    for part in rest[1:]:
        name, _, value = part.partition("=")
        try:
            dates[name] = dt.date.fromisoformat(value)
        except ValueError:
            name = ""
        if name not in _DATES:
            raise ConfigurationError(f"{place}: after the hash come created=, expires=, revoked=")
    return KeyEntry(tenant, digest, **dates)


def load_keys(file: Path, environ: Mapping[str, str] | None = None) -> ApiKeys:
    """Return the keys of a file and of the environment that are not revoked.

    Raises:
        ConfigurationError: a line is malformed.
    """
    entries = read_entries(file, environ)
    valid = [entry for entry in entries if entry.revoked is None]
    return ApiKeys(
        {entry.digest: entry.tenant for entry in valid},
        {entry.digest: entry.expires for entry in valid if entry.expires is not None},
        required=bool(entries),
    )


class KeyFile:
    """The keys of a file, read again when it changes; a damaged file leaves the keys before.

    Once there was a key, keys stay needed: a file that was emptied opens nothing.
    """

    def __init__(self, file: Path, *, required: bool = False) -> None:
        self._file = file
        self._seen = self._stamp()
        keys = load_keys(file)
        self._keys = ApiKeys(keys.tenants, keys.expires, required=keys.required or required)

    def __call__(self) -> ApiKeys:
        """Return the keys as the file has them now."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            try:
                keys = load_keys(self._file)
            except (ConfigurationError, OSError, UnicodeDecodeError) as error:
                # Without the message: it may hold a line of the file of keys.
                logger.error("keys are not read again: %s", type(error).__name__)  # noqa: TRY400
            else:
                required = self._keys.needed or keys.required
                self._keys = ApiKeys(keys.tenants, keys.expires, required=required)
        return self._keys

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino


def new_key(file: Path, tenant: str, days: int | None = None) -> str:
    """Make a key, keep its hash, and return it: it cannot be shown again.

    With `days` it expires after them.

    Raises:
        ConfigurationError: the tenant's name is empty or contains white space.
    """
    if not tenant or tenant.split() != [tenant] or "," in tenant:
        raise ConfigurationError(f"{tenant!r} is no name for a tenant: no spaces, no commas")
    key = _PREFIX + secrets.token_urlsafe(32)
    today = utc_now().date()
    expires = today + dt.timedelta(days=days) if days is not None else None
    entry = KeyEntry(tenant, key_hash(key), today, expires)
    _rewrite(file, lambda before: f"{before}{entry.line()}\n")
    return key


def revoke_key(file: Path, key_id: str) -> KeyEntry:
    """Revoke the key whose hash begins with `key_id`; its line stays, with the date.

    Raises:
        ConfigurationError: no key of the file, or several, begin so.
    """
    entries = read_entries(file, {})
    found = [e for e in entries if e.digest.startswith(key_id.lower())]
    if len(found) != 1 or not key_id:
        raise ConfigurationError(f"{len(found)} keys of {file.name} begin with {key_id!r}")
    revoked = found[0]._replace(revoked=utc_now().date())

    def without(before: str) -> str:
        lines = before.splitlines(keepends=True)
        return "".join(f"{revoked.line()}\n" if revoked.digest in x.lower() else x for x in lines)

    _rewrite(file, without)
    return revoked


def _rewrite(file: Path, change: Callable[[str], str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock")):
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        if before and not before.endswith("\n"):
            before += "\n"
        write_atomic(file, change(before).encode())
        file.chmod(0o600)


def check_exposure(host: str, keys: ApiKeys) -> None:
    """Refuse to listen beyond this machine without keys.

    Raises:
        ConfigurationError: it would.
    """
    if not keys.tenants and host not in LOOPBACK:
        raise ConfigurationError(
            f"{host} can be reached from other machines: make a key first "
            "(`clinrag keys new NAME`), or listen on 127.0.0.1"
        )

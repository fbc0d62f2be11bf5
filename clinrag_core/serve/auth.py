"""API keys: only their hashes are kept, and every key belongs to one tenant.

Keys are 32 random bytes, so a plain SHA-256 is enough: there is nothing to guess.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import HTTPException
from filelock import FileLock

from clinrag_core.errors import ConfigurationError
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SHA256_DIGITS = 64
ENVIRONMENT = "CLINRAG_API_KEYS"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_PREFIX = "clinrag_"


def key_hash(key: str) -> str:
    """SHA-256 of a key, 64 hex digits."""
    return hashlib.sha256(key.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """Tenant by hash of key; empty means that anybody may ask."""

    tenants: Mapping[str, str]

    def tenant(self, authorization: str | None, x_api_key: str | None) -> str:
        """Whose request it is, from `Authorization: Bearer` or `X-API-Key`.

        Raises:
            HTTPException: 401, no key or an unknown one.
        """
        if not self.tenants:
            return ""
        scheme, _, bearer = (authorization or "").partition(" ")
        given = x_api_key or (bearer.strip() if scheme.lower() == "bearer" else "")
        digest = key_hash(given)
        for known, tenant in self.tenants.items():
            if hmac.compare_digest(known, digest):
                return tenant
        raise HTTPException(
            401, "an API key is needed", headers={"WWW-Authenticate": 'Bearer realm="clinrag"'}
        )


def load_keys(file: Path, environ: Mapping[str, str] | None = None) -> ApiKeys:
    """Keys of a file (`tenant sha256` a line) and of the environment (the same, by commas).

    Raises:
        ConfigurationError: a line is malformed.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    extra = (os.environ if environ is None else environ).get(ENVIRONMENT, "")
    tenants: dict[str, str] = {}
    for number, line in enumerate([*lines, *extra.split(",")], start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        tenant, _, digest = text.partition(" ")
        digest = digest.strip().lower()
        if len(digest) != SHA256_DIGITS or set(digest) - set("0123456789abcdef"):
            raise ConfigurationError(
                f"{file.name} or {ENVIRONMENT}, entry {number}: write `tenant sha256-of-key`"
            )
        tenants[digest] = tenant
    return ApiKeys(tenants)


def new_key(file: Path, tenant: str) -> str:
    """Make a key, keep its hash, and return it: it cannot be shown again.

    Raises:
        ConfigurationError: the tenant's name is empty or contains white space.
    """
    if not tenant or tenant.split() != [tenant] or "," in tenant:
        raise ConfigurationError(f"{tenant!r} is no name for a tenant: no spaces, no commas")
    key = _PREFIX + secrets.token_urlsafe(32)
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock")):
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        write_atomic(file, f"{before}{tenant} {key_hash(key)}\n".encode())
    file.chmod(0o600)
    return key


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

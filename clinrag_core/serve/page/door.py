"""Who may use the page: a browser sends its API key as the password of HTTP Basic.

The key is kept by the browser until it is closed; the page stores nothing and sets no cookie.
Browsers add such a password to requests that other sites cause, so what changes or asks anything
must come from the page itself.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import HTTPException, Request

if TYPE_CHECKING:
    from collections.abc import Callable

CHALLENGE = 'Basic realm="clinrag: any name, and your API key as the password", charset="UTF-8"'


def page_tenant(tenant: Callable[[Request], str]) -> Callable[[Request], str]:
    """Return `tenant` for browsers: it reads the key from HTTP Basic and asks for it."""

    def whose(request: Request) -> str:
        try:
            return tenant(_with_bearer(request))
        except HTTPException as error:
            if error.status_code == 401:  # noqa: PLR2004 - Unauthorized
                headers = {"WWW-Authenticate": CHALLENGE}
                raise HTTPException(401, str(error.detail), headers) from error
            raise

    return whose


def same_origin(request: Request) -> None:
    """Refuse a form that another site sends.

    Raises:
        HTTPException: 403, the request's origin is not this service.
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site not in {"same-origin", "none"}:
        raise HTTPException(403, "this form was sent from another site")


def _with_bearer(request: Request) -> Request:
    """The request with the password of HTTP Basic as a bearer token."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return request
    try:
        _, _, key = base64.b64decode(given, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        key = ""
    headers = [(n, v) for n, v in request.scope["headers"] if n != b"authorization"]
    headers.append((b"authorization", f"Bearer {key}".encode()))
    return Request({**request.scope, "headers": headers})

"""Which addresses are accepted, and how they appear in messages and records.

Only http and https addresses without credentials are accepted. Keys in a query string never appear
in a message or record.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

_SECRET = re.compile(r"key|token|secret|passw|signature|auth", re.IGNORECASE)


def url_problem(url: str) -> str | None:
    """Return why an address is not accepted, None if it is."""
    if re.search(r"[\s\x00-\x1f\\]", url):
        return "white space, a control character or a backslash in the address"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"not a valid address: {error}"
    if parts.scheme not in {"http", "https"}:
        return f"only http and https addresses are fetched, not {parts.scheme or 'a path'!r}"
    if not host:
        return "the address has no host"
    if "@" in parts.netloc:
        return "the address carries credentials; remove them"
    return None


def shown_url(url: str) -> str:
    """Return the address without credentials and secret query values."""
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return "(malformed address)"
    netloc = parts.netloc.rpartition("@")[2]
    text = parts.query
    if any(_SECRET.search(name) for name, _ in query):
        text = urlencode([(n, "..." if _SECRET.search(n) else v) for n, v in query])
    return urlunsplit((parts.scheme, netloc, parts.path, text, ""))


def with_params(url: str, params: dict[str, str]) -> str:
    """Return the address with query parameters added, in their order."""
    if not params:
        return url
    joiner = "&" if urlsplit(url).query else "?"
    return f"{url}{joiner}{urlencode(params, quote_via=quote)}"


def file_name(url: str) -> str:
    """Return the last part of the address's path, which may be empty."""
    return urlsplit(url).path.rpartition("/")[2]

"""What addresses are accepted, and how they are shown.

Only http and https without credentials inside; a key in a query string never reaches a message or
a record.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

_SECRET = re.compile(r"key|token|secret|passw|signature|auth", re.IGNORECASE)


def url_problem(url: str) -> str | None:
    """Why an address is not accepted, or None where it is."""
    if re.search(r"[\s\x00-\x1f\\]", url):
        return "white space, a control character or a backslash in the address"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"not an address: {error}"
    if parts.scheme not in {"http", "https"}:
        return f"only http and https addresses are fetched, not {parts.scheme or 'a path'!r}"
    if not host:
        return "the address names no host"
    if "@" in parts.netloc:
        return "the address carries credentials; remove them"
    return None


def shown_url(url: str) -> str:
    """The address for messages and records: credentials and secret query values left out."""
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
    """The address with query parameters added, in the order given."""
    if not params:
        return url
    joiner = "&" if urlsplit(url).query else "?"
    return f"{url}{joiner}{urlencode(params, quote_via=quote)}"


def file_name(url: str) -> str:
    """Last part of the address's path, empty where it has none."""
    return urlsplit(url).path.rpartition("/")[2]

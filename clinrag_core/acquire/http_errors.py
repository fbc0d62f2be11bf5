"""What a failed request means: try again now, try again in a later run, or never."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from clinrag_core.acquire.politeness import retry_after
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Generator

    from clinrag_core.settings import AcquireSettings

_RETRIED_4XX = {408, 425, 429}
_PERMANENT_5XX = {501, 505}


class RetryableError(FetchError):
    """A failure worth another try in this run; `retry_after` is in seconds, None where unasked."""

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, transient=True, status=status)
        self.retry_after = retry_after


def status_error(
    response: httpx.Response, url: str, now: float, settings: AcquireSettings
) -> FetchError:
    """The error of an answer that is none.

    408, 425, 429 and 5xx are tried again; a server that asks to wait longer than
    `backoff_max_s` is left alone until a later run. All else is permanent.
    """
    status = response.status_code
    phrase = httpx.codes.get_reason_phrase(status)
    message = f"{shown_url(url)}: HTTP {status} {phrase}".rstrip()
    retried = status in _RETRIED_4XX or (status >= 500 and status not in _PERMANENT_5XX)
    if not retried:
        return FetchError(message, status=status)
    wait = retry_after(response.headers.get("Retry-After"), now)
    if wait is not None and wait > settings.backoff_max_s:
        return FetchError(
            f"{message}; the server asks to wait {wait:.0f} s", transient=True, status=status
        )
    return RetryableError(message, status=status, retry_after=wait)


@contextmanager
def translated(url: str) -> Generator[None, None, None]:
    """Turn the HTTP library's errors into `FetchError`."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise RetryableError(f"{shown_url(url)}: timed out ({type(error).__name__})") from error
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
        raise FetchError(f"{shown_url(url)}: {error}") from error
    except httpx.TransportError as error:
        if _is_certificate_error(error):
            raise FetchError(
                f"{shown_url(url)}: its certificate cannot be verified; set SSL_CERT_FILE where a "
                "proxy signs connections"
            ) from error
        raise RetryableError(f"{shown_url(url)}: {error or type(error).__name__}") from error
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchError(f"{shown_url(url)}: not an address: {error}") from error


def _is_certificate_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False

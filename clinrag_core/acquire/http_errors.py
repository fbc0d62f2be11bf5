"""Errors of failed requests: retry in this run, retry in a later run, or never."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx

from clinrag_core.acquire.politeness import retry_after
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Generator

    from clinrag_core.settings import AcquireSettings

_RETRIED_4XX = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
_PERMANENT_5XX = {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}


class RetryableError(FetchError):
    """A failure to retry in this run, after `retry_after` seconds if the server states them."""

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, transient=True, status=status)
        self.retry_after = retry_after


def status_error(
    response: httpx.Response, url: str, now: float, settings: AcquireSettings
) -> FetchError:
    """Return the error for a response with an error status.

    408, 425, 429 and 5xx are retried; a server that requests a longer wait than `backoff_max_s` is
    left to a later run. All other statuses are permanent.
    """
    status = response.status_code
    phrase = httpx.codes.get_reason_phrase(status)
    message = f"{shown_url(url)}: HTTP {status} {phrase}".rstrip()
    server_error = httpx.codes.is_server_error(status) and status not in _PERMANENT_5XX
    if not server_error and status not in _RETRIED_4XX:
        return FetchError(message, status=status)
    wait = retry_after(response.headers.get("Retry-After"), now)
    if wait is not None and wait > settings.backoff_max_s:
        return FetchError(
            f"{message}; the server requests a wait of {wait:.0f} s", transient=True, status=status
        )
    return RetryableError(message, status=status, retry_after=wait)


@contextmanager
def translated(url: str) -> Generator[None, None, None]:
    """Turn the HTTP library's exceptions into `FetchError`."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise RetryableError(f"{shown_url(url)}: timed out ({type(error).__name__})") from error
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
        raise FetchError(f"{shown_url(url)}: {error}") from error
    except httpx.TransportError as error:
        if _is_certificate_error(error):
            raise FetchError(
                f"{shown_url(url)}: its certificate cannot be verified; set SSL_CERT_FILE if a "
                "proxy signs connections"
            ) from error
        raise RetryableError(f"{shown_url(url)}: {error or type(error).__name__}") from error
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchError(f"{shown_url(url)}: not a valid address: {error}") from error


def _is_certificate_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False

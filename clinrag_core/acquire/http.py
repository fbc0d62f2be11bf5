"""An HTTP client with a least time between requests, retries, resumed downloads and size limits.

It returns the bytes that a server declares complete. `magic` and checksums decide whether they are
the document.
"""

from __future__ import annotations

import logging
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import tenacity
from filelock import FileLock

from clinrag_core.acquire.addresses import (
    connected_to,
    is_proxied,
    is_public,
    redirect_address,
    resolved,
)
from clinrag_core.acquire.archive import ArchiveLimits, gunzip
from clinrag_core.acquire.http_errors import RetryableError, status_error, translated
from clinrag_core.acquire.partial import Partial, Validators
from clinrag_core.acquire.politeness import HostTurns
from clinrag_core.acquire.urls import shown_url, url_problem, with_params
from clinrag_core.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from clinrag_core.acquire.addresses import Resolve
    from clinrag_core.settings import AcquireSettings

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_MIN_BYTES_PER_S = 1024
"""A slower body is abandoned after the timeout. Otherwise a server that sends one byte before each
read timeout would block a run indefinitely."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Response to a small request."""

    status: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Download:
    """A file as served; `content` is None if it has not changed since the validators."""

    final_url: str
    content: bytes | None
    validators: Validators


class HttpClient:
    """Sends requests for one thread and keeps partial downloads.

    `cache` has partial files and the times of requests and may be deleted at any time. `jitter`
    gives a number of [0, 1) that spreads retries. The default transport uses the environment's
    proxies and certificates. `resolve` gives the addresses of a host that a redirect names.
    """

    def __init__(
        self,
        settings: AcquireSettings,
        cache: Path,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
        transport: httpx.BaseTransport | None = None,
        resolve: Resolve = resolved,
    ) -> None:
        self._settings = settings
        self._partials = cache / "partial"
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self._resolve = resolve
        self._uses_proxies = transport is None
        self._turns = HostTurns(cache / "hosts", settings.host_interval_s, sleep, clock)
        self._client = httpx.Client(
            headers={"User-Agent": settings.user_agent, "Accept-Encoding": "identity"},
            timeout=settings.timeout_s,
            follow_redirects=False,
            transport=transport,
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(
        self,
        url: str,
        params: dict[str, str] | None = None,
        *,
        accept: str = "*/*",
        statuses: tuple[int, ...] = (HTTPStatus.OK,),
    ) -> Reply:
        """Return a small resource, such as a page of an API; `statuses` are not errors.

        Raises:
            FetchError: no acceptable response after all attempts.
        """
        full = with_params(url, params or {})

        def once() -> Reply:
            with self._open(full, {"Accept": accept}) as (response, _):
                if response.status_code not in statuses:
                    raise status_error(response, full, self._clock(), self._settings)
                body = b"".join(self._body(response, full))
                return Reply(response.status_code, self._decoded(response, body, full))

        return self._retried(once)

    def download(self, url: str, *, validators: Validators | None = None) -> Download:
        """Return a file; an interrupted download of this or an earlier run is resumed.

        With the validators of the stored copy, an unchanged file is not sent again.

        Raises:
            FetchError: the download failed; `transient` says whether a later run may succeed.
        """
        partial = Partial(self._partials, url)
        with FileLock(partial.lock_path):
            try:
                return self._retried(lambda: self._download_once(url, partial, validators))
            except FetchError as error:
                if not error.transient:
                    partial.discard()
                raise

    def _download_once(self, url: str, partial: Partial, known: Validators | None) -> Download:
        """Send one request for a file, or for its missing bytes."""
        headers = (known or Validators()).conditional_headers() | partial.resume_headers()
        with self._open(url, headers) as (response, final_url):
            status = response.status_code
            validators = Validators(
                etag=response.headers.get("ETag"),
                last_modified=response.headers.get("Last-Modified"),
            )
            if status == HTTPStatus.NOT_MODIFIED and known is not None:
                return Download(final_url, None, known)
            if status == HTTPStatus.OK:
                partial.restart(validators)
            elif status == HTTPStatus.PARTIAL_CONTENT:
                if not partial.continues(response.headers.get("Content-Range"), validators):
                    partial.discard()
                    raise RetryableError(f"{shown_url(url)}: received another part than requested")
            elif status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                partial.discard()
                raise RetryableError(f"{shown_url(url)}: the partial file is out of date")
            else:
                raise status_error(response, url, self._clock(), self._settings)
            size, total = partial.extend(self._body(response, url)), _total_size(response)
            if total is not None and size != total:
                raise RetryableError(f"{shown_url(url)}: received {size} of {total} bytes")
            content = self._decoded(response, partial.read(), url)
        partial.discard()
        return Download(final_url, content, validators)

    def _body(self, response: httpx.Response, url: str) -> Iterator[bytes]:
        """Yield the body as sent; stop at the size limit and at a too low rate."""
        limit, stated = self._settings.max_bytes, _total_size(response)
        if stated is not None and stated > limit:
            raise FetchError(f"{shown_url(url)}: {stated} bytes, more than the {limit} accepted")
        size, began = 0, self._clock()
        with translated(url):
            for piece in response.iter_raw():
                size += len(piece)
                passed = self._clock() - began
                if passed > self._settings.timeout_s and size < passed * _MIN_BYTES_PER_S:
                    raise RetryableError(
                        f"{shown_url(url)}: {size} bytes in {passed:.0f} s, less than "
                        f"{_MIN_BYTES_PER_S} B/s"
                    )
                if size > limit:
                    raise FetchError(f"{shown_url(url)}: more than the {limit} bytes accepted")
                yield piece

    def _decoded(self, response: httpx.Response, body: bytes, url: str) -> bytes:
        """Undo a content encoding that the server applied although none was requested."""
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in {"", "identity"}:
            return body
        if encoding in {"gzip", "x-gzip"}:
            return gunzip(body, shown_url(url), ArchiveLimits(self._settings.max_bytes))
        raise FetchError(f"{shown_url(url)}: unsupported content encoding {encoding!r}")

    @contextmanager
    def _open(
        self, url: str, headers: dict[str, str]
    ) -> Generator[tuple[httpx.Response, str], None, None]:
        """Send a request and follow redirects, never from https to http or to a private address.

        Yields the response and the address that gave it. Only a source that is itself of a private
        network may redirect there, and to itself alone.
        """
        current, address, is_private = url, None, None
        for _ in range(self._settings.max_redirects + 1):
            response = self._send(current, headers, address)
            if is_private is None:
                came_from = connected_to(response)
                is_private = came_from is None or not is_public(came_from)
            target = response.headers.get("Location")
            if not (response.is_redirect and target):
                try:
                    yield response, current
                finally:
                    response.close()
                return
            response.close()
            following = urljoin(current, target)
            if urlsplit(current).scheme == "https" and urlsplit(following).scheme != "https":
                raise FetchError(
                    f"{shown_url(url)}: redirected from https to {shown_url(following)}"
                )
            address = None
            if not (is_private and urlsplit(following).hostname == urlsplit(url).hostname):
                proxied = self._uses_proxies and is_proxied(following)
                address = redirect_address(following, self._resolve, proxied=proxied)
            current = following
        raise FetchError(
            f"{shown_url(url)}: more than {self._settings.max_redirects} redirects (a loop?)"
        )

    def _send(
        self, url: str, headers: dict[str, str], address: str | None = None
    ) -> httpx.Response:
        """Send one request; with an address, to it and to no other that the name may have."""
        if problem := url_problem(url):
            raise FetchError(f"{shown_url(url)}: {problem}")
        self._turns.wait(urlsplit(url).netloc)
        with translated(url):
            request = self._client.build_request("GET", url, headers=headers)
            if address is not None:
                # The certificate is still the one of the name; the connection serves nothing else.
                request.extensions["sni_hostname"] = request.url.host
                request.headers["Connection"] = "close"
                request.url = request.url.copy_with(host=address)
            return self._client.send(request, stream=True)

    def _retried(self, once: Callable[[], _T]) -> _T:
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._settings.attempts),
            wait=self._wait,
            retry=tenacity.retry_if_exception_type(RetryableError),
            sleep=self._sleep,
            before_sleep=tenacity.before_sleep_log(_LOG, logging.INFO),
            reraise=True,
        )
        return retrying(once)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Return the seconds before the next attempt: as the server states, else doubling.

        Half of the wait is random, so that processes that failed together do not retry together
        ('equal jitter').
        """
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RetryableError) and error.retry_after is not None:
            return error.retry_after
        doubled = self._settings.backoff_s * 2.0 ** (state.attempt_number - 1)
        return min(doubled, self._settings.backoff_max_s) * (1 + self._jitter()) / 2


def _total_size(response: httpx.Response) -> int | None:
    """Return the size of the whole resource in bytes, None if the server does not state it."""
    if response.status_code == HTTPStatus.PARTIAL_CONTENT:
        text = response.headers.get("Content-Range", "").rpartition("/")[2]
    else:
        text = response.headers.get("Content-Length", "")
    return int(text) if text.strip().isdecimal() else None

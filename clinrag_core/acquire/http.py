"""A polite HTTP client: paced per host, retried, resumable, bounded.

It hands over the bytes a server calls complete. Whether they are the document is decided by
`magic` and by checksums.
"""

from __future__ import annotations

import logging
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import tenacity
from filelock import FileLock

from clinrag_core.acquire.archive import ArchiveLimits, gunzip
from clinrag_core.acquire.http_errors import RetryableError, status_error, translated
from clinrag_core.acquire.partial import Partial, Validators
from clinrag_core.acquire.politeness import HostTurns
from clinrag_core.acquire.urls import shown_url, url_problem, with_params
from clinrag_core.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from types import TracebackType

    from clinrag_core.settings import AcquireSettings

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_LEAST_RATE = 1024
"""Bytes per second below which a body that takes longer than the timeout is given up."""
_OK = 200
_PARTIAL = 206
_NOT_MODIFIED = 304
_RANGE_NOT_SATISFIABLE = 416


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer to a small request."""

    status: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Download:
    """A file as served; `content` is None where it was not modified since the validators."""

    url: str
    final_url: str
    content: bytes | None
    validators: Validators


class HttpClient:
    """Use as a context manager. One client serves one thread.

    Args:
        settings: limits, waits and the user agent.
        cache: folder for partial files and the pace of hosts; may be deleted at any time.
        sleep: waits a number of seconds.
        clock: seconds since the epoch.
        jitter: a number of [0, 1) that spreads retries.
        transport: how bytes travel; proxies and certificates of the environment where None.
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
    ) -> None:
        self._settings = settings
        self._partials = cache / "partial"
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self._turns = HostTurns(cache / "hosts", settings.host_interval_s, sleep, clock)
        self._client = httpx.Client(
            headers={"User-Agent": settings.user_agent, "Accept-Encoding": "identity"},
            timeout=settings.timeout_s,
            follow_redirects=False,
            transport=transport,
        )

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(
        self,
        url: str,
        params: dict[str, str] | None = None,
        *,
        accept: str = "*/*",
        statuses: tuple[int, ...] = (_OK,),
    ) -> Reply:
        """Ask for something small, such as a page of an API.

        Args:
            url: http or https.
            params: query parameters to add.
            accept: media types wanted.
            statuses: statuses that are an answer and not an error.

        Raises:
            FetchError: no acceptable answer after all tries.
        """
        full = with_params(url, params or {})

        def once() -> Reply:
            with self._open(full, {"Accept": accept}) as response:
                if response.status_code not in statuses:
                    raise status_error(response, full, self._clock(), self._settings)
                body = b"".join(self._body(response, full))
                return Reply(response.status_code, self._decoded(response, body, full))

        return self._retried(once)

    def download(self, url: str, *, validators: Validators | None = None) -> Download:
        """Fetch a file, going on where an earlier try or run was cut.

        Args:
            url: http or https.
            validators: of the copy already held; an unchanged file is then not sent again.

        Raises:
            FetchError: it could not be had; `transient` says whether a later run may succeed.
        """
        if problem := url_problem(url):
            raise FetchError(f"{shown_url(url)}: {problem}")
        partial = Partial(self._partials, url)
        with FileLock(partial.lock_path):
            try:
                return self._retried(lambda: self._download_once(url, partial, validators))
            except FetchError as error:
                if not error.transient:
                    partial.discard()
                raise

    def _download_once(self, url: str, partial: Partial, held: Validators | None) -> Download:
        headers = (held or Validators()).conditional_headers() | partial.resume_headers()
        with self._open(url, headers) as response:
            final_url, status = str(response.url), response.status_code
            validators = _validators(response)
            if status == _NOT_MODIFIED and held is not None:
                return Download(url, final_url, None, held)
            if status == _OK:
                partial.restart(validators)
                total = _content_length(response)
            elif status == _PARTIAL:
                total = self._continued(response, url, partial, validators)
            elif status == _RANGE_NOT_SATISFIABLE:
                partial.discard()
                raise RetryableError(f"{shown_url(url)}: the partial file no longer fits")
            else:
                raise status_error(response, url, self._clock(), self._settings)
            size = partial.extend(self._body(response, url, total))
            if total is not None and size != total:
                raise RetryableError(f"{shown_url(url)}: got {size} of {total} bytes")
            content = self._decoded(response, partial.read(), url)
        partial.discard()
        return Download(url, final_url, content, validators)

    def _continued(
        self, response: httpx.Response, url: str, partial: Partial, validators: Validators
    ) -> int | None:
        total = partial.accepts(response.headers.get("Content-Range"), validators)
        if total is None:
            partial.discard()
            raise RetryableError(f"{shown_url(url)}: an unasked part of the file was sent")
        return None if total < 0 else total

    def _body(
        self, response: httpx.Response, url: str, total: int | None = None
    ) -> Iterator[bytes]:
        """The body as sent; `total` is the size of the whole resource where it is known."""
        limit = self._settings.max_bytes
        stated = total if total is not None else _content_length(response)
        if stated is not None and stated > limit:
            raise FetchError(f"{shown_url(url)}: {stated} bytes, more than the {limit} accepted")
        size, began = 0, self._clock()
        with translated(url):
            for piece in response.iter_raw():
                size += len(piece)
                passed = self._clock() - began
                if passed > self._settings.timeout_s and size < passed * _LEAST_RATE:
                    raise RetryableError(
                        f"{shown_url(url)}: {size} bytes in {passed:.0f} s, less than "
                        f"{_LEAST_RATE} B/s"
                    )
                if size > limit:
                    raise FetchError(f"{shown_url(url)}: more than the {limit} bytes accepted")
                yield piece

    def _decoded(self, response: httpx.Response, body: bytes, url: str) -> bytes:
        """Undo a content encoding that was sent although none was asked for."""
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in {"", "identity"}:
            return body
        if encoding in {"gzip", "x-gzip"}:
            return gunzip(body, shown_url(url), ArchiveLimits(self._settings.max_bytes))
        raise FetchError(f"{shown_url(url)}: sent in the encoding {encoding!r}, not asked for")

    @contextmanager
    def _open(self, url: str, headers: dict[str, str]) -> Generator[httpx.Response, None, None]:
        """Send a request, following redirects; never from https to http."""
        current = url
        for _ in range(self._settings.max_redirects + 1):
            response = self._send(current, headers)
            target = response.headers.get("Location")
            if not (response.is_redirect and target):
                try:
                    yield response
                finally:
                    response.close()
                return
            response.close()
            following = urljoin(current, target)
            if urlsplit(current).scheme == "https" and urlsplit(following).scheme != "https":
                raise FetchError(
                    f"{shown_url(url)}: redirected from https to {shown_url(following)}"
                )
            current = following
        raise FetchError(
            f"{shown_url(url)}: more than {self._settings.max_redirects} redirects (a loop?)"
        )

    def _send(self, url: str, headers: dict[str, str]) -> httpx.Response:
        if problem := url_problem(url):
            raise FetchError(f"{shown_url(url)}: {problem}")
        self._turns.wait(urlsplit(url).netloc)
        with translated(url):
            request = self._client.build_request("GET", url, headers=headers)
            return self._client.send(request, stream=True)

    def _retried(self, once: Callable[[], _T]) -> _T:
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._settings.attempts),
            wait=self._wait,
            retry=tenacity.retry_if_exception_type(RetryableError),
            sleep=self._sleep,
            before_sleep=_log_retry,
            reraise=True,
        )
        return retrying(once)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Seconds before the next try: what the server asked for, else doubling with jitter."""
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RetryableError) and error.retry_after is not None:
            return error.retry_after
        doubled = self._settings.backoff_s * 2.0 ** (state.attempt_number - 1)
        return min(doubled, self._settings.backoff_max_s) * (0.5 + self._jitter() / 2)


def _log_retry(state: tenacity.RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    _LOG.info("try %d failed, trying again: %s", state.attempt_number, error)


def _validators(response: httpx.Response) -> Validators:
    return Validators(
        etag=response.headers.get("ETag"), last_modified=response.headers.get("Last-Modified")
    )


def _content_length(response: httpx.Response) -> int | None:
    text = response.headers.get("Content-Length", "").strip()
    return int(text) if text.isdecimal() else None

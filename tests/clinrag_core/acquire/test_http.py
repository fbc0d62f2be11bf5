"""The client with a server that fails in the ways real ones do."""

from __future__ import annotations

import gzip
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.acquire.partial import Validators
from clinrag_core.acquire.politeness import retry_after
from clinrag_core.acquire.urls import shown_url, url_problem
from clinrag_core.errors import FetchError

BODY = bytes(range(256)) * 40
NOW = 1_750_000_000.0


def test_download_gives_bytes_and_validators(server, client):
    url = server.on("/a.pdf", server.file(BODY))
    got = client().download(url)
    assert (got.content, got.validators.etag) == (BODY, '"v1"')
    assert server.asked[0].headers["user-agent"].startswith("clinrag/")
    assert server.asked[0].headers["accept-encoding"] == "identity"


def test_unchanged_file_is_not_sent_again(server, client):
    url = server.on("/a.pdf", server.file(BODY))
    got = client().download(url, validators=Validators(etag='"v1"'))
    assert got.content is None
    assert client().download(url, validators=Validators(etag='"v0"')).content == BODY


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_temporary_failure_is_retried_with_doubling_waits(server, client, clock, status):
    url = server.on(
        "/a", server.reply(status=status), server.reply(status=status), server.reply(b"x")
    )
    assert client(backoff_s=2).download(url).content == b"x"
    assert clock.naps == [1.0, 2.0]  # half of 2 s and 4 s: jitter is 0 here


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 415, 451, 501])
def test_permanent_refusal_is_requested_once(server, client, clock, status):
    url = server.on("/a", server.reply(status=status))
    with pytest.raises(FetchError, match=f"HTTP {status}") as caught:
        client().download(url)
    assert (caught.value.transient, caught.value.status) == (False, status)
    assert (len(server.asked), clock.naps) == (1, [])


def test_failure_of_the_last_attempt_is_transient(server, client):
    url = server.on("/a", server.reply(status=503))
    with pytest.raises(FetchError) as caught:
        client(attempts=3).download(url)
    assert caught.value.transient
    assert caught.value.status == 503
    assert len(server.asked) == 3


def test_retry_after_is_honoured(server, client, clock):
    url = server.on(
        "/a", server.reply(status=429, headers={"Retry-After": "7"}), server.reply(b"x")
    )
    assert client().get(url).content == b"x"
    assert clock.naps == [7.0]


def test_retry_after_beyond_the_limit_is_left_to_a_later_run(server, client, clock):
    url = server.on("/a", server.reply(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(FetchError, match="3600 s") as caught:
        client(backoff_max_s=60).get(url)
    assert caught.value.transient
    assert (len(server.asked), clock.naps) == (1, [])


def test_retry_after_reads_seconds_and_dates():
    assert retry_after("120", NOW) == 120
    assert retry_after("Sun, 15 Jun 2025 15:07:00 GMT", NOW) == 1_750_000_020 - NOW
    assert retry_after("Sun, 15 Jun 2025 15:06:00 GMT", NOW) == 0
    assert retry_after("soon", NOW) is None
    assert retry_after(None, NOW) is None


def test_interrupted_download_is_resumed(server, client):
    url = server.on("/a", server.file(BODY, cut=4000), server.file(BODY))
    assert client().download(url).content == BODY
    assert server.asked[1].headers["range"] == "bytes=4000-"
    assert server.asked[1].headers["if-range"] == '"v1"'


def test_interrupted_download_is_resumed_in_a_later_run(server, client):
    url = server.on("/a", server.file(BODY, cut=4000))
    with pytest.raises(FetchError):
        client(attempts=1).download(url)
    server.on("/a", server.file(BODY))
    assert client().download(url).content == BODY
    assert server.asked[-1].headers["range"] == "bytes=4000-"


def test_two_versions_are_never_combined(server, client):
    new = BODY[::-1]
    url = server.on("/a", server.file(BODY, cut=4000), server.file(new, etag='"v2"'))
    assert client().download(url).content == new


def test_a_part_of_another_version_is_dropped(server, client):
    def wrong_part(_asked):
        headers = {"ETag": '"v2"', "Content-Range": f"bytes 4000-{len(BODY) - 1}/{len(BODY)}"}
        return server.reply(BODY[::-1][4000:], 206, headers)

    new = BODY[::-1]
    url = server.on("/a", server.file(BODY, cut=4000), wrong_part, server.file(new, etag='"v2"'))
    assert client().download(url).content == new
    assert "range" not in server.asked[2].headers


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"v1"'}])
def test_without_a_strong_validator_it_starts_over(server, client, headers):
    url = server.on(
        "/a", server.reply(BODY, headers=headers, cut=4000), server.reply(BODY, headers=headers)
    )
    assert client().download(url).content == BODY
    assert "range" not in server.asked[1].headers


def test_server_that_ignores_ranges(server, client):
    whole = server.reply(BODY, headers={"ETag": '"v1"'})
    url = server.on("/a", server.file(BODY, cut=4000), whole)
    assert client().download(url).content == BODY


def test_server_that_sends_the_rest_in_parts(server, client):
    def some(asked):
        start = int(asked.headers["range"].removeprefix("bytes=").removesuffix("-"))
        headers = {
            "ETag": '"v1"',
            "Content-Range": f"bytes {start}-{start + 3999}/{len(BODY)}",
        }
        return server.reply(BODY[start : start + 4000], 206, headers)

    url = server.on("/a", server.file(BODY, cut=4000), some, server.file(BODY))
    assert client().download(url).content == BODY
    assert server.asked[2].headers["range"] == "bytes=8000-"


def test_range_not_satisfiable_starts_over(server, client):
    url = server.on("/a", server.file(BODY, cut=4000), server.reply(status=416), server.file(BODY))
    assert client().download(url).content == BODY
    assert "range" not in server.asked[2].headers


def test_damaged_partial_file_is_not_continued(server, client, tmp_path):
    url = server.on("/a", server.file(BODY, cut=4000))
    with pytest.raises(FetchError):
        client(attempts=1).download(url)
    (part,) = (tmp_path / "cache" / "partial").glob("*.part")
    part.write_bytes(b"\0" * 4000)
    server.on("/a", server.file(BODY))
    assert client().download(url).content == BODY
    assert "range" not in server.asked[-1].headers


def test_bytes_written_after_the_last_record_are_dropped(server, client, tmp_path):
    """After kill -9 the file has more bytes than its record states."""
    url = server.on("/a", server.file(BODY, cut=4000))
    with pytest.raises(FetchError):
        client(attempts=1).download(url)
    (part,) = (tmp_path / "cache" / "partial").glob("*.part")
    part.write_bytes(part.read_bytes() + b"torn")
    server.on("/a", server.file(BODY))
    assert client().download(url).content == BODY
    assert server.asked[-1].headers["range"] == "bytes=4000-"


def test_no_partial_file_remains_after_success(server, client, tmp_path):
    url = server.on("/a", server.file(BODY))
    client().download(url)
    left = {p.suffix for p in (tmp_path / "cache" / "partial").iterdir()}
    assert left <= {".lock"}


def test_truncated_body_is_never_accepted(server, client):
    url = server.on("/a", server.reply(BODY, cut=100))
    with pytest.raises(FetchError) as caught:
        client(attempts=2).download(url)
    assert caught.value.transient


def test_truncated_reply_of_an_api_is_retried(server, client):
    url = server.on("/a", server.reply(BODY, cut=100), server.reply(BODY))
    assert client().get(url).content == BODY


def test_stated_size_over_the_limit_is_refused_before_the_body(server, client):
    url = server.on("/a", server.reply(BODY))
    with pytest.raises(FetchError, match="10240 bytes, more than the 1000") as caught:
        client(max_bytes=1000).download(url)
    assert not caught.value.transient


def test_size_over_the_limit_is_detected_while_streaming(server, client):
    url = server.on("/a", server.reply(BODY, length=-1))
    with pytest.raises(FetchError, match="more than the 1000"):
        client(max_bytes=1000).download(url)
    with pytest.raises(FetchError, match="more than the 1000"):
        client(max_bytes=1000).get(url)


def test_slow_server_times_out_as_transient(server, client):
    url = server.on("/a", server.reply(b"x", delay=0.4))
    with pytest.raises(FetchError, match="timed out") as caught:
        client(timeout_s=0.05, attempts=1).download(url)
    assert caught.value.transient


def test_server_that_sends_too_slowly_fails_as_transient(server, client, clock, monkeypatch):
    """One byte before each read timeout would otherwise block a run for ever."""
    url = server.on("/a", server.file(BODY))
    one = client(attempts=1)
    monkeypatch.setattr(type(clock), "__call__", lambda self: self.sleep(100) or self.now)
    with pytest.raises(FetchError, match="B/s") as caught:
        one.download(url)
    assert caught.value.transient


def test_unreachable_server_is_transient(client, clock):
    with pytest.raises(FetchError) as caught:
        client(attempts=2).download("http://127.0.0.1:1/a")
    assert caught.value.transient
    assert len(clock.naps) == 1


def test_unrequested_content_encoding_is_undone(server, client):
    packed = gzip.compress(BODY)
    headers = {"Content-Encoding": "gzip"}
    url = server.on("/a", server.reply(packed, headers=headers))
    assert client().download(url).content == BODY
    assert client().get(url).content == BODY
    strange = server.on("/b", server.reply(packed, headers={"Content-Encoding": "br"}))
    with pytest.raises(FetchError, match="'br'"):
        client().download(strange)


def test_requests_to_a_host_are_spaced(server, client, clock):
    url = server.on("/a", server.reply(b"x"))
    first = client(host_interval_s=2)
    first.get(url)
    clock.now += 0.5
    client(host_interval_s=2).get(url)  # another client, as another process would have
    assert clock.naps == [1.5]


def test_a_clock_set_back_does_not_stop_requests(server, client, clock):
    url = server.on("/a", server.reply(b"x"))
    one = client(host_interval_s=2)
    one.get(url)
    clock.now -= 86_400
    one.get(url)
    assert sum(clock.naps) <= 2


def test_not_modified_for_an_unconditional_request_is_an_error(server, client):
    url = server.on("/a", server.reply(status=304))
    with pytest.raises(FetchError, match="304"):
        client(attempts=1).download(url)


def test_two_downloads_of_one_address_do_not_mix(server, client):
    url = server.on("/a", server.file(BODY))
    results: list[bytes | None] = []
    one, two = client(), client()
    threads = [
        threading.Thread(target=lambda c=c: results.append(c.download(url).content))
        for c in (one, two)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [BODY, BODY]


def test_secrets_in_addresses_are_not_shown():
    shown = shown_url("https://user:pw@api.fda.gov/x?api_key=abc&limit=1#f")
    assert shown == "https://api.fda.gov/x?api_key=...&limit=1"


def test_get_adds_parameters(server, client):
    url = server.on("/a", server.reply(b"x"))
    client().get(url, {"search": 'set_id:"a b"', "limit": "1"})
    assert server.asked[0].query == {"search": 'set_id:"a b"', "limit": "1"}


@given(st.text(max_size=40))
def test_any_text_is_checked_as_an_address_without_an_exception(text):
    for candidate in (text, f"http://{text}", f"https://host/{text}"):
        problem = url_problem(candidate)
        assert problem is None or problem
        shown_url(candidate)

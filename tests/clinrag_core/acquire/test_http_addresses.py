"""Which addresses the client goes to: redirects, other schemes and private networks."""

from __future__ import annotations

import httpx
import pytest

from clinrag_core.acquire import addresses
from clinrag_core.errors import FetchError

BODY = bytes(range(256)) * 40


def test_redirects_are_followed_and_the_last_address_returned(server, client):
    server.on("/b", server.file(BODY))
    url = server.on("/a", server.reply(status=302, headers={"Location": "/b"}))
    got = client().download(url)
    assert (got.content, got.final_url) == (BODY, server.url + "/b")


def test_redirect_loop_ends(server, client):
    url = server.on("/a", server.reply(status=301, headers={"Location": "/a"}))
    with pytest.raises(FetchError, match="redirects") as caught:
        client(max_redirects=3).download(url)
    assert not caught.value.transient
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://host/x", "http://user:pw@127.0.0.1/x", "https:///x"]
)
def test_redirect_to_another_scheme_is_refused(server, client, target):
    url = server.on("/a", server.reply(status=302, headers={"Location": target}))
    with pytest.raises(FetchError) as caught:
        client().download(url)
    assert not caught.value.transient
    assert "pw" not in str(caught.value)


def test_redirect_from_https_to_http_is_refused(client, monkeypatch):
    one = client()
    moved = httpx.Response(302, headers={"Location": "http://example.org/x"})
    monkeypatch.setattr(one, "_send", lambda *_: moved)
    with pytest.raises(FetchError, match="from https"):
        one.download("https://example.org/x")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fd00::1",
        "::ffff:127.0.0.1", "100.64.0.1",
    ],
)  # fmt: skip
def test_no_redirect_leads_to_a_private_address(client, address):
    """A source on the internet could have this machine fetch what only it can reach."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(302, headers={"Location": "https://inner.example/x"})

    one = client(lambda _: (address,), httpx.MockTransport(answer))
    with pytest.raises(FetchError, match="private network") as caught:
        one.download("https://example.org/x")
    assert not caught.value.transient
    assert asked == ["https://example.org/x"]


def test_a_redirect_is_connected_to_the_address_that_was_checked(client, server):
    """A name that is public when checked and private when connected to reached the latter."""
    answers = [("127.0.0.1",), ("93.184.215.14",)]
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if len(asked) == 1:
            return httpx.Response(302, headers={"Location": "https://files.example:8443/b?c=1"})
        return httpx.Response(200, stream=httpx.ByteStream(BODY))

    got = client(lambda _: answers.pop(), httpx.MockTransport(answer)).download(
        "https://example.org/a"
    )
    assert asked[1].url == "https://93.184.215.14:8443/b?c=1"
    assert asked[1].headers["Host"] == "files.example:8443"
    assert asked[1].extensions["sni_hostname"] == "files.example"
    assert asked[1].headers["Connection"] == "close"
    assert got.final_url == "https://files.example:8443/b?c=1"
    assert len(answers) == 1  # the name was looked up once


def test_a_name_that_turns_private_between_two_redirects_is_refused(client):
    answers = iter([("93.184.215.14",), ("127.0.0.1",)])

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"Location": "https://turning.example/x"})

    one = client(lambda _: next(answers), httpx.MockTransport(answer))
    with pytest.raises(FetchError, match="private network"):
        one.download("https://example.org/x")


def test_a_public_source_is_not_redirected_to_itself_at_a_private_address(client):
    class Stream:
        def get_extra_info(self, info: str) -> tuple[str, int]:
            return ("93.184.215.14", 443)

    def answer(request: httpx.Request) -> httpx.Response:
        moved = {"Location": "/again"}
        return httpx.Response(302, headers=moved, extensions={"network_stream": Stream()})

    one = client(lambda _: ("10.0.0.1",), httpx.MockTransport(answer))
    with pytest.raises(FetchError, match="private network"):
        one.download("https://example.org/x")


def test_one_private_address_of_several_is_enough_to_refuse(client):
    moved = httpx.Response(302, headers={"Location": "https://both.example/x"})
    one = client(lambda _: ("93.184.215.14", "10.0.0.1"), httpx.MockTransport(lambda _: moved))
    with pytest.raises(FetchError, match="private network"):
        one.download("https://example.org/x")


def test_a_redirect_to_a_name_without_an_address_may_succeed_later(client):
    moved = httpx.Response(302, headers={"Location": "https://gone.example/x"})
    one = client(lambda _: (), httpx.MockTransport(lambda _: moved))
    with pytest.raises(FetchError, match="no address") as caught:
        one.download("https://example.org/x")
    assert caught.value.transient


def test_a_proxy_resolves_what_this_machine_cannot(monkeypatch):
    monkeypatch.setattr(addresses, "getproxies", lambda: {"https": "http://proxy.example:3128"})
    monkeypatch.setattr(addresses, "proxy_bypass", lambda host: host == "inner.example")
    assert addresses.is_proxied("https://files.example/x")
    assert not addresses.is_proxied("http://files.example/x")
    assert not addresses.is_proxied("https://inner.example/x")
    target = "https://files.example/x"
    assert addresses.redirect_address(target, lambda _: (), proxied=True) is None
    with pytest.raises(FetchError, match="private network"):
        addresses.redirect_address(target, lambda _: ("10.0.0.1",), proxied=True)


def test_the_address_connected_to_is_known(server):
    with httpx.Client() as one, one.stream("GET", server.on("/a", server.file(BODY))) as response:
        assert addresses.connected_to(response) == "127.0.0.1"


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "localhost"])
def test_private_addresses_are_known_however_they_are_written(host):
    with pytest.raises(FetchError, match="private network"):
        addresses.redirect_address(f"http://{host}/x", addresses.resolved, proxied=False)


@pytest.mark.parametrize(
    "url", ["ftp://h/x", "file:///x", "x.pdf", "http://", "http://u:p@h/x", "http://h/a b"]
)
def test_only_http_addresses_are_fetched(client, url):
    with pytest.raises(FetchError) as caught:
        client().download(url)
    assert not caught.value.transient

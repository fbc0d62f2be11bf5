"""Addresses that a redirect may lead to: the one that was checked is the one connected to.

A source on the internet may not send this machine to addresses that only it can reach. A name is
resolved once; what a second look-up would say (DNS rebinding) is never asked for.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from clinrag_core.acquire.urls import shown_url, url_problem
from clinrag_core.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

    Resolve = Callable[[str], Sequence[str]]


def resolved(host: str) -> Sequence[str]:
    """Return the addresses of a host in the order to try them; none if it is unknown here."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Return whether an address is one of the internet, also where IPv6 wraps an IPv4 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or ip
    return ip.is_global and not ip.is_multicast


def connected_to(response: httpx.Response) -> str | None:
    """Return the address that a response came from; None if the transport does not know."""
    stream = response.extensions.get("network_stream")
    place = stream.get_extra_info("server_addr") if stream is not None else None
    return str(place[0]) if place else None


def is_proxied(url: str) -> bool:
    """Return whether the environment has a proxy for an address; the proxy resolves its name."""
    parts, proxies = urlsplit(url), getproxies()
    has_proxy = parts.scheme in proxies or "all" in proxies
    return has_proxy and not proxy_bypass(parts.hostname or "")


def redirect_address(target: str, resolve: Resolve, *, proxied: bool) -> str | None:
    """Return the address to connect to for a redirect; None leaves it to the proxy.

    Raises:
        FetchError: it is not accepted, is one of a private network, or the name has none.
    """
    if problem := url_problem(target):
        raise FetchError(f"redirected to {shown_url(target)}: {problem}")
    host = urlsplit(target).hostname or ""
    found = resolve(host)
    if not all(map(is_public, found)):
        raise FetchError(
            f"{shown_url(target)}: redirected to {host}, which is an address of a private network"
        )
    if proxied:
        return None
    if not found:
        raise FetchError(f"redirected to {host}, which has no address", transient=True)
    return found[0]

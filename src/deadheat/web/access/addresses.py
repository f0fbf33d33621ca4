"""Where a request comes from: the address of the client, and which proxies may name it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Network

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    _Address = IPv4Address | IPv6Address
    _Network = IPv4Network | IPv6Network

# whether the request was sent by a trusted proxy, in the scope of the request
_IS_TRUSTED = "deadheat.is_trusted_proxy"
# one customer of a provider has at least this many bits of an IPv6 address
_IPV6_PREFIX = 64


class NetworkError(DeadheatError):
    """A network that cannot be read."""


def parse_network(text: str) -> str:
    """A network as in `10.0.0.0/8`, or an address, which is checked."""
    try:
        return str(ip_network(text))
    except ValueError:
        raise NetworkError(
            "is not an address or a network", repr(text[:60]), "write it as in 10.0.0.0/8 or 10.1.2.3"
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server at this host."""
    address = _parse_address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def client_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def limited_address(request: Request) -> str:
    """The address that a rate limit counts: of IPv6 the network, since a client has many addresses."""
    text = client_address(request)
    address = _parse_address(text)
    return str(IPv6Network((address, _IPV6_PREFIX), strict=False)) if isinstance(address, IPv6Address) else text


def is_from_trusted_proxy(request: Request) -> bool:
    return bool(request.scope.get(_IS_TRUSTED))


def is_address(host: str) -> bool:
    """Whether a Host header without its port is an address and not a name."""
    return _parse_address(host.removeprefix("[").removesuffix("]")) is not None


def _parse_address(text: str) -> _Address | None:
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    # how IPv6 sockets show clients with IPv4
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


class ForwardedAddress:
    """Takes the address and the scheme of the client from the headers of trusted proxies, and of nobody else."""

    def __init__(self, app: ASGIApp, trusted: Iterable[str] = ()) -> None:
        self._app = app
        self._trusted: list[_Network] = [ip_network(network) for network in trusted]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._trusts((scope.get("client") or ("",))[0]):
            headers = Headers(scope=scope)
            scope[_IS_TRUSTED] = True
            if client := self._client(headers):
                scope["client"] = (client, 0)
            scheme = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
            if scheme in ("http", "https"):
                scope["scheme"] = scheme
        await self._app(scope, receive, send)

    def _trusts(self, text: str) -> bool:
        address = _parse_address(text)
        return address is not None and any(address in network for network in self._trusted)

    def _client(self, headers: Headers) -> str | None:
        """The last address that is not that of a trusted proxy: who sends the header can write the ones before it."""
        found = None
        for text in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
            address = _parse_address(text)
            if address is None:
                break
            found = str(address)
            if not self._trusts(found):
                break
        return found

"""Streamable HTTP: the server of the SDK behind checks of Host, Origin and a bearer token."""

from __future__ import annotations

import hmac
import ipaddress
import socket
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.mcp_server.server import create_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.mcp_server.tools import ToolRunner

_PATH: Final = "/mcp"
MIN_TOKEN_LENGTH: Final = 16
_LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_WILDCARDS: Final = ("0.0.0.0", "::", "")
_MAX_BODY_BYTES: Final = 8 << 20


class HttpAddress(NamedTuple):
    """Where the server listens."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url_host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True)
class BearerTokenCheck:
    """An ASGI application that asks for a token before another one answers."""

    app: Any
    token: str

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._is_allowed(dict(scope["headers"]).get(b"authorization", b"")):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"a bearer token is needed\n"})
            return
        await self.app(scope, receive, send)

    def _is_allowed(self, header: bytes) -> bool:
        scheme, _, token = header.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self.token.encode())


async def serve_http(runner: ToolRunner, address: HttpAddress, token: str | None, names: Sequence[str]) -> None:
    """Serve until the process is interrupted. `names` are further host names by which clients reach it."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = [*_LOOPBACK_NAMES, *names, *([] if address.host in _WILDCARDS else [address.url_host])]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*(f"{host}:*" for host in hosts), *names],
        allowed_origins=[
            *(f"http://{host}:*" for host in hosts),
            *(f"{scheme}://{name}" for name in names for scheme in ("http", "https")),
        ],
    )
    app: Any = create_server(runner).streamable_http_app(
        streamable_http_path=_PATH,
        transport_security=security,
        host=address.host,
        max_request_body_size=_MAX_BODY_BYTES,
    )
    listener = _listen(address)
    config = uvicorn.Config(
        BearerTokenCheck(app, token) if token else app,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    port = listener.getsockname()[1]
    print(f"deadheat: listens on http://{address.url_host}:{port}{_PATH}", file=sys.stderr, flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


def _listen(address: HttpAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        where = f"{address.url_host}:{address.port}"
        raise DeadheatError(f"cannot listen ({error.strerror or error})", where, "choose another port") from error

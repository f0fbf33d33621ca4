"""What happens to every request and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from deadheat.web.access.addresses import is_address
from deadheat.web.problems import ProblemError, problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOPBACK_HOSTS = frozenset(("localhost", "127.0.0.1", "[::1]"))
# pages load their own files and nothing else; texts that they show cannot add style, scripts, frames or forms
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """Adds the headers that limit what a browser does with an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "private, no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class HostCheck:
    """Refuses requests for other hosts: a page of another site may give its own name the address of this machine."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = ()) -> None:
        self._app = app
        self._hosts = _LOOPBACK_HOSTS | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_known(Headers(scope=scope).get("host", "")):
            error = ProblemError(
                421, "This server is not known by that name.", "Start it with --allow-host and this name."
            )
            await problem_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_known(self, host: str) -> bool:
        name, colon, port = host.lower().rpartition(":")
        name = name if colon and port.isdigit() else host.lower()
        # a page of another site has a name; nobody can give it an address as its name
        return name in self._hosts or is_address(name)

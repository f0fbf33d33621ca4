"""Programs that notifications are sent to: an HTTP server and a mail server, which can be told to fail."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from aiosmtpd.controller import Controller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import EmailMessage


class HttpReceiver:
    """Stores what is posted. `failures` requests are answered with 500; `on_request` is called before the answer."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.failures = 0
        self.requests = 0
        self.on_request: Callable[[], object] = lambda: None
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver._lock:
                    receiver.requests += 1
                    fails = receiver.failures > 0
                    receiver.failures -= fails
                    if not fails:
                        receiver.received.append(json.loads(body))
                receiver.on_request()
                self.send_response(500 if fails else 200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """An address of Apprise with a secret."""
        return f"json://user:hidden-password@127.0.0.1:{self.port}/hidden-token"

    @property
    def titles(self) -> list[str]:
        return [each["title"] for each in self.received]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _MailHandler:
    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.failures = 0

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802, of aiosmtpd
        if self.failures:
            self.failures -= 1
            return "451 try again later"
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


@contextmanager
def mail_receiver() -> Iterator[tuple[str, _MailHandler]]:
    """The address of a mail server and its handler."""
    handler = _MailHandler()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        url = f"mailto://127.0.0.1:{port}?from=deadheat@example.com&to=team@example.com&smtp=127.0.0.1&mode=insecure"
        yield url, handler
    finally:
        controller.stop()


@contextmanager
def http_receiver() -> Iterator[HttpReceiver]:
    receiver = HttpReceiver()
    try:
        yield receiver
    finally:
        receiver.stop()

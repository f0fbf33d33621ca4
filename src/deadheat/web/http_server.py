"""The HTTP server: uvicorn, which ends streams before it waits for requests that have begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from fastapi import FastAPI

# how long a server that was asked to end waits for requests; afterwards uploads are rolled back
SHUTDOWN_SECONDS = 10
_running: list[DashboardServer] = []


class DashboardServer(uvicorn.Server):
    """The server of one process. `on_start` is called when requests are answered, `on_stop` when it was asked to end."""

    on_start: Callable[[], None] | None = None
    on_stop: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.on_start is not None and not self.should_exit:
            self.on_start()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        _running.append(self)
        try:
            await super().serve(sockets)
        finally:
            _running.remove(self)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.on_stop is not None:
            self.on_stop()
        super().handle_exit(sig, frame)


def call_on_stop(on_stop: Callable[[], None]) -> None:
    """Let the servers of this process call a function when they are asked to end."""
    for server in _running:
        server.on_stop = on_stop


def make_config(app: FastAPI | str, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        app, factory=isinstance(app, str), workers=workers, log_level="warning", access_log=False, server_header=False,
        date_header=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS, timeout_keep_alive=30, lifespan="on",
        forwarded_allow_ips="", log_config=None,
    )  # fmt: skip

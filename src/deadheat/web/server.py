"""Runs the application with uvicorn, in one process or several."""

from __future__ import annotations

import json
import os
import socket
import threading
from dataclasses import asdict, dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.output.links import links_from_templates
from deadheat.triage.sessions import shared_secret
from deadheat.triage.store import DecisionStore
from deadheat.web.access.settings import AccessSettings, make_access
from deadheat.web.application import create_app
from deadheat.web.live import LiveData
from deadheat.web.operations.logs import configure_logs
from deadheat.web.operations.settings import OperationSettings
from deadheat.web.reader import LakeReader
from deadheat.web.services import Services, WebSettings
from deadheat.web.sighting_index import SightingIndex, index_path

if TYPE_CHECKING:
    from collections.abc import Callable

    import uvicorn
    from fastapi import FastAPI

# the options of a server for its worker processes
_OPTIONS_VARIABLE = "DEADHEAT_SERVE_OPTIONS"
# how long requests that have begun may take when the server ends; afterwards uploads are rolled back
_SHUTDOWN_SECONDS = 10
_POLL_SECONDS, _POLL_TIMEOUT = 0.05, 60


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of `deadheat serve`, which every worker process gets."""

    lake: str
    host: str = "127.0.0.1"
    port: int = 8321
    workers: int = 1
    decisions: str = ""  # address of the database; empty to show none
    link_templates: list[str] = field(default_factory=list)
    document_folders: list[str] = field(default_factory=list)
    access: AccessSettings = field(default_factory=AccessSettings)
    secret: str = field(default_factory=lambda: os.urandom(32).hex())
    operations: OperationSettings = field(default_factory=OperationSettings)

    def settings(self) -> WebSettings:
        return WebSettings(
            hosts=(f"[{self.host}]" if ":" in self.host else self.host.lower(), *self.access.allowed_hosts),
            checks_host=self.access.checks_host,
            trusted_proxies=tuple(self.access.trusted_proxies),
            requests_per_second=self.access.requests_per_second,
            links=links_from_templates(self.link_templates),
            document_folders=tuple(Path(folder).resolve() for folder in self._document_folders()),
            secret=bytes.fromhex(self.secret),
        )

    def _document_folders(self) -> list[str]:
        return [*self.document_folders, *([self.operations.intake] if self.operations.intake else [])]


def app_of(options: ServerOptions) -> FastAPI:
    pa.set_memory_pool(pa.system_memory_pool())  # the default one keeps what it has allocated
    reader = LakeReader(options.lake)
    index = SightingIndex(index_path(reader.snapshot.lake.uri))
    store = DecisionStore.open(options.decisions) if options.decisions else None
    settings = options.settings()
    if store is not None:
        # forms stay valid when a server is started again, and for other servers with the same database
        settings = replace(settings, secret=shared_secret(store.database))
    access = make_access(options.access, store)
    services = Services(settings, LiveData(reader, store, index), access)
    options.operations.apply(services)
    return create_app(services)


def worker_app() -> FastAPI:
    """The application of a worker process, whose options are in its environment."""
    # the processes that this one starts must not get it: it may have a password
    fields = json.loads(os.environ.pop(_OPTIONS_VARIABLE))
    access, operations = AccessSettings(**fields["access"]), OperationSettings(**fields["operations"])
    configure_logs(operations.log_format)
    return app_of(ServerOptions(**{**fields, "access": access, "operations": operations}))


def bind(options: ServerOptions) -> socket.socket:
    """The socket of the server; another process may use the port."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio disables Nagle's algorithm only if the protocol is named
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        where = f"{options.host}:{options.port}"
        raise DeadheatError(f"cannot be used ({error.strerror})", where, "give another --port") from error
    listener.set_inheritable(True)
    return listener


def address_of(listener: socket.socket, host: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}/"


def run_server(options: ServerOptions, listener: socket.socket, on_start: Callable[[], None]) -> None:
    """Serve until the process is interrupted. `on_start` is called when requests are answered."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    configure_logs(options.operations.log_format)
    stopped = threading.Event()
    waiting = threading.Thread(target=_wait_for_answer, args=(listener, stopped, on_start), daemon=True)
    waiting.start()
    try:
        if options.workers == 1:
            uvicorn.Server(_config(app_of(options))).run([listener])
        else:
            os.environ[_OPTIONS_VARIABLE] = json.dumps(asdict(options))
            Multiprocess(_config("deadheat.web.server:worker_app", options.workers), sockets=[listener]).run()
    finally:
        stopped.set()


def _wait_for_answer(listener: socket.socket, stopped: threading.Event, on_start: Callable[[], None]) -> None:
    """Call a function when the server answers."""
    host, port = listener.getsockname()[:2]
    while not stopped.wait(_POLL_SECONDS):
        connection = HTTPConnection(host, port, timeout=_POLL_TIMEOUT)
        try:
            connection.request("GET", "/api/v1/health", headers={"host": "localhost"})
            connection.getresponse().read()
        except (OSError, HTTPException):
            continue
        finally:
            connection.close()
        on_start()
        return


def _config(app: FastAPI | str, workers: int = 1) -> uvicorn.Config:
    import uvicorn

    return uvicorn.Config(
        app, factory=isinstance(app, str), workers=workers, log_level="warning", access_log=False, server_header=False,
        date_header=False, timeout_graceful_shutdown=_SHUTDOWN_SECONDS, timeout_keep_alive=30, lifespan="on",
        forwarded_allow_ips="", log_config=None,
    )  # fmt: skip

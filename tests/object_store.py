"""An S3 server on loopback: moto in a process of its own, behind a proxy that counts requests and injects failures."""

from __future__ import annotations

import http.client
import importlib.util
import itertools
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOST = "127.0.0.1"
_START_SECONDS = 60.0
# headers that belong to one connection
_HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "content-length", "server", "date"}


class S3Store:
    """The endpoint of the server, a bucket, and what was requested since `reset_counts`."""

    def __init__(self, server_port: int) -> None:
        self.server_port = server_port
        self.bucket = ""
        self.requests: Counter[str] = Counter()  # by operation: get, head, list, put, copy, delete, other
        self.bytes_sent: Counter[str] = Counter()  # of response bodies, by operation
        self._failures: dict[str, list[str]] = {}
        self._lock = threading.Lock()
        self._proxy = ThreadingHTTPServer((_HOST, 0), _handler_class(self))
        self._proxy.daemon_threads = True
        self.endpoint = f"http://{_HOST}:{self._proxy.server_address[1]}"
        self._thread = threading.Thread(target=self._proxy.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def reset_counts(self) -> None:
        with self._lock:
            self.requests.clear()
            self.bytes_sent.clear()
            self._failures.clear()

    def fail_next(self, operation: str, failure: str, times: int = 1) -> None:
        """Make the next requests of an operation fail: with a status ("503"), or "drop" after half of the body."""
        with self._lock:
            self._failures[operation] = [failure] * times

    def take_failure(self, operation: str) -> str:
        with self._lock:
            pending = self._failures.get(operation)
            return pending.pop() if pending else ""

    def count(self, operation: str, size: int) -> None:
        with self._lock:
            self.requests[operation] += 1
            self.bytes_sent[operation] += size

    def put(self, key: str, data: bytes) -> str:
        """Write an object without the proxy, so that it is not counted. Returns its URI."""
        self._send("PUT", f"/{self.bucket}/{key}", data)
        return f"s3://{self.bucket}/{key}"

    def delete(self, key: str) -> None:
        self._send("DELETE", f"/{self.bucket}/{key}")

    def make_bucket(self, name: str) -> None:
        self.bucket = name
        self._send("PUT", f"/{name}")

    def _send(self, method: str, path: str, data: bytes = b"") -> None:
        connection = http.client.HTTPConnection(_HOST, self.server_port, timeout=30)
        try:
            connection.request(method, path, data)
            response = connection.getresponse()
            body = response.read()
            assert response.status < 300, body
        finally:
            connection.close()

    def close(self) -> None:
        self._proxy.shutdown()
        self._proxy.server_close()
        self._thread.join()


def _operation(method: str, path: str, headers: dict[str, str]) -> str:
    key, _, query = path.partition("?")
    if method == "GET":
        return "list" if re.search(r"(?:^|&)(?:list-type|prefix|delimiter)=", query) else "get"
    if method == "POST" and query.startswith("delete"):
        return "delete"
    if method == "PUT" and "x-amz-copy-source" in {name.lower() for name in headers}:
        return "copy"
    return {"HEAD": "head", "PUT": "put", "DELETE": "delete"}.get(method, "other") if key else "other"


def _handler_class(store: S3Store) -> type[BaseHTTPRequestHandler]:
    class CountingProxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _forward(self) -> None:
            headers = dict(self.headers.items())
            data = self.rfile.read(int(headers.get("Content-Length") or 0))
            operation = _operation(self.command, self.path, headers)
            failure = store.take_failure(operation)
            if failure.isdigit():
                store.count(operation, 0)
                self._answer(int(failure), [], b"", 0)
                return
            status, answer_headers, body, length = self._ask_server(headers, data)
            if failure:
                store.count(operation, len(body) // 2)
                self._answer(status, answer_headers, body[: len(body) // 2], length)
                self.close_connection = True
                return
            store.count(operation, len(body))
            self._answer(status, answer_headers, body, length)

        def _ask_server(self, headers: dict[str, str], data: bytes) -> tuple[int, list[tuple[str, str]], bytes, int]:
            connection = http.client.HTTPConnection(_HOST, store.server_port, timeout=60)
            try:
                connection.request(self.command, self.path, data, headers)
                response = connection.getresponse()
                body = response.read()
                length = int(response.headers.get("Content-Length") or len(body))
                return response.status, response.getheaders(), body, length
            finally:
                connection.close()

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes, length: int) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in _HOP_HEADERS:
                    self.send_header(name, value)
            if status != http.HTTPStatus.NO_CONTENT:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _forward  # noqa: N815, names that the base class looks up

        def log_message(self, format: str, *args: object) -> None:
            pass

    return CountingProxy


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "moto's server ended"
        try:
            socket.create_connection((_HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("moto's server does not answer")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Store]:
    for module, package in (("moto", "moto[server]"), ("flask", "moto[server]"), ("s3fs", "s3fs")):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs an S3 server: pip install '{package}'")
    port = _free_port()
    command = [sys.executable, "-c", "from moto.server import main; main()", "-H", _HOST, "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_until_ready(server, port)
            store = S3Store(port)
            yield store
            store.close()
        finally:
            server.kill()


_bucket_numbers = itertools.count(1)


@pytest.fixture
def s3(s3_server: S3Store, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """The server with an empty bucket, and the environment that points every client at it."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (
        ("AWS_ENDPOINT_URL", s3_server.endpoint),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ):
        monkeypatch.setenv(name, value)
    s3_server.make_bucket(f"bucket-{next(_bucket_numbers)}")
    s3_server.reset_counts()
    return s3_server

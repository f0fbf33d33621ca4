"""An S3 server on loopback: moto in a process of its own, which counts requests and injects failures.

It must be another process: delta-rs holds Python's lock during some requests."""

from __future__ import annotations

import http.client
import itertools
import json
import re
import subprocess
import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_HOST = "127.0.0.1"
# what moto reads of a signature; without one, an object cannot be overwritten
_SIGNATURE = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
# requests to the server that are about the test
_CONTROL_PATH = "/-/"


class RequestCounts(NamedTuple):
    """What was requested since the counts were reset, by operation: get, head, list, put, copy, delete, other."""

    requests: Counter[str]
    bytes_sent: Counter[str]  # of response bodies

    @property
    def total(self) -> int:
        return self.requests.total()


class S3Store:
    """The server, and a bucket on it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.bucket = ""
        self.endpoint = f"http://{_HOST}:{port}"

    def counts(self) -> RequestCounts:
        requests, bytes_sent = json.loads(self._send("GET", f"{_CONTROL_PATH}counts"))
        return RequestCounts(Counter(requests), Counter(bytes_sent))

    def reset_counts(self) -> None:
        self._send("POST", f"{_CONTROL_PATH}reset")

    def fail_next(self, operation: str, failure: str, times: int = 1) -> None:
        """Make the next requests of an operation fail: with a status ("503"), or "drop" after half of the body."""
        self._send("POST", f"{_CONTROL_PATH}fail", json.dumps([operation, [failure] * times]).encode())

    def uri(self, key: str) -> str:
        return f"s3://{self.bucket}/{key}"

    def put(self, key: str, data: bytes) -> str:
        """Write an object. Returns its URI."""
        self._send("PUT", f"/{self.bucket}/{key}", data)
        return self.uri(key)

    def delete(self, key: str) -> None:
        self._send("DELETE", f"/{self.bucket}/{key}")

    def make_bucket(self, name: str) -> None:
        self.bucket = name
        self._send("PUT", f"/{name}")

    def _send(self, method: str, path: str, data: bytes = b"") -> bytes:
        connection = http.client.HTTPConnection(_HOST, self._port, timeout=30)
        try:
            connection.request(method, path, data, {"Authorization": _SIGNATURE})
            response = connection.getresponse()
            body = response.read()
            assert response.status < 300, body
            return body
        finally:
            connection.close()


_bucket_numbers = itertools.count(1)
# which an application may have set, and which would change what is requested
_OTHER_VARIABLES = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "AWS_DEFAULT_REGION")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Store]:
    command = [sys.executable, "-m", "tests.object_store"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout
            yield S3Store(int(server.stdout.readline()))
        finally:
            server.kill()


@pytest.fixture
def s3(s3_server: S3Store, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """The server with an empty bucket, and the environment that points every client at it."""
    for name in _OTHER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in (
        ("AWS_ENDPOINT_URL", s3_server.endpoint),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ):
        monkeypatch.setenv(name, value)
    from s3fs import S3FileSystem  # takes long, and most tests do not need it

    S3FileSystem.clear_instance_cache()  # those of a test without credentials
    s3_server.make_bucket(f"bucket-{next(_bucket_numbers)}")
    s3_server.reset_counts()
    return s3_server


# --- the process of the server ------------------------------------------------------------------


class CountingServer:
    """A WSGI application in front of moto's."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._requests: Counter[str] = Counter()
        self._bytes_sent: Counter[str] = Counter()
        self._failures: dict[str, list[str]] = {}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path.startswith(_CONTROL_PATH):
            size = int(environ.get("CONTENT_LENGTH") or 0)
            answer = self._control(path.removeprefix(_CONTROL_PATH), environ["wsgi.input"].read(size))
            start_response("200 OK", [("Content-Length", str(len(answer)))])
            return [answer]
        operation = _operation(environ)
        with self._lock:
            pending = self._failures.get(operation)
            failure = pending.pop() if pending else ""
            self._requests[operation] += 1
        if failure.isdigit():
            start_response(f"{failure} Failure", [("Content-Length", "0")])
            return []
        body = b"".join(self._application(environ, start_response))
        sent = body[: len(body) // 2] if failure else body
        with self._lock:
            self._bytes_sent[operation] += 0 if operation == "head" else len(sent)
        return _dropped(sent) if failure else [body]

    def _control(self, command: str, data: bytes) -> bytes:
        with self._lock:
            if command == "counts":
                return json.dumps([self._requests, self._bytes_sent]).encode()
            if command == "reset":
                self._requests.clear()
                self._bytes_sent.clear()
                self._failures.clear()
            else:
                operation, failures = json.loads(data)
                self._failures[operation] = failures
            return b""


def _dropped(sent: bytes) -> Iterator[bytes]:
    yield sent
    raise ConnectionAbortedError("as the test wants")


def _operation(environ: dict[str, Any]) -> str:
    method, query, key = environ["REQUEST_METHOD"], environ["QUERY_STRING"], environ["PATH_INFO"].strip("/")
    if method == "GET":
        return "list" if re.search(r"(?:^|&)(?:list-type|prefix|delimiter)=", query) else "get"
    if method == "POST" and query.startswith("delete"):
        return "delete"
    if method == "PUT" and "HTTP_X_AMZ_COPY_SOURCE" in environ:
        return "copy"
    return {"HEAD": "head", "PUT": "put", "DELETE": "delete"}.get(method, "other") if key else "other"


def _serve() -> None:
    """Print the port and serve until killed."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    server = make_server(_HOST, 0, CountingServer(DomainDispatcherApplication(create_backend_app)), threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    _serve()

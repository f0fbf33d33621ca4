"""The configuration of nginx in `examples/proxies`, with a real nginx and a program in the place of oauth2-proxy."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from http.client import HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

import pytest

from deadheat.triage.server_tables import Role
from deadheat.triage.store import DecisionStore
from tests.dashboards import serving, small_lake
from tools import docs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.soak

EXAMPLES = docs.ROOT / "examples" / "proxies"
HOST = "races.example.com"
COOKIE = {"cookie": "session=kim"}
MAIN = """
worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; daemon off; master_process off;
events {{}}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; include {folder}/site.conf;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
}}
"""


class SignIn(BaseHTTPRequestHandler):
    """Answers like oauth2-proxy to nginx."""

    def do_GET(self) -> None:
        is_known = COOKIE["cookie"] in self.headers.get("cookie", "")
        self.send_response(202 if is_known else 401)
        if is_known:
            self.send_header("X-Auth-Request-Email", "kim@example.com")
            self.send_header("X-Auth-Request-Groups", "staff,developers")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Answer(NamedTuple):
    status: int
    text: str
    location: str


class Site(NamedTuple):
    port: int
    token: str

    def request(
        self, path: str, headers: dict[str, str] | None = None, body: object = None, method: str = "GET"
    ) -> Answer:
        context = ssl._create_unverified_context()
        connection = HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context)
        sent = {"host": f"{HOST}:{self.port}", "content-type": "application/json", **(headers or {})}
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        response = connection.getresponse()
        answer = Answer(response.status, response.read().decode(), response.getheader("location", ""))
        connection.close()
        return answer


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    nginx, openssl = shutil.which("nginx", path="/usr/sbin:/usr/bin"), shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("no nginx is here: apt-get install nginx openssl")
    folder = tmp_path_factory.mktemp("nginx")
    small_lake(folder / "lake")
    store = DecisionStore.open(str(folder / "decisions.sqlite"))
    _, token = store.tokens.create("ci", Role.TRIAGER)
    store.close()
    make_certificate(openssl, folder)
    sign_in = ThreadingHTTPServer(("127.0.0.1", 0), SignIn)
    threading.Thread(target=sign_in.serve_forever, daemon=True).start()
    options = (
        "--lake", folder / "lake", "--decisions", folder / "decisions.sqlite", "--auth", "proxy", "--trusted-proxy",
        "127.0.0.1", "--user-header", "X-Forwarded-User", "--role-header", "X-Forwarded-Groups", "--role-map",
        "developers=triager", "--role-map", "*=reader",
    )  # fmt: skip
    with serving(*options) as address:
        port = free_port()
        write_configuration(folder, port, address.split("/")[2], sign_in.server_address[1])
        process = subprocess.Popen([nginx, "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL)
        try:
            wait_for_port(port)
            yield Site(port, token)
        finally:
            process.terminate()
            process.wait(10)
            sign_in.shutdown()
            sign_in.server_close()


def make_certificate(openssl: str, folder: Path) -> None:
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    subprocess.run([*command, *files], capture_output=True, check=True)


def write_configuration(folder: Path, port: int, server: str, sign_in: int) -> None:
    text = (EXAMPLES / "nginx.conf").read_text()
    for written, meant in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), (f"/etc/ssl/{HOST}.pem", f"{folder}/certificate.pem"),
        (f"/etc/ssl/{HOST}.key", f"{folder}/key.pem"), ("127.0.0.1:8321", server),
        ("127.0.0.1:4180", f"127.0.0.1:{sign_in}"), ("/etc/nginx/deadheat-headers.conf", f"{folder}/headers.conf"),
    ):  # fmt: skip
        assert written in text
        text = text.replace(written, meant)
    (folder / "site.conf").write_text(text)
    (folder / "headers.conf").write_text((EXAMPLES / "deadheat-headers.conf").read_text())
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))


def wait_for_port(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("nginx does not answer")


FORGED = {"x-forwarded-user": "root", "x-forwarded-groups": "developers", "x-forwarded-for": "192.0.2.1"}


def test_people_are_who_the_login_says(site: Site) -> None:
    for headers in ({}, FORGED):
        answer = site.request("/races", headers)
        assert (answer.status, "/oauth2/sign_in" in answer.location) == (302, True)
        assert site.request("/api/v1/races", headers).status == 401
        wrong = {**headers, "authorization": "Bearer deadheat_wrong"}
        assert site.request("/api/v1/races", wrong).status == 401
        assert "kim@example.com" in site.request("/races", {**headers, **COOKIE}).text
    assert site.request("/api/v1/races?q=main", COOKIE).status == 200


def test_people_and_programs_decide_and_other_sites_do_not(site: Site) -> None:
    bearer = {"authorization": f"Bearer {site.token}"}
    race = json.loads(site.request("/api/v1/races", bearer).text)["races"][0]["race"]
    address = f"/api/v1/races/{race}/decisions"
    decision = {"kind": "comment", "payload": {"text": "through nginx"}}
    assert site.request(address, {**bearer, **FORGED}, decision, "POST").status == 200
    own = {"origin": f"https://{HOST}:{site.port}"}
    assert site.request(address, {**COOKIE, **own}, decision, "POST").status == 200
    assert site.request(address, {**COOKIE, "origin": "https://evil.example"}, decision, "POST").status == 403
    history = json.loads(site.request(f"{address}/history", COOKIE).text)
    assert [event["actor"] for event in history] == ["ci", "kim@example.com"]
    assert site.request("/api/v1/audit", COOKIE).status == 403

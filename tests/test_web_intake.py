"""Documents that arrive over HTTP: complete or not at all, once, and where the next ingest finds them."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import zstandard

from deadheat.errors import DeadheatError
from deadheat.model import CiRun
from deadheat.sources.ci_metadata import parse_time, run_folders, run_from_folders
from deadheat.web.intake.folder import EncodingError, IntakeFolder, NoSpaceError, TooLargeError, safe_name
from tests.cases import ROOT as CASES
from tests.dashboard_server import DashboardProcess, make_lake

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2

TEXT = (CASES / "go" / "two-goroutines.txt").read_bytes()
MIB = 1 << 20


def stored(intake: Path) -> list[Path]:
    return sorted(path for path in (intake / "documents").rglob("*") if path.is_file())


def incoming(intake: Path) -> list[Path]:
    return [*(intake / "incoming").iterdir()]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DashboardProcess]:
    folder = tmp_path_factory.mktemp("intake")
    lake = make_lake(folder / "lake", 1)
    with DashboardProcess(lake, "--intake", str(folder / "in"), "--max-upload", "4M", "--free-space", "1M") as process:
        process.intake = folder / "in"
        yield process


@pytest.fixture
def client(server: DashboardProcess) -> Iterator[httpx2.Client]:
    with server.client() as client:
        yield client


# -- over HTTP --------------------------------------------------------------------------------------


def test_a_document_is_stored_once_with_its_run(server: DashboardProcess, client: httpx2.Client) -> None:
    run = {"repo": "acme/shop", "branch": "feature/a b", "run": "7", "job": "test (race)", "name": "../../race log.txt"}
    first = client.post("/api/v1/logs", params=run, content=TEXT)
    assert first.status_code == 201, first.text
    digest = hashlib.sha256(TEXT).hexdigest()
    assert first.json()["id"] == digest
    again = client.post("/api/v1/logs", params={"run": "8"}, content=TEXT)
    assert (again.status_code, again.json()) == (200, first.json())
    (path,) = [path for path in stored(server.intake) if digest in str(path)]
    assert path.read_bytes() == TEXT
    assert path.name == "race_log.txt"
    assert run_from_folders(str(path)) == CiRun(repo="acme/shop", branch="feature/a b", job="test (race)", run="7")
    assert client.get(first.headers["location"]).json() == first.json()
    assert incoming(server.intake) == []


def test_headers_tell_the_run(server: DashboardProcess, client: httpx2.Client) -> None:
    headers = {b"Deadheat-Repo": "acme/bücher".encode(), b"Deadheat-Time": b"2026-05-01T12:00:00Z"}
    answer = client.post("/api/v1/logs", headers=headers, content=b"headers")
    assert answer.status_code == 201
    (path,) = [path for path in stored(server.intake) if answer.json()["id"] in str(path)]
    assert run_from_folders(str(path)) == CiRun(repo="acme/bücher", time=parse_time("2026-05-01T12:00:00Z"))


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed_bodies_are_unpacked(client: httpx2.Client, encoding: str) -> None:
    text = os.urandom(3000) + b"line\n" * 500_000
    packed = gzip.compress(text) if encoding == "gzip" else zstandard.compress(text)
    answer = client.post("/api/v1/logs", headers={"content-encoding": encoding}, content=packed)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["id"], answer.json()["size"]) == (hashlib.sha256(text).hexdigest(), len(text))
    cut = client.post("/api/v1/logs", headers={"content-encoding": encoding}, content=packed[:-5])
    assert (cut.status_code, "not complete" in cut.json()["detail"]) == (422, True)


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(size >> 16):
        yield b"x" * (1 << 16)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"content": b"a" * (4 * MIB + 1)}, 413),
        ({"content": chunks(6 * MIB)}, 413),
        ({"content": zlib.compress(bytes(64 * MIB), 9), "headers": {"content-encoding": "gzip"}}, 422),
        ({"content": gzip.compress(bytes(64 * MIB), 9), "headers": {"content-encoding": "gzip"}}, 413),
        ({"content": zstandard.compress(bytes(64 * MIB)), "headers": {"content-encoding": "zstd"}}, 413),
        ({"content": b"text", "headers": {"content-encoding": "br"}}, 415),
        ({"data": {"file": "text"}}, 415),
        ({"files": {"file": b"text"}}, 415),
        ({"content": b""}, 422),
        ({"content": b"text", "params": {"time": "yesterday"}}, 422),
        ({"content": b"text", "params": {"branch": "é" * 100}}, 422),
        ({"content": b"text", "params": {"repo": "a\x1b[31m"}}, 422),
        ({"content": b"text", "headers": {"origin": "https://evil.example"}}, 403),
        ({"content": b"text", "headers": {"sec-fetch-site": "cross-site"}}, 403),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_nothing(
    server: DashboardProcess, client: httpx2.Client, options: dict[str, Any], status: int
) -> None:
    before = stored(server.intake)
    answer = client.post("/api/v1/logs", **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert (stored(server.intake), incoming(server.intake)) == (before, [])


def test_unknown_documents_are_not_found(client: httpx2.Client) -> None:
    for digest in ("0" * 64, "..", "x", "0" * 63 + "%00"):
        assert client.get(f"/api/v1/logs/{digest}").status_code == 404


def begin_upload(server: DashboardProcess, length: int) -> socket.socket:
    """A connection that has sent a part of a body."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname or "", address.port or 0), timeout=30)
    head = f"POST /api/v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
    connection.sendall(head.encode() + b"a" * (length // 2))
    return connection


def wait_until(condition: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_client_that_goes_away_leaves_nothing(server: DashboardProcess) -> None:
    before = stored(server.intake)
    with begin_upload(server, 3 * MIB):
        wait_until(lambda: incoming(server.intake))
    wait_until(lambda: not incoming(server.intake))
    assert stored(server.intake) == before


def test_too_many_uploads_at_once_are_asked_to_wait(server: DashboardProcess, client: httpx2.Client) -> None:
    connections = [begin_upload(server, 3 * MIB) for _ in range(16)]
    try:
        wait_until(lambda: len(incoming(server.intake)) == 16)
        answer = client.post("/api/v1/logs", content=b"one more")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")
    finally:
        for connection in connections:
            connection.close()
    wait_until(lambda: not incoming(server.intake))


def test_equal_documents_at_the_same_time_are_one(server: DashboardProcess) -> None:
    statuses: list[int] = []
    barrier = threading.Barrier(8)

    def send(number: int) -> None:
        with server.client() as client:
            barrier.wait(10)
            answer = client.post("/api/v1/logs", params={"run": str(number)}, content=b"the same" * 50_000)
            statuses.append(answer.status_code)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 7 + [201]
    digest = hashlib.sha256(b"the same" * 50_000).hexdigest()
    assert len([path for path in stored(server.intake) if digest in str(path)]) == 1


def test_one_line_of_curl_suffices(server: DashboardProcess, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl is here")
    # the lines of the guide, with the variables of the CI systems
    guide = (Path(__file__).parents[1] / "docs" / "how-to" / "send-logs.md").read_text()
    commands = [
        line[line.index("curl ") :].removesuffix(" || true") for line in guide.splitlines() if "curl -fsS" in line
    ]
    assert len(commands) == 2
    log = tmp_path / "race.log"
    variables = {
        "DEADHEAT_URL": server.url, "DEADHEAT_TOKEN": "none", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_SHA": "ab" * 20,
        "GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "feature/x & y", "GITHUB_JOB": "race", "GITHUB_RUN_ID": "77",
        "CI_PROJECT_PATH": "acme/shop", "CI_COMMIT_SHA": "ab" * 20, "CI_COMMIT_REF_NAME": "feature/x & y",
        "CI_JOB_NAME": "race", "CI_PIPELINE_ID": "77",
    }  # fmt: skip
    expected = CiRun("acme/shop", "ab" * 20, "feature/x & y", "race", "77")
    for number, command in enumerate(commands):
        log.write_bytes(b"%d" % number * 2_000_000)
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env={**os.environ, **variables}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)
        digest = hashlib.sha256(log.read_bytes()).hexdigest()
        (path,) = [path for path in stored(server.intake) if digest in str(path)]
        assert run_from_folders(str(path)) == expected
        assert path.name == "race.log"


def test_a_server_without_intake_says_so(tmp_path: Path) -> None:
    with DashboardProcess(make_lake(tmp_path / "lake", 1)) as server, server.client() as client:
        assert client.post("/api/v1/logs", content=b"text").status_code == 503


@pytest.mark.parametrize("with_stuck", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_uploads_are_finished_or_rolled_back_when_the_server_ends(tmp_path: Path, with_stuck: bool) -> None:
    intake = tmp_path / "in"
    with DashboardProcess(make_lake(tmp_path / "lake", 1), "--intake", str(intake)) as server:
        address = urlsplit(server.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        stuck = begin_upload(server, 3 * MIB) if with_stuck else None
        events = socket.create_connection((address.hostname or "", address.port or 0))
        events.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"text/event-stream" in events.recv(4096)
        connection.putrequest("POST", "/api/v1/logs")
        connection.putheader("Content-Length", str(2 * MIB))
        connection.endheaders(b"b" * MIB)
        wait_until(lambda: len(incoming(intake)) == 1 + with_stuck)
        server.signal(signal.SIGTERM)
        time.sleep(1)
        connection.send(b"b" * MIB)
        answer = connection.getresponse()
        assert answer.status == 201
        answer.read()
        assert server.wait(30) == 0
        for each in (connection, stuck, events):
            if each is not None:
                each.close()
    assert [path.read_bytes() for path in stored(intake)] == [b"b" * 2 * MIB]
    assert incoming(intake) == []


# -- the folder -------------------------------------------------------------------------------------


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """A file system of 1 MiB, if this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        intake = IntakeFolder(disk / "in", 1 << 30, 0)
        document = intake.receive("")
        with pytest.raises(NoSpaceError):
            document.write(b"x" * 4 * MIB)
        document.close()
        assert incoming(intake.root) == []
        with pytest.raises(NoSpaceError):
            intake.require_space(2 * MIB)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_limits_are_checked_before_and_while_writing(tmp_path: Path) -> None:
    intake = IntakeFolder(tmp_path, 100, 0)
    with pytest.raises(TooLargeError):
        intake.require_space(101)
    with pytest.raises(NoSpaceError):
        IntakeFolder(tmp_path, 1 << 62, 1 << 60).require_space(0)
    document = intake.receive("")
    with pytest.raises(TooLargeError):
        document.write(b"x" * 101)
    document.close()
    assert incoming(tmp_path) == []


def test_only_what_no_server_receives_is_removed_as_abandoned(tmp_path: Path) -> None:
    intake = IntakeFolder(tmp_path, 100, 0)
    active = intake.receive("")
    abandoned = intake.incoming / "abandoned"
    abandoned.mkdir()
    (abandoned / "lock").touch()
    (abandoned / "content").write_bytes(b"half a document")
    fresh = intake.incoming / "fresh"
    fresh.mkdir()
    for folder in intake.incoming.iterdir():
        if folder != fresh:
            os.utime(folder, (0, 0))
    assert intake.remove_abandoned() == 1
    assert not abandoned.exists()
    active.write(b"text")
    active.place(active.finish(), "log", CiRun())
    active.close()
    assert [path.read_bytes() for path in stored(tmp_path)] == [b"text"]


def test_several_members_and_damage_in_gzip(tmp_path: Path) -> None:
    intake = IntakeFolder(tmp_path, 1 << 30, 0)
    document = intake.receive("gzip")
    text = os.urandom(100) * 40_000
    packed = gzip.compress(text) + gzip.compress(b"end")
    for start in range(0, len(packed), 777):
        document.write(packed[start : start + 777])
    assert document.finish() == hashlib.sha256(text + b"end").hexdigest()
    document.close()
    damaged = intake.receive("gzip")
    with pytest.raises(EncodingError):
        damaged.write(b"no gzip")
    damaged.close()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("test.log", "test.log"), ("../../etc/passwd", "passwd"), (r"C:\logs\a b.txt", "a_b.txt"), ("", "document.log"),
        ("...", "document.log"), ("/", "document.log"), ("a\x00\x1b[31m\u202e.log", "a___31m_.log"),
        ("repo=x/run=y", "run=y"),
    ],
)  # fmt: skip
def test_names_of_clients_become_names_of_files(given: str, kept: str) -> None:
    assert safe_name(given) == kept
    assert len(safe_name("é" * 500 + ".log").encode()) <= 120


def test_folders_tell_the_run() -> None:
    run = CiRun("acme/shop", "ab", "a=b/%2F é", "job", "7", parse_time("2026-05-01T12:00:00Z"))
    folders = run_folders(run)
    assert all("/" not in folder for folder in folders)
    assert run_from_folders("/x/" + "/".join([*folders, "repo=file.log"])) == run
    assert run_from_folders("/logs/run=1/time=never/run=2/other=3/a.log") == CiRun(run="2")
    with pytest.raises(DeadheatError):
        run_folders(CiRun(repo="x" * 300))

"""Health, metrics, logs, and the ingest that a server keeps running."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.model import CiRun
from deadheat.triage.events import EventKind, NewEvent
from deadheat.triage.server_tables import UploadState
from deadheat.web.intake import routes as intake_routes
from deadheat.web.intake.folder import IntakeFolder
from deadheat.web.notify.rules import NoticeKind
from deadheat.web.operations import routes as operation_routes
from deadheat.web.operations.background import note_ingested
from deadheat.web.operations.ingest_process import IngestSupervisor, read_ingest_state
from deadheat.web.operations.logs import JsonFormatter, TextFormatter
from deadheat.web.operations.metrics import Metric, Sample, SharedCounts, format_metrics
from deadheat.web.race_table import FACETS
from tests.cases import ROOT as CASES
from tests.dashboard_server import DashboardProcess, make_lake
from tests.dashboards import Dashboard, open_dashboard, small_lake
from tests.local_lakes import LogEntry, add_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT = CASES / "go" / "two-goroutines.txt"
# "deadheat_races{status="new"} 12"
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)')


def parse_metrics(text: str) -> dict[tuple[str, str], float]:
    """Name and labels -> value; every line must be in the format of Prometheus."""
    found = {}
    typed = set()
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP|TYPE) [a-z_]+ .+", line)
            typed.add(line.split()[2])
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        assert re.sub(r"_(bucket|sum|count)$", "", match[1]) in typed or match[1] in typed
        found[match[1], match[2] or ""] = float(match[3])
    return found


def wait_until(condition: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("operations")
    small_lake(folder / "lake")
    with open_dashboard(folder / "lake", folder) as opened:
        yield opened


# -- health and metrics -----------------------------------------------------------------------------


def test_health_and_readiness(dashboard: Dashboard) -> None:
    assert dashboard.client.get("/healthz").text == "ok\n"
    ready = dashboard.client.get("/readyz")
    assert (ready.status_code, ready.text) == (200, "lake ok\nindex ok\ndecisions ok\nrunning ok\n")
    dashboard.services.live.fault = "/secret/path: cannot be read"
    try:
        failed = dashboard.client.get("/readyz")
        assert (failed.status_code, failed.text.splitlines()[0]) == (503, "lake failed")
        assert "secret" not in failed.text
        assert dashboard.client.get("/healthz").status_code == 200
    finally:
        dashboard.services.live.fault = ""


def test_metrics_count_what_happens(dashboard: Dashboard) -> None:
    store = dashboard.services.store
    assert store is not None
    race = dashboard.services.live.state.snapshot.races["race"][0].as_py()
    store.record(NewEvent(race, EventKind.STATUS, {"status": "confirmed"}, "ann"))
    dashboard.services.live.refresh_decisions()
    before = parse_metrics(dashboard.client.get("/metrics").text)
    for _ in range(3):
        dashboard.client.get("/races")
    dashboard.client.get("/races/none")
    dashboard.client.get("/" + "x" * 1000)
    after = parse_metrics(dashboard.client.get("/metrics").text)

    def gained(name: str, labels: str) -> float:
        return after.get((name, labels), 0) - before.get((name, labels), 0)

    assert gained("deadheat_http_requests_total", 'method="GET",route="/races",status="2xx"') == 3
    assert gained("deadheat_http_requests_total", 'method="GET",route="/races/{race}",status="4xx"') == 1
    # an unknown path does not become a label
    assert gained("deadheat_http_requests_total", 'method="",route="unmatched",status="4xx"') == 1
    assert gained("deadheat_http_request_duration_seconds_bucket", 'method="GET",route="/races",le="+Inf"') == 3
    assert gained("deadheat_http_request_duration_seconds_sum", 'method="GET",route="/races"') > 0
    races = len(dashboard.services.live.state.snapshot.races)
    assert after["deadheat_races", 'status="confirmed"'] == 1
    assert sum(value for (name, _), value in after.items() if name == "deadheat_races") == races
    assert after["deadheat_snapshot_age_seconds", ""] >= 0


def test_counts_of_several_processes_are_added_up(tmp_path: Path) -> None:
    routes = [("GET", "/races")]
    counts = SharedCounts(routes, tmp_path)
    counts.count_request(("GET", "/races"), 200, 0.02)
    (tmp_path / "1.counts").write_bytes((tmp_path / f"{os.getpid()}.counts").read_bytes())
    (tmp_path / "other.counts").write_bytes(b"of another version")
    samples = {metric.name: metric.samples for metric in counts.metrics()}
    assert [sample.value for sample in samples["deadheat_http_requests_total"]] == [2]


def test_every_metric_and_event_is_documented(dashboard: Dashboard, tmp_path: Path) -> None:
    dashboard.services.background.state_folder = tmp_path
    (tmp_path / "ingest.json").write_text("{}")
    names = re.findall(r"^# TYPE (\S+)", dashboard.client.get("/metrics").text, re.MULTILINE)
    dashboard.services.background.state_folder = None
    assert "deadheat_ingest_running" in names
    docs = Path(__file__).parents[1] / "docs"
    reference, guide = (docs / "reference" / "server.md").read_text(), (docs / "how-to" / "notify.md").read_text()
    assert [name for name in names if f"`{name}`" not in reference] == []
    assert [key for key in (*NoticeKind, *FACETS) if f"`{key}`" not in guide] == []
    routes = [*intake_routes.ROUTES, *operation_routes.ROUTES]
    assert [r.path for r in routes if f"{r.method} {r.path}".replace("{digest}", "ID") not in reference] == []


def test_labels_are_escaped() -> None:
    text = format_metrics([Metric("a", "gauge", "b", [Sample(1.5, {"x": 'a"\\\n{}'})])])
    assert text == '# HELP a b\n# TYPE a gauge\na{x="a\\"\\\\\\n{}"} 1.5\n'


def test_the_page_of_the_server_shows_what_failed(dashboard: Dashboard) -> None:
    store = dashboard.services.store
    assert store is not None
    store.outbox.enqueue("event", "team", {"title": "<script>alert(1)</script>", "body": ""})
    (claimed,) = store.outbox.claim()
    store.outbox.mark_failed(claimed.number, "\x1b[31mrefused <b>", None)
    page = dashboard.client.get("/server").text
    assert "&lt;script&gt;alert(1)" in page
    assert "refused &lt;b&gt;" in page
    assert "\x1b" not in page
    assert dashboard.client.get("/api/v1/server").json()["outbox"]["failed"] == 1


# -- logs -------------------------------------------------------------------------------------------


def record(message: str, *arguments: object, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("deadheat.web", logging.WARNING, "x.py", 1, message, arguments, None)
    made.fields = fields
    return made


def test_hostile_text_in_logs_is_escaped() -> None:
    hostile = "a\nb\x1b]0;x\x07\u202e\udcff"
    line = JsonFormatter().format(record("%s", hostile, path=hostile))
    assert line.isprintable()
    parsed = json.loads(line)
    assert parsed["path"] == hostile.encode("utf-8", "backslashreplace").decode()
    text = TextFormatter().format(record("%s", hostile))
    assert all(each.isprintable() and each.startswith("deadheat: ") for each in text.splitlines())


def test_requests_are_logged_without_queries_and_tokens(tmp_path: Path) -> None:
    with DashboardProcess(make_lake(tmp_path / "lake", 1), "--log-format", "json") as server, server.client() as client:
        answer = client.get(
            "/races?q=secret-query", headers={"x-request-id": "from-proxy-7", "authorization": "Bearer secret"}
        )
        assert answer.headers["x-request-id"] == "from-proxy-7"
        assert client.get("/", headers={"x-request-id": "a b\t<"}).headers["x-request-id"].isalnum()
        wait_until(lambda: len([line for line in server.log if '"status"' in line]) >= 2)
        log = [json.loads(line) for line in server.log]
    (entry,) = [each for each in log if each.get("request") == "from-proxy-7"]
    assert (entry["method"], entry["path"], entry["status"], entry["level"]) == ("GET", "/races", 200, "info")
    assert "secret" not in "\n".join(server.log)


@pytest.mark.soak
def test_workers_share_their_counts(tmp_path: Path) -> None:
    with (
        DashboardProcess(make_lake(tmp_path / "lake", 1), "--workers", "2") as server,
        server.client(headers={"connection": "close"}) as client,
    ):
        for _ in range(40):
            assert client.get("/healthz").status_code == 200
        for _ in range(5):
            found = parse_metrics(client.get("/metrics").text)
            assert found["deadheat_http_requests_total", 'method="GET",route="/healthz",status="2xx"'] == 40
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        server.wait(30)
        assert time.monotonic() - began < 25


# -- ingest -----------------------------------------------------------------------------------------


def test_uploads_are_noted_as_ingested(tmp_path: Path) -> None:
    intake = IntakeFolder(tmp_path / "in", 1 << 20, 0)
    lake = make_lake(tmp_path / "lake", 1)
    with open_dashboard(lake, tmp_path) as dashboard:
        store = dashboard.services.store
        assert store is not None
        for content in (REPORT.read_bytes(), b"another"):
            document = intake.receive("")
            document.write(content)
            digest = document.finish()
            document.place(digest, "race.log", CiRun(run="7"))
            document.close()
            store.uploads.add(digest, "race.log", len(content), "ci")
        (first, second) = store.uploads.all()
        (path,) = intake.files_of(first.digest)
        add_documents(lake, [LogEntry(str(path), path.read_bytes())])
        dashboard.refresh()
        note_ingested(store, intake, dashboard.services.live.state.snapshot)
        assert [each.digest for each in store.uploads.all(UploadState.INGESTED)] == [first.digest]
        assert [each.digest for each in store.uploads.all(UploadState.RECEIVED)] == [second.digest]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def ingest_pids(lake: Path) -> list[int]:
    """The ingests of a lake."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"ingest" in words and str(lake).encode() in words:
                found.append(int(folder.name))
    return [pid for pid in found if is_alive(pid)]


def test_an_ingest_that_fails_is_started_again_and_its_error_shown(tmp_path: Path) -> None:
    """Without Java: the dashboard works, and says what is missing."""
    lake, logs = tmp_path / "lake", tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(REPORT.read_bytes())
    environment = {"JAVA_HOME": str(tmp_path / "no-java")}
    with DashboardProcess(lake, "--watch", str(logs), environment=environment) as server, server.client() as client:
        wait_until(lambda: client.get("/api/v1/server").json()["ingest"]["starts"] >= 2)
        state = client.get("/api/v1/server").json()["ingest"]
        assert "needs Java 17 or later" in state["fault"]
        assert "needs Java 17 or later" in client.get("/server").text
        assert any("ingest" in line and "Java" in line for line in server.log)
        found = parse_metrics(client.get("/metrics").text)
        assert found["deadheat_ingest_starts_total", ""] >= 2
    assert ingest_pids(lake) == []


def test_the_ingest_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    lake, logs = tmp_path / "lake", tmp_path / "logs"
    logs.mkdir()
    with DashboardProcess(lake, "--watch", str(logs)) as server:
        wait_until(lambda: ingest_pids(lake))
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        wait_until(lambda: not ingest_pids(lake), 30)


def test_stopping_while_the_ingest_waits_for_its_next_start(tmp_path: Path) -> None:
    supervisor = IngestSupervisor(["ingest", "--no-such-option"], tmp_path / "state.json", first_delay=30)
    supervisor.start()
    wait_until(lambda: supervisor.state.fault)
    assert "arguments are required" in supervisor.state.fault
    began = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - began < 5
    state = read_ingest_state(tmp_path / "state.json")
    assert state is not None
    assert not state.is_running
    assert read_ingest_state(tmp_path / "none.json") is None


@pytest.mark.soak
def test_an_upload_is_on_the_pages_after_the_ingest(tmp_path: Path) -> None:
    """From curl to the page: intake, Spark in a process of its own, live update, notification, fixed race back."""
    from tests.receivers import http_receiver

    with http_receiver() as receiver:
        configuration = tmp_path / "deadheat.toml"
        configuration.write_text(f'[[serve.notify]]\nname = "team"\nto = "{receiver.url}"\n')
        options = ("--config", str(configuration), "--intake", str(tmp_path / "in"), "--watch")
        with (
            DashboardProcess(tmp_path / "lake", *options, "--public-url", "https://races.example.com") as server,
            server.client() as client,
        ):
            versions: list[str] = []

            def read_events() -> None:
                with server.client() as reader, reader.stream("GET", "/events", timeout=None) as answer:
                    versions.extend(line for line in answer.iter_lines() if line.startswith("data: "))

            thread = threading.Thread(target=read_events, daemon=True)
            thread.start()
            sent = client.post("/api/v1/logs", params={"run": "1", "repo": "acme/shop"}, content=REPORT.read_bytes())
            assert sent.status_code == 201
            wait_until(lambda: client.get(sent.headers["location"]).json()["state"] == "ingested", 180)
            wait_until(lambda: client.get("/api/v1/races").json()["total"] == 1)
            (race,) = client.get("/api/v1/races").json()["races"]
            assert race["repos"] == ["acme/shop"]
            wait_until(lambda: receiver.titles)
            assert receiver.titles[0].startswith("New race: ")
            decision = {"kind": "status", "payload": {"status": "fixed", "commit": "ab" * 20}}
            assert client.post(f"/api/v1/races/{race['race']}/decisions", json=decision).status_code == 200
            again = {"run": "2", "repo": "acme/shop", "commit": "ab" * 20}
            content = b"a later run\n" + REPORT.read_bytes()
            assert client.post("/api/v1/logs", params=again, content=content).status_code == 201
            wait_until(lambda: len(receiver.titles) == 2, 180)
            assert receiver.titles[1].startswith("Fix did not hold: ")
            assert client.get(f"/api/v1/races/{race['race']}").json()["decision"]["status"] == "back"
            wait_until(lambda: len(versions) >= 3)
    assert ingest_pids(tmp_path / "lake") == []

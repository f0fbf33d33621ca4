"""Dashboards for tests: applications on small lakes, in this process or in one of their own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from starlette.testclient import TestClient

from bench import logs
from deadheat.lake.tables import Lake
from deadheat.model import CiRun
from deadheat.triage.store import DecisionStore
from deadheat.web.access.settings import AccessSettings, make_access
from deadheat.web.application import create_app
from deadheat.web.index_builder import build_index
from deadheat.web.live import LiveData
from deadheat.web.reader import LakeReader
from deadheat.web.services import Services, WebSettings
from deadheat.web.sighting_index import SightingIndex
from tests.local_lakes import LogEntry, add_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from httpx2 import Response

FIRST_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
# "<input type="hidden" name="token" value="0f…">"
_HIDDEN_FIELD = re.compile(r'<input type="hidden" name="(token|key|based_on)" value="([^"]*)">')


def ci_run(number: int, day: int = 0, branch: str = "main") -> CiRun:
    """A run of CI, so many days after the first."""
    return CiRun("acme/shop", f"{number:040x}", branch, "race", f"{1000 + number}", FIRST_DAY + timedelta(days=day))


def log_entry(number: int, races: Iterable[int], day: int = 0, branch: str = "main") -> LogEntry:
    """The log of a run that shows these races."""
    text = b"".join(b"starting test %d\n" % race + logs.generate_report(race) for race in races)
    return LogEntry(f"ci/{number}.log", text, ci_run(number, day, branch))


def small_lake(root: Path) -> None:
    """Twelve races: new, recurring, quiet and returned ones, in five runs on two branches."""
    entries = [
        log_entry(1, range(6), 0),
        log_entry(2, range(3), 2, "feature/cart"),
        log_entry(3, (0, 1, 6, 7), 30),
        log_entry(4, (0, 3, 8), 60),
        log_entry(5, (0, 0, 9, 10, 11), 61),
    ]
    add_documents(root, entries, rejects=("ci/broken.gz",))


class Dashboard(NamedTuple):
    """An application with its parts."""

    services: Services
    client: TestClient
    lake: Path

    def refresh(self) -> None:
        """Index what is new in the lake, and load it."""
        build_index(Lake(str(self.lake)), self.services.live.index.path)
        self.services.live.check()

    def fields(self, address: str) -> dict[str, str]:
        """The hidden fields of the forms of a page."""
        return dict(_HIDDEN_FIELD.findall(self.client.get(address).text))

    def decide(self, race: str, **fields: str) -> Response:
        """Send a form of the page of a race, as it is now."""
        return self.client.post(f"/races/{race}", data={**self.fields(f"/races/{race}"), **fields})


@contextmanager
def open_dashboard(
    lake: Path, cache: Path, access: AccessSettings | None = None, **settings: object
) -> Iterator[Dashboard]:
    """A dashboard whose index is complete; nothing is loaded in the background."""
    reader = LakeReader(str(lake))
    index = SightingIndex(cache / "index.sqlite")
    build_index(reader.snapshot.lake, index.path)
    store = DecisionStore.open(str(cache / "decisions.sqlite"))
    control = make_access(access or AccessSettings(), store)
    services = Services(WebSettings(**settings), LiveData(reader, store, index), control)  # type: ignore[arg-type]
    # without its context the threads of the application do not start
    client = TestClient(create_app(services), base_url="http://localhost", raise_server_exceptions=False)
    services.live.check()
    try:
        yield Dashboard(services, client, lake)
    finally:
        client.close()
        services.stop()
        store.close()


@contextmanager
def serving(*options: str | Path, seconds: float = 60) -> Iterator[str]:
    """The address of `deadheat serve` in a process of its own."""
    command = [sys.executable, "-m", "deadheat", "serve", "--port", "0", *map(str, options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        deadline = time.monotonic() + seconds
        line = process.stdout.readline()
        assert time.monotonic() < deadline
        assert line.startswith("http://"), (line, process.stderr.read() if process.stderr else "")
        yield line.split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise

"""A server that is killed while people decide and CI jobs send logs loses nothing that was acknowledged.

And nothing is there more than once.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import httpx2
import pytest

from deadheat.triage.events import EventKind
from deadheat.triage.store import DecisionStore
from tests.dashboard_server import DashboardProcess, make_lake
from tests.postgres import PostgresCluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HIDDEN_FIELD = re.compile(r'<input type="hidden" name="(token|key|based_on)" value="([^"]*)">')


class Writers:
    """Clients that write until the server is gone. What was acknowledged must be there; what was not may be."""

    def __init__(self, url: str, race: str, round_number: int) -> None:
        self.comments: set[str] = set()
        self.documents: set[str] = set()
        self.unanswered: list[tuple[str, str]] = []  # text and key of a decision
        self.unanswered_documents: list[bytes] = []
        self._url, self._race, self._round = url, race, round_number
        self._lock = threading.Lock()
        targets = (self._decide, self._decide_by_form, self._send)
        self._threads = [
            threading.Thread(target=self._run, args=(target, number)) for number, target in enumerate(targets * 2)
        ]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _run(self, write: object, number: int) -> None:
        with httpx2.Client(base_url=self._url, timeout=30, trust_env=False) as client:
            try:
                for count in range(100_000):
                    write(client, f"{self._round}-{number}-{count}")  # type: ignore[operator]
            except httpx2.TransportError:
                return

    def _decide(self, client: httpx2.Client, name: str) -> None:
        with self._lock:
            self.unanswered.append((name, f"key {name}"))
        decision = {"kind": "comment", "payload": {"text": name}, "key": f"key {name}"}
        answer = client.post(f"/api/v1/races/{self._race}/decisions", json=decision)
        assert answer.status_code == 200, answer.text
        with self._lock:
            self.unanswered.remove((name, f"key {name}"))
            self.comments.add(name)

    def _decide_by_form(self, client: httpx2.Client, name: str) -> None:
        address = f"/races/{self._race}"
        fields = dict(_HIDDEN_FIELD.findall(client.get(address).text))
        answer = client.post(address, data={**fields, "action": "comment", "comment": name})
        assert answer.status_code == 303, answer.text
        with self._lock:
            self.comments.add(name)

    def _send(self, client: httpx2.Client, name: str) -> None:
        content = name.encode() * random.randrange(1, 100_000)
        with self._lock:
            self.unanswered_documents.append(content)
        answer = client.post("/api/v1/logs", params={"run": name}, content=content)
        assert answer.status_code == 201, answer.text
        with self._lock:
            self.unanswered_documents.remove(content)
            self.documents.add(hashlib.sha256(content).hexdigest())


def check_kills(folder: Path, decisions: str, kills: int, seed: int = 0) -> tuple[int, int]:
    """Kill a server so many times; returns how many decisions and documents were acknowledged."""
    lake, intake = make_lake(folder / "lake", 1), folder / "in"
    options = ("--decisions", decisions, "--intake", str(intake))
    DecisionStore.open(decisions, upgrade=True).close()
    rng = random.Random(seed)
    comments: set[str] = set()
    documents: set[str] = set()
    unanswered: list[tuple[str, str]] = []
    unanswered_documents: list[bytes] = []
    race = ""
    for number in range(kills + 1):
        with DashboardProcess(lake, *options) as server, server.client() as client:
            race = race or client.get("/api/v1/races").json()["races"][0]["race"]
            # a client that got no answer sends again what it has sent
            for text, key in unanswered:
                decision = {"kind": "comment", "payload": {"text": text}, "key": key}
                assert client.post(f"/api/v1/races/{race}/decisions", json=decision).status_code == 200
                comments.add(text)
            for content in unanswered_documents:
                assert client.post("/api/v1/logs", content=content).status_code in (200, 201)
                documents.add(hashlib.sha256(content).hexdigest())
            check_decisions(client, race, comments)
            check_documents(client, intake, documents)
            if number == kills:
                break
            with Writers(server.url, race, number) as writers:
                time.sleep(rng.uniform(0.02, 1.5))
                server.kill()
            comments |= writers.comments
            documents |= writers.documents
            unanswered, unanswered_documents = writers.unanswered, writers.unanswered_documents
    store = DecisionStore.open(decisions)
    try:
        counts = Counter(e.payload["text"] for e in store.history(race) if e.kind is EventKind.COMMENT)
        assert {*counts.values()} <= {1}
        assert comments <= counts.keys()
        uploads = [each.digest for each in store.uploads.all(limit=1_000_000)]
        assert len(uploads) == len({*uploads})
        assert documents <= {*uploads}
    finally:
        store.close()
    by_form = sum(e.split("-")[1] in ("1", "4") for e in comments)
    assert 0 < by_form < len(comments)
    return len(comments), len(documents)


def check_decisions(client: httpx2.Client, race: str, comments: set[str]) -> None:
    texts = Counter(each["text"] for each in client.get(f"/api/v1/races/{race}/decisions").json()["comments"])
    assert {*texts.values()} <= {1}
    assert comments <= texts.keys()


def check_documents(client: httpx2.Client, intake: Path, documents: set[str]) -> None:
    """Every file that an ingest reads is complete and there once, and those that were acknowledged are there."""
    found = []
    for folder in (intake / "documents").iterdir():
        (path,) = [path for path in folder.rglob("*") if path.is_file()]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == folder.name
        found.append(folder.name)
    assert documents <= {*found}
    if documents:
        assert client.get(f"/api/v1/logs/{max(documents)}").status_code == 200


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresCluster]:
    running = PostgresCluster()
    yield running
    running.close()


def test_nothing_is_lost_with_sqlite(tmp_path: Path) -> None:
    assert min(check_kills(tmp_path, str(tmp_path / "decisions.sqlite"), 2)) > 0


@pytest.mark.soak
def test_nothing_is_lost_in_many_kills_with_sqlite(tmp_path: Path) -> None:
    print("acknowledged", check_kills(tmp_path, str(tmp_path / "decisions.sqlite"), 100, seed=1))


@pytest.mark.soak
@pytest.mark.parametrize("kills", [5, 50])
def test_nothing_is_lost_with_postgresql(tmp_path: Path, cluster: PostgresCluster, kills: int) -> None:
    print("acknowledged", check_kills(tmp_path, cluster.new_database(), kills, seed=kills))

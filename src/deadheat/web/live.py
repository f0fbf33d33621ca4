"""What pages show now: a snapshot of the lake, people's decisions, and the index of sightings; and when one changes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.lake.data_files import is_in
from deadheat.triage.events import Status
from deadheat.triage.returns import record_sightings
from deadheat.triage.state import duplicate_roots
from deadheat.web.race_table import RaceDecision

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deadheat.triage.state import RaceState
    from deadheat.triage.store import DecisionStore
    from deadheat.web.race_table import RaceTable
    from deadheat.web.reader import LakeReader
    from deadheat.web.sighting_index import SightingIndex
    from deadheat.web.snapshot import LakeSnapshot

_LOG = logging.getLogger("deadheat.web")
# the index is not started again more often
_MIN_BUILD_SECONDS = 2.0
# glibc gives memory back to the system
_SMALL_HEAP = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "131072"}


class LiveState(NamedTuple):
    """A consistent view for one request."""

    snapshot: LakeSnapshot
    states: Mapping[str, RaceState]
    decisions_version: int
    index_version: str
    version: str  # changes whenever a page would change


class LiveData:
    """Replaces `state` when the lake, a decision or the index has changed."""

    def __init__(self, reader: LakeReader, store: DecisionStore | None, index: SightingIndex) -> None:
        self.reader, self.store, self.index = reader, store, index
        self.fault = ""  # why the newest state could not be read
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._builder: subprocess.Popen[bytes] | None = None
        self._built_at = 0.0
        self._noted_version = self._loaded_version = ""
        self._branches_version = ""
        self._table_with_branches: RaceTable | None = reader.snapshot.table  # branches are loaded after the start
        self.state = self._first_state()

    def start(self, seconds: float) -> None:
        """Look for changes every few seconds, in a thread."""
        self._thread = threading.Thread(target=self._watch, args=(seconds,), name="deadheat-live", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)
        if self._builder is not None and self._builder.poll() is None:
            self._builder.terminate()
            self._builder.wait(10)
        self.reader.close()

    def _watch(self, seconds: float) -> None:
        while True:
            try:
                self.check()
                self.fault = ""
            except (DeadheatError, OSError) as error:
                if self.fault != str(error):
                    _LOG.warning("the newest state cannot be read: %s", error)
                self.fault = str(error)
            if self._stop.wait(seconds):
                return

    def check(self) -> None:
        """Load what has changed."""
        changed = self.reader.check()
        self._build_index()
        self._note_races(self.reader.snapshot)
        with self._lock:
            state = self.state
            is_muting = any(each.mute is not None for each in state.states.values())
            if (
                changed
                or is_muting
                or (self.store is not None and self.store.version() != state.decisions_version)
                or self.index.state("version") != self._branches_version
            ):
                self.state = self._load(self.reader.snapshot)

    def refresh_decisions(self, version: int = 0) -> None:
        """Load decisions at once, after they were written in this process or, up to a version, in another."""
        if self.store is None or 0 < version <= self.state.decisions_version:
            return
        with self._lock:
            self.state = self._load(self.state.snapshot)

    def _first_state(self) -> LiveState:
        """What pages show until the first look for changes: everything but branches, which take a second."""
        snapshot = self.reader.snapshot
        version = self.store.version() if self.store is not None else 0
        states = self.store.states() if self.store is not None else {}
        now = datetime.now(UTC)
        snapshot.table.set_decisions({race: listed_decision(state, now) for race, state in states.items()})
        return LiveState(snapshot, states, version, self.index.state("version"), f"{snapshot.version}-start-{version}")

    def _load(self, snapshot: LakeSnapshot) -> LiveState:
        version = self.store.version() if self.store is not None else 0
        states = self.store.states() if self.store is not None else {}
        index_version = self.index.state("version")
        now = datetime.now(UTC)
        decisions = {race: listed_decision(state, now) for race, state in states.items()}
        muted = sum(decision.is_muted for decision in decisions.values())
        # a mute ends without a decision
        name = f"{snapshot.version}-{index_version}-{version}.{muted}"
        if name == self._loaded_version:
            return self.state
        if snapshot.table is not self._table_with_branches or index_version != self._branches_version:
            self._set_branches(snapshot)
            self._table_with_branches, self._branches_version = snapshot.table, index_version
        snapshot.table.set_decisions(decisions)
        self._loaded_version = name
        return LiveState(snapshot, states, version, index_version, name)

    def _set_branches(self, snapshot: LakeSnapshot) -> None:
        nodes, branches, pairs = self.index.branches()
        races = {number: snapshot.race_number_of_node(name) for number, name in nodes.items()}
        positions = {number: position for position, number in enumerate(branches)}
        found = {(race, positions[branch]) for node, branch in pairs if (race := races.get(node)) is not None}
        snapshot.table.set_branches([race for race, _ in found], [branch for _, branch in found], [*branches.values()])

    def _note_races(self, snapshot: LakeSnapshot) -> None:
        """Tell the store about the races of a new state of the lake: it notices fixed ones that are back.

        The index tells when a commit was sighted first, so it has to be complete.
        """
        if self.store is None or self._noted_version == snapshot.version or not self._is_index_current(snapshot):
            return
        rows = _rows_for_decisions(snapshot, self.store.states())
        record_sightings(
            self.store, rows, None, self.index.first_sightings,
            lambda race, commit, at: self.index.sighting_at(race.get("nodes", ()), commit, at),
        )  # fmt: skip
        self._noted_version = snapshot.version

    def _is_index_current(self, snapshot: LakeSnapshot) -> bool:
        return self.index.state("version") == str(snapshot.lake.delta_table("sightings").version())

    # -- the index ----------------------------------------------------------------------------------

    def _build_index(self) -> None:
        """Start the process that brings the index up to date, unless it is or one runs."""
        if self._builder is not None and self._builder.poll() is None:
            return
        if self._is_index_current(self.reader.snapshot) or time.monotonic() - self._built_at < _MIN_BUILD_SECONDS:
            return
        self._built_at = time.monotonic()
        command = [sys.executable, "-m", "deadheat.web.index_builder", self.reader.uri, str(self.index.path)]
        environment = os.environ | _SMALL_HEAP
        self._builder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)


def listed_decision(state: RaceState, now: datetime) -> RaceDecision:
    return RaceDecision(state.status.value, state.assignee, state.severity, state.labels, state.is_muted(now))


def _rows_for_decisions(snapshot: LakeSnapshot, states: Mapping[str, RaceState]) -> list[dict[str, Any]]:
    """All races with their aliases; with the commits of their latest runs only those that may be back."""
    roots = duplicate_roots(states)
    names = ("race", "aliases", "last_seen")
    columns = [snapshot.races[name].to_pylist() for name in names]
    rows = [{**dict(zip(names, row, strict=True)), "latest_commits": ()} for row in zip(*columns, strict=True)]
    fixed = {
        row["race"] for row in rows
        if any(
            (state := states.get(roots.get(name, name))) is not None and state.status is Status.FIXED
            for name in (row["race"], *row["aliases"])
        )
    }  # fmt: skip
    if fixed:
        columns = ["race", "latest_commits", "nodes"]
        found = {
            row["race"]: row for row in snapshot.lake.read_rows("races", columns, is_in("race", fixed)).to_pylist()
        }
        for row in rows:
            row |= found.get(row["race"], {})
    return rows

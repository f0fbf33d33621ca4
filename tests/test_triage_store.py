"""The store of decisions, in real SQLite files and in a real PostgreSQL cluster."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from deadheat.errors import DeadheatError
from deadheat.triage.database import SCHEMA_REVISION, DecisionDatabase, parse_database_url
from deadheat.triage.event_transaction import DecisionConflictError
from deadheat.triage.events import (
    SYSTEM_ACTOR,
    Event,
    EventKind,
    EventSource,
    InvalidDecisionError,
    NewEvent,
    ReusedKeyError,
    Status,
    event_id,
    utc_now,
)
from deadheat.triage.returns import record_sightings
from deadheat.triage.server_tables import DeliveryState, Role, UploadState
from deadheat.triage.state import RaceState, derive_state, duplicate_roots
from deadheat.triage.store import DecisionStore
from deadheat.triage.tables import metadata
from deadheat.triage.transfer import export_lines, import_lines
from tests.postgres import PostgresCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    NewStore = Callable[[], DecisionStore]

A, B, C = "47d9f89a0b1c2d3e", "b1946ac92492d234", "591785b794601e21"
HOSTILE_TEXTS = (
    "<script>alert(1)</script>", "{{ 7*7 }}", "::error file=a.go::text", "\u2066\u200f\ufeff", "\r\nSet-Cookie: a=b",
    "a\u2028b", "%00%s%n", "\U0001f3f3\ufe0f", "../../etc/passwd", "$(id)", '"},"status":"fixed',
)  # fmt: skip
FIX, LATER = "9fceb02d0ae598e95dc970b74767f19372d61af8", "0e1c2b1a7d7f6c8f3b1a2c4d5e6f708192a3b4c5"


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresCluster]:
    started = PostgresCluster()
    yield started
    started.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewStore]:
    """Makes empty stores of one kind."""
    stores: list[DecisionStore] = []

    def make() -> DecisionStore:
        if request.param == "sqlite":
            url = str(tmp_path / f"{len(stores)}.sqlite")
        else:
            url = request.getfixturevalue("cluster").new_database()
        stores.append(DecisionStore.open(url, upgrade=True))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def store(new_store: NewStore) -> DecisionStore:
    return new_store()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[DecisionStore]:
    opened = DecisionStore.open(str(tmp_path / "triage.sqlite"))
    yield opened
    opened.close()


def decision(
    race: str, kind: EventKind, /, actor: str = "ann", key: str = "", based_on: int | None = None, **payload: Any
) -> NewEvent:
    event = NewEvent(race, kind, payload, actor, EventSource.CLI, based_on=based_on)
    return replace(event, key=key) if key else event


def status(race: str, value: str, /, **options: Any) -> NewEvent:
    return decision(race, EventKind.STATUS, status=value, **options)


# -- recording --------------------------------------------------------------------------------------


def test_every_kind_of_decision_changes_the_state(store: DecisionStore) -> None:
    first = store.record(decision(A, EventKind.COMMENT, text="one"))
    second = store.record(decision(A, EventKind.COMMENT, text="two", actor="bob"))
    state = store.record_all([
        status(A, "in-progress", reason="on it"),
        decision(A, EventKind.ASSIGN, assignee="cyd"),
        decision(A, EventKind.SEVERITY, severity="high"),
        decision(A, EventKind.LABELS, add=["flaky", "storage"]),
        decision(A, EventKind.LABELS, add=["net"], remove=["flaky"]),
        decision(A, EventKind.EDIT_COMMENT, comment=first.comments[0].id, text="uno"),
        decision(A, EventKind.DELETE_COMMENT, comment=second.comments[1].id),
        decision(A, EventKind.MUTE, reason="noise", until="2999-01-31T23:59:59Z"),
        decision(A, EventKind.LINK, url="https://tracker.example/1", title="ticket"),
        decision(A, EventKind.LINK, url="https://tracker.example/2"),
        decision(A, EventKind.UNLINK, url="https://tracker.example/2"),
    ])[-1]  # fmt: skip
    assert (state.status, state.status_reason, state.assignee) == (Status.IN_PROGRESS, "on it", "cyd")
    assert (state.severity, state.labels) == ("high", ("net", "storage"))
    assert [(comment.actor, comment.text) for comment in state.comments] == [("ann", "uno")]
    assert state.comments[0].edited_at is not None
    assert state.mute is not None
    assert state.is_muted(utc_now())
    assert not state.is_muted(datetime(2999, 2, 1, tzinfo=UTC))
    assert [link.url for link in state.links] == ["https://tracker.example/1"]
    assert state == store.state(A) == store.states()[A] == RaceState.from_json(state.to_json())
    assert store.record(decision(A, EventKind.UNMUTE)).mute is None
    assert [event.sequence for event in store.history(A)] == [*range(1, 15)]


def test_race_without_decisions_is_new(store: DecisionStore) -> None:
    assert store.state(A) == RaceState(A)
    assert (store.states(), store.history(A), store.version()) == ({}, [], 0)


def test_batch_is_recorded_as_a_whole_or_not_at_all(store: DecisionStore) -> None:
    with pytest.raises(InvalidDecisionError, match="no such comment"):
        store.record_all([status(A, "confirmed"), decision(A, EventKind.DELETE_COMMENT, comment="none")])
    assert (store.history(A), store.version()) == ([], 0)


def test_write_repeated_with_the_same_key_changes_nothing(store: DecisionStore) -> None:
    event = decision(A, EventKind.COMMENT, key="form-1", text="hi")
    first = store.record(event)
    assert store.record(replace(event, based_on=0)) == first
    assert store.record_all([event, event]) == [first, first]
    # keys belong to their actors
    assert len(store.record(replace(event, actor="bob")).comments) == 2
    with pytest.raises(ReusedKeyError, match="another decision"):
        store.record(decision(A, EventKind.COMMENT, key="form-1", text="something else"))
    with pytest.raises(ReusedKeyError):
        store.record(replace(event, race=B))
    assert len(store.history(A)) == 2


def test_conflict_names_what_has_changed(store: DecisionStore) -> None:
    version = store.record(status(A, "confirmed")).version
    store.record(status(A, "fixed", actor="bob", based_on=version))
    with pytest.raises(DecisionConflictError, match="bob changed the status") as conflict:
        store.record(status(A, "wont-fix", based_on=version))
    assert [event.payload["status"] for event in conflict.value.changes] == ["fixed"]
    assert conflict.value.state.status is Status.FIXED
    # other fields, and what only adds, do not conflict
    store.record(decision(A, EventKind.ASSIGN, assignee="ann", based_on=version))
    store.record(decision(A, EventKind.COMMENT, text="late", based_on=version))
    with pytest.raises(DecisionConflictError):
        store.record(decision(A, EventKind.ASSIGN, assignee="bob", based_on=version))


@pytest.mark.parametrize(
    "event",
    [
        status(A, "back"),
        status(A, "unknown"),
        status(A, "duplicate"),
        status(A, "confirmed", commit=FIX),
        status(A, "fixed", commit="--upload-pack=x"),
        status(A, "duplicate", race=A),
        status("", "new"),
        status("../x", "new"),
        decision(A, EventKind.BACK, decision="x", sighting={"observed_at": "2026-01-01"}),
        decision(A, EventKind.ASSIGN),
        decision(A, EventKind.ASSIGN, assignee="x" * 201),
        decision(A, EventKind.SEVERITY, severity="enormous"),
        decision(A, EventKind.LABELS),
        decision(A, EventKind.LABELS, add="text"),
        decision(A, EventKind.COMMENT, text=" "),
        decision(A, EventKind.COMMENT, text="x" * 65_537),
        decision(A, EventKind.COMMENT, text="x", more=1),
        decision(A, EventKind.MUTE, reason=""),
        decision(A, EventKind.MUTE, reason="x", until="tomorrow"),
        decision(A, EventKind.LINK, url="javascript:alert(1)"),
        decision(A, EventKind.LINK, url="https://a.example/\nb"),
        status(A, "new", actor="\0"),
        status(A, "new", actor="\udcff"),
    ],
    ids=lambda event: f"{event.kind}-{str(event.payload)[:40]}",
)  # fmt: skip
def test_invalid_decision_is_refused(sqlite_store: DecisionStore, event: NewEvent) -> None:
    with pytest.raises(InvalidDecisionError):
        sqlite_store.record(event)
    assert sqlite_store.version() == 0


def test_hostile_text_is_stored_as_it_is(store: DecisionStore) -> None:
    texts = [*HOSTILE_TEXTS, "\0", "\udcff", "a\u202eb", "\x1b[2J", "'; DROP TABLE events; --", "x" * 65_536]
    for text in texts:
        assert store.record(decision(A, EventKind.COMMENT, text=text)).comments[-1].text == text
        assert store.record(decision(A, EventKind.MUTE, reason=text)).mute.reason == text  # type: ignore[union-attr]
        if name := text[:200].replace("\0", "").replace("\udcff", "").strip():
            state = store.record(decision(A, EventKind.ASSIGN, actor=name, assignee=name))
            state = store.record(decision(A, EventKind.LABELS, add=[name]))
            assert state.assignee == name
            assert name in state.labels
            assert name in {event.actor for event in store.history(A)}
            assert store.tokens.create(name, Role.READER)[0].name == name
        store.audit.add(text, "login", text, {"path": text})
        assert store.audit.latest(1)[0].details == {"path": text}


# -- duplicates and aliases -------------------------------------------------------------------------


def test_cycle_of_duplicates_is_refused(store: DecisionStore) -> None:
    store.record_all([status(A, "duplicate", race=B), status(B, "duplicate", race=C)])
    for race in (A, B):
        with pytest.raises(InvalidDecisionError, match="duplicate of itself"):
            store.record(status(C, "duplicate", race=race))
    with pytest.raises(InvalidDecisionError, match="duplicate of itself"):
        store.record_all([status(B, "new"), status(C, "duplicate", race=A), status(A, "duplicate", race=C)])
    assert duplicate_roots(store.states()) == {A: C, B: C}


def test_imported_cycle_has_the_smallest_id_as_root(new_store: NewStore) -> None:
    one, other = new_store(), new_store()
    one.record(status(A, "duplicate", race=B))
    other.record_all([status(B, "duplicate", race=A), status(C, "duplicate", race=B)])
    import_lines(one, encoded(export_lines(other)), "export")
    assert duplicate_roots(one.states()) == {B: A, C: A}


def test_decisions_on_an_alias_are_those_of_its_race(store: DecisionStore) -> None:
    store.record(status(A, "confirmed"))
    store.record(decision(B, EventKind.ASSIGN, assignee="bob"))
    store.record(status(C, "duplicate", race=B))
    before = store.version()
    assert store.set_aliases({A: [B]}) == 3
    assert store.version() > before
    assert {*store.states()} == {A, C}
    assert store.states()[C].duplicate_of == A
    joined = store.state(B)
    assert (joined.race, joined.status, joined.assignee) == (A, Status.CONFIRMED, "bob")
    assert store.record(decision(B, EventKind.SEVERITY, severity="low")).race == A
    assert [event.name for event in store.history(A)] == [A, B, B]
    # the lake has split them again: what was decided since belongs to the race that it was resolved to
    assert store.set_aliases({A: [], B: []}) == 3
    assert (store.state(A).severity, store.state(A).assignee) == ("low", None)
    assert (store.state(B).status, store.state(B).assignee) == (Status.NEW, "bob")
    assert store.set_aliases({A: [], B: []}) == 0


def test_duplicate_of_its_own_alias_counts_as_no_decision(store: DecisionStore) -> None:
    store.record_all([status(A, "confirmed"), status(A, "duplicate", race=B)])
    store.set_aliases({A: [B]})
    assert (store.state(A).status, store.state(A).duplicate_of) == (Status.CONFIRMED, None)


def test_states_reads_only_what_has_changed(store: DecisionStore) -> None:
    store.record_all([status(f"{number:016x}", "confirmed") for number in range(200)])
    first = store.states()
    assert len(first) == 200
    assert store.states() is first
    store.record(status(A, "fixed"))
    store.record(status(f"{7:016x}", "wont-fix"))
    second = store.states()
    assert len(second) == 201
    assert second[f"{8:016x}"] is first[f"{8:016x}"]
    assert (second[A].status, second[f"{7:016x}"].status) == (Status.FIXED, Status.WONT_FIX)
    store.rebuild()
    assert store.states() == second


def test_changes_and_cursor(store: DecisionStore) -> None:
    store.record_all([status(A, "confirmed"), status(B, "confirmed")])
    last = store.record(status(A, "fixed")).version
    assert [event.race for event in store.changes_since(0)] == [A, B, A]
    assert [event.sequence for event in store.changes_since(1, limit=1)] == [2]
    assert store.changes_since(last) == []
    assert store.cursor("notifications") == 0
    store.advance_cursor("notifications", 2)
    store.advance_cursor("notifications", 1)
    assert store.cursor("notifications") == 2


# -- returns ----------------------------------------------------------------------------------------


def lake_race(
    race: str, *commits: tuple[str, datetime], last_seen: datetime | None = None, aliases: tuple[str, ...] = ()
) -> dict[str, Any]:
    latest = last_seen or max(at for _, at in commits)
    names = [{"name": name, "at": at} for name, at in commits]
    return {"race": race, "aliases": list(aliases), "last_seen": latest, "latest_commits": names}


def test_fixed_race_is_back_when_its_fix_is_in_the_commit(store: DecisionStore) -> None:
    store.record_all([status(A, "fixed", commit=FIX), status(B, "fixed", commit=FIX)])
    soon = utc_now() + timedelta(hours=1)
    races = [lake_race(A, (LATER, soon)), lake_race(B, ("old", soon))]
    back = record_sightings(store, races, lambda fix, commit: (fix, commit) == (FIX, LATER))
    assert [state.race for state in back] == [A]
    state = store.state(A)
    assert (state.status, state.fixed_in, state.status_actor) == (Status.BACK, FIX, "deadheat")
    assert state.back is not None
    assert state.back["commit"] == LATER
    assert store.state(B).status is Status.FIXED
    # one event per return
    assert record_sightings(store, races, lambda *_: True)[0].race == B
    assert record_sightings(store, races, lambda *_: True) == []
    # fixed again, and back again
    store.record(status(A, "fixed", commit="c0ffee00"))
    assert record_sightings(store, races, lambda *_: False) == []
    assert len(record_sightings(store, races, lambda *_: None)) == 1
    assert [event.kind for event in store.history(A)].count(EventKind.BACK) == 2


def test_sighting_at_the_commit_of_the_fix_needs_no_clone(store: DecisionStore) -> None:
    store.record(status(A, "fixed", commit=FIX[:12]))
    assert len(record_sightings(store, [lake_race(A, (FIX, utc_now() - timedelta(days=1)))])) == 1


def test_without_history_time_and_older_commits_decide(store: DecisionStore) -> None:
    store.record_all([status(race, "fixed", commit=FIX) for race in (A, B, C)])
    now, before = utc_now(), utc_now() - timedelta(days=1)
    soon = now + timedelta(hours=1)
    races = [lake_race(A, (LATER, before)), lake_race(B, ("old", soon)), lake_race(C, ("next", soon))]
    # B was sighted in a run of a commit that the lake knew before the decision
    back = record_sightings(store, races, None, lambda commits: {"old": before, "next": soon})
    assert [state.race for state in back] == [C]


def test_sighting_without_a_commit_counts_by_its_time(store: DecisionStore) -> None:
    store.record(status(A, "fixed"))
    before = utc_now() - timedelta(days=1)
    assert record_sightings(store, [lake_race(A, (LATER, before))]) == []
    details = {"uri": "ci.log", "offset": 12, "run": "77", "commit": None, "names": ["x"]}
    later = lake_race(A, (LATER, before), last_seen=utc_now() + timedelta(hours=1))
    (state,) = record_sightings(store, [later], details=lambda *_: details)
    assert state.back is not None
    assert (state.back["uri"], state.back["offset"], state.back["run"]) == ("ci.log", 12, "77")
    assert "commit" not in state.back
    assert "names" not in state.back


def test_sighting_of_a_duplicate_or_an_alias_brings_its_race_back(store: DecisionStore) -> None:
    store.record_all([status(A, "fixed"), status(B, "duplicate", race=A), status(C, "fixed")])
    soon = utc_now() + timedelta(hours=1)
    races = [lake_race(B, (LATER, soon)), lake_race("d0" * 8, (LATER, soon), aliases=(C,))]
    assert {state.race for state in record_sightings(store, races)} == {A, "d0" * 8}
    assert store.state(A).back["race"] == B  # type: ignore[index]


def test_decision_after_the_return_stays(store: DecisionStore) -> None:
    store.record(status(A, "fixed"))
    races = [lake_race(A, (LATER, utc_now() + timedelta(hours=1)))]
    record_sightings(store, races)
    store.record(status(A, "wont-fix"))
    assert record_sightings(store, races) == []
    assert store.state(A).status is Status.WONT_FIX


# -- export, import, and the order of events --------------------------------------------------------


def encoded(lines: Iterator[str]) -> list[bytes]:
    return [line.encode() for line in lines]


def fill(store: DecisionStore) -> None:
    store.record_all([
        status(A, "fixed", commit=FIX), status(B, "duplicate", race=A),
        decision(C, EventKind.COMMENT, text="\u202ehi\0\udcff"),
        decision(A, EventKind.LABELS, add=["é", "x"]), decision(A, EventKind.MUTE, reason="noise", until="2027-01-01"),
    ])  # fmt: skip
    record_sightings(store, [lake_race(A, (LATER, utc_now() + timedelta(hours=1)), aliases=(C,))])
    store.record(status(B, "not-a-bug", actor="bob"))


def without_versions(store: DecisionStore) -> dict[str, RaceState]:
    return {race: replace(state, version=0) for race, state in store.states().items()}


def test_export_moves_between_sqlite_and_postgresql_without_loss(cluster: PostgresCluster, tmp_path: Path) -> None:
    lite = DecisionStore.open(str(tmp_path / "a.sqlite"))
    fill(lite)
    lines = encoded(export_lines(lite))
    postgres = DecisionStore.open(cluster.new_database(), upgrade=True)
    again = DecisionStore.open(str(tmp_path / "b.sqlite"))
    for source, target in ((lite, postgres), (postgres, again)):
        assert import_lines(target, encoded(export_lines(source)), "export") == (7, 7)
        assert import_lines(target, encoded(export_lines(source)), "export") == (0, 7)
        assert encoded(export_lines(target)) == lines
        assert without_versions(target) == without_versions(lite)
    for store in (lite, postgres, again):
        store.close()


def test_imported_line_of_a_person_needs_no_key(store: DecisionStore) -> None:
    line = b'{"race": "47d9f89a0b1c2d3e", "kind": "status", "payload": {"status": "confirmed"}, "actor": "ann"}'
    assert import_lines(store, [line, b"\n"], "-") == (1, 1)
    assert import_lines(store, [line], "-") == (0, 1)
    assert store.history(A)[0].source is EventSource.IMPORT


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "not the id of a race"),
        (b'{"race": "a1", "actor": 1}', "actor"),
        (b'{"race": "a1", "actor": "x", "kind": "explode"}', "not the kind of a decision"),
        (b'{"race": "a1", "actor": "x", "kind": ["status"]}', "not the kind of a decision"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "payload": 1}', "not a JSON object"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "at": "9999-01-01"}', "in the future"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "at": 7}', "not a time"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "source": {}}', "not a source"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "id": "f00"}', "does not belong"),
        (b'{"race": "a1", "actor": "x", "kind": "unmute", "name": "%%"}', "name"),
        (b'{"alias": "a1", "race": 4}', "race"),
    ],
)  # fmt: skip
def test_import_of_a_wrong_line_changes_nothing(sqlite_store: DecisionStore, line: bytes, what: str) -> None:
    good = b'{"race": "a1", "actor": "x", "kind": "unmute"}'
    with pytest.raises(DeadheatError, match=what) as error:
        import_lines(sqlite_store, [good, line], "export.jsonl")
    assert "export.jsonl:2" in str(error.value)
    assert sqlite_store.version() == 0


_COMMENT = event_id("ann", "comment")
_PAYLOADS: list[tuple[EventKind, dict[str, Any]]] = [
    *((EventKind.STATUS, {"status": value}) for value in ("new", "confirmed", "fixed", "wont-fix")),
    *((EventKind.STATUS, {"status": "duplicate", "race": race}) for race in (A, B, C)),
    (EventKind.ASSIGN, {"assignee": "ann"}), (EventKind.ASSIGN, {"assignee": None}),
    (EventKind.SEVERITY, {"severity": "low"}),
    (EventKind.LABELS, {"add": ["x"]}), (EventKind.LABELS, {"remove": ["x"]}),
    (EventKind.COMMENT, {"text": "hi"}), (EventKind.EDIT_COMMENT, {"comment": _COMMENT, "text": "ho"}),
    (EventKind.DELETE_COMMENT, {"comment": _COMMENT}), (EventKind.MUTE, {"reason": "r"}), (EventKind.UNMUTE, {}),
    (EventKind.LINK, {"url": "https://a.example/"}), (EventKind.UNLINK, {"url": "https://a.example/"}),
]  # fmt: skip


@st.composite
def event_lists(draw: st.DrawFn) -> list[Event]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    made: list[Event] = []
    for number in range(draw(st.integers(1, 12))):
        race, (kind, payload) = draw(st.sampled_from([A, B, C])), draw(st.sampled_from(_PAYLOADS))
        at = start + timedelta(seconds=draw(st.integers(0, 5)))  # equal times happen
        key = "comment" if kind is EventKind.COMMENT and not any(e.key == "comment" for e in made) else f"k{number}"
        made.append(Event(0, event_id("ann", key), race, race, "ann", key, at, kind, payload, EventSource.WEB))
        if kind is EventKind.STATUS and payload["status"] == "fixed" and draw(st.booleans()):
            back = {"decision": made[-1].id, "sighting": {"observed_at": "2026-01-02"}}
            key = f"back{number}"
            at += timedelta(seconds=1)
            identity = event_id(SYSTEM_ACTOR, key)
            made.append(Event(0, identity, race, race, SYSTEM_ACTOR, key, at, EventKind.BACK, back, EventSource.SYSTEM))
    return made


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without decisions, to copy."""
    file = tmp_path_factory.mktemp("empty") / "triage.sqlite"
    DecisionStore.open(str(file)).close()
    return file


@given(made=event_lists(), seed=st.randoms(use_true_random=False), joined=st.booleans(), early=st.booleans())
@settings(max_examples=40, deadline=None)
def test_state_does_not_depend_on_batches_and_order(
    empty_file: Path, made: list[Event], seed: random.Random, joined: bool, early: bool
) -> None:
    aliases = {B: A} if joined else {}

    def resolve(name: str) -> str:
        return aliases.get(name, name)

    expected = {
        race: derive_state(race, [event for event in made if resolve(event.race) == race], resolve)
        for race in {resolve(event.race) for event in made}
    }
    mixed = seed.sample(made, len(made))
    sizes = [seed.randint(1, len(made)) for _ in made]
    # Hypothesis may end an example early: nothing of it may be left
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(empty_file, f"{folder}/triage.sqlite")
        with closing(DecisionStore.open(f"{folder}/triage.sqlite")) as store:
            if early and joined:
                store.set_aliases({A: [B]})
            for size in sizes:
                store.import_events(mixed[:size], {})
                mixed = mixed[size:]
                if joined:
                    store.set_aliases({A: [B]})
            assert without_versions(store) == expected
            version = store.version()
            assert store.import_events(made, {}) == 0
            assert store.version() == version
            store.rebuild()
            assert without_versions(store) == expected


# -- several writers --------------------------------------------------------------------------------

_WRITER = """
import sys
from deadheat.triage.events import EventKind, EventSource, NewEvent
from deadheat.triage.store import DecisionStore
store = DecisionStore.open(sys.argv[1], upgrade=True)
for number in range(int(sys.argv[3])):
    name = f"{sys.argv[2]}-{number}"
    store.record(NewEvent("a1", EventKind.COMMENT, {"text": name}, sys.argv[2], EventSource.CLI, name))
    print(name, flush=True)
"""


def start_writer(url: str, actor: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, url, actor, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that does not have tables yet."""
    if request.param == "sqlite":
        return str(tmp_path / "new.sqlite")
    url: str = request.getfixturevalue("cluster").new_database()
    return url


def test_processes_that_start_at_once_migrate_once_and_write_all(new_url: str) -> None:
    writers = [start_writer(new_url, f"w{number}", 15) for number in range(3)]
    for writer in writers:
        out, errors = writer.communicate(timeout=60)
        assert (writer.returncode, errors, out.count("\n")) == (0, "", 15)
    store = DecisionStore.open(new_url)
    assert [event.sequence for event in store.changes_since(0)] == [*range(1, 46)]
    assert len({comment.text for comment in store.state("a1").comments}) == 45
    store.close()


def test_threads_of_one_store_write_all(store: DecisionStore) -> None:
    outcomes: list[str] = []

    def write(actor: str) -> None:
        for number in range(10):
            try:
                store.record(status(A, "confirmed", actor=actor, key=str(number), based_on=0))
                outcomes.append("recorded")
            except DecisionConflictError:
                outcomes.append("conflict")

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # only the first of all decisions is based on the version before it
    assert sorted(outcomes) == ["conflict"] * 39 + ["recorded"]


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.soak)])
def test_acknowledged_decisions_survive_kill(new_url: str, kills: int) -> None:
    rng, acknowledged = random.Random(7), []
    for number in range(kills):
        writer = start_writer(new_url, f"w{number}", 10_000)
        assert writer.stdout is not None
        acknowledged.append(writer.stdout.readline().strip())
        timer = threading.Timer(rng.uniform(0, 0.2), writer.kill)
        timer.start()
        out, errors = writer.communicate(timeout=60)
        timer.join()
        assert errors == ""
        lines = out.split("\n")
        acknowledged += lines[:-1]  # the last one may be cut
    store = DecisionStore.open(new_url)
    found = [event.key for event in store.changes_since(0, limit=10**6)]
    assert len(found) == len({*found})
    assert {*acknowledged} <= {*found}
    # at most one decision per killed writer was recorded without its acknowledgement being read
    assert len(found) - len(acknowledged) <= kills
    assert {comment.text for comment in store.state("a1").comments} == {*found}
    before = store.states()
    store.rebuild()
    assert store.states() == before
    store.close()


# -- migrations and faults --------------------------------------------------------------------------


def _revisions() -> list[str]:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    import deadheat.triage

    configuration = Config()
    configuration.set_main_option("script_location", str(Path(deadheat.triage.__file__).parent / "migrations"))
    script = ScriptDirectory.from_config(configuration)
    assert script.get_current_head() == SCHEMA_REVISION
    return [revision.revision for revision in script.walk_revisions()]


@pytest.mark.parametrize("start", [None, *_revisions()])
def test_migration_makes_the_tables_of_the_code(new_url: str, start: str | None) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    database = DecisionDatabase(parse_database_url(new_url))
    if start is not None:
        database.upgrade(start)
    assert database.revision() == start
    store = DecisionStore.open(new_url, upgrade=True)
    assert store.record(status(A, "confirmed")).version == 1
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
    store.close()
    database.close()


def test_sqlite_is_durable_and_shared(sqlite_store: DecisionStore) -> None:
    with sqlite_store.database.reading() as connection:
        values = [
            connection.execute(sql(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert values == ["wal", 2, 1]


def test_postgresql_is_migrated_only_on_request(cluster: PostgresCluster) -> None:
    url = cluster.new_database()
    with pytest.raises(DeadheatError, match=r"has no tables yet.*--upgrade"):
        DecisionStore.open(url)
    DecisionStore.open(url, upgrade=True).close()
    DecisionStore.open(url).close()


def test_newer_database_is_refused(new_url: str) -> None:
    store = DecisionStore.open(new_url, upgrade=True)
    with store.database.writing() as connection:
        connection.execute(sql("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(DeadheatError, match="newer version of deadheat"):
        DecisionStore.open(new_url, upgrade=True)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("mysql://u:secret@h/x", "not a database of decisions"),
        ("postgresql://u:secret@h:port/x", "not the address of a database"),
        ("sqlite://", "names no file"),
        ("/nowhere/at/all/triage.sqlite", "no such folder"),
        ("postgresql://u:secret@127.0.0.1:1/x", "check that PostgreSQL runs"),
    ],
)  # fmt: skip
def test_fault_is_one_line_without_the_password(url: str, what: str) -> None:
    with pytest.raises(DeadheatError, match=what) as error:
        DecisionStore.open(url)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "triage.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DeadheatError, match="file is not a database"):
        DecisionStore.open(str(tmp_path / "triage.sqlite"))


# -- what servers keep ------------------------------------------------------------------------------


def test_token_is_stored_as_a_hash(store: DecisionStore, tmp_path: Path) -> None:
    token, text = store.tokens.create("ci", Role.TRIAGER)
    assert len(text) >= 43
    found = store.tokens.authenticate(text)
    assert found is not None
    assert (found.id, found.name, found.role) == (token.id, "ci", Role.TRIAGER)
    assert store.tokens.all()[0].last_used_at is not None
    assert store.tokens.authenticate(text + "x") is None
    assert store.tokens.authenticate("\udcff\0") is None
    with store.database.reading() as connection:
        rows = connection.execute(sql("SELECT * FROM tokens")).all()
    assert text not in str(rows)
    assert text.partition("_")[2] not in str(rows)
    assert store.tokens.revoke("ci").revoked_at is not None
    assert store.tokens.authenticate(text) is None
    with pytest.raises(DeadheatError, match="no such token"):
        store.tokens.revoke("ci")


def test_notification_is_enqueued_once_and_sent_at_least_once(store: DecisionStore) -> None:
    assert store.outbox.enqueue("back 1", "mail", {"race": A})
    assert store.outbox.enqueue("back 1", "chat", {"race": A})
    assert not store.outbox.enqueue("back 1", "mail", {"race": B})
    (first,) = store.outbox.claim(limit=1)
    assert (first.destination, first.body, first.attempts) == ("mail", {"race": A}, 1)
    (second,) = store.outbox.claim()
    assert store.outbox.claim() == []
    store.outbox.mark_sent(first.number)
    store.outbox.mark_failed(second.number, "no route\0", utc_now() - timedelta(seconds=1))
    # a sender that was killed after it took a notification: it is due again after the lease
    (again,) = store.outbox.claim(lease=timedelta(0))
    assert (again.number, again.attempts, again.error) == (second.number, 2, "no route\\x00")
    assert store.outbox.claim()[0].attempts == 3
    store.outbox.mark_failed(second.number, "gone", None)
    assert not store.outbox.enqueue("back 1", "mail", {})
    assert store.outbox.counts() == {DeliveryState.PENDING: 0, DeliveryState.SENT: 1, DeliveryState.FAILED: 1}
    assert [row.error for row in store.outbox.latest(DeliveryState.FAILED)] == ["gone"]


def test_upload_is_taken_once(store: DecisionStore) -> None:
    upload, is_new = store.uploads.add("a" * 64, "ci.log", 2**40, "ci")
    assert is_new
    assert store.uploads.add("a" * 64, "other.log", 1, "bob") == (upload, False)
    assert store.uploads.all(UploadState.RECEIVED) == [upload]
    store.uploads.mark_ingested("a" * 64)
    store.uploads.mark_ingested("b" * 64)
    found = store.uploads.get("a" * 64)
    assert found is not None
    assert (found.state, found.size) == (UploadState.INGESTED, 2**40)
    assert store.uploads.all(UploadState.RECEIVED) == []
    with pytest.raises(InvalidDecisionError):
        store.uploads.add("../../etc/passwd", "x", 1, "x")

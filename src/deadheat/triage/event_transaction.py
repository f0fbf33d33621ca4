"""One transaction of the store: reads and appends events, and brings the states of their races up to date."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import bindparam, delete, func, insert, select, update

from deadheat.errors import DeadheatError
from deadheat.triage.events import (
    Event,
    EventKind,
    EventSource,
    InvalidDecisionError,
    ReusedKeyError,
    event_id,
    format_time,
    parse_time,
    utc_now,
)
from deadheat.triage.state import RaceState, conflict_field, derive_state
from deadheat.triage.tables import aliases, counter, events, states

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection, RowMapping

    from deadheat.triage.events import NewEvent

_Item = TypeVar("_Item")
_TICK = timedelta(microseconds=1)
_ROWS_PER_STATEMENT = 500


class DecisionConflictError(DeadheatError):
    """Somebody has changed the same field since the version that a decision is based on."""

    def __init__(self, state: RaceState, changes: Sequence[Event]) -> None:
        self.state, self.changes = state, tuple(changes)
        latest = self.changes[-1]
        what = f"{latest.actor} changed the {latest.kind.value} meanwhile, at {format_time(latest.at)}"
        super().__init__(what, f"race {state.race}", "look at the change and decide again")


def change_number(connection: Connection) -> int:
    return int(connection.execute(select(counter.c.value)).scalar_one())


def event_from_row(row: RowMapping) -> Event:
    return Event(
        row["sequence"], row["id"], row["name"], row["race"], row["actor"], row["key"], parse_time(row["at"]),
        EventKind(row["kind"]), json.loads(row["payload"]), EventSource(row["source"]),
    )  # fmt: skip


def known_aliases(connection: Connection) -> dict[str, str]:
    """The race of each alias."""
    return {row.alias: row.race for row in connection.execute(select(aliases))}


class EventTransaction:
    """Reads and writes events in one transaction; `derive_states` at the end brings the states up to date."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._change: int | None = None
        self._changed_races: set[str] = set()
        self._aliases: dict[str, str] | None = None  # read when several names are resolved

    def resolve(self, name: str) -> str:
        if self._aliases is not None:
            return self._aliases.get(name, name)
        found = self._connection.execute(select(aliases.c.race).where(aliases.c.alias == name)).scalar()
        return str(found) if found is not None else name

    def names_of(self, race: str) -> list[str]:
        """The race and its aliases."""
        query = select(aliases.c.alias).where(aliases.c.race == race)
        return [race, *self._connection.execute(query).scalars()]

    def events_of(self, race: str) -> list[Event]:
        query = select(events).where(events.c.race.in_(self.names_of(race)))
        return [event_from_row(row) for row in self._connection.execute(query).mappings()]

    def state_of(self, race: str) -> RaceState:
        document = self._connection.execute(select(states.c.document).where(states.c.race == race)).scalar()
        return RaceState.from_json(json.loads(document)) if document else RaceState(race)

    def is_recorded(self, event: NewEvent) -> bool:
        """Whether the decision was recorded before, by its key."""
        row = self._connection.execute(select(events).where(events.c.id == event_id(event.actor, event.key)))
        found = row.mappings().first()
        if found is None:
            return False
        recorded = event_from_row(found)
        same_race = self.resolve(recorded.race) == self.resolve(event.race)
        # "for 30 days" is another time in the repeated write; that of the first one counts
        same = {**event.payload, "until": None} == {**recorded.payload, "until": None}
        if not same_race or recorded.kind is not event.kind or not same:
            raise ReusedKeyError("was used for another decision", f"key {event.key}", "use a new key")
        return True

    def check_version(self, event: NewEvent) -> None:
        """Raises `DecisionConflictError` if the field was changed since the version that the event is based on."""
        if event.based_on is None or (name := conflict_field(event.kind, event.payload)) is None:
            return
        race = self.resolve(event.race)
        later = [
            other
            for other in self.events_of(race)
            if other.sequence > event.based_on and conflict_field(other.kind, other.payload) == name
        ]
        if later:
            raise DecisionConflictError(self.state_of(race), sorted(later, key=lambda other: other.sequence))

    def append(self, event: NewEvent) -> None:
        race = self.resolve(event.race)
        self._check_reference(race, event)
        latest = self._connection.execute(
            select(func.max(events.c.at)).where(events.c.race.in_(self.names_of(race)))
        ).scalar()
        now = utc_now()
        # the clock may go back, but a decision takes effect after those that its author has seen
        at = max(now, parse_time(latest) + _TICK) if latest else now
        recorded = Event(
            self._next_change(), event_id(event.actor, event.key), event.race, race, event.actor, event.key, at,
            event.kind, event.payload, event.source,
        )  # fmt: skip
        self._insert([recorded])

    def _check_reference(self, race: str, event: NewEvent) -> None:
        """Refuses a cycle of duplicates, and a change of a comment that does not exist."""
        if event.kind in (EventKind.EDIT_COMMENT, EventKind.DELETE_COMMENT):
            known = {other.id for other in self.events_of(race) if other.kind is EventKind.COMMENT}
            if event.payload["comment"] not in known:
                raise InvalidDecisionError("has no such comment", f"race {race}", "look at its history")
        if "race" not in event.payload or event.kind is not EventKind.STATUS:
            return
        self.derive_states()  # earlier events of this transaction count
        current: str | None = self.resolve(event.payload["race"])
        passed: set[str] = set()
        while current is not None and current not in passed:
            if current == race:
                what = "cannot be a duplicate of itself" if not passed else "would be a duplicate of itself"
                raise InvalidDecisionError(what, f"race {race}", "name the race that is not a duplicate")
            passed.add(current)
            current = self.state_of(current).duplicate_of

    def append_imported(self, imported: Sequence[Event]) -> int:
        """Adds events of another store unless they are here already; returns how many were new."""
        self._aliases = known_aliases(self._connection)
        count = 0
        for chunk in _chunks(imported):
            ids = [event.id for event in chunk]
            found = self._connection.execute(select(events).where(events.c.id.in_(ids))).mappings()
            known = {row["id"]: event_from_row(row) for row in found}
            fresh = []
            for event in chunk:
                if (same := known.get(event.id)) is None:
                    fresh.append(replace(event, sequence=self._next_change()))
                    known[event.id] = event
                elif (same.kind, same.payload) != (event.kind, event.payload):
                    raise ReusedKeyError("is another decision here", f"event {event.id}", "give it a key of its own")
            self._insert(fresh)
            count += len(fresh)
        return count

    def _insert(self, new_events: Sequence[Event]) -> None:
        rows = [
            {
                "sequence": event.sequence, "id": event.id, "name": event.name, "race": event.race,
                "actor": event.actor, "key": event.key, "at": format_time(event.at), "kind": event.kind.value,
                "payload": json.dumps(event.payload, sort_keys=True), "source": event.source.value,
            }
            for event in new_events
        ]  # fmt: skip
        if rows:
            self._connection.execute(insert(events), rows)
        self._changed_races |= {self.resolve(event.race) for event in new_events}

    def _next_change(self) -> int:
        """Counts a change; the row was locked when the transaction began, and `finish` writes it."""
        if self._change is None:
            self._change = change_number(self._connection)
        self._change += 1
        return self._change

    def finish(self) -> None:
        """Brings the states up to date, and writes the number of the latest change."""
        self.derive_states()
        if self._change is not None:
            self._connection.execute(update(counter).values(value=self._change))

    def mark_all_changed(self) -> None:
        races = self._connection.execute(select(events.c.race).distinct()).scalars().all()
        self._changed_races |= {self.resolve(race) for race in races}
        self._changed_races |= {*self._connection.execute(select(states.c.race)).scalars()}
        self._next_change()

    def derive_states(self) -> None:
        """Writes the states of the races whose events or aliases have changed."""
        for chunk in _chunks(sorted(self._changed_races)):
            rows = [self._state_row(race, found) for race, found in self._events_by_race(chunk).items()]
            query = select(states.c.race).where(states.c.race.in_(chunk))
            known = {*self._connection.execute(query).scalars()}
            if fresh := [row for row in rows if row["race"] not in known and row["document"] is not None]:
                self._connection.execute(insert(states), fresh)
            if changed := [{**row, "known": row["race"]} for row in rows if row["race"] in known]:
                self._connection.execute(update(states).where(states.c.race == bindparam("known")), changed)
        self._changed_races.clear()

    def _events_by_race(self, races: Sequence[str]) -> dict[str, list[Event]]:
        """The events of races and their aliases; none for a race that has become an alias."""
        query = select(aliases).where(aliases.c.race.in_(races) | aliases.c.alias.in_(races))
        race_of = {race: race for race in races}
        race_of |= {row.alias: row.race for row in self._connection.execute(query)}
        found: dict[str, list[Event]] = {race: [] for race in races}
        for chunk in _chunks([*race_of]):
            for row in self._connection.execute(select(events).where(events.c.race.in_(chunk))).mappings():
                if race_of[row["race"]] in found:
                    found[race_of[row["race"]]].append(event_from_row(row))
        return found

    def _state_row(self, race: str, found: Sequence[Event]) -> dict[str, Any]:
        state = derive_state(race, found, self.resolve)
        return {
            "race": race, "changed": self._change, "status": state.status.value, "assignee": state.assignee,
            "severity": state.severity, "duplicate_of": state.duplicate_of,
            "muted_until": format_time(state.mute.until) if state.mute and state.mute.until else None,
            "document": json.dumps(state.to_json()) if found else None,
        }  # fmt: skip

    def add_aliases(self, added: Mapping[str, str]) -> None:
        known = {*self._connection.execute(select(aliases.c.alias)).scalars()}
        self._write_aliases({alias: race for alias, race in added.items() if alias not in known}, set())

    def replace_aliases(self, wanted: Mapping[str, str], races: set[str]) -> int:
        known = known_aliases(self._connection)
        # a race of the lake is no alias; an alias of these races that the lake does not name is none any more
        gone = {alias for alias, race in known.items() if alias not in wanted and (race in races or alias in races)}
        changed = {alias: race for alias, race in wanted.items() if known.get(alias) != race and alias != race}
        return self._write_aliases(changed, gone | (changed.keys() & known.keys()), known)

    def _write_aliases(
        self, added: Mapping[str, str], removed: set[str], known: Mapping[str, str] | None = None
    ) -> int:
        names = {*added, *added.values(), *removed, *((known or {})[alias] for alias in removed)}
        for chunk in _chunks(sorted(removed)):
            self._connection.execute(delete(aliases).where(aliases.c.alias.in_(chunk)))
        if added:
            rows = [{"alias": alias, "race": race} for alias, race in sorted(added.items())]
            self._connection.execute(insert(aliases), rows)
        self._aliases = None
        affected = self._races_with_events(names)
        if affected:
            self._changed_races |= affected
            self._next_change()
        return len(affected)

    def _races_with_events(self, names: set[str]) -> set[str]:
        """These names, if they have events, and the races that they belong to; and duplicates of them."""
        found: set[str] = set()
        for chunk in _chunks(sorted(names)):
            found |= {*self._connection.execute(select(events.c.race).where(events.c.race.in_(chunk))).scalars()}
            duplicates = select(states.c.race).where(states.c.duplicate_of.in_(chunk))
            found |= {*self._connection.execute(duplicates).scalars()}
        return found | {self.resolve(name) for name in found}


def _chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (items[start : start + _ROWS_PER_STATEMENT] for start in range(0, len(items), _ROWS_PER_STATEMENT))

"""One transaction of the store: reads and appends events, and brings the states of their races up to date."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select, update

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
        if not same_race or (recorded.kind, recorded.payload) != (event.kind, event.payload):
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
        self._insert(
            Event(
                self._next_change(), event_id(event.actor, event.key), event.race, race, event.actor, event.key, at,
                event.kind, event.payload, event.source,
            )
        )  # fmt: skip

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

    def append_imported(self, event: Event) -> bool:
        """Adds an event of another store; False if it is there."""
        if self._aliases is None:
            self._aliases = known_aliases(self._connection)
        query = select(events).where(events.c.id == event.id)
        if (found := self._connection.execute(query).mappings().first()) is not None:
            known = event_from_row(found)
            if (known.kind, known.payload) != (event.kind, event.payload):
                raise ReusedKeyError("is another decision here", f"event {event.id}", "export it again from its store")
            return False
        self._insert(
            Event(
                self._next_change(), event.id, event.name, event.race, event.actor, event.key, event.at,
                event.kind, event.payload, event.source,
            )
        )  # fmt: skip
        return True

    def _insert(self, event: Event) -> None:
        self._connection.execute(
            insert(events).values(
                sequence=event.sequence, id=event.id, name=event.name, race=event.race, actor=event.actor,
                key=event.key, at=format_time(event.at), kind=event.kind.value,
                payload=json.dumps(event.payload, sort_keys=True), source=event.source.value,
            )
        )  # fmt: skip
        self._changed_races.add(self.resolve(event.race))

    def _next_change(self) -> int:
        """Counts a change; the row was locked when the transaction began."""
        if self._change is None:
            self._change = change_number(self._connection)
        self._change += 1
        self._connection.execute(update(counter).values(value=self._change))
        return self._change

    def mark_all_changed(self) -> None:
        races = self._connection.execute(select(events.c.race).distinct()).scalars().all()
        self._changed_races |= {self.resolve(race) for race in races}
        self._changed_races |= {*self._connection.execute(select(states.c.race)).scalars()}
        self._next_change()

    def derive_states(self) -> None:
        """Writes the states of the races whose events or aliases have changed."""
        for race in sorted(self._changed_races):
            found = self.events_of(race) if self.resolve(race) == race else []
            values: dict[str, Any] = {"changed": self._change, "document": None}
            if found:
                state = derive_state(race, found, self.resolve)
                values |= {
                    "status": state.status.value, "assignee": state.assignee, "severity": state.severity,
                    "muted_until": format_time(state.mute.until) if state.mute and state.mute.until else None,
                    "duplicate_of": state.duplicate_of, "document": json.dumps(state.to_json()),
                }  # fmt: skip
            known = self._connection.execute(select(states.c.race).where(states.c.race == race)).first()
            if known:
                self._connection.execute(update(states).where(states.c.race == race).values(**values))
            elif found:
                self._connection.execute(insert(states).values(race=race, **values))
        self._changed_races.clear()

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
        for chunk in _chunks(sorted(added.items())):
            self._connection.execute(insert(aliases), [{"alias": alias, "race": race} for alias, race in chunk])
        self._aliases = None
        affected = self._races_with_events(names)
        if affected:
            self._changed_races |= affected
            self._next_change()
            self.derive_states()
        return len(affected)

    def _races_with_events(self, names: set[str]) -> set[str]:
        """These names, if they have events, and the races that they belong to; and duplicates of them."""
        found: set[str] = set()
        for chunk in _chunks(sorted(names)):
            found |= {*self._connection.execute(select(events.c.race).where(events.c.race.in_(chunk))).scalars()}
            duplicates = select(states.c.race).where(states.c.duplicate_of.in_(chunk))
            found |= {*self._connection.execute(duplicates).scalars()}
        return found | {self.resolve(name) for name in found}


def _chunks(items: list[Any]) -> Iterator[list[Any]]:
    return (items[start : start + _ROWS_PER_STATEMENT] for start in range(0, len(items), _ROWS_PER_STATEMENT))

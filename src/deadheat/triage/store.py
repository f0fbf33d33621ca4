"""The store of decisions: records events, and keeps the state of each race in the same transaction."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from deadheat.triage.database import (
    SCHEMA_REVISION,
    DecisionDatabase,
    DecisionDatabaseError,
    is_sqlite,
    parse_database_url,
)
from deadheat.triage.event_transaction import EventTransaction, change_number, event_from_row, known_aliases
from deadheat.triage.events import check_event
from deadheat.triage.server_tables import AuditLog, NotificationOutbox, TokenTable, UploadTable
from deadheat.triage.sessions import SessionTable
from deadheat.triage.state import RaceState
from deadheat.triage.tables import cursors, events, states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deadheat.triage.events import Event, NewEvent


class DecisionStore:
    """Decisions about races, in a database that threads and processes share."""

    def __init__(self, database: DecisionDatabase) -> None:
        self.database = database
        self.tokens, self.audit = TokenTable(database), AuditLog(database)
        self.sessions = SessionTable(database)
        self.outbox, self.uploads = NotificationOutbox(database), UploadTable(database)
        # the states that were read last, and the number of the change up to which they are complete
        self._known: dict[str, RaceState] = {}
        self._known_change = -1
        self._lock = Lock()

    @staticmethod
    def open(url: str, *, upgrade: bool | None = None) -> DecisionStore:
        """Opens the store at a PostgreSQL URL or a SQLite path.

        A SQLite file is created and migrated; PostgreSQL only with `upgrade`.
        """
        parsed = parse_database_url(url)
        if is_sqlite(parsed) and parsed.database:
            _require_folder(Path(parsed.database))
        database = DecisionDatabase(parsed)
        try:
            _prepare_schema(database, is_sqlite(parsed) if upgrade is None else upgrade)
        except BaseException:
            database.close()
            raise
        return DecisionStore(database)

    def close(self) -> None:
        self.database.close()

    # -- writing ------------------------------------------------------------------------------------

    def record(self, event: NewEvent) -> RaceState:
        """Records a decision and returns the state after it. It is on disk when this returns."""
        return self.record_all([event])[0]

    def record_all(self, new_events: Sequence[NewEvent]) -> list[RaceState]:
        """Records decisions in one transaction: all of them or none. Returns the state of the race of each."""
        checked = [check_event(event) for event in new_events]
        with self.database.writing() as connection:
            writer = EventTransaction(connection)
            fresh = [event for event in checked if not writer.is_recorded(event)]
            for event in fresh:
                writer.check_version(event)
            for event in fresh:
                if not writer.is_recorded(event):  # the batch may name a key several times
                    writer.append(event)
            writer.finish()
            return [writer.state_of(writer.resolve(event.race)) for event in checked]

    def import_events(self, imported: Sequence[Event], known_aliases: Mapping[str, str]) -> int:
        """Adds events of another store, and aliases that are not known here; returns how many events were new."""
        with self.database.writing() as connection:
            writer = EventTransaction(connection)
            writer.add_aliases(known_aliases)
            count = writer.append_imported(imported)
            writer.finish()
        return count

    def set_aliases(self, races: Mapping[str, Iterable[str]]) -> int:
        """Replaces the aliases of these races by those of the lake; returns how many races changed their state.

        An alias of no race any more is a race of its own.
        """
        with self.database.writing() as connection:
            writer = EventTransaction(connection)
            count = writer.replace_aliases({alias: race for race, names in races.items() for alias in names}, {*races})
            writer.finish()
        return count

    def rebuild(self) -> None:
        """Derives every state from the events anew."""
        with self.database.writing() as connection:
            writer = EventTransaction(connection)
            writer.mark_all_changed()
            writer.finish()

    # -- reading ------------------------------------------------------------------------------------

    def resolve(self, name: str) -> str:
        """The race of an alias; the name itself if it is none."""
        with self.database.reading() as connection:
            return EventTransaction(connection).resolve(name)

    def state(self, race: str) -> RaceState:
        """The state of a race, also by an alias; a race without decisions is new."""
        with self.database.reading() as connection:
            reader = EventTransaction(connection)
            return reader.state_of(reader.resolve(race))

    def states(self) -> dict[str, RaceState]:
        """The state of every race with decisions. Only what has changed since the last call is read."""
        with self._lock:
            with self.database.reading() as connection:
                change = change_number(connection)
                if change != self._known_change:
                    rows = connection.execute(
                        select(states.c.race, states.c.document).where(states.c.changed > self._known_change)
                    ).all()
                    known = dict(self._known)
                    for race, document in rows:
                        if document is None:
                            known.pop(race, None)
                        else:
                            known[race] = RaceState.from_json(json.loads(document))
                    self._known, self._known_change = known, change
            return self._known

    def version(self) -> int:
        """A number that grows with every change of a state."""
        with self.database.reading() as connection:
            return change_number(connection)

    def aliases(self) -> dict[str, str]:
        """The race of each alias that the lake has named."""
        with self.database.reading() as connection:
            return known_aliases(connection)

    def history(self, race: str) -> list[Event]:
        """The events of a race and its aliases in the order in which they take effect."""
        with self.database.reading() as connection:
            reader = EventTransaction(connection)
            return sorted(reader.events_of(reader.resolve(race)), key=lambda event: event.order)

    def changes_since(self, sequence: int, limit: int = 1000) -> list[Event]:
        """The events after a sequence number in the order of commits, at most `limit`."""
        query = select(events).where(events.c.sequence > sequence).order_by(events.c.sequence).limit(limit)
        with self.database.reading() as connection:
            return [event_from_row(row) for row in connection.execute(query).mappings()]

    @contextmanager
    def all_events(self) -> Iterator[Iterator[Event]]:
        """Every event in the order in which they take effect, while the block runs."""
        query = select(events).order_by(events.c.at, events.c.id).execution_options(yield_per=1000)
        with self.database.reading() as connection:
            yield (event_from_row(row) for row in connection.execute(query).mappings())

    def cursor(self, name: str) -> int:
        """How far a reader of `changes_since` has come; 0 at first."""
        with self.database.reading() as connection:
            query = select(cursors.c.sequence).where(cursors.c.name == name)
            return int(connection.execute(query).scalar() or 0)

    def advance_cursor(self, name: str, sequence: int) -> None:
        """Remembers how far a reader has come; never goes back."""
        with self.database.writing() as connection:
            known = connection.execute(select(cursors.c.sequence).where(cursors.c.name == name)).scalar()
            if known is None:
                connection.execute(insert(cursors).values(name=name, sequence=sequence))
            elif known < sequence:
                connection.execute(update(cursors).where(cursors.c.name == name).values(sequence=sequence))


def _require_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise DecisionDatabaseError("there is no such folder", str(path.parent), "name the folder of a lake")


def _prepare_schema(database: DecisionDatabase, may_upgrade: bool) -> None:
    revision = database.revision()
    if revision == SCHEMA_REVISION:
        return
    if revision is not None and revision > SCHEMA_REVISION:
        raise DecisionDatabaseError(
            f"was made by a newer version of deadheat (revision {revision})", database.shown_url, "update deadheat"
        )
    if not may_upgrade:
        what = "has no tables yet" if revision is None else f"has tables of revision {revision}"
        raise DecisionDatabaseError(what, database.shown_url, "run `deadheat triage --upgrade` with this address")
    database.upgrade()

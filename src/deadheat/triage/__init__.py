"""People's decisions about races: append-only events in SQLite or PostgreSQL, and the state derived from them.

What other packages use:

- `events.NewEvent(race, kind, payload, actor, source, key, based_on)` is a decision to record, and `events.Event` a
  recorded one. `events.EventKind` lists the kinds and their payloads.
- `state.RaceState` is what the events of a race and its aliases amount to; `state.derive_state` computes it, a pure
  function; `state.duplicate_roots(states)` gives the race whose counts a duplicate joins for display.
- `store.DecisionStore`: `open(url)`, `record(event)`, `record_all(events)`, `state(race)`, `states()`, `version()`,
  `history(race)`, `changes_since(sequence)`, `set_aliases(races)`, `rebuild()`, and for servers `tokens`, `audit`,
  `outbox`, `uploads` (`server_tables`), `cursor(name)` and `advance_cursor(name, sequence)`.
- `returns.record_sightings(store, lake_races, ...)`, after an ingest, records which fixed races are back.
- `transfer.export_lines(store)` and `transfer.import_lines(store, lines, where)`: JSON lines.

A write that was acknowledged is on disk. A write repeated with the same actor and key changes nothing. A write with
`based_on` raises `event_transaction.DecisionConflictError` if another one has changed the same field since that version
of the state; the error has the state and the changes. What cannot be recorded raises `events.InvalidDecisionError`, and
a fault of the database `database.DecisionDatabaseError`. `version()` grows with every change of a state and is a key
for caches. Sequence numbers grow in the order of commits, so that `changes_since` never omits an event. Times are
aware, in UTC.
"""

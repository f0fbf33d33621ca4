"""Decisions as JSON lines: for backups, and to move them between SQLite and PostgreSQL."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError
from deadheat.triage.events import (
    Event,
    EventKind,
    EventSource,
    InvalidDecisionError,
    check_name,
    check_payload,
    check_race_id,
    event_id,
    parse_time,
    utc_now,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.triage.store import DecisionStore

# clocks differ; an event of next year would stay in effect whatever anybody decides before
_MAX_AHEAD = timedelta(days=1)


def export_lines(store: DecisionStore) -> Iterator[str]:
    """Every alias and every event as JSON, in an order that does not depend on the store."""
    for alias, race in sorted(store.aliases().items()):
        yield _format_line({"alias": alias, "race": race})
    with store.all_events() as found:
        for event in found:
            fields = event.to_json()
            del fields["sequence"]
            yield _format_line(fields)


def _format_line(fields: dict[str, Any]) -> str:
    """JSON of printable ASCII. `printable.format_json` would change lone surrogates."""
    return json.dumps(fields).replace("\x7f", r"\u007f").replace("##[", r"\u0023#[")


def import_lines(store: DecisionStore, lines: Iterable[bytes], where: str) -> tuple[int, int]:
    """Imports what `export_lines` wrote, all or nothing; returns how many events were new and how many there are."""
    aliases, events = {}, []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = _parse_object(line)
            if "alias" in fields:
                check_race_id(fields["alias"], "alias")
                check_race_id(fields.get("race"))
                aliases[fields["alias"]] = fields["race"]
            else:
                events.append(_event_from_json(fields))
        except InvalidDecisionError as error:
            raise DeadheatError(str(error), f"{where}:{number}", "nothing was imported; correct the line") from None
    return store.import_events(events, aliases), len(events)


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidDecisionError("is not JSON") from None
    if not isinstance(fields, dict):
        raise InvalidDecisionError("is not a JSON object")
    return fields


def _event_from_json(fields: dict[str, Any]) -> Event:
    """The event in a line; a line that a person has written needs only `race`, `kind`, `payload` and `actor`."""
    check_race_id(fields.get("race"))
    check_race_id(name := fields.get("name", fields["race"]), "name")
    check_name("actor", actor := fields.get("actor"))
    assert isinstance(actor, str)
    if fields.get("kind") not in [*EventKind]:
        raise InvalidDecisionError("is not the kind of a decision", repr(fields.get("kind"))[:60])
    kind, payload = EventKind(fields["kind"]), fields.get("payload", {})
    if not isinstance(payload, dict):
        raise InvalidDecisionError("is not a JSON object", "payload")
    payload = check_payload(kind, payload)
    content = json.dumps([fields["race"], kind, payload, fields.get("at")], sort_keys=True)
    check_name("key", key := fields.get("key") or f"import {sha256(content.encode()).hexdigest()}")
    assert isinstance(key, str)
    at = parse_time(str(fields["at"])) if "at" in fields else utc_now()
    if at > utc_now() + _MAX_AHEAD:
        raise InvalidDecisionError("is in the future", "at", "check the clock of the machine that wrote it")
    if fields.get("source", EventSource.IMPORT) not in [*EventSource]:
        raise InvalidDecisionError("is not a source of decisions", repr(fields["source"])[:60])
    source = EventSource(fields.get("source", EventSource.IMPORT))
    identity = event_id(actor, key)
    if fields.get("id", identity) != identity:
        raise InvalidDecisionError("does not belong to this actor and key", "id")
    return Event(0, identity, name, fields["race"], actor, key, at, kind, payload, source)

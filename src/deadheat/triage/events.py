"""Decisions about races as events: their kinds, and which payload each kind has."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    JsonDict = dict[str, Any]

# the actor of events that no person has caused
SYSTEM_ACTOR = "deadheat"
MAX_TEXT_LENGTH = 65_536
MAX_NAME_LENGTH = 200
_MAX_LABELS = 50
# "47d9f89a0b1c2d3e"
_RACE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]{0,99}\Z")
# "9fceb02", "v2.4.1", "release/2.4"
_COMMIT = re.compile(r"[0-9A-Za-z][0-9A-Za-z_./+~^@-]{0,199}\Z")
_WEB_ADDRESS = re.compile(r"https?://[^\s/]", re.IGNORECASE)


class EventKind(StrEnum):
    """What a decision changes. The comment shows the payload; `?` marks a key that may be left out or be null."""

    STATUS = "status"  # {"status": Status, "commit"?: with `fixed`, "race"?: with `duplicate`, "reason"?: text}
    BACK = "back"  # {"decision": id of the event that says fixed, "sighting": {"observed_at", "commit"?, "uri"?, ...}}
    ASSIGN = "assign"  # {"assignee": name or null}
    SEVERITY = "severity"  # {"severity": Severity or null}
    LABELS = "labels"  # {"add"?: [name], "remove"?: [name]}
    COMMENT = "comment"  # {"text": text}; the id of the comment is that of the event
    EDIT_COMMENT = "edit-comment"  # {"comment": id, "text": text}
    DELETE_COMMENT = "delete-comment"  # {"comment": id}
    MUTE = "mute"  # {"reason": text, "until"?: time}; without a time it never expires
    UNMUTE = "unmute"  # {}
    LINK = "link"  # {"url": address, "title"?: text}
    UNLINK = "unlink"  # {"url": address}


class Status(StrEnum):
    """The status of a race. Nobody sets `back`: a sighting after the fix does."""

    NEW = "new"
    CONFIRMED = "confirmed"
    IN_PROGRESS = "in-progress"
    FIXED = "fixed"
    WONT_FIX = "wont-fix"
    NOT_A_BUG = "not-a-bug"
    DUPLICATE = "duplicate"
    BACK = "back"


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class EventSource(StrEnum):
    """Where an event was made."""

    WEB = "web"
    CLI = "cli"
    IMPORT = "import"
    SYSTEM = "system"


class InvalidDecisionError(DeadheatError):
    """A decision that cannot be recorded."""


class ReusedKeyError(InvalidDecisionError):
    """An actor has used the key for another decision."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_key() -> str:
    """A key for a decision that its client gives none."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A decision to record."""

    race: str
    kind: EventKind
    payload: JsonDict
    actor: str
    source: EventSource = EventSource.WEB
    # a write repeated with the same actor and key changes nothing
    key: str = field(default_factory=new_key)
    # the version of the state that the decision is based on; None writes in any case
    based_on: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A recorded decision."""

    sequence: int  # in the order of commits, in this database
    id: str  # the same in every database
    name: str  # the race as given
    race: str  # the id of the race, of which the name may have been an alias
    actor: str
    key: str
    at: datetime
    kind: EventKind
    payload: JsonDict
    source: EventSource

    @property
    def order(self) -> tuple[datetime, str]:
        """The order in which events take effect, which is the same in every database."""
        return self.at, self.id

    def to_json(self) -> JsonDict:
        return {
            "id": self.id, "sequence": self.sequence, "race": self.race, "name": self.name, "actor": self.actor,
            "key": self.key, "at": format_time(self.at), "kind": self.kind.value, "payload": self.payload,
            "source": self.source.value,
        }  # fmt: skip


def event_id(actor: str, key: str) -> str:
    """The id of the event that an actor records with a key."""
    return sha256(f"{actor}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def format_time(time: datetime) -> str:
    """`2026-11-20T00:07:12.123456Z`: the order of the texts is that of the times."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").zfill(27)


def parse_time(text: str) -> datetime:
    """The time in an ISO 8601 text; without a zone it is in UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        remedy = "write it as in 2026-12-31T18:00:00Z"
        raise InvalidDecisionError("is not a time", repr(text[:60]), remedy) from None


# -- validation -------------------------------------------------------------------------------------


def check_event(event: NewEvent) -> NewEvent:
    """Raises `InvalidDecisionError` unless the event can be stored; returns it with a normalised payload."""
    check_race_id(event.race)
    check_name("actor", event.actor)
    check_name("key", event.key)
    payload = check_payload(EventKind(event.kind), event.payload)
    if event.source is not EventSource.SYSTEM and event.kind is EventKind.BACK:
        raise _invalid("back", "is recorded by a sighting, not by a person")
    return NewEvent(
        event.race, EventKind(event.kind), payload, event.actor, EventSource(event.source), event.key, event.based_on
    )


def check_payload(kind: EventKind, payload: Mapping[str, Any]) -> JsonDict:
    """The payload without keys that are null; raises `InvalidDecisionError` if it does not fit the kind."""
    required, optional = _PAYLOADS[kind]
    if unknown := sorted(payload.keys() - required.keys() - optional.keys()):
        raise _invalid(f"{kind}: {unknown[0]!r}"[:100], "is not a field of this decision")
    for name, check in required.items():
        if name not in payload:
            raise _invalid(f"{kind}: {name}", "is missing")
        check(f"{kind}: {name}", payload[name])
    checked = {name: payload[name] for name in required}
    for name, check in optional.items():
        if payload.get(name) is not None:
            check(f"{kind}: {name}", payload[name])
            checked[name] = payload[name]
    if kind is EventKind.STATUS:
        _check_status(checked)
    if kind is EventKind.LABELS and not (checked.get("add") or checked.get("remove")):
        raise _invalid("labels", "names no label to add or to remove")
    if kind is EventKind.MUTE and "until" in checked:
        checked["until"] = format_time(parse_time(checked["until"]))
    return checked


def _check_status(payload: JsonDict) -> None:
    status = payload["status"]
    for name, owner in (("commit", Status.FIXED), ("race", Status.DUPLICATE)):
        if name in payload and status != owner:
            raise _invalid(f"status: {name}", f"belongs to the status {owner.value}, not to {status}")
        if name not in payload and status == owner and name == "race":
            raise _invalid("status: race", "is missing: a duplicate names the race that it is a duplicate of")


def _invalid(where: str, what: str) -> InvalidDecisionError:
    return InvalidDecisionError(what, where)


def _check_text(where: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise _invalid(where, "must be text that is not empty")
    if len(value) > MAX_TEXT_LENGTH:
        raise _invalid(where, f"has {len(value)} characters; the limit is {MAX_TEXT_LENGTH}")


def check_name(where: str, value: object) -> None:
    _check_text(where, value)
    assert isinstance(value, str)
    if len(value) > MAX_NAME_LENGTH:
        raise _invalid(where, f"has {len(value)} characters; the limit is {MAX_NAME_LENGTH}")
    # neither can be stored as text of a database
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise _invalid(where, "has a NUL or a surrogate, which cannot be stored")


def _check_optional_name(where: str, value: object) -> None:
    if value is not None:
        check_name(where, value)


def check_race_id(value: object, where: str = "race") -> None:
    if not isinstance(value, str) or not _RACE_ID.match(value):
        raise _invalid(where, "is not the id of a race")


def _check_race(where: str, value: object) -> None:
    check_race_id(value, where)


def _check_commit(where: str, value: object) -> None:
    if not isinstance(value, str) or not _COMMIT.match(value):
        raise _invalid(where, "is not the name of a commit")


def _check_address(where: str, value: object) -> None:
    _check_text(where, value)
    assert isinstance(value, str)
    if not _WEB_ADDRESS.match(value) or not value.isprintable() or len(value) > 2000:
        raise _invalid(where, "is not an address that begins with https:// or http://")


def _check_labels(where: str, value: object) -> None:
    if not isinstance(value, list) or len(value) > _MAX_LABELS:
        raise _invalid(where, f"is not a list of at most {_MAX_LABELS} labels")
    for label in value:
        check_name(where, label)


def _check_time(where: str, value: object) -> None:
    if not isinstance(value, str):
        raise _invalid(where, "is not a time")
    parse_time(value)


def _check_sighting(where: str, value: object) -> None:
    if not isinstance(value, dict) or not isinstance(value.get("observed_at"), str):
        raise _invalid(where, "is not a sighting with the time observed_at")


def _one_of(values: tuple[str, ...], may_be_null: bool = False) -> Callable[[str, object], None]:
    def check(where: str, value: object) -> None:
        if value not in values and not (may_be_null and value is None):
            raise _invalid(where, f"is not one of {', '.join(values)}")

    return check


# the statuses that people set
SETTABLE_STATUSES = tuple(status.value for status in Status if status is not Status.BACK)
_Checks = dict[str, "Callable[[str, object], None]"]
# required and optional fields
_PAYLOADS: dict[EventKind, tuple[_Checks, _Checks]] = {
    EventKind.STATUS: (
        {"status": _one_of(SETTABLE_STATUSES)},
        {"commit": _check_commit, "race": _check_race, "reason": _check_text},
    ),
    EventKind.BACK: ({"decision": check_name, "sighting": _check_sighting}, {}),
    EventKind.ASSIGN: ({"assignee": _check_optional_name}, {}),
    EventKind.SEVERITY: ({"severity": _one_of(tuple(Severity), may_be_null=True)}, {}),
    EventKind.LABELS: ({}, {"add": _check_labels, "remove": _check_labels}),
    EventKind.COMMENT: ({"text": _check_text}, {}),
    EventKind.EDIT_COMMENT: ({"comment": check_name, "text": _check_text}, {}),
    EventKind.DELETE_COMMENT: ({"comment": check_name}, {}),
    EventKind.MUTE: ({"reason": _check_text}, {"until": _check_time}),
    EventKind.UNMUTE: ({}, {}),
    EventKind.LINK: ({"url": _check_address}, {"title": _check_text}),
    EventKind.UNLINK: ({"url": _check_address}, {}),
}

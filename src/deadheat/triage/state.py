"""The state of a race: a pure function of the events of the race and its aliases.

Events take effect in the order of their times, so that the order in which they were stored does not matter.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from deadheat.triage.events import EventKind, Status, format_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from deadheat.triage.events import Event, JsonDict

# a race with one of them does not fail a build
ACCEPTED_STATUSES = (Status.WONT_FIX, Status.NOT_A_BUG)


@dataclass(frozen=True, slots=True)
class RaceMute:
    """Why a race is muted, and until when; None means for ever."""

    reason: str
    until: datetime | None
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RaceComment:
    """A comment as it was edited last."""

    id: str
    actor: str
    at: datetime
    text: str
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RaceLink:
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class RaceState:
    """What people have decided about a race."""

    race: str
    version: int = 0  # the sequence number of its latest event; 0 if there is none
    status: Status = Status.NEW
    status_event: str = ""  # the id of the event that set it
    status_actor: str = ""
    status_at: datetime | None = None
    status_reason: str = ""
    fixed_in: str | None = None  # the commit of the fix, also when the race is back
    fixed_at: datetime | None = None  # when it was decided that the race is fixed
    back: JsonDict | None = None  # the sighting after the fix
    duplicate_of: str | None = None
    assignee: str | None = None
    severity: str | None = None
    labels: tuple[str, ...] = ()
    comments: tuple[RaceComment, ...] = ()
    mute: RaceMute | None = None
    links: tuple[RaceLink, ...] = ()
    updated_at: datetime | None = None

    def is_muted(self, now: datetime) -> bool:
        """Whether it has a mute that has not expired."""
        return self.mute is not None and (self.mute.until is None or now <= self.mute.until)

    def to_json(self) -> JsonDict:
        """The fields as JSON values, times as text."""
        fields: JsonDict = _with_text_times(asdict(self))
        return fields

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> RaceState:
        """The opposite of `to_json`."""
        values = dict(fields)
        for name in ("status_at", "fixed_at", "updated_at"):
            values[name] = _optional_time(values[name])
        if values["mute"]:
            mute = values["mute"]
            values["mute"] = RaceMute(
                mute["reason"], _optional_time(mute["until"]), mute["actor"], parse_time(mute["at"])
            )
        values["status"] = Status(values["status"])
        values["labels"] = tuple(values["labels"])
        values["comments"] = tuple(
            RaceComment(c["id"], c["actor"], parse_time(c["at"]), c["text"], _optional_time(c["edited_at"]))
            for c in values["comments"]
        )
        values["links"] = tuple(RaceLink(link["url"], link["title"]) for link in values["links"])
        return RaceState(**values)


def _optional_time(text: str | None) -> datetime | None:
    return parse_time(text) if text else None


def _with_text_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_text_times(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_text_times(item) for item in value]
    return format_time(value) if hasattr(value, "astimezone") else value


def derive_state(race: str, events: Iterable[Event], resolve: Callable[[str], str] = str) -> RaceState:
    """The state after the events of a race and its aliases, in any order. `resolve` gives the race of an alias."""
    state = RaceState(race)
    for event in sorted(events, key=lambda event: event.order):
        changed = _APPLY[event.kind](state, event, resolve)
        version = max(state.version, event.sequence)
        state = replace(changed, version=version, updated_at=event.at)
    return state


def _apply_status(state: RaceState, event: Event, resolve: Callable[[str], str]) -> RaceState:
    status = Status(event.payload["status"])
    target = resolve(event.payload["race"]) if status is Status.DUPLICATE else None
    if target == state.race:  # the two have turned out to be one race
        return state
    return replace(
        state,
        status=status,
        status_event=event.id,
        status_actor=event.actor,
        status_at=event.at,
        status_reason=event.payload.get("reason", ""),
        fixed_in=event.payload.get("commit"),
        fixed_at=event.at if status is Status.FIXED else None,
        back=None,
        duplicate_of=target,
    )


def _apply_back(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    if state.status is not Status.FIXED or event.payload["decision"] != state.status_event:
        return state  # somebody has decided otherwise meanwhile
    return replace(
        state,
        status=Status.BACK,
        status_event=event.id,
        status_actor=event.actor,
        status_at=event.at,
        status_reason="",
        back=event.payload["sighting"],
    )


def _apply_labels(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    removed = event.payload.get("remove", [])
    labels = {*state.labels, *event.payload.get("add", [])}.difference(removed)
    return replace(state, labels=tuple(sorted(labels)))


def _apply_comment(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    comment = RaceComment(event.id, event.actor, event.at, event.payload["text"])
    return replace(state, comments=(*state.comments, comment))


def _apply_comment_edit(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    edited = tuple(
        replace(comment, text=event.payload["text"], edited_at=event.at)
        if comment.id == event.payload["comment"]
        else comment
        for comment in state.comments
    )
    return replace(state, comments=edited)


def _apply_comment_deletion(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    kept = tuple(comment for comment in state.comments if comment.id != event.payload["comment"])
    return replace(state, comments=kept)


def _apply_mute(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    until = _optional_time(event.payload.get("until"))
    return replace(state, mute=RaceMute(event.payload["reason"], until, event.actor, event.at))


def _apply_link(state: RaceState, event: Event, _: Callable[[str], str]) -> RaceState:
    others = tuple(link for link in state.links if link.url != event.payload["url"])
    if event.kind is EventKind.UNLINK:
        return replace(state, links=others)
    return replace(state, links=(*others, RaceLink(event.payload["url"], event.payload.get("title", ""))))


_APPLY: dict[EventKind, Callable[[RaceState, Event, Callable[[str], str]], RaceState]] = {
    EventKind.STATUS: _apply_status,
    EventKind.BACK: _apply_back,
    EventKind.ASSIGN: lambda state, event, _: replace(state, assignee=event.payload["assignee"]),
    EventKind.SEVERITY: lambda state, event, _: replace(state, severity=event.payload["severity"]),
    EventKind.LABELS: _apply_labels,
    EventKind.COMMENT: _apply_comment,
    EventKind.EDIT_COMMENT: _apply_comment_edit,
    EventKind.DELETE_COMMENT: _apply_comment_deletion,
    EventKind.MUTE: _apply_mute,
    EventKind.UNMUTE: lambda state, _event, _: replace(state, mute=None),
    EventKind.LINK: _apply_link,
    EventKind.UNLINK: _apply_link,
}


def conflict_field(event_kind: EventKind, payload: Mapping[str, Any]) -> str | None:
    """The field that a decision sets; None if it only adds, and so never conflicts."""
    if event_kind in (EventKind.STATUS, EventKind.BACK):
        return "status"
    if event_kind in (EventKind.MUTE, EventKind.UNMUTE):
        return "mute"
    if event_kind in (EventKind.EDIT_COMMENT, EventKind.DELETE_COMMENT):
        return f"comment {payload['comment']}"
    return event_kind.value if event_kind in (EventKind.ASSIGN, EventKind.SEVERITY) else None


def duplicate_roots(states: Mapping[str, RaceState]) -> dict[str, str]:
    """The race that each duplicate is a duplicate of in the end.

    Imports can bring a cycle of duplicates; its root is the race in it with the smallest id.
    """
    roots = {}
    for race, state in states.items():
        if state.duplicate_of is None:
            continue
        path, current = [race], state.duplicate_of
        while current not in path and current in states and states[current].duplicate_of is not None:
            path.append(current)
            current = states[current].duplicate_of or current
        root = min(path[path.index(current) :]) if current in path else current
        if root != race:
            roots[race] = root
    return roots

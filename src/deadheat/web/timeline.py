"""The history of a race: what its sightings tell, and what people have decided, in one order."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.triage.events import EventKind, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deadheat.triage.events import Event

    JsonDict = dict[str, Any]

_ACTIVITIES = {
    "new": "First seen",
    "recurring": "Seen again",
    "quiet": "Quiet since",
    "returned": "Back after quiet days",
}


class TimelineEntry(NamedTuple):
    """One line of a timeline. `text` is a comment or a reason, as it was written."""

    at: datetime
    actor: str
    what: str
    text: str = ""
    link: str = ""  # an address of this server or of another one
    comment: str = ""  # the id of a comment that can be changed


def timeline(history: Iterable[JsonDict], events: Iterable[Event]) -> list[TimelineEntry]:
    """Both histories, the latest first."""
    entries = [
        TimelineEntry(datetime.combine(state["day"], time(), UTC), "", _ACTIVITIES.get(state["status"], "Seen"))
        for state in history
    ]
    events = list(events)
    edited, deleted = _last_texts(events)
    entries += [
        describe_event(event, edited.get(event.id), event.id in deleted)
        for event in events
        if event.kind not in (EventKind.EDIT_COMMENT, EventKind.DELETE_COMMENT)
    ]
    return sorted(entries, key=lambda entry: entry.at, reverse=True)


def _last_texts(events: Iterable[Event]) -> tuple[dict[str, str], set[str]]:
    """The texts of comments that were edited, and the comments that were deleted."""
    edited = {e.payload["comment"]: e.payload["text"] for e in events if e.kind is EventKind.EDIT_COMMENT}
    return edited, {e.payload["comment"] for e in events if e.kind is EventKind.DELETE_COMMENT}


def describe_event(event: Event, text: str | None = None, is_deleted: bool = False) -> TimelineEntry:
    what, said, link = describe_decision(event.kind, event.payload)
    if event.kind is not EventKind.COMMENT:
        return TimelineEntry(event.at, event.actor, what, said, link)
    if is_deleted:
        return TimelineEntry(event.at, event.actor, "deleted a comment")
    return TimelineEntry(event.at, event.actor, "commented", said if text is None else text, "", event.id)


def describe_decision(kind: EventKind, payload: Mapping[str, Any]) -> tuple[str, str, str]:
    """What was decided, the text that was written with it, and an address."""
    return _DESCRIPTIONS[kind](payload)


def _describe_status(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    status = payload["status"].replace("-", " ")
    if "race" in payload:
        race = payload["race"]
        return f"set the status to duplicate of {race}", payload.get("reason", ""), f"/races/{race}"
    where = f" in {payload['commit']}" if "commit" in payload else ""
    return f"set the status to {status}{where}", payload.get("reason", ""), ""


def _describe_back(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    sighting = payload["sighting"]
    where = f" at {sighting['commit'][:11]}" if sighting.get("commit") else ""
    return f"The race is back: seen again{where} on {sighting['observed_at'][:10]}", "", ""


def _describe_labels(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    parts = [f"added {', '.join(payload['add'])}"] if payload.get("add") else []
    parts += [f"removed {', '.join(payload['remove'])}"] if payload.get("remove") else []
    return f"labels: {'; '.join(parts)}", "", ""


def _describe_mute(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    until = f" until {parse_time(payload['until']):%Y-%m-%d}" if payload.get("until") else ""
    return f"muted it{until}", payload["reason"], ""


_DESCRIPTIONS: dict[EventKind, Callable[[Mapping[str, Any]], tuple[str, str, str]]] = {
    EventKind.STATUS: _describe_status,
    EventKind.BACK: _describe_back,
    EventKind.ASSIGN: lambda p: (f"assigned it to {p['assignee'] or 'nobody'}", "", ""),
    EventKind.SEVERITY: lambda p: (f"set the severity to {p['severity'] or 'none'}", "", ""),
    EventKind.LABELS: _describe_labels,
    EventKind.COMMENT: lambda p: ("commented", p["text"], ""),
    EventKind.EDIT_COMMENT: lambda p: ("edited a comment", p["text"], ""),
    EventKind.DELETE_COMMENT: lambda _: ("deleted a comment", "", ""),
    EventKind.MUTE: _describe_mute,
    EventKind.UNMUTE: lambda _: ("unmuted it", "", ""),
    EventKind.LINK: lambda p: (f"added a link: {p.get('title') or p['url']}", "", p["url"]),
    EventKind.UNLINK: lambda p: (f"removed a link: {p['url']}", "", ""),
}

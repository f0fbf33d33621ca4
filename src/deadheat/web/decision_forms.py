"""Turns the forms of pages into decisions."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from deadheat.triage.events import EventKind, EventSource, NewEvent
from deadheat.web.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.requests import Request

    JsonDict = dict[str, Any]

MAX_FORM_BYTES = 1 << 20
_MAX_FIELDS = 2000
MAX_BULK_RACES = 500
_KEY = re.compile(r"[0-9A-Za-z_-]{8,64}")


class DecisionForm:
    """The fields of a form, each with its values."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """The value of a field without blanks around it; empty if it was not sent."""
        return self._fields.get(name, [""])[0].strip()

    def values(self, name: str) -> list[str]:
        return self._fields.get(name, [])

    def change(self, name: str) -> str | None:
        """The value of a field, if it is not the one that the page had."""
        value = self.text(name)
        return None if name not in self._fields or value == self.text(f"was_{name}") else value

    @property
    def token(self) -> str:
        return self.text("token")

    @property
    def key(self) -> str:
        key = self.text("key")
        if not _KEY.fullmatch(key):
            raise ProblemError(422, "key: missing or not valid", "Reload the page.")
        return key

    @property
    def based_on(self) -> int | None:
        text = self.text("based_on")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None


async def read_form(request: Request) -> DecisionForm:
    """The form in the body of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise ProblemError(415, "This address takes forms only.")
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > MAX_FORM_BYTES:
            raise ProblemError(413, f"The form is larger than {MAX_FORM_BYTES} bytes.")
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise ProblemError(422, "The form cannot be read.") from None
    return DecisionForm({name: [value.replace("\r\n", "\n") for value in values] for name, values in fields.items()})


def decisions_of_form(form: DecisionForm, race: str, actor: str, key: str = "") -> list[NewEvent]:
    """What a form decides about a race: only the fields that were changed, and what its button says."""
    action = form.text("action")
    if action not in _ACTIONS:
        raise ProblemError(422, "action: not known")
    key = key or form.key
    decisions = [*_ACTIONS[action](form)]
    return [
        NewEvent(race, kind, payload, actor, EventSource.WEB, f"{key}-{kind.value}", form.based_on)
        for kind, payload in decisions
    ]


def _saved_fields(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    status = form.change("status")
    details = {"commit": form.text("commit"), "race": form.text("duplicate_of"), "reason": form.text("reason")}
    if status is not None or form.change("commit") or form.change("duplicate_of"):
        chosen = status or form.text("status")
        if chosen:
            wanted = {"fixed": ("commit", "reason"), "duplicate": ("race", "reason")}.get(chosen, ("reason",))
            yield EventKind.STATUS, {"status": chosen} | {n: details[n] for n in wanted if details[n]}
    if (assignee := form.change("assignee")) is not None:
        yield EventKind.ASSIGN, {"assignee": assignee or None}
    if (severity := form.change("severity")) is not None:
        yield EventKind.SEVERITY, {"severity": severity or None}
    if (labels := form.change("labels")) is not None:
        new, old = _split_labels(labels), _split_labels(form.text("was_labels"))
        payload = {
            "add": [each for each in new if each not in old],
            "remove": [each for each in old if each not in new],
        }
        if any(payload.values()):
            yield EventKind.LABELS, {name: values for name, values in payload.items() if values}


def _split_labels(text: str) -> list[str]:
    return [*dict.fromkeys(filter(None, (part.strip() for part in text.split(","))))]


def _muting(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    payload: JsonDict = {"reason": form.text("mute_reason")}
    if text := form.text("until"):
        payload["until"] = _end_of_day(text)
    yield EventKind.MUTE, payload


def _end_of_day(text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ProblemError(422, "until: not a day", "Write it as in 2026-12-31.") from None
    return datetime.combine(day, time(23, 59, 59), UTC).isoformat()


def _label_changes(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    payload = {"add": _split_labels(form.text("add_labels")), "remove": _split_labels(form.text("remove_labels"))}
    yield EventKind.LABELS, {name: values for name, values in payload.items() if values}


def _bulk_fields(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    """The fields of the form below a list; those that are empty change nothing."""
    if status := form.text("status"):
        reason = form.text("reason")
        payload = {"status": status} | ({"reason": reason} if reason else {})
        if status == "fixed" and (commit := form.text("commit")):
            payload["commit"] = commit
        if status == "duplicate":
            payload["race"] = form.text("duplicate_of")
        yield EventKind.STATUS, payload
    if assignee := form.text("assignee"):
        yield EventKind.ASSIGN, {"assignee": None if assignee == "-" else assignee}
    if severity := form.text("severity"):
        yield EventKind.SEVERITY, {"severity": None if severity == "-" else severity}
    if form.text("add_labels") or form.text("remove_labels"):
        yield from _label_changes(form)
    if form.text("mute_reason"):
        yield from _muting(form)


def _comment(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    yield EventKind.COMMENT, {"text": form.text("comment")}


def _link(form: DecisionForm) -> Iterator[tuple[EventKind, JsonDict]]:
    title = form.text("title")
    yield EventKind.LINK, {"url": form.text("url")} | ({"title": title} if title else {})


_ACTIONS = {
    "save": _saved_fields,
    "comment": _comment,
    "edit-comment": lambda form: [
        (EventKind.EDIT_COMMENT, {"comment": form.text("comment_id"), "text": form.text("comment")})
    ],
    "delete-comment": lambda form: [(EventKind.DELETE_COMMENT, {"comment": form.text("comment_id")})],
    "mute": _muting,
    "unmute": lambda form: [(EventKind.UNMUTE, {})],
    "link": _link,
    "unlink": lambda form: [(EventKind.UNLINK, {"url": form.text("url")})],
    "bulk": _bulk_fields,
}

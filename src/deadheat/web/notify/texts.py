"""The texts of notifications: plain, short, with a link, and without anything that a channel would obey.

Titles and paths come from logs. In chats an address becomes a link and `@everyone` calls everybody, so both are broken
up. Apprise escapes what else means something in the format of a channel.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from deadheat import plugins
from deadheat.printable import shorten, visible_text
from deadheat.web.notify.rules import NoticeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.web.models import RaceSummary
    from deadheat.web.notify.notices import Notice

MAX_TITLE_LENGTH, MAX_BODY_LENGTH = 180, 1500
_MAX_FIELD_LENGTH, _MAX_LISTED_TITLE = 160, 100
MAX_LISTED = 10
# "https://", "mailto:", "@everyone", "<!here>"
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|file|mailto|javascript|data|tg|slack)(:)(?=\S)")
_WEB_NAME = re.compile(r"(?i)\bwww\.")
_MENTION = re.compile(r"[@!#](?=(?:everyone|here|channel|all|subteam|team|room)\b)|@(?=&?\d{5})", re.IGNORECASE)
_HEADINGS = {
    NoticeKind.NEW: "New race", NoticeKind.BACK: "Race is back", NoticeKind.FIX_FAILED: "Fix did not hold",
    NoticeKind.ASSIGNED: "Race assigned",
}  # fmt: skip


def inert_text(text: str, limit: int = _MAX_FIELD_LENGTH) -> str:
    """Text of a log that is shown on one line as it is: no address, mention or control character takes effect."""
    shown = visible_text(shorten(text, 4 * limit))
    shown = _ADDRESS.sub(r"\1[\2]", shown)
    shown = _WEB_NAME.sub("www[.]", shown)
    shown = _MENTION.sub(lambda match: f"({match[0]})", shown)
    return shorten(shown, limit)


def race_message(notice: Notice, race: RaceSummary, owners: Sequence[str], public_url: str) -> dict[str, Any]:
    """Title and body of a notification about a race."""
    title = f"{_HEADINGS[notice.kind]}: {inert_text(race.title)}"
    facts = [
        ("Fixed in", notice.detail if notice.kind is NoticeKind.FIX_FAILED else ""),
        ("Assigned to", notice.detail if notice.kind is NoticeKind.ASSIGNED else (race.decision.assignee or "")),
        ("By", notice.actor),
        ("Severity", race.decision.severity or ""),
        ("Detector", race.detector),
        ("Cause", plugins.cause_title(race.cause) if race.cause_title and race.cause else ""),
        ("Where", ", ".join(race.sites[:2])),
        ("Test", ", ".join(race.tests[:2])),
        ("Repository", ", ".join(race.repos[:2])),
        ("Owners", ", ".join(owners[:5])),
        ("Sightings", f"{race.sightings}, last at {race.last_seen:%Y-%m-%d %H:%M} UTC"),
    ]
    lines = [f"{name}: {inert_text(value)}" for name, value in facts if value]
    return _message(title, lines, race_link(race.race, public_url))


def list_message(kind: NoticeKind, races: Sequence[RaceSummary], count: int, public_url: str) -> dict[str, Any]:
    """Title and body of a notification about several races of one kind."""
    heading = {NoticeKind.NEW: "new races", NoticeKind.BACK: "races are back"}.get(kind, f"races: {kind}")
    view = {NoticeKind.NEW: "activity=new&sort=first", NoticeKind.BACK: "activity=returned"}.get(kind, "")
    return _message(f"{count} {heading}", _race_lines(races, count), f"{public_url}/races?{view}" if public_url else "")


def digest_message(
    kind: NoticeKind, counts: dict[str, int], lists: dict[str, Sequence[RaceSummary]], public_url: str
) -> dict[str, Any]:
    """Title and body of a summary."""
    period = "Day" if kind is NoticeKind.DAILY else "Week"
    title = f"{period} in races: " + ", ".join(f"{count} {name}" for name, count in counts.items())
    lines = []
    for name, races in lists.items():
        if races:
            lines += [f"{name[:1].upper()}{name[1:]}:", *_race_lines(races, counts[name])]
    return _message(title, lines, f"{public_url}/" if public_url else "")


def trial_message(public_url: str) -> dict[str, Any]:
    """What `deadheat serve --test-notification` sends."""
    return _message("deadheat can reach you", ["This is a test; nothing has happened."], public_url)


def race_link(race: str, public_url: str) -> str:
    return f"{public_url}/races/{quote(race, safe='')}" if public_url else ""


def _race_lines(races: Sequence[RaceSummary], count: int) -> list[str]:
    lines = [f"- {inert_text(race.title, _MAX_LISTED_TITLE)}" for race in races[:MAX_LISTED]]
    return [*lines, f"and {count - len(lines)} more"] if count > len(lines) else lines


def _message(title: str, lines: Sequence[str], link: str) -> dict[str, Any]:
    """The link is not shortened: lines before it are left out."""
    kept: list[str] = []
    length = len(link) + 2
    for line in lines:
        length += len(line) + 1
        if length > MAX_BODY_LENGTH:
            break
        kept.append(line)
    return {"title": shorten(title, MAX_TITLE_LENGTH), "body": "\n".join([*kept, *(["", link] if link else [])])}

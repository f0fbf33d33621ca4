"""Rules of notifications, `[[serve.notify]]` in `deadheat.toml`: which events of which races go where."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from datetime import time
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError
from deadheat.web.race_table import FACETS, RaceQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_. -]{0,59}")
_DEFAULT_TIME = time(8)
_PLACES = ("to", "to-env", "to-file")
_MAX_FILE_BYTES = 1 << 16


class NoticeKind(StrEnum):
    """What a notification is about."""

    NEW = "new"  # a race that the lake did not have
    BACK = "back"  # a race that was quiet, or was declared fixed, is sighted again
    FIX_FAILED = "fix-failed"  # a race is sighted in code that has the commit that was to fix it
    ASSIGNED = "assigned"
    DAILY = "daily"  # a summary
    WEEKLY = "weekly"


DIGESTS = (NoticeKind.DAILY, NoticeKind.WEEKLY)


class NotificationRuleError(DeadheatError):
    """A rule that cannot be used."""


@dataclass(frozen=True, slots=True)
class NotificationRule:
    """Which events of which races go to some addresses."""

    name: str
    urls: tuple[str, ...]  # of Apprise; they have passwords in them
    kinds: frozenset[NoticeKind]
    query: RaceQuery = field(default_factory=RaceQuery)
    owners: frozenset[str] = frozenset()  # empty: any
    digest_at: time = _DEFAULT_TIME  # UTC


@dataclass(frozen=True, slots=True)
class Destination:
    """An address and all rules that send to it. Its name is shown and stored, its address is not."""

    name: str
    url: str
    rules: tuple[NotificationRule, ...]


def read_rules(tables: object, folder: Path) -> list[NotificationRule]:
    """The rules in a configuration file. Names of files are relative to its folder."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise NotificationRuleError("must be a list of tables", "[[serve.notify]]")
    rules = [_read_rule(table, number, folder) for number, table in enumerate(tables, 1)]
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise NotificationRuleError("is the name of two rules", f"[[serve.notify]] {name}", "rename one")
    return rules


def _read_rule(table: Mapping[str, Any], number: int, folder: Path) -> NotificationRule:
    name = table.get("name", f"rule {number}")
    where = f"[[serve.notify]] {number}"
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise NotificationRuleError("has a name that is not up to 60 letters, digits, blanks and . _ -", where)
    where = f"[[serve.notify]] {name}"
    known = {"name", "events", "query", "digest-at", *_PLACES, *FACETS}
    for key in table:
        if key not in known:
            raise NotificationRuleError(f"has {key!r}, which is none of {', '.join(sorted(known))}", where)
    values = {facet: tuple(_texts(table[facet], f"{where}: {facet}")) for facet in FACETS if facet in table}
    owners = frozenset(values.pop("owner", ()))
    text = table.get("query", "")
    if not isinstance(text, str):
        raise NotificationRuleError("is not text", f"{where}: query")
    query = RaceQuery(text=text, values=values)
    urls = _addresses(table, where, folder)
    return NotificationRule(name, urls, _kinds(table, where), query, owners, _digest_time(table, where))


def _texts(value: object, where: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise NotificationRuleError("is not a text or a list of texts", where)
    return texts


def _kinds(table: Mapping[str, Any], where: str) -> frozenset[NoticeKind]:
    known = [kind.value for kind in NoticeKind]
    named = _texts(table.get("events", [kind.value for kind in NoticeKind if kind not in DIGESTS]), f"{where}: events")
    for name in named:
        if name not in known:
            raise NotificationRuleError(f"{name!r} is none of {', '.join(known)}", f"{where}: events")
    return frozenset(map(NoticeKind, named))


def _digest_time(table: Mapping[str, Any], where: str) -> time:
    value = table.get("digest-at", _DEFAULT_TIME)
    try:
        parsed = value if isinstance(value, time) else time.fromisoformat(value)
    except (TypeError, ValueError):
        raise NotificationRuleError("is not a time such as 08:00", f"{where}: digest-at") from None
    return parsed.replace(tzinfo=None)


def _addresses(table: Mapping[str, Any], where: str, folder: Path) -> tuple[str, ...]:
    """The addresses of a rule; an error names the rule and the place, not the address."""
    urls = _texts(table["to"], f"{where}: to") if "to" in table else []
    for variable in _texts(table["to-env"], f"{where}: to-env") if "to-env" in table else ():
        if not os.environ.get(variable):
            raise NotificationRuleError(f"the environment variable {variable} is not set", f"{where}: to-env")
        urls = [*urls, *_address_lines(os.environ[variable])]
    for name in _texts(table["to-file"], f"{where}: to-file") if "to-file" in table else ():
        try:
            text = (folder / name).expanduser().read_bytes()[:_MAX_FILE_BYTES].decode()
        except (OSError, UnicodeDecodeError) as error:
            raise NotificationRuleError(f"{name} cannot be read ({error})", f"{where}: to-file") from None
        urls = [*urls, *_address_lines(text)]
    if not urls:
        raise NotificationRuleError("names no address", where, f"write one of {', '.join(_PLACES)}")
    return tuple(dict.fromkeys(urls))


def _address_lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def destinations_of(rules: Sequence[NotificationRule]) -> list[Destination]:
    """Each address once, so that an event that several rules select is sent to it once."""
    found: dict[str, tuple[str, list[NotificationRule]]] = {}
    for rule in rules:
        for number, url in enumerate(rule.urls, 1):
            name = rule.name if len(rule.urls) == 1 else f"{rule.name}/{number}"
            found.setdefault(url, (name, []))[1].append(rule)
    return [Destination(name, url, tuple(each)) for url, (name, each) in found.items()]


def digest_times(destinations: Iterable[Destination]) -> set[tuple[NoticeKind, time]]:
    rules = [rule for destination in destinations for rule in destination.rules]
    return {(kind, rule.digest_at) for rule in rules for kind in rule.kinds if kind in DIGESTS}

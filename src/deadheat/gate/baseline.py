"""The baseline file: known races and mutes as sorted JSON lines that people can review.

A line stores what grouping needs to recognise the race in another run: its variants, their alternate
keys, and whether their callers matter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deadheat.gate.mutes import Mute
from deadheat.gate.mutes import fault as fault_of
from deadheat.identity import races
from deadheat.identity.fingerprint import FINGERPRINT_VERSION
from deadheat.identity.names import NAMED
from deadheat.identity.races import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")  # 2026-12-31
_HEX = re.compile(r"[0-9a-f]{8,40}")  # 47d9f89aa0ce7b72
# "v2/47d9f89aa0ce7b72/0f3e5a7c9b1d2e4f/0": version, fingerprint, callers, ordinal;
# "/50d3d4" if ambiguous
_NAME = re.compile(r"v(\d{1,4})/([0-9a-f]{8,40})/([0-9a-f]{0,40})/(\d{1,4})(?:/([0-9a-f]{1,40}))?")


class BadLineError(ValueError):
    """An invalid line of a baseline file."""

    def __init__(self, number: int, what: str) -> None:
        self.number, self.what = number, what
        super().__init__(f"line {number}: {what}")


@dataclass(frozen=True, slots=True)
class Known:
    """A race in the baseline."""

    race: str
    title: str = ""
    reason: str = ""
    owner: str = ""
    expires: str = ""  # last day on which it is known
    since: str = ""
    sites: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()  # ids of races that were merged into it
    nodes: tuple[Node, ...] = ()
    aliases: tuple[
        str, ...
    ] = ()  # "ID ALIAS": alternate, required or provided keys of its variants
    split: tuple[str, ...] = ()  # fingerprints that are separated by caller
    stale: bool = False  # written with another fingerprint version


@dataclass(frozen=True, slots=True)
class Baseline:
    known: tuple[Known, ...] = ()
    mutes: tuple[Mute, ...] = ()


def found(known: tuple[Known, ...]) -> races.Found:
    """The known races as evidence that grouping can join with that of a run."""
    told = races.nothing()
    for entry in known:
        nodes = nodes_of(entry)
        for node in nodes:
            told.nodes[node.id] = node
            told.links.add((nodes[0].id, node.id))
        for pair in entry.aliases:
            name, _, alias = pair.partition(" ")
            if alias and name in told.nodes:
                (told.links if alias.startswith(NAMED) else told.aliases).add((name, alias))
        told.split.update(entry.split)
    return told


def nodes_of(entry: Known) -> tuple[Node, ...]:
    """The variants; a line written by hand has only the race id, which is usually the fingerprint."""
    return entry.nodes or (Node(entry.race, ""),)


def dumps(baseline: Baseline) -> str:
    """The text of the file: mutes first, then races by title."""
    mutes = sorted(baseline.mutes)
    known = sorted(baseline.known, key=lambda entry: (entry.title, entry.race))
    plain = [*map(_mute_to_plain, mutes), *map(_known_to_plain, known)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in plain)


def _mute_to_plain(mute: Mute) -> dict[str, Any]:
    return {"mute": mute.pattern, **_said(mute)}


def _known_to_plain(entry: Known) -> dict[str, Any]:
    names = [_name(node) for node in entry.nodes]
    return {
        "race": entry.race,
        "title": entry.title,
        **_said(entry),
        "since": entry.since,
        "sites": list(entry.sites),
        **({"merged": list(entry.merged)} if entry.merged else {}),
        "names": sorted(names),
        "aliases": sorted(entry.aliases),
        **({"split": sorted(entry.split)} if entry.split else {}),
    }


def _name(node: Node) -> str:
    name = f"v{FINGERPRINT_VERSION}/{node.fingerprint}/{node.called}/{node.twin}"
    return f"{name}/{node.unsure}" if node.unsure else name


def _said(one: Known | Mute) -> dict[str, Any]:
    return {"reason": one.reason, "owner": one.owner, "expires": one.expires or None}


def loads(text: str) -> Baseline:
    """The inverse of `format_baseline`; skips blank lines and lines starting with `#` or `//`."""
    known: list[Known] = []
    mutes: list[Mute] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        plain = _object(number, line)
        if "mute" in plain:
            mutes.append(_mute(number, plain))
        else:
            known.append(_known(number, plain))
    return Baseline(tuple(known), tuple(mutes))


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        conflict = line.startswith(("<<<<<<<", "=======", ">>>>>>>"))
        what = "is a merge conflict marker" if conflict else "is not valid JSON"
        raise BadLineError(number, what) from None
    if not isinstance(plain, dict) or not {"race", "mute"} & plain.keys():
        raise BadLineError(number, 'has neither "race" nor "mute"')
    return plain


def _mute(number: int, plain: dict[str, Any]) -> Mute:
    pattern = _text(number, plain, "mute")
    if told := fault_of(pattern):
        raise BadLineError(number, told)
    if not _text(number, plain, "reason").strip():
        raise BadLineError(number, f"the mute {pattern!r} has no reason")
    return Mute(pattern, *_told(number, plain))


def _known(number: int, plain: dict[str, Any]) -> Known:
    race = _text(number, plain, "race")
    if not _HEX.fullmatch(race):
        raise BadLineError(number, f"{race!r} is not a race id")
    names = [_NAME.fullmatch(name) for name in _texts(number, plain, "names")]
    current = [n for n in names if n is not None and int(n[1]) == FINGERPRINT_VERSION]
    reason, owner, expires = _told(number, plain)
    return Known(
        race,
        _text(number, plain, "title"),
        reason,
        owner,
        expires,
        _text(number, plain, "since"),
        _texts(number, plain, "sites"),
        _texts(number, plain, "merged"),
        tuple(Node(n[2], n[3], int(n[4]), n[5] or "") for n in current),
        _texts(number, plain, "aliases"),
        _texts(number, plain, "split"),
        stale=bool(names) and not current,
    )


def _told(number: int, plain: dict[str, Any]) -> tuple[str, str, str]:
    expires = _text(number, plain, "expires")
    if expires and not is_date(expires):
        raise BadLineError(number, f"{expires!r} is not a date such as 2026-12-31")
    return _text(number, plain, "reason"), _text(number, plain, "owner"), expires


def is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None


def _text(number: int, plain: dict[str, Any], key: str) -> str:
    value = plain.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadLineError(number, f'"{key}" is not a string')
    return value


def _texts(number: int, plain: dict[str, Any], key: str) -> tuple[str, ...]:
    def items() -> Iterator[str]:
        for value in values:
            if not isinstance(value, str):
                raise BadLineError(number, f'"{key}" is not a list of strings')
            yield value

    values = plain.get(key) or []
    if not isinstance(values, list):
        raise BadLineError(number, f'"{key}" is not a list of strings')
    return tuple(items())

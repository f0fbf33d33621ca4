"""Edits a baseline file line by line: what is not edited stays as it is, comments and the fields of others included."""

from __future__ import annotations

import json
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.baseline import Baseline, parse_baseline, pattern_error
from deadheat.errors import DeadheatError
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.baseline import KnownRace, Mute

_MIN_PREFIX_LENGTH, _WHOLE_ID_LENGTH = 6, 16
_HEXADECIMAL = "0123456789abcdef"
_MAX_CANDIDATES = 5
_ID_PATTERN = "id:"


class UnknownRaceError(DeadheatError):
    """An id that names no entry of the baseline, or several."""


class EntryFields(NamedTuple):
    """New values of fields; None leaves a field as it is, "" clears it."""

    reason: str | None = None
    owner: str | None = None
    expires: str | None = None

    def apply_to(self, known: KnownRace) -> KnownRace:
        return replace(known, **{name: value for name, value in self._asdict().items() if value is not None})

    def to_json(self) -> dict[str, Any]:
        """The fields as they are in a line."""
        given = {name: value for name, value in self._asdict().items() if value is not None}
        return {name: (value or None) if name == "expires" else value for name, value in given.items()}


class BaselineText:
    """The lines of a baseline file, which can be edited."""

    def __init__(self, data: bytes, file: str) -> None:
        self._file = file
        text = data.decode("utf-8", "surrogateescape")
        self.baseline: Baseline = parse_baseline(text)
        self._lines = text.split("\n")

    def to_bytes(self) -> bytes:
        return "\n".join(self._lines).encode("utf-8", "surrogateescape")

    def find_race(self, name: str) -> KnownRace | None:
        """The race with an id, a prefix of one, or an id that was merged into it; None for an unknown whole id."""
        name = name.lower()
        self._require_id(name)
        found = {entry.race: entry for entry in self.baseline.known if any(i.startswith(name) for i in _ids_of(entry))}
        exact = [entry for entry in found.values() if name in _ids_of(entry)]
        entries = exact or list(found.values())
        if len(entries) > 1:
            candidates = _format_candidates((entry.race, entry.title) for entry in entries)
            raise UnknownRaceError(
                f"{name} is the beginning of several ids: {candidates}", self._file, "give more digits"
            )
        if not entries and len(name) < _WHOLE_ID_LENGTH:
            raise self._unknown_error(name)
        return entries[0] if entries else None

    def require_race(self, name: str) -> KnownRace:
        entry = self.find_race(name)
        if entry is None:
            raise self._unknown_error(name)
        return entry

    def _require_id(self, name: str) -> None:
        if len(name) < _MIN_PREFIX_LENGTH or name.strip(_HEXADECIMAL):
            similar = [(entry.race, entry.title) for entry in self.baseline.known if name in entry.title.lower()]
            more = f"; races with this title: {_format_candidates(similar)}" if similar and name else ""
            what = f"{name!r} is not a race id of at least {_MIN_PREFIX_LENGTH} hexadecimal digits{more}"
            raise UnknownRaceError(what, self._file, "`deadheat gate list` shows the ids")

    def _unknown_error(self, name: str) -> UnknownRaceError:
        titles = {known: entry.title for entry in self.baseline.known for known in _ids_of(entry)}
        by_prefix = {known[: len(name)]: known for known in titles}
        close = [by_prefix[match] for match in get_close_matches(name, by_prefix, _MAX_CANDIDATES)]
        more = f"; close to it: {_format_candidates((known, titles[known]) for known in close)}" if close else ""
        return UnknownRaceError(f"has no race {name}{more}", self._file, "`deadheat gate list` shows the ids")

    def mute_pattern(self, name: str) -> tuple[str, bool]:
        """The pattern that mutes a race or is a pattern already, and whether the baseline has the race."""
        if ":" in name:
            if error := pattern_error(name):
                raise UnknownRaceError(error, self._file, "give a race id, or a pattern such as race:NAME")
            return name, True
        entry = self.find_race(name)
        return f"{_ID_PATTERN}{entry.race if entry else name.lower()}", entry is not None

    def set_mute(self, pattern: str, fields: EntryFields) -> bool:
        """Adds or changes a mute; returns whether it is new."""
        if self._edit_lines(lambda record: record.get("mute") == pattern, fields.to_json()):
            return False
        record = {"mute": pattern, "reason": "", "owner": "", "expires": None} | fields.to_json()
        self._lines.insert(self._position_of_mute(pattern), format_json(record))
        return True

    def _position_of_mute(self, pattern: str) -> int:
        """Behind the mutes that are sorted before it, else before the first entry."""
        position: int | None = None
        for index, record in self._records():
            if "mute" in record and str(record["mute"]) < pattern:
                position = index + 1
            elif position is None:
                position = index
        return position if position is not None else max(0, len(self._lines) - 1)

    def matching_mutes(self, name: str) -> list[Mute]:
        """The mutes with a pattern, or of a race with an id."""
        if ":" in name:
            return [mute for mute in self.baseline.mutes if mute.pattern == name]
        name = name.lower()
        ids = [known for entry in self.baseline.known for known in _ids_of(entry) if known.startswith(name)]
        muted = {mute.pattern.removeprefix(_ID_PATTERN): mute for mute in self.baseline.mutes if _is_id_mute(mute)}
        found = {known: mute for known, mute in muted.items() if any(i.startswith(known) for i in (name, *ids))}
        found |= {known: mute for known, mute in muted.items() if known.startswith(name)}
        return list(found.values())

    def require_mute(self, name: str) -> Mute:
        if ":" not in name:
            self._require_id(name.lower())
        mutes = self.matching_mutes(name)
        if len(mutes) == 1:
            return mutes[0]
        patterns = ", ".join(mute.pattern for mute in (mutes or self.baseline.mutes)[:_MAX_CANDIDATES])
        if mutes:
            raise UnknownRaceError(f"{name} belongs to several mutes: {patterns}", self._file, "give one of them")
        more = f"; its mutes: {patterns}" if patterns else ""
        raise UnknownRaceError(f"has no mute {name}{more}", self._file, "`deadheat gate list` shows them")

    def remove_mute(self, mute: Mute) -> None:
        indexes = [index for index, record in self._records() if record.get("mute") == mute.pattern]
        for index in reversed(indexes):
            del self._lines[index]

    def set_race_fields(self, race: str, fields: EntryFields) -> None:
        self._edit_lines(lambda record: record.get("race") == race, fields.to_json())

    def _edit_lines(self, is_meant: Callable[[dict[str, Any]], bool], fields: dict[str, Any]) -> bool:
        """Sets fields of the lines that are meant; returns whether there is one."""
        meant = [(index, record) for index, record in self._records() if is_meant(record)]
        for index, record in meant:
            end = "\r" if self._lines[index].endswith("\r") else ""
            self._lines[index] = format_json(record | fields) + end
        return bool(meant)

    def _records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The entries with their line numbers from 0; the file was parsed before, so that they are valid."""
        for index, line in enumerate(self._lines):
            if line.strip() and not line.lstrip().startswith(("#", "//")):
                yield index, json.loads(line)


def _ids_of(entry: KnownRace) -> tuple[str, ...]:
    return entry.race, *entry.merged


def _is_id_mute(mute: Mute) -> bool:
    return mute.pattern.startswith(_ID_PATTERN)


def _format_candidates(rows: Iterable[tuple[str, str]]) -> str:
    """`47d9f89aa0ce7b72 (read/write race in …), …`."""
    all_rows = list(rows)
    shown = [f"{race} ({title})" if title else race for race, title in all_rows[:_MAX_CANDIDATES]]
    more = f" and {len(all_rows) - _MAX_CANDIDATES} more" if len(all_rows) > _MAX_CANDIDATES else ""
    return f"{', '.join(shown)}{more}"

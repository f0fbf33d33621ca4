"""The configuration file: `deadheat.toml`, or `[tool.deadheat]` in `pyproject.toml`.

A file that was found in a folder above the working folder may be part of somebody else's repository; one that the user
names is trusted. `deadheat.cli.options` applies the settings to the options of a command.
"""

from __future__ import annotations

import os
import re
import stat
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat.codeowners import OwnerRule
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from deadheat.baseline import Mute

FILE_NAME, PROJECT_FILE_NAME = "deadheat.toml", "pyproject.toml"
# options that several commands have with the same meaning; as keys outside of any table they count for all of them
SHARED_KEYS = frozenset(
    (
        *(
            "archive-limits",
            "baseline",
            "brief",
            "complete",
            "conf",
            "decisions",
            "driver-memory",
            "environment",
            "error-stacks",
        ),
        *(
            "expires",
            "frames",
            "full",
            "jobs",
            "key",
            "lake",
            "link-template",
            "map",
            "master",
            "memory",
            "no-color",
            "owner",
        ),
        *("prune", "quiet", "reason", "repo", "root", "suppressions", "timeout", "update", "verbose", "write"),
    )
)
_SPECIAL_TABLES = ("paths", "owners", "mute")
_MUTE_KEYS = ("pattern", "reason", "owner", "expires")
# tomllib needs time that grows faster than the file
_MAX_BYTES = 1 << 18
# "(at line 3, column 7)", "(at end of document)": the end of a message of tomllib
_TOML_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# "[scan]", "[[mute]]", "[tool.deadheat.scan]", with a comment behind it
_HEADER = re.compile(r"\s*\[{1,2}([^\]\[]{1,200})\]{1,2}\s*(?:#.*)?$")


class ConfigurationError(DeadheatError):
    """A fault in a configuration file that the user has to correct."""


class ConfigurationFile:
    """A configuration file, as read; `faults` are the lines about what is ignored."""

    def __init__(
        self, path: Path, text: str, settings: dict[str, Any], prefix: str = "", is_named: bool = False
    ) -> None:
        self.path, self.is_named = path, is_named
        self.folder = path.parent
        self.settings = settings
        self._lines, self._prefix = text.split("\n"), prefix
        self.faults: list[str] = []
        self.path_maps = self._read_path_maps()
        self.owner_rules = self._read_owner_rules()
        self.mutes = self._read_mutes()

    def place_of(self, table: str, key: str = "", number: int = 1) -> str:
        """`deadheat.toml:4`; only the name of the file if the line cannot be told."""
        line = self.line_of(table, key, number)
        return f"{self.shown_path}:{line}" if line else self.shown_path

    @property
    def shown_path(self) -> str:
        return shown_path(self.path)

    def line_of(self, table: str, key: str = "", number: int = 1) -> int | None:
        """The line of a key in a table ("" for none), or of the header of the `number`-th table of this name."""
        outer, wanted = self._prefix.strip("."), f"{self._prefix}{table}".strip(".")
        quoted_key = rf"[\"']?{re.escape(key)}[\"']?\s*"
        assignment = re.compile(rf"\s*{quoted_key}[=.]") if key else None
        # "scan.limit = 20" and "scan = { limit = 20 }", outside of the table
        dotted = re.compile(rf"\s*{re.escape(table)}\s*(?:\.\s*{quoted_key})?=") if table else None
        current, seen, fallback = "", 0, None
        for index, line in enumerate(self._lines, 1):
            if match := _HEADER.match(line):
                current = _plain_key(match[1])
                seen += current == wanted
                fallback = index if current == wanted and seen == number else fallback
            elif current == wanted and assignment and seen in (0, number) and assignment.match(line):
                return index
            elif current == outer and fallback is None and dotted and dotted.match(line):
                fallback = index
        return fallback

    def settings_of(self, command: str) -> dict[str, tuple[Any, str]]:
        """The values for the options of a command by key, each with its place."""
        shared: dict[str, tuple[Any, str]] = {
            key: (value, self.place_of("", key))
            for key, value in self.settings.items()
            if key in SHARED_KEYS and not isinstance(value, dict)
        }
        if isinstance(lake := self.settings.get("lake"), dict) and "lake" in lake:
            shared["lake"] = lake["lake"], self.place_of("lake", "lake")
        if self.path_maps:
            maps = [f"{printed}={target}" for printed, target in self.path_maps]
            shared["map"] = maps, self.place_of("paths")
        own = self.settings.get(command)
        own_settings = own.items() if isinstance(own, dict) else ()
        return shared | {key: (value, self.place_of(command, key)) for key, value in own_settings}

    def unknown_keys(self, commands: Iterable[str]) -> Iterator[str]:
        """A line for every key and table outside of the tables of commands that nothing reads."""
        tables = {*commands, *_SPECIAL_TABLES}
        for key, value in self.settings.items():
            is_table = isinstance(value, dict)
            if key in _SPECIAL_TABLES or (is_table and key in tables) or (not is_table and key in SHARED_KEYS):
                continue
            place = self.place_of(key) if is_table else self.place_of("", key)
            if is_table or key in tables:
                expected = "is not the name of a command" if key not in tables else "must be a table of options"
                yield f"{place}: [{key}] {expected} and is ignored{suggest(key, tables)}"
            else:
                yield f"{place}: {key!r} is not a key and is ignored{suggest(key, SHARED_KEYS)}"

    def _read_path_maps(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (printed, target)
            for printed, target in self._table("paths").items()
            if self._check("paths", printed, isinstance(target, str) and bool(printed), "is not a path in quotes")
        )

    def _read_owner_rules(self) -> tuple[OwnerRule, ...]:
        rules = []
        for pattern, value in self._table("owners").items():
            owners = [value] if isinstance(value, str) else value
            is_list = isinstance(owners, list) and all(isinstance(owner, str) and owner.strip() for owner in owners)
            if self._check("owners", pattern, is_list and bool(pattern), "is not a list of owners"):
                rules.append(OwnerRule(pattern, tuple(owners)))
        return tuple(rules)

    def _table(self, name: str) -> dict[str, Any]:
        table = self.settings.get(name, {})
        return table if self._check("", name, isinstance(table, dict), f"must be a table, [{name}],") else {}

    def _check(self, table: str, key: str, is_right: bool, fault: str) -> bool:
        if not is_right:
            self.faults.append(f"{self.place_of(table, key)}: {key!r} {fault} and is ignored")
        return is_right

    def _read_mutes(self) -> tuple[Mute, ...]:
        from deadheat.baseline import Mute  # imports what a scan may not need

        mutes = []
        entries = self.settings.get("mute", [])
        is_list = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
        if not self._check("", "mute", is_list, "must be a list of tables, [[mute]],"):
            return ()
        for number, entry in enumerate(entries, 1):
            if error := _mute_error(entry):
                self.faults.append(f"{self.place_of('mute', '', number)}: [[mute]] {error}; it is ignored")
            else:
                pattern, *details = (str(entry.get(key, "")) for key in _MUTE_KEYS)
                mutes.append(Mute(pattern, *details))
        return tuple(mutes)


def _mute_error(entry: dict[str, Any]) -> str:
    """What is wrong with a `[[mute]]`; empty if nothing is."""
    for key, value in entry.items():
        if key not in _MUTE_KEYS:
            return f"has {key!r}, which is none of {', '.join(_MUTE_KEYS)}"
        if not isinstance(value, str | date if key == "expires" else str):
            return f"has a {key} that is not text in quotes"
    if not str(entry.get("reason", "")).strip():
        return "has no reason"
    from deadheat.baseline import is_date, pattern_error

    expires = str(entry.get("expires", ""))
    if expires and not is_date(expires):
        return f"has the expiry date {expires!r}, which is not a date such as 2026-12-31"
    return pattern_error(str(entry.get("pattern", "")))


def _plain_key(header: str) -> str:
    """`tool . "deadheat"` as `tool.deadheat`."""
    return ".".join(part.strip().strip("\"'") for part in header.split("."))


def suggest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'baseline'?` if a known name is close."""
    from difflib import get_close_matches  # slow to import

    close = get_close_matches(name.replace("_", "-").lower(), sorted(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def shown_path(path: Path) -> str:
    """A path relative to the working folder if it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)


# -- finding and reading ----------------------------------------------------------------------------


def load_configuration(named: str | None = None) -> ConfigurationFile | None:
    """The file that the user names, else the nearest one above the working folder; None if there is none."""
    named = named or os.environ.get("DEADHEAT_CONFIG") or None
    if named is not None:
        path = Path(os.path.abspath(named))  # noqa: PTH100, `absolute` keeps ".."
        if not path.is_file():
            raise DeadheatError("there is no such configuration file", named, "name a file, or use --no-config")
        return _read_file(path, True) or ConfigurationFile(path, "", {}, is_named=True)
    for folder in _folders_upwards():
        for name in (FILE_NAME, PROJECT_FILE_NAME):
            path = folder / name
            if _is_regular_file(path) and (file := _read_file(path, False)) is not None:
                return file
    return None


def _folders_upwards() -> Iterator[Path]:
    """The working folder and those above it, up to the home folder."""
    try:
        folder = Path.cwd()
    except OSError:  # it was removed
        return
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111, without a home folder this is "~"
    for each in (folder, *folder.parents):
        yield each
        if str(each) == home:
            return


def _is_regular_file(path: Path) -> bool:
    """Whether it can be read without waiting: not a pipe or a device."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _read_file(path: Path, is_named: bool) -> ConfigurationFile | None:
    """The configuration in a file; None if it is a `pyproject.toml` without any."""
    is_project = path.name == PROJECT_FILE_NAME
    try:
        with path.open("rb") as source:
            data = source.read(_MAX_BYTES + 1)
    except OSError as error:
        if is_project and not is_named:
            return None
        raise DeadheatError(f"cannot be read: {(error.strerror or str(error)).lower()}", shown_path(path)) from error
    if is_project and (b"deadheat" not in data or len(data) > _MAX_BYTES):
        return None
    if len(data) > _MAX_BYTES:
        raise ConfigurationError(
            f"is larger than {_MAX_BYTES >> 10} KiB", shown_path(path), "remove what is not needed"
        )
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    try:
        settings = _parse_toml(path, text)
    except ConfigurationError:
        if is_project and "tool.deadheat" not in text:  # the fault of other tools
            return None
        raise
    if not is_project:
        return ConfigurationFile(path, text, settings, is_named=is_named)
    tools = settings.get("tool")
    table = tools.get("deadheat") if isinstance(tools, dict) else None
    return ConfigurationFile(path, text, table, "tool.deadheat.", is_named) if isinstance(table, dict) else None


def _parse_toml(path: Path, text: str) -> dict[str, Any]:
    import tomllib  # most runs have no configuration file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _TOML_POSITION.search(str(error))
        message = str(error)[: match.start()] if match else str(error)
        last_line = text.count("\n") + 1
        line, column = (match[1], match[2]) if match and match[1] else (str(last_line), "")
        where = ":".join(filter(None, (shown_path(path), line, column)))
    except RecursionError:
        message, where = "is nested too deeply", shown_path(path)
    raise ConfigurationError(message[:1].lower() + message[1:], where, "correct the line, or use --no-config")

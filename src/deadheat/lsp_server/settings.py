"""The settings of the server: options of the command, completed by what the client sends."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deadheat.printable import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

SEVERITIES = ("error", "warning", "information", "hint")
DEFAULT_SEVERITY = "warning"
_PATH_LISTS, _PATHS, _TEXTS = ("log", "repo"), ("lake", "baseline"), ("severity", "dashboard")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where races come from, and how they are shown."""

    logs: tuple[str, ...] = ()
    lake: str = ""
    baseline: str = ""
    decisions: str = ""
    repos: tuple[str, ...] = ()
    maps: tuple[tuple[str, str], ...] = ()
    severity: str = DEFAULT_SEVERITY
    dashboard: str = ""
    allow_run: bool = False

    @property
    def has_source(self) -> bool:
        return bool(self.logs or self.lake or self.baseline)

    @property
    def decisions_address(self) -> str:
        """The database of decisions; empty if there cannot be one."""
        if self.decisions or not self.lake or "://" in self.lake:
            return self.decisions
        return os.path.join(self.lake, "triage.sqlite")


def with_client_options(
    settings: ServerSettings, options: object, root: str, fixed: frozenset[str] = frozenset()
) -> tuple[ServerSettings, list[str]]:
    """The settings with the initialization options of a client, and the faults in these.

    Options on the command line, `fixed`, are kept. A client cannot allow runs or name a database of decisions: editors
    take what they send from a file of the workspace, which may be somebody else's.
    """
    if options is None:
        return settings, []
    if not isinstance(options, dict):
        return settings, ["the initialization options are not an object and are ignored"]
    changes: dict[str, Any] = {}
    faults = []
    for key, value in options.items():
        if key in fixed:
            continue
        try:
            changes |= _parse_option(str(key), value, root)
        except ValueError as error:
            faults.append(f"initialization option {shorten(repr(key), 60)} {error} and is ignored")
    return replace(settings, **changes), faults


def _parse_option(key: str, value: Any, root: str) -> Mapping[str, Any]:
    if key in _PATH_LISTS:
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) and each for each in values):
            raise ValueError("is not a list of paths")
        return {f"{key}s": tuple(_absolute(each, root) for each in values)}
    if key in _PATHS and isinstance(value, str):
        return {key: _absolute(value, root) if value else ""}
    if key == "map":
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            raise ValueError("is not an object of paths")
        return {"maps": tuple((printed, target) for printed, target in value.items() if printed)}
    if key == "severity" and value not in SEVERITIES:
        raise ValueError(f"is none of {', '.join(SEVERITIES)}")
    if key == "dashboard" and not is_web_address(value):
        raise ValueError("is not an address that begins with http:// or https://")
    if key in _TEXTS:
        return {key: value}
    raise ValueError("is not a path" if key in _PATHS else "is unknown")


def is_web_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://")) and value.isprintable()


def _absolute(path: str, root: str) -> str:
    return path if "://" in path else os.path.abspath(os.path.join(root, os.path.expanduser(path)))  # noqa: PTH100, PTH111

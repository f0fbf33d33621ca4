"""Interprets printed symbols and paths, one module per language."""

from __future__ import annotations

import pkgutil


def read_frame_list(name: str, package: str = "deadheat.symbols") -> dict[str, tuple[str, ...]]:
    """Read the groups of a list file: `[group]` lines, then one entry per line; `#` starts a comment."""
    data = pkgutil.get_data(package, name)  # also works in a zip file
    groups: dict[str, list[str]] = {}
    entries: list[str] = []
    for raw in (data or b"").decode().splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("["):
            entries = groups.setdefault(line.strip("[]"), [])
        elif line:
            entries.append(line)
    return {group: tuple(items) for group, items in groups.items()}

"""Reads the commented lists of frames that lie beside it; knows no language."""

from __future__ import annotations

import pkgutil


def read(name: str, package: str = "deadheat.symbols") -> dict[str, tuple[str, ...]]:
    """The groups of a list file: `[group]` lines, then one entry a line, `#` for comments.

    `pkgutil.get_data` because it also reads from a zip.
    """
    data = pkgutil.get_data(package, name)
    groups: dict[str, list[str]] = {}
    entries: list[str] = []
    for raw in (data or b"").decode().splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("["):
            entries = groups.setdefault(line.strip("[]"), [])
        elif line:
            entries.append(line)
    return {group: tuple(items) for group, items in groups.items()}

"""Which types are for one goroutine or thread at a time, from the list beside this module."""

from __future__ import annotations

import pkgutil
import re

# "	data  bytes.Buffer", "*rand.Rand", "http.Header"
_DECLARED = re.compile(r"\*?(\w+)\.(\w+)\b")


def _read() -> dict[str, str]:
    data = pkgutil.get_data("deadheat.diagnose", "unsafe.types.txt") or b""
    rows = (line.partition("#")[0] for line in data.decode().splitlines())
    pairs = (row.split("=>") for row in rows if "=>" in row)
    return {begins.strip(): name.strip() for begins, name in pairs}


_TYPES = _read()
_NAMES = {name.rpartition("/")[2]: name for name in _TYPES.values()}


def named(text: str) -> str:
    """The type that a frame's function belongs to, or that a declaration has; "" for others."""
    for begins, name in _TYPES.items():
        if text.startswith(begins):
            return name
    declared = _DECLARED.match(text.strip())
    return _NAMES.get(f"{declared[1]}.{declared[2]}", "") if declared else ""

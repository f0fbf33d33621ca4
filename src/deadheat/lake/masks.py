"""Takes out of a report what differs each time it is printed, and puts it back.

Addresses and the numbers of actors and locks become marks, counted in the order in which they appear:
`goroutine 304` becomes `goroutine #2`. Reports that say the same then are the same, and a table of
distinct reports stays small; what was taken out is kept with each sighting.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Plain = dict[str, Any]

# "0x00c00012e018", the "304" of "goroutine 304", the "17" of "M17"
_VOLATILE = re.compile(r"0x[0-9a-f]+|\d+")


def masked(told: Plain) -> tuple[Plain, list[str]]:
    """A report with marks in it, and the names that the marks stand for, in their order."""
    marks: dict[str, str] = {}

    def mask(name: str) -> str:
        if name not in marks:
            shape, count = _VOLATILE.subn("#", name)
            if not count and "#" not in name:
                return name
            marks[name] = f"{shape} {len(marks)}"
        return marks[name]

    return _with_names(told, mask), list(marks)


def unmasked(told: Plain, names: list[str]) -> Plain:
    """The report as it was printed, given the names of one of its sightings."""
    return _with_names(told, lambda mark: name_of(mark, names))


def name_of(mark: str, names: list[str]) -> str:
    """What a mark stands for in a sighting with these names."""
    return names[int(mark.rpartition(" ")[2])] if "#" in mark else mark


def digest(told: Plain) -> str:
    """What identifies a report that has marks in it."""
    text = json.dumps(told, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _with_names(told: Plain, change: Callable[[str], str]) -> Plain:
    """A report with every name in it changed; what the change leaves alone is shared."""

    def some(plain: Plain | None, *fields: str) -> Plain | None:
        if plain is None:
            return None
        named = {f: change(plain[f]) for f in fields if plain[f]}
        return {**plain, **named}

    return {
        **told,
        "accesses": [
            {**(some(a, "address", "actor") or {}), "locks": [change(k) for k in a["locks"]]}
            for a in told["accesses"]
        ],
        "actors": [some(a, "id") for a in told["actors"]],
        "location": some(told["location"], "address", "actor"),
        "locks": [some(k, "id", "address") for k in told["locks"]],
        "cycle": [some(e, "held", "acquired", "actor") for e in told["cycle"]],
        "facts": [some(f, "value") for f in told["facts"]],
    }

"""Replaces what differs between equal reports by placeholders, and restores it.

Addresses and the numbers of actors and locks become placeholders, counted in order of appearance:
`goroutine 304` becomes `goroutine #2`. So equal reports have equal rows, and the table of reports
stays small. The replaced names are stored with each sighting.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    Plain = dict[str, Any]

# "+0x45" is an instruction, not a name
_AT: Final = "+"
# "0x00c00012e018", the "304" of "goroutine 304", the "17" of "M17"
_VOLATILE: Final = re.compile(r"0x[0-9a-f]+|\d+")


class Masking:
    """Assigns placeholders to names."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        if name not in self._marks:
            shape, count = _VOLATILE.subn("#", name)
            if not count and "#" not in name:
                return name
            self._marks[name] = f"{shape} {len(self._marks)}"
        return self._marks[name]

    def within(self, text: str) -> str:
        """Replace the names in a sentence: `in a worker (goroutine 304)`."""
        for name, mark in self._marks.items():
            if name in text:
                text, *others = text.split(name)
                for rest in others:
                    # "goroutine 3" is not in "goroutine 304"
                    is_part = text[-1:].isalnum() or rest[:1].isalnum()
                    text = f"{text}{name if is_part else mark}{rest}"
        return text

    @property
    def names(self) -> list[str]:
        """The replaced names in the order of their placeholders."""
        return list(self._marks)


def unmasked(told: Plain, names: list[str]) -> Plain:
    """The report as printed, with the names of one of its sightings."""
    return _with_names(told, lambda mark: name_of(mark, names))


def name_of(mark: str, names: list[str]) -> str:
    """The name for a placeholder."""
    return names[int(mark.rpartition(" ")[2])] if "#" in mark else mark


def with_instructions(names: list[str], at: tuple[str, ...]) -> list[str]:
    """Append instructions to the names of a sighting; they have no placeholders."""
    return [*names, *[f"{_AT}{one}" for one in at]] if any(at) else names


def instructions(names: list[str]) -> tuple[str, ...]:
    """The instructions in the names of a sighting."""
    return tuple([name[len(_AT) :] for name in names if name.startswith(_AT)])


def digest(text: str) -> str:
    """The digest of a report with placeholders, given as JSON."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _with_names(told: Plain, change: Callable[[str], str]) -> Plain:
    """A report with all names mapped. Unchanged parts are shared."""
    return {
        **told,
        "accesses": [
            {**(_some(a, change, "address", "actor") or {}), "locks": [*map(change, a["locks"])]}
            for a in told["accesses"]
        ],
        "actors": [_some(a, change, "id") for a in told["actors"]],
        **rest_with_names(told, change),
    }


def rest_with_names(told: Plain, change: Callable[[str], str]) -> Plain:
    """The fields that the Go detector never prints, with all names mapped."""
    return {
        "location": _some(told["location"], change, "address", "actor"),
        "locks": [_some(k, change, "id", "address") for k in told["locks"]],
        "cycle": [_some(e, change, "held", "acquired", "actor") for e in told["cycle"]],
        "facts": [_some(f, change, "value") for f in told["facts"]],
    }


def _some(plain: Plain | None, change: Callable[[str], str], *fields: str) -> Plain | None:
    if plain is None:
        return None
    return {**plain, **{f: change(plain[f]) for f in fields if plain[f]}}

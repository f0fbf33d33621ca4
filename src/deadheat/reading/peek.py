"""Previews the lines after a hit, with and without prefixes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from deadheat.text import clean

if TYPE_CHECKING:
    from deadheat.text.lanes import LaneLine, Lanes
    from deadheat.text.window import Windows

# number of lines examined for a prefix, and for a line broken into pieces
PEEK: Final = 8
# the same where another writer's lines are interleaved
_MORE: Final = 24
# number of bytes for these lines; the larger for long lines and records over several lines
_NEAR: Final = 1 << 10
FAR: Final = 1 << 13


def new_lanes(first: str | None = None) -> Lanes:
    from deadheat.text.lanes import Lanes  # not needed for clean text

    return Lanes(first)


def below(windows: Windows, at: int, encoding: str, size: int = _NEAR) -> list[str]:
    """The lines that begin at `at`, in about `size` bytes."""
    return clean.lines(windows.slice(at, size), encoding)[0]


def unwrapped(windows: Windows, at: int, encoding: str, near: list[str]) -> list[str]:
    """The text without prefixes of the lines at `at`, of which `first_lines` are the first."""
    texts = within(near[:PEEK])
    if len(texts) >= min(len(near), PEEK):
        return texts
    return within(below(windows, at, encoding, FAR))


def within(lines: list[str], most: int = PEEK) -> list[str]:
    """The text without prefixes of these lines; lines without text are skipped."""
    probe = new_lanes()
    told = (text for line in lines for _, text in probe.split(line))
    return list(told) if len(lines) <= PEEK else list(islice(told, most))


def farther(windows: Windows, at: int, encoding: str, near: list[str]) -> list[str]:
    """More text at `at`, if all of `first_lines` belongs to another writer."""
    first = near[0].split(None, 1)[:1] if len(near) == PEEK else []
    if not first or not all(text.startswith(first[0]) for text in near):
        return []
    return within(below(windows, at, encoding, FAR), _MORE)


def behind(pieces: list[LaneLine], at: int) -> list[str]:
    """The next lines in the same record, if there are enough to learn a prefix."""
    texts = [text for _, text in pieces[at + 1 : at + 1 + PEEK]]
    return texts if len(texts) == PEEK else []


def heads(lines: list[str]) -> list[str]:
    """The text before a known prefix in each of these lines."""
    split = (new_lanes().split(line) for line in lines)
    return [pieces[0][1] for pieces in split if len(pieces) > 1]

"""What stands below a line, and is left of it without its wrapping: what prefixes are learnt from."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from deadheat.text import clean

if TYPE_CHECKING:
    from deadheat.text.lanes import LaneLine, Lanes
    from deadheat.text.window import Windows

# how many lines to look at for a prefix, and for a line that was cut in pieces
PEEK: Final = 8
# and where another writer's stand between
_MORE: Final = 24
# how many bytes they are, and as many where each is a record over several lines, or very long
_NEAR: Final = 1 << 10
FAR: Final = 1 << 13


def new_lanes(first: str | None = None) -> Lanes:
    from deadheat.text.lanes import Lanes  # a room of its own, which clean text never enters

    return Lanes(first)


def below(windows: Windows, at: int, encoding: str, size: int = _NEAR) -> list[str]:
    """The lines that begin at `at`, as many as there are in so many bytes."""
    return clean.lines(windows.slice(at, size), encoding)[0]


def unwrapped(windows: Windows, at: int, encoding: str, near: list[str]) -> list[str]:
    """What is wrapped in the lines at `at`, of which `near` are the first."""
    texts = within(near[:PEEK])
    if len(texts) >= min(len(near), PEEK):
        return texts
    return within(below(windows, at, encoding, FAR))


def within(lines: list[str], most: int = PEEK) -> list[str]:
    """What is wrapped in these lines; some have nothing to say, as the brackets of a record."""
    probe = new_lanes()
    told = (text for line in lines for _, text in probe.split(line))
    return list(told) if len(lines) <= PEEK else list(islice(told, most))


def farther(windows: Windows, at: int, encoding: str, near: list[str]) -> list[str]:
    """More of what is wrapped at `at`, if `near` is all another writer's, who came between."""
    first = near[0].split(None, 1)[:1] if len(near) == PEEK else []
    if not first or not all(text.startswith(first[0]) for text in near):
        return []
    return within(below(windows, at, encoding, FAR), _MORE)


def behind(pieces: list[LaneLine], at: int) -> list[str]:
    """The next lines in the same record, if it has as many as it takes to know a prefix."""
    texts = [text for _, text in pieces[at + 1 : at + 1 + PEEK]]
    return texts if len(texts) == PEEK else []


def heads(lines: list[str]) -> list[str]:
    """What stands before a known mark in each of these lines."""
    split = (new_lanes().split(line) for line in lines)
    return [pieces[0][1] for pieces in split if len(pieces) > 1]

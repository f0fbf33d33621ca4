"""The lines around the frames of a report at its pin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.model import Frame, Report

    Path = Callable[[Frame], str | None]
    Source = Callable[[Frame], bytes | None]

# context lines: around racing and creating lines, around other calls
_WIDE, _NARROW = 3, 1
_MOST = 60
_LONGEST = 300  # characters of a line


class Snippet(NamedTuple):
    """The lines of a file around a frame."""

    frame: Frame
    path: str
    first: int
    rows: tuple[str, ...]


def snippets(report: Report, path_of: Path, source_of: Source) -> list[Snippet]:
    """The code around every current frame in the repository, each location once."""
    found: dict[tuple[str, int], Snippet] = {}
    for frame, reach in _wanted(report):
        line, path = frame.line or 0, path_of(frame)
        if path is None or (path, line) in found:
            continue
        rows = _rows(source_of(frame) or b"", line, reach)
        if rows:
            found[path, line] = Snippet(frame, path, max(1, line - reach), rows)
        if len(found) == _MOST:
            break
    return list(found.values())


def _wanted(report: Report) -> Iterator[tuple[Frame, int]]:
    """Racing lines first, then creations, then calls; stale frames are left out."""
    stacks = [[f for f in access.stack if _is_true(f)] for access in report.accesses]
    starts = [[f for f in actor.created_at if _is_true(f)] for actor in report.actors]
    yield from ((a.site, _WIDE) for a in report.accesses if a.site and _is_true(a.site))
    yield from ((stack[0], _WIDE) for stack in starts if stack)
    yield from ((frame, _NARROW) for stack in stacks for frame in stack)


def _is_true(frame: Frame) -> bool:
    return frame.line is not None and not frame.stale


def _rows(source: bytes, line: int, reach: int) -> tuple[str, ...]:
    rows = syntax.rows(source, max(1, line - reach), line + reach)
    if len(rows) < min(line, reach + 1):
        return ()  # the file is shorter
    return tuple(row.decode("utf-8", "replace").rstrip("\r")[:_LONGEST] for row in rows)

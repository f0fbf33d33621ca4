"""Splits a source file into functions and types, and compares two versions of each."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import syntax
from deadheat.code.languages import language
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# "func (e *IndexNestedLoopHashJoin) Close() error {", "func Map[K any](", "type T struct {"
_GO_HEADER = re.compile(
    rb"func (?:\((?:\w{1,100} )?(\*?)([A-Za-z_]\w{0,100})[^)\n]{0,200}\) )?([A-Za-z_]\w{0,200})[\[(]"
    rb"|type ([A-Za-z_]\w{0,200})"
)
_GO_END = (b"}", b")")
_SPACE = re.compile(rb"\s+")
_NOTE = (b"//", b"/*", b"* ", b"#include")
_LONGEST_LINE = 400
# longer functions are compared as multisets of lines
_LONG = 500
# shorter lines are too common to count as moved: "}", "})", "else {"
_TELLING = 5


class Unit(NamedTuple):
    """A function or type by name; an empty name is the code between them."""

    name: str
    is_type: bool


class Edit(NamedTuple):
    """The changes in one unit; lines are normalized, `after` has all current lines."""

    unit: Unit
    added: list[int]  # indexes in `after`
    removed: list[bytes]
    after: list[bytes]

    @property
    def new(self) -> list[bytes]:
        return [self.after[at] for at in self.added]

    @property
    def moved(self) -> list[bytes]:
        """Added lines that were removed elsewhere in the unit."""
        gone = set(self.removed)
        return [line for line in self.new if len(line) >= _TELLING and line in gone]


def edits(path: str, old: bytes, new: bytes) -> list[Edit]:
    """The changes per unit; layout and comments are ignored."""
    before, after = units(path, old), units(path, new)
    found = []
    for unit in dict.fromkeys([*after, *before]):
        a, b = before.get(unit, []), after.get(unit, [])
        if a != b and (a := _squeezed(a)) != (b := _squeezed(b)):
            added, removed = _changed(a, b)
            found.append(Edit(unit, added, removed, b))
    return found


def _squeezed(rows: list[bytes]) -> list[bytes]:
    """The lines without layout, blank lines and comments."""
    lines = (_SPACE.sub(b" ", row[:_LONGEST_LINE]).strip() for row in rows)
    return [line for line in lines if line and not line.startswith(_NOTE)]


def _changed(a: list[bytes], b: list[bytes]) -> tuple[list[int], list[bytes]]:
    """The indexes of added lines, and the removed lines."""
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    added, removed = _compared(a[start : len(a) - end], b[start : len(b) - end])
    return [start + at for at in added], removed


def _common(a: list[bytes], b: list[bytes]) -> int:
    """The number of common lines at the start."""
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _compared(a: list[bytes], b: list[bytes]) -> tuple[list[int], list[bytes]]:
    if max(len(a), len(b)) > _LONG:
        return _bags(a, b)
    added: list[int] = []
    removed: list[bytes] = []
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += a[a1:a2]
            added += range(b1, b2)
    return added, removed


def _bags(a: list[bytes], b: list[bytes]) -> tuple[list[int], list[bytes]]:
    """Compares lines as multisets, in linear time."""
    left: dict[bytes, int] = {}
    for line in a:
        left[line] = left.get(line, 0) + 1
    added = []
    for at, line in enumerate(b):
        if left.get(line, 0):
            left[line] -= 1
        else:
            added.append(at)
    return added, [line for line, count in left.items() for _ in range(count)]


def units(path: str, source: bytes) -> dict[Unit, list[bytes]]:
    """The lines of each unit."""
    found: dict[Unit, list[bytes]] = {}
    tongue = language(path)
    if not source or tongue is None:
        return found
    rows = source.split(b"\n")
    for unit, row in _go(rows) if tongue == "go" else _others(tongue, source, rows):
        found.setdefault(unit, []).append(row)
    return found


def _go(rows: Iterable[bytes]) -> Iterator[tuple[Unit, bytes]]:
    between = unit = Unit("", False)
    for row in rows:
        if row[:1] in (b"f", b"t") and (told := _GO_HEADER.match(row)):
            unit = _named(told)
        yield unit, row
        if row[:1] in _GO_END or (row[:5] == b"func " and row.rstrip().endswith(b"}")):
            unit = between


def _named(told: re.Match[bytes]) -> Unit:
    star, owner, name, kind = (g.decode() if g else "" for g in told.groups())
    if kind:
        return Unit(kind, True)
    return Unit(f"({star}{owner}).{name}" if star else f"{owner}.{name}" if owner else name, False)


def _others(tongue: str, source: bytes, rows: list[bytes]) -> Iterator[tuple[Unit, bytes]]:
    names = [Unit("", False)] * (len(rows) + 1)
    try:
        for name, first, last in syntax.all_functions(tongue, source):
            end = min(last, len(rows))
            names[first : end + 1] = [Unit(name, False)] * (end + 1 - first)
    except DeadheatError:  # no parser: the file is one unit
        pass
    yield from zip(names[1:], rows, strict=True)

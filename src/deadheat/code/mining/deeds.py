"""What a change does to the synchronization of code: strategies, functions, variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.code.mining import marks
from deadheat.code.mining.units import edits

if TYPE_CHECKING:
    from deadheat.code.mining.units import Edit

LOCK, ATOMIC, COPY, ORDER = "lock-added", "made-atomic", "copy-made", "order-changed"
JOIN, UNSHARED, TEST = "joined-before-teardown", "removed-sharing", "test-only"
DEPENDENCY, OTHER = "dependency-updated", "other"

_TELLING, _MOST_TEXT, _MOST_LINES = 10, 1 << 16, 2_000
_GUARDED, _ASIDE = 12, 3
_MOST = 16


@dataclass(slots=True)
class Deeds:
    """What a commit changes, summed over its files."""

    files: list[str] = field(default_factory=list)
    functions: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    variables: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)  # by strategy
    lines: int = 0
    product: int = 0  # lines outside of tests
    brought: int = 0  # lines of new functions and types outside of tests
    converted: int = 0  # variables that became atomic
    captured: int = 0  # loop variables that are copied per iteration now
    new: list[bytes] = field(default_factory=list)  # added lines of existing functions
    gone: list[bytes] = field(default_factory=list)

    @property
    def strategies(self) -> list[str]:
        """Strategies with points, the main one first."""
        return [name for name, points in self.points.most_common() if points > 0]

    @property
    def synchronises(self) -> int:
        """Points for clear synchronization."""
        atomics = self.points[ATOMIC] if self.converted else 0
        return max(self.points[LOCK], atomics, self.points[JOIN], 0)

    @property
    def size(self) -> int:
        """Changed lines, without those of tests unless there are no others."""
        return self.product or self.lines

    @property
    def is_new(self) -> bool:
        """Whether most of the change is new code."""
        return self.brought * 2 > self.size


def is_test(path: str) -> bool:
    return marks.TEST_PATH.search(path) is not None


def take(deeds: Deeds, path: str, old: bytes, new: bytes) -> None:
    """Adds the changes of one file."""
    found = edits(path, old, new)
    if not found:
        return
    deeds.files.append(path)
    for edit in found:
        size = len(edit.added) + len(edit.removed)
        deeds.lines += size
        deeds.product += 0 if is_test(path) else size
        if len(edit.added) == len(edit.after) and not is_test(path):
            deeds.brought += size
        if edit.unit.name:
            named = deeds.types if edit.unit.is_type else deeds.functions
            named[edit.unit.name] += 1 if is_test(path) else 1 + size
        owner = edit.unit.name.rpartition(".")[0].strip("(*)")
        if owner and not edit.unit.is_type:
            deeds.types[owner] += 1
        _weigh(deeds, edit, is_test(path))
        _name(deeds, edit)


def _weigh(deeds: Deeds, edit: Edit, in_test: bool) -> None:
    """Adds points for each strategy: what was added minus what was removed.

    Locks in new code do not order existing code.
    """
    new, gone = edit.new, edit.removed
    is_new = len(new) == len(edit.after)
    if is_new and in_test:
        return
    points = deeds.points
    for name, pattern, worth in (
        (LOCK, marks.LOCKS, 4),
        (ATOMIC, marks.ATOMICS, 3),
        (COPY, marks.COPIES, 3),
        (JOIN, marks.JOINS, 3),
        (JOIN, marks.ENDS, 1),
        (UNSHARED, marks.OWN, 1),
    ):
        more = sum(bool(pattern.search(line)) for line in new)
        less = sum(bool(pattern.search(line)) for line in gone)
        if not is_new or name in (LOCK, ATOMIC):
            points[name] += worth * (more - less)
    if any(marks.LOCKS.search(line) or marks.UNLOCK.search(line) for line in edit.moved):
        points[LOCK] += 2  # an existing lock covers more code
    points[UNSHARED] += 3 * (_parallel(gone) - _parallel(new) + len(_kept_to_oneself(new, gone)))
    if edit.unit.is_type or not edit.unit.name:
        points[UNSHARED] += 2 * max(0, len(_declared(gone) - _declared(new)))
    if not is_new:
        deeds.new += new
        deeds.captured += sum(bool(marks.SHADOW.match(line)) for line in new)
    deeds.gone += gone


def conclude(deeds: Deeds) -> None:
    """Adds points that depend on all files of the commit."""
    new, gone = set(deeds.new), set(deeds.gone)
    moved = sum(
        _settled(line) in gone for line in new if len(line) >= _TELLING and line not in marks.PLAIN
    )
    deeds.points[ORDER] += min(moved, 3)
    old = b"\n".join(gone)[:_MOST_TEXT]
    fresh = [line for line in deeds.new[:_MOST_LINES] if line not in gone]
    deeds.points[COPY] += 2 * sum(_is_taken(line, old) for line in fresh)
    written = {m[1] for line in gone if (m := marks.STORED.match(line))}
    deeds.points[UNSHARED] += 2 * len(
        written - {m[1] for line in new if (m := marks.STORED.match(line))}
    )
    atomic = {name for line in new if marks.ATOMICS.search(line) for name in _atomics(line)}
    plain = {
        name for line in gone if not marks.ATOMICS.search(line) for name in marks.WORD.findall(line)
    }
    deeds.converted = len(atomic & plain)
    if len(deeds.gone) > 3 * len(deeds.new):
        deeds.points[UNSHARED] += 1  # code was removed
    if max(deeds.points[LOCK], deeds.points[ATOMIC] if deeds.converted else 0) > _ASIDE:
        for way in (COPY, ORDER, UNSHARED):  # other changes support the lock
            deeds.points[way] = min(deeds.points[way], _ASIDE)


def _is_taken(line: bytes, old: bytes) -> bool:
    """Whether the line stores a value that was computed elsewhere before; new objects do not count."""
    told = marks.TAKEN_BEFORE.match(line)
    return told is not None and told[1] in old and not marks.OWN.match(line)


def _atomics(line: bytes) -> list[bytes]:
    """The variables of `atomic.StoreInt32(&sm.killed, 1)`, `x.Load()`, `killed atomic.Bool`."""
    declared = marks.FIELD.match(line)
    return [
        *marks.CALLED_ATOMIC.findall(line),
        *marks.ADDRESSED.findall(line),
        *([declared[1]] if declared else []),
    ]


def _settled(line: bytes) -> bytes:
    """The line without `defer`."""
    return line.removeprefix(b"defer ")


def _parallel(lines: list[bytes]) -> int:
    return sum(bool(marks.SERIAL.search(line)) for line in lines)


def _kept_to_oneself(new: list[bytes], gone: list[bytes]) -> set[bytes]:
    """Variables that were assigned and are now declared locally: `err = …`, `err := …`."""
    shared = {m[1] for line in gone if (m := marks.ASSIGNED.match(line)) and m[2] == b"="}
    own = {m[1] for line in new if (m := marks.ASSIGNED.match(line)) and m[2] == b":="}
    return shared & own


def _declared(lines: list[bytes]) -> set[bytes]:
    return {m[1] for line in lines if (m := marks.FIELD.match(line))}


def _name(deeds: Deeds, edit: Edit) -> None:
    """Counts the variables of the change; those under a new lock or made atomic count most."""
    for line in map(_unquoted, edit.new + edit.removed):
        _count(deeds, marks.CHAIN.findall(line) + marks.ELEMENT.findall(line), 1)
        if marks.ATOMICS.search(line):
            _count(deeds, marks.CALLED_ATOMIC.findall(line) + marks.TAKEN.findall(line), 3)
    if edit.unit.is_type or not edit.unit.name:
        both = _declared(edit.new) & _declared(edit.removed)  # changed types
        _count(deeds, both, 4)
    for at in edit.added:
        if marks.LOCKS.search(edit.after[at]):
            for line in edit.after[at + 1 : at + _GUARDED]:
                if marks.UNLOCK.search(line):
                    if line.startswith(b"defer"):
                        continue
                    break
                _count(deeds, marks.CHAIN.findall(line) + marks.ELEMENT.findall(line), 2)


def _unquoted(line: bytes) -> bytes:
    """The line without string literals."""
    return marks.TEXT.sub(b'""', line)


def _count(deeds: Deeds, names: list[bytes] | set[bytes], worth: int) -> None:
    for name in names:
        if len(name) > 1 and not marks.NO_VARIABLE.match(name):
            deeds.variables[name.decode("utf-8", "replace")] += worth


def most(counted: Counter[str], first: set[str]) -> list[str]:
    """The most frequent names, those in the message first."""
    named = sorted(counted, key=lambda n: (n not in first, -counted[n], n))
    return named[:_MOST]

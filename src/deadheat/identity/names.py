"""Keys that reports of one race share although their fingerprints differ.

Some versions of Go omit the function that reads a map or uses a WaitGroup. A crash caused by a
WaitGroup shows one goroutine only. A program is named after its folder or its module. A report
*requires* the keys of races that it may belong to, and *provides* the keys of reports that may
belong to it. It is joined with the reports that provide its key if all of those are one race.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from deadheat.identity.closures import LAMBDA, are_lost, in_folder, written
from deadheat.identity.fingerprint import accesses, hashed, side
from deadheat.identity.stacks import is_test, own
from deadheat.model import Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Frame, Report

    Names = tuple[str, ...]

# functions that the Go detector calls for a WaitGroup; Go 1.26 and later omit their caller
_MODELLED: Final = ("runtime.racewrite", "runtime.raceread")
# Go 1.27 implements the first by calling the second, and then omits the caller of the first
_READ, _LOOKED_UP = "runtime.mapaccess1", "runtime.mapaccess2"
_WAIT: Final = "sync.(*WaitGroup).Wait"
_DIES: Final = "waitgroup-misuse"
# packages that are named after their folder
_NAMELESS: Final = ("main", "command-line-arguments")
# number of frames that identify a position in a program
_ENOUGH: Final = 3
_MASK: Final = (1 << 64) - 1
# results of `pair_hash`; `lru_cache` doubles its time
_numbers: Final[dict[tuple[str, str], int]] = {}
_MOST_NUMBERS: Final = 1 << 13
_DIGITS: Final = frozenset("0123456789")
# prefixes of links and aliases that are not variant ids
NAMED, ASKS, ANSWERS = "=", "?", "!"
# prefixes for ambiguous variants: the id of another variable, and a base that the variant may have
BESIDE, MAYBE = "<", "#"
# prefix of the base of a variant at the same address whose ordinal is known
BORROWED: Final = "^"
# prefixes of the keys of one side, and of a closure, which is distinct for each ordinal
HALF, WRITTEN = "~", "@"
# prefix of the key of source lines, which is shared by all ordinals
LINES: Final = ":"


def paired(sides: Iterable[tuple[str, str]]) -> str:
    """One key for all sides, independent of their order."""
    return summed([number(*each) for each in sides])


def summed(numbers: Iterable[int]) -> str:
    """The key of sides with these hashes."""
    return (sum(numbers) & _MASK).to_bytes(8).hex()


def number(name: str, what: str) -> int:
    """The hash of a pair of names, cached."""
    both = name, what
    known = _numbers.get(both)
    if known is None:
        if len(_numbers) >= _MOST_NUMBERS:
            _numbers.clear()
        _numbers[both] = known = int.from_bytes(hashed(f"{name} < {what}"))
    return known


def half(kind: str, name: str) -> str:
    """The key that a report of this kind requires if it shows only this side."""
    return f"{HALF}{number(name, kind):016x}"


def claims(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """The keys that a report requires, and those that it provides."""
    if report.kind == _DIES:
        return _owners(report, symbols)
    closures: tuple[Names, Names] = (), ()
    for access in report.accesses:
        # most reports concern no closure
        if access.site and (access.site.function[-1:] in _DIGITS or LAMBDA in access.site.function):
            closures = _written(report, symbols)
            break
    tops = [access.stack[0].function for access in report.accesses if access.stack]
    if len(tops) != 2 or not (tops[0].startswith(go.HIDES) or tops[1].startswith(go.HIDES)):
        return closures
    forms = [_forms(access, report, symbols) for access in report.accesses]
    asks = {paired((f, "hidden") for f in pair) for pair in product(*(a for a, _ in forms))}
    answers = {paired((f, "hidden") for f in pair) for pair in product(*(b for _, b in forms))}
    asked, answered = closures
    return (*sorted(asks), *asked), (*sorted(answers - asks), *answered)


def _written(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """The required and provided keys of a report whose closures may have other names elsewhere.

    If the enclosing function is unknown, the source lines are required, if there are enough of
    them.
    """
    names = zip(written(report, symbols), in_folder(report, symbols), strict=True)
    asks, answers = ([f"{WRITTEN}{paired(one)}" if one else "" for one in each] for each in names)
    asked, answered = asks[0], answers[0]
    if (asked or answered or are_lost(report)) and (lines := _lines(report, symbols)):
        asks[0] = "" if answered else f"{LINES}{lines}"
        answers.append(answered and f"{LINES}{lines}")
    return tuple(filter(None, asks)), tuple(filter(None, answers))


def _forms(access: Access, report: Report, symbols: Symbols) -> tuple[list[str], list[str]]:
    """The names that a side may stand for, and the names that remain if its function is omitted."""
    name = side(access, symbols) if access.site and access.site.origin is Origin.USER else ""
    called = [symbols.key(frame) for frame in own(access)[1:]]
    top = access.stack[0].function
    if top.startswith(_MODELLED):
        # other tests may reach it too
        tested = [_tested(frame, symbols) for frame in own(access)[:2]]
        asks = tested[0] or name if tested else _started_by(access, report, symbols)
        return [asks], [*called, *tested[1:]] or [""]
    if is_hidden(access):
        return [name], []
    # functions inlined with it are omitted too
    return ([], [*called, ""]) if top.startswith(_READ) else ([name], [name])


def _started_by(access: Access, report: Report, symbols: Symbols) -> str:
    """The function that started an actor without other frames. Its closure is usually in it."""
    created = next((actor.created_at for actor in report.actors if actor.id == access.actor), ())
    starter = next((frame for frame in created if frame.origin is Origin.USER), None)
    return (_tested(starter, symbols) or symbols.key(starter)) if starter else ""


def _tested(frame: Frame, symbols: Symbols) -> str:
    """One name for all tests of a package, or ""."""
    return f"{symbols.key(frame).partition(' ')[0]} test" if is_test(frame) else ""


def is_hidden(access: Access) -> bool:
    """Is the function that reads a map certainly omitted?"""
    stack = access.stack
    return (
        len(stack) > 1
        and stack[0].function.startswith(_LOOKED_UP)
        and stack[1].function.startswith(_READ)
    )


def _owners(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """Keys of the owner of a WaitGroup: the function that waits, which usually starts the others."""
    (access,) = accesses(report) or (None,)
    if access is None:
        return (), ()
    created = next((actor.created_at for actor in report.actors if actor.id == access.actor), ())
    starter = next((symbols.key(f) for f in created if f.origin is Origin.USER), "")
    waits = any(frame.function == _WAIT for frame in access.stack)
    owners = {starter, *(symbols.key(frame) for frame in own(access) if waits or not starter)}
    names = tuple(sorted(paired([(owner, "waits")]) for owner in owners if owner))
    return (names, ()) if waits else ((), names)


def same(report: Report, symbols: Symbols) -> str:
    """A key for source lines of a main package, independent of its folder; "" if too few are known."""
    for access in report.accesses:
        if access.site is None or access.site.package not in _NAMELESS:
            return ""
    return _lines(report, symbols)


def _lines(report: Report, symbols: Symbols) -> str:
    sides = [
        [f"{_plain(f, symbols)} {f.line}" for f in own(access)[:_ENOUGH]]
        for access in report.accesses
    ]
    if sum(map(len, sides)) < _ENOUGH or not all(sides):
        return ""
    return paired((" ".join(lines), "main") for lines in sides)


def _plain(frame: Frame, symbols: Symbols) -> str:
    """A function without its package, and the base name of its file; only the file for a closure."""
    file = frame.file.rpartition("/")[2]
    if frame.package not in _NAMELESS and frame.function[-1:] in _DIGITS:
        return file
    return f"{symbols.parent(frame.function).partition('.')[2]} {file}"

"""Names that reports of one race have in common although their fingerprints differ.

Some versions of Go leave out the function that reads a map or uses a WaitGroup; one that dies of a
WaitGroup shows one goroutine only; and a program is called by its folder, or by its module. A report
*asks* for what it may be a part of, and *answers* to what may be a part of it: the reduce side joins
who asks with who answers, if all who answer are one race.
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

# what the detector itself calls for a WaitGroup; Go 1.26 and later leave out who called it
_MODELLED: Final = ("runtime.racewrite", "runtime.raceread")
# Go 1.27 implements the first one by the second, and then leaves out who called the first
_READ, _LOOKED_UP = "runtime.mapaccess1", "runtime.mapaccess2"
_WAIT: Final = "sync.(*WaitGroup).Wait"
_DIES: Final = "waitgroup-misuse"
# packages that are called by their folder
_NAMELESS: Final = ("main", "command-line-arguments")
# how many frames tell one place in a program from any other place in any program
_ENOUGH: Final = 3
_MASK: Final = (1 << 64) - 1
# what `number` has found out lately; `lru_cache` takes as long again as finding out
_numbers: Final[dict[tuple[str, str], int]] = {}
_MOST_NUMBERS: Final = 1 << 13
_DIGITS: Final = frozenset("0123456789")
# how a link or an alias begins that is no node's id
NAMED, ASKS, ANSWERS = "=", "?", "!"
# the same, of a node whose number is doubtful: what is none of its twins, and what may be itself
BESIDE, MAYBE = "<", "#"
# and the base of what is at the same address, and has a number that is known
BORROWED: Final = "^"
# how a name begins that is one side's, and one of a closure, of which every twin has its own
HALF, WRITTEN = "~", "@"
# how one begins that is of lines, which twins have not in common
LINES: Final = ":"


def paired(sides: Iterable[tuple[str, str]]) -> str:
    """One name for all sides, in whichever order they come."""
    return summed([number(*each) for each in sides])


def summed(numbers: Iterable[int]) -> str:
    """The name that sides of these numbers have together."""
    return (sum(numbers) & _MASK).to_bytes(8).hex()


def number(name: str, what: str) -> int:
    """A number that stands for two names; the last few thousand are kept."""
    both = name, what
    known = _numbers.get(both)
    if known is None:
        if len(_numbers) >= _MOST_NUMBERS:
            _numbers.clear()
        _numbers[both] = known = int.from_bytes(hashed(f"{name} < {what}"))
    return known


def half(kind: str, name: str) -> str:
    """What a report of this kind asks for that shows this side only."""
    return f"{HALF}{number(name, kind):016x}"


def claims(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """What a report asks for, and what it answers to."""
    if report.kind == _DIES:
        return _owners(report, symbols)
    closures: tuple[Names, Names] = (), ()
    for access in report.accesses:
        # most reports are about no closure
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
    """What a report asks for whose closures may have other names elsewhere, and what it answers to.

    Who does not know which function a closure is in asks for the same lines, if there are enough.
    """
    names = zip(written(report, symbols), in_folder(report, symbols), strict=True)
    asks, answers = ([f"{WRITTEN}{paired(one)}" if one else "" for one in each] for each in names)
    asked, answered = asks[0], answers[0]
    if (asked or answered or are_lost(report)) and (lines := _lines(report, symbols)):
        asks[0] = "" if answered else f"{LINES}{lines}"
        answers.append(answered and f"{LINES}{lines}")
    return tuple(filter(None, asks)), tuple(filter(None, answers))


def _forms(access: Access, report: Report, symbols: Symbols) -> tuple[list[str], list[str]]:
    """What a side may stand for, and what may be left of it where the function is hidden."""
    name = side(access, symbols) if access.site and access.site.origin is Origin.USER else ""
    called = [symbols.key(frame) for frame in own(access)[1:]]
    top = access.stack[0].function
    if top.startswith(_MODELLED):
        # any other test may come to it as well
        tested = [_tested(frame, symbols) for frame in own(access)[:2]]
        asks = tested[0] or name if tested else _started_by(access, report, symbols)
        return [asks], [*called, *tested[1:]] or [""]
    if is_hidden(access):
        return [name], []
    # whatever was inlined with the function is hidden with it
    return ([], [*called, ""]) if top.startswith(_READ) else ([name], [name])


def _started_by(access: Access, report: Report, symbols: Symbols) -> str:
    """Who started somebody of whom nothing else is left: a closure is in that function, mostly."""
    created = next((actor.created_at for actor in report.actors if actor.id == access.actor), ())
    starter = next((frame for frame in created if frame.origin is Origin.USER), None)
    return (_tested(starter, symbols) or symbols.key(starter)) if starter else ""


def _tested(frame: Frame, symbols: Symbols) -> str:
    """A name for all tests of a package, if the frame is in one of them."""
    return f"{symbols.key(frame).partition(' ')[0]} test" if is_test(frame) else ""


def is_hidden(access: Access) -> bool:
    """Is the function that reads a map left out for certain?"""
    stack = access.stack
    return (
        len(stack) > 1
        and stack[0].function.startswith(_LOOKED_UP)
        and stack[1].function.startswith(_READ)
    )


def _owners(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """A WaitGroup belongs to who waits, and that is who starts the others, or one that they start."""
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
    """A name for the very lines of a program, whatever folder it lies in; "" where they are too few."""
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
    """A function without its package, and the name of its file; of a closure only that."""
    file = frame.file.rpartition("/")[2]
    if frame.package not in _NAMELESS and frame.function[-1:] in _DIGITS:
        return file
    return f"{symbols.parent(frame.function).partition('.')[2]} {file}"

"""What identity needs to know of one report: its mark, and where, by whom and by what it was raced."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat import registry
from deadheat.identity import names
from deadheat.identity.fingerprint import (
    ATOMIC,
    HIDES_CALLER,
    ONE_SIDED,
    UNKNOWN,
    accesses,
    fingerprint_of,
    side,
)
from deadheat.identity.names import half, number, summed
from deadheat.identity.stacks import TOP, Chain, reached
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.dialects import Symbols
    from deadheat.identity.callers import Call
    from deadheat.model import Access, Report


Key = tuple[Hashable, Hashable]
# how long a node's id is without the number of its twin, and what stands behind that if it is doubtful
ID, UNSURE = 16, "~"
# makes a tuple with names in a third of the time that its class takes
_new: Final = tuple.__new__
_WRITES: Final = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_USER: Final = Origin.USER
# "runtime.mapassign_faststr", "runtime.mapIterStart"
_MAPS: Final = "runtime.map"
# who does not say who else was there because it may have been anybody, a device included
_OWN_ORIGIN: Final = ("kcsan",)
# "byAge.Swap", of sort.Interface: one line that writes two elements
_EXCHANGES: Final = (".Swap", ".swap")
# what stands between sides, and between a side and its callers
_SIDE, _CALL = "\n", "\t"


class Side(NamedTuple):
    """What one access of a report gives to compare, apart from its address."""

    name: str
    chain: Chain
    writes: bool
    callers: tuple[str, ...]  # the nearest first
    function: str  # as printed
    opaque: bool  # the access is inside something of the standard library
    hidden: bool  # the function that accesses is left out
    keyed: bool  # what is accessed is a map, by way of the runtime

    @property
    def call(self) -> Call:
        """Who called, and on which line the nearest did; 0 where that is too far out."""
        nearest = self.callers[0]
        for line, name in self.chain:
            if name == nearest:
                return self.callers, line
        return self.callers, 0


class Mark(NamedTuple):
    """What identity needs to know of a report, apart from its address; made once for its echoes."""

    fingerprint: str
    sides: tuple[Side, ...]  # in the order of their names
    kind: str
    half: bool  # it shows one of two sides only
    same: str  # a name that other reports of the same code share, whatever its package is called
    asks: tuple[str, ...]  # names of what it may be a part of
    answers: tuple[str, ...]  # names of what may be a part of it

    @property
    def chains(self) -> tuple[Chain, ...]:
        """How the sides were reached."""
        return tuple([s.chain for s in self.sides])

    @property
    def ways(self) -> tuple[Key, ...]:
        """For each side, the pair of functions and how this side was reached."""
        both = tuple([s.name for s in self.sides])
        return tuple([(both, s.chain) for s in self.sides if s.chain])

    @property
    def writers(self) -> tuple[Chain, ...]:
        """How each side that writes was reached."""
        return tuple([s.chain for s in self.sides if s.chain and s.writes])

    def wrote(self, instructions: tuple[str, ...]) -> list[tuple[Chain, str]]:
        """How each side that writes was reached, and which instruction did it.

        "" where nobody knows that, or where it tells nothing: what is exchanged is of one kind.
        """
        if len(instructions) != len(self.sides):
            return [(chain, "") for chain in self.writers]
        return [
            (s.chain, "" if s.function.endswith(_EXCHANGES) else at)
            for s, at in zip(self.sides, instructions, strict=True)
            if s.chain and s.writes
        ]

    @property
    def is_part(self) -> bool:
        """Is one of its functions left out?"""
        return any(s.hidden for s in self.sides)

    @property
    def calls(self) -> tuple[Call, ...]:
        """Who called the sides."""
        return tuple([s.call for s in self.sides])

    @property
    def called(self) -> str:
        """Both sides' nearest callers, as one name."""
        return summed([number(s.name, s.callers[0]) for s in self.sides])

    @property
    def told(self) -> str:
        """Its kind, then each side with those that called it.

        One text, as every report has one and hardly anybody looks into it.
        """
        return _SIDE.join([self.kind, *[_CALL.join((s.name, *s.callers)) for s in self.sides]])


def looked_through(told: str) -> frozenset[str]:
    """What `called` would be if some of the callers were mere wrappers."""
    sides = [side.split(_CALL) for side in told.split(_SIDE)[1:]]
    ways = [[number(name, caller) for caller in callers] for name, *callers in sides]
    return frozenset([summed(pair) for pair in product(*ways)])


def halves(told: str) -> frozenset[str]:
    """What a report is asked for that shows one of these sides only; nothing if it is such a one."""
    kind, *sides = [side.partition(_CALL)[0] for side in told.split(_SIDE)]
    if len(sides) != 2 or UNKNOWN in sides or ATOMIC in sides:
        return frozenset()
    return frozenset([half(kind, side) for side in sides])


def mark(report: Report, known: str | None = None) -> Mark:
    """The report's mark; `known` is its fingerprint, if somebody has made it."""
    symbols = registry.dialect(report.detector).symbols
    sides = tuple(sorted([_side(access, symbols) for access in accesses(report)]))
    name = known or fingerprint_of(report.kind, [s.name for s in sides])
    same = names.same(report, symbols)
    if shown := _half(report.kind, sides):
        asks = () if report.detector in _OWN_ORIGIN else (half(report.kind, shown),)
        return Mark(name, sides, report.kind, True, same, asks, ())
    asked, answered = names.claims(report, symbols)
    return _new(Mark, (name, sides, report.kind, False, same, asked, answered))


def _half(kind: str, sides: tuple[Side, ...]) -> str:
    """The only side that is known of two; "" if it is not so."""
    if kind in ONE_SIDED or not 0 < len(sides) < 3:
        return ""
    known = [s.name for s in sides if s.name != UNKNOWN]
    return known[0] if len(known) == 1 and known[0] != ATOMIC else ""


def _side(access: Access, symbols: Symbols) -> Side:
    name = side(access, symbols)
    chain, callers = reached(access, name, symbols.key)
    stack, site = access[2], access[6]
    function = site[0] if site is not None else ""
    writes = access[0] in _WRITES
    if not stack or stack[0][4] is _USER:
        return _new(Side, (name, chain, writes, callers, function, False, False, False))
    keyed = stack[0].function.startswith(_MAPS)
    hidden = keyed and names.is_hidden(access)
    return Side(name, chain, writes, callers, function, _is_opaque(access), hidden, keyed)


def _is_opaque(access: Access) -> bool:
    """Is what is accessed a part of, say, a `bytes.Buffer`?"""
    for frame in access.stack[:TOP]:
        if frame.origin is _USER or frame.package == HIDES_CALLER:
            return False
        if frame.origin is Origin.STDLIB:
            return True
    return False


def address(report: Report) -> int:
    """The address that the two sides race for; 0 where the detector did not say."""
    for access in report.accesses:
        if access.address:
            return int(access.address, 16)
    return 0


def actors(report: Report) -> frozenset[str]:
    """Who raced."""
    return numbers(access.actor for access in report.accesses)


def instructions(report: Report) -> tuple[str, ...]:
    """Which instruction each side of a report's mark is, "" for one that is not known."""
    raced = accesses(report)
    found = [access.instruction or "" for access in raced]
    if len({*found}) < 2:
        return tuple(found) if any(found) else ()
    symbols = registry.dialect(report.detector).symbols
    names: list[object] = [side(access, symbols) for access in raced]
    if len({*names}) < len(names):
        names = [_side(access, symbols) for access in raced]
    order = sorted(range(len(raced)), key=names.__getitem__)  # type: ignore[arg-type]
    return tuple([found[at] for at in order])


def numbers(names: Iterable[str]) -> frozenset[str]:
    """What tells actors apart: `7` for `goroutine 7`, `T1` for `thread T1`."""
    return frozenset(name.rpartition(" ")[2] for name in names if name)


Instructions = Callable[[], tuple[str, ...]]
# a node's id, its mark, its lane, the address, and what gives the instructions that raced
Place = tuple[str, Mark, Hashable, int, Instructions]

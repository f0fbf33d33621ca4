"""The grouping key of a report, and its address, actors and instructions."""

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
# length of a variant id without its ordinal, and the separator before an ambiguity suffix
ID, UNSURE = 16, "~"
# creates a named tuple three times as fast as its class
_new: Final = tuple.__new__
_WRITES: Final = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_USER: Final = Origin.USER
# "runtime.mapassign_faststr", "runtime.mapIterStart"
_MAPS: Final = "runtime.map"
# detectors that omit the other side because it may be a device
_OWN_ORIGIN: Final = ("kcsan",)
# "byAge.Swap" of sort.Interface: one line writes two elements
_EXCHANGES: Final = (".Swap", ".swap")
# separators between sides, and between a side and its callers
_SIDE, _CALL = "\n", "\t"


class Side(NamedTuple):
    """What is compared of one access, except its address."""

    name: str
    chain: Chain
    writes: bool
    callers: tuple[str, ...]  # nearest first
    function: str  # as printed
    opaque: bool  # the access is inside the standard library
    hidden: bool  # the accessing function is not in the stack
    keyed: bool  # a map is accessed through the runtime

    @property
    def call(self) -> Call:
        """The callers, and the line of the nearest call; 0 if that is too far out."""
        nearest = self.callers[0]
        for line, name in self.chain:
            if name == nearest:
                return self.callers, line
        return self.callers, 0


class Mark(NamedTuple):
    """What is compared of a report, except its address. Duplicates share one key."""

    fingerprint: str
    sides: tuple[Side, ...]  # ordered by name
    kind: str
    half: bool  # only one of two sides is known
    same: str  # shared by reports of the same lines, whatever their package is called
    asks: tuple[str, ...]  # keys of races that it may belong to
    answers: tuple[str, ...]  # keys of reports that may belong to it

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The call chain of each side."""
        return tuple([s.chain for s in self.sides])

    @property
    def ways(self) -> tuple[Key, ...]:
        """For each side, the names of all sides and the call chain of this side."""
        both = tuple([s.name for s in self.sides])
        return tuple([(both, s.chain) for s in self.sides if s.chain])

    @property
    def writers(self) -> tuple[Chain, ...]:
        """The call chain of each side that writes."""
        return tuple([s.chain for s in self.sides if s.chain and s.writes])

    def wrote(self, instructions: tuple[str, ...]) -> list[tuple[Chain, str]]:
        """The call chain and the instruction of each side that writes.

        The instruction is "" if it is unknown, or if the function swaps elements.
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
        """Is a function of the report omitted?"""
        return any(s.hidden for s in self.sides)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The nearest call of each side."""
        return tuple([s.call for s in self.sides])

    @property
    def called(self) -> str:
        """A digest of the nearest callers of all sides."""
        return summed([number(s.name, s.callers[0]) for s in self.sides])

    @property
    def told(self) -> str:
        """The kind, then each side with its callers, as one string, because it is rarely parsed."""
        return _SIDE.join([self.kind, *[_CALL.join((s.name, *s.callers)) for s in self.sides]])


def looked_through(told: str) -> frozenset[str]:
    """The caller digests that result if some of the callers are wrappers."""
    sides = [side.split(_CALL) for side in told.split(_SIDE)[1:]]
    ways = [[number(name, caller) for caller in callers] for name, *callers in sides]
    return frozenset([summed(pair) for pair in product(*ways)])


def halves(told: str) -> frozenset[str]:
    """The keys that one-sided reports of these sides require; empty for a one-sided report."""
    kind, *sides = [side.partition(_CALL)[0] for side in told.split(_SIDE)]
    if len(sides) != 2 or UNKNOWN in sides or ATOMIC in sides:
        return frozenset()
    return frozenset([half(kind, side) for side in sides])


def mark(report: Report, known: str | None = None) -> Mark:
    """The grouping key of a report. `known_fingerprint` avoids computing the fingerprint again."""
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
    """The only known side of two, or ""."""
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
    """Is the access inside a type of the standard library, such as `bytes.Buffer`?"""
    for frame in access.stack[:TOP]:
        if frame.origin is _USER or frame.package == HIDES_CALLER:
            return False
        if frame.origin is Origin.STDLIB:
            return True
    return False


def address(report: Report) -> int:
    """The address of the race, or 0 if it is unknown."""
    for access in report.accesses:
        if access.address:
            return int(access.address, 16)
    return 0


def actors(report: Report) -> frozenset[str]:
    """The actors of the accesses."""
    return numbers(access.actor for access in report.accesses)


def instructions(report: Report) -> tuple[str, ...]:
    """The instruction of each side in the order of the grouping key, "" if unknown."""
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
    """The numbers of actors: `7` for `goroutine 7`, `T1` for `thread T1`."""
    return frozenset(name.rpartition(" ")[2] for name in names if name)


Instructions = Callable[[], tuple[str, ...]]
# variant id, key, stream, address, instructions
Place = tuple[str, Mark, Hashable, int, Instructions]

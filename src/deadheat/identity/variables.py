"""Decides whether two line pairs of one pair of functions race for two variables or for one.

The evidence is the distance of their addresses, their actors and their instructions.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import product
from typing import TYPE_CHECKING, Final

from deadheat.identity.callers import Called
from deadheat.identity.published import made

if TYPE_CHECKING:
    from deadheat.identity.evidence import Instructions, Mark, Side
    from deadheat.identity.stacks import Chain

    Lines = tuple[Chain, ...]  # the call chains of both sides
    Actors = frozenset[str]

# fields of one object are within this many bytes
_NEAR: Final = 256
# package variables are below this address, each at a fixed address
_STATIC: Final = 1 << 32
# maximum size of a string, slice or interface
_WORDS: Final = 24
# alignment of objects of 32 bytes and more, in Go and in C
_ALIGNED: Final = 16
# objects of one type are allocated in one page of 1 << 13 bytes
_PAGE: Final = 13


class Way:
    """The addresses, actors and instructions with which one pair of lines raced."""

    def __init__(self) -> None:
        self.addresses: set[int] = set()
        self.actors: set[Actors] = set()
        self.written: set[Chain] = set()  # the sides that write
        self.instructions: list[tuple[Mark, Instructions]] = []
        self.opaque: set[Chain] = set()
        self.keyed: set[Chain] = set()
        self.functions: set[str] = set()
        self.marks: dict[int, Mark] = {}

    def add(self, mark: Mark, address: int, actors: Actors, instructions: Instructions) -> None:
        self.addresses.add(address)
        self.actors.add(actors)
        self.instructions.append((mark, instructions))
        if id(mark) in self.marks:
            return
        self.marks[id(mark)] = mark
        self.written.update(mark.writers)
        for side in mark.sides:
            self.functions.add(side.function)
            if side.opaque:
                self.opaque.add(side.chain)
            if side.keyed:
                self.keyed.add(side.chain)

    def wrote(self, shared: Chain) -> set[str]:
        """The instructions by which a side writes; empty if one is unknown."""
        found = {
            instruction
            for mark, instructions in self.instructions
            for chain, instruction in mark.wrote(instructions())
            if chain == shared
        }
        return set() if "" in found else found

    def read(self, shared: Chain) -> set[str]:
        """The instructions by which a side reads; empty if one is unknown."""
        found: set[str] = set()
        for mark, instructions in self.instructions:
            known = instructions()
            for side, at in zip(mark.sides, known or ("", ""), strict=False):
                if side.chain == shared:
                    found.add(at)
        return set() if "" in found else found

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides of any of its reports."""
        return next(iter(self.marks.values())).sides

    @property
    def called(self) -> Called:
        return Called(min(m.calls for m in self.marks.values()), self.addresses, self.actors)


def is_another(left: tuple[Chain, Chain, Chain], a: Way, b: Way, ways: dict[Lines, Way]) -> bool:
    """Does one line access two variables that different lines of the other side access?

    The same two actors race for both. `return hits + misses` reads two variables by two
    instructions; one instruction would be a loop or a copied object. `rows = append(rows, r)`
    writes a slice and an element. A line that writes neighbouring addresses may overwrite one
    object, and the same field of two objects is in one page. Accesses inside a `bytes.Buffer` are
    no evidence. If closures race with their enclosing function, one common actor is enough, because
    the captured variables of one call exist once. Known write instructions decide: a line has one
    for each variable that it sets, and one for an object that it overwrites.
    """
    shared, one, other = left
    if not one or not other or one in a.opaque or other in b.opaque or _begins(one, other):
        return False
    together = bool(a.actors & b.actors - {frozenset()})
    if shared not in a.written | b.written:
        return together and a.read(shared).isdisjoint(b.read(shared))
    if shared in a.keyed | b.keyed:
        return False
    captured = shared[0][1] == one[0][1]
    if not together and (not captured or _are_strangers(a.actors, b.actors)):
        return False
    ours, theirs = a.wrote(shared), b.wrote(shared)
    if ours and theirs:
        return ours.isdisjoint(theirs) and (captured or not ours | theirs <= _made(shared, ways))
    # minimum allocation of a small captured variable
    gap = min(_gap(x, sorted(b.addresses)) for x in a.addresses)
    if captured and gap >= _ALIGNED and len(a.functions & b.functions) > 1:
        return True
    return {x >> _PAGE for x in a.addresses}.isdisjoint(x >> _PAGE for x in b.addresses)


def are_read_apart(left: tuple[Chain, Chain, Chain], a: Way, b: Way) -> bool:
    """Are variables that closures write on two lines read by different instructions of one line?"""
    shared, one, other = left
    captured = bool(one) and bool(other) and shared[0][1] == one[0][1] == other[0][1]
    if not captured or one == other or shared in a.written | b.written | a.keyed | b.keyed:
        return False
    ours, theirs = a.read(shared), b.read(shared)
    return bool(ours and theirs and ours.isdisjoint(theirs)) and not _are_strangers(
        a.actors, b.actors
    )


def _made(shared: Chain, ways: dict[Lines, Way]) -> frozenset[str]:
    """The instructions by which a side fills an object that it then publishes."""
    return made(
        (instruction, address)
        for way in ways.values()
        for instruction, address in product(way.wrote(shared), way.addresses)
    )


def _are_strangers(ours: set[Actors], theirs: set[Actors]) -> bool:
    return frozenset().union(*ours).isdisjoint(frozenset().union(*theirs))


def are_apart(a: list[Lines], b: list[Lines], ways: dict[Lines, Way]) -> bool:
    """Are these two variables, although they have no line in common?"""
    few, many = sorted((_addresses(a, ways), _addresses(b, ways)), key=len)
    ours, theirs = _actors(a, ways), _actors(b, ways)
    if few[-1] < _STATIC and many[-1] < _STATIC and not ours & theirs:
        return min(_gap(x, many) for x in few) >= _WORDS
    if any(_is_beginning(x, y) for x, y in product(a, b)):
        return False
    near = all(_gap(x, many) < _NEAR for x in few)
    if not ours or not theirs:
        return near
    differ = all(_sites_differ(x, y) for x, y in product(a, b))
    if ours & theirs:
        # the same actors on different lines race for two variables
        return True
    if not _are_strangers(ours, theirs):
        return near or differ
    # no common actor: the same lines with other callers access the same field of another object
    if are_alike(a, b):
        return False
    # the same field of two objects has the same alignment, and one closure accesses one field
    shifted = {x % _ALIGNED for x in few}.isdisjoint(x % _ALIGNED for x in many)
    if differ and _is_map(a, ways) != _is_map(b, ways):
        return True
    closures = all(ways[x].functions.isdisjoint(ways[y].functions) for x, y in product(a, b))
    if differ and (closures or ((near or _is_closure(a, b, ways)) and _by_turns(ours, theirs))):
        return True
    return (shifted and (near or differ)) or (differ and any(_is_beside(x, many) for x in few))


def _is_beside(address: int, others: list[int]) -> bool:
    """Is one of the sorted `others` near, and at another offset of an object?"""
    at = bisect_left(others, address)
    return any(
        0 < abs(address - other) < _NEAR and address % _ALIGNED != other % _ALIGNED
        for other in others[max(at - 1, 0) : at + 1]
    )


def _is_map(group: list[Lines], ways: dict[Lines, Way]) -> bool:
    """Is a map accessed through the runtime?"""
    return any(ways[lines].keyed for lines in group)


def _is_closure(a: list[Lines], b: list[Lines], ways: dict[Lines, Way]) -> bool:
    """Are all accesses in one closure?"""
    functions = {function for lines in (*a, *b) for function in ways[lines].functions}
    return len(functions) == 1 and functions.pop()[-1:].isdigit()


def _by_turns(ours: set[Actors], theirs: set[Actors]) -> bool:
    """Were the actors of both groups started alternately, and so probably by one call?

    Then they share one object, and captured variables of that call exist once.
    """
    here, there = _started(ours), _started(theirs)
    return bool(here and there) and here[0] < there[-1] and there[0] < here[-1]


def _started(actors: set[Actors]) -> list[int]:
    """The numbers of actors (`7`, `T7`, `#7`), which are assigned in start order."""
    numbers = [name.lstrip("T#") for name in frozenset().union(*actors)]
    return sorted(int(number) for number in numbers if number.isdecimal())


def _actors(group: list[Lines], ways: dict[Lines, Way]) -> set[Actors]:
    return {actors for lines in group for actors in ways[lines].actors if actors}


def _addresses(group: list[Lines], ways: dict[Lines, Way]) -> list[int]:
    return sorted({address for lines in group for address in ways[lines].addresses})


def _gap(address: int, others: list[int]) -> int:
    """The distance to the nearest of the sorted `others`."""
    at = bisect_left(others, address)
    return min(abs(address - other) for other in others[max(at - 1, 0) : at + 1])


def _is_beginning(a: Lines, b: Lines) -> bool:
    return len(a) == len(b) and all(_begins(x, y) for x, y in zip(a, b, strict=True))


def _begins(a: Chain, b: Chain) -> bool:
    """Is one of these call chains a prefix of the other?"""
    return bool(a) and bool(b) and a[: len(b)] == b[: len(a)]


def are_alike(a: list[Lines], b: list[Lines]) -> bool:
    """Do some of them have the same site lines, whatever their callers?"""
    return any(_sites(x) == _sites(y) for x, y in product(a, b))


def _sites(lines: Lines) -> list[tuple[int, str] | None]:
    return [side[0] if side else None for side in lines]


def _sites_differ(a: Lines, b: Lines) -> bool:
    """Are all sites known and different?"""
    return all(x and y and x[0] != y[0] for x, y in product(a, b))

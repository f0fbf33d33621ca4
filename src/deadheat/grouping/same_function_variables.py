"""Distinguishes races for different variables in one pair of functions, within one document.

A fingerprint contains no line numbers, so that it survives edits. So two functions that race for
two variables have one fingerprint. Within one process the variables have different addresses and
are reached by different lines. Each variable gets an ordinal. The evidence is the distance of
their addresses, their actors and their instructions."""

from __future__ import annotations

from bisect import bisect_left
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

from deadheat.grouping.links import ConnectedComponents
from deadheat.grouping.same_object import CallerEvidence, callers_differ, filling_instructions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.grouping.fingerprint import CallChain
    from deadheat.grouping.keys import GroupingKey, InstructionSource, SideKey

    ChainPair = tuple[CallChain, ...]  # the call chains of both sides

    ActorSet = frozenset[str]

    # key, address, actors, instructions
    VariableReport = tuple[GroupingKey, int, ActorSet, InstructionSource]


# fields of one object are within this many bytes
_MAX_FIELD_DISTANCE: Final = 256
# package variables are below this address, each at a fixed address
_MAX_STATIC_ADDRESS: Final = 1 << 32
# maximum size of a string, slice or interface
_MAX_VALUE_BYTES: Final = 24
# alignment of objects of 32 bytes and more, in Go and in C
_OBJECT_ALIGNMENT: Final = 16
# objects of one type are allocated in one page of 1 << 13 bytes
_PAGE_BITS: Final = 13


class LinePair:
    """The addresses, actors and instructions with which one pair of lines raced."""

    def __init__(self) -> None:
        self.addresses: set[int] = set()
        self.actors: set[ActorSet] = set()
        self.writer_chains: set[CallChain] = set()  # the sides that write
        self.instructions: list[tuple[GroupingKey, InstructionSource]] = []
        self.stdlib_chains: set[CallChain] = set()
        self.map_chains: set[CallChain] = set()
        self.functions: set[str] = set()
        self.keys: dict[int, GroupingKey] = {}

    def add(self, key: GroupingKey, address: int, actors: ActorSet, instructions: InstructionSource) -> None:
        self.addresses.add(address)
        self.actors.add(actors)
        self.instructions.append((key, instructions))
        if id(key) in self.keys:
            return
        self.keys[id(key)] = key
        self.writer_chains.update(key.writer_chains)
        for side in key.side_keys:
            self.functions.add(side.function)
            if side.in_stdlib:
                self.stdlib_chains.add(side.chain)
            if side.is_map:
                self.map_chains.add(side.chain)

    def write_instructions(self, shared: CallChain) -> set[str]:
        """The instructions by which a side writes; empty if one is unknown."""
        instructions_found = {
            instruction
            for key, instructions in self.instructions
            for chain, instruction in key.write_instructions(instructions())
            if chain == shared
        }
        return set() if "" in instructions_found else instructions_found

    def read_instructions(self, shared: CallChain) -> set[str]:
        """The instructions by which a side reads; empty if one is unknown."""
        instructions_found = {
            instruction
            for key, instructions in self.instructions
            for side, instruction in zip(key.side_keys, instructions() or ("", ""), strict=False)
            if side.chain == shared
        }
        return set() if "" in instructions_found else instructions_found

    @property
    def side_keys(self) -> tuple[SideKey, ...]:
        """The sides of any of its reports."""
        return next(iter(self.keys.values())).side_keys

    @property
    def caller_evidence(self) -> CallerEvidence:
        return CallerEvidence(min(key.nearest_calls for key in self.keys.values()), self.addresses, self.actors)


def is_other_variable(
    common_side: tuple[CallChain, CallChain, CallChain], a: LinePair, b: LinePair, line_pairs: dict[ChainPair, LinePair]
) -> bool:
    """Does one line access two variables that different lines of the other side access?

    The same two actors race for both. `return hits + misses` reads two variables by two
    instructions; one instruction would be a loop or a copied object. `rows = append(rows, r)`
    writes a slice and an element. A line that writes neighbouring addresses may overwrite one
    object, and the same field of two objects is in one page. Accesses inside a `bytes.Buffer` are
    no evidence. If closures race with their enclosing function, one common actor is enough, because
    the captured variables of one call exist once. Known write instructions decide: a line has one
    for each variable that it sets, and one for an object that it overwrites.
    """
    shared, other_a, other_b = common_side
    if not other_a or not other_b or _is_prefix(other_a, other_b):
        return False
    if other_a in a.stdlib_chains or other_b in b.stdlib_chains:
        return False
    same_actors = bool(a.actors & b.actors - {frozenset()})
    if shared not in a.writer_chains | b.writer_chains:
        return same_actors and a.read_instructions(shared).isdisjoint(b.read_instructions(shared))
    if shared in a.map_chains | b.map_chains:
        return False
    is_captured = shared[0][1] == other_a[0][1]
    if not same_actors and (not is_captured or _share_no_actor(a.actors, b.actors)):
        return False
    instructions_a, instructions_b = a.write_instructions(shared), b.write_instructions(shared)
    if instructions_a and instructions_b:
        return instructions_a.isdisjoint(instructions_b) and (
            is_captured or not instructions_a | instructions_b <= _instructions_filling_object(shared, line_pairs)
        )
    # minimum allocation of a small captured variable
    distance = min(_nearest_distance(x, sorted(b.addresses)) for x in a.addresses)
    if is_captured and distance >= _OBJECT_ALIGNMENT and len(a.functions & b.functions) > 1:
        return True
    return {x >> _PAGE_BITS for x in a.addresses}.isdisjoint(x >> _PAGE_BITS for x in b.addresses)


def are_read_by_different_instructions(
    common_side: tuple[CallChain, CallChain, CallChain], a: LinePair, b: LinePair
) -> bool:
    """Are variables that closures write on two lines read by different instructions of one line?"""
    shared, other_a, other_b = common_side
    is_captured = bool(other_a) and bool(other_b) and shared[0][1] == other_a[0][1] == other_b[0][1]
    excluded = a.writer_chains | b.writer_chains | a.map_chains | b.map_chains
    if not is_captured or other_a == other_b or shared in excluded or _share_no_actor(a.actors, b.actors):
        return False
    instructions_a, instructions_b = a.read_instructions(shared), b.read_instructions(shared)
    return bool(instructions_a and instructions_b) and instructions_a.isdisjoint(instructions_b)


def _instructions_filling_object(shared: CallChain, line_pairs: dict[ChainPair, LinePair]) -> frozenset[str]:
    """The instructions by which a side fills an object that it then publishes."""
    return filling_instructions(
        (instruction, address)
        for line_pair in line_pairs.values()
        for instruction, address in product(line_pair.write_instructions(shared), line_pair.addresses)
    )


def _share_no_actor(actors_a: set[ActorSet], actors_b: set[ActorSet]) -> bool:
    return frozenset().union(*actors_a).isdisjoint(frozenset().union(*actors_b))


def are_two_variables(a: list[ChainPair], b: list[ChainPair], line_pairs: dict[ChainPair, LinePair]) -> bool:
    """Are these two variables, although they have no line in common?"""
    fewer, more = sorted((_addresses_of(a, line_pairs), _addresses_of(b, line_pairs)), key=len)
    actors_a, actors_b = _actors_of(a, line_pairs), _actors_of(b, line_pairs)
    if fewer[-1] < _MAX_STATIC_ADDRESS and more[-1] < _MAX_STATIC_ADDRESS and not actors_a & actors_b:
        return min(_nearest_distance(x, more) for x in fewer) >= _MAX_VALUE_BYTES
    if any(_are_prefixes(x, y) for x, y in product(a, b)):
        return False
    are_near = all(_nearest_distance(x, more) < _MAX_FIELD_DISTANCE for x in fewer)
    if not actors_a or not actors_b:
        return are_near
    sites_differ = all(_have_different_sites(x, y) for x, y in product(a, b))
    if actors_a & actors_b:
        # the same actors on different lines race for two variables
        return True
    if not _share_no_actor(actors_a, actors_b):
        return are_near or sites_differ
    # no common actor: the same lines with other callers access the same field of another object
    if share_lines(a, b):
        return False
    # the same field of two objects has the same alignment, and one closure accesses one field
    differently_aligned = {x % _OBJECT_ALIGNMENT for x in fewer}.isdisjoint(x % _OBJECT_ALIGNMENT for x in more)
    if sites_differ and _accesses_map(a, line_pairs) != _accesses_map(b, line_pairs):
        return True
    are_different_closures = all(line_pairs[x].functions.isdisjoint(line_pairs[y].functions) for x, y in product(a, b))
    if sites_differ and (
        are_different_closures
        or ((are_near or _is_one_closure(a, b, line_pairs)) and _started_alternately(actors_a, actors_b))
    ):
        return True
    return (differently_aligned and (are_near or sites_differ)) or (
        sites_differ and any(_is_near_other_field(x, more) for x in fewer)
    )


def _is_near_other_field(address: int, others: list[int]) -> bool:
    """Is one of the sorted `others` near, and at another offset of an object?"""
    index = bisect_left(others, address)
    return any(
        0 < abs(address - candidate) < _MAX_FIELD_DISTANCE
        and address % _OBJECT_ALIGNMENT != candidate % _OBJECT_ALIGNMENT
        for candidate in others[max(index - 1, 0) : index + 1]
    )


def _accesses_map(group: list[ChainPair], line_pairs: dict[ChainPair, LinePair]) -> bool:
    return any(line_pairs[chain_pair].map_chains for chain_pair in group)


def _is_one_closure(a: list[ChainPair], b: list[ChainPair], line_pairs: dict[ChainPair, LinePair]) -> bool:
    functions = {function for chain_pair in (*a, *b) for function in line_pairs[chain_pair].functions}
    return len(functions) == 1 and functions.pop()[-1:].isdigit()


def _started_alternately(actors_a: set[ActorSet], actors_b: set[ActorSet]) -> bool:
    """Were the actors of both groups started alternately, and so probably by one call?

    Then they share one object, and captured variables of that call exist once.
    """
    numbers_a, numbers_b = _start_numbers(actors_a), _start_numbers(actors_b)
    return bool(numbers_a and numbers_b) and numbers_a[0] < numbers_b[-1] and numbers_b[0] < numbers_a[-1]


def _start_numbers(actors: set[ActorSet]) -> list[int]:
    """The numbers of actors (`7`, `T7`, `#7`), which are assigned in start order."""
    numbers = [name.lstrip("T#") for name in frozenset().union(*actors)]
    return sorted(int(number) for number in numbers if number.isdecimal())


def _actors_of(group: list[ChainPair], line_pairs: dict[ChainPair, LinePair]) -> set[ActorSet]:
    return {actors for chain_pair in group for actors in line_pairs[chain_pair].actors if actors}


def _addresses_of(group: list[ChainPair], line_pairs: dict[ChainPair, LinePair]) -> list[int]:
    return sorted({address for chain_pair in group for address in line_pairs[chain_pair].addresses})


def _nearest_distance(address: int, others: list[int]) -> int:
    index = bisect_left(others, address)
    return min(abs(address - candidate) for candidate in others[max(index - 1, 0) : index + 1])


def _are_prefixes(a: ChainPair, b: ChainPair) -> bool:
    return len(a) == len(b) and all(_is_prefix(x, y) for x, y in zip(a, b, strict=True))


def _is_prefix(a: CallChain, b: CallChain) -> bool:
    return bool(a) and bool(b) and a[: len(b)] == b[: len(a)]


def share_lines(a: list[ChainPair], b: list[ChainPair]) -> bool:
    """Do some of them have the same site lines, whatever their callers?"""
    return any(_site_lines(x) == _site_lines(y) for x, y in product(a, b))


def _site_lines(chain_pair: ChainPair) -> list[tuple[int, str] | None]:
    return [side[0] if side else None for side in chain_pair]


def _have_different_sites(a: ChainPair, b: ChainPair) -> bool:
    return all(x and y and x[0] != y[0] for x, y in product(a, b))


# maximum number of line pairs compared
_MAX_LINE_PAIRS: Final = 32
# added to the ordinal of a variable for an element that is reached through it
_ELEMENT_ORDINAL_STEP: Final = 64


def ordinals_by_lines(reports: Iterable[VariableReport]) -> dict[ChainPair, int]:
    """The ordinal of each pair of call chains, in line order.

    `reports` are all reports of one process with one fingerprint.
    """
    line_pairs: dict[ChainPair, LinePair] = {}
    for key, address, actors, instructions in reports:
        line_pairs.setdefault(key.call_chains, LinePair()).add(key, address, actors, instructions)
    if not 1 < len(line_pairs) <= _MAX_LINE_PAIRS:
        return dict.fromkeys(line_pairs, 0)
    return {
        chain_pair: ordinal
        for part in _split_by_callers(line_pairs)
        for chain_pair, ordinal in _ordinals_of(part).items()
    }


def _split_by_callers(line_pairs: dict[ChainPair, LinePair]) -> list[dict[ChainPair, LinePair]]:
    """Split the line pairs that are distinguished by their callers; these need no ordinals."""
    known_callers = sum(
        [all(side_key.callers[0] for side_key in line_pair.side_keys) for line_pair in line_pairs.values()]
    )
    if known_callers < 2:
        return [line_pairs]
    names = {chain_pair: f"{number:02}" for number, chain_pair in enumerate(sorted(line_pairs))}
    classes = ConnectedComponents()
    evidence = [(label, line_pairs[chain_pair].caller_evidence) for chain_pair, label in names.items()]
    for (name_a, a), (name_b, b) in combinations(evidence, 2):
        if not callers_differ(a, b):
            classes.join(name_a, name_b)
    parts: dict[str, dict[ChainPair, LinePair]] = {}
    for chain_pair, label in names.items():
        parts.setdefault(classes.root(label), {})[chain_pair] = line_pairs[chain_pair]
    return [*parts.values()]


def _ordinals_of(line_pairs: dict[ChainPair, LinePair]) -> dict[ChainPair, int]:
    names = {chain_pair: f"{number:02}" for number, chain_pair in enumerate(sorted(line_pairs))}
    groups = ConnectedComponents()
    element_pairs: list[tuple[ChainPair, ChainPair]] = []
    read_pairs: list[tuple[ChainPair, ChainPair]] = []
    for a, b in combinations(names, 2):
        common_side = _common_side(a, b)
        if line_pairs[a].addresses & line_pairs[b].addresses:
            groups.join(names[a], names[b])
        elif common_side is None:
            continue
        elif are_read_by_different_instructions(common_side, line_pairs[a], line_pairs[b]):
            read_pairs.append((a, b))
        elif is_other_variable(common_side, line_pairs[a], line_pairs[b], line_pairs):
            element_pairs.append((a, b))
        else:
            groups.join(names[a], names[b])
    _join_fields(names, groups, line_pairs, [*element_pairs, *read_pairs])
    return _number_groups(names, groups, element_pairs)


def _join_fields(
    names: dict[ChainPair, str],
    groups: ConnectedComponents,
    line_pairs: dict[ChainPair, LinePair],
    different_pairs: list[tuple[ChainPair, ChainPair]],
) -> None:
    """Join line pairs that access the same field of two objects.

    Pairs on the same lines are joined first, because more is known about them together.
    """
    for only_shared_lines in (True, False):
        members: dict[str, list[ChainPair]] = {}
        for chain_pair, name in names.items():
            members.setdefault(groups.root(name), []).append(chain_pair)
        judged = {(groups.root(names[a]), groups.root(names[b])) for a, b in different_pairs}
        for low, high in combinations(sorted(members), 2):
            if (low, high) in judged or (high, low) in judged:
                continue
            if only_shared_lines and not share_lines(members[low], members[high]):
                continue
            if not are_two_variables(members[low], members[high], line_pairs):
                groups.join(low, high)


def _number_groups(
    names: dict[ChainPair, str], groups: ConnectedComponents, element_pairs: list[tuple[ChainPair, ChainPair]]
) -> dict[ChainPair, int]:
    """Number the groups in line order. Elements are numbered separately.

    A run that also shows an element must not change the ordinals of the fields.
    """
    owners: dict[str, str] = {}
    for a, b in element_pairs:
        low, high = sorted((groups.root(names[a]), groups.root(names[b])))
        if low != high:
            owners[high] = min(owners.get(high, low), low)
    numbers: dict[str, int] = {}
    fields = 0
    for root in sorted({groups.root(name) for name in names.values()}):
        if root in owners:
            number = numbers[owners[root]] + _ELEMENT_ORDINAL_STEP
            while number in numbers.values():
                number += _ELEMENT_ORDINAL_STEP
        else:
            number = fields
            fields += 1
        numbers[root] = number
    return {chain_pair: numbers[groups.root(name)] for chain_pair, name in names.items()}


def _common_side(a: ChainPair, b: ChainPair) -> tuple[CallChain, CallChain, CallChain] | None:
    """The common side of two pairs, and the other side of each."""
    # an unknown side is no reason to join
    for (i, x), (j, y) in product(enumerate(a), enumerate(b)):
        if x and x == y:
            return x, a[1 - i], b[1 - j]
    return None

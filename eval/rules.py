"""Which reports are one race: deadheat's rule, and those of others, written from their description.

A rule takes sightings and gives each the name of its group.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache, partial
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import TYPE_CHECKING

from deadheat.grouping import races
from deadheat.grouping.connected_components import ConnectedComponents
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import grouping_key_of, race_address, racing_actors, racing_instructions
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from deadheat.model import Access, Frame, Sighting

    Chain = tuple[str, ...]
    Rule = Callable[[Sequence[Sighting]], list[Hashable]]


def deadheat(sightings: Sequence[Sighting]) -> list[Hashable]:
    """deadheat: fingerprints, callers and addresses."""
    by_uri: dict[str, list[int]] = defaultdict(list)
    for at, sighting in enumerate(sightings):
        by_uri[sighting.uri].append(at)
    nodes: dict[int, str] = {}
    found = races.empty_facts()
    for members in by_uri.values():
        document = DocumentGrouping()
        for at in members:
            report = sightings[at].report
            lane = sightings[at].span.stream
            document.add_report(
                grouping_key_of(report),
                lane,
                race_address(report),
                partial(racing_actors, report),
                partial(racing_instructions, report),
            )
        names, told = document.group_reports()
        found.add(told)
        nodes |= dict(zip(members, names, strict=True))
    ids = races.race_ids(found)
    return [ids[nodes[at]] for at in range(len(sightings))]


def _name(frame: Frame) -> str:
    return f"{frame.package} {frame.function}"


def _chain(access: Access) -> Chain:
    return tuple(_name(frame) for frame in access.stack)


def _chains(sighting: Sighting) -> tuple[Chain, ...]:
    return tuple(sorted(_chain(access) for access in sighting.report.accesses))


def both_chains(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Uber: both chains of functions without lines, in no order."""
    return [_chains(sighting) for sighting in sightings]


def top_function(sightings: Sequence[Sighting]) -> list[Hashable]:
    """syzkaller for Go: the function on top of the first stack."""
    return [next((chain[0] for chain in _told(s) if chain), "") for s in sightings]


def _told(sighting: Sighting) -> list[Chain]:
    return [_chain(access) for access in sighting.report.accesses]


def two_top_functions(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Two tops: the functions on top of both stacks, in no order."""
    return [tuple(sorted(chain[0] for chain in _told(s) if chain)) for s in sightings]


def three_functions(sightings: Sequence[Sighting]) -> list[Hashable]:
    """ClusterFuzz: the first three functions of the first stack that are not the runtime's."""
    return [_first_three(s) for s in sightings]


def _first_three(sighting: Sighting) -> Chain:
    stack = sighting.report.accesses[0].stack if sighting.report.accesses else ()
    return tuple(_name(frame) for frame in stack if frame.origin is not Origin.RUNTIME)[:3]


def file_and_line(sightings: Sequence[Sighting]) -> list[Hashable]:
    """CASR, exact step: every frame by file and line."""
    return [tuple(sorted(tuple((f.file, f.line or 0) for f in a.stack) for a in s.report.accesses)) for s in sightings]


def either_stack(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Vespa: reports that share one of their stacks."""
    components = ConnectedComponents()
    for at, sighting in enumerate(sightings):
        components.add(f"report {at:07}")
        for chain in _chains(sighting):
            if chain:
                components.join(f"report {at:07}", "stack " + "\n".join(chain))
    roots = components.roots()
    return [roots[f"report {at:07}"] for at in range(len(sightings))]


# --- distance -----------------------------------------------------------------------------------

# what CASR has: how fast frames lose weight with depth and with the shift between the stacks
_DEPTH, _SHIFT, _THRESHOLD = 0.04, 0.13, 0.3


def stack_distance(sightings: Sequence[Sighting]) -> list[Hashable]:
    """ReBucket, CASR: distance of stacks weighted by position, complete linkage."""
    pairs = [_chains(sighting) for sighting in sightings]
    distinct = sorted(set(pairs))
    groups = _linked(len(distinct), _near_pairs(distinct))
    number = {pair: groups[at] for at, pair in enumerate(distinct)}
    return [number[pair] for pair in pairs]


def _near_pairs(distinct: Sequence[tuple[Chain, ...]]) -> dict[tuple[int, int], float]:
    """The distances below the threshold."""
    pairs = combinations(range(len(distinct)), 2)
    near = {(a, b): _distance(distinct[a], distinct[b]) for a, b in pairs}
    return {pair: far for pair, far in near.items() if far < _THRESHOLD}


def _distance(a: tuple[Chain, ...], b: tuple[Chain, ...]) -> float:
    if len(a) != len(b) or not a:
        return 1.0
    straight = sum(_likeness(x, y) for x, y in zip(a, b, strict=True))
    crossed = sum(_likeness(x, y) for x, y in zip(a, reversed(b), strict=True))
    return 1.0 - max(straight, crossed) / len(a)


@lru_cache(maxsize=1 << 22)
def _likeness(a: Chain, b: Chain) -> float:
    if a == b:
        return 1.0
    if set(a).isdisjoint(b):
        return 0.0
    best = [0.0] * (len(b) + 1)
    for i, left in enumerate(a):
        before = best[:]
        for j, right in enumerate(b):
            weight = math.exp(-_DEPTH * min(i, j) - _SHIFT * abs(i - j)) if left == right else 0.0
            best[j + 1] = max(before[j] + weight, before[j + 1], best[j])
    most = sum(math.exp(-_DEPTH * i) for i in range(min(len(a), len(b))))
    return best[-1] / most


def _linked(count: int, near: dict[tuple[int, int], float]) -> list[int]:
    """Complete linkage: two groups join while every pair of their members is near."""
    far: list[dict[int, float]] = [{} for _ in range(count)]
    for (a, b), distance in near.items():
        far[a][b] = far[b][a] = distance
    heap = [(distance, a, b) for (a, b), distance in near.items()]
    heapify(heap)
    group = list(range(count))
    while heap:
        distance, a, b = heappop(heap)
        if far[a].get(b) != distance:
            continue
        _join(a, b, far, heap)
        group = [a if one == b else one for one in group]
    return group


def _join(a: int, b: int, far: list[dict[int, float]], heap: list[tuple[float, int, int]]) -> None:
    mine, theirs = far[a], far[b]
    far[b] = {}
    for other in {*mine, *theirs}:
        far[other].pop(b, None)
        far[other].pop(a, None)
    far[a] = {c: max(mine[c], theirs[c]) for c in mine.keys() & theirs.keys()}
    for c, distance in far[a].items():
        far[c][a] = distance
        heappush(heap, (distance, min(a, c), max(a, c)))


RULES: tuple[Rule, ...] = (
    deadheat,
    both_chains,
    top_function,
    two_top_functions,
    three_functions,
    file_and_line,
    stack_distance,
    either_stack,
)


def title(rule: Rule) -> str:
    """What a rule is, in its own words."""
    return (rule.__doc__ or "").split("\n")[0].rstrip(".")

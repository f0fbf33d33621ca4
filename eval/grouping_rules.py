"""Rules that group reports into races: deadheat's, and those of other tools after their descriptions.

A rule returns a group name for each sighting. The first line of its docstring is its title in the table.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache, partial
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import TYPE_CHECKING

from deadheat.grouping import races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import grouping_key_of, race_address, racing_actors, racing_instructions
from deadheat.grouping.links import ConnectedComponents
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from deadheat.model import Access, Frame, Sighting

    Chain = tuple[str, ...]
    Rule = Callable[[Sequence[Sighting]], list[Hashable]]


def deadheat_races(sightings: Sequence[Sighting]) -> list[Hashable]:
    """deadheat: fingerprints, callers and addresses."""
    by_uri: dict[str, list[int]] = defaultdict(list)
    for at, sighting in enumerate(sightings):
        by_uri[sighting.uri].append(at)
    variants: dict[int, str] = {}
    all_facts = races.empty_facts()
    for members in by_uri.values():
        document = DocumentGrouping()
        for at in members:
            report = sightings[at].report
            stream = sightings[at].span.stream
            document.add_report(
                grouping_key_of(report),
                stream,
                race_address(report),
                partial(racing_actors, report),
                partial(racing_instructions, report),
            )
        names, facts = document.group_reports()
        all_facts.add(facts)
        variants |= dict(zip(members, names, strict=True))
    ids = races.race_ids(all_facts)
    return [ids[variants[at]] for at in range(len(sightings))]


def _qualified_function(frame: Frame) -> str:
    return f"{frame.package} {frame.function}"


def _call_chain(access: Access) -> Chain:
    return tuple(_qualified_function(frame) for frame in access.stack)


def _sorted_chains(sighting: Sighting) -> tuple[Chain, ...]:
    return tuple(sorted(_call_chain(access) for access in sighting.report.accesses))


def both_chains(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Uber: both chains of functions without lines, in no order."""
    return [_sorted_chains(sighting) for sighting in sightings]


def top_function(sightings: Sequence[Sighting]) -> list[Hashable]:
    """syzkaller for Go: the function on top of the first stack."""
    return [next((chain[0] for chain in _printed_chains(s) if chain), "") for s in sightings]


def _printed_chains(sighting: Sighting) -> list[Chain]:
    return [_call_chain(access) for access in sighting.report.accesses]


def two_top_functions(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Two tops: the functions on top of both stacks, in no order."""
    return [tuple(sorted(chain[0] for chain in _printed_chains(s) if chain)) for s in sightings]


def three_functions(sightings: Sequence[Sighting]) -> list[Hashable]:
    """ClusterFuzz: the first three functions of the first stack that are not the runtime's."""
    return [_first_three_functions(s) for s in sightings]


def _first_three_functions(sighting: Sighting) -> Chain:
    stack = sighting.report.accesses[0].stack if sighting.report.accesses else ()
    return tuple(_qualified_function(frame) for frame in stack if frame.origin is not Origin.RUNTIME)[:3]


def file_and_line(sightings: Sequence[Sighting]) -> list[Hashable]:
    """CASR, exact step: every frame by file and line."""
    return [tuple(sorted(tuple((f.file, f.line or 0) for f in a.stack) for a in s.report.accesses)) for s in sightings]


def either_stack(sightings: Sequence[Sighting]) -> list[Hashable]:
    """Vespa: reports that share one of their stacks."""
    components = ConnectedComponents()
    for at, sighting in enumerate(sightings):
        components.add(f"report {at:07}")
        for chain in _sorted_chains(sighting):
            if chain:
                components.join(f"report {at:07}", "stack " + "\n".join(chain))
    roots = components.roots()
    return [roots[f"report {at:07}"] for at in range(len(sightings))]


# --- distance -----------------------------------------------------------------------------------

# constants of CASR: how fast the weight of a frame falls with its depth and with the shift between the stacks
_DEPTH_DECAY, _SHIFT_DECAY, _THRESHOLD = 0.04, 0.13, 0.3


def stack_distance(sightings: Sequence[Sighting]) -> list[Hashable]:
    """ReBucket, CASR: distance of stacks weighted by position, complete linkage."""
    pairs = [_sorted_chains(sighting) for sighting in sightings]
    distinct = sorted(set(pairs))
    groups = _complete_linkage(len(distinct), _near_pairs(distinct))
    number = {pair: groups[at] for at, pair in enumerate(distinct)}
    return [number[pair] for pair in pairs]


def _near_pairs(distinct: Sequence[tuple[Chain, ...]]) -> dict[tuple[int, int], float]:
    """The pairs of reports whose distance is below the threshold."""
    pairs = combinations(range(len(distinct)), 2)
    distances = {(a, b): _report_distance(distinct[a], distinct[b]) for a, b in pairs}
    return {pair: distance for pair, distance in distances.items() if distance < _THRESHOLD}


def _report_distance(a: tuple[Chain, ...], b: tuple[Chain, ...]) -> float:
    if len(a) != len(b) or not a:
        return 1.0
    straight = sum(_stack_similarity(x, y) for x, y in zip(a, b, strict=True))
    crossed = sum(_stack_similarity(x, y) for x, y in zip(a, reversed(b), strict=True))
    return 1.0 - max(straight, crossed) / len(a)


@lru_cache(maxsize=1 << 22)
def _stack_similarity(a: Chain, b: Chain) -> float:
    if a == b:
        return 1.0
    if set(a).isdisjoint(b):
        return 0.0
    best = [0.0] * (len(b) + 1)
    for i, left in enumerate(a):
        previous = best[:]
        for j, right in enumerate(b):
            weight = math.exp(-_DEPTH_DECAY * min(i, j) - _SHIFT_DECAY * abs(i - j)) if left == right else 0.0
            best[j + 1] = max(previous[j] + weight, previous[j + 1], best[j])
    max_weight = sum(math.exp(-_DEPTH_DECAY * i) for i in range(min(len(a), len(b))))
    return best[-1] / max_weight


def _complete_linkage(count: int, near: dict[tuple[int, int], float]) -> list[int]:
    """Complete linkage: two groups join while every pair of their members is near."""
    distances: list[dict[int, float]] = [{} for _ in range(count)]
    for (a, b), distance in near.items():
        distances[a][b] = distances[b][a] = distance
    heap = [(distance, a, b) for (a, b), distance in near.items()]
    heapify(heap)
    group = list(range(count))
    while heap:
        distance, a, b = heappop(heap)
        if distances[a].get(b) != distance:
            continue
        _merge_groups(a, b, distances, heap)
        group = [a if one == b else one for one in group]
    return group


def _merge_groups(a: int, b: int, distances: list[dict[int, float]], heap: list[tuple[float, int, int]]) -> None:
    first_distances, second_distances = distances[a], distances[b]
    distances[b] = {}
    for other in {*first_distances, *second_distances}:
        distances[other].pop(b, None)
        distances[other].pop(a, None)
    distances[a] = {
        c: max(first_distances[c], second_distances[c]) for c in first_distances.keys() & second_distances.keys()
    }
    for c, distance in distances[a].items():
        distances[c][a] = distance
        heappush(heap, (distance, min(a, c), max(a, c)))


RULES: tuple[Rule, ...] = (
    deadheat_races,
    both_chains,
    top_function,
    two_top_functions,
    three_functions,
    file_and_line,
    stack_distance,
    either_stack,
)


def rule_title(rule: Rule) -> str:
    """The first line of a rule's docstring."""
    return (rule.__doc__ or "").split("\n")[0].rstrip(".")

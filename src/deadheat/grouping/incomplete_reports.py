"""Reports of one document that lack a side or a function.

DRD reports one side of a race, Helgrind may have lost the other one, and a log may be truncated.
If a run shows another side at the same address, both are sides of one race.

Go 1.27 omits the function that reads a missing key of a map, but not one that reads an element.
So a run may show two maps and for one of them only an element, which is then counted as the
first. If the same actors race for the map on the same line, the element has the position of that map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.grouping.fingerprint import UNKNOWN_SITE, fingerprint_from_sides
from deadheat.grouping.keys import SideKey  # noqa: TC001 - compiled, a named tuple needs it at run time
from deadheat.grouping.links import AlternateKey  # noqa: TC001, mypyc needs it at run time
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from deadheat.grouping.fingerprint import CallChain
    from deadheat.grouping.keys import GroupingKey, OrdinalsByFingerprint, ReportInDocument

    OrdinalsByChains = Mapping[tuple[str, Hashable, tuple[CallChain, ...]], int]

    StreamAndChain = tuple[Hashable, CallChain]  # the stream and call chain of a write


# maximum number of sides compared per address
_MAX_SIDES: Final = 32


class _SidesAtAddress:
    """The sides that one run shows at one address."""

    def __init__(self) -> None:
        # the other side of each function, from two-sided reports
        self._other_sides: dict[str, SideKey] = {}
        # the sides of one-sided reports, and their actors
        self._single_sides: dict[SideKey, set[str]] = {}
        self._candidates: list[SideKey] | None = None
        # the least side and the least side that writes, if all sides are in one function
        self._least_sides: tuple[SideKey | None, SideKey | None] | None = None

    def add(self, key: GroupingKey, actors: frozenset[str]) -> None:
        if key.one_sided:
            self._single_sides.setdefault(known_side(key), set()).update(actors)
        elif len(key.side_keys) == 2:
            for one_side, other_side in (key.side_keys, key.side_keys[::-1]):
                self._other_sides[one_side.name] = min(other_side, self._other_sides.get(one_side.name, other_side))

    def other_side(self, side: SideKey) -> SideKey | None:
        """A side that may race with this one.

        If there are several, any of them is correct, because all concern one variable. The choice
        must be deterministic.
        """
        if side.name in self._other_sides:
            return self._other_sides[side.name]
        if self._candidates is None:
            self._candidates = sorted(self._single_sides)[:_MAX_SIDES]
        return next((candidate for candidate in self._candidates if self._may_race(side, candidate)), None)

    def same_function_side(self, side: SideKey) -> SideKey | None:
        """A side of the same function, if two actors and no other function accessed the address."""
        if len(self._single_sides[side]) < 2 or self._other_sides:
            return None
        if self._least_sides is None:
            is_one_function = len({candidate.name for candidate in self._single_sides}) == 1
            least_writer = min((candidate for candidate in self._single_sides if candidate.writes), default=None)
            self._least_sides = (min(self._single_sides), least_writer) if is_one_function else (None, None)
        least, least_writer = self._least_sides
        return least if side.writes else least_writer

    def _may_race(self, side: SideKey, other_side: SideKey) -> bool:
        """Does one of the sides write, and may different actors have accessed the address?"""
        if side.chain[:1] == other_side.chain[:1] or not (side.writes or other_side.writes):
            return False
        actors, other_actors = self._single_sides[side], self._single_sides[other_side]
        # two lines of one function in one actor do not race
        return len(actors | other_actors) != 1 if side.name != other_side.name else actors != other_actors


SidesByAddress = dict[tuple["Hashable", int], _SidesAtAddress]


def complete_one_sided_reports(reports: list[ReportInDocument]) -> list[ReportInDocument]:
    """Return the reports. One-sided reports are completed with a side at the same address."""
    sides_by_address = {
        (stream, address): _SidesAtAddress() for key, stream, address, _ in reports if key.one_sided and address
    }
    if not sides_by_address:
        return reports
    for key, stream, address, actors in reports:
        if (stream, address) in sides_by_address:
            sides_by_address[stream, address].add(key, actors())
    other_sides = [
        sides_by_address[stream, address].other_side(known_side(key)) if key.one_sided and address else None
        for key, stream, address, _ in reports
    ]
    other_sides = _other_sides_in_function(reports, other_sides)
    other_sides = _same_function_sides(reports, sides_by_address, other_sides)
    # if a side of a function cannot be completed, the function may access further variables
    incomplete_functions = {
        (stream, known_side(key).name)
        for (key, stream, *_), other_side in zip(reports, other_sides, strict=True)
        if key.one_sided and other_side is None
    }
    complete_keys: dict[tuple[int, SideKey], GroupingKey] = {}
    completed = []
    for (key, stream, address, actors), other_side in zip(reports, other_sides, strict=True):
        complete_key = key
        if other_side is not None and incomplete_functions.isdisjoint(
            ((stream, known_side(key).name), (stream, other_side.name))
        ):
            complete_key = complete_keys.get((id(key), other_side)) or _complete_key(key, other_side)
            complete_keys[id(key), other_side] = complete_key
        completed.append((complete_key, stream, address, actors))
    return completed


def _other_sides_in_function(
    reports: list[ReportInDocument], other_sides: list[SideKey | None]
) -> list[SideKey | None]:
    """The other sides, also from other lines of the same function."""
    other_by_function: dict[tuple[Hashable, int, str], SideKey] = {}
    keys = [
        (stream, address, known_side(grouping_key).name if grouping_key.one_sided else "")
        for grouping_key, stream, address, _ in reports
    ]
    for key, other_side in zip(keys, other_sides, strict=True):
        if other_side is not None:
            other_by_function[key] = min(other_side, other_by_function.get(key, other_side))
    return [other_side or other_by_function.get(key) for key, other_side in zip(keys, other_sides, strict=True)]


def _same_function_sides(
    reports: list[ReportInDocument], sides_by_address: SidesByAddress, other_sides: list[SideKey | None]
) -> list[SideKey | None]:
    """The other sides. A function that races with no other function may race with itself."""
    racing_functions = {
        (stream, known_side(key).name)
        for (key, stream, *_), other_side in zip(reports, other_sides, strict=True)
        if key.one_sided and other_side is not None and other_side.name != known_side(key).name
    }
    return [
        sides_by_address[stream, address].same_function_side(known_side(key))
        if other_side is None and key.one_sided and address and (stream, known_side(key).name) not in racing_functions
        else other_side
        for (key, stream, address, _), other_side in zip(reports, other_sides, strict=True)
    ]


def _complete_key(key: GroupingKey, other_side: SideKey) -> GroupingKey:
    side_keys = tuple(sorted([known_side(key), other_side]))
    fingerprint = fingerprint_from_sides(key.kind, [side_key.name for side_key in side_keys])
    return key._replace(
        fingerprint=fingerprint, side_keys=side_keys, one_sided=False, lines_key="", requires=(), provides=()
    )


def known_side(key: GroupingKey) -> SideKey:
    return next(side_key for side_key in key.side_keys if side_key.name != UNKNOWN_SITE)


class MapReport(NamedTuple):
    """A report of a map. It gives the position of elements that are written on the same line."""

    remaining_side: SideKey  # what remains of the reading side
    position: int  # among the ordinals of the fingerprint
    requires: tuple[AlternateKey, ...]
    actors: frozenset[str]


def elements_of_later_maps(
    reports: list[ReportInDocument], ordinals: OrdinalsByChains, ordinals_shown: OrdinalsByFingerprint
) -> dict[tuple[int, Hashable], MapReport]:
    """The reports of elements that do not belong to the first map, by key and stream."""
    maps = _maps_by_writer(reports, ordinals, ordinals_shown)
    map_by_report: dict[tuple[int, Hashable], MapReport] = {}
    for key, stream, _, actors in reports if maps else ():
        if key.fingerprint in ordinals_shown or len(key.side_keys) != 2 or key.has_omitted_function:
            continue
        for writer, reader in (key.side_keys, key.side_keys[::-1]):
            for map_report in maps.get((stream, writer.chain), ()) if writer.writes else ():
                if _may_have_called(map_report.remaining_side, reader) and map_report.actors == actors():
                    known = map_by_report.get((id(key), stream), map_report)
                    map_by_report[id(key), stream] = min(map_report, known)
    return {place: map_report for place, map_report in map_by_report.items() if map_report.position}


def _maps_by_writer(
    reports: list[ReportInDocument], ordinals: OrdinalsByChains, ordinals_shown: OrdinalsByFingerprint
) -> dict[StreamAndChain, list[MapReport]]:
    """The map reports with an omitted reader and several ordinals, by writer."""
    maps: dict[StreamAndChain, list[MapReport]] = {}
    for key, stream, _, actors in reports:
        shown_ordinals = ordinals_shown.get(key.fingerprint)
        if shown_ordinals is None or not key.has_omitted_function:
            continue
        position = shown_ordinals.index(ordinals.get((key.fingerprint, stream, key.call_chains), 0))
        remaining_side = next(side for side in key.side_keys if side.function_omitted)
        for side in key.side_keys:
            if side.chain and side.writes:
                map_report = MapReport(remaining_side, position, key.requires, actors())
                maps.setdefault((stream, side.chain), []).append(map_report)
    return maps


def _may_have_called(side: SideKey, reader: SideKey) -> bool:
    return not side.chain or side.name in reader.callers or go.is_test_function(side.function)

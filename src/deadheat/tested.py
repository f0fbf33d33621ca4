"""The test to blame for each side of a race: from the stacks first, then from what `go test` told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat.harness import Harness, Package, leaves
from deadheat.model import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.model import Sighting

    Read = Callable[[int], bytes]

# so many sightings wait for their tests to end
_MOST = 4096
_DETECTORS = ("go", "go-fatal")


def listening(read: Read, harness: Harness) -> Read:
    """Reads as `read` does, and lets the harness hear it."""

    def heard(size: int) -> bytes:
        block = read(size)
        if block:
            harness.feed(block)
        else:
            harness.finish()
        return block

    return heard


def blamed(sightings: Iterable[Sighting], harness: Harness, live: bool) -> Iterator[Sighting]:
    """The sightings with the tests that ran them; those wait for their tests to end, unless `live`."""
    waiting: list[Sighting] = []
    for sighting in sightings:
        if live or not (harness.heard or waiting):
            yield _blamed(sighting, harness)
            continue
        waiting.append(sighting)
        if len(waiting) >= _MOST:
            yield from (_blamed(one, harness) for one in waiting)
            waiting = []
    yield from (_blamed(one, harness) for one in waiting)


def _blamed(sighting: Sighting, harness: Harness) -> Sighting:
    if not harness.heard or _detector(sighting) not in _DETECTORS:
        return sighting
    span = sighting.span
    package = harness.package(span.offset, span.lane)
    known = _known(sighting)
    told = tuple(_refined(test, package, span.offset) for test in known)
    if told == known:
        return sighting
    return sighting._replace(told=with_tests(sighting.report, told))


def _detector(sighting: Sighting) -> str:
    told = sighting.told
    return told.detector if isinstance(told, Report) else str(told.dialect.name)


def _known(sighting: Sighting) -> tuple[str | None, ...]:
    """The tests that the stacks name, side by side; the same for all echoes of a report."""
    if isinstance(sighting.told, Report):
        return tests(sighting.told)
    notes = sighting.told.notes
    if "tests" not in notes:
        notes["tests"] = tests(sighting.report)
    known: tuple[str | None, ...] = notes["tests"]
    return known


def tests(report: Report) -> tuple[str | None, ...]:
    """The test of each side."""
    return tuple(access.test or report.test for access in report.accesses)


def with_tests(report: Report, told: tuple[str | None, ...]) -> Report:
    """The report with these tests: the first one is its own, a side has one where it differs."""
    own = next(filter(None, told), None)
    sides = zip(report.accesses, told, strict=True)
    accesses = tuple(replace(a, test=test if test != own else None) for a, test in sides)
    return replace(report, test=own, accesses=accesses)


def _refined(test: str | None, package: Package, offset: int) -> str | None:
    """The sub-test of a test that a stack names, or the one test that can have been it."""
    running = package.running(offset)
    racing = package.raced & running
    if test is not None:
        signs = [package.raced, racing, running]
    else:  # one that has ended, or not begun, cannot have been it
        signs = [racing, running] if running else [package.raced]
    for told in signs:
        fitting = leaves({t for t in told if t and (test is None or test in t.split("/"))})
        if len(fitting) == 1:
            return fitting.pop()
    return test

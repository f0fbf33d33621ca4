"""Scores along a line of commits: runs of neighbours with equal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.code.history import Change


class Sum(NamedTuple):
    """The score of frames: `fits` weighs those in their functions, `score` what they do."""

    fits: int
    score: int

    def plus(self, other: Sum) -> Sum:
        return Sum(self.fits + other.fits, self.score + other.score)

    def minus(self, other: Sum) -> Sum:
        return Sum(self.fits - other.fits, self.score - other.score)


NOTHING = Sum(0, 0)


class Run(NamedTuple):
    """Neighbouring commits with equal scores."""

    first: int
    last: int
    sum: Sum

    @property
    def score(self) -> int:
        return self.sum.score

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def pieces(versions: list[Change], runs: list[Run]) -> Iterator[tuple[int, int, str]]:
    """The ranges of each file version within the runs: first, end (exclusive), content."""
    at = 0
    for run in runs:
        while at + 1 < len(versions) and versions[at + 1].pos <= run.first:
            at += 1
        while at < len(versions) and versions[at].pos <= run.last:
            end = versions[at + 1].pos if at + 1 < len(versions) else run.last + 1
            if blob := versions[at].blob:
                yield max(versions[at].pos, run.first), min(end, run.last + 1), blob
            if end > run.last:
                break
            at += 1


def add(steps: dict[int, Sum], first: int, end: int, gain: Sum) -> None:
    steps[first] = steps.get(first, NOTHING).plus(gain)
    steps[end] = steps.get(end, NOTHING).minus(gain)


def runs_of(steps: dict[int, Sum]) -> list[Run]:
    """The runs between the steps, joined if the score does not change."""
    runs: list[Run] = []
    total, before = NOTHING, 0
    for pos in sorted(steps):
        if total.score:
            _join(runs, Run(before, pos - 1, total))
        total = total.plus(steps[pos])
        before = pos
    return runs


def _join(runs: list[Run], run: Run) -> None:
    if runs and runs[-1].sum == run.sum and runs[-1].last + 1 == run.first:
        run = Run(runs.pop().first, run.last, run.sum)
    runs.append(run)


def widened(run: Run, runs: list[Run]) -> Run:
    """The run together with neighbours in which as many frames are in their functions.

    If this more than doubles the run, there are too few frames to be reliable: the run stays as it is.
    """
    at = runs.index(run)
    first = last = at
    while first and _goes_on(runs[first - 1], runs[first]):
        first -= 1
    while last + 1 < len(runs) and _goes_on(runs[last], runs[last + 1]):
        last += 1
    wide = Run(runs[first].first, runs[last].last, run.sum)
    return wide if wide.length <= 2 * run.length else run


def _goes_on(run: Run, after: Run) -> bool:
    return run.last + 1 == after.first and run.sum.fits == after.sum.fits

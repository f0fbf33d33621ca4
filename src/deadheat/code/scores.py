"""Scores commits by how well they fit the frames of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.code import lines
from deadheat.code.sweep import NOTHING, Run, Sum, add, pieces, runs_of
from deadheat.code.window import Revision

if TYPE_CHECKING:
    from deadheat.code.asking import Asked
    from deadheat.code.clone import Clone
    from deadheat.code.history import Line

# outer frames are checked only in runs with at least this share of the best racing score
_WORTH = 0.6


class Scores:
    """Checks the claims of frames in file versions; racing frames first, which exclude most versions."""

    def __init__(self, clone: Clone, asked: list[Asked], end: int | None = None) -> None:
        self._clone, self._asked = clone, asked
        self._end = end  # positions of the main line from here on are ignored
        self._racing = [a for a in asked if a.racing] or asked
        self._outer = [a for a in asked if a not in self._racing]
        self.most = lines.DOES * sum(a.weight for a in asked)

    def runs(self, line: Line) -> list[Run]:
        """Neighbouring commits of a line with equal scores."""
        last = len(line.commits) - 1
        if self._end is not None and line is self._clone.main:
            last = min(last, self._end - 1)
        runs = self._sweep(line, self._racing, [Run(0, last, NOTHING)])
        if self._outer and runs:
            most = max(run.score for run in runs)
            runs = self._sweep(line, self._outer, [r for r in runs if r.score >= _WORTH * most])
        return runs

    def _sweep(self, line: Line, asked: list[Asked], runs: list[Run]) -> list[Run]:
        """Adds the scores of these frames to the runs and splits them where a score changes."""
        steps: dict[int, Sum] = {}
        for run in runs:
            add(steps, run.first, run.last + 1, run.sum)
        for one in asked:
            for path in self._clone.paths(one.frame):
                self._step(line, one, path, runs, steps)
        return runs_of(steps)

    def _step(
        self, line: Line, one: Asked, path: str, runs: list[Run], steps: dict[int, Sum]
    ) -> None:
        parts = list(pieces(line.versions(path), runs))
        grades = self._clone.grades(one.claim, (blob for _, _, blob in parts))
        for first, end, blob in parts:
            if gain := grades.get(blob, 0) * one.weight:
                # a window may widen if a caller line changes, not if a racing line does
                fits = not one.racing or grades[blob] == lines.DOES
                add(steps, first, end, Sum(one.weight * fits, gain))

    def revisions(self, names: dict[str, str], least: int) -> list[Revision]:
        """The revisions with at least this score."""
        rest = lines.DOES * sum(a.weight for a in self._outer)
        scores = self.scored(list(names.values()), self._racing)
        close = {n: c for n, c in names.items() if scores.get(c, 0) and scores[c] + rest >= least}
        more = self.scored(list(close.values()), self._outer)
        found = [Revision(n, c, scores[c] + more.get(c, 0)) for n, c in close.items()]
        return [r for r in found if r.score >= least]

    def scored(self, commits: list[str], asked: list[Asked]) -> dict[str, int]:
        """The score of each commit, on any line."""
        commits = list(dict.fromkeys(commits))
        paths = list(dict.fromkeys(p for a in asked for p in self._clone.paths(a.frame)))
        blobs = self._clone.blobs(commits, paths)
        scores = dict.fromkeys(commits, 0)
        for one in asked:
            for path in self._clone.paths(one.frame):
                here = {c: blob for c in commits if (blob := blobs.get((c, path)))}
                grades = self._clone.grades(one.claim, here.values())
                for commit, blob in here.items():
                    scores[commit] += grades.get(blob, 0) * one.weight
        return scores

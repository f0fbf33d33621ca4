"""The window of commits whose source fits a report's frames."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import asking, lines
from deadheat.code.history import SideLine
from deadheat.code.sweep import NOTHING, Run, Sum, add, pieces, runs_of, widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.asking import Asked
    from deadheat.code.clone import Clone
    from deadheat.code.history import Line
    from deadheat.model import Frame, Report

# a place is worth the closer look that outer frames take if it does this well on the racing ones
_WORTH = 0.6
# "refs/heads/release-5.2", "refs/remotes/origin/v1.12.x", "refs/heads/5.0-stable"
_RELEASE = re.compile(
    r"refs/(?:heads|remotes/[^/]+)/(?:.*(?:release|stable|branch).*|[vV]?\d+\.\d+\S*)$"
)
_BRANCHES = 12
_NUMBERS = re.compile(r"\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d$")


class Found(NamedTuple):
    """A run of a line that does best, and its neighbours in which the frames lie where they should."""

    line: Line
    run: Run
    wide: Run

    def window(self, run: Run) -> Window:
        commits = self.line.commits
        return Window(self.line.name, commits[run.first], commits[run.last], run.length)


@dataclass(frozen=True, slots=True)
class Window:
    """Commits of one line, from first to last."""

    line: str
    first: str
    last: str
    commits: int


@dataclass(frozen=True, slots=True)
class Pin:
    """Where a report's frames fit: each lies in its function, in `surest` each does what it says."""

    window: Window
    surest: Window
    frames: int
    fitting: int
    tags: tuple[str, ...]
    misfits: tuple[Frame, ...]
    ties: tuple[Window, ...]  # others that do as well
    named: str | None  # what the document names, where that decided
    absent: tuple[Frame, ...]  # frames whose file this repository never had
    ambiguous: tuple[Frame, ...]
    main: Window | None = None  # the best of the main line, where a side line does better

    @property
    def exact(self) -> bool:
        """Does every frame fit? If not, the window is the best base of a version not seen here."""
        return self.fitting == self.frames


def cut(clone: Clone, found: Pin, before: int) -> Pin:
    """The pin without the commits from a place on: a report does not come from after its fix."""
    main = clone.main
    ends = {}
    for name, window in (("window", found.window), ("surest", found.surest)):
        first, last = main.position(window.first), main.position(window.last)
        if first is None or last is None or not first < before <= last:
            ends[name] = window
            continue
        ends[name] = Window(window.line, window.first, main.commits[before - 1], before - first)
    return replace(found, window=ends["window"], surest=ends["surest"])


def pin(clone: Clone, report: Report, candidates: Sequence[str] = ()) -> Pin | None:
    """The window in which a report's frames fit best; None if none of its files is known.

    `candidates` are revisions and dates that the document names: checked like any other.
    """
    every = asking.claims(report)
    asked = [a for a in every if clone.paths(a.frame)]
    if not asked or not clone.main.tip:
        return None
    return _Pinning(clone, asked, [a.frame for a in every if a not in asked]).pin(candidates)


class _Pinning:
    def __init__(self, clone: Clone, asked: list[Asked], absent: list[Frame]) -> None:
        self._clone, self._asked, self._absent = clone, asked, absent

    def pin(self, candidates: Sequence[str]) -> Pin | None:
        best = self._best(self._clone.main)
        score = best[0].run.score if best else 0
        fitting = self._revisions(self._tags(), score)
        if any(r.score > score for r in fitting):
            best = self._sides(fitting)
            score = best[0].run.score if best else 0
        if not best:
            return None
        tags = sorted(r.name for r in fitting if r.score == score)
        named = self._named(candidates, score)
        chosen = named[1] if named else self._newest(best, candidates)
        told = self._told(chosen, best, tags, named)
        if told is None or chosen.line is self._clone.main:
            return told
        return replace(told, main=self._base())

    def _best(self, line: Line) -> list[Found]:
        """The runs of a line that do best, oldest first."""
        runs = self._runs(line)
        most = max((run.score for run in runs), default=0)
        return [Found(line, r, widened(r, runs)) for r in runs if r.score == most]

    def _base(self) -> Window | None:
        """Where on the main line the frames lie best, whatever they do: where a side line began."""
        runs = self._runs(self._clone.main)
        best = max(runs, key=lambda run: (run.sum.fits, run.score), default=None)
        if best is None:
            return None
        found = Found(self._clone.main, best, widened(best, runs))
        return found.window(found.wide)

    def _runs(self, line: Line) -> list[Run]:
        racing = [a for a in self._asked if a.racing] or self._asked
        runs = self._sweep(line, racing, [Run(0, len(line.commits) - 1, NOTHING)])
        outer = [a for a in self._asked if a not in racing]
        if outer and runs:
            most = max(run.score for run in runs)
            runs = self._sweep(line, outer, [r for r in runs if r.score >= _WORTH * most])
        return runs

    def _sweep(self, line: Line, asked: list[Asked], runs: list[Run]) -> list[Run]:
        """Adds the scores of these frames to the runs, which break where a score changes."""
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
                # a window may widen over what callers do, not over what the racing lines do
                fits = not one.racing or grades[blob] == lines.DOES
                add(steps, first, end, Sum(one.weight * fits, gain))

    def _tags(self) -> dict[str, str]:
        refs = self._clone.git.refs
        return {
            name.removeprefix("refs/tags/"): commit
            for name, commit in refs.items()
            if name.startswith("refs/tags/")
        }

    def _revisions(self, names: dict[str, str], least: int) -> list[Revision]:
        """The revisions that do at least so well."""
        racing = [a for a in self._asked if a.racing] or self._asked
        outer = [a for a in self._asked if a not in racing]
        rest = lines.DOES * sum(a.weight for a in outer)
        scores = self._scored(list(names.values()), racing)
        close = {n: c for n, c in names.items() if scores.get(c, 0) and scores[c] + rest >= least}
        more = self._scored(list(close.values()), outer)
        found = [Revision(n, c, scores[c] + more.get(c, 0)) for n, c in close.items()]
        return [r for r in found if r.score >= least]

    def _scored(self, commits: list[str], asked: list[Asked]) -> dict[str, int]:
        """The score of each commit, wherever it lies."""
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

    def _sides(self, fitting: list[Revision]) -> list[Found]:
        """The best runs on the release lines of the revisions that do better than the main line."""
        best: list[Found] = []
        score = max(r.score for r in fitting)
        seen: set[str] = set()
        for revision in sorted(r for r in fitting if r.score == score):
            if revision.commit not in seen:
                side = self._side(revision)
                seen.update(side.commits)
                best += self._best(side) if side.commits else []
        score = max((found.run.score for found in best), default=0)
        return [found for found in best if found.run.score == score]

    def _side(self, revision: Revision) -> SideLine:
        return SideLine(self._clone.git, self._clone.main, *self._branch(revision))

    def _branch(self, revision: Revision) -> tuple[str, str]:
        """The release branch that carries a tag, by its numbers; else the tag itself."""
        git, numbers = self._clone.git, _NUMBERS.findall(revision.name)[:2]
        named = [
            (name, tip)
            for name, tip in git.refs.items()
            if _RELEASE.match(name) and _NUMBERS.findall(name.rpartition("/")[2])[:2] == numbers
        ]
        for name, tip in sorted(named, key=lambda ref: len(ref[0]))[:_BRANCHES]:
            if revision.commit in git.lines("rev-list", "--first-parent", "-n", "5000", tip):
                return name.partition("/")[2].partition("/")[2], tip
        return revision.name, revision.commit

    def _named(self, candidates: Sequence[str], score: int) -> tuple[str, Found] | None:
        """The revision among the candidates that does as well as any."""
        for name in candidates:
            commit = None if _DATE.match(name) else self._clone.resolve(name)
            if commit is None or not self._revisions({name: commit}, score):
                continue
            line: Line = self._clone.main
            if commit not in line.commits:
                line = self._side(Revision(name, commit, score))
            at = line.commits.index(commit)
            run = Run(at, at, Sum(0, score))
            return name, Found(line, run, run)
        return None

    def _newest(self, best: list[Found], candidates: Sequence[str]) -> Found:
        """The newest of the best, on the main line if it has one; not after a date that is named."""
        best = [f for f in best if self._shares(f)] or best
        days = [name for name in candidates if _DATE.match(name)]
        if days:
            end = datetime.fromisoformat(min(days)).replace(tzinfo=UTC) + timedelta(days=2)
            last = self._clone.main.before(int(end.timestamp()))
            best = [f for f in best if f.line is self._clone.main and f.run.first <= last] or best
        return max(best, key=lambda f: (f.line is self._clone.main, f.run.last))

    def _shares(self, found: Found) -> bool:
        """Do the racing lines name something in common there? Two accesses to one variable mostly do."""
        commit = found.line.commits[found.run.last]
        racing = [a for a in self._asked if a.racing]
        blobs = self._clone.blobs([commit], [p for a in racing for p in self._clone.paths(a.frame)])
        said = []
        for one in racing:
            here = (blobs.get((commit, p)) for p in self._clone.paths(one.frame))
            source = next((s for b in here if b and (s := self._clone.git.object(b))), b"")
            said.append(lines.touched_names(lines.text(source, one.claim.line) or b""))
        return len(said) > 1 and bool(set.intersection(*said))

    def _told(
        self, chosen: Found, best: list[Found], tags: list[str], named: tuple[str, Found] | None
    ) -> Pin | None:
        at = chosen.line.commits[chosen.run.last]
        blobs = self._clone.blobs([at], self._paths())
        misfits = [a.frame for a in self._asked if not self._fits(a, at, blobs)]
        if len(misfits) == len(self._asked):
            return None
        frames = {_place(a.frame) for a in self._asked}
        return Pin(
            chosen.window(chosen.wide),
            chosen.window(chosen.run),
            len(frames),
            len(frames - set(map(_place, misfits))),
            tuple(tags),
            tuple(misfits),
            tuple(f.window(f.run) for f in best if f is not chosen and not named),
            named[0] if named else None,
            tuple(self._absent),
            tuple(a.frame for a in self._asked if self._is_ambiguous(a, at, blobs)),
        )

    def _paths(self) -> list[str]:
        return list(dict.fromkeys(p for a in self._asked for p in self._clone.paths(a.frame)))

    def _fits(self, one: Asked, commit: str, blobs: dict[tuple[str, str], str]) -> bool:
        here = [b for p in self._clone.paths(one.frame) if (b := blobs.get((commit, p)))]
        grades = self._clone.grades(one.claim, here)
        return any(grades.get(blob, 0) >= lines.COULD for blob in here)

    def _is_ambiguous(self, one: Asked, commit: str, blobs: dict[tuple[str, str], str]) -> bool:
        return sum((commit, p) in blobs for p in self._clone.paths(one.frame)) > 1


class Revision(NamedTuple):
    """A tag or branch, and how well it does."""

    name: str
    commit: str
    score: int


def _place(frame: Frame) -> tuple[str, int | None]:
    return frame.path or frame.file, frame.line

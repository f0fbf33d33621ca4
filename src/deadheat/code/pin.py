"""Finds the window of commits whose source fits the frames of a report."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from deadheat.code import asking, lines
from deadheat.code.scores import Scores
from deadheat.code.sweep import Run, widened
from deadheat.code.window import Found, Pin, Revision, Window
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.asking import Asked
    from deadheat.code.clone import Clone
    from deadheat.code.history import Line
    from deadheat.model import Frame, Report

# how many side branches are searched, and their least share of the best score
_SIDES, _NEAR = 3, 0.8
# least share of the best score for runs with a common name, and how many are checked
_ALMOST, _LOOKS = 0.85, 24
_NUMBERS = re.compile(r"\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d$")


def cut(clone: Clone, found: Pin, before: int) -> Pin:
    """The pin without the commits from a position on: a report is older than its fix."""
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
    """The window that fits the frames of a report best; None if none of its files is known.

    `candidates` are revisions and dates that the document names; they are checked like any other.
    """
    every = asking.claims(report)
    asked = [a for a in every if clone.paths(a.frame)]
    if not asked or not clone.main.tip:
        return None
    absent = [a.frame for a in every if a not in asked and _is_written(a.frame)]
    # a commit that quotes the report is later than the report
    known = min(clone.messages.quoting(report).report, default=None)
    found = _Pinning(clone, asked, absent, known).pin(candidates) if known else None
    return found or _Pinning(clone, asked, absent).pin(candidates)


def fit(clone: Clone, report: Report, commit: str) -> tuple[int, int]:
    """How many of the known frames fit a commit, and how many there are."""
    asked = [a for a in asking.claims(report) if clone.paths(a.frame)]
    return _Pinning(clone, asked, []).fit(commit)


class _Pinning:
    def __init__(
        self, clone: Clone, asked: list[Asked], absent: list[Frame], end: int | None = None
    ) -> None:
        self._clone, self._asked, self._absent = clone, asked, absent
        self._scores = Scores(clone, asked, end)

    def pin(self, candidates: Sequence[str]) -> Pin | None:
        best = self._best(self._clone.main)
        score = best[0].run.score if best else 0
        fitting = self._scores.revisions(self._clone.tags, 0)
        aside = self._aside(fitting, score)
        if aside and aside[0].run.score > score:
            best, score = aside, aside[0].run.score
        if not best:
            return None
        tags = sorted(r.name for r in fitting if r.score == score)
        named = self._named(best, candidates, score)
        chosen = named[1] if named else self._newest(best, candidates)
        told = self._told(chosen, best, tags, named)
        if told is None or chosen.line is self._clone.main:
            return told
        return replace(told, main=self._base())

    def _best(self, line: Line) -> list[Found]:
        """The runs of a line with the best score, oldest first."""
        runs = self._scores.runs(line)
        most = max((run.score for run in runs), default=0)
        best = [Found(line, r, widened(r, runs)) for r in runs if r.score == most]
        if not best or any(self._is_plain(found) or self._shares(found) for found in best):
            return best
        # no certain racing line: prefer a run in which the racing lines have a name in common
        near = sorted((r for r in runs if most > r.score >= _ALMOST * most), key=lambda r: -r.score)
        for run in near[:_LOOKS]:
            if self._shares(found := Found(line, run, widened(run, runs))):
                return [found]
        return best

    def _is_plain(self, found: Found) -> bool:
        """Whether each racing line does what its frame claims."""
        racing = [a for a in self._asked if a.racing]
        commit = found.line.commits[found.run.last]
        return self._scores.scored([commit], racing)[commit] == lines.DOES * sum(
            a.weight for a in racing
        )

    def _base(self) -> Window | None:
        """The window of the main line that contains most frames: the base of a side branch."""
        runs = self._scores.runs(self._clone.main)
        best = max(runs, key=lambda run: (run.sum.fits, run.score), default=None)
        if best is None:
            return None
        found = Found(self._clone.main, best, widened(best, runs))
        return found.window(found.wide)

    def _aside(self, fitting: list[Revision], score: int) -> list[Found]:
        """The best runs on side branches that may be better than the main line.

        A report from the middle of a release branch fits neither a tag nor the tip exactly, but nearly.
        """
        if score == self._scores.most:
            return []
        tips = self._scores.revisions(self._clone.branches, 0)
        near = [r for r in {*fitting, *tips} if r.score >= _NEAR * score and self._is_aside(r)]
        near.sort(key=lambda r: (-r.score, r.name))
        found: list[Found] = []
        searched: dict[str, Line] = {}
        for revision in near:
            if any(revision.commit in line.commits for line in searched.values()):
                continue
            if len(searched) == _SIDES:
                break
            side = self._side(revision)
            searched[side.name] = side
            found += self._best(side) if side.commits else []
        most = max((f.run.score for f in found), default=0)
        return [f for f in found if f.run.score == most]

    def _is_aside(self, revision: Revision) -> bool:
        return self._clone.main.position(revision.commit) is None

    def _side(self, revision: Revision) -> Line:
        return self._clone.beside.line(*self._branch(revision))

    def _branch(self, revision: Revision) -> tuple[str, str]:
        """The release branch that contains a revision, by version number; else the revision itself."""
        branches, numbers = self._clone.branches, _NUMBERS.findall(revision.name)[:2]
        if revision.name in branches:
            return revision.name, revision.commit
        for name, tip in sorted(branches.items(), key=lambda branch: len(branch[0])):
            if _NUMBERS.findall(name)[:2] == numbers:
                line = self._clone.beside.line(name, tip)
                if revision.commit in line.commits:
                    return name, tip
        return revision.name, revision.commit

    def _named(
        self, best: list[Found], candidates: Sequence[str], score: int
    ) -> tuple[str, Found] | None:
        """The first candidate revision with the best score, and the run around it."""
        for name in candidates:
            commit = None if _DATE.match(name) else self._clone.resolve(name)
            if commit is None or not self._scores.revisions({name: commit}, score):
                continue
            around = self._around(best, commit)
            if around is None:
                around = self._around(self._best(self._side(Revision(name, commit, score))), commit)
            if around is not None:
                at = around.line.commits.index(commit)
                return name, around._replace(run=Run(at, at, around.run.sum))
        return None

    def _around(self, best: list[Found], commit: str) -> Found | None:
        """The run whose window contains a commit."""
        for found in best:
            if commit in found.line.commits[found.wide.first : found.wide.last + 1]:
                return found
        return None

    def _newest(self, best: list[Found], candidates: Sequence[str]) -> Found:
        """The newest of the best runs, preferably on the main line; not after a date that is given."""
        best = [f for f in best if self._shares(f)] or best
        days = [name for name in candidates if _DATE.match(name)]
        if days:
            end = datetime.fromisoformat(min(days)).replace(tzinfo=UTC) + timedelta(days=2)
            last = self._clone.main.before(int(end.timestamp()))
            best = [f for f in best if f.line is self._clone.main and f.run.first <= last] or best
        return max(best, key=lambda f: (f.line is self._clone.main, f.run.last))

    def _shares(self, found: Found) -> bool:
        """Whether the racing lines have a name in common. Two accesses to one variable usually do."""
        commit = found.line.commits[found.run.last]
        racing = [a for a in self._asked if a.racing]
        blobs = self._clone.blobs([commit], [p for a in racing for p in self._clone.paths(a.frame)])
        said = []
        for one in racing:
            here = (blobs.get((commit, p)) for p in self._clone.paths(one.frame))
            source = next((s for b in here if b and (s := self._clone.git.object(b))), b"")
            said.append(lines.touched_names(lines.text(source, one.claim.line) or b""))
        return len(said) > 1 and bool(set.intersection(*said))

    def fit(self, commit: str) -> tuple[int, int]:
        misfits = self._misfits(commit, self._clone.blobs([commit], self._paths()))
        frames = {_place(a.frame) for a in self._asked}
        return len(frames - set(map(_place, misfits))), len(frames)

    def _misfits(self, commit: str, blobs: dict[tuple[str, str], str]) -> list[Frame]:
        return [a.frame for a in self._asked if not self._fits(a, commit, blobs)]

    def _told(
        self, chosen: Found, best: list[Found], tags: list[str], named: tuple[str, Found] | None
    ) -> Pin | None:
        at = chosen.line.commits[chosen.run.last]
        blobs = self._clone.blobs([at], self._paths())
        misfits = self._misfits(at, blobs)
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
            tuple(f.window(f.run) for f in best if f.wide != chosen.wide or f.line != chosen.line),
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


def _is_written(frame: Frame) -> bool:
    """Whether a frame's file can be in a repository, and is not generated."""
    made = frame.origin in (Origin.TEST, Origin.GENERATED) or frame.file.endswith("testmain.go")
    return not made


def _place(frame: Frame) -> tuple[str, int | None]:
    return frame.path or frame.file, frame.line

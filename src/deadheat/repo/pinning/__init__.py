"""Finds the window of commits whose source fits the frames of a report."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.function_names import is_test_file
from deadheat.model import Origin
from deadheat.repo.pinning import line_claims

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Frame, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.git.history import CommitLine, FileVersion, SideBranch
    from deadheat.repo.pinning.line_claims import FrameClaim


@dataclass(frozen=True, slots=True)
class CommitWindow:
    line_name: str
    first: str
    last: str
    commit_count: int


@dataclass(frozen=True, slots=True)
class Pin:
    """The commits that fit a report."""

    window: CommitWindow  # each frame is in its function
    best_window: CommitWindow  # each line does what its frame claims
    frame_count: int
    fitting_count: int
    tags: tuple[str, ...]
    misfits: tuple[Frame, ...]
    ties: tuple[CommitWindow, ...]  # other windows with the same score
    named_revision: str | None  # the revision in the document that decided
    absent_frames: tuple[Frame, ...]  # frames whose file was never in this repository
    ambiguous_frames: tuple[Frame, ...]
    main_line_window: CommitWindow | None = None  # the best window of the main line, if a side branch is better

    @property
    def is_exact(self) -> bool:
        """Whether every frame fits. If not, the clone does not contain the version of the report."""
        return self.fitting_count == self.frame_count


class ScoredRevision(NamedTuple):
    """A tag or branch with its score."""

    name: str
    commit: str
    score: int


class FrameScore(NamedTuple):
    """The score of frames: `fits` weighs those in their functions, `score` what they do."""

    fits: int
    score: int

    def plus(self, other: FrameScore) -> FrameScore:
        return FrameScore(self.fits + other.fits, self.score + other.score)


ZERO_SCORE = FrameScore(0, 0)


class CommitRun(NamedTuple):
    """Neighbouring commits with equal scores."""

    first: int
    last: int
    total: FrameScore

    @property
    def score(self) -> int:
        return self.total.score

    @property
    def length(self) -> int:
        return self.last - self.first + 1


class MatchedRun(NamedTuple):
    """A run with the best score, and the same run widened over neighbours in which the frames fit."""

    commit_line: CommitLine
    run: CommitRun
    wide_run: CommitRun

    @property
    def last_commit(self) -> str:
        return self.commit_line.commits[self.run.last]

    def to_window(self, run: CommitRun) -> CommitWindow:
        commits = self.commit_line.commits
        return CommitWindow(self.commit_line.name, commits[run.first], commits[run.last], run.length)


def version_ranges(versions: list[FileVersion], runs: list[CommitRun]) -> Iterator[tuple[int, int, str]]:
    """The ranges of each file version within the runs: first, end (exclusive), content."""
    index = 0
    for run in runs:
        while index + 1 < len(versions) and versions[index + 1].pos <= run.first:
            index += 1
        while index < len(versions) and versions[index].pos <= run.last:
            end = versions[index + 1].pos if index + 1 < len(versions) else run.last + 1
            if blob := versions[index].blob:
                yield max(versions[index].pos, run.first), min(end, run.last + 1), blob
            if end > run.last:
                break
            index += 1


def add_score(steps: dict[int, FrameScore], first: int, end: int, gain: FrameScore) -> None:
    steps[first] = steps.get(first, ZERO_SCORE).plus(gain)
    steps[end] = steps.get(end, ZERO_SCORE).plus(FrameScore(-gain.fits, -gain.score))


def build_runs(steps: dict[int, FrameScore]) -> list[CommitRun]:
    """The runs between the steps, joined if the score does not change."""
    runs: list[CommitRun] = []
    total, before = ZERO_SCORE, 0
    for pos in sorted(steps):
        if total.score:
            continues = runs and runs[-1].total == total and runs[-1].last + 1 == before
            runs.append(CommitRun(runs.pop().first if continues else before, pos - 1, total))
        total = total.plus(steps[pos])
        before = pos
    return runs


def widen_run(run: CommitRun, runs: list[CommitRun]) -> CommitRun:
    """The run together with neighbours in which as many frames are in their functions."""
    index = runs.index(run)
    first_index = last_index = index
    while first_index and _continues_run(runs[first_index - 1], runs[first_index]):
        first_index -= 1
    while last_index + 1 < len(runs) and _continues_run(runs[last_index], runs[last_index + 1]):
        last_index += 1
    wide_run = CommitRun(runs[first_index].first, runs[last_index].last, run.total)
    # if this more than doubles the run, there are too few frames to be reliable
    return wide_run if wide_run.length <= 2 * run.length else run


def _continues_run(run: CommitRun, after: CommitRun) -> bool:
    return run.last + 1 == after.first and run.total.fits == after.total.fits


# outer frames are checked only in runs with at least this share of the best racing score
_MIN_RACING_SHARE = 0.6


class CommitScorer:
    """Checks the claims of frames in file versions; racing frames first, which exclude most versions."""

    def __init__(self, clone: Clone, claims: list[FrameClaim], end: int | None = None) -> None:
        self._clone, self._claims = clone, claims
        self._end_position = end  # positions of the main line from here on are ignored
        self._racing_claims = [claim for claim in claims if claim.is_racing] or claims
        self._outer_claims = [claim for claim in claims if claim not in self._racing_claims]
        self.max_score = line_claims.GRADE_MATCH * sum(claim.weight for claim in claims)

    def scored_runs(self, commit_line: CommitLine) -> list[CommitRun]:
        """Neighbouring commits of a line with equal scores."""
        last = len(commit_line.commits) - 1
        if self._end_position is not None and commit_line is self._clone.main:
            last = min(last, self._end_position - 1)
        runs = self._add_scores(commit_line, self._racing_claims, [CommitRun(0, last, ZERO_SCORE)])
        if self._outer_claims and runs:
            min_score = _MIN_RACING_SHARE * max(run.score for run in runs)
            runs = self._add_scores(commit_line, self._outer_claims, [run for run in runs if run.score >= min_score])
        return runs

    def _add_scores(self, commit_line: CommitLine, claims: list[FrameClaim], runs: list[CommitRun]) -> list[CommitRun]:
        """Adds the scores of these frames to the runs and splits them where a score changes."""
        steps: dict[int, FrameScore] = {}
        for run in runs:
            add_score(steps, run.first, run.last + 1, run.total)
        for frame_claim in claims:
            for path in self._clone.paths_of(frame_claim.frame):
                ranges = list(version_ranges(commit_line.file_versions(path), runs))
                grades = self._clone.claim_grades(frame_claim.claim, (blob for _, _, blob in ranges))
                for first, end, blob in ranges:
                    if gain := grades.get(blob, 0) * frame_claim.weight:
                        # a window may widen if a caller line changes, not if a racing line does
                        fits = not frame_claim.is_racing or grades[blob] == line_claims.GRADE_MATCH
                        add_score(steps, first, end, FrameScore(frame_claim.weight * fits, gain))
        return build_runs(steps)

    def score_revisions(self, names: dict[str, str], min_score: int) -> list[ScoredRevision]:
        max_outer = line_claims.GRADE_MATCH * sum(claim.weight for claim in self._outer_claims)
        scores = self.score_commits(list(names.values()), self._racing_claims)
        near_names = {n: c for n, c in names.items() if scores.get(c, 0) and scores[c] + max_outer >= min_score}
        outer_scores = self.score_commits(list(near_names.values()), self._outer_claims)
        found = [ScoredRevision(n, c, scores[c] + outer_scores.get(c, 0)) for n, c in near_names.items()]
        return [r for r in found if r.score >= min_score]

    def score_commits(self, commits: list[str], claims: list[FrameClaim]) -> dict[str, int]:
        """The score of each commit, on any line."""
        commits = list(dict.fromkeys(commits))
        paths = list(dict.fromkeys(p for claim in claims for p in self._clone.paths_of(claim.frame)))
        blobs = self._clone.blobs_at(commits, paths)
        scores = dict.fromkeys(commits, 0)
        for frame_claim in claims:
            for path in self._clone.paths_of(frame_claim.frame):
                blob_by_commit = {c: blob for c in commits if (blob := blobs.get((c, path)))}
                grades = self._clone.claim_grades(frame_claim.claim, blob_by_commit.values())
                for commit, blob in blob_by_commit.items():
                    scores[commit] += grades.get(blob, 0) * frame_claim.weight
        return scores


# how many side branches are searched, and their least share of the best score; and how many by their commits
_MAX_SIDE_BRANCHES, _MIN_SIDE_SHARE, _MAX_SIDE_COMMITS = 3, 0.8, 3
# if no commit has every frame, the least share of the best score for a commit before a fix
_MIN_EARLIER_SHARE = 0.8
# frames of a log that are compared
_MAX_LOG_CLAIMS = 200
# least share of the best score for runs with a common name, and how many are checked
_MIN_COMMON_NAME_SHARE, _MAX_COMMON_NAME_RUNS = 0.85, 24
_GENERATED_ORIGINS = (Origin.TEST, Origin.GENERATED)
_NUMBER = re.compile(r"\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d$")


def cut_before(clone: Clone, pin: Pin, end_position: int) -> Pin:
    """The pin without the commits from a position on: a report is older than its fix."""
    main = clone.main

    def cut_window(window: CommitWindow) -> CommitWindow:
        first, last = main.position_of(window.first), main.position_of(window.last)
        if first is None or last is None or not first < end_position <= last:
            return window
        return replace(window, last=main.commits[end_position - 1], commit_count=end_position - first)

    return replace(pin, window=cut_window(pin.window), best_window=cut_window(pin.best_window))


def find_pin(
    clone: Clone, report: Report, candidates: Sequence[str] = (), same_log: Sequence[Report] = ()
) -> Pin | None:
    """The window that fits a report best; None if no file is known.

    `candidates`: revisions and dates to try. `same_log`: the reports of its log, which one build has probably printed.
    """
    all_claims = line_claims.frame_claims(report)
    claims = [claim for claim in all_claims if clone.paths_of(claim.frame)]
    if not claims or not clone.main.tip:
        return None
    log_pin = _find_log_pin(clone, same_log) if len(same_log) > 1 else None
    absent = [claim.frame for claim in all_claims if claim not in claims]
    absent = [f for f in absent if f.origin not in _GENERATED_ORIGINS and not f.file.endswith("testmain.go")]
    # a commit that quotes the report is later than the report
    quoted_position = min(clone.messages.commits_quoting(report).same_report, default=None)
    pin = None
    if quoted_position:
        pin = _PinSearch(clone, claims, absent, quoted_position).best_pin(candidates, log_pin)
    return pin or _PinSearch(clone, claims, absent).best_pin(candidates, log_pin)


def _find_log_pin(clone: Clone, reports: Sequence[Report]) -> Pin | None:
    """The window that fits the reports of a log best, all together."""
    claims: dict[line_claims.FrameKey, FrameClaim] = {}
    for claim in (claim for report in reports for claim in line_claims.frame_claims(report)):
        known = claims.get(key := line_claims.frame_key(claim.frame))
        if known is None and len(claims) >= _MAX_LOG_CLAIMS:
            break
        if clone.paths_of(claim.frame) and (known is None or known.weight < claim.weight):
            claims[key] = claim
    question = tuple(claims)
    if question not in clone.log_pins:
        clone.log_pins[question] = _PinSearch(clone, list(claims.values()), []).best_pin(()) if claims else None
    return clone.log_pins[question]


class FitBefore:
    """Whether the frames fit an earlier commit as at the pin, without those of callers in tests, which change first."""

    def __init__(self, clone: Clone, report: Report, pin: Pin) -> None:
        claims = [claim for claim in line_claims.frame_claims(report) if claim.frame not in pin.misfits]
        self._claims = [claim for claim in claims if claim.is_racing or not is_test_file(claim.frame.file)]
        self._scorer = CommitScorer(clone, self._claims)
        self._best_score = self._score(pin.best_window.last)
        self._is_exact = pin.is_exact

    def _score(self, commit: str) -> int:
        return self._scorer.score_commits([commit], self._claims)[commit]

    def __call__(self, commit: str, *, whole: bool) -> bool:
        """If no commit has every frame, most of them suffice, unless `whole`."""
        share = 1.0 if self._is_exact or whole else _MIN_EARLIER_SHARE
        return self._best_score > 0 and self._score(commit) >= share * self._best_score


def pin_before(clone: Clone, report: Report, pin: Pin, end_position: int) -> Pin:
    """The pin of a report that is older than the commit at a position, if that is as good."""
    shorter = cut_before(clone, pin, end_position)
    if shorter != pin:
        return shorter
    claims = [claim for claim in line_claims.frame_claims(report) if clone.paths_of(claim.frame)]
    earlier = _PinSearch(clone, claims, list(pin.absent_frames), end_position).best_pin(())
    is_earlier = earlier is not None and (clone.main.position_of(earlier.best_window.last) or 0) < end_position
    return earlier if earlier and is_earlier and earlier.fitting_count >= pin.fitting_count else pin


def count_fitting_frames(clone: Clone, report: Report, commit: str) -> tuple[int, int]:
    """How many of the known frames fit a commit, and how many there are."""
    claims = [claim for claim in line_claims.frame_claims(report) if clone.paths_of(claim.frame)]
    return _PinSearch(clone, claims, []).count_fitting(commit)


class _PinSearch:
    def __init__(self, clone: Clone, claims: list[FrameClaim], absent: list[Frame], end: int | None = None) -> None:
        self._clone, self._claims, self._absent_frames = clone, claims, absent
        self._scorer = CommitScorer(clone, claims, end)

    def best_pin(self, candidates: Sequence[str], log_pin: Pin | None = None) -> Pin | None:
        best = self._best_runs(self._clone.main)
        score = best[0].run.score if best else 0
        fitting = self._scorer.score_revisions(self._clone.tags, 0)
        # two lines that access one variable usually name it: without that, the main line fits by accident
        is_certain = not self._may_share_name() or any(map(self._shares_name, best))
        side_runs = self._side_runs(fitting, score, is_certain=is_certain)
        sharing = [] if is_certain else [m for m in side_runs if m.run.score == score and self._shares_name(m)]
        if side_runs and side_runs[0].run.score > score:
            best, score = side_runs, side_runs[0].run.score
        elif sharing:
            best = sharing
        else:
            best = self._runs_of_checkout(score) or best
        if not best:
            return None
        tags = sorted(revision.name for revision in fitting if revision.score == score)
        named_run = self._named_revision(best, candidates, score)
        if named_run is None and log_pin is not None:
            log_commit = log_pin.best_window.last
            if self._scorer.score_revisions({"": log_commit}, score):
                if log_pin.is_exact:
                    return self._pin_of_log(log_pin)
                best = [found] if (found := _run_around(best, log_commit)) else best
        chosen = named_run[1] if named_run else self._newest_run(best, candidates)
        pin = self._build_pin(chosen, best, tags, named_run)
        if pin is None or chosen.commit_line is self._clone.main:
            return pin
        return replace(pin, main_line_window=self._main_line_base(chosen.last_commit))

    def _pin_of_log(self, log_pin: Pin) -> Pin:
        """The pin of a log that fits this report no worse than any other commit."""
        commit = log_pin.best_window.last
        blobs = self._blobs_by_frame(commit, self._claims)
        fitting_count, frame_count = self.count_fitting(commit)
        return replace(
            log_pin,
            frame_count=frame_count,
            fitting_count=fitting_count,
            misfits=tuple(self._misfit_frames(blobs)),
            absent_frames=tuple(self._absent_frames),
            ambiguous_frames=self._ambiguous_frames(blobs),
        )

    def _best_runs(self, commit_line: CommitLine) -> list[MatchedRun]:
        """The runs of a line with the best score, oldest first."""
        runs = self._scorer.scored_runs(commit_line)
        best_score = max((run.score for run in runs), default=0)
        best = [MatchedRun(commit_line, run, widen_run(run, runs)) for run in runs if run.score == best_score]
        if not best or any(self._racing_lines_match(matched) or self._shares_name(matched) for matched in best):
            return best
        # no certain racing line: prefer a run in which the racing lines have a name in common
        near = [run for run in runs if best_score > run.score >= _MIN_COMMON_NAME_SHARE * best_score]
        near.sort(key=lambda run: -run.score)
        for run in near[:_MAX_COMMON_NAME_RUNS]:
            if self._shares_name(matched := MatchedRun(commit_line, run, widen_run(run, runs))):
                return [matched]
        return best

    def _racing_lines_match(self, matched: MatchedRun) -> bool:
        """Whether each racing line does what its frame claims."""
        racing = [claim for claim in self._claims if claim.is_racing]
        max_score = line_claims.GRADE_MATCH * sum(claim.weight for claim in racing)
        return self._scorer.score_commits([matched.last_commit], racing)[matched.last_commit] == max_score

    def _main_line_base(self, side_commit: str) -> CommitWindow | None:
        """The window of the main line that contains most frames, else where the side branch begins."""
        main = self._clone.main
        runs = self._scorer.scored_runs(main)
        best = max(runs, key=lambda run: (run.total.fits, run.score), default=None)
        if best is not None:
            matched = MatchedRun(main, best, widen_run(best, runs))
            return matched.to_window(matched.wide_run)
        fork = self._clone.side_branches.fork_position(side_commit)
        return CommitWindow(main.name, main.commits[fork], main.commits[fork], 1) if fork is not None else None

    def _may_share_name(self) -> bool:
        """Whether the racing lines are two that access the variable, and do not only call what does."""
        actions = [claim.claim.action for claim in self._claims if claim.is_racing]
        return len(actions) > 1 and all(action in ("read", "write") for action in actions)

    def _runs_of_checkout(self, score: int) -> list[MatchedRun]:
        """The runs with this score on the branch that is checked out, if it is a side branch."""
        head = self._clone.git.head_commit
        if not head or self._clone.main.position_of(head) is not None:
            return []
        line = self._clone.side_branches.branch_line(self._clone.git.head_name or "HEAD", head)
        return [matched for matched in self._best_runs(line) if matched.run.score == score] if line.commits else []

    def _side_runs(self, fitting: list[ScoredRevision], score: int, *, is_certain: bool) -> list[MatchedRun]:
        """The best runs on side branches that may be better than the main line."""
        # a report from the middle of a release branch fits neither a tag nor the tip exactly, but nearly
        if score == self._scorer.max_score and is_certain:
            return []
        tips = self._scorer.score_revisions(self._clone.release_branches, 0)
        near_revisions = [
            revision
            for revision in {*fitting, *tips}
            if revision.score >= _MIN_SIDE_SHARE * score and self._clone.main.position_of(revision.commit) is None
        ]
        near_revisions.sort(key=lambda revision: (-revision.score, revision.name))
        side_runs: list[MatchedRun] = []
        searched: dict[str, CommitLine] = {}
        for revision in near_revisions:
            if any(revision.commit in commit_line.commits for commit_line in searched.values()):
                continue
            if len(searched) == _MAX_SIDE_BRANCHES:
                break
            side = self._side_branch(revision.name, revision.commit)
            searched[side.name] = side
            side_runs += self._best_runs(side) if side.commits else []
        best_score = max((matched.run.score for matched in side_runs), default=0)
        for line in self._lines_with_score(max(score, best_score) + 1 if is_certain else score, is_certain=is_certain):
            side_runs += self._best_runs(line)
        best_score = max((matched.run.score for matched in side_runs), default=0)
        return [matched for matched in side_runs if matched.run.score == best_score]

    def _lines_with_score(self, min_score: int, *, is_certain: bool) -> list[SideBranch]:
        """The lines, on any ref, with the commits off the main line that changed these files and fit best.

        Unless it is certain that the main line does not fit by accident, only those whose racing lines share a name.
        """
        if min_score > self._scorer.max_score:
            return []
        paths = {path for claim in self._claims for path in self._clone.paths_of(claim.frame)}
        tips = self._clone.side_branches.commits_changing(sorted(paths))
        revisions = self._scorer.score_revisions({commit: commit for commit in tips}, min_score)
        best_score = max((revision.score for revision in revisions), default=0)
        lines: list[SideBranch] = []
        for revision in revisions:
            is_known = any(revision.commit in line.commits for line in lines)
            if revision.score < best_score or is_known or len(lines) == _MAX_SIDE_COMMITS:
                continue
            if is_certain or self._shares_name_at(revision.commit):
                lines.append(self._clone.side_branches.line_through(revision.commit, tips[revision.commit]))
        return lines

    def _side_branch(self, revision: str, commit: str) -> CommitLine:
        """The release branch that contains a revision, by version number; else the revision itself."""
        branches, branch_line = self._clone.release_branches, self._clone.side_branches.branch_line
        numbers = _NUMBER.findall(revision)[:2]
        for name, tip in (
            sorted(branches.items(), key=lambda branch: len(branch[0])) if revision not in branches else ()
        ):
            if _NUMBER.findall(name)[:2] == numbers and commit in branch_line(name, tip).commits:
                return branch_line(name, tip)
        return branch_line(revision, commit)

    def _named_revision(
        self, best: list[MatchedRun], candidates: Sequence[str], score: int
    ) -> tuple[str, MatchedRun] | None:
        """The first candidate revision with the best score, and the run around it."""
        for name in candidates:
            commit = None if _DATE.match(name) else self._clone.resolve_revision(name)
            if commit is None:
                continue
            if not self._scorer.score_revisions({name: commit}, score):
                if self._fits_outside_tests(commit):
                    return name, self._run_of_commit(name, commit)
                continue
            matched = _run_around(best, commit)
            matched = matched or _run_around(self._best_runs(self._side_branch(name, commit)), commit)
            if matched is not None:
                index = matched.commit_line.commits.index(commit)
                return name, matched._replace(run=CommitRun(index, index, matched.run.total))
        return None

    def _fits_outside_tests(self, commit: str) -> bool:
        """Whether all lines outside of tests fit, with a racing one among them: tests are often changed first."""
        claims = [claim for claim in self._claims if not is_test_file(claim.frame.file)]
        blobs = self._blobs_by_frame(commit, claims)
        has_racing = any(claim.is_racing for claim in claims)
        return has_racing and all(self._fits(claim, blobs[claim.frame]) for claim in claims)

    def _run_of_commit(self, name: str, commit: str) -> MatchedRun:
        """The neighbours of a commit that score as it does."""
        main = self._clone.main
        line = main if main.position_of(commit) is not None else self._side_branch(name, commit)
        index = line.commits.index(commit)
        runs = self._scorer.scored_runs(line)
        run = next((run for run in runs if run.first <= index <= run.last), None)
        alone = CommitRun(index, index, run.total if run else ZERO_SCORE)
        return MatchedRun(line, alone, widen_run(run, runs) if run else alone)

    def _newest_run(self, best: list[MatchedRun], candidates: Sequence[str]) -> MatchedRun:
        """The newest of the best runs, preferably on the main line; not after a date that is given."""
        main = self._clone.main
        best = [matched for matched in best if self._shares_name(matched)] or best
        days = [name for name in candidates if _DATE.match(name)]
        if days:
            end = datetime.fromisoformat(min(days)).replace(tzinfo=UTC) + timedelta(days=2)
            last = main.last_position_before(int(end.timestamp()))
            best = [matched for matched in best if matched.commit_line is main and matched.run.first <= last] or best
        return max(best, key=lambda matched: (matched.commit_line is main, matched.run.last))

    def _shares_name(self, matched: MatchedRun) -> bool:
        return self._shares_name_at(matched.last_commit)

    def _shares_name_at(self, commit: str) -> bool:
        """Whether the racing lines have a name in common. Two accesses to one variable usually do."""
        racing = [claim for claim in self._claims if claim.is_racing]
        blobs = self._blobs_by_frame(commit, racing)
        line_names = []
        for frame_claim in racing:
            sources = map(self._clone.git.read_object, blobs[frame_claim.frame])
            text = line_claims.line_text(next(filter(None, sources), b""), frame_claim.claim.line)
            line_names.append(line_claims.variable_names(text or b""))
        return len(line_names) > 1 and bool(set.intersection(*line_names))

    def _blobs_by_frame(self, commit: str, claims: list[FrameClaim]) -> dict[Frame, list[str]]:
        """The blob ids of the files that each frame may mean at a commit."""
        paths = {claim.frame: self._clone.paths_of(claim.frame) for claim in claims}
        blobs = self._clone.blobs_at([commit], dict.fromkeys(path for each in paths.values() for path in each))
        return {frame: [blob for path in each if (blob := blobs.get((commit, path)))] for frame, each in paths.items()}

    def _misfit_frames(self, blobs: dict[Frame, list[str]]) -> list[Frame]:
        """The frames that do not fit any of their files."""
        return [claim.frame for claim in self._claims if not self._fits(claim, blobs[claim.frame])]

    def _fits(self, frame_claim: FrameClaim, blobs: list[str]) -> bool:
        grades = self._clone.claim_grades(frame_claim.claim, blobs)
        return any(grades.get(blob, 0) >= line_claims.GRADE_POSSIBLE for blob in blobs)

    def count_fitting(self, commit: str) -> tuple[int, int]:
        frames = {_file_position(claim.frame) for claim in self._claims}
        misfits = self._misfit_frames(self._blobs_by_frame(commit, self._claims))
        return len(frames - set(map(_file_position, misfits))), len(frames)

    def _build_pin(
        self, chosen: MatchedRun, best: list[MatchedRun], tags: list[str], named_run: tuple[str, MatchedRun] | None
    ) -> Pin | None:
        blobs = self._blobs_by_frame(chosen.last_commit, self._claims)
        misfits = self._misfit_frames(blobs)
        if len(misfits) == len(self._claims):
            return None
        fitting_count, frame_count = self.count_fitting(chosen.last_commit)
        ties = [m for m in best if m.run.score <= chosen.run.score]
        ties = [m for m in ties if m.wide_run != chosen.wide_run or m.commit_line != chosen.commit_line]
        return Pin(
            chosen.to_window(chosen.wide_run),
            chosen.to_window(chosen.run),
            frame_count,
            fitting_count,
            tuple(tags),
            tuple(misfits),
            tuple(tie.to_window(tie.run) for tie in ties),
            named_run[0] if named_run else None,
            tuple(self._absent_frames),
            self._ambiguous_frames(blobs),
        )

    def _ambiguous_frames(self, blobs: dict[Frame, list[str]]) -> tuple[Frame, ...]:
        """The frames whose file may be one of several."""
        return tuple(claim.frame for claim in self._claims if len(blobs[claim.frame]) > 1)


def _run_around(best: list[MatchedRun], commit: str) -> MatchedRun | None:
    """The run whose window contains a commit."""
    for matched in best:
        if commit in matched.commit_line.commits[matched.wide_run.first : matched.wide_run.last + 1]:
            return matched
    return None


def _file_position(frame: Frame) -> tuple[str, int | None]:
    return frame.path or frame.file, frame.line

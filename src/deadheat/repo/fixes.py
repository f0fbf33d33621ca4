"""Finds later commits that may have fixed a race, with reasons and a score, and the releases that contain the fix."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.repo import file_versions
from deadheat.repo.file_versions import normalize_line
from deadheat.repo.git.history import version_at
from deadheat.repo.git.messages import DATA_RACE_PHRASE
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import declaration_name
from deadheat.repo.syntax.parser import language_of_path
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Frame, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.git.messages import CommitMessage
    from deadheat.repo.pinning import Pin
    from deadheat.repo.racing_lines import RacingLine
    from deadheat.repo.variable import RaceVariable

MIN_CERTAIN_SCORE = 0.8
MAX_NEAR_DISTANCE = 30
_MAX_DOUBTED_POINTS = 3.0
# the most that a commit gets that neither closes the issue nor quotes the report: a score below 0.9
_MAX_UNCONFIRMED_POINTS = 8.5


@dataclass(slots=True)
class CandidateCommit:
    """A commit with the reasons that it fixed or introduced the race."""

    commit: str
    subject: str
    time: int
    points: float = 0.0
    why: list[str] = field(default_factory=list)
    in_file: bool = False  # changes a file of the report
    in_function: bool = False  # changes a function of the report
    mentions_race: bool = False  # the message mentions races or synchronization
    names_data_race: bool = False  # the message says "data race"
    in_racing_function: bool = False  # changes a racing function
    names_issue: bool = False  # names the issue of the report
    closes_issue: bool = False
    quotes_report: bool = False  # the message contains this report
    on_variable: bool = False
    position: int = 0
    distance: int = 0

    def add_reason(self, points: float, why: str) -> None:
        """Add points for a reason. The same reason counts once."""
        if why not in self.why:
            self.points += points
            self.why.append(why)

    def limit_points(self) -> CandidateCommit:
        """Limit the points of a candidate that only its distance and message support."""
        self.points = min(self.points, _MAX_DOUBTED_POINTS)
        return self

    @property
    def is_confirmed(self) -> bool:
        """Whether its message says that it is about this race."""
        return self.closes_issue or self.quotes_report

    @property
    def is_convincing(self) -> bool:
        """Whether the commit is about a race, and about this one."""
        is_near = self.on_variable or self.distance <= MAX_NEAR_DISTANCE
        return self.is_confirmed or (self.mentions_race and self.in_function and is_near)

    @property
    def score(self) -> float:
        return round(1 - math.exp(-self.points / 4), 2)


def score_message(
    clone: Clone, commit: str, message: CommitMessage, identifiers: list[tuple[str, str]], issues: Sequence[str]
) -> CandidateCommit:
    candidate = CandidateCommit(commit, message.subject, message.time)
    closed = [issue.number for issue in message.closed_issues if clone.has_tracker(issue.tracker)]
    named = {issue.number for issue in message.named_issues if clone.has_tracker(issue.tracker)} if issues else ()
    issue = next((each for each in issues if each in named or each in closed), None)
    if issue is not None:
        candidate.on_variable = candidate.names_issue = True
        candidate.closes_issue = issue in closed
        candidate.add_reason(9.0 if issue in closed else 4.0, f"names #{issue}")
    elif issues and closed:
        candidate.add_reason(-3.0, f"closes another issue, #{closed[0]}")
    candidate.mentions_race = message.is_race_related or issue is not None
    candidate.names_data_race = message.names_data_race
    if message.names_data_race:
        points = 2.5 if DATA_RACE_PHRASE.search(message.subject) else 1.5
        candidate.add_reason(points, "says that it is about a data race")
    elif message.is_race_related:
        candidate.add_reason(1.5, "mentions synchronization")
    # "data race" does not name a variable "data"
    text = DATA_RACE_PHRASE.sub(" ", message.text) if message.names_data_race else message.text
    for identifier, role in identifiers:
        if identifier in text and re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", text):
            candidate.add_reason(1.2 if _is_distinctive(identifier) else 0.3, f"names the {role} {identifier}")
    return candidate


def _is_distinctive(word: str) -> bool:
    """Whether a name is not a common word: `cancelFunc`, not `Close`."""
    return len(word) > 5 and any(c.isupper() for c in word[1:])


def score_distance(candidate: CandidateCommit, position: int, window_position: int) -> None:
    """Add points for a short distance: most races are fixed soon after the report."""
    distance = max(0, position - window_position)
    candidate.position, candidate.distance = position, distance
    bonus = 2.5 * math.exp(-distance / 200)
    if bonus > 0.2:
        texts = {0: "in the window", 1: "the next commit after the window"}
        candidate.add_reason(bonus, texts.get(distance, f"{distance} commits after the window"))


def combine_scores(candidate: CandidateCommit) -> None:
    """Adjust the points by the combination of message and change."""
    if candidate.mentions_race and candidate.in_function:
        candidate.add_reason(1.5, "mentions a race and changes a function of the report")
    elif not candidate.mentions_race:
        candidate.points *= 0.6  # changes the same code but does not mention a race
    if not candidate.is_confirmed:
        candidate.points = min(candidate.points, _MAX_UNCONFIRMED_POINTS)
    is_about_it = candidate.on_variable or candidate.quotes_report
    if not is_about_it and candidate.distance > MAX_NEAR_DISTANCE:
        candidate.points = min(candidate.points, 5.0)


def rank_candidates(candidates: list[CandidateCommit]) -> list[CandidateCommit]:
    """Sort by points, after the earliest of the convincing candidates got those of the best one."""
    most = max((each.points for each in candidates), default=0.0)
    best = [each for each in candidates if each.is_convincing and each.points >= 0.75 * most]
    first = min(best, key=lambda each: (not each.quotes_report, each.distance), default=None)
    if first is not None and first.points < most and (first.is_confirmed or not any(c.is_confirmed for c in best)):
        first.add_reason(most - first.points, "the first of several that fit")
    return sorted(candidates, key=lambda each: (-each.points, each is not first))


@dataclass(frozen=True, slots=True)
class TrackedFunction:
    """A function of the report and its file at the pin."""

    path: str
    function: str  # with its receiver
    line: bytes
    is_racing: bool

    @property
    def name(self) -> str:
        return self.function.rpartition(".")[2]


def tracked_functions(
    clone: Clone, commit: str, report: Report, both_sides: Sequence[RacingLine]
) -> list[TrackedFunction]:
    """The racing functions, then the others to track."""
    tracked: dict[TrackedFunction, None] = {}
    for side in both_sides:
        function = declaration_name(side.frame.function, language_of_path(side.path) or "go")
        tracked[TrackedFunction(side.path, function, _frame_line(side.frame, side.source), True)] = None
    for frame in _tracked_frames(report):
        language = language_of_path(frame.file)
        paths = clone.paths_of(frame) if language else []
        for (_, path), blob in clone.blobs_at([commit], paths).items():
            function = declaration_name(frame.function, language or "go")
            if not any(t.path == path and t.function == function for t in tracked):
                line = _frame_line(frame, clone.git.read_object(blob) or b"")
                tracked[TrackedFunction(path, function, line, False)] = None
    return [t for t in tracked if t.function]


def _frame_line(frame: Frame, source: bytes) -> bytes:
    return (line_claims.line_text(source, frame.line) if frame.line else None) or b""


def _tracked_frames(report: Report) -> list[Frame]:
    """Frames whose functions a fix may change: of the accesses, the creation stacks, and the test."""
    stacks = [a.stack for a in report.accesses]
    created = [a.created_at for a in report.actors]
    frames = [f for stack in stacks for f in stack if not f.stale]
    frames += [f for stack in created for f in stack[:3] if not f.stale]
    tests = [f for stack in created for f in stack if not f.stale and go.enclosing_test(f.function)]
    return [f for f in dict.fromkeys(frames + tests) if f.line is not None][:40]


# not "}", "return" and "} else {": every function has such lines, and deferred calls run there
_NAME_IN_LINE = re.compile(rb"\b(?!(?:return|else|break|continue|default|do|try)\b)[A-Za-z_]\w*")


class ReportHistory:
    """The paths of the files of a report over time, and the commits that changed them."""

    def __init__(self, clone: Clone, pin: Pin, report: Report, both_sides: Sequence[RacingLine]) -> None:
        self.clone, self.report = clone, report
        self.pin_position = self._main_position(pin.best_window.last)
        self.window_end = max(self._main_position(pin.window.last), self.pin_position)
        # the fix may be in the window if it did not shift the lines
        self.window_start = min(self._main_position(pin.best_window.first), self.pin_position)
        self.functions = tracked_functions(clone, pin.best_window.last, report, both_sides)
        self.path_steps = {t.path: file_versions.paths_after(clone, t.path, self.pin_position) for t in self.functions}

    @cached_property
    def introducing_positions(self) -> dict[TrackedFunction, int | None]:
        """The positions of the commits that added the racing lines and the `go` statements."""
        return {
            t: file_versions.position_introducing_line(self.clone, t.path, t.function, t.line, self.pin_position)
            for t in self.functions
            if _NAME_IN_LINE.search(t.line) and (t.is_racing or b"go " in t.line)
        }

    def _main_position(self, commit: str) -> int:
        """The position of the commit on the main line, or that of its fork point."""
        return self.clone.side_branches.fork_position(commit) or 0

    @cached_property
    def later_changes(self) -> dict[int, tuple[float, str]]:
        """Positions of later commits that change a file of the report, with points and a reason."""
        changes: dict[int, tuple[float, str]] = {}
        for target in self.functions:
            points = 1.0 if target.is_racing else 0.5
            window_step = file_versions.PathPeriod(target.path, self.window_start, self.pin_position)
            for step in (window_step, *self.path_steps[target.path]):
                for change in self.clone.main.file_versions(step.path):
                    is_within = step.first < change.pos and (step.last is None or change.pos <= step.last)
                    if is_within and points > changes.get(change.pos, (0.0, ""))[0]:
                        changes[change.pos] = points, f"changes {step.path}"
        return changes

    def changes_at(self, position: int) -> tuple[list[str], list[str]]:
        """The functions and files of the report that the commit at a position changes."""
        functions, files = [], []
        for target in self.functions:
            path: str | None = self.path_at(target, position)
            if position <= self.pin_position:
                earlier = file_versions.paths_before(self.clone, target.path, self.pin_position)
                path = next((name for name, versions in earlier if versions[-1].pos <= position), None)
            old, new = self.blobs_around(path, position) if path else (None, None)
            if path is None or old == new:
                continue
            files.append(path)
            before, after = self.texts_around(target, path, position)
            if before != after:
                functions.append(target.name)
        return list(dict.fromkeys(functions)), list(dict.fromkeys(files))

    def path_at(self, target: TrackedFunction, position: int) -> str:
        """The path of a function's file before the commit at a later position."""
        return self.path_after(target, position - 1)

    def path_after(self, target: TrackedFunction, position: int) -> str:
        """The path of a function's file after the commit at a later position."""
        steps = self.path_steps[target.path]
        return next((s.path for s in reversed(steps) if s.first <= position), target.path)

    def blobs_around(self, path: str, position: int) -> tuple[str | None, str | None]:
        """The versions of a file before and after the commit at a position."""
        versions = self.clone.main.file_versions(path)
        return version_at(versions, position - 1), version_at(versions, position)

    def texts_around(self, target: TrackedFunction, path: str, position: int) -> tuple[bytes | None, bytes | None]:
        """A function before and after the commit at a position, which may have moved its file from `path`."""
        old, new = self.blobs_around(path, position)
        new_path = path
        if new is None and position > self.pin_position:
            new_path = self.path_after(target, position)
            _, new = self.blobs_around(new_path, position)
        return self.function_text(target, path, old), self.function_text(target, new_path, new)

    def function_text(self, target: TrackedFunction, path: str, blob: str | None) -> bytes | None:
        return file_versions.function_text(self.clone, blob, path, target.function)

    def current_paths(self, paths: Sequence[str]) -> list[str]:
        return [self.path_steps[p][-1].path if p in self.path_steps else p for p in paths]


# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTED_COMMIT = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
_REVERT_SUBJECT = re.compile(r"^revert\b", re.IGNORECASE)
# synchronization in Go, C, C++ and Rust
_SYNCHRONIZATION = re.compile(
    rb"\b(?:R?Lock|R?Unlock|atomic|Atomic\w*|Mutex|mutex|sync|Once|Wait|WaitGroup|Done|lock_guard"
    rb"|pthread_mutex_\w+|unique_lock|READ_ONCE|WRITE_ONCE|spin_lock\w*|Cancel|Clone|Copy|CopyN?|Close)\b|<-"
)
_MAX_INSPECTED = 80


class FixFinder:
    def __init__(self, history: ReportHistory) -> None:
        self._history, self._clone = history, history.clone
        self._quoting = self._clone.messages.commits_quoting(history.report)

    def find_fixes(self, variable: RaceVariable | None, issues: Sequence[str] = ()) -> list[CandidateCommit]:
        """Later commits that may have fixed the race, most likely first."""
        report_names = self._report_names(variable)
        found: list[tuple[CandidateCommit, CommitMessage]] = []
        reverted: set[str] = set()
        positions = {*self._history.later_changes, *self._quoting.same_report}
        messages = self._clone.messages.messages_after(self._history.window_start, positions, issues)
        for position, message in messages.items():
            candidate = self._rate_message(position, message, report_names, issues)
            reverted.update(_REVERTED_COMMIT.findall(message.text))
            if candidate.points >= 1.0 and not _REVERT_SUBJECT.match(message.subject):
                found.append((candidate, message))
        found = [(c, message) for c, message in found if c.commit not in reverted]
        found.sort(key=lambda f: -f[0].points)
        inspected = []
        self._preload_functions([c.position for c, _ in found[:_MAX_INSPECTED]])
        for candidate, message in found[:_MAX_INSPECTED]:
            merged = self._clone.side_branches.merged_commits(candidate.commit) if message.parent_count > 1 else []
            if merged:
                text = "\n".join([message.text, *(inner.text for _, inner in merged)])
                with_merged = message._replace(text=text)
                candidate = self._rate_message(candidate.position, with_merged, report_names, issues)
                candidate.add_reason(0.0, f"merges {merged[0][0][:11]}")
            self._rate_changes(candidate, candidate.position, variable)
            if self._is_refuted(candidate):
                continue
            combine_scores(candidate)
            inspected.append(candidate)
        relevant = [c for c in inspected if self._is_relevant(c)]
        if not any(c.is_convincing for c in relevant):
            # a doubtful candidate is better than none: shortly after the window, about an unspecified race
            later = [c for c in inspected if self._history.pin_position < c.position]
            near = [c for c in later if c.names_data_race and c.distance <= MAX_NEAR_DISTANCE]
            relevant += [c.limit_points() for c in near if c not in relevant]
        return rank_candidates(relevant)[:5]

    def _rate_message(
        self, position: int, message: CommitMessage, names: list[tuple[str, str]], issues: Sequence[str]
    ) -> CandidateCommit:
        commit = self._clone.main.commits[position]
        later_changes = self._history.later_changes
        candidate = score_message(self._clone, commit, message, names if position in later_changes else [], issues)
        if position in later_changes:
            candidate.add_reason(*later_changes[position])
            candidate.in_file = True
        if position in self._quoting.same_report:
            candidate.quotes_report = True
            candidate.add_reason(4.0, "quotes this report")
        elif position in self._quoting.same_race:
            candidate.add_reason(2.0, "quotes a report of this race")
        score_distance(candidate, position, self._history.window_end)
        return candidate

    def _is_refuted(self, candidate: CandidateCommit) -> bool:
        """Whether the race must still be there after a commit that does not say that it is about this one."""
        if candidate.names_issue or candidate.quotes_report:
            return False
        if any(p == candidate.position for t, p in self._history.introducing_positions.items() if t.is_racing):
            return True  # it added a line of the report
        is_later = candidate.position > self._history.pin_position
        return is_later and not candidate.in_function and self._leaves_racing_functions(candidate.position)

    def _leaves_racing_functions(self, position: int) -> bool:
        """Whether the racing functions are still those of the pin after the commit at a position."""
        racing = [target for target in self._history.functions if target.is_racing]
        for target in racing:
            path = self._history.path_after(target, position)
            _, pinned = self._history.blobs_around(target.path, self._history.pin_position)
            _, after = self._history.blobs_around(path, position)
            text = self._history.function_text(target, path, after)
            if text is None or text != self._history.function_text(target, target.path, pinned):
                return False
        return bool(racing)

    def _is_relevant(self, candidate: CandidateCommit) -> bool:
        """Whether the commit mentions the race or changes functions of the report."""
        if candidate.closes_issue or candidate.quotes_report:
            return True
        if candidate.position <= self._history.pin_position:
            return candidate.mentions_race and candidate.in_racing_function
        is_about = candidate.in_function or (candidate.mentions_race and candidate.on_variable)
        return candidate.points >= 3.0 and (is_about or candidate.in_file)

    def _report_names(self, variable: RaceVariable | None) -> list[tuple[str, str]]:
        """Names that a message about this race may contain."""
        named_kinds = []
        for target in self._history.functions:
            if target.is_racing:
                owner = target.function.rpartition(".")[0].strip("(*)")
                named_kinds += [(target.name, "function"), (owner, "type")]
        if variable:
            named_kinds += [(variable.name.rpartition(".")[2], "variable"), (variable.owner or "", "type")]
        named_kinds.append((self._history.report.test or "", "test"))
        return [(name_text, what) for name_text, what in dict.fromkeys(named_kinds) if len(name_text) > 2]

    def _preload_functions(self, positions: list[int]) -> None:
        """Reads all function texts that `_rate_changes` needs in one batch."""
        for target in self._history.functions:
            blobs: dict[str, list[str | None]] = {}
            for position in positions:
                path = self._history.path_at(target, position)
                old, new = self._history.blobs_around(path, position)
                if old != new:
                    blobs.setdefault(path, []).extend((old, new))
            for path, wanted in blobs.items():
                file_versions.function_texts(self._clone, wanted, path, target.function)

    def _rate_changes(self, candidate: CandidateCommit, position: int, variable: RaceVariable | None) -> None:
        """Rates what a commit changes in the functions of the report."""
        changed = 0
        for target in self._history.functions:
            before, after = self._history.texts_around(target, self._history.path_at(target, position), position)
            if before is None or before == after:
                continue
            changed += 1
            candidate.in_function = True
            candidate.in_racing_function = candidate.in_racing_function or target.is_racing
            points = 2.0 if target.is_racing else 1.0
            candidate.add_reason(points if changed < 3 else 0.2, f"changes {target.name}")
            old_lines = set(map(normalize_line, before.split(b"\n")))
            new_lines = set(map(normalize_line, (after or b"").split(b"\n")))
            if target.is_racing and normalize_line(target.line) in old_lines - new_lines:
                candidate.on_variable = True
                candidate.add_reason(1.5, "changes a racing line")
            name = variable.name.rpartition(".")[2] if variable and target.is_racing else ""
            if name and any(line_claims.contains_name(name, row) for row in old_lines ^ new_lines):
                candidate.on_variable = True
                candidate.add_reason(1.0, f"changes what is done with {name}")
            if any(_SYNCHRONIZATION.search(row) for row in new_lines - old_lines):
                candidate.add_reason(0.8, "adds a lock, a join or a copy there")

    def is_still_present(self, fixes: Sequence[CandidateCommit]) -> bool | None:
        """Whether both accesses are in the newest version; None if unknown."""
        if any(c.score >= MIN_CERTAIN_SCORE and c.is_convincing for c in fixes):
            return False
        racing = [t for t in self._history.functions if t.is_racing]
        if not racing:
            return None
        end = self._clone.main.last_position
        for target in racing:
            last = self._history.path_steps[target.path][-1]
            blob = version_at(self._clone.main.file_versions(last.path), end)
            if blob is None:
                return None if last.last is not None else False
            text = self._history.function_text(target, last.path, blob)
            if text is None:
                return None
            if normalize_line(target.line) not in map(normalize_line, text.split(b"\n")):
                _, pinned_blob = self._history.blobs_around(target.path, self._history.pin_position)
                before = self._history.function_text(target, target.path, pinned_blob) or b""
                has_new_guard = len(_SYNCHRONIZATION.findall(text)) > len(_SYNCHRONIZATION.findall(before))
                return False if has_new_guard else None
        return True


# "v5.4.0-alpha", "v1.2.0-rc.1"
_PRERELEASE = re.compile(r"alpha|beta|rc|pre|dev|nightly", re.IGNORECASE)
_VERSION_NUMBER = re.compile(r"\d{1,9}")
_MAX_FILES = 12


def releases_with(clone: Clone, fix: str) -> list[str]:
    """The tags that contain a commit of the main line, in version order."""
    position = clone.main.position_of(fix)
    if position is None:
        return []
    clone.side_branches.load_parents(clone.tags.values())
    forks = {name: clone.side_branches.fork_position(commit) for name, commit in clone.tags.items()}
    later_tags = {name for name, fork in forks.items() if fork is not None and fork >= position}
    # an older commit of the main line cannot contain the fix
    side_tags = {name: commit for name, commit in clone.tags.items() if clone.main.position_of(commit) is None}
    earlier_tags = {name: commit for name, commit in side_tags.items() if name not in later_tags}
    return sorted(later_tags | _tags_with_backport(clone, earlier_tags, position), key=_version_order)


def _tags_with_backport(clone: Clone, tags: dict[str, str], position: int) -> set[str]:
    """The tags whose files contain the lines that the fix added, under any path."""
    for path in clone.main.changed_paths(position)[:_MAX_FILES]:
        versions = clone.main.file_versions(path)
        old, new = version_at(versions, position - 1), version_at(versions, position)
        added = file_versions.significant_lines(clone, new) - file_versions.significant_lines(clone, old)
        if path.endswith("_test.go") or not added:
            continue
        paths = [p for p, _ in file_versions.paths_before(clone, path, position)] or [path]
        blobs = clone.blobs_at(tags.values(), paths)
        contains_fix = file_versions.versions_with_fix(clone, new or "", added, set(blobs.values()))
        fixed_commits = {commit for (commit, _), blob in blobs.items() if contains_fix.get(blob)}
        return {name for name, commit in tags.items() if commit in fixed_commits}
    return set()


def _version_order(tag: str) -> tuple[list[int], bool, str]:
    """Sort key: `v1.9.0` before `v1.10.0`, pre-releases before their release."""
    numbers = [int(n) for n in _VERSION_NUMBER.findall(tag)[:3]]
    return numbers, not _PRERELEASE.search(tag), tag

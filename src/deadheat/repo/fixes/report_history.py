"""The functions of a report with their files, over time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.repo import file_versions
from deadheat.repo.git.history import version_at
from deadheat.repo.pinning import FitBefore, line_claims
from deadheat.repo.pinning.line_claims import class_of_method, declaration_name
from deadheat.repo.syntax.parser import language_of_path
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Frame, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.pinning import Pin
    from deadheat.repo.racing_lines import RacingLine


@dataclass(frozen=True, slots=True)
class TrackedFunction:
    """A function of the report and its file at the pin."""

    path: str
    function: str  # with its receiver or class
    line: bytes
    is_racing: bool

    @property
    def name(self) -> str:
        return self.function.rpartition(".")[2].rpartition("::")[2]


def tracked_functions(
    clone: Clone, commit: str, report: Report, both_sides: Sequence[RacingLine]
) -> list[TrackedFunction]:
    """The racing functions, then the others to track."""
    tracked: dict[TrackedFunction, None] = {}
    for side in both_sides:
        name = _qualified_name(side.frame, language_of_path(side.path) or "go")
        if not name and not side.is_go:
            around = line_claims.function_around(side.path, side.source, side.frame.line or 0)
            name = around[0] if around else ""
        tracked[TrackedFunction(side.path, name, _frame_line(side.frame, side.source), True)] = None
    for frame in _tracked_frames(report):
        language = language_of_path(frame.file)
        paths = clone.paths_of(frame) if language else []
        for (_, path), blob in clone.blobs_at([commit], paths).items():
            function = _qualified_name(frame, language or "go")
            if not any(t.path == path and t.function == function for t in tracked):
                line = _frame_line(frame, clone.git.read_object(blob) or b"")
                tracked[TrackedFunction(path, function, line, False)] = None
    return [t for t in tracked if t.function]


def _qualified_name(frame: Frame, language: str) -> str:
    """The function with its receiver, `(*T).M`, or its class, `Feed::Close`."""
    name = declaration_name(frame.function, language)
    owner = class_of_method(frame.function) if name and language != "go" else ""
    return f"{owner}::{name}" if owner else name


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
        self.fits_before = FitBefore(clone, report, pin)
        self.has_all_sides = len(both_sides) >= len(report.accesses)
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
    def changes(self) -> dict[int, tuple[float, str]]:
        """Positions of commits that change a file of the report, with points and a reason."""
        changes: dict[int, tuple[float, str]] = {}
        for target in self.functions:
            points = 1.0 if target.is_racing else 0.5
            earlier = file_versions.PathPeriod(target.path, 0, self.pin_position)
            for step in (earlier, *self.path_steps[target.path]):
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

    def texts_of_commit(self, target: TrackedFunction, commit: str, position: int) -> tuple[bytes | None, bytes | None]:
        """A function before and after a commit that was merged at a position."""
        paths = dict.fromkeys((self.path_at(target, position), self.path_after(target, position)))
        blobs = self.clone.blobs_at([f"{commit}^", commit], paths)
        texts = [
            next((self.function_text(target, path, blobs[side, path]) for path in paths if (side, path) in blobs), None)
            for side in (f"{commit}^", commit)
        ]
        return texts[0], texts[1]

    def function_text(self, target: TrackedFunction, path: str, blob: str | None) -> bytes | None:
        return file_versions.function_text(self.clone, blob, path, target.function)

    def current_paths(self, paths: Sequence[str]) -> list[str]:
        return [self.path_steps[p][-1].path if p in self.path_steps else p for p in paths]

"""Which later commits may have mended a race, which earlier ones brought it, and is it there yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.code import follow, lines
from deadheat.code.asking import declared
from deadheat.code.candidates import SURE, Candidate, ranked, settle, spoken, timely
from deadheat.code.history import version_at
from deadheat.code.languages import language
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.clone import Clone
    from deadheat.code.pin import Pin
    from deadheat.code.sides import Side
    from deadheat.code.variable import Variable
    from deadheat.model import Frame, Report

# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
_REVERT = re.compile(r"^revert\b", re.IGNORECASE)
# what makes an access safe, in Go, C, C++ and Rust
_GUARD = re.compile(
    rb"\b(?:R?Lock|R?Unlock|atomic|Atomic\w*|Mutex|mutex|sync|Once|Wait|WaitGroup|Done|lock_guard"
    rb"|pthread_mutex_\w+|unique_lock|READ_ONCE|WRITE_ONCE|spin_lock\w*|Cancel|Clone|Copy|CopyN?|Close)\b|<-"
)
_CLOSER_LOOKS = 80


@dataclass(frozen=True, slots=True)
class Target:
    """A function of the report, in the file that it is in at the pin."""

    path: str
    function: str
    line: bytes
    racing: bool


class Past:
    """The history around a pin."""

    def __init__(self, clone: Clone, pin: Pin, report: Report, both: Sequence[Side]) -> None:
        self._clone, self._pin, self._report = clone, pin, report
        self._at = self._place(pin.surest.last)
        # the fix may lie in the window itself, if it left the lines where they were
        self._from = min(self._place(pin.surest.first), self._at)
        self._targets = _targets(clone, pin.surest.last, report, both)
        self._steps = {t.path: follow.forward(clone, t.path, self._at) for t in self._targets}
        self._brought = {
            t: follow.brought(clone, t.path, t.function, t.line, self._at)
            for t in self._targets
            if t.line.strip() and (t.racing or b"go " in t.line)
        }

    def _place(self, commit: str) -> int:
        """The commit's place on the main line, or that of the last one that it shares with it."""
        main = self._clone.main
        at = main.position(commit)
        if at is not None:
            return at
        fork = list(self._clone.git.lines("merge-base", commit, main.tip))
        return (main.position(fork[0]) or 0) if fork else 0

    def fixed_by(self, variable: Variable | None, issues: Sequence[str] = ()) -> list[Candidate]:
        """Later commits that may have mended it, likeliest first."""
        main = self._clone.main
        touched = self._touched()
        names = self._names(variable)
        found: list[tuple[Candidate, int]] = []
        reverted: set[str] = set()
        for place, message in main.heard(self._from, touched, issues[0] if issues else "").items():
            commit = main.commits[place]
            candidate = spoken(commit, message, names if place in touched else [], issues)
            if place in touched:
                candidate.gain(*touched[place])
            reverted.update(_REVERTS.findall(message.text))
            if candidate.points >= 1.0 and not _REVERT.match(message.subject):
                timely(candidate, place, self._at)
                found.append((candidate, place))
        found = [(c, place) for c, place in found if c.commit not in reverted]
        found.sort(key=lambda f: -f[0].points)
        for candidate, place in found[:_CLOSER_LOOKS]:
            self._look(candidate, place, variable)
            settle(candidate)
        return ranked([c for c, _ in found[:_CLOSER_LOOKS] if self._is_worth(c)])[:5]

    def _is_worth(self, candidate: Candidate) -> bool:
        """Says that it is about a race, or does something to the functions of the report."""
        if candidate.place <= self._at:
            return candidate.racy and candidate.in_racing
        return candidate.points >= 3.0 and (candidate.in_function or candidate.racy)

    def _touched(self) -> dict[int, tuple[float, str]]:
        """Places of later commits that change a file of the report, with what that is worth."""
        found: dict[int, tuple[float, str]] = {}
        for target in self._targets:
            worth = 1.0 if target.racing else 0.5
            inside = follow.Step(target.path, self._from, self._at)
            for step in (inside, *self._steps[target.path]):
                for change in self._clone.main.versions(step.path):
                    if step.first < change.pos and (step.last is None or change.pos <= step.last):
                        old = found.get(change.pos, (0.0, ""))
                        if worth > old[0]:
                            found[change.pos] = worth, f"changes {step.path}"
        return found

    def _names(self, variable: Variable | None) -> list[tuple[str, str]]:
        """Names by which a message may speak of this race."""
        words = []
        for target in self._targets:
            owner, _, name = target.function.rpartition(".")
            if target.racing:
                words += [(name, "function"), (owner.strip("(*)"), "type")]
        if variable:
            words += [
                (variable.name.rpartition(".")[2], "variable"),
                (variable.owner or "", "type"),
            ]
        words.append((self._report.test or "", "test"))
        return [(w, what) for w, what in dict.fromkeys(words) if len(w) > 2]

    def _look(self, candidate: Candidate, place: int, variable: Variable | None) -> None:
        """What a commit does to the functions of the report."""
        changed = 0
        for target in self._targets:
            path = self._path(target, place)
            versions = self._clone.main.versions(path)
            old, new = version_at(versions, place - 1), version_at(versions, place)
            if old == new:
                continue
            before = follow.function_text(self._clone, old, path, target.function)
            after = follow.function_text(self._clone, new, path, target.function)
            if before is None or before == after:
                continue
            changed += 1
            candidate.in_function = True
            candidate.in_racing = candidate.in_racing or target.racing
            name = target.function.rpartition(".")[2]
            worth = 2.0 if target.racing else 1.0
            candidate.gain(worth if changed < 3 else 0.2, f"changes {name}")
            self._weigh(candidate, target, before, after or b"", variable)

    def _weigh(
        self,
        candidate: Candidate,
        target: Target,
        before: bytes,
        after: bytes,
        variable: Variable | None,
    ) -> None:
        old = {follow.squeezed(row) for row in before.split(b"\n")}
        new = {follow.squeezed(row) for row in after.split(b"\n")}
        lost, added = old - new, new - old
        if target.racing and follow.squeezed(target.line) in lost:
            candidate.on_variable = True
            candidate.gain(1.5, "changes a racing line")
        name = variable.name.rpartition(".")[2] if variable else ""
        if target.racing and name and any(lines.names(name, row) for row in lost | added):
            candidate.on_variable = True
            candidate.gain(1.0, f"changes what is done with {name}")
        if any(_GUARD.search(row) for row in added):
            candidate.gain(0.8, "adds a guard, a join or a copy there")

    def _path(self, target: Target, place: int) -> str:
        steps = self._steps[target.path]
        return next((s.path for s in reversed(steps) if s.first < place), target.path)

    def still_present(self, fixes: Sequence[Candidate]) -> bool | None:
        """Are both accesses still in the newest version? None if that cannot be told."""
        if any(c.score >= SURE and c.is_convincing for c in fixes):
            return False
        racing = [t for t in self._targets if t.racing]
        if not racing:
            return None
        end = self._clone.main.end
        for target in racing:
            last = self._steps[target.path][-1]
            blob = version_at(self._clone.main.versions(last.path), end)
            if blob is None:
                return None if last.last is not None else False
            text = follow.function_text(self._clone, blob, last.path, target.function)
            if text is None:
                return None
            if follow.squeezed(target.line) not in map(follow.squeezed, text.split(b"\n")):
                return False if self._guarded(target, text) else None
        return True

    def _guarded(self, target: Target, text: bytes) -> bool:
        blob = version_at(self._clone.main.versions(target.path), self._at)
        before = follow.function_text(self._clone, blob, target.path, target.function) or b""
        return len(_GUARD.findall(text)) > len(_GUARD.findall(before))

    def released(self, fix: Candidate) -> list[str]:
        """The tags in which a function that the fix changed reads as it does after the fix."""
        main, place = self._clone.main, self._clone.main.position(fix.commit)
        tags = {
            name.removeprefix("refs/tags/"): commit
            for name, commit in self._clone.git.refs.items()
            if name.startswith("refs/tags/")
        }
        for target in self._targets:
            path = self._path(target, place or 0)
            versions = main.versions(path)
            if place is None or version_at(versions, place - 1) == version_at(versions, place):
                continue
            before, after = (
                follow.function_text(self._clone, version_at(versions, at), path, target.function)
                for at in (place - 1, place)
            )
            if after is None or before == after:
                continue
            blobs = self._clone.blobs(tags.values(), [path])
            return [
                name
                for name, commit in tags.items()
                if (blob := blobs.get((commit, path)))
                and follow.function_text(self._clone, blob, path, target.function) == after
            ]
        return []

    def now(self, paths: Sequence[str]) -> list[str]:
        """Where files are by now."""
        return [self._steps[p][-1].path if p in self._steps else p for p in paths]

    def introduced_by(self) -> list[Candidate]:
        """Earlier commits that brought the racing lines and the `go` statements, latest first."""
        found: dict[int, Candidate] = {}
        for target, place in self._brought.items():
            if place is None:
                continue
            if place not in found:
                commit = self._clone.main.commits[place]
                message = self._clone.main.said(place)
                found[place] = Candidate(commit, message.subject, message.time)
            what = "a racing line" if target.racing else "the go statement"
            shown = follow.squeezed(target.line).decode("utf-8", "replace")[:80]
            found[place].gain(1.5, f"brought {what}: {shown}")
        ranked = [found[place] for place in sorted(found, reverse=True)]
        if ranked:
            ranked[0].gain(1.0, "the last piece of the race to arrive")
        return ranked

    def authors(self) -> list[tuple[str, str]]:
        """Who wrote the racing lines, then who worked on the racing functions last."""
        found: dict[str, str] = {}
        for target in [t for t in self._targets if t.racing]:
            place = self._brought.get(target)
            if place is not None:
                name = target.function.rpartition(".")[2]
                self._author(found, place, f"wrote the racing line in {name}")
            for recent in self._recent(target):
                self._author(found, recent, f"worked on {target.function.rpartition('.')[2]}")
        return list(found.items())

    def _author(self, found: dict[str, str], place: int, why: str) -> None:
        commit = self._clone.main.commits[place]
        found.setdefault(self._clone.main.said(place).author, f"{why} ({commit[:11]})")

    def _recent(self, target: Target) -> list[int]:
        """The last places before the pin at which a function changed."""
        versions = [v for v in self._clone.main.versions(target.path) if v.pos <= self._at][-40:]
        texts = [
            (v.pos, follow.function_text(self._clone, v.blob, target.path, target.function))
            for v in versions
        ]
        changed = [b[0] for a, b in pairwise(texts) if a[1] != b[1]]
        return changed[::-1][:3]


def _targets(clone: Clone, commit: str, report: Report, both: Sequence[Side]) -> list[Target]:
    """The racing functions, then the others that are worth watching."""
    found: dict[tuple[str, str, bytes], Target] = {}
    for side in both:
        line = lines.text(side.source, side.frame.line) if side.frame.line else b""
        function = declared(side.frame.function, language(side.path) or "go")
        found[side.path, function, line or b""] = Target(side.path, function, line or b"", True)
    for frame in _watched(report):
        tongue = language(frame.file)
        paths = clone.paths(frame) if tongue else []
        for (_, path), blob in clone.blobs([commit], paths).items():
            source = clone.git.object(blob) or b""
            line = lines.text(source, frame.line) if frame.line else b""
            function = declared(frame.function, tongue or "go")
            if not any(t.path == path and t.function == function for t in found.values()):
                found[path, function, line or b""] = Target(path, function, line or b"", False)
    return [t for t in found.values() if t.function]


def _watched(report: Report) -> list[Frame]:
    """Frames whose functions a fix may change: those of the accesses, creations, and the test."""
    stacks = [a.stack for a in report.accesses]
    created = [a.created_at for a in report.actors]
    frames = [f for stack in stacks for f in stack if not f.stale]
    frames += [f for stack in created for f in stack[:3] if not f.stale]
    tests = [f for stack in created for f in stack if not f.stale and go.test_name(f.function)]
    return [f for f in dict.fromkeys(frames + tests) if f.line is not None][:40]

"""Which later commits may have mended a race, which earlier ones brought it, and is it there yet."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.code import follow, lines
from deadheat.code.candidates import SOON, SURE, Candidate, ranked, settle, spoken, timely
from deadheat.code.history import version_at
from deadheat.code.targets import targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.code.claimed import Answer
    from deadheat.code.clone import Clone
    from deadheat.code.sides import Side
    from deadheat.code.targets import Target
    from deadheat.code.variable import Variable
    from deadheat.code.window import Pin
    from deadheat.code.words import Message
    from deadheat.model import Report

# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
_REVERT = re.compile(r"^revert\b", re.IGNORECASE)
# what makes an access safe, in Go, C, C++ and Rust
_GUARD = re.compile(
    rb"\b(?:R?Lock|R?Unlock|atomic|Atomic\w*|Mutex|mutex|sync|Once|Wait|WaitGroup|Done|lock_guard"
    rb"|pthread_mutex_\w+|unique_lock|READ_ONCE|WRITE_ONCE|spin_lock\w*|Cancel|Clone|Copy|CopyN?|Close)\b|<-"
)
_CLOSER_LOOKS = 80


class Past:
    """The history around a pin."""

    def __init__(self, clone: Clone, pin: Pin, report: Report, both: Sequence[Side]) -> None:
        self._clone, self._pin, self._report = clone, pin, report
        self.at = self._place(pin.surest.last)
        self._end = max(self._place(pin.window.last), self.at)
        # the fix may lie in the window itself, if it left the lines where they were
        self._from = min(self._place(pin.surest.first), self.at)
        self._targets = targets(clone, pin.surest.last, report, both)
        self._steps = {t.path: follow.forward(clone, t.path, self.at) for t in self._targets}
        self._brought = {
            t: follow.brought(clone, t.path, t.function, t.line, self.at)
            for t in self._targets
            if t.line.strip() and (t.racing or b"go " in t.line)
        }

    def _place(self, commit: str) -> int:
        """The commit's place on the main line, or that of the last one that it shares with it."""
        return self._clone.beside.fork(commit) or 0

    def fixed_by(self, variable: Variable | None, issues: Sequence[str] = ()) -> list[Candidate]:
        """Later commits that may have mended it, likeliest first."""
        touched = self._touched()
        names = self._names(variable)
        found: list[tuple[Candidate, Message]] = []
        reverted: set[str] = set()
        for place, message in self._clone.messages.heard(self._from, touched, issues).items():
            candidate = self._heard(place, message, touched, names, issues)
            reverted.update(_REVERTS.findall(message.text))
            if candidate.points >= 1.0 and not _REVERT.match(message.subject):
                found.append((candidate, message))
        found = [(c, message) for c, message in found if c.commit not in reverted]
        found.sort(key=lambda f: -f[0].points)
        close = []
        self._read([c.place for c, _ in found[:_CLOSER_LOOKS]])
        for candidate, message in found[:_CLOSER_LOOKS]:
            if message.parents > 1 and (inner := self._clone.beside.merged(candidate.commit)):
                merged = _joined(message, [said for _, said in inner])
                candidate = self._heard(candidate.place, merged, touched, names, issues)
                candidate.gain(0.0, f"merges {inner[0][0][:11]}")
            self._look(candidate, candidate.place, variable)
            settle(candidate)
            close.append(candidate)
        worth = [c for c in close if self._is_worth(c)]
        if not any(c.is_convincing for c in worth):
            # better a guess that is called one than nothing
            worth += [c.doubted() for c in close if c not in worth and self._may_be(c)]
        return ranked(worth)[:5]

    def _heard(
        self,
        place: int,
        message: Message,
        touched: dict[int, tuple[float, str]],
        names: list[tuple[str, str]],
        issues: Sequence[str],
    ) -> Candidate:
        """A commit by what it says and where it stands."""
        commit = self._clone.main.commits[place]
        candidate = spoken(commit, message, names if place in touched else [], issues)
        if place in touched:
            candidate.gain(*touched[place])
            candidate.in_file = True
        timely(candidate, place, self._end)
        return candidate

    def _may_be(self, candidate: Candidate) -> bool:
        """Does it come soon after the window and speak of a race, though of what it does not say?"""
        return candidate.outspoken and self.at < candidate.place and candidate.distance <= SOON

    def _is_worth(self, candidate: Candidate) -> bool:
        """Says that it is about a race, or does something to the functions of the report."""
        if candidate.closes:
            return True
        if candidate.place <= self.at:
            return candidate.racy and candidate.in_racing
        about = candidate.in_function or (candidate.racy and candidate.on_variable)
        return candidate.points >= 3.0 and (about or candidate.in_file)

    def _touched(self) -> dict[int, tuple[float, str]]:
        """Places of later commits that change a file of the report, with what that is worth."""
        found: dict[int, tuple[float, str]] = {}
        for target in self._targets:
            worth = 1.0 if target.racing else 0.5
            inside = follow.Step(target.path, self._from, self.at)
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

    def _read(self, places: list[int]) -> None:
        """Reads in one go what the closer looks will ask for one by one."""
        for target in self._targets:
            blobs: dict[str, list[str | None]] = {}
            for place in places:
                path = self._path(target, place)
                versions = self._clone.main.versions(path)
                old, new = version_at(versions, place - 1), version_at(versions, place)
                if old != new:
                    blobs.setdefault(path, []).extend((old, new))
            for path, wanted in blobs.items():
                follow.function_texts(self._clone, wanted, path, target.function)

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

    def changed(self, place: int) -> tuple[list[str], list[str]]:
        """The functions of the report that the commit at a place changes, and the files of it."""
        functions, files = [], []
        for target in self._targets:
            path = self._path(target, place) if place > self.at else self._earlier(target, place)
            if path is None:
                continue
            versions = self._clone.main.versions(path)
            old, new = version_at(versions, place - 1), version_at(versions, place)
            if old == new:
                continue
            files.append(path)
            before, after = (
                follow.function_text(self._clone, blob, path, target.function)
                for blob in (old, new)
            )
            if before != after:
                functions.append(target.function.rpartition(".")[2])
        return list(dict.fromkeys(functions)), list(dict.fromkeys(files))

    def _earlier(self, target: Target, place: int) -> str | None:
        """Where a file of the report was before."""
        for path, versions in follow.backward(self._clone, target.path, self.at):
            if versions[-1].pos <= place:
                return path
        return None

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
        blob = version_at(self._clone.main.versions(target.path), self.at)
        before = follow.function_text(self._clone, blob, target.path, target.function) or b""
        return len(_GUARD.findall(text)) > len(_GUARD.findall(before))

    def now(self, paths: Sequence[str]) -> list[str]:
        """Where files are by now."""
        return [self._steps[p][-1].path if p in self._steps else p for p in paths]

    def introduced_by(self, suspects: Iterable[Answer] = ()) -> list[Candidate]:
        """Earlier commits that brought the racing lines and the `go` statements, latest first.

        Before them those that the document suspects, where they change the report's files.
        """
        found: dict[int, Candidate] = {}
        for target, place in self._brought.items():
            if place is None:
                continue
            if place not in found:
                commit = self._clone.main.commits[place]
                message = self._clone.messages.said(place)
                found[place] = Candidate(commit, message.subject, message.time)
            what = "a racing line" if target.racing else "the go statement"
            shown = follow.squeezed(target.line).decode("utf-8", "replace")[:80]
            found[place].gain(1.5, f"brought {what}: {shown}")
        ranked = [found[place] for place in sorted(found, reverse=True)]
        if ranked:
            ranked[0].gain(1.0, "the last piece of the race to arrive")
        return self._suspected(suspects, ranked)

    def _suspected(self, suspects: Iterable[Answer], rest: list[Candidate]) -> list[Candidate]:
        """The commits with those in front that a document names."""
        known = {c.commit: c for c in rest}
        named: dict[str, Candidate] = {}
        for answer in suspects:
            commit = answer.commit or ""
            place = self._clone.main.position(commit)
            if place is None or place > self.at or not self.changed(place)[1]:
                continue
            said = self._clone.messages.said(place)
            named[commit] = known.get(commit) or Candidate(commit, said.subject, said.time)
            named[commit].gain(2.5, f"the document says that {answer.claim.value} brought it")
            named[commit].gain(1.0, answer.why)
        return [*named.values(), *(c for c in rest if c.commit not in named)]

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
        found.setdefault(self._clone.messages.said(place).author, f"{why} ({commit[:11]})")

    def _recent(self, target: Target) -> list[int]:
        """The last places before the pin at which a function changed."""
        versions = [v for v in self._clone.main.versions(target.path) if v.pos <= self.at][-40:]
        known = follow.function_texts(
            self._clone, [v.blob for v in versions], target.path, target.function
        )
        texts = [(v.pos, known.get(v.blob)) for v in versions]
        changed = [b[0] for a, b in pairwise(texts) if a[1] != b[1]]
        return changed[::-1][:3]


def _joined(message: Message, inner: Sequence[Message]) -> Message:
    """What a merge says, and all that it merges."""
    text = "\n".join([message.text, *(said.text for said in inner)])
    return message._replace(text=text)

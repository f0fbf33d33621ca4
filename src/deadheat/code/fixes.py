"""Finds later commits that may have fixed a race, and whether the race is still present."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code import follow, lines
from deadheat.code.candidates import SOON, SURE, Candidate, ranked, settle, spoken, timely
from deadheat.code.history import version_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.past import Past
    from deadheat.code.targets import Target
    from deadheat.code.variable import Variable
    from deadheat.code.words import Message

# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
_REVERT = re.compile(r"^revert\b", re.IGNORECASE)
# synchronization in Go, C, C++ and Rust
_GUARD = re.compile(
    rb"\b(?:R?Lock|R?Unlock|atomic|Atomic\w*|Mutex|mutex|sync|Once|Wait|WaitGroup|Done|lock_guard"
    rb"|pthread_mutex_\w+|unique_lock|READ_ONCE|WRITE_ONCE|spin_lock\w*|Cancel|Clone|Copy|CopyN?|Close)\b|<-"
)
_CLOSER_LOOKS = 80


class Fixes:
    """Searches for commits that may have fixed a race."""

    def __init__(self, past: Past) -> None:
        self._past, self._clone = past, past.clone
        self._quoted = self._clone.messages.quoting(past.report)

    def fixed_by(self, variable: Variable | None, issues: Sequence[str] = ()) -> list[Candidate]:
        """Later commits that may have fixed the race, most likely first."""
        touched = self._past.touched()
        names = self._names(variable)
        found: list[tuple[Candidate, Message]] = []
        reverted: set[str] = set()
        also = {*touched, *self._quoted.report}
        heard = self._clone.messages.heard(self._past.start, also, issues)
        for place, message in heard.items():
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
            # a doubtful candidate is better than none
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
        """A candidate, rated by its message and position."""
        commit = self._clone.main.commits[place]
        candidate = spoken(commit, message, names if place in touched else [], issues)
        if place in touched:
            candidate.gain(*touched[place])
            candidate.in_file = True
        if place in self._quoted.report:
            candidate.quotes = True
            candidate.gain(4.0, "quotes this report")
        elif place in self._quoted.race:
            candidate.gain(2.0, "quotes a report of this race")
        timely(candidate, place, self._past.end)
        return candidate

    def _may_be(self, candidate: Candidate) -> bool:
        """Whether the commit is shortly after the window and mentions an unspecified race."""
        return (
            candidate.outspoken and self._past.at < candidate.place and candidate.distance <= SOON
        )

    def _is_worth(self, candidate: Candidate) -> bool:
        """Whether the commit mentions the race or changes functions of the report."""
        if candidate.closes or candidate.quotes:
            return True
        if candidate.place <= self._past.at:
            return candidate.racy and candidate.in_racing
        about = candidate.in_function or (candidate.racy and candidate.on_variable)
        return candidate.points >= 3.0 and (about or candidate.in_file)

    def _names(self, variable: Variable | None) -> list[tuple[str, str]]:
        """Names that a message about this race may contain."""
        words = []
        for target in self._past.targets:
            owner, _, name = target.function.rpartition(".")
            if target.racing:
                words += [(name, "function"), (owner.strip("(*)"), "type")]
        if variable:
            words += [
                (variable.name.rpartition(".")[2], "variable"),
                (variable.owner or "", "type"),
            ]
        words.append((self._past.report.test or "", "test"))
        return [(w, what) for w, what in dict.fromkeys(words) if len(w) > 2]

    def _read(self, places: list[int]) -> None:
        """Reads all function texts that `_rate_changes` needs in one batch."""
        for target in self._past.targets:
            blobs: dict[str, list[str | None]] = {}
            for place in places:
                path = self._past.path(target, place)
                versions = self._clone.main.versions(path)
                old, new = version_at(versions, place - 1), version_at(versions, place)
                if old != new:
                    blobs.setdefault(path, []).extend((old, new))
            for path, wanted in blobs.items():
                follow.function_texts(self._clone, wanted, path, target.function)

    def _look(self, candidate: Candidate, place: int, variable: Variable | None) -> None:
        """Rates what a commit changes in the functions of the report."""
        changed = 0
        for target in self._past.targets:
            path = self._past.path(target, place)
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
            candidate.gain(0.8, "adds a lock, a join or a copy there")

    def still_present(self, fixes: Sequence[Candidate]) -> bool | None:
        """Whether both accesses are in the newest version; None if unknown."""
        if any(c.score >= SURE and c.is_convincing for c in fixes):
            return False
        racing = [t for t in self._past.targets if t.racing]
        if not racing:
            return None
        end = self._clone.main.end
        for target in racing:
            last = self._past.steps[target.path][-1]
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
        blob = version_at(self._clone.main.versions(target.path), self._past.at)
        before = follow.function_text(self._clone, blob, target.path, target.function) or b""
        return len(_GUARD.findall(text)) > len(_GUARD.findall(before))


def _joined(message: Message, inner: Sequence[Message]) -> Message:
    """The message of a merge with those of the merged commits."""
    text = "\n".join([message.text, *(said.text for said in inner)])
    return message._replace(text=text)

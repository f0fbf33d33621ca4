"""Decides whether a commit fixed a race, by which strategy, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.code.mining import deeds as did
from deadheat.code.mining import reading, speech
from deadheat.code.mining.causes import causes
from deadheat.code.mining.deeds import Deeds
from deadheat.code.mining.speech import Weight

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from deadheat.code.git import Git
    from deadheat.code.mining.reading import Changed, Listed
    from deadheat.code.mining.speech import Speech
    from deadheat.code.words import Message
    from deadheat.model import Sighting

# "go.mod", "Cargo.lock", "DEPS.bzl": files that list dependency versions
_DEPENDENCIES = re.compile(
    r"(?:^|/)(?:go\.(?:mod|sum)|Cargo\.(?:toml|lock)|DEPS\.bzl|glide\.\w{4}|Gopkg\.\w{4})$|(?:^|/)_?vendor/"
)
_WORD = re.compile(r"[A-Za-z_]\w{2,80}")
# text that a quoted report contains
_QUOTED = re.compile(
    r"data[ -]race|concurrent map|previous (?:write|read)|race condition|Helgrind", re.IGNORECASE
)
# changed lines; a larger commit is not analysed further
_ENOUGH = 10_000
# size limits of changes whose message does not clearly mention a race
_SYMPTOMS, _FEW, _PLAIN = 60, 12, 4
_MOST_LINES = {
    Weight.NOTHING: 0,
    Weight.SYMPTOM: 2 * _SYMPTOMS,
    Weight.HINT: 2 * _SYMPTOMS,
    Weight.REMEDY: 400,
    Weight.UNSAFE: 400,
    Weight.MENTION: 600,
}
_DEEDS = {
    did.LOCK: "adds a lock",
    did.ATOMIC: "makes accesses atomic",
    did.COPY: "makes a copy",
    did.ORDER: "changes the order of operations",
    did.JOIN: "waits for a task to end",
    did.UNSHARED: "removes shared state",
}


@dataclass(frozen=True, slots=True)
class Fix:
    """A commit that fixed a race."""

    commit: str
    subject: str
    time: int
    strategy: str
    strategies: tuple[str, ...]  # the main one first
    why: tuple[str, ...]
    files: tuple[str, ...]
    functions: tuple[str, ...]
    types: tuple[str, ...]
    variables: tuple[str, ...]
    issues: tuple[str, ...]
    pull: str | None
    is_merge: bool
    causes: tuple[str, ...] = ()  # likely causes of the race
    reports: tuple[Sighting, ...] = ()  # quoted in the message
    reverted_by: str | None = None
    brings: tuple[str, ...] = ()  # of a merge: the fixes that it contains


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit that reverted others."""

    commit: str
    commits: tuple[str, ...]  # ids or prefixes of ids
    pulls: tuple[str, ...]
    subject: str


def judged(
    git: Git, commits: Collection[Listed], racy: Mapping[str, Collection[str]] | None = None
) -> Iterator[Fix | Revert]:
    """The fixes and reverts among commits.

    `racy` maps the numbers of issues about races to the file names in their reports: the same number may
    be another issue in another tracker.
    """
    racy = racy or {}
    spoken = []
    for one, message in reading.messages(git, commits):
        said = speech.heard(message.subject, message.text)
        if said.is_revert:
            yield Revert(one.commit, said.reverts, said.reverts_pulls, message.subject)
        elif not said.catches_up and (said.weight or racy.keys() & set(said.issues)):
            spoken.append((one, message._replace(text=message.text[: speech.LONGEST]), said))
    changed = reading.changes(git, [one for one, _, _ in spoken])
    for one, message, said in spoken:
        files = changed[one.commit]
        if 0 < len(files) <= reading.MOST_FILES:
            linked = [n for n in said.issues if _named(racy.get(n, ()), files)]
            if fix := _judge(git, one, message, said, files, linked):
                yield fix


def _named(names: Collection[str], files: Iterable[Changed]) -> bool:
    return any(file.path.rpartition("/")[2] in names for file in files)


def _judge(
    git: Git, one: Listed, message: Message, said: Speech, files: list[Changed], linked: list[str]
) -> Fix | None:
    done = Deeds()
    for path, old, new in reading.sources(git, files):
        did.take(done, path, old, new)
        if done.lines > _ENOUGH:
            break
    did.conclude(done)
    reports = quoted(message.text)
    why = verdict(said, done, [file.path for file in files], bool(reports), linked)
    if not why:
        return None
    tests_only = bool(done.files) and all(map(did.is_test, done.files))
    strategies = done.strategies or [did.OTHER if done.files else did.DEPENDENCY]
    chief = did.TEST if tests_only else strategies[0]
    if tests_only and said.updates and any(_DEPENDENCIES.search(file.path) for file in files):
        chief = did.DEPENDENCY
    named = set(_WORD.findall(message.text))
    return Fix(
        one.commit,
        message.subject,
        message.time,
        chief,
        tuple(strategies),
        tuple(why),
        tuple(done.files or [f.path for f in files][:20]),
        tuple(did.most(done.functions, named)),
        tuple(did.most(done.types, named)),
        tuple(did.most(done.variables, named)),
        said.issues,
        said.pull,
        message.parents > 1,
        causes(message.text, done, reports, tests_only),
        tuple(reports),
    )


def quoted(text: str) -> list[Sighting]:
    """The reports that a message quotes."""
    from deadheat.triage import scan_text

    return scan_text(text, "message") if _QUOTED.search(text) else []


def verdict(
    said: Speech, done: Deeds, paths: Iterable[str], quotes: bool, linked: list[str]
) -> list[str]:
    """Why a commit is considered a race fix; empty if it is not."""
    why = [said.why] if said.why else []
    if quotes:
        why.append("its message quotes a report")
    why += [f"it closes #{number}, which is about a race" for number in linked]
    if not done.lines:
        by_words = said.weight == Weight.SAYS and any(map(_DEPENDENCIES.search, paths))
        return [*why, "it changes the version of a dependency"] if by_words else []
    deed = _deed(done)
    if deed:
        why.append(deed)
    return why if _holds(said, done, quotes or bool(linked)) else []


def _holds(said: Speech, done: Deeds, proved: bool) -> bool:
    """The weaker the message, the clearer the change must be."""
    if proved:
        return True
    mends = said.mends or not said.makes
    if said.weight == Weight.SAYS:
        return mends or bool(done.synchronises)
    if (done.is_new and done.size > _FEW) or done.size > _MOST_LINES[said.weight]:
        return False
    if said.weight == Weight.MENTION:
        return mends and bool(done.strategies)
    if said.weight == Weight.REMEDY:
        return not said.swaps and done.synchronises > 0
    if not said.mends or said.swaps:
        return False
    if said.weight == Weight.UNSAFE:
        return bool(done.strategies) or done.size <= _FEW
    if said.weight == Weight.HINT:
        return done.synchronises > 0
    return _is_plain(said, done)


def _is_plain(said: Speech, done: Deeds) -> bool:
    """Whether the change only adds a lock, an atomic variable or a copy of a loop variable."""
    if done.brought * 3 > done.size:
        return False
    locks, converted = done.points[did.LOCK], done.converted if said.shakes else 0
    if done.size > _SYMPTOMS:
        return locks >= 2 * _PLAIN
    return locks >= _PLAIN or converted > 0 or done.captured > 0


def _deed(done: Deeds) -> str:
    return f"it {_DEEDS[done.strategies[0]]}" if done.strategies else ""

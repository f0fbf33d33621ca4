"""Rules that mute races, from a baseline or from ThreadSanitizer suppression files.

A pattern is a ThreadSanitizer suppression such as `race:NAME`, or `id:RACE`. NAME is searched in the
functions, files and globals of a report; `*` matches anything, `^` and `$` match the ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Frame, Report, Sighting

# the suppression type of each kind of report; all others are "race"
_TYPES = {
    "thread-leak": "thread",
    "lock-order-inversion": "deadlock",
    "signal-unsafe-call": "signal",
    "errno-in-signal": "signal",
    "destroy-locked-mutex": "mutex",
    "double-lock": "mutex",
    "unlock-unlocked-mutex": "mutex",
    "invalid-mutex-access": "mutex",
    "mutex-held-wrong-context": "mutex",
    "read-lock-of-write-locked-mutex": "mutex",
    "read-unlock-of-write-locked-mutex": "mutex",
}
_TOP = "race_top"
_KNOWN = frozenset(("race", _TOP, "id", *_TYPES.values()))
# ThreadSanitizer types that cannot be decided from the report alone
_IDLE = frozenset(("called_from_lib",))
_SHORTEST_ID = 6


class Mute(NamedTuple):
    """A mute rule with its reason, owner and expiry date."""

    pattern: str
    reason: str = ""
    owner: str = ""
    expires: str = ""  # a date as in 2026-12-31


def fault(pattern: str) -> str:
    """The error in a pattern; empty if it is valid."""
    kind, colon, name = pattern.partition(":")
    if not colon or kind not in _KNOWN:
        return f"{pattern!r} does not begin with one of {', '.join(sorted(_KNOWN))} and a colon"
    if kind == "id" and (len(name) < _SHORTEST_ID or name.strip("0123456789abcdef")):
        return f"{pattern!r} needs a race id of at least {_SHORTEST_ID} hexadecimal digits"
    return "" if name.strip("*^$ ") else f"{pattern!r} would mute everything"


def suppressions(text: str) -> tuple[list[Mute], list[str]]:
    """The rules of a suppression file, and the errors in its other lines.

    The comment above a rule is its reason, up to the next blank line.
    """
    mutes: list[Mute] = []
    faults: list[str] = []
    reason: list[str] = []
    above = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("#"):
            # a comment after a rule starts a new reason
            reason = [*(reason if above.startswith("#") else []), line.lstrip("# ")]
        elif not line:
            reason = []
        elif line.partition(":")[0] in _IDLE:
            faults.append(f"line {number}: {line.partition(':')[0]} is not supported, ignored")
        elif told := fault(line):
            faults.append(f"line {number}: {told}, ignored")
        else:
            mutes.append(Mute(line, " ".join(reason)))
        above = line
    return mutes, faults


def matches(mute: Mute, sighting: Sighting) -> bool:
    """Whether the rule mutes this race."""
    kind, _, name = mute.pattern.partition(":")
    if kind == "id":
        return sighting.verdict.race.startswith(name)
    report = sighting.report
    if (_TYPES.get(report.kind, "race")) != ("race" if kind == _TOP else kind):
        return False
    names = _top(report) if kind == _TOP else _all(report)
    return any(_fits(name, other) for other in names)


def _top(report: Report) -> Iterator[str]:
    for access in report.accesses:
        for frame in access.stack[:1]:
            yield from _named(frame)


def _all(report: Report) -> Iterator[str]:
    stacks = [access.stack for access in report.accesses]
    stacks += [actor.created_at for actor in report.actors]
    stacks += [stack for edge in report.cycle for stack in (edge.stack, edge.held_stack)]
    for stack in stacks:
        for frame in stack:
            if not frame.stale:
                yield from _named(frame)
    if report.location is not None:
        yield from filter(None, (report.location.name, report.location.file))


def _named(frame: Frame) -> Iterator[str]:
    yield from (frame.function, frame.file, frame.path)
    if frame.package:  # with the full import path, as the Go detector prints it
        yield f"{frame.package}.{frame.function.partition('.')[2]}"


def _fits(pattern: str, text: str) -> bool:
    """Matches in one pass: each part is searched after the previous one."""
    begins, ends = pattern.startswith("^"), pattern.endswith("$")
    parts = pattern.removeprefix("^").removesuffix("$").split("*")
    if begins and not text.startswith(parts[0]):
        return False
    at = len(parts[0]) if begins else 0
    last = len(parts) - 1
    for number, part in enumerate(parts):
        if number == 0 and begins and (last or not ends):
            continue
        if number == last and ends:
            whole = begins and not last
            return text == part if whole else len(text) - len(part) >= at and text.endswith(part)
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True

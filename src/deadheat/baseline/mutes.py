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
_SUPPRESSION_TYPES = {
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
_TOP_FRAME_TYPE = "race_top"
_PATTERN_TYPES = frozenset(("race", _TOP_FRAME_TYPE, "id", *_SUPPRESSION_TYPES.values()))
# ThreadSanitizer types that cannot be decided from the report alone
_UNSUPPORTED_TYPES = frozenset(("called_from_lib",))
_MIN_ID_LENGTH = 6


class Mute(NamedTuple):
    """A mute rule with its reason, owner and expiry date."""

    pattern: str
    reason: str = ""
    owner: str = ""
    expires: str = ""  # a date as in 2026-12-31


def pattern_error(pattern: str) -> str:
    """The error in a pattern; empty if it is valid."""
    kind, colon, name = pattern.partition(":")
    if not colon or kind not in _PATTERN_TYPES:
        return f"{pattern!r} does not begin with one of {', '.join(sorted(_PATTERN_TYPES))} and a colon"
    if kind == "id" and (len(name) < _MIN_ID_LENGTH or name.strip("0123456789abcdef")):
        return f"{pattern!r} needs a race id of at least {_MIN_ID_LENGTH} hexadecimal digits"
    return "" if name.strip("*^$ ") else f"{pattern!r} would mute everything"


def parse_suppressions(text: str) -> tuple[list[Mute], list[str]]:
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
        elif line.partition(":")[0] in _UNSUPPORTED_TYPES:
            faults.append(f"line {number}: {line.partition(':')[0]} is not supported, ignored")
        elif error := pattern_error(line):
            faults.append(f"line {number}: {error}, ignored")
        else:
            mutes.append(Mute(line, " ".join(reason)))
        above = line
    return mutes, faults


def mute_matches(mute: Mute, sighting: Sighting) -> bool:
    """Whether the rule mutes this race."""
    kind, _, name = mute.pattern.partition(":")
    if kind == "id":
        return sighting.verdict.race.startswith(name)
    report = sighting.report
    if (_SUPPRESSION_TYPES.get(report.kind, "race")) != ("race" if kind == _TOP_FRAME_TYPE else kind):
        return False
    names = _top_frame_names(report) if kind == _TOP_FRAME_TYPE else _all_report_names(report)
    return any(_pattern_matches(name, other) for other in names)


def _top_frame_names(report: Report) -> Iterator[str]:
    for access in report.accesses:
        for frame in access.stack[:1]:
            yield from _frame_names(frame)


def _all_report_names(report: Report) -> Iterator[str]:
    stacks = [access.stack for access in report.accesses]
    stacks += [actor.created_at for actor in report.actors]
    stacks += [stack for edge in report.cycle for stack in (edge.stack, edge.held_stack)]
    for stack in stacks:
        for frame in stack:
            if not frame.stale:
                yield from _frame_names(frame)
    if report.location is not None:
        yield from filter(None, (report.location.name, report.location.file))


def _frame_names(frame: Frame) -> Iterator[str]:
    yield from (frame.function, frame.file, frame.path)
    if frame.package:  # with the full import path, as the Go detector prints it
        yield f"{frame.package}.{frame.function.partition('.')[2]}"


def _pattern_matches(pattern: str, text: str) -> bool:
    """Matches in one pass: each part is searched after the previous one."""
    anchored_start, anchored_end = pattern.startswith("^"), pattern.endswith("$")
    parts = pattern.removeprefix("^").removesuffix("$").split("*")
    if anchored_start and not text.startswith(parts[0]):
        return False
    position = len(parts[0]) if anchored_start else 0
    last = len(parts) - 1
    for number, part in enumerate(parts):
        if number == 0 and anchored_start and (last or not anchored_end):
            continue
        if number == last and anchored_end:
            is_exact = anchored_start and not last
            return text == part if is_exact else len(text) - len(part) >= position and text.endswith(part)
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True

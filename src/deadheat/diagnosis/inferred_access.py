"""The access that Valgrind does not show, inferred from the locations that it names instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.detectors.valgrind_lines import parse_formatted_stack
from deadheat.diagnosis.facts.function_names import without_package
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import WRITE_OPS, cpp_function_name, frame_in_same_folder, point_of
from deadheat.model import Access, Frame, Op, Origin, Report
from deadheat.symbols import native

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts
    from deadheat.diagnosis.race_side import RaceSide

_BEFORE_UNLOCK = "other access before"
# "mutex_unlock_WRK (hg_intercepts.c:1179) < count_frame (uplink.c:32) < …"; the fact does not say whether an rwlock
# was held for reading
_UNLOCK_FUNCTION = re.compile(r"(?:pthread_)?(?:mutex|spin)_unlock")
_RELEASED_LOCK = "the lock that it releases next"
_MAX_FRAMES, _MAX_STACK_LENGTH = 12, 8192  # limits for such a stack: frames, characters


def known_accesses(report: Report) -> tuple[Access, ...]:
    """A report's first two accesses; one without a stack is located where its thread released a lock."""
    accesses = report.accesses[:2]
    if report.detector != "helgrind" or len(accesses) < 2 or accesses[1].stack or not accesses[0].stack:
        return accesses
    fact = dict(report.facts).get(_BEFORE_UNLOCK, "")
    stack = tuple(_parse_user_frames(fact)) if _UNLOCK_FUNCTION.match(fact) else ()
    if not stack:
        return accesses
    op = Op.WRITE if accesses[0].op is Op.READ else Op.UNKNOWN
    return accesses[0], accesses[1]._replace(op=op, stack=stack, site=stack[0], locks=(_RELEASED_LOCK,))


def _parse_user_frames(fact: str) -> list[Frame]:
    """The program's own frames in a one-line stack."""
    frames = []
    for entry in fact[:_MAX_STACK_LENGTH].split(" < ")[:_MAX_FRAMES]:
        function, _, location = entry.rpartition(" (")
        file, _, line = location.rstrip(")").rpartition(":")
        if function and file and line.isdecimal() and len(line) < 10:
            frames.append(native.make_frame(function, file, int(line)))
    return [frame for frame in frames if frame.origin is Origin.USER]


# how the detectors name the two locations
_AFTER_FACTS = ("other access after", "other segment start")
_BEFORE_FACTS = ("other access before", "other segment end")
# limits per report: lines read, calls followed, call depth
_MAX_LINES, _MAX_CALLS, _MAX_CALL_DEPTH = 60, 12, 2


class _LineRange(NamedTuple):
    """Lines of a function that the other side executed, and the callers of that function."""

    frame: Frame
    first_line: int
    last_line: int
    callers: tuple[Frame, ...]


class InferredReport(NamedTuple):
    """A report completed with the other side, and the reason for choosing it."""

    report: Report
    reason: Evidence


def infer_other_side(context: RaceContext) -> InferredReport | None:
    """The report with both sides, if the code between the two locations uses the same variable."""
    side = context.only_known_side
    facts = dict(context.report.facts)
    after = next((facts[name] for name in _AFTER_FACTS if name in facts), "")
    before = next((facts[name] for name in _BEFORE_FACTS if name in facts), "")
    if side is None or side.site_facts is None or not (after or before):
        return None
    names = _candidate_names(context, side)
    actors = [*(access.actor for access in context.report.accesses), *(actor.id for actor in context.report.actors)]
    actor = next((name for name in actors if name != side.actor.id), "")
    if not names or not actor:
        return None
    for frame, op, outer in _conflicting_lines(context, side, names, _user_frames_of(after), _user_frames_of(before)):
        accesses = (side.access, Access(op, actor, (frame, *outer), site=frame))
        text = (
            f"the report does not show the other side: `{without_package(frame.function)}`, line {frame.line}, runs"
            " between the two locations that it names, and accesses the same variable"
        )
        return InferredReport(context.report._replace(accesses=accesses), Evidence(text, point_of(frame)))
    return None


def _user_frames_of(fact: str) -> list[Frame]:
    """The user frames of a location; DRD may name several, of which the first is the nearest."""
    return [f for f in parse_formatted_stack(fact.partition("; ")[0]) if f.origin is Origin.USER and f.line is not None]


def _candidate_names(context: RaceContext, side: RaceSide) -> set[str]:
    """The names that the known line may race on: the detector's, else all that are not local."""
    location, here = context.report.location, side.site_facts
    if here is None:
        return set()
    if location is not None and location.kind == "global" and location.name:
        name = location.name.partition("[")[0].partition(".")[0]
        if any(u.name == name for u in here.uses):
            return {name}
    uses = [u for u in here.uses if u.writes or not side.writes]
    shared_names = {u.name for u in uses if len(u.path) > 1 or u.name not in here.declarations}
    return shared_names - {c.name for c in here.calls}


def _conflicting_lines(
    context: RaceContext, side: RaceSide, names: set[str], after: list[Frame], before: list[Frame]
) -> Iterator[tuple[Frame, Op, tuple[Frame, ...]]]:
    """The lines between the two locations that use one of the names in a conflicting way."""
    lines_left = _MAX_LINES
    ranges = list(_ranges_between(context, after, before))
    for _ in range(_MAX_CALL_DEPTH + 1):
        next_ranges: list[_LineRange] = []
        for line_range in ranges:
            for line in range(line_range.first_line, line_range.last_line + 1):
                frame = line_range.frame._replace(line=line)
                facts = context.function_at(frame) if lines_left > 0 else None
                lines_left -= 1
                if facts is None:
                    continue
                local_names = {name for name, known in facts.declarations.items() if known.kind != "receiver"}
                uses = [u for u in facts.uses if u.name in names and (len(u.path) > 1 or u.name not in local_names)]
                writes = any(u.writes for u in uses)
                if uses and (writes or side.access.op in WRITE_OPS):
                    yield frame, Op.WRITE if writes else Op.READ, line_range.callers
                if len(next_ranges) < _MAX_CALLS:
                    next_ranges += _ranges_of_callees(context, frame, facts, line_range)
        ranges = next_ranges


def _ranges_of_callees(
    context: RaceContext, frame: Frame, facts: FunctionFacts, line_range: _LineRange
) -> Iterator[_LineRange]:
    """The functions that a line calls, from their first to their last line."""
    for call in [c for c in facts.calls if c.line == facts.line][:_MAX_CALLS]:
        callee = context.find_function(call.name, frame, facts.receiver)
        if callee is not None and callee.definition != facts.definition:
            callee_frame = frame_in_same_folder(frame, callee, cpp_function_name(callee))
            yield _LineRange(callee_frame, callee.first_line, callee.last_line, (frame, *line_range.callers))


def _ranges_between(context: RaceContext, after: list[Frame], before: list[Frame]) -> Iterator[_LineRange]:
    """The lines between two locations of one thread, each given by its stack, innermost first."""
    depth = 0
    for a, b in zip(reversed(after), reversed(before), strict=False):
        if (a.function, a.file) != (b.function, b.file):
            break
        depth += 1
        if a.line != b.line:
            break
    up, down = len(after) - depth, len(before) - depth
    for at in range(up):
        if facts := context.function_at(after[at]):
            first = min((begin for begin, _ in facts.loops), default=facts.line)
            yield _LineRange(after[at], first, facts.last_line, tuple(after[at + 1 :]))
    for at in range(down):
        if facts := context.function_at(before[at]):
            last = max((end for _, end in facts.loops), default=facts.line)
            yield _LineRange(before[at], facts.first_line, last, tuple(before[at + 1 :]))
    if depth and (facts := context.function_at(after[up])):
        first, last = after[up].line or 0, before[down].line or 0
        if first > last:
            first, last = facts.first_line, facts.last_line  # another iteration of a loop
        yield _LineRange(after[up], first, last, tuple(after[up + 1 :]))

"""The baseline of the diagnosis: a few lines over the same facts, which the diagnosis must beat on unknown races."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts.captures import find_capture
from deadheat.diagnosis.facts.function_names import ENDING_VERBS, is_test_file, name_words
from deadheat.diagnosis.finding import UNKNOWN

if TYPE_CHECKING:
    from deadheat.diagnosis.facts.code_facts import CodeReader
    from deadheat.model import Report

_CONFIDENCE = 0.6  # of each rule; this is about how often they are right


def baseline_cause(report: Report, source: CodeReader | None) -> tuple[tuple[str, float], ...]:
    """The cause and its confidence."""
    context = RaceContext(report, source)
    cause = _choose_cause(context) if len(context.race_sides) == 2 else UNKNOWN
    return ((cause, _CONFIDENCE),)


def _choose_cause(context: RaceContext) -> str:
    a, b = context.race_sides
    writer, other = (a, b) if a.writes else (b, a)
    locks = [{lock.name for lock in side.locks_held} | set(side.access.locks) for side in (a, b)]
    functions = [frame.function for side in (a, b) for frame in side.live_frames]
    capture = find_capture(context) if context.source is not None else None
    if any(function.startswith("runtime.closechan") for function in functions):
        return "close-vs-send"
    if any(function.startswith(("runtime.racewrite", "sync.(*WaitGroup)")) for function in functions):
        return "waitgroup-add-in-goroutine"
    if a.atomic or b.atomic:
        return "mixed-atomic"
    if capture is not None:
        return "error-variable-captured" if capture.name == "err" else "local-captured"
    if writer.site is not None and is_test_file(writer.site.file):
        return "test-changes-global"
    if all(locks):
        return "different-locks" if locks[0].isdisjoint(locks[1]) else "write-under-rlock"
    if any(locks):
        return "partial-lock"
    if any(function.startswith("runtime.map") for function in functions):
        return "concurrent-map"
    if other.is_worker and ENDING_VERBS.intersection(name_words(writer.function)):
        return "teardown-vs-worker"
    if other.start_frame is not None and other.start_frame.function == (writer.site and writer.site.function):
        return "started-before-initialised"
    return "missing-lock"

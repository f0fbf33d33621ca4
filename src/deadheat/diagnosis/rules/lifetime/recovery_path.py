"""A recovery path accesses what others still use.

## What it sees
`runtime.gopanic` in the valid part of one stack: the access runs in a deferred function while a panic unwinds.

## Why it races
A panic skips the normal order of steps. The deferred function cleans up or reports while goroutines still run for which
the function would have waited.

## Example
    defer func() {
        if r := recover(); r != nil { e.finish() }    // workers have not been joined
    }()

## Remedy
In the deferred function first stop and join the workers, as the normal path does. Then access shared data.

## When it is wrong
Stale frames that a recovered panic left on the detector's stack also show `gopanic`; they do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

_CHANGE = "Join the workers in the deferred function before it accesses what they use."


def _find_recovery_path(context: RaceContext) -> RuleMatch | None:
    if context.report.kind != "data-race":
        return None
    for side, other in context.side_pairs:
        frame = side.frame_ending_with("runtime.gopanic")
        if frame is None and _is_in_recovering_defer(side) and not _is_in_recovering_defer(other):
            evidence = (side.evidence_at_site(f"{side.action} in a deferred function that recovers from a panic"),)
            return RuleMatch(FAIR + 0.05, evidence, _CHANGE, (side.point,), from_source=True)
        if frame is None or other.frame_ending_with("runtime.gopanic"):
            continue
        panic_index = side.live_frames.index(frame)
        panic_source = next((f for f in side.live_frames[panic_index + 1 :] if f.package != "runtime"), None)
        sentences = [side.evidence_at_site(f"{side.action} in a deferred call, while a panic unwinds")]
        if panic_source:
            sentences.append(Evidence(f"the panic came from `{panic_source.function}`", point_of(panic_source)))
        sentences.append(other.evidence_at_site(f"{other.action} at the same time"))
        confidence = LIKELY if other.is_worker or side.is_worker else FAIR
        return RuleMatch(confidence, tuple(sentences), _CHANGE, (side.point,))
    return None


def _is_in_recovering_defer(side: RaceSide) -> bool:
    here = side.site_facts
    inner = next((c for c in here.closures if c.usage == "defer"), None) if here else None
    if here is None or inner is None:
        return False
    return any(c.name == "recover" and inner.first_line <= c.line <= inner.last_line for c in here.calls)


RULE = Rule(
    "recovery-path",
    "lifetime",
    _find_recovery_path,
    "a join on the recovery path (sync.WaitGroup)",
    "Recovery waits for the current step of the workers.",
    features=Feature.HAS_CODE | Feature.IN_PANIC,
)

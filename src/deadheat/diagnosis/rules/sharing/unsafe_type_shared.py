"""A type that is not safe for concurrent use is shared.

## What it sees
Frames of such a type above the user's line: `bytes.Buffer`, `strings.Builder`, `bufio.Writer`, `math/rand.Rand`,
`http.Header`, `sql.Rows`, `json.Encoder`, `container/list`; in C++ `std::string`, `std::shared_ptr` (the pointer
itself), `std::list`; in Go any library type, if both accesses are in its own methods (`exec.Cmd`). With source: the
variable is declared as one.

## Why it races
Their documentation allows one goroutine at a time. Every call changes internal state, even if it looks like a read.

## Example
    var rng = rand.New(rand.NewSource(1))    // shared by all handlers: rng.Intn races

## Remedy
Use one per goroutine, or a mutex around every call. The functions of the package `math/rand` are safe.

## When it is wrong
A buffer is passed from one goroutine to the next without synchronisation: then the order is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.facts.condition_checks import existence_check_in_maker
from deadheat.diagnosis.facts.containers import library_type_of_both, only_uses_argument, unsafe_type_of
from deadheat.diagnosis.facts.object_origin import is_created_here
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide


def _find_shared_unsafe_type(context: RaceContext) -> RuleMatch | None:
    if context.report.kind != "data-race":
        return None
    unsafe_uses = [
        (side, frame, kind)
        for side in context.race_sides
        for frame in side.library_frames
        if (kind := unsafe_type_of(frame.function)) and not only_uses_argument(side, frame)
    ]
    if not unsafe_uses and (library_type := library_type_of_both(context)):
        unsafe_uses = [(side, side.library_frames[0], library_type) for side in context.race_sides]
    kinds = [kind for _, _, kind in unsafe_uses]
    declared = unsafe_type_of(context.shared_variable.type) if context.shared_variable else ""
    if not kinds and not declared:
        return None
    kind = kinds[0] if kinds else declared
    use_by_function = {side.function: (side, frame, type_name) for side, frame, type_name in unsafe_uses}
    evidence = tuple(
        side.evidence_at_site(f"{side.subject} uses a `{type_name}`: `{frame.function[:80]}`")
        for side, frame, type_name in use_by_function.values()
    )
    if declared and context.shared_variable:
        evidence += (Evidence(f"`{context.shared_variable}` is declared as {context.shared_variable.type[:60]}"),)
    locks_held = locks.locks_of_both_sides(context) if context.has_code else None
    actor_kind = "goroutine" if context.is_go else "thread"
    change = f"Use a `{kind}` per {actor_kind}, or take one mutex around every call on it."
    confidence = STRONG if kinds and not (locks_held and any(locks_held)) else LIKELY
    if not declared and any(side.site and not side.library_frames for side in context.race_sides):
        # its memory is used outside of its methods: another cause is likely, in Go mostly a pool
        confidence = FAIR if context.source or not context.is_go else WEAK + 0.05
    if any(_is_made_at_first_use(context, side) for side in context.race_sides):
        confidence = WEAK  # the creation races, not the use
    return RuleMatch(confidence, evidence, change, context.change_points, from_source=bool(declared))


def _is_made_at_first_use(context: RaceContext, side: RaceSide) -> bool:
    """Return whether it is created lazily: `if (!log_) log_ = std::make_unique<Logger>();`."""
    if side.site is None or not is_created_here(context, side):
        return False
    return existence_check_in_maker(context, side.site) is not None


RULE = Rule(
    "unsafe-type-shared",
    "contract",
    _find_shared_unsafe_type,
    "one object per goroutine, or sync.Mutex",
    "Memory for each; or a lock per call.",
    general_causes=("missing-lock",),
    features=Feature.HAS_CODE | Feature.HAS_LIBRARY_FRAMES,
)

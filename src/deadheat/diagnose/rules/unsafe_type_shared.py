"""A type that is not safe for concurrent use is shared.

## What it sees

Frames of such a type above the user's line: `bytes.Buffer`, `strings.Builder`, `bufio.Writer`,
`math/rand.Rand`, `http.Header`, `sql.Rows`, `json.Encoder`, `container/list`; in C++ `std::string`,
`std::shared_ptr` (the pointer itself), `std::list`; in Go any library type, if both accesses are in
its own methods (`exec.Cmd`). With source: the variable is declared as one.

## Why it races

Their documentation allows one goroutine at a time. Every call changes internal state, even if it
looks like a read.

## Example

    var rng = rand.New(rand.NewSource(1))    // shared by all handlers: rng.Intn races

## Remedy

Use one per goroutine, or a mutex around every call. The functions of the package `math/rand` are
safe.

## When it is wrong

A buffer is passed from one goroutine to the next without synchronisation: then the order is
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import locking
from deadheat.diagnose.checking import stores_absent
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.fresh import is_made_here
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.traits import ABOVE, SOURCE
from deadheat.diagnose.unsafe_types import given, named, of_both

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind != "data-race":
        return None
    found = [
        (side, frame, kind)
        for side in scene.sides
        for frame in side.inner
        if (kind := named(frame.function)) and not given(side, frame)
    ]
    if not found and (own := of_both(scene)):
        found = [(side, side.inner[0], own) for side in scene.sides]
    kinds = [kind for _, _, kind in found]
    declared = named(scene.shared.type) if scene.shared else ""
    if not kinds and not declared:
        return None
    kind = kinds[0] if kinds else declared
    evidence = tuple(
        side.told(f"{side.who} uses a `{what}`: `{frame.function[:80]}`")
        for side, frame, what in {
            side.name: (side, frame, what) for side, frame, what in found
        }.values()
    )
    if declared and scene.shared:
        evidence += (Evidence(f"`{scene.shared}` is declared as {scene.shared.type[:60]}"),)
    held = locking.locks(scene) if scene.sourced else None
    each = "goroutine" if scene.go else "thread"
    change = f"Use a `{kind}` per {each}, or take one mutex around every call on it."
    confidence = LIKELY if held and any(held) else STRONG if kinds else LIKELY
    if not declared and any(side.site and not side.inner for side in scene.sides):
        # its memory is used outside of its methods: another cause is likely, in Go mostly a pool
        confidence = FAIR if scene.source or not scene.go else WEAK + 0.05
    if any(_is_made_at_first_use(scene, side) for side in scene.sides):
        confidence = WEAK  # the creation races, not the use
    return Hit(confidence, evidence, change, scene.points, from_source=bool(declared))


def _is_made_at_first_use(scene: Scene, side: Side) -> bool:
    """Return whether it is created lazily: `if (!log_) log_ = std::make_unique<Logger>();`."""
    made = side.site is not None and is_made_here(scene, side)
    return made and side.site is not None and stores_absent(scene, side.site) is not None


RULE = Rule(
    "unsafe-type-shared",
    "contract",
    _find,
    "one object per goroutine, or sync.Mutex",
    "Memory for each; or a lock per call.",
    general=("missing-lock",),
    when=SOURCE | ABOVE,
)

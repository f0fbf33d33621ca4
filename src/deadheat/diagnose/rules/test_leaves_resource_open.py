"""A test does not close what it opened.

## What it sees

A goroutine that one test started races with another test. Or, with source, a test opens something
(a result set, a session, a server) whose worker is one side, and never closes it or drops it.

## Why it races

An open resource continues to work. The next statement, or the next test, changes what it still
uses.

## Example

    rs, err := tk.Exec("select …")  // rs is never closed: its workers go on
    tk.MustExec("set …")            // resets what they use

## Remedy

Close it in the test, best with `defer` or `t.Cleanup` on the next line. The product is correct.

## When it is wrong

A helper closes it, or a clean-up that this rule does not know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.finding import Evidence, Point
from deadheat.diagnose.lifetime import ending, is_background
from deadheat.diagnose.naming import is_test_file
from deadheat.diagnose.rule import FAIR, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.traits import TEST
from deadheat.diagnose.vocabulary import RENEWING
from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

# calls that return something to close: "tk.Exec(…)", "db.Query(…)", "server.Start()", "NewServer(…)"
_OPENS = re.compile(
    r"^(?:Exec|Query|Open|Dial|Listen|Start|NewServer|NewSession|Prepare|Begin|Subscribe|Watch)\w*$"
)
_CLOSES = re.compile(
    r"^(?:Close|Stop|Shutdown|Cancel|Rollback|Commit|Cleanup|Release|Kill)\w*$|^cancel$"
)

_ENDS = ("Close", "Stop", "Shutdown", "Cancel", "Kill")
# the last word of each type in "(recordSets []sqlexec.RecordSet, err error)"
_KIND = re.compile(r"(\w+)\s*(?:[,)]|$)")
_NOTHING = frozenset(
    ("error", "bool", "int", "int64", "uint64", "string", "byte", "Duration", "Time", "")
)
_PLAIN = re.compile(r"^_?$|[eE]rr|^ok$|^got$|^want$|[.\[]")


def _find(scene: Scene) -> Hit | None:
    for worker, other in scene.both if scene.go and scene.report.test else ():
        if worker.is_test or not is_background(worker):
            continue
        began = _test(worker.actor.created_at)
        if began is None:
            continue
        runs = _test(other.access.stack)
        if runs and began[0] != runs[0]:
            return _another(scene, worker, began, runs)
        if ending(scene, RENEWING) and (hit := _left_open(scene, worker, began)):
            return hit
    return None


def _test(frames: tuple[Frame, ...]) -> tuple[str, Frame] | None:
    for frame in frames:
        if not frame.stale and (name := go.test_name(frame.function)):
            return name, frame
    return None


def _another(scene: Scene, worker: Side, began: tuple[str, Frame], runs: tuple[str, Frame]) -> Hit:
    """Describe a goroutine of one test that runs during another test."""
    frame = began[1]
    at = Point(frame.file, frame.line, frame.function)
    evidence = (
        worker.told(f"{worker.does} in {worker.actor.id}"),
        Evidence(f"`{began[0]}` started it and left it running", at),
        Evidence(f"while `{runs[0]}` runs", Point(runs[1].file, runs[1].line, runs[1].function)),
    )
    change = f"Stop and join in `{began[0]}` the goroutine that it started, with t.Cleanup."
    confidence = FAIR + 0.1
    if any(_is_never_closed(scene, f) for f in worker.created if is_test_file(f.file)):
        confidence = STRONG if _puts_back(scene, worker) else STRONG + 0.05
    elif _is_kept(scene, frame):
        confidence = WEAK  # shared by the tests on purpose
    return Hit(confidence, evidence, change, (at,), test_only=True)


def _is_never_closed(scene: Scene, frame: Frame) -> bool:
    """Return whether a test opens `n := NewNode()`, which can be closed, and does not close it."""
    seen = scene.around(frame)
    calls = seen.calls if seen else ()
    for call in [c for c in calls if c.line == frame.line]:
        name = call.result.partition(",")[0].strip()
        if not name or name == "_":
            if _is_dropped(scene, frame, call):
                return True
            continue
        closed = any(c.on == name and _CLOSES.match(c.name) for c in calls)
        return not closed and any(scene.defined(end, frame) for end in _ENDS)
    return False


def _is_dropped(scene: Scene, frame: Frame, call: Call) -> bool:
    """Return whether a test drops a result that can be closed: `Collect(heap)`."""
    inner = scene.defined(call.name, frame)
    kinds = set(_KIND.findall(inner.results)) - _NOTHING if inner and not call.deferred else set()
    ends = [scene.defined(end, frame, kind) for kind in sorted(kinds) for end in _ENDS]
    return any(one and one.receiver in kinds for one in ends)


def _puts_back(scene: Scene, worker: Side) -> bool:
    """Return whether the other test replaces the value and later restores it.

    Then the change is intended and must be made safe.
    """
    other = next(side for side in scene.sides if side is not worker)
    name = scene.shared.name if scene.shared else ""
    seen = other.here
    return seen is not None and sum(u.name == name for u in seen.stores) > 1


def _is_kept(scene: Scene, frame: Frame) -> bool:
    """Return whether a test stores what it opens in an outer variable: `quoter = Begin()`."""
    seen = scene.around(frame)
    for call in [c for c in seen.calls if c.line == frame.line] if seen else ():
        name = call.result.partition(",")[0].strip()
        if name.isidentifier() and name != "_" and seen and name not in seen.names:
            return True
    return False


def _left_open(scene: Scene, worker: Side, began: tuple[str, Frame]) -> Hit | None:
    """Match a call in the test that led to the worker and whose result is never closed."""
    seen = scene.around(began[1])
    if seen is None or not is_test_file(began[1].file):
        return None
    here = [c for c in seen.calls if c.line == began[1].line and _OPENS.match(c.name)]
    call = next((c for c in here if _gives(scene, worker, began[1], c)), None)
    if call is None or _is_closed(seen, call):
        return None
    at = Point(seen.path, call.line, began[1].function)
    name, kind = _result(call), _kind(scene, worker, began[1])
    given = f"the result of `{call.name}`{f' (`{kind}`)' if kind else ''}"
    what = f"`{name}`, {given}," if name else given
    how = "the test never closes it" if name else "the result is dropped"
    evidence = (
        Evidence(f"`{began[0]}` leaves {what} open: {how}", at),
        worker.told(f"{worker.does} in {worker.actor.id}, which that call started"),
    )
    change = f"Close {what.rstrip(',')} in the test, on the next line with defer or t.Cleanup."
    return Hit(STRONG, evidence, change, (at,), test_only=True, from_source=True)


def _gives(scene: Scene, worker: Side, test: Frame, call: Call) -> bool:
    """Return whether the call returns something that can be closed, by its declaration."""
    made = worker.actor.created_at
    at = made.index(test)
    callee = scene.around(made[at - 1]) if at else None
    if callee is None or callee.function != call.name or call.result.strip() == "_":
        return bool(_result(call)) and callee is None
    kinds = _KIND.findall(callee.results)
    return any(kind not in _NOTHING for kind in kinds) and (not call.result or bool(_result(call)))


def _kind(scene: Scene, worker: Side, test: Frame) -> str:
    """Return the result types of the call, as declared."""
    made = worker.actor.created_at
    at = made.index(test)
    callee = scene.around(made[at - 1]) if at else None
    return callee.results.strip("()") if callee else ""


def _result(call: Call) -> str:
    """Return the variable that holds what a call opened; "" for an error or a flag."""
    name = call.result.partition(",")[0].strip()
    return "" if _PLAIN.search(name) else name


def _is_closed(seen: Around, call: Call) -> bool:
    """Return whether the test closes the result, or passes it to code that may."""
    if not _result(call):
        return False
    word = re.compile(rf"\b{re.escape(_result(call))}\b")
    return any(
        (_CLOSES.match(c.name) and word.search(c.on))
        or (c.line > call.line and word.search(c.arguments) and not c.name.startswith("Is"))
        for c in seen.calls
        if c.line >= call.line and c is not call and not _asserts(c)
    )


def _asserts(call: Call) -> bool:
    """Return whether it is an assertion, such as `require.NotNil(t, rs)`."""
    return call.on in ("require", "assert", "c", "t") and not _CLOSES.match(call.name)


RULE = Rule(
    "test-leaves-resource-open",
    "tests",
    _find,
    "defer or t.Cleanup",
    "None.",
    general=("worker-outlives-owner",),
    when=TEST,
)

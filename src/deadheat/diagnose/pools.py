"""How objects are taken and returned: by calls, by a free list, by a channel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.naming import words
from deadheat.diagnose.vocabulary import GIVING, MEMORY, TAKING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

_BACK = re.compile(
    r"(?:^|[._)])(?:[Pp]ut|[Rr]elease|[Rr]eturn|[Rr]ecycle|[Gg]ive[Bb]ack|[Ff]ree)\w{0,80}$"
)
# "buf", "&c.line", "*b": an object, not a number or string
_WHOLE = re.compile(r"[&*]?[A-Za-z_][\w.>()-]{0,80}$")
_GETS = ("Get", "Acquire", "Lend", "Borrow", "Take", "Checkout")
# "c := <-r.free", "r.free <- c"
_RECEIVED = re.compile(r"\b(\w{1,80})\s{0,9}:?=\s{0,9}<-\s{0,9}([\w.]{1,80})")
_SENT = re.compile(r"([\w.]{1,80})\s{0,9}<-\s{0,9}(\w{1,80})\b")
# "[]byte", "*Frame", "map[string]int": a reference, which may come from a pool
_REFERS = re.compile(r"\[|\*|map\[|$")
# appending to a C++ vector returns an object only if the vector is a free list
_INTO_ROW = ("push_back", "emplace_back")
_SPARE = re.compile(r"free|pool|idle|spare|avail|unused|stock|slab|arena|cache", re.IGNORECASE)
_NEAR = 3  # frames, and lines per frame, that are examined


def takes(call: Call) -> bool:
    return call.name not in MEMORY and bool(TAKING.intersection(words(call.name)))


def gives(scene: Scene, call: Call, near: Frame) -> bool:
    """Does a call return an object to its pool, not to the allocator?"""
    if call.name in MEMORY or not GIVING.intersection(words(call.name)):
        return False
    if call.name in _INTO_ROW and not _SPARE.search(call.on):
        return False
    inner = scene.defined(call.name, near)
    return inner is None or not any(c.name in MEMORY for c in inner.calls)


def given(call: Call) -> tuple[str, ...]:
    """The candidates for the returned object: the last argument, the target, the only argument."""
    return call.arguments.rpartition(",")[2].strip().lstrip("&"), call.on, call.arguments.strip()


def by_channel(scene: Scene, side: Side) -> str:
    """The channel used as a pool: `c := <-r.free`, and then `r.free <- c`."""
    for frame, seen in side.way[:_NEAR] if scene.go else ():
        above = [line for line in seen.receives if line < seen.line]
        used = _touched(scene, side, seen) if frame == side.site else _handed(seen)
        for line in above[-_NEAR:]:
            name, channel = _on(scene, frame, line, _RECEIVED)
            sends = [n for n in seen.sends if n > line][:_NEAR] if name in used else []
            if any(_on(scene, frame, n, _SENT) == (channel, name) for n in sends):
                return f"{channel} <- {name}"
    return ""


def _touched(scene: Scene, side: Side, seen: Around) -> set[str]:
    """The objects whose fields a line uses in the reported way."""
    name = scene.shared.name if scene.shared else ""
    own = [u for u in seen.uses if len(u.path) > 1 and u.writes == side.writes]
    return {u.path[0] for u in own if not name or u.name == name}


def _handed(seen: Around) -> set[str]:
    """The targets and arguments of the calls on a line."""
    calls = [c for c in seen.calls if c.line == seen.line]
    return {part.strip(" &*") for c in calls for part in (c.on, *c.arguments.split(","))}


def _on(scene: Scene, frame: Frame, line: int, what: re.Pattern[str]) -> tuple[str, str]:
    """The two operands of a send or receive on a line, in the order of the code."""
    seen = scene.around(frame._replace(line=line))
    told = what.search(seen.text) if seen else None
    return (told[1], told[2]) if told else ("", "")


def puts(scene: Scene, side: Side) -> str:
    """The call near the site that returns an object to where it was taken from."""
    inner = ""
    for at, frame in enumerate(side.frames[:_NEAR]):
        if side.is_called_back(frame):
            break  # the buffer that a printer fills is not the printed object
        seen = scene.around(frame)
        calls = seen.calls if seen else ()
        got = {(c.on, c.result) for c in calls if c.name in _GETS and not c.arguments}
        lent = {c.result.partition(",")[0].strip() for c in calls if takes(c)} - {""}
        # `r := d.next(id)`: it is being taken right now
        lent |= {c.result for c in calls if seen and c.line == seen.line and c.name == inner} - {""}
        inner = seen.function if seen else ""
        for call in calls:
            back = call.arguments.strip()
            if seen and _is_its_own(scene, side, at, seen, back):
                continue
            named = "ool" in call.on or (call.on, back.lstrip("&*")) in got
            if _BACK.search(call.name) and named and _WHOLE.match(back):
                return f"{call.on}.{call.name}({call.arguments[:40]})"
            touched = seen is not None and any(u.path[0] == back for u in seen.uses)
            passed = scene.go or _is_passed_on(seen, back, call)
            if back in lent and touched and passed and gives(scene, call, frame):
                return f"{call.name}({back})"
    return ""


def _is_its_own(scene: Scene, side: Side, at: int, seen: Around, back: str) -> bool:
    """`p.misses++` in `f := p.get()`: is it a counter of the pool or its user, not of the object?"""
    shared, name = scene.shared, back.lstrip("&*")
    if shared is None or shared.kind != "field" or _REFERS.match(shared.type):
        return False
    if at == 0:
        told = seen.names.get(name)
        given = (told is not None and told.how == "receiver") or shared.name in name.split(".")
        return seen.receiver == shared.owner and not given
    callee = scene.around(side.frames[at - 1])
    if callee is None or callee.receiver != shared.owner:
        return False
    called = [c for c in seen.calls if c.line == seen.line and c.name == callee.function]
    return all(c.on != name for c in called)


def _is_passed_on(seen: Around | None, name: str, back: Call) -> bool:
    """`submit(f); frame_put(f);`: was the object passed to others before it is returned?"""
    calls = [c for c in seen.calls if c.line > seen.line] if seen else []
    return any(
        c.arguments.strip().lstrip("&") == name and c.line < back.line and not takes(c)
        for c in calls
    )


def used_after(scene: Scene, side: Side) -> str:
    """C and C++: the call that returned an object before a line that still uses it."""
    for frame in side.frames[:2] if not scene.go else ():
        seen = scene.around(frame)
        touched = {u.path[0] for u in seen.uses} if seen else set()
        for call in seen.calls if seen else ():
            name = next((n for n in given(call)[::2] if n in touched), "")
            inside = seen.closures[-1:] if seen else ()
            earlier = call.line < (frame.line or 0) and call.depth == len(
                seen.closures if seen else ()
            )
            earlier = earlier and all(c.first <= call.line for c in inside)
            if name and earlier and gives(scene, call, frame) and not _got_again(seen, name, call):
                return f"{call.name}({name})"
    return ""


def _got_again(seen: Around | None, name: str, back: Call) -> bool:
    """Was another object taken into the same variable since?"""
    calls = seen.calls if seen else ()
    return any(takes(c) and c.result == name and c.line >= back.line for c in calls)

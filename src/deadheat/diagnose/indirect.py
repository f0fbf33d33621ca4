"""Set-up that calls a function which starts a worker, and then sets something. Go only.

Neither stack shows both: the starter has returned, several calls deep, or a library runs a closure that
it was given. The code shows the calls and their lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.ended import is_gone
from deadheat.diagnose.finding import Point  # noqa: TC001 - compiled, a named tuple needs it
from deadheat.diagnose.lifetime import named
from deadheat.diagnose.naming import is_closure, is_test_file, last, words
from deadheat.diagnose.side import Side, point
from deadheat.diagnose.source import Around  # noqa: TC001 - as above
from deadheat.diagnose.vocabulary import CHANGING, ENDING
from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.source import Call

# "d.ready = true", "s.conn = nil", "n += 1", "used++": a flag, a reset or a count, not set-up
_TOLD = re.compile(
    r"\+\+|--|[-+*/|&]=|(?<![=!<>:])=\s{0,9}(?:true|false|nil|-?\d{1,20}|\"[^\"]*\")\s{0,9}(?://|$)"
)
_WORD = re.compile(r"\w{1,80}")
# "NewHarbour", "initRadio": a part of "making" in words.txt, without lazy creation
_MAKING = frozenset(("new", "init", "initialize", "setup"))
# limits: calls from set-up to the start and back, functions, starts per worker
_DEEP, _MOST, _WORKERS = 3, 8, 4


class Began(NamedTuple):
    """The side that sets up, the worker, the call that leads to its start, and the write."""

    setter: Side
    worker: Side
    began: Point  # where its goroutine, or the closure that runs in it, was created
    name: str  # of the function that set-up calls
    call: Point
    now: Point


class _Place(NamedTuple):
    """A line on the call chain of the write, and a frame in its folder."""

    seen: Around
    beside: Frame


def begun_above(scene: Scene) -> Began | None:
    """A write by set-up, below a call that leads to the start of a worker that reads."""
    for setter, worker in scene.both if scene.go and scene.sourced else ():
        if not setter.writes or worker.writes or setter.held:
            continue  # with a lock, the reader's lock is the question
        if worker.is_main or setter.actor.id == worker.actor.id or worker.in_test:
            continue
        if _met(setter, worker) or not _sets_once(scene, setter, worker):
            continue
        for start in _starts(worker):
            if found := _above(scene, setter, worker, start):
                return found
    return None


def replaced_by_test(scene: Scene) -> Began | None:
    """A test that replaces a field of an object whose creation started the worker.

    The product only reads the field: a lock that it holds there protects something else.
    """
    if Began not in scene.memo:
        scene.memo[Began] = _replaced_by_test(scene)
    found: Began | None = scene.memo[Began]
    return found


def _replaced_by_test(scene: Scene) -> Began | None:
    for setter, worker in scene.both if scene.go and scene.sourced else ():
        here, site, shared = setter.here, setter.site, scene.shared
        if here is None or site is None or shared is None or shared.kind != "field":
            continue
        if not setter.in_test or not setter.writes or worker.writes or worker.in_test:
            continue
        if setter.held or here.loops or _met(setter, worker):
            continue
        stores = [u for u in here.stores if u.line == here.line and u.name == shared.name]
        if not stores or _stored(scene, shared.name, True, site, worker.site):
            continue
        bases = {u.path[0] for u in stores}
        # not another object of the test, which the worker does not know
        own = [c for c in here.calls if bases & set(c.result.split(", "))]
        ways = [] if _TOLD.search(here.text) else [(_Place(here, site), own)]
        for place, calls in (*ways, *_handed(setter, here, bases)):
            for start in _starts(worker):
                if found := _called(scene, place, calls, start):
                    return Began(setter, worker, point(start), *found)
    return None


def _handed(setter: Side, here: Around, bases: set[str]) -> Iterator[tuple[_Place, list[Call]]]:
    """`run(func(c *Crew) { c.quiet = true })`: the caller that passes a test's closure its object.

    Calls on that object above may have started the worker; the test could not set the field earlier.
    """
    closure, caller = here.closures[-1:], setter.way[1:2]
    own = {name for name in bases if name in here.names}
    if not closure or not caller or is_test_file(caller[0][0].file):
        return
    if any(closure[0].first < call.line < here.line for call in here.calls):
        return
    depth = len(here.closures)
    if any((here.names[n].how, here.names[n].depth) == ("parameter", depth) for n in own):
        frame, seen = caller[0]
        told = [c.arguments for c in seen.calls if c.line == seen.line]
        given = {word for text in told for word in _WORD.findall(text)}
        yield _Place(seen, frame), [c for c in seen.calls if c.on.partition(".")[0] in given]


def made_by_main(scene: Scene) -> tuple[Side, Side] | None:
    """From a report alone: set-up on the main goroutine, by its name, and a concurrent reader.

    Other goroutines create objects all the time, for instance for a pool or a cache.
    """
    for setter, worker in scene.both if scene.go and scene.source is None else ():
        if not setter.is_main or not setter.writes or worker.writes or setter.closure:
            continue
        if _makes(setter) and not _makes(worker) and not _met(setter, worker):
            return setter, worker
    return None


def _makes(side: Side) -> bool:
    return bool(_MAKING.intersection(words(side.name)[:1]))


def _met(setter: Side, worker: Side) -> bool:
    """Is a function that started the worker on the setter's own stack? Then nothing is hidden."""
    then = {worker.written(f) for f in worker.actor.created_at if f.origin is Origin.USER}
    return bool(then.intersection(setter.written(f) for f in setter.true))


def _sets_once(scene: Scene, setter: Side, worker: Side) -> bool:
    """Is it the only line outside of tests that stores to the variable, and does it store an object?"""
    here, shared, site = setter.here, scene.shared, setter.site
    if here is None or shared is None or site is None or is_test_file(site.file):
        return False
    if shared.kind not in ("field", "package") or setter.closure or here.loops:
        return False  # a closure may run many times
    if _TOLD.search(here.text):
        return False
    if not any(u.name == shared.name and u.line == here.line for u in here.stores):
        return False
    if named(setter, ENDING) or CHANGING.intersection(words(setter.name)[:1]):
        return False
    field = any(u.line == here.line and len(u.path) > 1 for u in here.stores)
    return len(_stored(scene, shared.name, field, site, worker.site)) == 1


def _stored(scene: Scene, name: str, field: bool, *near: Frame | None) -> set[tuple[str, int]]:
    """The lines outside of tests that store to it."""
    source = scene.source
    return {place for f in near if f and source for place in source.stored(name, field, f)}


def _starts(worker: Side) -> list[Frame]:
    """Where it was started; if not reported, the closures that run in it, outermost first."""
    told = [f for f in worker.created if f.origin is Origin.USER and not f.stale]
    if not told:
        own = [f for f in reversed(worker.frames) if is_closure(f.function)]
        told = [f for f in own if worker.written(f) not in {g.function for g in worker.true}]
    return [f for f in told if not is_test_file(f.file)][:_WORKERS]


def _above(scene: Scene, setter: Side, worker: Side, start: Frame) -> Began | None:
    """The call above the write, or above its callers, that leads to the start."""
    for place in _places(scene, setter):
        if found := _called(scene, place, place.seen.calls, start):
            return Began(setter, worker, point(start), *found)
    return None


def _called(
    scene: Scene, place: _Place, calls: Iterable[Call], start: Frame
) -> tuple[str, Point, Point] | None:
    """The call above a line that leads to the start: its name, its point, and the line's point."""
    seen = scene.around(start)
    for way in _ways(scene, seen, start) if seen else ():
        call = next((c for c in calls if _is_before(c, place, way)), None)
        if call is not None and not is_gone(scene, place.beside, place.seen, call.line):
            now = point(place.beside)._replace(line=place.seen.line)
            return call.name, now._replace(line=call.line), now
    return None


def _ways(scene: Scene, start: Around, beside: Frame) -> list[Around]:
    """The function that starts the worker, and its direct and indirect callers nearby."""
    found, last_ = [start], [start]
    for _ in range(_DEEP):
        last_ = [
            one
            for target in last_
            for one in _callers(scene, target, beside)
            if not any((one.path, one.first) == (f.path, f.first) for f in found)
        ]
        found += last_
        if len(found) > _MOST:
            break
    return found[:_MOST]


def _callers(scene: Scene, target: Around, beside: Frame) -> Iterator[Around]:
    """The functions that call or start a function themselves, not in a closure that they pass on."""
    key = "callers", target.function, beside.file
    if key not in scene.memo:
        source = scene.source
        scene.memo[key] = source.callers(target.function, beside) if source else ()
    for one in scene.memo[key]:
        own = not one.closures or one.closures[-1].use == "go"
        if own and any(c.line == one.line and _means(c, one, target) for c in one.calls):
            yield one


def _places(scene: Scene, setter: Side) -> Iterator[_Place]:
    """The lines on the call chain of the write, outwards; beyond the stack by the only caller."""
    place: _Place | None = None
    for frame, seen in setter.way:
        if is_test_file(frame.file) or seen.loops:
            return
        if place is not None and not _is_once(scene, place):
            return
        place = _Place(seen, frame)
        yield place
    for _ in range(_DEEP):
        if place is None or last(place.seen.function) == "main":
            return
        callers = list(_callers(scene, place.seen, place.beside))
        if len(callers) != 1 or callers[0].loops:
            return
        file = place.beside.file
        file = file[: file.rfind("/") + 1] + callers[0].path.rpartition("/")[2]
        function = f"{place.beside.package}.{callers[0].function}"
        beside = place.beside._replace(
            function=function, file=file, path=callers[0].path, line=callers[0].line
        )
        place = _Place(callers[0], beside)
        yield place


def _is_once(scene: Scene, place: _Place) -> bool:
    """Is its function called from one line only, as far as the nearby code shows?"""
    return len(list(_callers(scene, place.seen, place.beside))) <= 1


def _is_before(call: Call, place: _Place, target: Around) -> bool:
    """Is it a call of that function further up that is not deferred?"""
    seen = place.seen
    if call.line >= seen.line or call.deferred or call.depth > len(seen.closures):
        return False
    return _means(call, seen, target)


def _means(call: Call, seen: Around, target: Around) -> bool:
    """Does a call refer to that very function, by its name and the type of its target?"""
    if call.name != target.function:
        return False
    near = seen.path.rpartition("/")[0] == target.path.rpartition("/")[0]
    base, _, rest = call.on.partition(".")
    known = seen.names.get(base)
    if not target.receiver:
        return known is None and not rest and bool(base) != near
    if not base:
        return False
    if known is not None and not rest:
        if target.receiver in known.type:
            return True
        if known.how in ("parameter", "receiver"):
            return False
    # a name of several words is hardly shared by a method of another type
    return len(words(call.name)) > 1

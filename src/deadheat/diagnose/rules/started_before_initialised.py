"""A goroutine or thread starts before the data that it uses is set up.

## What it sees

The function that started the worker writes on a line below the start, and the worker reads. In Go
the write may be on the same line: the result of a call is stored after it started the worker. In
C++ also: a thread starts before the derived class is constructed, a constructor writes what a
thread already reads by a method of the class, or makes a member that is declared after the thread.
From a report alone, a write in a callee below the start counts only for an option or a set-up name
(`configure`).

Not matched, because it changes a value instead of initialising it:

- The starter had set it before the start.
- The worker calls the writing function too.
- `+=` or `++` writes it, unless the function made the object and returns it further down.

Also matched: the worker creates it itself, once and first (`w.done = make(chan struct{})`), and its
starter uses or copies it below. Or one line sets up several objects in turn, and what one of them
starts uses the next.

The start may be out of sight:

- In Go, with source: a function on the call chain of the write (or the only caller, if the stack is
  cut) has called, further up, code that leads to the start or passed on the closure that the worker
  runs. The write must be the only one outside of tests, without a lock, of an object and not of a
  constant (`true`, `nil`, a number), and not in a loop, closure or `Close`.
- A test writes a field of an object that a constructor just returned, or its closure writes first
  to its argument, and the product only reads the field.
- From a report alone: the main goroutine writes in a function named `New…`, `init…` or `setup…`,
  and another goroutine reads.

## Why it races

Starting a goroutine orders only what comes before it. A write after the `go` statement may be seen
or not.

## Example

    s := &Server{}
    go s.loop()
    s.handler = h                   // loop may already read it

## Remedy

Move the write above the `go` statement, or pass the value through a channel.

## When it is wrong

A write that changes a running object (a setting, a stop flag) needs a lock or an atomic. If a test
writes and the other stack is lost, that is as likely, and the answer is `unknown`. Two calls of the
starting function from different lines are no set-up of one start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import calls
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.indirect import begun_above, made_by_main, replaced_by_test
from deadheat.diagnose.leaving import set_before
from deadheat.diagnose.lifetime import named
from deadheat.diagnose.naming import is_test_file, short, words
from deadheat.diagnose.rounds import in_turn
from deadheat.diagnose.rule import FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import CREATOR, KIND, MAKES, MEMBERS, SOURCE
from deadheat.diagnose.valued import copied_below
from deadheat.diagnose.vocabulary import ENDING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame
# "arena.used++;", "n += 2"
_CHANGES = re.compile(r"\+\+|--|[-+*/|&]=")
# "logger_configure", "Setup", "InjectMetrics": called once, before an object is used
_SETS_UP = frozenset(
    ("configure", "init", "initialize", "setup", "inject", "install", "provide", "wire", "equip")
)
# "c.metrics = r"
_GIVEN = re.compile(r"(?<![=!<>:])=\s{0,9}(\w{1,80});?\s{0,9}(?:\}|//|/\*|$)")
# "int", "time.Duration", "bool"; no pointer, interface or function
_PLAIN = re.compile(
    r"(?:const )?(?:u?int\w{0,4}|float\d\d|bool|byte|string|time\.\w{1,40}|long|double|unsigned|size_t)"
    r"\b[^*]{0,20}$"
)
# "r.stopped = make(chan struct{})", "s.conn = wire.NewConn(a)", "w.out = &bytes.Buffer{}"
_MAKES = re.compile(
    r"(?<![=!<>:])=\s{0,9}(?:make\(|new\(|&?[\w.]{1,80}\{|(?:\w{1,40}\.)?(?:[Nn]ew|[Mm]ake)\w{0,40}\()"
)
_NOTHING = re.compile(r"\b(?:nil|NULL|nullptr)\b")
# "std::map<std::string, int>::map()", "std::_Rb_tree_header::_Rb_tree_header"
_MADE = re.compile(r"(?:std::)(?:\w{1,40}::){0,3}(\w{1,80}?)(?:<.*>)?::(\w{1,80})(?:\(|$)")


def _find(scene: Scene) -> Hit | None:
    if scene.report.kind == "data-race-on-vptr":
        return _constructor(scene)
    if made := _being_made(scene) or _made_by_worker(scene) or _in_turn(scene):
        return made
    for setter, worker in scene.both:
        frame, started = _after_start(scene, setter, worker)
        late = setter.shows(
            "runtime.gopanic", "runtime.deferreturn"
        )  # deferred code is no set-up
        if frame is None or started is None or not setter.writes or worker.writes or late:
            continue  # a worker that writes too shares it on purpose
        evidence = (
            worker.told(f"{worker.does} in {worker.actor.id}")._replace(at=worker.point),
            setter.told(f"`{short(setter.written(started))}` starts this worker")._replace(
                at=point(started)
            ),
            setter.told(f"{setter.does} further down")._replace(at=point(frame)),
        )
        if set_before(scene, setter, frame, started) or _goes_on(setter):
            continue  # it was set before the start: this is its next use
        if _is_work(scene, setter, frame, started) or _do_the_same(setter, worker, frame):
            continue
        if any(f.function == frame.function for f in worker.frames):
            continue  # the worker runs that function too: it splits its work
        if _was_set(scene, worker, frame) or named(setter, ENDING):
            continue  # the starter had set it before; this is a change, or a teardown
        change = f"Set {scene.what} before the worker starts."
        if worker.closure and worker.name == setter.written(frame):
            return None  # local-captured
        confidence = LIKELY if setter.site == frame else FAIR
        if not scene.sourced and not _sets_up(setter, frame):
            confidence = WEAK + 0.05  # a call further down may also be work
        direct = setter.site == frame and scene.sourced and scene.shared is not None
        if direct and scene.shared and scene.shared.kind == "field":
            confidence = LIKELY
        elif scene.sourced and _SETS_UP.intersection(words(setter.name)):
            confidence = LIKELY + 0.05
        elif is_test_file(frame.file) or setter.written(frame).rpartition(".")[2] == "main":
            # tests and `main` run code concurrently on purpose; even more likely if a stack is lost
            less = 0.2 if worker.true else 0.3
            confidence -= 0.0 if _SETS_UP.intersection(words(setter.name)[:1]) else less
            if scene.sourced and _may_lack(worker) and _gives_once(scene, setter, frame, started):
                confidence = LIKELY
        elif scene.sourced:
            confidence = STRONG
        return Hit(confidence, evidence, change, (point(started), point(frame)))
    return _indirect(scene)


def _indirect(scene: Scene) -> Hit | None:
    """Match set-up code that called what led to the start, and stores something once afterwards."""
    found = begun_above(scene) or replaced_by_test(scene)
    if found is None:
        return _by_main(scene)
    setter, worker, began, name, call, now = found
    whence = short(scene.parent(began.function))
    told = f"`{whence}` started this worker" if worker.created else f"it runs a closure of `{whence}`"
    evidence = (
        worker.told(f"{worker.does} in {worker.actor.id}"),
        Evidence(told, began),
        Evidence(f"set-up code called `{name}`, which leads there", call),
        setter.told(f"{setter.does} afterwards; no other code outside of tests stores to it"),
    )
    change = f"Set {scene.what} before `{name}`, which starts the worker, is called."
    return Hit(LIKELY + 0.05, evidence, change, (call, now), from_source=True)


def _by_main(scene: Scene) -> Hit | None:
    """From a report alone: the main goroutine creates or sets up what is already read."""
    found = made_by_main(scene)
    if found is None:
        return None
    setter, worker = found
    evidence = (
        setter.told(f"{setter.does} on the main goroutine; by its name it is set-up code"),
        worker.told(f"{worker.does} in {worker.actor.id}, which already runs"),
    )
    change = f"Set {scene.what} before the worker starts."
    return Hit(FAIR, evidence, change, (setter.point,))


def _made_by_worker(scene: Scene) -> Hit | None:
    """Match a Go worker that creates, once and first, what its starter uses below."""
    for worker, user in scene.both if scene.go and scene.sourced else ():
        here, started = worker.here, worker.creator
        name = _made(scene, worker, user)
        if here is None or started is None or not name or len(worker.way) != 1:
            continue
        if not worker.is_worker and worker.actor.created_at:
            continue  # a test, started by the test runner
        if not worker.writes or user.writes or worker.held or user.held:
            continue
        later = here.loops or here.conditions or here.branch
        if later or any(n < here.line for n in here.receives) or not _MAKES.search(here.text):
            continue
        if not _uses_below(user, worker, started) or not _works_with(here, name):
            continue  # or it is a result
        if scene.source and scene.source.fills(name, started):
            continue  # it existed before: this is a new one
        evidence = (
            worker.told(f"{worker.does} it first, in {worker.actor.id}: the worker creates it"),
            worker.told(f"`{short(worker.written(started))}` starts this worker")._replace(
                at=point(started)
            ),
            user.told(f"{user.does} it further down, perhaps before it exists"),
        )
        change = f"Create {scene.what} before the worker starts."
        return Hit(STRONG, evidence, change, (point(started), worker.point), from_source=True)
    return None


def _made(scene: Scene, worker: Side, user: Side) -> str:
    """Return the field that a worker creates; also if the other side copies the whole object."""
    if scene.shared is not None:
        return scene.shared.name if scene.shared.kind == "field" else ""
    return copied_below(worker, user)


def _in_turn(scene: Scene) -> Hit | None:
    """Match objects that are set up in turn, where code started by one uses the next."""
    for setter, worker in scene.both if scene.go else ():
        if not setter.writes or worker.writes or not worker.is_worker:
            continue
        line = in_turn(scene, setter, worker)
        if line is None or not _SETS_UP.intersection(words(setter.name)[:1]):
            continue
        evidence = (
            worker.told(f"{worker.does} in {worker.actor.id}"),
            worker.told("it was started while another object was set up")._replace(
                at=point(worker.created[0])
            ),
            setter.told(f"{setter.does} later, from the same line")._replace(
                at=point(line)
            ),
        )
        change = "Start workers after everything is set up: in a second pass, or in a `Start` method."
        return Hit(LIKELY, evidence, change, (point(worker.created[0]), point(line)))
    return None


def _works_with(here: Around, name: str) -> bool:
    """Return whether a function goes on to wait for, or to call with, what it created."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    below = [f"{c.on} {c.arguments}" for c in here.calls if c.line > here.line]
    return name in here.awaits or any(word.search(text) for text in below)


def _uses_below(user: Side, worker: Side, started: Frame) -> bool:
    """Return whether the function that started the worker is below the start by now."""
    own = worker.written(started)
    return any(
        user.written(f) == own and f.file == started.file and (f.line or 0) > (started.line or 0)
        for f in user.frames
    )


def _sets_up(setter: Side, frame: Frame) -> bool:
    """Return whether it is a line of the starter, an option, or a function with a set-up name."""
    by_name = _SETS_UP.intersection(words(setter.name)[:1])
    return setter.site == frame or setter.closure or bool(by_name)


def _gives_once(scene: Scene, setter: Side, frame: Frame, started: Frame) -> bool:
    """Return whether it stores an object that it got as an argument: `c.InjectMetrics(m)`, once."""
    here, seen, shared = setter.here, scene.around(frame), scene.shared
    told = _GIVEN.search(here.text) if here else None
    if here is None or seen is None or told is None or shared is None or seen.loops:
        return False
    if any(c.name == here.function and c.line < (started.line or 0) for c in seen.calls):
        return False  # it was set before the start
    if scene.source and scene.source.fills(shared.name, frame):
        return False  # its constructor sets it
    known = here.names.get(told[1])
    return known is not None and known.how == "parameter" and not _PLAIN.match(known.type.strip())


def _may_lack(worker: Side) -> bool:
    """Return whether the worker checks for a missing value."""
    return worker.here is not None and _NOTHING.search(worker.here.text) is not None


def _was_set(scene: Scene, worker: Side, now: Frame) -> bool:
    """Return whether the starter, if it is another function, had set the variable before the start."""
    began, name = worker.creator, scene.shared.name if scene.shared else ""
    seen = scene.around(began) if began and began.function != now.function else None
    if seen is None or not name:
        return False
    stored = [(u.name, u.line) for u in seen.stores]
    return any(key == name and line <= seen.line for key, line in (*stored, *seen.fills))


def _goes_on(setter: Side) -> bool:
    """Return whether the write updates a value, as `used++`, instead of initialising it.

    A function that made the object and returns it still initialises: `b.mask |= id`.
    """
    here = setter.here
    if here is None or not _CHANGES.search(here.text):
        return False
    made = {u.path[0] for u in here.stores if u.line == here.line and len(u.path) > 1}
    own = {name for name in made & here.returned if name in here.names}
    return not any(here.names[name].how == "local" for name in own)


def _is_work(scene: Scene, setter: Side, frame: Frame, started: Frame) -> bool:
    """Return whether a loop below the start calls a method; options (closures) are set-up."""
    called = frame != setter.site or bool(setter.inner)
    seen = scene.around(frame) if called and not setter.closure else None
    loops = seen.loops if seen else ()
    return any(first > (started.line or 0) for first, _ in loops)


def _do_the_same(setter: Side, worker: Side, frame: Frame) -> bool:
    """Return whether both run the same function: `go fill(left); fill(right)`."""
    return frame != setter.site and setter.name == worker.name


def _after_start(scene: Scene, setter: Side, worker: Side) -> tuple[Frame | None, Frame | None]:
    """Return the setter's frame below the start of the worker in the same function, and the start."""
    for started in worker.created:
        if started.origin.value != "user" or started.stale:
            continue
        for frame in setter.frames:
            same = frame.function == started.function and frame.file == started.file
            if same and calls.are_two(setter, worker, setter.written(frame)):
                return None, None  # the starter was called from another line
            below = (frame.line or 0) - (started.line or 0)
            # on the same line: the result of a call is stored after the call started the worker
            here = below == 0 and (_constructs(setter) or (scene.go and frame == setter.site))
            if same and started.line and (below > 0 or here):
                return frame, started
            if same:
                return None, None
    return None, None


def _constructs(side: Side) -> bool:
    """Return whether it is a constructor (`Engine::Engine`): its members start before its body."""
    *_, owner, name = ["", *side.name.split("::")]
    return owner == name != ""


def _being_made(scene: Scene) -> Hit | None:
    """Match a constructor that writes what a thread already reads by another method of the class."""
    for setter, worker in scene.both:
        *scope, name = ["", *setter.name.split("::")]
        if not setter.writes or not _constructs(setter) or not worker.is_worker:
            continue
        own = any(worker.written(f).split("::")[:-1] == scope[1:] for f in worker.frames)
        if not own or worker.name == setter.name or (worker.writes and not _fills(setter)):
            continue
        evidence = (
            setter.told(f"{setter.does}: the constructor of `{name}` still runs"),
            worker.told(f"{worker.does} in {worker.actor.id}"),
        )
        change = f"Set {scene.what} before the thread starts, or start it after construction."
        confidence = STRONG + 0.04 if _fills(setter) else STRONG
        return Hit(confidence, evidence, change, (setter.point,))
    return None


def _fills(setter: Side) -> bool:
    """Return whether it is a member under construction, by the constructor of its own type."""
    return any(_constructs_itself(f.function) for f in setter.inner)


def _constructs_itself(function: str) -> bool:
    """Match `std::map<int, int>::map()`, `std::vector<int>::vector()`."""
    told = _MADE.match(function[:300])
    return bool(told and (told[1] == told[2] or told[2].endswith("_impl")))


def _constructor(scene: Scene) -> Hit | None:
    """Match a virtual call while a constructor still runs: the detector saw the vptr change."""
    makes = next((s for s in scene.sides if s.writes and "~" not in s.name), None)
    if makes is None:
        return None
    evidence = (makes.told(f"{makes.does} the object's vptr: it is still under construction"),)
    change = "Start the thread in a separate function, after the most derived constructor is done."
    return Hit(STRONG, evidence, change, (makes.point,))


RULE = Rule(
    "started-before-initialised",
    "publication",
    _find,
    "the order of two statements",
    "None.",
    when=CREATOR | KIND | MEMBERS | SOURCE | MAKES,
)

"""A goroutine or thread starts before the data that it uses is set up.

## What it sees
The function that started the worker writes on a line below the start, and the worker only reads. In Go the write may be
on the same line: the result of a call is stored after it started the worker. From a report alone, a write in a callee
counts only for an option or a set-up name (`configure`).

- C++: a thread runs before the derived class is constructed, reads what the constructor still writes, or uses a member
  that is declared after the thread.
- The worker creates it, once and first (`w.done = make(chan struct{})`), and its starter uses or copies it below.
- One line sets up several objects in turn, and what one of them starts uses the next.
- Go with source: a function on the call chain of the write called, further up, code that leads to the start. The write
  is the only one outside of tests: of an object, not of a constant, without a lock, and not in a loop, closure or
  `Close`.
- A test writes a field of an object that a constructor just returned, and the product only reads the field.
- From a report alone: the main goroutine writes in a function named `New…`, `init…` or `setup…`.

Not matched, because it changes a value: the starter had set it before the start, the worker calls the writing function
too, or `+=` or `++` writes it (unless the function made the object and returns it further down).

## Why it races
Starting a goroutine orders only what comes before it. A write after the `go` statement may be seen or not.

## Example
    s := &Server{}
    go s.loop()
    s.handler = h                   // loop may already read it

## Remedy
Move the write above the `go` statement, or pass the value through a channel.

## When it is wrong
A write that changes a running object (a setting, a stop flag) needs a lock or an atomic. If a test writes and the other
stack is lost, that is as likely, and the answer is `unknown`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import captures
from deadheat.diagnosis.facts.function_names import ENDING_VERBS, is_test_file, name_words, without_package
from deadheat.diagnosis.facts.lifetime import frame_with_verb, start_in_loop_over_objects
from deadheat.diagnosis.facts.object_origin import field_copied_after_start
from deadheat.diagnosis.facts.waits import was_set_before_start
from deadheat.diagnosis.facts.worker_start_stop import find_start_before_write, find_test_replacement, guess_main_setup
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts
    from deadheat.model import Frame
# "arena.used++;", "n += 2"
_UPDATE_OPERATOR = re.compile(r"\+\+|--|[-+*/|&]=")
# "logger_configure", "Setup", "InjectMetrics": called once, before an object is used
_SETUP_VERBS = frozenset(("configure", "init", "initialize", "setup", "inject", "install", "provide", "wire", "equip"))
# "c.metrics = r"
_ASSIGNED_NAME = re.compile(r"(?<![=!<>:])=\s{0,9}(\w{1,80});?\s{0,9}(?:\}|//|/\*|$)")
# "int", "time.Duration", "bool"; no pointer, interface or function
_VALUE_TYPE = re.compile(
    r"(?:const )?(?:u?int\w{0,4}|float\d\d|bool|byte|string|time\.\w{1,40}|long|double|unsigned|size_t)"
    r"\b[^*]{0,20}$"
)
# "r.stopped = make(chan struct{})", "s.conn = wire.NewConn(a)", "w.out = &bytes.Buffer{}"
_CREATES_VALUE = re.compile(
    r"(?<![=!<>:])=\s{0,9}(?:make\(|new\(|&?[\w.]{1,80}\{|(?:\w{1,40}\.)?(?:[Nn]ew|[Mm]ake)\w{0,40}\()"
)
_NULL_VALUE = re.compile(r"\b(?:nil|NULL|nullptr)\b")
# "std::map<std::string, int>::map()", "std::_Rb_tree_header::_Rb_tree_header"
_STD_CONSTRUCTOR = re.compile(r"(?:std::)(?:\w{1,40}::){0,3}(\w{1,80}?)(?:<.*>)?::(\w{1,80})(?:\(|$)")


def _find_start_before_setup(context: RaceContext) -> RuleMatch | None:
    if context.report.kind == "data-race-on-vptr":
        return _match_vptr_write(context)
    for matcher in (_match_write_in_constructor, _match_created_by_worker, _match_setup_in_turn):
        if hit := matcher(context):
            return hit
    for setter, worker in context.side_pairs:
        frame, started = _frames_after_start(context, setter, worker)
        if frame is None or started is None or _is_no_setup(context, setter, worker, frame, started):
            continue
        if worker.is_closure and worker.function == setter.enclosing_function(frame):
            return None  # local-captured
        evidence = (
            worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
            Evidence(f"`{without_package(setter.enclosing_function(started))}` starts this worker", point_of(started)),
            Evidence(f"{setter.action} further down", point_of(frame)),
        )
        change = f"Set {context.variable_label} before the worker starts."
        confidence = _setup_confidence(context, setter, worker, frame, started)
        return RuleMatch(confidence, evidence, change, (point_of(started), point_of(frame)))
    return _match_indirect_start(context)


def _is_no_setup(context: RaceContext, setter: RaceSide, worker: RaceSide, frame: Frame, started: Frame) -> bool:
    """Return whether the write below the start changes a value instead of initialising it."""
    if not setter.writes or worker.writes or setter.frame_ending_with("runtime.gopanic", "runtime.deferreturn"):
        return True  # a worker that writes too shares it on purpose; deferred code is no set-up
    if was_set_before_start(context, setter, frame, started) or _updates_value(setter):
        return True  # it was set before the start: this is its next use
    if frame != setter.site and setter.function == worker.function:
        return True  # both run the same function: `go fill(left); fill(right)`
    if _is_called_in_loop(context, setter, frame, started):
        return True
    if any(f.function == frame.function for f in worker.user_frames):
        return True  # the worker runs that function too: it splits its work
    # the starter had set it before; this is a change, or a teardown
    return _was_set_before_start(context, worker, frame) or frame_with_verb(setter, ENDING_VERBS) is not None


def _setup_confidence(context: RaceContext, setter: RaceSide, worker: RaceSide, frame: Frame, started: Frame) -> float:
    is_direct, shared = setter.site == frame, context.shared_variable
    if context.has_code and is_direct and shared and shared.kind == "field":
        return LIKELY
    if context.has_code and _SETUP_VERBS.intersection(name_words(setter.function)):
        return LIKELY + 0.05
    is_setup_name = _SETUP_VERBS.intersection(name_words(setter.function)[:1])
    confidence = LIKELY if is_direct else FAIR
    if not context.has_code and not (is_direct or setter.is_closure or is_setup_name):
        confidence = WEAK + 0.05  # a call further down may also be work
    if is_test_file(frame.file) or setter.enclosing_function(frame).rpartition(".")[2] == "main":
        checks_for_missing = worker.site_facts and _NULL_VALUE.search(worker.site_facts.text)
        if checks_for_missing and _stores_argument_once(context, setter, frame, started):
            return LIKELY
        # tests and `main` run code concurrently on purpose; even more likely if a stack is lost
        penalty = 0.2 if worker.live_frames else 0.3
        return confidence if is_setup_name else confidence - penalty
    return STRONG if context.has_code else confidence


def _match_indirect_start(context: RaceContext) -> RuleMatch | None:
    """Match set-up code that called what led to the start, and stores something once afterwards."""
    indirect_start = find_start_before_write(context) or find_test_replacement(context)
    if indirect_start is None:
        return _match_setup_by_main(context)
    setter, worker, start_point, name, call, store_point = indirect_start
    starter = without_package(context.enclosing_function(start_point.function))
    sentence = f"`{starter}` started this worker" if worker.start_stack else f"it runs a closure of `{starter}`"
    evidence = (
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
        Evidence(sentence, start_point),
        Evidence(f"set-up code called `{name}`, which leads there", call),
        setter.evidence_at_site(f"{setter.action} afterwards; no other code outside of tests stores to it"),
    )
    change = f"Set {context.variable_label} before `{name}`, which starts the worker, is called."
    return RuleMatch(LIKELY + 0.05, evidence, change, (call, store_point), from_source=True)


def _match_setup_by_main(context: RaceContext) -> RuleMatch | None:
    """From a report alone: the main goroutine creates or sets up what is already read."""
    setup_by_main = guess_main_setup(context)
    if setup_by_main is None:
        return None
    setter, worker = setup_by_main
    evidence = (
        setter.evidence_at_site(f"{setter.action} on the main goroutine; by its name it is set-up code"),
        worker.evidence_at_site(f"{worker.action} in {worker.actor.id}, which already runs"),
    )
    change = f"Set {context.variable_label} before the worker starts."
    return RuleMatch(FAIR, evidence, change, (setter.point,))


def _match_created_by_worker(context: RaceContext) -> RuleMatch | None:
    """Match a Go worker that creates, once and first, what its starter uses below."""
    for worker, user in context.side_pairs if context.is_go and context.has_code else ():
        here, started = worker.site_facts, worker.start_frame
        name = _created_field(context, worker, user)
        if here is None or started is None or not name or len(worker.call_chain) != 1:
            continue
        if not worker.is_worker and worker.actor.created_at:
            continue  # a test, started by the test runner
        if not worker.writes or user.writes or worker.locks_held or user.locks_held:
            continue
        is_conditional = here.loops or here.conditions or here.select_branch
        if is_conditional or any(n < here.line for n in here.receive_lines) or not _CREATES_VALUE.search(here.text):
            continue
        if not _is_starter_below_start(user, worker, started) or not _uses_created_value(here, name):
            continue  # or it is a result
        if context.source and context.source.is_set_in_literal(name, started):
            continue  # it existed before: this is a new one
        evidence = (
            worker.evidence_at_site(f"{worker.action} it first, in {worker.actor.id}: the worker creates it"),
            Evidence(f"`{without_package(worker.enclosing_function(started))}` starts this worker", point_of(started)),
            user.evidence_at_site(f"{user.action} it further down, perhaps before it exists"),
        )
        change = f"Create {context.variable_label} before the worker starts."
        return RuleMatch(STRONG, evidence, change, (point_of(started), worker.point), from_source=True)
    return None


def _created_field(context: RaceContext, worker: RaceSide, user: RaceSide) -> str:
    """Return the field that a worker creates; also if the other side copies the whole object."""
    if context.shared_variable is not None:
        return context.shared_variable.name if context.shared_variable.kind == "field" else ""
    return field_copied_after_start(worker, user)


def _match_setup_in_turn(context: RaceContext) -> RuleMatch | None:
    """Match objects that are set up in turn, where code started by one uses the next."""
    for setter, worker in context.side_pairs if context.is_go else ():
        if not setter.writes or worker.writes or not worker.is_worker:
            continue
        line = start_in_loop_over_objects(context, setter, worker)
        if line is None or not _SETUP_VERBS.intersection(name_words(setter.function)[:1]):
            continue
        evidence = (
            worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
            Evidence("it was started while another object was set up", point_of(worker.start_stack[0])),
            Evidence(f"{setter.action} later, from the same line", point_of(line)),
        )
        change = "Start workers after everything is set up: in a second pass, or in a `Start` method."
        return RuleMatch(LIKELY, evidence, change, (point_of(worker.start_stack[0]), point_of(line)))
    return None


def _uses_created_value(here: FunctionFacts, name: str) -> bool:
    """Return whether a function goes on to wait for, or to call with, what it created."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    later_calls = [f"{c.target} {c.arguments}" for c in here.calls if c.line > here.line]
    return name in here.awaited_names or any(word.search(text) for text in later_calls)


def _is_starter_below_start(user: RaceSide, worker: RaceSide, started: Frame) -> bool:
    starter = worker.enclosing_function(started)
    return any(
        user.enclosing_function(f) == starter and f.file == started.file and (f.line or 0) > (started.line or 0)
        for f in user.user_frames
    )


def _stores_argument_once(context: RaceContext, setter: RaceSide, frame: Frame, started: Frame) -> bool:
    """Return whether it stores an object that it got as an argument: `c.InjectMetrics(m)`, once."""
    here, facts, shared = setter.site_facts, context.function_at(frame), context.shared_variable
    assigned = _ASSIGNED_NAME.search(here.text) if here else None
    if here is None or facts is None or assigned is None or shared is None or facts.loops:
        return False
    if any(c.name == here.function and c.line < (started.line or 0) for c in facts.calls):
        return False  # it was set before the start
    if context.source and context.source.is_set_in_literal(shared.name, frame):
        return False  # its constructor sets it
    stored = here.declarations.get(assigned[1])
    return stored is not None and stored.kind == "parameter" and not _VALUE_TYPE.match(stored.type.strip())


def _was_set_before_start(context: RaceContext, worker: RaceSide, current_frame: Frame) -> bool:
    """Return whether the starter, if it is another function, had set the variable before the start."""
    start_frame, name = worker.start_frame, context.shared_variable.name if context.shared_variable else ""
    facts = context.function_at(start_frame) if start_frame and start_frame.function != current_frame.function else None
    if facts is None or not name:
        return False
    stored = [(u.name, u.line) for u in facts.stores]
    return any(name_stored == name and line <= facts.line for name_stored, line in (*stored, *facts.literal_fields))


def _updates_value(setter: RaceSide) -> bool:
    """Return whether the write updates a value, as `used++`, instead of initialising it.

    A function that made the object and returns it still initialises: `b.mask |= id`.
    """
    here = setter.site_facts
    if here is None or not _UPDATE_OPERATOR.search(here.text):
        return False
    stored_objects = {u.path[0] for u in here.stores if u.line == here.line and len(u.path) > 1}
    returned_objects = {name for name in stored_objects & here.returned_names if name in here.declarations}
    return not any(here.declarations[name].kind == "local" for name in returned_objects)


def _is_called_in_loop(context: RaceContext, setter: RaceSide, frame: Frame, started: Frame) -> bool:
    """Return whether a loop below the start calls a method; options (closures) are set-up."""
    is_in_callee = frame != setter.site or bool(setter.library_frames)
    facts = context.function_at(frame) if is_in_callee and not setter.is_closure else None
    loops = facts.loops if facts else ()
    return any(first > (started.line or 0) for first, _ in loops)


def _frames_after_start(context: RaceContext, setter: RaceSide, worker: RaceSide) -> tuple[Frame | None, Frame | None]:
    """Return the setter's frame below the start of the worker in the same function, and the start."""
    for started in worker.start_stack:
        if started.origin.value != "user" or started.stale:
            continue
        for frame in setter.user_frames:
            if frame.function != started.function or frame.file != started.file:
                continue
            if captures.are_different_calls(setter, worker, setter.enclosing_function(frame)):
                return None, None  # the starter was called from another line
            lines_below = (frame.line or 0) - (started.line or 0)
            # on the same line: the result of a call is stored after the call started the worker
            may_be_on_line = _is_constructor(setter) or (context.is_go and frame == setter.site)
            is_below = lines_below > 0 or (lines_below == 0 and may_be_on_line)
            return (frame, started) if started.line and is_below else (None, None)
    return None, None


def _is_constructor(side: RaceSide) -> bool:
    """Return whether it is a constructor (`Engine::Engine`): its members start before its body."""
    *_, owner, name = ["", *side.function.split("::")]
    return owner == name != ""


def _match_write_in_constructor(context: RaceContext) -> RuleMatch | None:
    """Match a constructor that writes what a thread already reads by another method of the class."""
    for setter, worker in context.side_pairs:
        *scope, name = ["", *setter.function.split("::")]
        if not setter.writes or not _is_constructor(setter) or not worker.is_worker:
            continue
        is_same_class = any(worker.enclosing_function(f).split("::")[:-1] == scope[1:] for f in worker.user_frames)
        constructs_member = any(_is_type_constructor(f.function) for f in setter.library_frames)
        if not is_same_class or worker.function == setter.function or (worker.writes and not constructs_member):
            continue
        evidence = (
            setter.evidence_at_site(f"{setter.action}: the constructor of `{name}` still runs"),
            worker.evidence_at_site(f"{worker.action} in {worker.actor.id}"),
        )
        change = f"Set {context.variable_label} before the thread starts, or start it after construction."
        confidence = STRONG + 0.04 if constructs_member else STRONG
        return RuleMatch(confidence, evidence, change, (setter.point,))
    return None


def _is_type_constructor(function: str) -> bool:
    """Match `std::map<int, int>::map()`, `std::vector<int>::vector()`."""
    match = _STD_CONSTRUCTOR.match(function[:300])
    return bool(match and (match[1] == match[2] or match[2].endswith("_impl")))


def _match_vptr_write(context: RaceContext) -> RuleMatch | None:
    """Match a virtual call while a constructor still runs: the detector saw the vptr change."""
    constructor = next((side for side in context.race_sides if side.writes and "~" not in side.function), None)
    if constructor is None:
        return None
    sentence = f"{constructor.action} the object's vptr: it is still under construction"
    change = "Start the thread in a separate function, after the most derived constructor is done."
    return RuleMatch(STRONG, (constructor.evidence_at_site(sentence),), change, (constructor.point,))


RULE = Rule(
    "started-before-initialised",
    "publication",
    _find_start_before_setup,
    "the order of two statements",
    "None.",
    features=rule.Feature.STARTER_ON_STACK
    | rule.Feature.OTHER_KIND
    | rule.Feature.CPP_MEMBERS
    | rule.Feature.HAS_CODE
    | rule.Feature.CREATES_OBJECT,
)

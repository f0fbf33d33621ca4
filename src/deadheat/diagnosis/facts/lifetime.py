"""Whether one side ends or reuses an object that a worker still uses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.race_side import RaceSide, is_below, runs_in_starter_closure
from deadheat.model import ActorState, Frame, Op, Origin

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

# "pthread_mutex_destroy", "pthread_cond_destroy", "sem_destroy", "mtx_destroy", "cnd_destroy"
_DESTROY_FUNCTION = re.compile(
    r"^(?:_{2,3}interceptor_)?(?:pthread_(?:mutex|cond|rwlock|spin|barrier)|sem|mtx|cnd)_destroy$"
)


def destroy_frame(side: RaceSide) -> Frame | None:
    """The frame that destroys a lock, a condition or a semaphore, if the access is that."""
    return side.library_frame_matching(_DESTROY_FUNCTION) if side.writes else None


def destroys_object(side: RaceSide) -> bool:
    """Does the access end the object's lifetime? A destructor that only writes may be that of a guard that counts."""
    if destroy_frame(side) is not None:
        return True
    changes = side.context.report.kind == "data-race-on-vptr" and side.writes
    return "~" in side.function and (changes or side.access.op is Op.FREE)


# "running_ = false;", "p->quit = 1;", "s.stopped = true"
_FLAG_ASSIGNMENT = re.compile(r"\b(\w{1,80})\s{0,9}=\s{0,9}(?:true|false|TRUE|FALSE|0|1);?(?:$|\s)")
# "while (running_) {", "if s.stopped {", "for !w.quit {", "return !m->quit;", "while (n && !quit)"; not a value in an
# expression, as in "return m->tone * 2;"
_FLAG_TEST = (
    r"(?:^\}?\s{0,9}(?:while|for|if|return)\b|&&|\|\|)\s{0,9}\(?\s{0,9}!?\s{0,9}"
    r"(?:[\w.(]|->){0,80}\b%s\b(?:\(\))?\s{0,9}(?:[){;]|&&|\|\||$|[!=]=)"
)
# functions with these words come after the work, or should
_AFTER_WORK_WORDS: frozenset[str] = naming.ENDING_VERBS | naming.RESULT_WORDS | naming.WAITING_VERBS
_GIVE_UP_WORDS = ("give", "up")


class TeardownMatch(NamedTuple):
    """The side that ends or renews an object, the frame whose name says so, and the worker's side."""

    owner: RaceSide
    frame: Frame
    worker: RaceSide


def find_teardown(context: RaceContext, vocabulary: frozenset[str]) -> TeardownMatch | None:
    """A write by a function with such a verb against an access of another goroutine."""
    if vocabulary not in context.cache:
        context.cache[vocabulary] = _find_teardown(context, vocabulary)
    match: TeardownMatch | None = context.cache[vocabulary]
    return match


def _find_teardown(context: RaceContext, vocabulary: frozenset[str]) -> TeardownMatch | None:
    pairs = context.side_pairs
    if pairs and pairs[0][0].is_worker and not pairs[1][0].is_worker:
        pairs = pairs[::-1]
    for ender, worker in pairs:
        if not ender.writes and ender.access.op is not Op.UNKNOWN:
            continue
        frame = frame_with_verb(ender, vocabulary) if ender.function != worker.function else None
        if frame is None or _have_common_caller(ender, frame, worker):
            continue
        if is_background_worker(worker) and ender.actor.id != worker.actor.id:
            return TeardownMatch(ender, frame, worker)
    return None


def _have_common_caller(ender: RaceSide, frame: Frame, worker: RaceSide) -> bool:
    """Does the caller of the teardown run on both sides? Then the two sides are peers."""
    at = ender.live_frames.index(frame) + 1
    caller = ender.live_frames[at] if at < len(ender.live_frames) else None
    if caller is None or caller.origin is not Origin.USER or naming.is_test_file(caller.file):
        return False
    return any(f.function == caller.function and f.line for f in worker.live_frames)


def are_concurrent_methods(match: TeardownMatch, again: Frame | None = None) -> bool:
    """Are both sides methods of one type that a test, `main` or the worker's starter runs concurrently?"""
    start_frame = match.worker.start_frame
    driven = start_frame is None or start_frame.package == "main" or naming.is_test_file(start_frame.file)
    if again is not None:
        now = [f for f in match.owner.live_frames if f.function == again.function]
        driven = any((f.line or 0) > (again.line or 0) > 0 for f in now)
    same = match.frame == match.owner.site and match.owner.owner == match.worker.owner
    return driven and same and "(" in match.owner.owner


@once_per_report
def find_package_worker(context: RaceContext) -> tuple[RaceSide, RaceSide, Frame] | None:
    """A worker started by code of the same package that is not on the other stack, the other side, and its start."""
    for worker, other in context.side_pairs:
        if not worker.is_worker or other.is_worker or other.site is None:
            continue
        start_frame = worker.start_frame
        if start_frame is None or start_frame.package != other.site.package or naming.is_test_file(start_frame.file):
            continue  # tests run things concurrently on purpose
        if worker.enclosing_function(start_frame) not in _user_functions(other):
            return worker, other, start_frame
    return None


def _user_functions(side: RaceSide) -> set[str]:
    """The functions of user code on a side's stack."""
    return {side.enclosing_function(f) for f in side.live_frames if f.origin is Origin.USER}


class WorkerAndStarter(NamedTuple):
    """A worker, the side that its starter leads to, where it was started, and where its starter is now."""

    worker: RaceSide
    other: RaceSide
    start_frame: Frame
    current_frame: Frame


@once_per_report
def find_continuing_starter(context: RaceContext) -> WorkerAndStarter | None:
    """A worker and its starter, which continued and uses what the worker writes: it intends to wait for the worker.

    Tests and `main` run things concurrently on purpose; global variables are not a worker's result.
    """
    location = context.report.location
    if (location is not None and location.kind == "global") or addresses.is_package_variable(context):
        return None
    for worker, other in context.side_pairs:
        start_frame = worker.start_frame if worker.writes and worker.is_worker else None
        if start_frame is None or naming.is_test_file(start_frame.file):
            continue
        if _is_main_driver(worker, start_frame) or worker.function == other.function:
            continue  # a captured variable, or two equal workers
        for now in other.user_frames:
            if now.file == start_frame.file and now.function == start_frame.function:
                return WorkerAndStarter(worker, other, start_frame, now) if is_below(now, start_frame) else None
    return None


def _is_main_driver(worker: RaceSide, start_frame: Frame) -> bool:
    """Is it `main`, or a plain function that `main` calls, as `run` often is?"""
    name = worker.enclosing_function(start_frame)
    if naming.bare_name(name) == "main":
        return True
    created = worker.actor.created_at
    above = created[created.index(start_frame) + 1 :] if start_frame in created else ()
    called = bool(above) and naming.bare_name(worker.enclosing_function(above[0])) == "main"
    return start_frame.package == "main" and called and "(" not in name


def has_finished(worker: RaceSide) -> bool:
    """Has the worker finished, or is it about to? Then it may have signalled too early."""
    return worker.actor.state is ActorState.FINISHED or runs_in_defer(worker)


def is_meant_concurrent(context: RaceContext) -> bool | None:
    """Is a package's worker meant to run concurrently with the reader of what it writes? None if unknown.

    The starter's name decides: `Start`, `Open`, `NewPoller` begin something that continues. `Compact` looks finished
    when it returns (False), as does `Run` if the goroutine is its own closure.
    """
    package_worker = find_package_worker(context)
    if package_worker is None:
        return None
    worker, other, start_frame = package_worker
    if not reads_before_end(other, worker):
        return None
    verbs = _verbs_of(context.enclosing_function(start_frame.function))
    if (naming.START_OR_RUN_VERBS | naming.RUNNING_VERBS) & verbs:
        return None
    if not context.is_go:
        return True
    if has_finished(worker):
        return None  # its work was bounded: a later reader may have to wait for it
    return bool(naming.STARTING_VERBS & verbs) and not is_body_of_starter(worker, start_frame)


def is_starting_name(name: str) -> bool:
    """Is a function named like one that starts something that continues, or may do so?"""
    return bool((naming.STARTING_VERBS | naming.START_OR_RUN_VERBS) & _verbs_of(name))


def is_body_of_starter(worker: RaceSide, start_frame: Frame) -> bool:
    """Is a goroutine the whole body of a function that runs something: `func Run() { go func() …`?"""
    name = worker.enclosing_function(start_frame)
    if not naming.begins_with(name, naming.RUNNING_VERBS) or not worker.live_frames:
        return False
    entry_frame = worker.live_frames[-1]
    return worker.enclosing_function(entry_frame) == name and entry_frame.line != start_frame.line


def _verbs_of(name: str) -> set[str]:
    """The verbs in a function's name: its first word, in C also its last (`poller_start`)."""
    parts = naming.name_words(name)
    return {*parts[:1], *(parts[-1:] if "_" in naming.bare_name(name) else ())}


def reads_before_end(side: RaceSide, worker: RaceSide) -> bool:
    """Does it read what a worker writes, and does no name say that it follows the work? Test code has no such names."""
    has_name = bool(side.named_frames) or side.is_in_test_file
    return worker.writes and not side.writes and has_name and not comes_after_work(side)


def comes_after_work(side: RaceSide) -> bool:
    """Is it, or a caller near it, named like something that follows or gives up the work?"""
    return any(
        parts[0] in _AFTER_WORK_WORDS or parts[-1] in _AFTER_WORK_WORDS or _GIVE_UP_WORDS in (parts[:2], parts[-2:])
        for _, _, parts in side.named_frames
    )


def is_method_of_other_type(owner: RaceSide, worker: RaceSide) -> bool:
    """Does the worker run a method of another type (`go truck.drive()`), which may have received the object itself?"""
    return "(" in worker.owner and worker.owner != owner.owner


def is_stack_memory(context: RaceContext) -> bool:
    """Is the memory on a thread's stack, according to the detector?"""
    location = context.report.location
    return location is not None and location.kind == "stack"


def runs_in_defer(side: RaceSide) -> bool:
    """Does it run in a deferred call of its goroutine, without a panic?"""
    is_panicking = side.frame_ending_with("runtime.gopanic") is not None
    return side.frame_ending_with("runtime.deferreturn") is not None and not is_panicking


@lru_cache(maxsize=1 << 12)
def is_timer_name(name: str) -> bool:
    """Is a function, or the class of a method, named like a timer? `Timer::Start`, `on_alarm`."""
    return bool(naming.TIMER_WORDS.intersection((*naming.name_words(name), *naming.name_words(naming.owner_of(name)))))


def timer_side(context: RaceContext) -> RaceSide | None:
    """The side that a timer runs, if the other is not."""
    if context.cache.get("timer") is False:
        return None  # no frame of the report belongs to a timer
    for side, other in context.side_pairs if context.is_go else ():
        # the runtime's timer function is where its goroutine begins
        outer_functions = [f.function for f in (*side.access.stack[-2:], *side.actor.created_at[:2])]
        if "time.goFunc" in outer_functions and not other.frame_ending_with("time.goFunc"):
            return side
    return None


def is_background_worker(side: RaceSide) -> bool:
    """Did the program itself start it to run concurrently?"""
    return side.is_worker or (side.actor.state is ActorState.FINISHED and not side.runs_test)


def frame_with_verb(side: RaceSide, vocabulary: frozenset[str]) -> Frame | None:
    """The frame near the site whose name has one of these verbs."""
    for frame, name, parts in side.named_frames:
        if parts[0] in vocabulary or ("_" in name and parts[-1] in vocabulary) or name[:1] == "~":
            return frame
    return None


def is_stop_flag(context: RaceContext, match: TeardownMatch) -> bool:
    """Is the written variable a stop flag that the worker tests?"""
    here, there, shared = match.owner.site_facts, match.worker.site_facts, context.shared_variable
    if here is None or there is None or match.worker.writes:
        return False
    assignment = _FLAG_ASSIGNMENT.search(here.text)
    if assignment is None or (shared is not None and shared.name != assignment[1]):
        return False
    return re.search(_FLAG_TEST % re.escape(assignment[1]), there.text) is not None


def name_explanation(owner: RaceSide, shown_name: str) -> str:
    """Which name shows it: that of the writing function, or of one that led to it."""
    return ", and by its name" if naming.without_package(owner.function) == shown_name else f": `{shown_name}`"


def start_by_owner(context: RaceContext, match: TeardownMatch) -> Frame | None:
    """Where the type or package of the ended object started the worker, if it did."""
    ender_type = naming.owner_of(context.enclosing_function(match.frame.function))
    # in C a file takes the role of a package
    c_file = match.frame.file if context.source is not None and match.frame.file.endswith(".c") else None
    for frame in _product_frames(match.worker.start_stack):
        same = (bool(frame.package) and frame.package == match.frame.package) or frame.file == c_file
        if same or (ender_type and naming.owner_of(context.enclosing_function(frame.function)) == ender_type):
            return frame
    if context.source and not match.worker.actor.created_at and "::" in ender_type:
        # its start is not reported: a method of the same class runs in it
        frames = reversed(match.worker.user_frames)
        return next((f for f in frames if naming.owner_of(match.worker.enclosing_function(f)) == ender_type), None)
    return None


def start_by_common_caller(context: RaceContext, match: TeardownMatch) -> Frame | None:
    """The function that started the worker earlier and now leads to the renewal."""
    now = _user_functions(match.owner)
    for frame in _product_frames(match.worker.actor.created_at):
        name = context.enclosing_function(frame.function)
        if name in now and naming.bare_name(name) != "main":
            return frame
    return None


def _product_frames(frames: tuple[Frame, ...]) -> list[Frame]:
    """The frames of user code outside of tests."""
    return [f for f in frames if f.origin is Origin.USER and not f.stale and not naming.is_test_file(f.file)]


@once_per_report
def find_next_round(context: RaceContext) -> WorkerAndStarter | None:
    """A function that is above the line on which it started the worker, in its next run."""
    for owner, worker in context.side_pairs:
        # is the worker's closure one of a function on the owner's stack?
        functions = [owner.enclosing_function(f) for f in owner.user_frames if not naming.is_test_file(f.file)]
        is_closure_on_stack = worker.is_closure and (not context.has_code or worker.function in functions)
        if is_closure_on_stack or owner.function == worker.function or not is_background_worker(worker):
            continue
        for start_frame in worker.start_stack:
            current_frame = owner.frame_in(start_frame.function)
            if current_frame is None or start_frame.stale or naming.is_test_file(start_frame.file):
                continue
            if current_frame.file != start_frame.file or (current_frame.line or 0) >= (start_frame.line or 0):
                break
            if _is_starting_loop(context, owner, worker, start_frame, current_frame):
                break
            # the loop may only iterate what the workers remove themselves from
            walks = context.source is None and not owner.writes and current_frame == owner.site
            return None if context.is_go and walks else WorkerAndStarter(worker, owner, start_frame, current_frame)
    return None


def start_in_loop_over_objects(context: RaceContext, owner: RaceSide, worker: RaceSide) -> Frame | None:
    """`for _, h := range all { h.Init() }`: the line that called another object's method, which started the worker."""
    start_stack = worker.start_stack
    for at, frame in enumerate(start_stack[1:], 1):
        position = next((n for n, f in enumerate(owner.user_frames) if f[:4] == frame[:4]), 0)
        if position and frame.origin is Origin.USER:
            started = worker.enclosing_function(start_stack[at - 1])
            current = owner.enclosing_function(owner.user_frames[position - 1])
            return frame if started != current and naming.bare_name(started) == naming.bare_name(current) else None
    return None


def _is_starting_loop(
    context: RaceContext, owner: RaceSide, worker: RaceSide, start_frame: Frame, current_frame: Frame
) -> bool:
    """Is it a variable of the loop that starts the workers, not a second call?"""
    may_be_for_statement = owner.site_facts is None or owner.site_facts.text.startswith("for ")
    if runs_in_starter_closure(worker, start_frame) and may_be_for_statement:
        return True
    in_main = naming.bare_name(owner.function) == "main"
    may_be_own = is_method_of_other_type(owner, worker) or in_main or is_stack_memory(context)
    if context.source is None and current_frame == owner.site and may_be_own:
        return True
    return _sets_variable_in_loop(owner, start_frame)


def _sets_variable_in_loop(owner: RaceSide, start_frame: Frame) -> bool:
    """Does a loop set a local variable and start a worker with it further down?"""
    here = owner.site_facts
    if here is None or not any(a <= (start_frame.line or 0) <= b for a, b in here.loops):
        return False
    for use in [u for u in here.uses if u.writes]:
        declaration = here.declarations.get(use.path[0])
        # an object created above the loop is refilled in each iteration
        is_refilled = len(use.path) > 1 and declaration is not None and declaration.type.startswith(("&", "new("))
        if declaration is not None and declaration.kind in ("local", "loop") and not is_refilled:
            return True
    return False

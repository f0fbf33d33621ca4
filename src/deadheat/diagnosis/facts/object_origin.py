"""Where an object comes from: newly created, copied by value, or taken from a pool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.function_names import (
    ALLOCATION_FUNCTIONS,
    POOL_RETURNING_VERBS,
    POOL_TAKING_VERBS,
    is_test_file,
    is_value_method,
    name_words,
)

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite, FunctionFacts
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame


# "&Settings{Version: version}", "Stats{}", "new(Client)", "cache.Entry{key: k}"
_CREATED_TYPE = re.compile(r"&?(?:\w+\.)?[A-Za-z_]\w*(?:\[.{0,80}\])?\{|new\(")
# "make(map[string]int)", "map[string]int{}", "make([]byte, n)"
_CREATED_CONTAINER = re.compile(r"make\((?:map)?\[|(?:map)?\[[^{]{0,120}\{")
# "auto g = std::make_shared<Glyphs>();", "p = new Glyphs(n);"
_CPP_CREATION = re.compile(r"\bmake_(?:shared|unique)<|=\s{0,9}new\s")
# "return &plate{dots, 3}", "func engrave() *plate { return &plate{} }"
_RETURNED_LITERAL = re.compile(r"\breturn &(?:\w{1,80}\.)?[A-Za-z_]\w{0,80}(?:\[.{0,80}\])?\{")
_MAX_CALLERS = 4  # callers further out create other objects
# "make_shared<Glyphs>", "make_unique<Zone>", "malloc", "calloc", "kzalloc"
_ALLOCATOR = re.compile(r"make_(?:shared|unique)\b|(?:m|c|km|kz|v)alloc$")
# "return &Client{base: base}": the object is created on the line itself
_STRUCT_LITERAL = re.compile(r"[&\s=(,](?:\w{1,80}\.)?[A-Z]\w{0,80}(?:\[.{0,80}\])?\{(.*)")

# "c.rates = fresh"
_STORED_VARIABLE = re.compile(r"[\w\])] = (\w{1,80})\s{0,9}(?://|$)")
_MAX_STORES = 4  # stores below a line that are examined
# "base: strings.TrimRight(base)"
_LITERAL_KEY = re.compile(r"\b(\w{1,80})\s{0,9}:")


def creation_caller(maker: RaceSide, reader: RaceSide) -> Frame | None:
    """From a Go report alone: the method that has an object created by a function and then uses it.

    `s.flags = load(path)`: a function that is not a method writes only to its arguments or to what it
    creates. Its caller uses the new object, and the other side reached it through the same method.
    """
    if not maker.writes or reader.writes or maker.is_closure or "(" in maker.function:
        return None
    if is_value_method(maker.function):
        return None
    if ")." not in reader.function:
        return _creation_on_same_line(maker, reader)
    for caller in maker.user_frames[1:_MAX_CALLERS]:
        for frame in reader.user_frames[:2] if ")." in caller.function else ():
            if frame.function == caller.function and (frame.line or 0) >= (caller.line or 0):
                return None if is_test_file(caller.file) else caller
    return None


def _creation_on_same_line(maker: RaceSide, reader: RaceSide) -> Frame | None:
    """`table()[key]`: is what a line creates through a call read on the same line?"""
    for caller in maker.user_frames[2:_MAX_CALLERS] if not reader.is_closure and reader.library_frames else ():
        if caller == reader.site:
            return None if is_test_file(caller.file) else caller
    return None


def is_created_here(context: RaceContext, side: RaceSide) -> bool:
    """Was the written object created by the same function, a few lines above or on this line?"""
    here = side.site_facts
    if here is None or not side.writes:
        return False
    name = context.shared_variable.name if context.shared_variable else ""
    if not context.is_go and side.library_frames and _CPP_CREATION.search(here.text):
        return True
    wanted = _fields_of_other_side(context, side)
    if (candidate := _STRUCT_LITERAL.search(here.text)) and _sets_any_field(candidate[1], wanted):
        return True
    if any(line == here.line and key in wanted for key, line in here.new_object_fields):
        return True  # a literal of several lines, each of which sets a field
    if context.is_go and _RETURNED_LITERAL.search(here.text):
        return True
    candidates = [
        candidate
        for candidate in here.declarations.values()
        if candidate.kind == "local" and candidate.line == here.line
    ]
    if context.is_go and any(_CREATED_TYPE.match(candidate.type) for candidate in candidates):
        return True  # the line that creates it
    if context.is_go and _fills_new_container(here, here.returned_names | _variables_stored_below(context, side, here)):
        return True
    for use in here.uses:
        if not use.writes or len(use.path) < 2 or (name and use.name != name):
            continue
        if use.path[0].endswith("{}"):
            return True  # a line of the literal itself
        declared = here.declarations.get(use.path[0])
        if declared is None or declared.kind != "local":
            continue
        if _CREATED_TYPE.match(declared.type) or (not context.is_go and _is_new_allocation(context, side, use.path[0])):
            return True
    return False


def _variables_stored_below(context: RaceContext, side: RaceSide, here: FunctionFacts) -> frozenset[str]:
    """`c.rates = fresh`: variables that are stored below, after the loops around the line."""
    done = max((last for _, last in here.loops), default=here.line)
    below = sorted({u.line for u in here.stores if u.line > done})[:_MAX_STORES]
    lines_below = [context.function_at(side.site._replace(line=line)) for line in below if side.site]
    matches = [_STORED_VARIABLE.search(facts.text) for facts in lines_below if facts]
    return frozenset(match[1] for match in matches if match)


def _fills_new_container(here: FunctionFacts, handed_on: frozenset[str]) -> bool:
    """`m := map[string]int{}; m[k] = v; return m`: is a new container filled to be passed on?"""
    has_started = any(s.line < here.line for s in here.thread_starts)
    for name in handed_on if not has_started else ():
        declaration = here.declarations.get(name)
        is_local = (
            declaration is not None and declaration.kind == "local" and declaration.closure_depth == len(here.closures)
        )
        if declaration is None or not is_local or not _CREATED_CONTAINER.match(declaration.type):
            continue
        if declaration.line == here.line or any(u.path == (name,) and u.writes for u in here.uses):
            return True
    return False


def _is_new_allocation(context: RaceContext, side: RaceSide, name: str) -> bool:
    """`auto g = std::make_shared<Glyphs>();`, `struct conn *c = calloc(1, n);`, `T *t = new T;`"""
    here, site = side.site_facts, side.site
    if here is None or site is None:
        return False
    if any(c.result == name and _ALLOCATOR.match(c.name) for c in here.calls):
        return True
    declaring_facts = context.function_at(site._replace(line=here.declarations[name].line))
    return declaring_facts is not None and f"{name} = new " in declaring_facts.text


def _fields_of_other_side(context: RaceContext, side: RaceSide) -> set[str]:
    """The fields that the other side uses."""
    others = [s.site_facts.uses for s in context.race_sides if s is not side and s.site_facts]
    return {u.name for uses in others for u in uses if len(u.path) > 1}


def _sets_any_field(literal: str, names: set[str]) -> bool:
    """`base: strings.TrimRight(base, "/"), http: …` sets `base` and `http`."""
    return bool(names.intersection(_LITERAL_KEY.findall(literal)))


_MAX_CALLS_FOLLOWED = 4  # calls on a line that are followed
# "go hub.serve(ctx)"
_GO_METHOD_CALL = re.compile(r"go (\w{1,80})\.\w{1,80}\(")
# "Hub{out: ch}", "shop.Hub"; no "&Hub{}" and no "newHub()"
_VALUE_LITERAL = re.compile(r"(?:\w{1,80}\.)?\w{1,80}(?:\{|$)")


class CopyByCall(NamedTuple):
    """The side that copies by a call, the other side, and the method that locks the copy."""

    reader: RaceSide
    other: RaceSide
    method: FunctionFacts


def find_copy_by_call(context: RaceContext) -> CopyByCall | None:
    """`name := shop.Name()`, where `func (s Shop) Name()` locks `s.mu`: the copy is not locked."""
    for reader, other in context.side_pairs if context.is_go and context.has_code else ():
        here, site = reader.site_facts, reader.site
        if here is None or site is None or reader.writes or reader.library_frames or reader.locks_held:
            continue
        called_names = [c.name for c in here.calls if c.line == here.line and c.target][:_MAX_CALLS_FOLLOWED]
        for method in filter(None, [context.find_function(name, site) for name in called_names]):
            lock_prefix = f"{method.receiver}."
            locks = method.has_value_receiver and any(h.name.startswith(lock_prefix) for h in method.locks_held)
            if locks and _writes_value_of(context, other, method.receiver):
                return CopyByCall(reader, other, method)
    return None


def _writes_value_of(context: RaceContext, side: RaceSide, kind: str) -> bool:
    """Does a side write to a value of that type: under its lock, or by the variable's name?"""
    is_owner = context.shared_variable is not None and context.shared_variable.owner == kind
    return side.writes and (is_owner or any(h.name.startswith(f"{kind}.") for h in side.locks_held))


def field_copied_after_start(worker: RaceSide, user: RaceSide) -> str:
    """`go hub.serve(); s.hub = hub`: the field that `serve` stores while `hub` is copied."""
    here, there = worker.site_facts, user.site_facts
    stored = [u.path for u in here.stores if u.line == here.line] if here else []
    if here is None or there is None or len(stored) != 1 or len(stored[0]) != 2:
        return ""
    base, field = stored[0]
    started_objects = {
        match[1] for s in there.thread_starts if (match := _GO_METHOD_CALL.match(s.text)) and s.line < there.line
    }
    read_names = {u.path[0] for u in there.uses if len(u.path) == 1 and not u.writes} & started_objects
    copied = any(
        n in there.declarations and _VALUE_LITERAL.match(there.declarations[n].type.strip()) for n in read_names
    )
    is_receiver = base in here.declarations and here.declarations[base].kind == "receiver"
    return field if is_receiver and copied else ""


_RETURNING_CALL = re.compile(r"(?:^|[._)])(?:[Pp]ut|[Rr]elease|[Rr]eturn|[Rr]ecycle|[Gg]ive[Bb]ack|[Ff]ree)\w{0,80}$")
# "buf", "&c.line", "*b": an object, not a number or string
_OBJECT_ARGUMENT = re.compile(r"[&*]?[A-Za-z_][\w.>()-]{0,80}$")
_GETTER_NAMES = ("Get", "Acquire", "Lend", "Borrow", "Take", "Checkout")
# "c := <-r.free", "r.free <- c"
_RECEIVE = re.compile(r"\b(\w{1,80})\s{0,9}:?=\s{0,9}<-\s{0,9}([\w.]{1,80})")
_SEND = re.compile(r"([\w.]{1,80})\s{0,9}<-\s{0,9}(\w{1,80})\b")
# "[]byte", "*Frame", "map[string]int": a reference, which may come from a pool
_REFERENCE_TYPE = re.compile(r"\[|\*|map\[|$")
# appending to a C++ vector returns an object only if the vector is a free list
_APPENDING_METHODS = ("push_back", "emplace_back")
_FREE_LIST_NAME = re.compile(r"free|pool|idle|spare|avail|unused|stock|slab|arena|cache", re.IGNORECASE)
_MAX_FRAMES = 3  # frames, and lines per frame, that are examined


def takes_from_pool(call: CallSite) -> bool:
    return call.name not in ALLOCATION_FUNCTIONS and bool(POOL_TAKING_VERBS.intersection(name_words(call.name)))


def returns_to_pool(context: RaceContext, call: CallSite, frame: Frame) -> bool:
    """Does a call return an object to its pool, not to the allocator?"""
    if call.name in ALLOCATION_FUNCTIONS or not POOL_RETURNING_VERBS.intersection(name_words(call.name)):
        return False
    if call.name in _APPENDING_METHODS and not _FREE_LIST_NAME.search(call.target):
        return False
    inner = context.find_function(call.name, frame)
    return inner is None or not any(c.name in ALLOCATION_FUNCTIONS for c in inner.calls)


def returned_object_names(call: CallSite) -> tuple[str, ...]:
    """The candidates for the returned object: the last argument, the target, the only argument."""
    return call.arguments.rpartition(",")[2].strip().lstrip("&"), call.target, call.arguments.strip()


def pool_channel(context: RaceContext, side: RaceSide) -> str:
    """The channel used as a pool: `c := <-r.free`, and then `r.free <- c`."""
    for frame, facts in side.call_chain[:_MAX_FRAMES] if context.is_go else ():
        above = [line for line in facts.receive_lines if line < facts.line]
        used = _touched_objects(context, side, facts) if frame == side.site else _call_operands(facts)
        for line in above[-_MAX_FRAMES:]:
            name, channel = _channel_operation(context, frame, line, _RECEIVE)
            sends = [n for n in facts.send_lines if n > line][:_MAX_FRAMES] if name in used else []
            if any(_channel_operation(context, frame, n, _SEND) == (channel, name) for n in sends):
                return f"{channel} <- {name}"
    return ""


def _touched_objects(context: RaceContext, side: RaceSide, facts: FunctionFacts) -> set[str]:
    """The objects whose fields a line uses in the reported way."""
    name = context.shared_variable.name if context.shared_variable else ""
    uses = [u for u in facts.uses if len(u.path) > 1 and u.writes == side.writes]
    return {u.path[0] for u in uses if not name or u.name == name}


def _call_operands(facts: FunctionFacts) -> set[str]:
    """The targets and arguments of the calls on a line."""
    calls = [c for c in facts.calls if c.line == facts.line]
    return {part.strip(" &*") for c in calls for part in (c.target, *c.arguments.split(","))}


def _channel_operation(context: RaceContext, frame: Frame, line: int, pattern: re.Pattern[str]) -> tuple[str, str]:
    """The two operands of a send or receive on a line, in the order of the code."""
    facts = context.function_at(frame._replace(line=line))
    match = pattern.search(facts.text) if facts else None
    return (match[1], match[2]) if match else ("", "")


def return_call_near_site(context: RaceContext, side: RaceSide) -> str:
    """The call near the site that returns an object to where it was taken from."""
    inner = ""
    for at, frame in enumerate(side.user_frames[:_MAX_FRAMES]):
        if side.has_library_between(frame):
            break  # the buffer that a printer fills is not the printed object
        facts = context.function_at(frame)
        calls = facts.calls if facts else ()
        received = {(c.target, c.result) for c in calls if c.name in _GETTER_NAMES and not c.arguments}
        taken = {c.result.partition(",")[0].strip() for c in calls if takes_from_pool(c)} - {""}
        # `r := d.next(id)`: it is being taken right now
        taken |= {c.result for c in calls if facts and c.line == facts.line and c.name == inner} - {""}
        inner = facts.function if facts else ""
        for call in calls:
            returned = call.arguments.strip()
            if facts and _is_pool_counter(context, side, at, facts, returned):
                continue
            is_pool = "ool" in call.target or (call.target, returned.lstrip("&*")) in received
            if _RETURNING_CALL.search(call.name) and is_pool and _OBJECT_ARGUMENT.match(returned):
                return f"{call.target}.{call.name}({call.arguments[:40]})"
            touched = facts is not None and any(u.path[0] == returned for u in facts.uses)
            was_passed_on = context.is_go or _is_passed_on_before(facts, returned, call)
            if returned in taken and touched and was_passed_on and returns_to_pool(context, call, frame):
                return f"{call.name}({returned})"
    return ""


def _is_pool_counter(context: RaceContext, side: RaceSide, at: int, facts: FunctionFacts, returned: str) -> bool:
    """`p.misses++` in `f := p.get()`: is it a counter of the pool or its user, not of the object?"""
    shared, name = context.shared_variable, returned.lstrip("&*")
    if shared is None or shared.kind != "field" or _REFERENCE_TYPE.match(shared.type):
        return False
    if at == 0:
        declaration = facts.declarations.get(name)
        is_object_field = (declaration is not None and declaration.kind == "receiver") or shared.name in name.split(".")
        return facts.receiver == shared.owner and not is_object_field
    callee = context.function_at(side.user_frames[at - 1])
    if callee is None or callee.receiver != shared.owner:
        return False
    called = [c for c in facts.calls if c.line == facts.line and c.name == callee.function]
    return all(c.target != name for c in called)


def _is_passed_on_before(facts: FunctionFacts | None, name: str, returned: CallSite) -> bool:
    """`submit(f); frame_put(f);`: was the object passed to others before it is returned?"""
    calls = [c for c in facts.calls if c.line > facts.line] if facts else []
    return any(
        c.arguments.strip().lstrip("&") == name and c.line < returned.line and not takes_from_pool(c) for c in calls
    )


def return_call_before_use(context: RaceContext, side: RaceSide) -> str:
    """C and C++: the call that returned an object before a line that still uses it."""
    for frame in side.user_frames[:2] if not context.is_go else ():
        facts = context.function_at(frame)
        touched = {u.path[0] for u in facts.uses} if facts else set()
        for call in facts.calls if facts else ():
            name = next((n for n in returned_object_names(call)[::2] if n in touched), "")
            inside = facts.closures[-1:] if facts else ()
            earlier = call.line < (frame.line or 0) and call.closure_depth == len(facts.closures if facts else ())
            earlier = earlier and all(c.first_line <= call.line for c in inside)
            if name and earlier and returns_to_pool(context, call, frame) and not _is_taken_again(facts, name, call):
                return f"{call.name}({name})"
    return ""


def _is_taken_again(facts: FunctionFacts | None, name: str, returned: CallSite) -> bool:
    """Was another object taken into the same variable since?"""
    calls = facts.calls if facts else ()
    return any(takes_from_pool(c) and c.result == name and c.line >= returned.line for c in calls)

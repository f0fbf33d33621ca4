"""Where an object comes from: newly created, copied by value, or taken from a pool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.code_facts import FunctionFacts  # noqa: TC001, mypyc needs it at run time
from deadheat.diagnosis.race_side import RaceSide  # noqa: TC001, mypyc needs it at run time

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import CallSite
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


def is_created_here(context: RaceContext, side: RaceSide) -> bool:
    """Was the written object created by the same function, a few lines above or on this line?"""
    here, is_go = side.site_facts, context.is_go
    if here is None or not side.writes:
        return False
    if not is_go and side.library_frames and _CPP_CREATION.search(here.text):
        return True
    other_uses = [u for s in context.race_sides if s is not side and s.site_facts for u in s.site_facts.uses]
    fields = {u.name for u in other_uses if len(u.path) > 1}
    literal = _STRUCT_LITERAL.search(here.text)
    if literal and fields.intersection(_LITERAL_KEY.findall(literal[1])):
        return True
    if any(line == here.line and key in fields for key, line in here.new_object_fields):
        return True  # a literal of several lines, each of which sets a field
    if is_go and _RETURNED_LITERAL.search(here.text):
        return True
    declared_here = [d for d in here.declarations.values() if d.kind == "local" and d.line == here.line]
    if is_go and any(_CREATED_TYPE.match(declaration.type) for declaration in declared_here):
        return True  # the line that creates it
    if is_go and _fills_new_container(here, here.returned_names | _variables_stored_below(context, side, here)):
        return True
    for use in here.uses:
        if not use.writes or len(use.path) < 2 or context.variable_name not in ("", use.name):
            continue
        if use.path[0].endswith("{}"):
            return True  # a line of the literal itself
        declared = here.declarations.get(use.path[0])
        if declared is None or declared.kind != "local":
            continue
        if _CREATED_TYPE.match(declared.type) or (not is_go and _is_new_allocation(context, side, use.path[0])):
            return True
    return False


def _variables_stored_below(context: RaceContext, side: RaceSide, here: FunctionFacts) -> frozenset[str]:
    """`c.rates = fresh`: variables that are stored below, after the loops around the line."""
    done = max((last for _, last in here.loops), default=here.line)
    below = sorted({u.line for u in here.stores if u.line > done})[:_MAX_STORES]
    lines_below = [context.function_at(side.site, line) for line in below if side.site]
    matches = [_STORED_VARIABLE.search(facts.text) for facts in lines_below if facts]
    return frozenset(match[1] for match in matches if match)


def _fills_new_container(here: FunctionFacts, handed_on: frozenset[str]) -> bool:
    """`m := map[string]int{}; m[k] = v; return m`: is a new container filled to be passed on?"""
    if any(s.line < here.line for s in here.thread_starts):
        return False
    for name in handed_on.intersection(here.declarations):
        declaration = here.declarations[name]
        is_local = declaration.kind == "local" and declaration.closure_depth == len(here.closures)
        if not is_local or not _CREATED_CONTAINER.match(declaration.type):
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
    declaring_facts = context.function_at(site, here.declarations[name].line)
    return declaring_facts is not None and f"{name} = new " in declaring_facts.text


_MAX_CALLS_FOLLOWED = 4  # calls on a line that are followed


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
            # the other side writes to a value of that type: under its lock, or by the variable's name
            is_owner = context.shared_variable is not None and context.shared_variable.owner == method.receiver
            is_owner = is_owner or any(h.name.startswith(lock_prefix) for h in other.locks_held)
            if locks and other.writes and is_owner:
                return CopyByCall(reader, other, method)
    return None


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
    if call.name in naming.ALLOCATION_FUNCTIONS:
        return False
    return not naming.POOL_TAKING_VERBS.isdisjoint(naming.name_words(call.name))


def returns_to_pool(context: RaceContext, call: CallSite, frame: Frame) -> bool:
    """Does a call return an object to its pool, not to the allocator?"""
    is_named = not naming.POOL_RETURNING_VERBS.isdisjoint(naming.name_words(call.name))
    if call.name in naming.ALLOCATION_FUNCTIONS or not is_named:
        return False
    if call.name in _APPENDING_METHODS and not _FREE_LIST_NAME.search(call.target):
        return False
    inner = context.find_function(call.name, frame)
    return inner is None or not any(c.name in naming.ALLOCATION_FUNCTIONS for c in inner.calls)


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
    uses = [u for u in facts.uses if len(u.path) > 1 and u.writes == side.writes]
    return {u.path[0] for u in uses if context.variable_name in ("", u.name)}


def _call_operands(facts: FunctionFacts) -> set[str]:
    """The targets and arguments of the calls on a line."""
    calls = [c for c in facts.calls if c.line == facts.line]
    return {part.strip(" &*") for c in calls for part in (c.target, *c.arguments.split(","))}


def _channel_operation(context: RaceContext, frame: Frame, line: int, pattern: re.Pattern[str]) -> tuple[str, str]:
    """The two operands of a send or receive on a line, in the order of the code."""
    facts = context.function_at(frame, line)
    match = pattern.search(facts.text) if facts else None
    return (match[1], match[2]) if match else ("", "")


def return_call_near_site(context: RaceContext, side: RaceSide) -> str:
    """The call near the site that returns an object to where it was taken from."""
    inner = ""
    for at, frame in enumerate(side.user_frames[:_MAX_FRAMES]):
        if side.has_library_between(frame):
            break  # the buffer that a printer fills is not the printed object
        facts = context.function_at(frame)
        if facts is None:
            inner = ""
            continue
        received = {(c.target, c.result) for c in facts.calls if c.name in _GETTER_NAMES and not c.arguments}
        taken = {c.result.partition(",")[0].strip() for c in facts.calls if takes_from_pool(c)} - {""}
        # `r := d.next(id)`: it is being taken right now
        taken |= {c.result for c in facts.calls if c.line == facts.line and c.name == inner} - {""}
        inner = facts.function
        for call in facts.calls:
            returned = call.arguments.strip()
            if _is_pool_counter(context, side, at, facts, returned):
                continue
            is_pool = "ool" in call.target or (call.target, returned.lstrip("&*")) in received
            if _RETURNING_CALL.search(call.name) and is_pool and _OBJECT_ARGUMENT.match(returned):
                return f"{call.target}.{call.name}({call.arguments[:40]})"
            touched = any(u.path[0] == returned for u in facts.uses)
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


def _is_passed_on_before(facts: FunctionFacts, name: str, returned: CallSite) -> bool:
    """`submit(f); frame_put(f);`: was the object passed to others before it is returned?"""
    calls = [c for c in facts.calls if facts.line < c.line < returned.line and not takes_from_pool(c)]
    return any(c.arguments.strip().lstrip("&") == name for c in calls)

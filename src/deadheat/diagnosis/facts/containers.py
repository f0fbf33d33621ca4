"""Containers and library types that are not safe for concurrent use; slices; publication in a container."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat import symbols
from deadheat.diagnosis.facts.condition_checks import EXISTENCE_TEST
from deadheat.diagnosis.facts.function_names import without_package
from deadheat.diagnosis.facts.object_origin import is_created_here
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of
from deadheat.diagnosis.rule import STRONG, RuleMatch
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts
    from deadheat.diagnosis.facts.condition_checks import CheckedWrite
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame


MAP, SEQUENCE = "map", "row"
_MAX_CLASS_LENGTH = 600  # the class is within this prefix
# "map", "unordered_multimap", "_Rb_tree", "_Rb_tree_increment", "_Hashtable", "__hash_table"
_MAP_CLASS = re.compile(
    r"(?:unordered_)?(?:multi)?map|_Rb_tree\w{0,40}|_Hashtable\w{0,20}|_Node_iterator\w{0,20}"
    r"|__(?:tree|hash_table)\w{0,20}|hash_map"
)
# "vector", "deque", "array", "_Vector_base", "__split_buffer"
_SEQUENCE_CLASS = re.compile(r"vector|deque|array|_(?:Vector|Deque|Bvector)_base|__(?:vector_base|split_buffer)")
# "/usr/include/c++/12/bits/stl_tree.h", "stl_map.h" (Valgrind), "/usr/include/c++/v1/__hash_table"
_MAP_HEADER = re.compile(
    r"(?:^|/)(?:stl_(?:tree|map|multimap)\.h|hashtable(?:_policy)?\.h|unordered_map\.h|__tree"
    r"|__hash_table|v1/(?:unordered_)?map)$"
)
_SEQUENCE_HEADER = re.compile(
    r"(?:^|/)(?:stl_(?:vector|deque|bvector)\.h|(?:vector|deque)\.tcc|__split_buffer"
    r"|v1/(?:vector|deque))$"
)


def container_frame(side: RaceSide, kind: str) -> Frame | None:
    """The first frame above the site that belongs to a container of that kind."""
    for frame in side.library_frames:
        if container_kind(frame.function, frame.file) == kind:
            return frame
    return None


@lru_cache(maxsize=1 << 12)
def container_kind(function: str, file: str) -> str:
    """`map` or `row` for code of such a container; "" for other code, even if it names one."""
    names = _split_class_names(function)
    if len(names) == 1 and file:
        return MAP if _MAP_HEADER.search(file) else SEQUENCE if _SEQUENCE_HEADER.search(file) else ""
    if names[0] not in ("std", "__gnu_cxx"):
        return ""
    if any(_MAP_CLASS.fullmatch(name) for name in names[1:]):
        return MAP
    return SEQUENCE if any(_SEQUENCE_CLASS.fullmatch(name) for name in names[1:]) else ""


def _split_class_names(function: str) -> list[str]:
    """`std`, `map`, `find` of `int std::map<int, std::vector<int> >::find(int)`: without brackets."""
    letters: list[str] = []
    depth = 0
    for letter in function[:_MAX_CLASS_LENGTH]:
        if letter == "(" and not depth:
            break
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth = max(0, depth - 1)
        elif not depth:
            letters.append(letter)
    return "".join(letters).rpartition(" ")[2].split("::")


# "	data  bytes.Buffer", "*rand.Rand", "http.Header"
_DECLARED_TYPE = re.compile(r"\*?(\w+)\.(\w+)\b")


# implementations of readers and writers that are safe: "os.(*File).Read", "poll.(*FD).Close"
_SAFE_METHODS = ("os.(*File).", "os.(*file).", "net.(*", "poll.(*FD).")
# "exec.(*Cmd).Wait": an exported type; "fmt.(*pp).printValue" only reads its arguments
_LIBRARY_METHOD = re.compile(r"(\w{1,80})\.\(\*([A-Z]\w{0,80})\)\.")
_SYNC_PACKAGES = ("sync", "atomic", "context", "time", "reflect")
_MAX_FUNCTION_LENGTH = 400  # the type is within this prefix


def _strip_result_type(function: str) -> str:
    """`std::vector<int>::at(int)` of `std::function<void ()>& std::vector<int>::at(int)`."""
    depth = start = 0
    for at, letter in enumerate(function[:_MAX_FUNCTION_LENGTH]):
        if letter == "(" and not depth:
            return function[start:]
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth -= 1
        elif letter == " " and not depth:
            start = at + 1
    return function


_TYPE_LISTS = symbols.read_frame_list("unsafe_types.txt", "deadheat.diagnosis")
_TYPE_ENTRIES = [line.partition("=>") for lines in _TYPE_LISTS.values() for line in lines]
_TYPE_BY_PREFIX = {begins.strip(): name.strip() for begins, _, name in _TYPE_ENTRIES}
_TYPE_BY_SHORT_NAME = {name.rpartition("/")[2]: name for name in _TYPE_BY_PREFIX.values()}


@lru_cache(maxsize=1 << 12)
def unsafe_type_of(text: str) -> str:
    """The unsafe type that a frame's function or a declaration belongs to; "" for others."""
    text = _strip_result_type(text)
    for begins, name in _TYPE_BY_PREFIX.items():
        if text.startswith(begins):
            return name
    declared = _DECLARED_TYPE.match(text.strip())
    return _TYPE_BY_SHORT_NAME.get(f"{declared[1]}.{declared[2]}", "") if declared else ""


def library_type_of_both(context: RaceContext) -> str:
    """The Go library type in whose own methods both sides are: its methods race, so it is not safe.

    This covers types that the list does not name.
    """
    types = {_library_type_of(side) for side in context.race_sides} if context.is_go and context.side_pairs else set()
    return types.pop() if len(types) == 1 else ""


def _library_type_of(side: RaceSide) -> str:
    """`exec.Cmd` for an access in the frame `exec.(*Cmd).Wait`."""
    top = side.library_frames[0] if side.library_frames else None
    if top is None or top.origin is not Origin.STDLIB or top.function.startswith(_SAFE_METHODS):
        return ""
    match = _LIBRARY_METHOD.match(top.function)
    return f"{match[1]}.{match[2]}" if match and match[1] not in _SYNC_PACKAGES else ""


def only_uses_argument(side: RaceSide, frame: Frame) -> bool:
    """Did it only reach its argument: `json.NewEncoder(w).Encode(row)`, or a file?"""
    inner_frames = side.library_frames[: side.library_frames.index(frame)]
    return any(f.function.startswith(("reflect.", *_SAFE_METHODS)) for f in inner_frames)


# "[]int", "[8]Row"
SLICE_TYPE = re.compile(r"\[\]")
# "append(r.rows, row)", "append(*to, v)", "append((*h).items, x)"
APPEND_CALL = re.compile(r"\bappend\(\s*\(?\*?\(?([\w.\[\]]{1,100})\)?\s*[,)]")
# "q.items = q.items[1:]", "d.rows = d.rows[:n-1]"
_RESLICE = re.compile(r"(?<![=!<>:])=\s{0,9}([\w.]{1,80})\[[^\]:]{0,80}:")
# "b.rows = b.rows[:0]"
_EMPTY_RESLICE = re.compile(r"\[(?:0\s?)?:\s?0\]")
# "q.items = append(q.items, v)", "q.items = q.items[1:]"
_RESIZING_ASSIGNMENT = re.compile(r"=\s{0,9}(?:append\(|[\w.]{1,80}\[[^\]:]{0,80}:)")
# "a[i], a[j] = a[j], a[i]", "a[j] = a[j-1]": from one element to another
_ELEMENT_MOVE = re.compile(r"(?<![\w.])([\w.]{1,80})\[[^=]{1,200}\] = \1\[")
# "t->rows[t->length++] = row;", "queue[(*n)++] = job;"
_COUNTED_STORE = re.compile(r"\[[\w.>*()-]{0,80}?\b(\w{1,80})\)?\+\+\]\s{0,9}=(?!=)")
# "go s.handle(buf[:n])"
_PART_ARGUMENT = re.compile(r"\b(\w{1,80})\[[^\]:]{0,80}:")
_MAX_FRAMES_SEARCHED = 3  # frames, and stores per frame, that are examined


def only_resizes(context: RaceContext, found: CheckedWrite) -> bool:
    """`if len(q.items) > 0 { q.items = q.items[1:] }`: does the check only guard a resize or sort?

    Then the race is on the slice; whether it exists at all is another question.
    """
    here, shared = found.writer.site_facts, context.shared_variable
    if not context.is_go:
        return here is not None and stores_at_counter(here)
    if here is not None and _ELEMENT_MOVE.search(here.text):
        return True  # a swap: the comparison decides the order of the elements
    if here is None or shared is None or not shared.type.startswith("["):
        return False
    tests_existence = EXISTENCE_TEST.search(found.condition_text) and re.search(
        rf"\b{re.escape(shared.name)}\b", found.condition_text
    )
    return bool(_RESIZING_ASSIGNMENT.search(here.text)) and not tests_existence


def stores_at_counter(here: FunctionFacts) -> bool:
    """`t->rows[t->length++] = row`: does a line of C store at a counter and increment it?"""
    match = _COUNTED_STORE.search(here.text)
    return match is not None and any(u.writes and u.name == match[1] for u in here.uses)


def elements_of_parameters(context: RaceContext) -> Evidence | None:
    """Do two calls of one function use elements of slice parameters? Then the slices overlap."""
    if not context.is_go or not context.in_same_function or any(side.locks_held for side in context.race_sides):
        return None
    names = []
    for side in context.race_sides:
        here = side.site_facts
        rows = [
            name
            for name, known in (here.declarations.items() if here else ())
            if known.kind == "parameter" and known.type.startswith("[]")
        ]
        written = [u.path[0] for u in here.uses if u.writes and u.is_element] if here else []
        used = [n for n in rows if here and (n in written if side.writes else f"{n}[" in here.text)]
        if not used:
            return None
        names += used[:1]
    name_list = " and ".join(f"`{name}`" for name in dict.fromkeys(names))
    side = context.race_sides[0]
    return side.evidence_at_site(
        f"two calls of `{without_package(side.function)}` use elements of {name_list}, which are parameters"
    )


def find_reslice(context: RaceContext, side: RaceSide) -> Evidence | None:
    """Does its line reslice: `q.items = q.items[1:]`?"""
    here, shared = side.site_facts, context.shared_variable
    if not context.is_go or here is None or shared is None or not SLICE_TYPE.match(shared.type.strip()):
        return None
    # "s.rows = s.rows[:0]" prepares it for reuse: that is a lifetime question
    match = None if _EMPTY_RESLICE.search(here.text) else _RESLICE.search(here.text)
    stores = any(u.name == shared.name and u.line == here.line for u in here.stores)
    if match is None or not stores or match[1].rpartition(".")[2] != shared.name:
        return None
    return side.evidence_at_site(f"`{here.text[:80]}` reslices the slice")


def append_into_spare_capacity(context: RaceContext, side: RaceSide) -> Evidence | None:
    """`args := append(t.base, a)`: does it write into the spare capacity of another slice?"""
    here, shared = side.site_facts, context.shared_variable
    match = APPEND_CALL.search(here.text) if here else None
    if not context.is_go or here is None or match is None or not side.writes:
        return None
    declared_here = {n for n, d in here.declarations.items() if d.kind == "local" and d.line == here.line}
    if not declared_here or (shared is not None and shared.name not in declared_here):
        return None
    if match[1].partition(".")[0] in declared_here:
        return None
    base = here.declarations.get(match[1])
    if base is not None and base.kind == "local":
        return None  # a local slice
    return side.evidence_at_site(f"`{here.text[:80]}` writes into the spare capacity of `{match[1]}`")


def buffer_refilled_in_loop(context: RaceContext) -> Evidence | None:
    """`n := read(buf); go handle(buf[:n])` in a loop: is a buffer refilled that a worker reads?"""
    for fills, worker in context.side_pairs if context.is_go and context.has_code else ():
        start_frame = worker.start_frame if worker.is_worker and fills.writes and not worker.writes else None
        facts = context.function_at(start_frame) if start_frame else None
        if facts is None or start_frame is None or fills.locks_held:
            continue
        text = next((s.text for s in facts.thread_starts if s.line == facts.line), "")
        for name in _PART_ARGUMENT.findall(text):
            declaration = facts.declarations.get(name)
            loop = next((one for one in facts.loops if declaration and one[0] > declaration.line), None)
            if declaration is None or declaration.kind != "local" or loop is None:
                continue
            if any(_uses_buffer_in_loop(code, facts, name, loop) for _, code in fills.call_chain):
                message = f"`{text[:60]}` passes a part of `{name}`, which the next iteration overwrites"
                return Evidence(message, point_of(start_frame))
    return None


def _uses_buffer_in_loop(code: FunctionFacts, facts: FunctionFacts, name: str, loop: tuple[int, int]) -> bool:
    """Is it the loop that passes the buffer on, at a line that uses the buffer?"""
    if (code.path, code.first_line) != (facts.path, facts.first_line) or not loop[0] <= code.line <= loop[1]:
        return False
    return re.search(rf"\b{re.escape(name)}\b", code.text) is not None


def reused_backing_array(context: RaceContext) -> Evidence | None:
    """`full := b.rows; b.rows = b.rows[:0]; go send(full)`: is the array still in use elsewhere?"""
    name = context.shared_variable.name if context.shared_variable else ""
    for grows, other in context.side_pairs if context.is_go and context.has_code else ():
        match = APPEND_CALL.search(grows.site_facts.text) if grows.site_facts and grows.writes else None
        start_frame = other.start_frame if other.is_worker else None
        if match is None or (name and match[1].rpartition(".")[2] != name):
            continue
        grown = match[1].rpartition(".")[2]
        frames = [*([start_frame] if start_frame else []), *(frame for frame, _ in grows.call_chain)]
        for frame in frames[:_MAX_FRAMES_SEARCHED]:
            facts = context.function_at(frame)
            for use in [u for u in facts.stores if u.name == grown][:_MAX_FRAMES_SEARCHED] if facts else ():
                line = context.function_at(frame._replace(line=use.line))
                if line and _EMPTY_RESLICE.search(line.text):
                    text = f"`{line.text[:60]}` keeps the array that the other side still reads"
                    return Evidence(text, point_of(frame)._replace(line=use.line))
    return None


# "p := &plan{verb: v}", "s = &Sub{", "var e = new(Entry)"
_OBJECT_CREATION = re.compile(r"\b(\w{1,80})\s{0,9}:?=\s{0,9}(?:&?(?:\w{1,80}\.)?\w{1,80}\{|new\()")
# "c.plans[key] = p"
_MAP_STORE = r"\]\s{0,9}=\s{0,9}&?%s\b"
_PUBLISHED_CONFIDENCE = STRONG - 0.04  # evidence about the container itself ranks first
_MAX_CALLERS = 3  # callers further out store other objects
_MAX_STORES = 6  # stores per function that are examined


class PublishedObject(NamedTuple):
    """The side that creates an object, the side that finds it, and the line that stores it."""

    maker: RaceSide
    finder: RaceSide
    evidence: Evidence
    in_map: bool  # in a map, and not in a slice


def published_in_container(context: RaceContext, keyed: bool, change: str) -> RuleMatch | None:
    """An object is used while it is created: it was found in an unguarded map or slice."""
    published = _find_published_object(context)
    if published is None or published.in_map is not keyed:
        return None
    evidence = (
        published.maker.evidence_at_site(f"{published.maker.action} an object that it is creating"),
        published.evidence,
        published.finder.evidence_at_site(f"{published.finder.action} it after finding it there"),
    )
    return RuleMatch(_PUBLISHED_CONFIDENCE, evidence, change, context.change_points, from_source=True)


def _find_published_object(context: RaceContext) -> PublishedObject | None:
    """An object that one side is still creating, in code order, and stores in a container."""
    for maker, finder in context.side_pairs if context.is_go and context.has_code else ():
        here = maker.site_facts
        if here is None or maker.locks_held or finder.locks_held or not maker.writes or maker.library_frames:
            continue
        if not is_created_here(context, maker):
            continue
        names = _object_names(here)
        for frame, facts in maker.call_chain[:_MAX_CALLERS]:
            for line, keyed in _container_stores(context, frame, facts, names):
                text = f"`{line.text[:60]}` stores it in a shared container without a lock"
                at = point_of(frame)._replace(line=line.line)
                return PublishedObject(maker, finder, Evidence(text, at), keyed)
            names = {n for c in _result_names_in_caller(maker, frame) for n in c}
    return None


def _object_names(here: FunctionFacts) -> set[str]:
    """The names of the object in the function that creates it."""
    match = _OBJECT_CREATION.search(here.text)
    written = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    return {match[1]} if match else {n for n in written if n in here.declarations}


def _result_names_in_caller(maker: RaceSide, frame_below: Frame) -> Iterator[set[str]]:
    """The caller's name for what a function returned: `p, err := parse(key)`."""
    chain = list(maker.call_chain)
    at = next((i for i, (frame, _) in enumerate(chain) if frame == frame_below), len(chain))
    if at + 1 < len(chain):
        facts, called = chain[at + 1][1], chain[at][1].function
        for call in facts.calls:
            if call.name == called and call.line == facts.line:
                yield {call.result.partition(",")[0].strip()} - {"", "_"}


def _container_stores(
    context: RaceContext, frame: Frame, facts: FunctionFacts, names: set[str]
) -> Iterator[tuple[FunctionFacts, bool]]:
    """The lines from this one on that store such a name in a slice or a map."""
    for call in facts.calls[:100] if names else ():
        arguments = {part.strip(" &.") for part in call.arguments.split(",")[1:]}
        if call.name == "append" and call.line >= facts.line and arguments & names:
            line = context.function_at(frame._replace(line=call.line))
            if line and not line.locks_held and "." in call.result:
                yield line, False
    for use in [u for u in facts.stores if u.line >= facts.line and len(u.path) > 1][:_MAX_STORES]:
        line = context.function_at(frame._replace(line=use.line)) if names else None
        stored = line and any(re.search(_MAP_STORE % re.escape(n), line.text) for n in names)
        if line and stored and not line.locks_held:
            yield line, True

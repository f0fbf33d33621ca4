"""Containers and library types that are not safe for concurrent use; slices; publication in a container."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.condition_checks import EXISTENCE_TEST
from deadheat.diagnosis.facts.function_names import contains_word, without_package
from deadheat.diagnosis.facts.object_origin import is_created_here
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import point_of
from deadheat.diagnosis.rule import STRONG, RuleMatch
from deadheat.model import Origin
from deadheat.symbols import read_frame_list

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
    return next((f for f in side.library_frames if container_kind(f.function, f.file) == kind), None)


@lru_cache(maxsize=1 << 12)
def container_kind(function: str, file: str) -> str:
    """`map` or `row` for code of such a container; "" for other code, even if it names one."""
    names = _split_class_names(function)
    is_container = names[0] in ("std", "__gnu_cxx")
    for kind, class_name, header in ((MAP, _MAP_CLASS, _MAP_HEADER), (SEQUENCE, _SEQUENCE_CLASS, _SEQUENCE_HEADER)):
        if len(names) == 1 and file:
            matches = header.search(file) is not None
        else:
            matches = is_container and any(class_name.fullmatch(name) for name in names[1:])
        if matches:
            return kind
    return ""


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


_TYPE_LISTS = read_frame_list("unsafe_types.txt", "deadheat.diagnosis")
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
    """The Go library type, listed or not, in whose own methods both sides are: its methods race, so it is not safe."""
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
    """`if len(q.items) > 0 { q.items = q.items[1:] }`: does the check only guard a resize or sort of the slice?"""
    here, shared = found.writer.site_facts, context.shared_variable
    if not context.is_go:
        return here is not None and stores_at_counter(here)
    if here is not None and _ELEMENT_MOVE.search(here.text):
        return True  # a swap: the comparison decides the order of the elements
    if here is None or shared is None or not shared.type.startswith("["):
        return False
    condition = found.condition_text
    tests_existence = EXISTENCE_TEST.search(condition) and contains_word(condition, shared.name)
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
        if here is None:
            return None
        slices = [n for n, d in here.declarations.items() if d.kind == "parameter" and d.type.startswith("[]")]
        written = [u.path[0] for u in here.uses if u.writes and u.is_element]
        used = [n for n in slices if (n in written if side.writes else f"{n}[" in here.text)]
        if not used:
            return None
        names.append(used[0])
    name_list = " and ".join(f"`{name}`" for name in dict.fromkeys(names))
    side = context.race_sides[0]
    function = without_package(side.function)
    return side.evidence_at_site(f"two calls of `{function}` use elements of {name_list}, which are parameters")


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
    is_other_variable = shared is not None and shared.name not in declared_here
    if not declared_here or is_other_variable or match[1].partition(".")[0] in declared_here:
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
            in_function = [code for _, code in fills.call_chain if code.definition == facts.definition]
            in_loop = [code for code in in_function if loop[0] <= code.line <= loop[1]]
            if any(contains_word(code.text, name) for code in in_loop):
                message = f"`{text[:60]}` passes a part of `{name}`, which the next iteration overwrites"
                return Evidence(message, point_of(start_frame))
    return None


def reused_backing_array(context: RaceContext) -> Evidence | None:
    """`full := b.rows; b.rows = b.rows[:0]; go send(full)`: is the array still in use elsewhere?"""
    for grows, other in context.side_pairs if context.is_go and context.has_code else ():
        match = APPEND_CALL.search(grows.site_facts.text) if grows.site_facts and grows.writes else None
        grown = match[1].rpartition(".")[2] if match else ""
        if not match or context.variable_name not in ("", grown):
            continue
        frames = [other.start_frame if other.is_worker else None, *(frame for frame, _ in grows.call_chain)]
        for frame in [f for f in frames if f][:_MAX_FRAMES_SEARCHED]:
            facts = context.function_at(frame)
            for use in [u for u in facts.stores if u.name == grown][:_MAX_FRAMES_SEARCHED] if facts else ():
                line = context.function_at(frame, use.line)
                if line and _EMPTY_RESLICE.search(line.text):
                    text = f"`{line.text[:60]}` keeps the array that the other side still reads"
                    return Evidence(text, point_of(frame, use.line))
    return None


# "p := &plan{verb: v}", "s = &Sub{", "var e = new(Entry)"
_OBJECT_CREATION = re.compile(r"\b(\w{1,80})\s{0,9}:?=\s{0,9}(?:&?(?:\w{1,80}\.)?\w{1,80}\{|new\()")
# "c.plans[key] = p"
_MAP_STORE = r"\]\s{0,9}=\s{0,9}&?%s\b"
_PUBLISHED_CONFIDENCE = STRONG - 0.04  # evidence about the container itself ranks first
_MAX_CALLERS = 3  # callers further out store other objects
_MAX_STORES = 6  # stores per function that are examined


def published_in_container(context: RaceContext, keyed: bool, change: str) -> RuleMatch | None:
    """An object is used while it is created: it was found in an unguarded map (`keyed`) or slice."""
    for maker, finder in context.side_pairs if context.is_go and context.has_code else ():
        here = maker.site_facts
        if here is None or maker.locks_held or finder.locks_held or not maker.writes or maker.library_frames:
            continue
        if not is_created_here(context, maker):
            continue
        names = _object_names(here)
        for frame, facts in maker.call_chain[:_MAX_CALLERS]:
            for line, in_map in _container_stores(context, frame, facts, names):
                text = f"`{line.text[:60]}` stores it in a shared container without a lock"
                evidence = (
                    maker.evidence_at_site(f"{maker.action} an object that it is creating"),
                    Evidence(text, point_of(frame, line.line)),
                    finder.evidence_at_site(f"{finder.action} it after finding it there"),
                )
                match = RuleMatch(_PUBLISHED_CONFIDENCE, evidence, change, context.change_points, from_source=True)
                return match if in_map is keyed else None
            names = _result_names_in_caller(maker, frame)
    return None


def _object_names(here: FunctionFacts) -> set[str]:
    """The names of the object in the function that creates it."""
    match = _OBJECT_CREATION.search(here.text)
    written = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    return {match[1]} if match else {n for n in written if n in here.declarations}


def _result_names_in_caller(maker: RaceSide, callee_frame: Frame) -> set[str]:
    """The caller's name for what a function returned: `p, err := parse(key)`."""
    for (frame, callee), (_, facts) in pairwise(maker.call_chain):
        if frame == callee_frame:
            calls = [c for c in facts.calls if c.name == callee.function and c.line == facts.line]
            return {c.result.partition(",")[0].strip() for c in calls} - {"", "_"}
    return set()


def _container_stores(
    context: RaceContext, frame: Frame, facts: FunctionFacts, names: set[str]
) -> Iterator[tuple[FunctionFacts, bool]]:
    """The lines from this one on that store such a name in a slice or a map."""
    if not names:
        return
    for call in facts.calls[:100]:
        arguments = {part.strip(" &.") for part in call.arguments.split(",")[1:]}
        if call.name == "append" and call.line >= facts.line and arguments & names:
            line = context.function_at(frame, call.line)
            if line and not line.locks_held and "." in call.result:
                yield line, False
    for use in [u for u in facts.stores if u.line >= facts.line and len(u.path) > 1][:_MAX_STORES]:
        line = context.function_at(frame, use.line)
        if line and not line.locks_held and any(re.search(_MAP_STORE % re.escape(n), line.text) for n in names):
            yield line, True

"""Containers and library types that are not safe for concurrent use; slices; publication in a container."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.model import Origin
from deadheat.symbols import read_frame_list

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
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


# "append(r.rows, row)", "append(*to, v)", "append((*h).items, x)"
APPEND_CALL = re.compile(r"\bappend\(\s*\(?\*?\(?([\w.\[\]]{1,100})\)?\s*[,)]")
# "q.items = q.items[1:]", "d.rows = d.rows[:n-1]"
_RESLICE = re.compile(r"(?<![=!<>:])=\s{0,9}([\w.]{1,80})\[[^\]:]{0,80}:")


_MAX_CALLERS = 3  # callers further out store other objects
_MAX_STORES = 6  # stores per function that are examined

"""Which C++ library container a frame belongs to, by its class or, failing that, by its header.

Inlined frames often have a bare name: `_M_get_node` in `stl_tree.h`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

MAP, ROW = "map", "row"
_LONG = 600  # the class is within this prefix
# "map", "unordered_multimap", "_Rb_tree", "_Rb_tree_increment", "_Hashtable", "__hash_table"
_MAPS = re.compile(
    r"(?:unordered_)?(?:multi)?map|_Rb_tree\w{0,40}|_Hashtable\w{0,20}|_Node_iterator\w{0,20}"
    r"|__(?:tree|hash_table)\w{0,20}|hash_map"
)
# "vector", "deque", "array", "_Vector_base", "__split_buffer"
_ROWS = re.compile(
    r"vector|deque|array|_(?:Vector|Deque|Bvector)_base|__(?:vector_base|split_buffer)"
)
# "/usr/include/c++/12/bits/stl_tree.h", "stl_map.h" (Valgrind), "/usr/include/c++/v1/__hash_table"
_MAP_FILES = re.compile(
    r"(?:^|/)(?:stl_(?:tree|map|multimap)\.h|hashtable(?:_policy)?\.h|unordered_map\.h|__tree"
    r"|__hash_table|v1/(?:unordered_)?map)$"
)
_ROW_FILES = re.compile(
    r"(?:^|/)(?:stl_(?:vector|deque|bvector)\.h|(?:vector|deque)\.tcc|__split_buffer"
    r"|v1/(?:vector|deque))$"
)


def shown(side: Side, kind: str) -> Frame | None:
    """The first frame above the site that belongs to a container of that kind."""
    for frame in side.inner:
        if container(frame.function, frame.file) == kind:
            return frame
    return None


@lru_cache(maxsize=1 << 12)
def container(function: str, file: str) -> str:
    """`map` or `row` for code of such a container; "" for other code, even if it names one."""
    names = _classes(function)
    if len(names) == 1 and file:
        return MAP if _MAP_FILES.search(file) else ROW if _ROW_FILES.search(file) else ""
    if names[0] not in ("std", "__gnu_cxx"):
        return ""
    if any(_MAPS.fullmatch(name) for name in names[1:]):
        return MAP
    return ROW if any(_ROWS.fullmatch(name) for name in names[1:]) else ""


def _classes(function: str) -> list[str]:
    """`std`, `map`, `find` of `int std::map<int, std::vector<int> >::find(int)`: without brackets."""
    kept: list[str] = []
    depth = 0
    for letter in function[:_LONG]:
        if letter == "(" and not depth:
            break
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(letter)
    return "".join(kept).rpartition(" ")[2].split("::")

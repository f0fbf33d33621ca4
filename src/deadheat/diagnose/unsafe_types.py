"""Types that are not safe for concurrent use, from `unsafe.types.txt`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.model import Origin
from deadheat.symbols import frame_lists

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# "	data  bytes.Buffer", "*rand.Rand", "http.Header"
_DECLARED = re.compile(r"\*?(\w+)\.(\w+)\b")


# implementations of readers and writers that are safe: "os.(*File).Read", "poll.(*FD).Close"
_SAFE = ("os.(*File).", "os.(*file).", "net.(*", "poll.(*FD).")
# "exec.(*Cmd).Wait": an exported type; "fmt.(*pp).printValue" only reads its arguments
_OWN = re.compile(r"(\w{1,80})\.\(\*([A-Z]\w{0,80})\)\.")
_ORDERING = ("sync", "atomic", "context", "time", "reflect")
_LONG = 400  # the type is within this prefix


def _without_result(function: str) -> str:
    """`std::vector<int>::at(int)` of `std::function<void ()>& std::vector<int>::at(int)`."""
    depth = start = 0
    for at, letter in enumerate(function[:_LONG]):
        if letter == "(" and not depth:
            return function[start:]
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth -= 1
        elif letter == " " and not depth:
            start = at + 1
    return function


_LISTS = frame_lists.read("unsafe.types.txt", "deadheat.diagnose")
_PAIRS = [line.partition("=>") for lines in _LISTS.values() for line in lines]
_TYPES = {begins.strip(): name.strip() for begins, _, name in _PAIRS}
_NAMES = {name.rpartition("/")[2]: name for name in _TYPES.values()}


@lru_cache(maxsize=1 << 12)
def named(text: str) -> str:
    """The unsafe type that a frame's function or a declaration belongs to; "" for others."""
    text = _without_result(text)
    for begins, name in _TYPES.items():
        if text.startswith(begins):
            return name
    declared = _DECLARED.match(text.strip())
    return _NAMES.get(f"{declared[1]}.{declared[2]}", "") if declared else ""


def of_both(scene: Scene) -> str:
    """The Go library type in whose own methods both sides are: its methods race, so it is not safe.

    This covers types that the list does not name.
    """
    found = {_type_of(side) for side in scene.sides} if scene.go and scene.both else set()
    return found.pop() if len(found) == 1 else ""


def _type_of(side: Side) -> str:
    """`exec.Cmd` for an access in the frame `exec.(*Cmd).Wait`."""
    top = side.inner[0] if side.inner else None
    if top is None or top.origin is not Origin.STDLIB or top.function.startswith(_SAFE):
        return ""
    told = _OWN.match(top.function)
    return f"{told[1]}.{told[2]}" if told and told[1] not in _ORDERING else ""


def given(side: Side, frame: Frame) -> bool:
    """Did it only reach its argument: `json.NewEncoder(w).Encode(row)`, or a file?"""
    above = side.inner[: side.inner.index(frame)]
    return any(f.function.startswith(("reflect.", *_SAFE)) for f in above)

"""Functions as they are shown to people: short, and never without their name.

Fingerprints, JSON and titles use the names of the language modules; nothing here changes an id.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.model import Origin
from deadheat.symbols import native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Frame

# frames that are folded where frames of the program are known
LIBRARY_ORIGINS = (Origin.RUNTIME, Origin.STDLIB, Origin.TEST, Origin.GENERATED)
_ELLIPSIS = "…"


@lru_cache(maxsize=1 << 13)
def display_function(function: str) -> str:
    """`Cache::get(…)` for `int Cache::get<int>(int, char const*) const`; a name of Go or C is unchanged."""
    if not _is_signature(function):
        return function
    source_name, is_closure = native.split_closure(function)
    if is_closure:
        kind = "closure" if "closure" in function else "lambda"
        return kind if source_name == "{lambda}" else f"{kind} in {source_name}"
    parameters = native.has_parameters(function)
    return source_name if parameters is None else f"{source_name}({_ELLIPSIS if parameters else ''})"


def _is_signature(function: str) -> bool:
    """Whether a symbol is one of C++, Rust, Swift or Objective-C: those of Go have no `::` and no parameters."""
    last = function[-1:]
    return "::" in function or last in ")]}" or function.startswith("closure #") or ") const" in function


def shorten_function(function: str, width: int) -> str:
    """The name within a width. Its scopes are cut first: `…::Cart::add(…)`, `(*Cart).Add`."""
    name = display_function(function)
    if len(name) <= width:
        return name
    separator = "::" if "::" in name else "."
    parts = name.split(separator)
    for start in range(1, len(parts)):
        tail = separator.join(parts[start:])
        # the package of a Go function is next to it, in the path of its file
        prefix = "" if tail[:1] == "(" else f"{_ELLIPSIS}{separator if separator == '::' else ''}"
        if len(prefix) + len(tail) <= width:
            return f"{prefix}{tail}"
    tail = parts[-1]
    return tail if len(tail) <= width else tail[: max(1, width - 1)] + _ELLIPSIS


def shorten_path(path: str, width: int) -> str:
    """A path within a width; the end is kept, because it has the file name and the line."""
    return path if len(path) <= width else _ELLIPSIS + path[len(path) + 1 - width :]


class FoldedStack:
    """A stack as it is shown: the frames of the program, and what was left out.

    `operation` is the function of a library that the first shown frame calls, such as `runtime.mapassign_faststr`.
    """

    __slots__ = ("frames", "operation", "stale_count")

    def __init__(self, stack: Sequence[Frame]) -> None:
        valid = [frame for frame in stack if not frame.stale]
        own = [frame for frame in valid if frame.origin not in LIBRARY_ORIGINS]
        self.frames = own or valid or list(stack)
        self.stale_count = len(stack) - len(valid) if valid else 0
        first = valid.index(own[0]) if own else 0
        self.operation = valid[first - 1].function if first else ""


def folded_stack(stack: Sequence[Frame]) -> FoldedStack:
    """Leaves out the frames of libraries, runtimes, test runners and generated code, unless there are no others."""
    return FoldedStack(stack)

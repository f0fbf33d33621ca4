"""Symbols and paths of C, C++, Rust and Swift: what to call a function, and whose code it is."""

from __future__ import annotations

import re

from deadheat.model import Frame, Origin

# where compilers keep headers and libraries; "/usr/include/c++/12/bits/invoke.h"
_SYSTEM = re.compile(r"/usr/(?:include|lib)/|/rustc/|/build/glibc|(?:^|/)sysdeps/")


def frame(function: str, path: str, line: int | None) -> Frame:
    """A frame from its printed parts."""
    origin = Origin.STDLIB if _SYSTEM.search(path) else Origin.USER
    return Frame(function, "", path, line, origin, path)


def parent(function: str) -> str:
    """The function that a programmer wrote: no parameters, template arguments or clones."""
    return function.partition("(")[0]


def key(frame: Frame) -> str:
    """What stays of a frame's function when lines and versions change."""
    return parent(frame.function)

"""Linux kernel symbols and paths: names of functions, origin of frames."""

from __future__ import annotations

import re
from functools import lru_cache

from deadheat.model import Frame, Origin
from deadheat.symbols import frame_lists
from deadheat.text.late import regex

_LISTS = frame_lists.read("kernel.frames.txt")
_TOPS = frozenset(_LISTS["tops"])


def _names(group: str) -> re.Pattern[str]:
    entries = (re.escape(e).replace(r"\*", r"[\w.]*") for e in _LISTS[group])
    return regex("(?:" + "|".join(entries) + ")$")


_ENTRY = _names("entry")
_TEST = _names("test")
_INSTRUMENTATION = regex("|".join(map(re.escape, _LISTS["instrumentation"])))
_NO_INSTRUMENTATION = _LISTS["not-instrumentation"]
# suffixes of functions that the compiler split or cloned: "vfs_kern_mount.part.0",
# "pollwake.constprop.0.isra.0", "kcsan_report.cold", "f.llvm.1203"
_CLONE = regex(
    r"(?:\.(?:isra|constprop|part|cold|llvm|lto_priv|clone|localalias|specialized)(?:\.\d+)*)+$"
)


def parent(function: str) -> str:
    """The function as written in the source, without compiler-generated suffixes."""
    return _CLONE.sub("", function) if "." in function else function


def key(frame: Frame) -> str:
    """The function name for fingerprints.

    The file is only known in symbolized reports, and the same code may be a module or built in.
    """
    return parent(frame.function)


@lru_cache(maxsize=1 << 13)
def is_instrumentation(function: str) -> bool:
    """Is this a function of the detector, which is never named in a title?"""
    if any(name in function for name in _NO_INSTRUMENTATION):
        return False
    return _INSTRUMENTATION.search(function) is not None


def origin(function: str) -> Origin:
    """The origin of a frame, from its name, as the file is only known in symbolized reports."""
    if is_instrumentation(function) or _ENTRY.match(function):
        return Origin.RUNTIME
    return Origin.TEST if _TEST.match(function) else Origin.USER


def relative(path: str) -> str:
    """The path in the source tree: `/build/linux-6.1/kernel/signal.c` is `kernel/signal.c`."""
    path = path.removeprefix("./")
    parts = path.split("/")
    roots = [i for i, part in enumerate(parts[:-1]) if part in _TOPS]
    if not roots or roots[0] == 0:
        return path
    named = (i for i in roots if "linux" in parts[i - 1] or "kernel" in parts[i - 1])
    return "/".join(parts[next(named, roots[0]) :])


def frame(function: str, path: str = "", line: int | None = None, module: str = "") -> Frame:
    """Make a frame from its printed parts."""
    return Frame(function, module, relative(path), line, origin(function), path)

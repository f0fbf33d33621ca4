"""Linux kernel symbols and paths: names of functions, origin of frames."""

from __future__ import annotations

import re
from functools import lru_cache

from deadheat.model import Frame, Origin
from deadheat.symbols import read_frame_list
from deadheat.text import lazy_compile

_FRAME_LISTS = read_frame_list("kernel.frames.txt")
_SOURCE_FOLDERS = frozenset(_FRAME_LISTS["tops"])


def _name_pattern(group: str) -> re.Pattern[str]:
    entries = (re.escape(entry).replace(r"\*", r"[\w.]*") for entry in _FRAME_LISTS[group])
    return lazy_compile("(?:" + "|".join(entries) + ")$")


_ENTRY_FUNCTION = _name_pattern("entry")
_TEST_FUNCTION = _name_pattern("test")
_INSTRUMENTATION = lazy_compile("|".join(map(re.escape, _FRAME_LISTS["instrumentation"])))
_NOT_INSTRUMENTATION = _FRAME_LISTS["not-instrumentation"]
# suffixes of functions that the compiler split or cloned: "vfs_kern_mount.part.0", "pollwake.constprop.0.isra.0",
# "kcsan_report.cold", "f.llvm.1203"
_CLONE_SUFFIX = lazy_compile(
    r"(?:\.(?:isra|constprop|part|cold|llvm|lto_priv|clone|localalias|specialized)(?:\.\d+)*)+$"
)


def source_function(function: str) -> str:
    """The function as written in the source, without compiler-generated suffixes."""
    return _CLONE_SUFFIX.sub("", function) if "." in function else function


def function_key(frame: Frame) -> str:
    """The function name for fingerprints; the file is only known in symbolized reports."""
    return source_function(frame.function)


# the name of a function is unique
site_key = function_key


@lru_cache(maxsize=1 << 13)
def is_instrumentation(function: str) -> bool:
    """Is this a function of the detector, which is never named in a title?"""
    if any(name in function for name in _NOT_INSTRUMENTATION):
        return False
    return _INSTRUMENTATION.search(function) is not None


def find_origin(function: str) -> Origin:
    """The origin of a frame, from its name, as the file is only known in symbolized reports."""
    if is_instrumentation(function) or _ENTRY_FUNCTION.match(function):
        return Origin.RUNTIME
    return Origin.TEST if _TEST_FUNCTION.match(function) else Origin.USER


def relative_path(path: str) -> str:
    """The path in the source tree: `/build/linux-6.1/kernel/signal.c` is `kernel/signal.c`."""
    path = path.removeprefix("./")
    parts = path.split("/")
    starts = [i for i, part in enumerate(parts[:-1]) if part in _SOURCE_FOLDERS]
    if not starts or starts[0] == 0:
        return path
    kernel_roots = (i for i in starts if "linux" in parts[i - 1] or "kernel" in parts[i - 1])
    return "/".join(parts[next(kernel_roots, starts[0]) :])


def make_frame(function: str, path: str = "", line: int | None = None, module: str = "") -> Frame:
    """Make a frame from its printed parts."""
    return Frame(function, module, relative_path(path), line, find_origin(function), path)

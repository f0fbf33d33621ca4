"""C, C++, Rust and Swift symbols and paths: names of functions, origin of frames."""

from __future__ import annotations

import re
from functools import lru_cache

from deadheat.model import Frame, Origin
from deadheat.symbols import cpp, frame_lists, itanium, rust, swift
from deadheat.text.late import regex

_LISTS = frame_lists.read("native.frames.txt")
_NAMELESS = frozenset(_LISTS["nameless"])
_ANONYMOUS = "(anonymous namespace)"
NO_PATH = frozenset(("", "<null>", "??", "???", "<unknown>"))


def _names(group: str) -> re.Pattern[str]:
    """A pattern for names, and for prefixes of names where an entry ends in an asterisk."""
    entries = _LISTS[group]
    whole = "|".join(re.escape(e) for e in entries if e[-1] != "*")
    begun = "|".join(re.escape(e[:-1]) for e in entries if e[-1] == "*")
    # "free", "pthread_create@@GLIBC_2.34"; a C++ function with this name would have parameters
    return regex(rf"(?:{whole or '(?!)'})(?:$|@)|(?:{begun or '(?!)'})")


def _pieces(group: str) -> re.Pattern[str]:
    return regex("|".join(map(re.escape, _LISTS[group])))


_RUNTIME, _STDLIB, _TEST = map(_names, ("runtime", "stdlib", "test"))
_WHERE = (
    (_pieces("runtime-paths"), Origin.RUNTIME),
    (_pieces("test-paths"), Origin.TEST),
    (_pieces("stdlib-paths"), Origin.STDLIB),
)
# a module is the file name of a library: "libstdc++.so.6", "libc.so.6"
_MODULES = (
    (_pieces("runtime-modules"), Origin.RUNTIME),
    (_pieces("stdlib-modules"), Origin.STDLIB),
)
# source roots of build systems, package managers and compilers:
# "/proc/self/cwd/shop/cart.cc", "external/com_google_absl/absl/x.h", "bazel-out/k8-dbg/bin/x.pb.cc"
_ROOT = regex(
    r".{0,300}/\.?cargo/(?:registry/src|git/checkouts)/[^/]{1,100}/[^/]{1,100}/"
    r"|/rustc/[^/]{1,60}/|.{0,300}/rustlib/src/rust/|\./"
    r"|(?:/proc/self/cwd/|.{0,300}/execroot/[^/]{1,100}/)?"
    r"(?:bazel-out/[^/]{1,100}/(?:bin|genfiles)/)?(?:external/[^/]{1,200}/)?"
)
_GENERATED = frozenset(("<compiler-generated>", "<built-in>", "<artificial>"))
# "void (_)(int)" is "void (*)(int)" with the asterisk lost in Markdown
_LOST_STAR = regex(r"\(_(?= ?(?:\)|const\)))")


def frame(function: str, path: str, line: int | None, module: str = "") -> Frame:
    """Make a frame from its printed parts; `module` is its binary, if known."""
    function = readable(function)
    if "\\" in path:
        path = path.replace("\\", "/")
    return Frame(
        function, _crate(function, path), relative(path), line, origin(function, path, module), path
    )


@lru_cache(maxsize=1 << 13)
def readable(function: str) -> str:
    """The demangled name, without a hash."""
    if function[:2] in ("_R", "__"):
        function = rust.demangled(function)
    if "_Z" in function[:4]:
        plain = rust.demangled(function)
        function = plain if plain != function else itanium.demangled(function)
    elif "$" in function or "::h" in function:
        plain = rust.demangled(function)
        function = plain if plain != function else swift.demangled(function)
    return _LOST_STAR.sub("(*", function) if "(_" in function else function


def _crate(function: str, path: str) -> str:
    """The crate of a Rust function; empty for other languages."""
    if not path.endswith(".rs"):
        return ""
    head, colons, _ = parent(function).lstrip("<&").partition("::")
    return head if colons and head.isidentifier() else ""


def relative(path: str) -> str:
    """The path relative to its project root if that is known, else as printed."""
    match = _ROOT.match(path)
    return path[match.end() :] if match and match.end() < len(path) else path


@lru_cache(maxsize=1 << 13)
def origin(function: str, path: str, module: str = "") -> Origin:
    """The origin of a frame, from its path, else from its binary, else from its name."""
    if path in _GENERATED:
        return Origin.GENERATED
    if _TEST.match(function):
        return Origin.TEST
    if path not in NO_PATH:
        rooted = f"/{path}"  # some are printed without the root: "nptl/pthread_create.c"
        told = next((whose for where, whose in _WHERE if where.search(rooted)), Origin.USER)
        return Origin.RUNTIME if told is Origin.STDLIB and _RUNTIME.match(function) else told
    if _RUNTIME.match(function):
        return Origin.RUNTIME
    for modules, whose in _MODULES:
        if modules.match(module):
            return whose
    # "void std::__invoke_impl<…>(…) <null>": gcc prints the return type of templates
    known = _STDLIB.match(function) or _STDLIB.match(parent(function))
    return Origin.STDLIB if known else Origin.USER


@lru_cache(maxsize=1 << 13)
def parent(function: str) -> str:
    """The function as written, without parameters, template arguments, closures and clones."""
    if swift.is_swift(plain := cpp.without_clones(function)):
        return swift.parent(plain) or function
    return cpp.parent(plain) or function


def key(frame: Frame) -> str:
    """The function name for fingerprints, independent of lines and versions."""
    name = parent(frame.function)
    if _ANONYMOUS in name:
        # gcc omits the scope of such a function
        name = name.rpartition("::")[2]
    if name in _NAMELESS or name.startswith("operator"):
        return f"{name} {frame.file.rpartition('/')[2]}"
    return name

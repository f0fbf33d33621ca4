"""Rust symbols and paths as the compiler prints them: names of functions, origin of frames."""

from __future__ import annotations

from functools import lru_cache

from deadheat.model import Frame, Origin
from deadheat.text.late import regex

UNNAMED = "??"
# names of functions without a name
_NAMELESS = frozenset(("", UNNAMED, "closure"))
# "main::{closure#1}", "run::{async_fn_env#0}": closures in a function
_CLOSURE = regex(r"(?:::\{[^{}]{1,100}\})+$")
# "std::rt::lang_start::h0123456789abcdef"; "...::call_once - shim(vtable)"
_TAIL = regex(r"::h[0-9a-f]{16}$| - shim.{0,200}$")
# "<shop::Cart as core::ops::Drop>::drop" is in crate "shop"
_CRATE = regex(r"[<&*(\[]{0,4}(?:mut |dyn )?([A-Za-z_]\w*)::")
_STANDARD = frozenset(("std", "core", "alloc"))
# "/home/u/.rustup/toolchains/nightly/lib/rustlib/src/rust/library/core/src/option.rs",
# "/rustc/9fc6b43126469e38/library/std/src/thread/mod.rs"
_LIBRARY = regex(r"(?:^|/(?:rustlib/src/rust|rustc/[0-9a-f.]{4,64})/)(library/.+)$")
# "/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/rayon-core-1.9.3/src/registry.rs"
_DEPENDENCY = regex(r"/(?:registry/src/[^/]+/[^/]+|git/checkouts/[^/]+/[^/]+)/(.+)$")
# the source folders of a crate
_BELOW_CRATE = regex(r"(?:^|/)((?:src|tests|examples|benches)/.+)$")


@lru_cache(maxsize=1 << 12)
def parent(function: str) -> str:
    """The function as written in the source, without closures, type arguments and hash."""
    if function in _NAMELESS:
        return ""
    return _CLOSURE.sub("", without_arguments(_TAIL.sub("", function)))


def without_arguments(text: str) -> str:
    """Remove type arguments: `Option::<u8>::as_ref` becomes `Option::as_ref`."""
    out: list[str] = []
    depth = 0
    for at, char in enumerate(text):
        if char == "<" and (depth or (at and (text[at - 1] == ":" or text[at - 1].isalnum()))):
            depth += 1
            if depth == 1 and out[-2:] == [":", ":"]:
                del out[-2:]
        elif char == ">" and depth and text[at - 1] != "-":
            depth -= 1
        elif not depth:
            out.append(char)
    return "".join(out)


def key(frame: Frame) -> str:
    """The function; without a name, the file relative to the crate root."""
    name = parent(frame.function)
    if name:
        return name
    below = _BELOW_CRATE.search(frame.file)
    return f"? {below[1] if below else frame.file}"


def relative(path: str) -> str:
    """The path relative to its crate or to the library if that is known, else as printed."""
    for pattern in (_LIBRARY, _DEPENDENCY):
        if match := pattern.search(path):
            return match[1]
    return path.removeprefix("./")


def origin(crate: str, file: str) -> Origin:
    """The origin of a frame."""
    if file.startswith("library/test/") or crate == "test":
        return Origin.TEST
    if file.startswith("library/") or (not file and crate in _STANDARD):
        return Origin.STDLIB
    return Origin.USER


def frame(function: str, path: str, line: int | None) -> Frame:
    """Make a frame from its printed parts."""
    path = path.replace("\\", "/")
    match = _CRATE.match(function)
    crate = match[1] if match else ""
    file = relative(path)
    return Frame(function, crate, file, line, origin(crate, file), path)

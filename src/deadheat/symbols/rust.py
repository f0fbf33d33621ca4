"""Rust symbols and paths as the compiler prints them: names of functions, origin of frames."""

from __future__ import annotations

from functools import lru_cache

from deadheat.model import Frame, Origin
from deadheat.text import lazy_compile

UNNAMED_FUNCTION = "??"
# names of functions without a name
_UNNAMED_FUNCTIONS = frozenset(("", UNNAMED_FUNCTION, "closure"))
# "main::{closure#1}", "run::{async_fn_env#0}": closures in a function
_CLOSURE_SUFFIX = lazy_compile(r"(?:::\{[^{}]{1,100}\})+$")
# "std::rt::lang_start::h0123456789abcdef"; "...::call_once - shim(vtable)"
_HASH_OR_SHIM = lazy_compile(r"::h[0-9a-f]{16}$| - shim.{0,200}$")
# "<shop::Cart as core::ops::Drop>::drop" is in crate "shop"
_CRATE_NAME = lazy_compile(r"[<&*(\[]{0,4}(?:mut |dyn )?([A-Za-z_]\w*)::")
_STANDARD_CRATES = frozenset(("std", "core", "alloc"))
# "/home/u/.rustup/toolchains/nightly/lib/rustlib/src/rust/library/core/src/option.rs",
# "/rustc/9fc6b43126469e38/library/std/src/thread/mod.rs"
_LIBRARY_PATH = lazy_compile(r"(?:^|/(?:rustlib/src/rust|rustc/[0-9a-f.]{4,64})/)(library/.+)$")
# "/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/rayon-core-1.9.3/src/registry.rs"
_DEPENDENCY_PATH = lazy_compile(r"/(?:registry/src/[^/]+/[^/]+|git/checkouts/[^/]+/[^/]+)/(.+)$")
# the source folders of a crate
_PATH_BELOW_CRATE = lazy_compile(r"(?:^|/)((?:src|tests|examples|benches)/.+)$")


@lru_cache(maxsize=1 << 12)
def source_function(function: str) -> str:
    """The function as written in the source, without closures, type arguments and hash."""
    if function in _UNNAMED_FUNCTIONS:
        return ""
    return _CLOSURE_SUFFIX.sub("", strip_type_arguments(_HASH_OR_SHIM.sub("", function)))


def strip_type_arguments(text: str) -> str:
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


def function_key(frame: Frame) -> str:
    """The function; without a name, the file relative to the crate root."""
    name = source_function(frame.function)
    if name:
        return name
    match = _PATH_BELOW_CRATE.search(frame.file)
    return f"? {match[1] if match else frame.file}"


# the name of a function is unique
site_key = function_key


def relative_path(path: str) -> str:
    """The path relative to its crate or to the library if that is known, else as printed."""
    for pattern in (_LIBRARY_PATH, _DEPENDENCY_PATH):
        if match := pattern.search(path):
            return match[1]
    return path.removeprefix("./")


def find_origin(crate: str, file: str) -> Origin:
    """The origin of a frame."""
    if file.startswith("library/test/") or crate == "test":
        return Origin.TEST
    if file.startswith("library/") or (not file and crate in _STANDARD_CRATES):
        return Origin.STDLIB
    return Origin.USER


def make_frame(function: str, path: str, line: int | None) -> Frame:
    """Make a frame from its printed parts."""
    path = path.replace("\\", "/")
    match = _CRATE_NAME.match(function)
    crate = match[1] if match else ""
    file = relative_path(path)
    return Frame(function, crate, file, line, find_origin(crate, file), path)

"""C, C++, Rust and Swift symbols and paths: the function as written, and the origin of a frame."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.model import Frame, Origin
from deadheat.symbols import demangle, read_frame_list
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Access, Actor

_ANONYMOUS_NAMESPACE = "(anonymous namespace)"
# operators with brackets; replaced by a placeholder while brackets are removed
_BRACKET_OPERATORS = (
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">",
    " new[]", " delete[]",
)  # fmt: skip
_OPERATOR_NAME = lazy_compile(r"\boperator(?:" + "|".join(map(re.escape, _BRACKET_OPERATORS)) + ")")
_PLACEHOLDERS = {text: chr(0xE000 + i) for i, text in enumerate((_ANONYMOUS_NAMESPACE, *_BRACKET_OPERATORS))}
_ORIGINAL_TEXTS = {ord(char): text for text, char in _PLACEHOLDERS.items()}
_ARROW_PLACEHOLDER = "\ue0ff"
_OPENING_BRACKETS = {")": "(", ">": "<", "]": "["}
# "foo.isra.0", "foo.constprop.0.cold", "main._omp_fn.0", "f(int) [clone .part.0]", "f(int) (.cold)"
_CLONE_SUFFIX = lazy_compile(
    r"(?: ?[(\[]?(?:clone )?\.(?:isra|constprop|part|cold|llvm|lto_priv|localalias|_omp_fn"
    r"|omp_outlined(?:_debug__)?|actor|destroy|resume|cleanup|warm|unlikely)(?:[.$]\d{1,20}){0,3}"
    r"[)\]]?|@{1,2}[A-Z][\w.]{1,40}){1,6}$"
)
# after the parameters
_QUALIFIERS = lazy_compile(r"(?: const| volatile| &&?| noexcept)+$")
# closures and similar code in the part of the name before them; without brackets:
# "{lambda#1}", "$_0", "'lambda0'", "{closure#0}", "{{closure}}", "{async_fn#0}", "{shim:vtable#0}"
_NESTED_PART = lazy_compile(r"\{.*\}$|\$_\d{0,6}$|'(?:lambda|unnamed|block-literal)\d{0,6}'|_FUN$|<lambda")
# version namespaces of libc++ and libstdc++
_STD_VERSION = lazy_compile(r"\bstd::(?:__1|__cxx11|__ndk1|__debug|_V2)::")
# "__20-[Cart add:]_block_invoke_2", "__main_block_invoke"
_BLOCK_INVOKE = lazy_compile(r"_{1,3}(?:\d{1,4}(?=[-+]\[))?(.{1,400}?)_block_invoke(?:_\d{1,6})?$")


def cpp_source_function(name: str) -> str:
    """`shop::Cart::add` for `void shop::Cart::add<int>(int) const::{lambda()#1}::operator()()`."""
    return _split_nested_parts(name)[0]


def _split_nested_parts(name: str) -> tuple[str, bool]:
    """The function as written, and whether the symbol is a closure or block in it."""
    block = _BLOCK_INVOKE.match(name)
    if block:
        name = block[1]
    if name[:2] in ("-[", "+[") or name in ("<null>", "<unknown>"):
        return name, block is not None  # Objective-C, or no name
    masked = name.replace(_ANONYMOUS_NAMESPACE, _PLACEHOLDERS[_ANONYMOUS_NAMESPACE])
    masked = _OPERATOR_NAME.sub(lambda match: "operator" + _PLACEHOLDERS[match[0][len("operator") :]], masked)
    masked = masked.replace("->", _ARROW_PLACEHOLDER)
    if masked[:1] == "<":
        masked = _strip_trait_cast(masked)
    stripped = _QUALIFIERS.sub("", _strip_brackets(masked).strip())
    parts = [part for part in _strip_return_type(stripped).split("::") if part]
    first_nested = next((i for i, part in enumerate(parts) if _NESTED_PART.match(part)), len(parts))
    source_name = "::".join(parts[:first_nested]) or ("{lambda}" if parts else "")
    source_name = _STD_VERSION.sub("std::", source_name.translate(_ORIGINAL_TEXTS).replace(_ARROW_PLACEHOLDER, "->"))
    return source_name, block is not None or first_nested < len(parts)


def _strip_trait_cast(name: str) -> str:
    """Rust's `<shop::Cart<T> as shop::Bill>::total` becomes `shop::Cart<T>::total`."""
    end = _find_closing(name, 0)
    inner = name[1:end]
    depth = 0
    for at, char in enumerate(inner):
        depth += (char in "<(") - (char in ">)")
        if not depth and inner.startswith(" as ", at):
            inner = inner[:at]
            break
    if inner.startswith(("lambda", "fn(")):
        inner = "{lambda}" if inner[0] == "l" else "fn"
    return inner.lstrip("&*").removeprefix("mut ") + name[end + 1 :]


def _find_closing(name: str, at: int) -> int:
    """The index where the bracket at `at` closes."""
    depth = 0
    for i in range(at, len(name)):
        depth += (name[i] == "<") - (name[i] == ">")
        if not depth:
            return i
    return len(name)


def _strip_brackets(name: str) -> str:
    """The name without parameters, template arguments and ABI tags."""
    out: list[str] = []
    open_: list[str] = []
    for char in name:
        if char in "(<[":
            open_.append(char)
        elif char in ")>]":
            _close_bracket(open_, _OPENING_BRACKETS[char])
        elif not open_:
            out.append(char)
    return "".join(out)


def _close_bracket(open_: list[str], opener: str) -> None:
    """Close a bracket. `>` in parentheses is an operator; `)` also closes brackets opened after it."""
    if opener == "<":
        if open_ and open_[-1] == "<":
            open_.pop()
        return
    while open_ and open_.pop() != opener:
        pass


def _strip_return_type(name: str) -> str:
    """The name without its return type: `void shop::apply`, but not `operator unsigned long`."""
    at = name.find("operator")
    if at >= 0 and (at == 0 or name[at - 1] in ": ") and not name[at + 8 : at + 9].isalnum():
        return name[:at].rpartition(" ")[2] + name[at:]
    brace = name.find("{")
    head = name[:brace] if brace >= 0 else name
    return head.rpartition(" ")[2] + name[len(head) :]


# "$s4Shop4CartC3addyySiF", on a Mac "_$s…"; "$S" up to Swift 4
_MANGLED_SWIFT = lazy_compile(r"_?\$[sS](?=\d)")
_NAME_LENGTH = lazy_compile(r"\d{1,4}")
# after a name: class, structure, enumeration, protocol, alias, end of an extension
_TYPE_KINDS = "CVOPaE"
# "closure #1 in ", "closure #2 (Swift.Int) -> () in ", "partial apply for ", "static "
_WRAPPER_PREFIX = lazy_compile(
    r"(?:(?:implicit )?closure #\d{1,6} (?:.{0,400}?\) -> .{1,200}? )?in "
    r"|\(\d{1,4}\) (?:await|suspend) resume partial function for "
    r"|partial apply (?:forwarder )?for |protocol witness for |reabstraction thunk helper for "
    r"|default argument \d{1,4} of |variable initialization expression of "
    r"|(?:generic|function signature) specialization .{0,300}? of "
    r"|static |class |merged |specialized |dispatch thunk of |outlined copy of |@objc |@nonobjc )"
)
_MAX_WRAPPERS = 12


def demangle_swift(symbol: str) -> str:
    """Demangle the leading names: `$s4Shop4CartC3addyySiF` is `Shop.Cart.add`."""
    match = _MANGLED_SWIFT.match(symbol)
    if match is None:
        return symbol
    names, at = [], match.end()
    while (number := _NAME_LENGTH.match(symbol, at)) and number[0][0] != "0":
        end = number.end() + int(number[0])
        if end > len(symbol):
            return symbol
        names.append(symbol[number.end() : end])
        at = end + (symbol[end : end + 1] in _TYPE_KINDS and symbol[end : end + 1] != "")
    return ".".join(names) if names else symbol


def is_swift_name(function: str) -> bool:
    """Is this a demangled Swift name? `Cart.add(_:)`, `closure #1 in main()`."""
    if "::" in function or function[:1] == "<":
        return False
    return _WRAPPER_PREFIX.match(function) is not None or "." in function.partition("(")[0]


def swift_source_function(function: str) -> str:
    """The function that contains a closure or thunk, without labels and type."""
    for _ in range(_MAX_WRAPPERS):
        match = _WRAPPER_PREFIX.match(function)
        if match is None:
            break
        function = function[match.end() :]
    return function.partition("(")[0].partition(" in conformance ")[0].partition(" -> ")[0].strip()


_FRAME_LISTS = read_frame_list("native.frames.txt")
_AMBIGUOUS_NAMES = frozenset(_FRAME_LISTS["nameless"])
NO_PATH = frozenset(("", "<null>", "??", "???", "<unknown>"))


def _name_pattern(group: str) -> re.Pattern[str]:
    """A pattern for names, and for prefixes of names where an entry ends in an asterisk."""
    entries = _FRAME_LISTS[group]
    full_names = "|".join(re.escape(entry) for entry in entries if entry[-1] != "*")
    prefixes = "|".join(re.escape(entry[:-1]) for entry in entries if entry[-1] == "*")
    # "free", "pthread_create@@GLIBC_2.34"; a C++ function with this name would have parameters
    return lazy_compile(rf"(?:{full_names or '(?!)'})(?:$|@)|(?:{prefixes or '(?!)'})")


def _substring_pattern(group: str) -> re.Pattern[str]:
    return lazy_compile("|".join(map(re.escape, _FRAME_LISTS[group])))


_RUNTIME_NAME, _STDLIB_NAME, _TEST_NAME = map(_name_pattern, ("runtime", "stdlib", "test"))
_ORIGIN_BY_PATH = (
    (_substring_pattern("runtime-paths"), Origin.RUNTIME),
    (_substring_pattern("test-paths"), Origin.TEST),
    (_substring_pattern("stdlib-paths"), Origin.STDLIB),
)
# a module is the file name of a library: "libstdc++.so.6", "libc.so.6"
_ORIGIN_BY_MODULE = (
    (_substring_pattern("runtime-modules"), Origin.RUNTIME),
    (_substring_pattern("stdlib-modules"), Origin.STDLIB),
)
# source roots of build systems, package managers and compilers:
# "/proc/self/cwd/shop/cart.cc", "external/com_google_absl/absl/x.h", "bazel-out/k8-dbg/bin/x.pb.cc"
_PROJECT_ROOT = lazy_compile(
    r".{0,300}/\.?cargo/(?:registry/src|git/checkouts)/[^/]{1,100}/[^/]{1,100}/"
    r"|/rustc/[^/]{1,60}/|.{0,300}/rustlib/src/rust/|\./"
    r"|(?:/proc/self/cwd/|.{0,300}/execroot/[^/]{1,100}/)?"
    r"(?:bazel-out/[^/]{1,100}/(?:bin|genfiles)/)?(?:external/[^/]{1,200}/)?"
)
_GENERATED_FILES = frozenset(("<compiler-generated>", "<built-in>", "<artificial>"))
# "void (_)(int)" is "void (*)(int)" with the asterisk lost in Markdown
_LOST_ASTERISK = lazy_compile(r"\(_(?= ?(?:\)|const\)))")


def make_frame(function: str, path: str, line: int | None, module: str = "") -> Frame:
    """Make a frame from its printed parts; `module` is its binary, if known."""
    function = readable_name(function)
    if "\\" in path:
        path = path.replace("\\", "/")
    origin = find_origin(function, path, module)
    return Frame(function, _crate_name(function, path), relative_path(path), line, origin, path)


@lru_cache(maxsize=1 << 13)
def readable_name(function: str) -> str:
    """The demangled name, without a hash."""
    if function[:2] in ("_R", "__"):
        function = demangle.demangle_rust(function)
    if "_Z" in function[:4]:
        demangled = demangle.demangle_rust(function)
        function = demangled if demangled != function else demangle.demangle_cpp(function)
    elif "$" in function or "::h" in function:
        demangled = demangle.demangle_rust(function)
        function = demangled if demangled != function else demangle_swift(function)
    return _LOST_ASTERISK.sub("(*", function) if "(_" in function else function


def _crate_name(function: str, path: str) -> str:
    """The crate of a Rust function; empty for other languages."""
    if not path.endswith(".rs"):
        return ""
    head, separator, _ = source_function(function).lstrip("<&").partition("::")
    return head if separator and head.isidentifier() else ""


def relative_path(path: str) -> str:
    """The path relative to its project root if that is known, else as printed."""
    match = _PROJECT_ROOT.match(path)
    return path[match.end() :] if match and match.end() < len(path) else path


@lru_cache(maxsize=1 << 13)
def find_origin(function: str, path: str, module: str = "") -> Origin:
    """The origin of a frame, from its path, else from its binary, else from its name."""
    if path in _GENERATED_FILES:
        return Origin.GENERATED
    if _TEST_NAME.match(function):
        return Origin.TEST
    if path not in NO_PATH:
        rooted = f"/{path}"  # some are printed without the root: "nptl/pthread_create.c"
        origin = next((candidate for pattern, candidate in _ORIGIN_BY_PATH if pattern.search(rooted)), Origin.USER)
        return Origin.RUNTIME if origin is Origin.STDLIB and _RUNTIME_NAME.match(function) else origin
    if _RUNTIME_NAME.match(function):
        return Origin.RUNTIME
    for module_pattern, candidate in _ORIGIN_BY_MODULE:
        if module_pattern.match(module):
            return candidate
    # "void std::__invoke_impl<…>(…) <null>": gcc prints the return type of templates
    is_stdlib = _STDLIB_NAME.match(function) or _STDLIB_NAME.match(source_function(function))
    return Origin.STDLIB if is_stdlib else Origin.USER


@lru_cache(maxsize=1 << 13)
def source_function(function: str) -> str:
    """The function as written, without parameters, template arguments, closures and clones."""
    return split_closure(function)[0]


@lru_cache(maxsize=1 << 13)
def split_closure(function: str) -> tuple[str, bool]:
    """The function as written, and whether the symbol is a closure in it."""
    name = strip_clone_suffix(function)
    if is_swift_name(name):
        return swift_source_function(name) or function, name.startswith(("closure #", "implicit closure #"))
    source_name, is_closure = _split_nested_parts(name)
    return source_name or function, is_closure


def strip_clone_suffix(function: str) -> str:
    """The symbol without what the compiler appends to clones and parts of a function."""
    # each suffix of a clone ends in one of these characters
    return _CLONE_SUFFIX.sub("", function) if function[-1:] in "0123456789)]d_pstery" else function


def has_parameters(function: str) -> bool | None:
    """Whether the printed parameters are not empty; None if the symbol is printed without a list of parameters."""
    name = _QUALIFIERS.sub("", strip_clone_suffix(function))
    if name[-1:] != ")" or name == "operator()":
        return None
    return not name.endswith("()")


def function_key(frame: Frame) -> str:
    """The function name for fingerprints, independent of lines and versions."""
    name = source_function(frame.function)
    if _ANONYMOUS_NAMESPACE in name:
        # gcc omits the scope of such a function
        name = name.rpartition("::")[2]
    if name in _AMBIGUOUS_NAMES or name.startswith("operator"):
        return f"{name} {frame.file.rpartition('/')[2]}"
    return name


_SOURCE_SUFFIXES = frozenset(
    ("c", "cc", "cpp", "cxx", "c++", "cu", "h", "hh", "hpp", "hxx", "inc", "m", "mm", "rs", "swift")
)


def site_key(frame: Frame) -> str:
    """`Cache::get (cache.cc)`: without its crate, a function of this name may be in several programs."""
    name, file = function_key(frame), source_file_name(frame)
    return name if frame.package or not file or name.endswith(f" {file}") else f"{name} ({file})"


def source_file_name(frame: Frame) -> str:
    """The base name of the source file. Without debug information it is "", because a frame may name its binary."""
    file = frame.file.rpartition("/")[2]
    is_source = frame.line is not None or file.rpartition(".")[2].lower() in _SOURCE_SUFFIXES
    return file if is_source else ""


def program_file_name(frame: Frame) -> str:
    """The base name of the binary that Valgrind prints for a frame without debug information; "" for a library."""
    name = frame.path.rpartition("/")[2]
    return name if frame.path[:1] == "/" and not source_file_name(frame) and ".so" not in name else ""


def name_without_file(key: str) -> str:
    """The `function_key` of a frame with this `site_key`."""
    return key.rpartition(" (")[0] if key.endswith(")") and " (" in key else key


# "shop::CartTest_Adds_Test::TestBody()" of GoogleTest, "CartTests.testAdd()" of XCTest
_TEST_FUNCTION = lazy_compile(
    r"(?:.{0,400}::)?(?P<suite>\w{1,200})_(?P<name>[A-Za-z0-9]{1,200})_Test::TestBody\(|"
    r"(?:\w{1,100}\.)?(?P<class>\w{1,200})\.(?P<method>test[A-Z0-9]\w{0,200})\("
)


def find_native_test(accesses: Iterable[Access], actors: Iterable[Actor]) -> str | None:
    """The test that contains an access or that started one of the threads."""
    stacks = [*(access.stack for access in accesses), *(actor.created_at for actor in actors)]
    for frame in (frame for stack in stacks for frame in stack):
        if match := _TEST_FUNCTION.match(frame.function):
            return f"{match['suite'] or match['class']}.{match['name'] or match['method']}"
    return None

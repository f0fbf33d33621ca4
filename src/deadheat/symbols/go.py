"""Go symbols and paths: package, closure and test of a function, origin and module root of a frame."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from deadheat.model import Frame, Origin
from deadheat.symbols import read_frame_list
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable

# cache of source functions; a dictionary is faster than `lru_cache`
_source_function_cache: Final[dict[str, str]] = {}
_MAX_CACHED_FUNCTIONS: Final = 1 << 10

# "(_Memberlist).Create" is "(*Memberlist).Create" with the asterisks lost in Markdown
_LOST_ASTERISK: Final = lazy_compile(r"\(_(?=[A-Za-z])")
# "yaml%2ev3": the compiler's escape for a dot in the last element of an import path
_ESCAPED_CHARACTER: Final = lazy_compile(r"%([0-9a-f]{2})")
# suffixes that the compiler appends for closures and wrappers in a function:
# "F.func1.2", "F.gowrap1", "F.deferwrap2", "F·dwrap·47", "F-fm", "F·fm", "F-range1", "func·024"
_NUMBERED_SUFFIXES: Final = (".func", ".gowrap", ".deferwrap", ".", "-range", "·dwrap·", "·")
_DIGITS: Final = "0123456789"
_METHOD_VALUE_SUFFIXES: Final = ("-fm", "·fm")
# "http.func·024", a closure of Go 1.4 and older
_OLD_CLOSURE: Final = lazy_compile(r"\.func·\d+$")
# "memberlist.*Memberlist.(github.com/hashicorp/memberlist.probe)·fm", a method value of Go 1.3
_OLD_METHOD_VALUE: Final = lazy_compile(r"([^.]+)\.[*_](\w+)\.\((?:\S*\.)?(\w+)\)·fm$")
_TEST_INITIALS: Final = ("T", "B", "E", "F")
_TEST_NAME: Final = lazy_compile(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])\w*$")


def split_symbol(symbol: str) -> tuple[str, str]:
    """Split a printed symbol into import path and function with package name, receiver and closure."""
    if "(_" in symbol:
        symbol = _LOST_ASTERISK.sub("(*", symbol)
    if "%" in symbol:
        return _split_escaped_symbol(symbol)
    slash = symbol.rfind("/")
    if slash > 0 and ("(" in symbol or "[" in symbol):
        # type arguments and receivers may contain import paths
        ends = [i for i in (symbol.find("("), symbol.find("[")) if i >= 0]
        slash = symbol.rfind("/", 0, min(ends))
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return "", symbol
    return symbol[:dot], symbol[slash + 1 :]


def find_last_slash(symbol: str) -> int:
    """The index of the last slash of the import path; a receiver may contain another path."""
    receiver = symbol.find("(")
    return symbol.rfind("/", 0, receiver) if receiver >= 0 else symbol.rfind("/")


def _split_escaped_symbol(symbol: str) -> tuple[str, str]:
    """Split a symbol in which an escaped dot is part of the package name."""
    package, function = split_symbol(symbol.replace("%2e", "\0").replace("%", "\1"))
    parts = (part.replace("\1", "%").replace("\0", "%2e") for part in (package, function))
    package, function = (_ESCAPED_CHARACTER.sub(lambda m: chr(int(m[1], 16)), part) for part in parts)
    return package, function


def source_function(function: str) -> str:
    """The function as written in the source, without closures, wrappers and type arguments."""
    # compiler-generated suffixes end in a digit or in "fm"
    if function[-1:].isdigit() or function[-2:] == "fm" or "[" in function:
        return _cached_source_function(function)
    return function


def _cached_source_function(function: str) -> str:
    """The same, for a name that may have such parts."""
    cached = _source_function_cache.get(function)
    if cached is None:
        if len(_source_function_cache) >= _MAX_CACHED_FUNCTIONS:
            _source_function_cache.clear()
        _source_function_cache[function] = cached = _strip_suffixes(function)
    return cached


def _strip_suffixes(function: str) -> str:
    name = strip_type_arguments(function) if "[" in function else function
    if not name[-1:].isdigit() and not name.endswith("fm"):
        return name
    if "·" in name:
        if match := _OLD_METHOD_VALUE.match(function):
            return f"{match[1]}.(*{match[2]}).{match[3]}"
        if _OLD_CLOSURE.search(name):
            return name  # does not name the function that contains it
    # a closure in a package variable: `glob..func1` up to Go 1.21, `init.func1` since
    name = name.replace("glob..func", "init.func")
    outer = strip_closure_suffixes(name)
    return outer if outer == name or name.endswith("fm") else _function_after_inlining(outer)


def strip_closure_suffixes(function: str) -> str:
    """The name of a function without the suffixes of closures."""
    end = len(function)
    while True:
        at = end
        while at and function[at - 1] in _DIGITS:
            at -= 1
        if at < end:
            suffix = _suffix_length(function, at)
            if not suffix:
                return function[:end]
            end = at - suffix
        elif function.find("fm", end - 2, end) >= 0 and function.endswith(_METHOD_VALUE_SUFFIXES, 0, end):
            end -= 3
        else:
            return function[:end]


def _suffix_length(function: str, end: int) -> int:
    """The length of the closure suffix before a number that starts at `end`; 0 if there is none."""
    for suffix in _NUMBERED_SUFFIXES:
        # faster than `endswith` with bounds
        if function.find(suffix, max(0, end - len(suffix)), end) >= 0:
            return len(suffix)
    return 0


def _function_after_inlining(function: str) -> str:
    """The function that contains a closure whose name includes the functions it was inlined into.

    Go 1.21 to 1.26 print such names: `wait.(*Queue).run.gowrap1.Until.BackoffUntil` is in `BackoffUntil`.
    `cart.Item.Price` may be a method or `Price` inlined into `Item`; the result is `Price` in both cases.
    """
    package, _, name = function.partition(".")
    at = name.rfind("(*")
    last = name.rpartition(".")[2]
    if at > 0 and ")." in name[at:] and name[at:].count(".") == 1:
        return f"{package}.{name[at:]}"
    return function if at == 0 and name.count(".") == 1 else f"{package}.{last}"


@lru_cache(maxsize=1 << 13)
def is_inlined_closure(function: str) -> bool:
    """Does the name of a closure include the functions that it was inlined into?"""
    if not function[-1:].isdigit():
        return False
    outer = strip_closure_suffixes(strip_type_arguments(function))
    return _function_after_inlining(outer) != outer


def strip_type_arguments(text: str) -> str:
    """Remove type arguments: `Map[go.shape.int]` becomes `Map`."""
    out, depth = [], 0
    for char in text:
        depth += char == "["
        if not depth:
            out.append(char)
        depth -= char == "]" and depth > 0
    return "".join(out)


def is_test_function(function: str) -> bool:
    """Is this the test function itself (not a closure in it)? `executor_test.(*suite).TestX`."""
    start = function.rfind(".") + 1
    # test the first letter first, for speed
    return function[start : start + 1] in _TEST_INITIALS and bool(_TEST_NAME.match(function, start))


def enclosing_test(function: str) -> str | None:
    """The test that contains a function: `TestX` for `pkg.TestX.func1.2`."""
    if (
        ".Test" not in function and ".Benchmark" not in function
        and ".Example" not in function and ".Fuzz" not in function
    ):  # fmt: skip
        return None
    last = source_function(function).rpartition(".")[2]
    return last if _TEST_NAME.match(last) else None


def run_pattern(test: str) -> str:
    """The value of `go test -run` that selects one test: `^TestX$/^two_words$` for `TestX/two words`."""
    return "/".join([f"^{re.escape(name)}$" for name in test.replace(" ", "_").split("/")])


# packages whose name does not imply a folder
_NAMELESS_PACKAGES: Final = ("main", "command-line-arguments")


def is_absolute_path(path: str) -> bool:
    """Does a path start at the root or at a drive? `/go/tidb`, `D:/a/shop`."""
    return path[:1] == "/" or path[1:3] == ":/"


def find_module_roots(frames: Iterable[Frame]) -> dict[str, str]:
    """Map module roots to modules, longest first: `/go/tidb/` to `github.com/pingcap/tidb`."""
    modules: dict[str, str] = {}
    for frame in frames:
        if frame.file and is_absolute_path(frame.path) and frame.path != frame.file:
            root = frame.path.removesuffix(frame.file)
            if root.count("/") > 1:
                relative_folder = frame.file.rpartition("/")[0]
                package = frame.package.removesuffix("_test")
                module = package.removesuffix(relative_folder).rstrip("/") if relative_folder else package
                # unknown if the package name differs from the folder
                modules[root] = modules.get(root) or ("" if relative_folder and module == package else module)
    return {root: modules[root] for root in sorted(modules, key=lambda r: (-len(r), r))}


def relative_to_root(frame: Frame, roots: dict[str, str]) -> Frame:
    """The frame with its file relative to a module root that is known from other frames, if it is below one."""
    if not is_absolute_path(frame.file):
        return frame
    root = next((r for r in roots if frame.file.startswith(r)), None)
    if root is None:
        return frame
    file = frame.file.removeprefix(root)
    package = frame.package
    if roots[root] and frame.function[-1:].isdigit() and package and package not in _NAMELESS_PACKAGES:
        # a closure has the name of a function in another package that it was inlined into
        package = f"{roots[root]}/{file.rpartition('/')[0]}".rstrip("/")
    return frame._replace(file=file, package=package)


_FRAME_LISTS: Final = read_frame_list("go.frames.txt")
_STDLIB: Final = frozenset(_FRAME_LISTS["stdlib"])
_STDLIB_TOPS: Final = frozenset(entry.partition("/")[0] for entry in _STDLIB)
GENERATED_FILES: Final = frozenset(_FRAME_LISTS["generated"])
_GENERATED_ENDINGS: Final = tuple(GENERATED_FILES)
_MODULE_DEPTHS: Final = {host: int(n) for host, n in (entry.split() for entry in _FRAME_LISTS["host-depth"])}
# runtime functions whose caller is missing in some Go versions
CALLER_HIDING_FUNCTIONS: Final = tuple(_FRAME_LISTS["hides-caller"])
# cache: package -> its last folder, its origin, and the folder relative to the module root
_package_locations: Final[dict[str, tuple[str, Origin, str]]] = {}
_MAX_CACHED_PACKAGES: Final = 1 << 10
_NO_FILE_NAMES: Final = frozenset(("<autogenerated>", "-", "??", ""))


def _package_pattern(group: str) -> re.Pattern[str]:
    tops = "|".join(re.escape(entry.removesuffix("/...")) for entry in _FRAME_LISTS[group])
    return lazy_compile(rf"(?:{tops})(?:/|$)")


_RUNTIME_PACKAGE: Final = _package_pattern("runtime")
_TEST_PACKAGE: Final = _package_pattern("test")
_TEST_TOPS: Final = frozenset(entry.partition("/")[0] for entry in _FRAME_LISTS["test"])
_KNOWN_TOPS: Final = _STDLIB_TOPS | _TEST_TOPS  # first path elements that user packages rarely have
# error libraries and their subpackages
_ERROR_LIBRARIES: Final = tuple(entry.removesuffix("...") for entry in _FRAME_LISTS["errors"])

# "/pkg/mod/google.golang.org/grpc@v1.39.0/internal/x.go"
_MODULE_CACHE: Final = lazy_compile(r"(?:^|/)[^/@]+@v[^/]+/(.+)$")
# "external/com_github_pingcap_errors/stack.go", "bazel-out/k8-fastbuild/bin/pkg/x.go"
_BAZEL: Final = lazy_compile(r"(?:^|/)(?:external/[^/]+|bazel-out/[^/]+/bin)/(.+)$")
# "github.com/acme/relay/v2/hub": major versions of a module are treated as the same code
_MAJOR_ELEMENT: Final = lazy_compile(r"/v(?:[2-9]|[1-9]\d{1,2})(?=/|$)")
_MAJOR_VERSION: Final = lazy_compile(r"v\d+$")
_DRIVE_LETTER: Final = lazy_compile(r"[A-Za-z]:/")


def function_key(frame: Frame) -> str:
    """`github.com/pingcap/tidb/executor (*Compiler).Compile`."""
    function, package = frame[0], frame[1]  # by index, for speed
    if not function:
        return "/".join(frame.path.split("/")[-2:])  # a location without a function
    if function[-1].isdigit() or function.endswith("fm") or "[" in function:
        function = _cached_source_function(function)
    dot = function.find(".")
    name = function[dot + 1 :] if dot >= 0 else ""
    if package in _NAMELESS_PACKAGES:
        # every program has a `main`: distinguish them by folder
        folder = frame.path.rpartition("/")[0].rpartition("/")[2]
        return f"{folder}/main {name}"
    return f"{strip_major_version(package)} {name}"


# the name of a function is unique
site_key = function_key


def strip_major_version(package: str) -> str:
    """The package without the major version of its module and without `_test`."""
    if "/v" in package:
        if "/vendor/" in package:
            package = package.rpartition("/vendor/")[2]  # vendored copies are the same code
        package = _MAJOR_ELEMENT.sub("", package)
    return package.removesuffix("_test")


def find_origin(package: str, path: str) -> Origin:
    """The origin of a frame."""
    slash = package.find("/")
    top = package[:slash] if slash >= 0 else package
    if top in _STDLIB_TOPS and _is_stdlib_package(package, path):
        if _RUNTIME_PACKAGE.match(package):
            return Origin.RUNTIME
        return Origin.TEST if _TEST_PACKAGE.match(package) else Origin.STDLIB
    if top in _TEST_TOPS and top != "testing" and _TEST_PACKAGE.match(package):
        return Origin.TEST
    if path.endswith(_GENERATED_ENDINGS) and path.rpartition("/")[2] in GENERATED_FILES:
        return Origin.GENERATED
    return Origin.USER


def is_error_library(package: str) -> bool:
    """Is this a library that creates errors, and so is at the top of their stacks?"""
    name = package.rpartition("/")[2]
    if name[:1] == "v" and name[1:].isdigit():
        name = package.split("/")[-2:][0]
    # "example.com/shop/internal/errors", "example.com/shop/xerrors/v2": a project's own error library
    return f"{package}/".startswith(_ERROR_LIBRARIES) or name in ("errors", "xerrors", "errs", "stacktrace")


def _is_stdlib_package(package: str, path: str) -> bool:
    """Is a package in the standard library? A user package with such a name is not below a GOROOT."""
    if package not in _STDLIB and not package.startswith(("vendor/", "cmd/")):
        return False
    return not _has_root_or_drive(path) or (
        f"/src/{path.rpartition('/src/')[2]}" in path
        and ("/go" in path or "/Go" in path or "GOROOT" in path or "/sdk/" in path)
    )


def _has_root_or_drive(path: str) -> bool:
    return path[:1] == "/" or (path[1:2] == ":" and _DRIVE_LETTER.match(path) is not None)


def relative_path(package: str, path: str, origin: Origin) -> str:
    """The path relative to its module root if that is known, else as printed."""
    if path in _NO_FILE_NAMES:
        return path
    if package in _STDLIB and origin is not Origin.USER:
        return path.rpartition("/src/")[2].removeprefix("pkg/")
    if "@v" in path and (match := _MODULE_CACHE.search(path)):
        return match[1]
    if ("external/" in path or "bazel-out/" in path) and (match := _BAZEL.search(path)):
        return match[1]
    if "/vendor/" in path and "/vendor/" not in package:
        return f"vendor/{path.rpartition('/vendor/')[2]}"
    if not package or package[:2] == "_/":
        return path
    if not _has_root_or_drive(path):
        host = package.partition("/")[0]
        # with `-trimpath`, a path starts with the import path: `github.com/acme/relay/hub.go`
        if "." not in host or not path.startswith(f"{host}/"):
            return path.removeprefix("./")
    folder, _, name = path.rpartition("/")
    relative_folder = _path_below_module(package.split("/"), folder.split("/"))
    return path if relative_folder is None else "/".join([*relative_folder, name])


def _path_below_module(parts: list[str], folder: list[str]) -> list[str] | None:
    """The elements of an import path below the module root; None if unknown."""
    if parts[-1].endswith("_test") and parts[-1] != folder[-1]:
        parts = [*parts[:-1], parts[-1].removesuffix("_test")]
    depth = _module_depth(parts[0])
    if depth and len(parts) >= depth:
        relative_folder = parts[depth:]
        if relative_folder and _MAJOR_VERSION.match(relative_folder[0]):
            relative_folder = relative_folder[1:]
        return relative_folder if folder[len(folder) - len(relative_folder) :] == relative_folder else None
    shared_count = _shared_suffix_length(parts, folder)
    # a clone is usually in a folder with the name of the module's last element
    return parts[len(parts) - shared_count + 1 :] if shared_count > 1 or shared_count == len(parts) == 1 else None


def _module_depth(host: str) -> int:
    """The number of elements in the module's path; 0 if it depends on the folders."""
    depth = _MODULE_DEPTHS.get(host)
    return depth if depth is not None else 3 if host.startswith("git") and "." in host else 0


def _shared_suffix_length(a: list[str], b: list[str]) -> int:
    limit = min(len(a), len(b))
    if a[-limit:] == b[-limit:]:
        return limit
    return next(n for n in range(limit) if a[-1 - n] != b[-1 - n])


def locate_package(package: str, folder: str) -> tuple[Origin, str]:
    """The origin of a package in a folder, and the folder relative to the module root."""
    cached = _package_locations.get(package)
    if cached is None or cached[0] != folder:
        if len(_package_locations) >= _MAX_CACHED_PACKAGES:
            _package_locations.clear()
        origin, relative_folder = Origin.USER, _folder_in_clone(package, folder)
        if relative_folder is None:
            sample = f"{folder}x.go"
            origin = find_origin(package, sample)
            relative_folder = relative_path(package, sample, origin)[:-4]
        cached = _package_locations[package] = folder, origin, relative_folder
    return cached[1], cached[2]


def _folder_in_clone(package: str, folder: str) -> str | None:
    """A fast `relative_path` for a user package in a clone, the usual case; None for other cases."""
    slash = package.find("/")
    top = package[:slash] if slash >= 0 else package
    if not folder.startswith("/") or package.endswith("_test") or top in _KNOWN_TOPS:
        return None
    if ("@" in folder and "@v" in folder) or "/vendor/" in folder or "external/" in folder or "bazel-out/" in folder:
        return None
    if not (depth := _module_depth(top)):
        relative_folder = f"/{package}/"
        if not folder.endswith(relative_folder):
            return None
        return relative_folder[slash + 2 :] if slash >= 0 else ""
    parts = package.split("/", depth)
    if len(parts) < depth or (len(parts) > depth and parts[depth][:1] == "v"):
        return None
    relative_folder = f"{parts[depth]}/" if len(parts) > depth else ""
    return relative_folder if not relative_folder or folder.endswith(f"/{relative_folder}") else folder


@lru_cache(maxsize=1 << 10)
def make_frame(symbol: str, path: str, line: int | None) -> Frame:
    """Make a frame from a printed symbol and location."""
    package, function = split_symbol(symbol)
    if "\\" in path:
        path = path.replace("\\", "/")
    name_start = path.rfind("/") + 1
    folder, name = path[:name_start], path[name_start:]
    if not folder or name in GENERATED_FILES:
        origin = find_origin(package, path)
        return Frame(function, package, relative_path(package, path, origin), line, origin, path)
    origin, relative_folder = locate_package(package, folder)
    return Frame(function, package, relative_folder + name, line, origin, path)

"""The fingerprint, title and call chains of a report.

The fingerprint depends on that report only, and is deterministic and versioned."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from deadheat import plugins
from deadheat.model import Frame, Origin
from deadheat.symbols import native
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deadheat.detectors import LanguageSymbols
    from deadheat.model import Access, Report


FINGERPRINT_VERSION: Final = 3
# its fingerprints of Go, Rust and the kernel are still valid
FORMER_VERSION: Final = 2
# kinds whose dump names only the failing side; the other side is a guess
ONE_SIDED_KINDS: Final = ("concurrent-map", "waitgroup-misuse")
# the Go detector omits the function that calls an atomic operation
ATOMIC_PACKAGE: Final = "sync/atomic"
ATOMIC_SITE: Final = "atomic operation"
UNKNOWN_SITE: Final = "?"
# the fact in which ThreadSanitizer's parser keeps the name of the binary
PROGRAM_FACT: Final = "program"
_PROGRAM_SEPARATOR: Final = " in "
# "python3.11", "shop-1.4.0"; not "shop2"
_PROGRAM_VERSION: Final = lazy_compile(r"(?<=\w)[-_]?\d{1,9}(?:\.\d{1,9}){1,4}$")
_USER: Final = Origin.USER
TEST_RUNNER: Final = "the test runner"


def report_fingerprint(report: Report) -> str:
    """The digest of the unordered pair of normalised sites.

    It does not contain lines, addresses, goroutine numbers, closure numbers, stale frames or
    folders. It does not contain the operation, because `n++` is reported as a read or as a write.
    """
    kind, *side_names = fingerprint_parts(report)
    return fingerprint_from_sides(kind, side_names)


def fingerprint_from_sides(kind: str, side_names: Iterable[str]) -> str:
    return hex_digest("\n".join([f"v{version_of(kind)}", kind, *side_names]))


def version_of(kind: str) -> int:
    """The version in which reports of this qualified kind got their present fingerprint."""
    return FINGERPRINT_VERSION if _PROGRAM_SEPARATOR in kind else FORMER_VERSION


def former_names(kind: str, side_names: Iterable[str]) -> tuple[str, ...]:
    """The kind and the sides in version 2, which had neither programs nor files."""
    return kind.partition(_PROGRAM_SEPARATOR)[0], *sorted(map(native.name_without_file, side_names))


def former_fingerprint(kind: str, side_names: Iterable[str]) -> str:
    kind, *names = former_names(kind, side_names)
    return fingerprint_from_sides(kind, names)


def hex_digest(text: str) -> str:
    return hash_bytes(text).hex()


def hash_bytes(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def fingerprint_parts(report: Report) -> list[str]:
    """The text that the fingerprint is computed from: the kind, then one line per side."""
    symbols = plugins.detector_named(report.detector).symbols
    kind = qualified_kind(report) if symbols is native else report.kind
    return [kind, *sorted(side_name(access, symbols) for access in identifying_accesses(report))]


def qualified_kind(report: Report) -> str:
    """The kind of a native report, and its program: `data-race in shop`. A function in Rust names its crate."""
    if any(access.site is not None and access.site.package for access in report.accesses):
        return report.kind
    return f"{report.kind}{_PROGRAM_SEPARATOR}{_program_of(report) or UNKNOWN_SITE}"


def _program_of(report: Report) -> str:
    if program := printed_program(report):
        return program
    sites = [access.site for access in report.accesses if access.site is not None]
    if all(site.origin is _USER and native.source_file_name(site) for site in sites):
        return ""
    frames = [frame for access in report.accesses for frame in access.stack]
    binary = next(filter(None, map(native.program_file_name, frames)), "")
    # other reports of Valgrind do not name the program
    return binary and f"binary {binary}"


def printed_program(report: Report) -> str:
    """The program that ThreadSanitizer prints, without its version."""
    program = next((value for name, value in report.facts if name == PROGRAM_FACT), "")
    return _PROGRAM_VERSION.sub("", program)


def former_report_fingerprint(report: Report) -> str:
    kind, *side_names = fingerprint_parts(report)
    return former_fingerprint(kind, side_names)


def identifying_accesses(report: Report) -> tuple[Access, ...]:
    return report.accesses[:1] if report.kind in ONE_SIDED_KINDS else report.accesses


def side_name(access: Access, symbols: LanguageSymbols) -> str:
    """The name of one side: `github.com/pingcap/tidb/executor (*Compiler).Compile`, `Cache::get (cache.cc)`."""
    stack, site = access[2], access[6]  # by index, because this runs for every report
    if stack and stack[0][1] == ATOMIC_PACKAGE:
        return ATOMIC_SITE
    return symbols.site_key(site) if site is not None else UNKNOWN_SITE


# frames further out do not identify an access
MAX_USER_FRAMES: Final = 4
# number of innermost frames examined
MAX_TOP_FRAMES: Final = 2
# number of calls in a call chain
_MAX_CHAIN_LENGTH: Final = 3
# the nearest callers may be wrappers
_MAX_CALLERS: Final = 3
_TEST_SUFFIX: Final = "_test.go"


def user_frames(access: Access) -> list[Frame]:
    """The valid user frames from the site outwards."""
    frames: list[Frame] = []
    for frame in _frames_from_site(access):
        if frame.stale or len(frames) == MAX_USER_FRAMES:
            break
        # only symbolised stacks report inlining
        if frame.origin is _USER and not frame.inlined:
            frames.append(frame)
    return frames


def _frames_from_site(access: Access) -> tuple[Frame, ...]:
    """The frames from the site on; none if an inner frame is stale."""
    site, stack = access.site, access.stack
    if not stack or site is stack[0]:
        return stack
    if site is None or site not in stack:
        return ()
    start = stack.index(site)
    return () if any(frame.stale for frame in stack[:start]) else stack[start:]


CallChain = tuple[tuple[int, str], ...]


def call_chain_of(access: Access, name: str, key: Callable[[Frame], str]) -> tuple[CallChain, tuple[str, ...]]:
    """The call chain of a site, and its callers. `key` normalises the function of a frame.

    The call chain has the lines and functions of the innermost calls; within one build it
    identifies one access. The callers are ordered nearest first and end at the first test, ("",) if
    there are none. Tests are not callers, because each of them creates its own objects.
    """
    chain: list[tuple[int, str]] = []
    callers: list[str] = []
    nearest, in_test, site = "", False, access.site
    functions: list[str] = []
    frames_left = MAX_USER_FRAMES
    # like `user_frames`, in one loop because it runs twice per report
    for frame in _frames_from_site(access):
        function, _, file, line, origin, _, stale, inlined = frame
        if stale or not frames_left:
            break
        if origin is not _USER or inlined:
            continue
        frames_left -= 1
        if file.endswith(_TEST_SUFFIX):
            if chain:
                break
            in_test = True
        # recursion depth is ignored, it only distinguishes objects
        if function in functions:
            continue
        functions.append(function)
        function_key = name if frame is site and name != ATOMIC_SITE else key(frame)
        chain.append((line or 0, function_key))
        if function_key != name and function_key != nearest and not in_test:
            callers.append(function_key)
            nearest = function_key
    # an atomic operation accesses one word on an unknown line
    call_chain = () if name == ATOMIC_SITE else tuple(chain[:_MAX_CHAIN_LENGTH])
    return call_chain, tuple(callers[:_MAX_CALLERS]) or ("",)


def is_test_frame(frame: Frame) -> bool:
    return frame.file.endswith(_TEST_SUFFIX)


def report_title(report: Report) -> str:
    """`read/write race in executor.(*IndexNestedLoopHashJoin): finishJoinWorkers / Close`."""
    ops_and_names = [_title_part(report, access) for access in accesses_in_title_order(report)]
    race_kind = _race_kind(report, [op for op, _ in ops_and_names])
    names = [name or "?" for _, name in ops_and_names]
    if names.count("?") == len(names):
        return f"{race_kind} at an unknown place"
    if names.count(names[0]) == len(names):
        return f"{race_kind} in {names[0]}"
    owner = _owner_type(names[0])
    if owner and [name for name in names if _owner_type(name) == owner] == names:
        members = [name.removeprefix(owner).lstrip(".:") for name in names]
        return f"{race_kind} in {owner}: {' / '.join(members)}"
    return f"{race_kind}: {' / '.join(names)}"


def title_rank(title: str) -> tuple[bool, str]:
    """Sorts the title of a race with several reports first: two writes show more than a read and a write."""
    return not title.startswith("write/write"), title


def accesses_in_title_order(report: Report) -> list[Access]:
    """The accesses in the order in which the title names them, which is the same in every run."""
    return sorted(report.accesses, key=lambda access: (*_title_part(report, access), _site_position(access)))


def _title_part(report: Report, access: Access) -> tuple[str, str]:
    return str(access.op), _site_name(access, plugins.detector_named(report.detector).symbols.source_function)


def _site_position(access: Access) -> tuple[str, int]:
    return (access.site.file, access.site.line or 0) if access.site else ("", 0)


def _site_name(access: Access, source_function: Callable[[str], str]) -> str:
    """The function of a site; its file if it has no name; `the test runner` if there is no code but the runner's."""
    site = access.site
    if site is None:
        return ""
    if is_test_runner(access):
        return TEST_RUNNER
    name = source_function(site.function)
    # lambdas and operators without a scope are named by where they are written
    if name.startswith("operator") and "::" not in name and (file := native.source_file_name(site)):
        return f"{name} ({file})"
    return name or site.file


def is_test_runner(access: Access) -> bool:
    """Whether the test runner made an access, without user code: `testing.tRunner.func1`, called by the runtime."""
    innermost = next((frame for frame in access.stack if not frame.stale), None)
    is_harness = access.site is not None and access.site.origin in (Origin.RUNTIME, Origin.TEST)
    return is_harness and innermost is not None and innermost.origin is Origin.TEST


def _race_kind(report: Report, ops: list[str]) -> str:
    if report.kind == "data-race":
        return f"{'/'.join(ops)} race" if len(ops) > 1 else f"race ({ops[0]})" if ops else "race"
    return report.kind.replace("-", " ")


def _owner_type(name: str) -> str:
    """The type of a method: `cart.(*Cart)`, `shop::Cart`; "" for a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    owner = name.rpartition(".")[0]
    return owner if "(" in owner else ""

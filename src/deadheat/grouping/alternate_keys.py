"""Keys that reports of one race share although their fingerprints differ.

Some versions of Go omit the function that reads a map or uses a WaitGroup. A crash caused by a
WaitGroup shows one goroutine only. A program is named after its folder or its module. A report
*requires* the keys of races that it may belong to, and *provides* the keys of reports that may
belong to it. It is joined with the reports that provide its key if all of those are one race.

Compilers also name closures differently. gcc names every lambda `operator()`. Go up to 1.20 names
a closure after the function that its enclosing function was inlined into, for example a test. Such
a report requires the only race of a closure in that file. Go 1.21 to 1.26 name the enclosing
function without its package: `main.main.(*Book).Items.func2` may be in any package. Such a report
requires the closure of that function in the folder of its file.

A program without debug information shows no source files. Its report requires the only race of
functions with these names in a program that may be the same."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from deadheat.grouping.fingerprint import (
    hash_bytes,
    identifying_accesses,
    is_test_frame,
    printed_program,
    qualified_kind,
    side_name,
    user_frames,
)
from deadheat.grouping.links import AlternateKey, KeyKind
from deadheat.model import Origin
from deadheat.symbols import go, native

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.detectors import LanguageSymbols
    from deadheat.model import Access, Frame, Report

    NamedSides = tuple[tuple[str, str], ...]

    AlternateKeys = tuple[AlternateKey, ...]


_GO_DETECTOR: Final = "go"
LAMBDA: Final = "operator()"


def closure_file_names(report: Report, symbols: LanguageSymbols) -> tuple[NamedSides, NamedSides]:
    """The required and the provided sides of a report: one name per side, or none."""
    is_go = report.detector == _GO_DETECTOR
    sites = [access.site for access in report.accesses if access.site]
    is_closure = [_is_inlined_closure(site) if is_go else LAMBDA in site.function for site in sites]
    if True not in is_closure or len(sites) != 2:
        return (), ()
    unlocated = [_is_named_after_test(site) if is_go else site.function == LAMBDA for site in sites]
    # an unlocated closure is matched by file on both sides
    closures = unlocated if any(unlocated) else is_closure
    pairs = zip(sites, closures, strict=True)
    names = tuple([_closure_in_file(s) if closure else _function_name(s, symbols) for s, closure in pairs])
    return (names, ()) if any(unlocated) else ((), names)


def _is_inlined_closure(site: Frame) -> bool:
    function = site.function
    return function[-1:].isdigit() and (go.is_inlined_closure(function) or _is_named_after_test(site))


def _is_named_after_test(site: Frame) -> bool:
    return not is_test_frame(site) and go.enclosing_test(site.function) is not None


def closure_folder_names(report: Report, symbols: LanguageSymbols) -> tuple[NamedSides, NamedSides]:
    """The same for Go closures, whose package is unknown if they were inlined."""
    sites = [access.site for access in report.accesses if access.site]
    if report.detector != _GO_DETECTOR or len(sites) != 2:
        return (), ()
    closures = [site.function[-1:].isdigit() for site in sites]
    if True not in closures:
        return (), ()
    pairs = zip(sites, closures, strict=True)
    names = tuple([_closure_in_folder(s, symbols) if closure else _function_name(s, symbols) for s, closure in pairs])
    return (names, ()) if any(map(_is_inlined_elsewhere, sites)) else ((), names)


def has_misplaced_closure(report: Report) -> bool:
    """Is a closure named after a function in another folder, as Go up to 1.20 may do?"""
    sites = [access.site for access in report.accesses]
    return report.detector == _GO_DETECTOR and any(
        site is not None and site.function[-1:].isdigit() and _is_in_other_folder(site) for site in sites
    )


def _is_inlined_elsewhere(site: Frame) -> bool:
    """Was a closure inlined into a package in another folder?"""
    return site.function[-1:].isdigit() and go.is_inlined_closure(site.function) and _is_in_other_folder(site)


def _is_in_other_folder(site: Frame) -> bool:
    return _folder_of(site) != site.function.partition(".")[0].removesuffix("_test")


def _folder_of(site: Frame) -> str:
    return (site.path or site.file).rpartition("/")[0].rpartition("/")[2]


def _closure_in_folder(site: Frame, symbols: LanguageSymbols) -> tuple[str, str]:
    return f"{_folder_of(site)} {symbols.source_function(site.function).partition('.')[2]}", "folder"


def _function_name(site: Frame, symbols: LanguageSymbols) -> tuple[str, str]:
    return symbols.function_key(site), "named"


def _closure_in_file(site: Frame) -> tuple[str, str]:
    package = go.strip_major_version(site.package) if site.package else ""
    return f"{package} {site.file.rpartition('/')[2]}", "closure"


# functions that the Go detector calls for a WaitGroup; Go 1.26 and later omit their caller
_WAITGROUP_RACE_CALLS: Final = ("runtime.racewrite", "runtime.raceread")
# Go 1.27 implements the first by calling the second, and then omits the caller of the first
_MAP_READ, _MAP_LOOKUP = "runtime.mapaccess1", "runtime.mapaccess2"
_WAITGROUP_WAIT: Final = "sync.(*WaitGroup).Wait"
_WAITGROUP_MISUSE: Final = "waitgroup-misuse"
# packages that are named after their folder
_MAIN_PACKAGES: Final = ("main", "command-line-arguments")
# number of frames that identify a position in a program
_MIN_FRAMES: Final = 3
_HASH_MASK: Final = (1 << 64) - 1
_DIGITS: Final = frozenset("0123456789")


def unordered_key(named_sides: Iterable[tuple[str, str]]) -> str:
    """One key for all sides, independent of their order."""
    return sum_hashes([pair_hash(*each) for each in named_sides])


def _functions_key(named_sides: Iterable[tuple[str, str]]) -> AlternateKey:
    return AlternateKey(KeyKind.FUNCTIONS, unordered_key(named_sides))


def sum_hashes(hashes: Iterable[int]) -> str:
    return (sum(hashes) & _HASH_MASK).to_bytes(8).hex()


@lru_cache(1 << 13)
def pair_hash(name: str, what: str) -> int:
    return int.from_bytes(hash_bytes(f"{name} < {what}"))


def one_sided_key(kind: str, name: str) -> AlternateKey:
    """The key that a report of this kind requires if it shows only this side."""
    return AlternateKey(KeyKind.ONE_SIDED, f"{pair_hash(name, kind):016x}")


def required_and_provided_keys(report: Report, symbols: LanguageSymbols) -> tuple[AlternateKeys, AlternateKeys]:
    if report.kind == _WAITGROUP_MISUSE:
        return _waitgroup_keys(report, symbols)
    if symbols is native:
        return _native_keys(report)
    closures: tuple[AlternateKeys, AlternateKeys] = (), ()
    for access in report.accesses:
        # most reports concern no closure
        if access.site and access.site.function[-1:] in _DIGITS:
            closures = _closure_keys(report, symbols)
            break
    tops = [access.stack[0].function for access in report.accesses if access.stack]
    if len(tops) != 2 or not (
        tops[0].startswith(go.CALLER_HIDING_FUNCTIONS) or tops[1].startswith(go.CALLER_HIDING_FUNCTIONS)
    ):
        return closures
    forms = [_side_forms(access, report, symbols) for access in report.accesses]
    required = {_functions_key([(form, "hidden") for form in pair]) for pair in product(*(a for a, _ in forms))}
    provided = {_functions_key([(form, "hidden") for form in pair]) for pair in product(*(b for _, b in forms))}
    closure_required, closure_provided = closures
    return (*sorted(required), *closure_required), (*sorted(provided - required), *closure_provided)


def _closure_keys(report: Report, symbols: LanguageSymbols) -> tuple[AlternateKeys, AlternateKeys]:
    """The required and provided keys of a report whose closures may have other names elsewhere.

    If the enclosing function is unknown, the source lines are required, if there are enough of
    them.
    """
    names = zip(closure_file_names(report, symbols), closure_folder_names(report, symbols), strict=True)
    required, provided = (
        [AlternateKey(KeyKind.CLOSURE, unordered_key(name)) if name else None for name in each] for each in names
    )
    is_provided = provided[0] is not None
    if (required[0] or is_provided or has_misplaced_closure(report)) and (lines := _source_lines_key(report, symbols)):
        lines_key = AlternateKey(KeyKind.LINES, lines)
        required[0] = None if is_provided else lines_key
        provided += [lines_key] if is_provided else []
    return tuple(filter(None, required)), tuple(filter(None, provided))


def _native_keys(report: Report) -> tuple[AlternateKeys, AlternateKeys]:
    required, provided = keys_without_files(report)
    if any(access.site and LAMBDA in access.site.function for access in report.accesses):
        # lambdas of two programs may be in files of one name
        kind = qualified_kind(report)
        in_program = [
            [key._replace(value=f"{key.value} {kind}") for key in keys] for keys in _closure_keys(report, native)
        ]
        required, provided = (*required, *in_program[0]), (*provided, *in_program[1])
    return required, provided


def keys_without_files(report: Report) -> tuple[AlternateKeys, AlternateKeys]:
    """The required key of a native report without source files, or the provided key of one with them."""
    sites = [access.site for access in identifying_accesses(report) if access.site]
    names = [(native.function_key(site), report.kind) for site in sites]
    key = _functions_key([*names, (printed_program(report), "program")])
    has_files = all(site.package or native.source_file_name(site) for site in sites)
    return ((), (key,)) if has_files else ((key,), ())


def _side_forms(access: Access, report: Report, symbols: LanguageSymbols) -> tuple[list[str], list[str]]:
    """The names that a side may stand for, and the names that remain if its function is omitted."""
    name = side_name(access, symbols) if access.site and access.site.origin is Origin.USER else ""
    callers = [symbols.function_key(frame) for frame in user_frames(access)[1:]]
    top = access.stack[0].function
    if top.startswith(_WAITGROUP_RACE_CALLS):
        # other tests may reach it too
        test_names = [_test_package_name(frame, symbols) for frame in user_frames(access)[:2]]
        required_name = test_names[0] or name if test_names else _starter_name(access, report, symbols)
        return [required_name], [*callers, *test_names[1:]] or [""]
    if is_map_reader_omitted(access):
        return [name], []
    # functions inlined with it are omitted too
    return ([], [*callers, ""]) if top.startswith(_MAP_READ) else ([name], [name])


def _starter_name(access: Access, report: Report, symbols: LanguageSymbols) -> str:
    """The function that started an actor without other frames. Its closure is usually in it."""
    starter = _starter_frame(access, report)
    return (_test_package_name(starter, symbols) or symbols.function_key(starter)) if starter else ""


def _starter_frame(access: Access, report: Report) -> Frame | None:
    created = next((actor.created_at for actor in report.actors if actor.id == access.actor), ())
    return next((frame for frame in created if frame.origin is Origin.USER), None)


def _test_package_name(frame: Frame, symbols: LanguageSymbols) -> str:
    """One name for all tests of a package, or ""."""
    return f"{symbols.function_key(frame).partition(' ')[0]} test" if is_test_frame(frame) else ""


def is_map_reader_omitted(access: Access) -> bool:
    stack = access.stack
    return len(stack) > 1 and stack[0].function.startswith(_MAP_LOOKUP) and stack[1].function.startswith(_MAP_READ)


def _waitgroup_keys(report: Report, symbols: LanguageSymbols) -> tuple[AlternateKeys, AlternateKeys]:
    """Keys of the owner of a WaitGroup: the function that waits, which usually starts the others."""
    (access,) = identifying_accesses(report) or (None,)
    if access is None:
        return (), ()
    starter_frame = _starter_frame(access, report)
    starter = symbols.function_key(starter_frame) if starter_frame else ""
    waits = any(frame.function == _WAITGROUP_WAIT for frame in access.stack)
    owners = {starter, *(symbols.function_key(frame) for frame in user_frames(access) if waits or not starter)}
    names = tuple(sorted(_functions_key([(owner, "waits")]) for owner in owners if owner))
    return (names, ()) if waits else ((), names)


def main_package_lines_key(report: Report, symbols: LanguageSymbols) -> str:
    """A key for source lines of a main package, independent of its folder; "" if too few are known."""
    for access in report.accesses:
        if access.site is None or access.site.package not in _MAIN_PACKAGES:
            return ""
    return _source_lines_key(report, symbols)


def _source_lines_key(report: Report, symbols: LanguageSymbols) -> str:
    lines_by_side = [
        [f"{_function_and_file(frame, symbols)} {frame.line}" for frame in user_frames(access)[:_MIN_FRAMES]]
        for access in report.accesses
    ]
    if sum(map(len, lines_by_side)) < _MIN_FRAMES or not all(lines_by_side):
        return ""
    return unordered_key((" ".join(lines), "main") for lines in lines_by_side)


def _function_and_file(frame: Frame, symbols: LanguageSymbols) -> str:
    """A function without its package, and the base name of its file; only the file for a closure."""
    file = frame.file.rpartition("/")[2]
    if frame.package not in _MAIN_PACKAGES and frame.function[-1:] in _DIGITS:
        return file
    return f"{symbols.source_function(frame.function).partition('.')[2]} {file}"

"""Names for closures of which one compiler says less than another: they are known by where they lie.

gcc calls every lambda `operator()`. Go up to 1.20 calls a closure after the function that the one it is
written in was inlined into, say, a test: but what stands in `options.go` is in no test. Such a report
asks for the only race of a closure in that file; one that says where its closure is written answers.
Go 1.21 to 1.26 say which function that is, but leave out its package: `main.main.(*Book).Items.func2`
may be written in any package. Such a report asks for the closure of that function in the folder of its
file; one of a closure that was not inlined answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.dialects import Symbols
    from deadheat.model import Frame, Report

    Names = tuple[tuple[str, str], ...]

_GO: Final = "go"
LAMBDA: Final = "operator()"
_TEST: Final = "_test.go"


def written(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """What a report asks for, and what it answers to: a name per side, or nothing."""
    is_told, is_vague = _GO_TELLS if report.detector == _GO else _TELLS
    sites = [access.site for access in report.accesses if access.site]
    told = [is_told(site) for site in sites]
    if True not in told or len(sites) != 2:
        return (), ()
    vague = [is_vague(site) for site in sites]
    # who says less says so of every closure
    closures = vague if any(vague) else told
    pair = zip(sites, closures, strict=True)
    names = tuple([_in_file(s) if closure else _named(s, symbols) for s, closure in pair])
    return (names, ()) if any(vague) else ((), names)


def _is_lambda(site: Frame) -> bool:
    return LAMBDA in site.function


def _is_nameless(site: Frame) -> bool:
    return site.function == LAMBDA


def _is_inlined(site: Frame) -> bool:
    function = site.function
    if not function[-1:].isdigit():
        return False
    return go.is_inlined(function) or _is_misnamed(site)


def _is_misnamed(site: Frame) -> bool:
    return not site.file.endswith(_TEST) and go.test_name(site.function) is not None


# does a site tell, or ought it to tell, where a closure is written? and does it not?
_TELLS: Final = _is_lambda, _is_nameless
_GO_TELLS: Final = _is_inlined, _is_misnamed


def in_folder(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """The same for Go's closures, whose packages their names do not tell if they were inlined."""
    sites = [access.site for access in report.accesses if access.site]
    if report.detector != _GO or len(sites) != 2:
        return (), ()
    closures = [site.function[-1:].isdigit() for site in sites]
    if True not in closures:
        return (), ()
    pair = zip(sites, closures, strict=True)
    names = tuple([_there(s, symbols) if closure else _named(s, symbols) for s, closure in pair])
    return (names, ()) if any(map(_is_abroad, sites)) else ((), names)


def are_lost(report: Report) -> bool:
    """Does Go, maybe up to 1.20, call one of the closures after a function in another folder?"""
    sites = [access.site for access in report.accesses]
    return report.detector == _GO and any(
        site is not None and site.function[-1:].isdigit() and _is_elsewhere(site) for site in sites
    )


def _is_abroad(site: Frame) -> bool:
    """Was a closure inlined, and is it in another folder than its package says?"""
    if not site.function[-1:].isdigit() or not go.is_inlined(site.function):
        return False
    return _is_elsewhere(site)


def _is_elsewhere(site: Frame) -> bool:
    return _folder(site) != site.function.partition(".")[0].removesuffix("_test")


def _folder(site: Frame) -> str:
    return (site.path or site.file).rpartition("/")[0].rpartition("/")[2]


def _there(site: Frame, symbols: Symbols) -> tuple[str, str]:
    return f"{_folder(site)} {symbols.parent(site.function).partition('.')[2]}", "folder"


def _named(site: Frame, symbols: Symbols) -> tuple[str, str]:
    return symbols.key(site), "named"


def _in_file(site: Frame) -> tuple[str, str]:
    package = go.unversioned(site.package) if site.package else ""
    return f"{package} {site.file.rpartition('/')[2]}", "closure"

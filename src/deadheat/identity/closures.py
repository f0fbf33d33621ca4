"""Keys for closures that compilers name differently, based on their file or folder.

gcc names every lambda `operator()`. Go up to 1.20 names a closure after the function that its
enclosing function was inlined into, for example a test, although code in `options.go` is in no
test. Such a report requires the only race of a closure in that file. A report that names the
enclosing function provides it. Go 1.21 to 1.26 name the enclosing function without its package:
`main.main.(*Book).Items.func2` may be in any package. Such a report requires the closure of that
function in the folder of its file. A report whose closure was not inlined provides it.
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
    """The required and the provided sides of a report: one name per side, or none."""
    is_told, is_vague = _GO_TELLS if report.detector == _GO else _TELLS
    sites = [access.site for access in report.accesses if access.site]
    told = [is_told(site) for site in sites]
    if True not in told or len(sites) != 2:
        return (), ()
    vague = [is_vague(site) for site in sites]
    # an unlocated closure is matched by file on both sides
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


# (is it a closure whose location matters, is its location missing)
_TELLS: Final = _is_lambda, _is_nameless
_GO_TELLS: Final = _is_inlined, _is_misnamed


def in_folder(report: Report, symbols: Symbols) -> tuple[Names, Names]:
    """The same for Go closures, whose package is unknown if they were inlined."""
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
    """Is a closure named after a function in another folder, as Go up to 1.20 may do?"""
    sites = [access.site for access in report.accesses]
    return report.detector == _GO and any(
        site is not None and site.function[-1:].isdigit() and _is_elsewhere(site) for site in sites
    )


def _is_abroad(site: Frame) -> bool:
    """Was a closure inlined into a package in another folder?"""
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

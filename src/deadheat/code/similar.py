"""Past fixes of similar races in a code base, most similar first, with reasons."""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.code.mining.causes import is_teardown
from deadheat.code.mining.deeds import ATOMIC, TEST, is_test
from deadheat.model import Origin
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from deadheat.code.mining.judge import Fix
    from deadheat.model import Frame, Report

MOST = 5
_MOST_CALLERS = 40
# share of fixes above which a name has no meaning
_EVERYDAY = 0.06
_NAME, _CAUSE, _SHAPE = 3, 2, 1
_HALF_A_YEAR = 182 * 86_400


@dataclass(frozen=True, slots=True)
class Query:
    """The features of a race that are compared with past fixes."""

    variables: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()  # of the racing sites, with receiver types
    files: frozenset[str] = frozenset()  # base names
    packages: frozenset[str] = frozenset()  # folders
    callers: frozenset[str] = frozenset()  # other functions in the stacks, with receiver types
    homes: frozenset[str] = frozenset()  # folders of the callers
    causes: frozenset[str] = frozenset()
    shape: frozenset[str] = frozenset()


@dataclass(slots=True)
class Similar:
    """A past fix and what it has in common with a race."""

    fix: Fix
    tier: int = 0
    points: float = 0.0
    why: list[str] = field(default_factory=list)

    def gain(self, tier: int, points: float, why: str) -> None:
        self.tier = max(self.tier, tier)
        self.points += points
        self.why.append(why)


def query(
    report: Report,
    variables: Iterable[str] = (),
    owner: str | None = None,
    cause: str | None = None,
) -> Query:
    """Builds the query from a report and its dossier."""
    sites = [access.site for access in report.accesses if access.site]
    callers = _callers(report, sites)
    named = [*variables]
    if report.location and report.location.name:
        named.append(report.location.name)
    return Query(
        frozenset(name.rpartition(".")[2] for name in named),
        frozenset(t for t in (owner, *map(_type, sites)) if t),
        frozenset(_method(site) for site in sites),
        frozenset(posixpath.basename(site.file) for site in sites),
        frozenset(_package(site.file) for site in sites),
        frozenset(_method(frame) for frame in callers),
        frozenset(_package(frame.file) for frame in callers),
        frozenset((cause,) if cause else ()),
        frozenset(_shape(report, sites)),
    )


def _callers(report: Report, sites: Sequence[Frame]) -> list[Frame]:
    """The callers of the accesses: a race in a library is fixed in its callers."""
    stacks = [a.stack for a in report.accesses] + [a.created_at for a in report.actors]
    frames = dict.fromkeys(frame for stack in stacks for frame in stack)
    return [
        frame
        for frame in frames
        if frame.origin == Origin.USER
        and not frame.stale
        and frame not in sites
        and not is_test(frame.file)  # many tests share the same helpers
    ][:_MOST_CALLERS]


def _package(file: str) -> str:
    """The folder of a file; of a vendored file, that in its own repository."""
    return posixpath.dirname(file.rpartition("vendor/")[2])


def _type(site: Frame) -> str:
    """`executor.(*HashJoinExec).Close.func1` is a method of HashJoinExec."""
    parts = go.parent(site.function).split(".")
    return parts[-2].strip("(*)") if len(parts) > 2 else ""


def _method(site: Frame) -> str:
    """`executor.(*HashJoinExec).Close.func1` as `(*HashJoinExec).Close`."""
    return go.parent(site.function).partition(".")[2]


def _bare(site: Frame) -> str:
    return go.parent(site.function).rpartition(".")[2]


def _shape(report: Report, sites: Sequence[Frame]) -> Iterable[str]:
    """General features of the race."""
    if sites and all(is_test(site.file) for site in sites):
        yield "both accesses are in tests"
    elif any(is_test(site.file) for site in sites):
        yield "one access is in a test"
    elif report.test or any(is_test(f.file) for a in report.accesses for f in a.stack):
        yield "a test found it"
    if any(is_teardown(_bare(site)) for site in sites):
        yield "one access is in a teardown function"
    if any(op.startswith("atomic") for op in (access.op for access in report.accesses)):
        yield "one access is atomic"
    if any(f.function.startswith("runtime.map") for a in report.accesses for f in a.stack[:2]):
        yield "it is a map access"
    if len(sites) > 1 and len({_method(site) for site in sites}) == 1:
        yield "both accesses are in one function"
    elif len(sites) > 1 and _type(sites[0]) and _type(sites[0]) == _type(sites[1]):
        yield "both accesses are in methods of one type"


def similar(asked: Query, fixes: Sequence[Fix], but: Collection[str] = ()) -> list[Similar]:
    """The past fixes most similar to a race; those in `but` are excluded as its own fixes."""
    usable = [f for f in fixes if f.commit not in but and not f.reverted_by and not f.brings]
    rare = _Rarity(usable)
    newest = max((fix.time for fix in usable), default=0)
    found = []
    for fix in usable:
        one = Similar(fix)
        _names(one, asked, rare)
        _place(one, asked)
        _likeness(one, asked)
        if one.tier:
            age = (newest - fix.time) / _HALF_A_YEAR
            one.points += 0.5 / (1 + max(age, 0))  # newer fixes are more relevant
            found.append(one)
    found.sort(key=lambda one: (-one.tier, -one.points, -one.fix.time, one.fix.commit))
    return _varied(found)


class _Rarity:
    """Weights names: the fewer fixes contain a name, the higher."""

    def __init__(self, fixes: Sequence[Fix]) -> None:
        self._count = Counter(
            name for f in fixes for name in {*f.variables, *f.types, *f.functions}
        )
        self._all = max(len(fixes), 1)

    def __call__(self, name: str) -> float:
        """From 0 for a name without meaning up to 2."""
        share = self._count[name] / self._all
        if len(name) < 3 or (share > _EVERYDAY and self._count[name] > 3):
            return 0.0
        return min(2.0, 0.5 + math.log10(1 / max(share, 0.001)) / 2)


def _names(one: Similar, asked: Query, rare: _Rarity) -> None:
    fix = one.fix
    for mine, theirs, what, worth in (
        (asked.variables, set(fix.variables), "is about the same variable", 3.0),
        (asked.types, set(fix.types), "changes the same type", 2.0),
        (asked.functions, set(fix.functions), "changes the same function", 1.5),
    ):
        for name in sorted(mine & theirs, key=lambda n: (-rare(n), n))[:2]:
            if telling := rare(name):
                tier = _NAME if what != "changes the same function" else _CAUSE
                one.gain(tier, worth * telling, f"{what}, {name}")


def _place(one: Similar, asked: Query) -> None:
    files = {posixpath.basename(path) for path in one.fix.files}
    folders = {_package(path) for path in one.fix.files}
    if shared := sorted(asked.files & files):
        one.gain(_CAUSE, 1.5, f"changes the same file, {shared[0]}")
    elif shared := sorted(asked.callers & set(one.fix.functions)):
        one.gain(_CAUSE, 1.0, f"changes a caller, {shared[0]}")
    near = _common(asked.packages, folders)
    common = sorted(asked.causes & set(one.fix.causes))
    if near and common:
        one.gain(_CAUSE, 2.5, f"fixes the same cause in the same package: {common[0]} in {near[0]}")
    elif near:
        one.gain(_SHAPE, 1.0, f"is in the same package, {near[0]}")
    elif common:
        one.gain(_SHAPE, 1.0, f"fixes the same cause, {common[0]}")
    elif home := _common(asked.homes, folders):
        one.gain(_SHAPE, 0.5, f"is in the package of a caller, {home[0]}")


def _common(mine: Collection[str], theirs: Collection[str]) -> list[str]:
    return sorted(f for p in mine for f in theirs if p and f and _is_same_package(p, f))


def _is_same_package(a: str, b: str) -> bool:
    """Packages may move: `executor` may be `pkg/executor` now."""
    return a == b or a.endswith(f"/{b}") or b.endswith(f"/{a}")


def _likeness(one: Similar, asked: Query) -> None:
    fix = one.fix
    is_test_fix = fix.strategy == TEST
    if is_test_fix and not any("test" in what for what in asked.shape):
        one.points -= 1.0
    for what, worth, alike in (
        ("both accesses are in tests", 1.5, is_test_fix),
        ("one access is in a test", 0.5, is_test_fix),
        ("a test found it", 0.2, is_test_fix),
        ("one access is in a teardown function", 1.0, any(map(is_teardown, fix.functions))),
        ("one access is atomic", 1.0, ATOMIC in fix.strategies),
        ("it is a map access", 1.0, "concurrent-map" in fix.causes),
        ("both accesses are in methods of one type", 0.4, _meet(fix.functions)),
        ("both accesses are in one function", 0.4, len(fix.functions) == 1),
    ):
        if alike and what in asked.shape:
            one.gain(_SHAPE, worth, f"similar: {what}")


def _meet(functions: Collection[str]) -> bool:
    owners = [function.rpartition(".")[0] for function in functions]
    return any(owner and owners.count(owner) > 1 for owner in owners)


def _varied(found: list[Similar]) -> list[Similar]:
    """The most similar fix of each strategy, then the most similar of the rest."""
    first: dict[str, Similar] = {}
    for one in found:
        first.setdefault(one.fix.strategy, one)
    chosen = list(first.values())[:MOST]
    chosen += [one for one in found if one not in chosen][: MOST - len(chosen)]
    return sorted(chosen, key=found.index)

"""Past fixes of similar races in a code base, most similar first, with reasons."""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.model import Origin
from deadheat.repo.mining import is_teardown_function
from deadheat.repo.mining.synchronization_changes import MADE_ATOMIC, TEST_ONLY, is_test_path
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from deadheat.model import Frame, Report
    from deadheat.repo.mining import RaceFix

MAX_SIMILAR = 5
_MAX_CALLERS = 40
# share of fixes above which a name has no meaning
_MAX_NAME_SHARE = 0.06
_NAME_TIER, _CAUSE_TIER, _FEATURE_TIER = 3, 2, 1
_HALF_YEAR_SECONDS = 182 * 86_400


@dataclass(frozen=True, slots=True)
class SimilarityQuery:
    """The features of a race that are compared with past fixes."""

    variables: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()  # of the racing sites, with receiver types
    files: frozenset[str] = frozenset()  # base names
    packages: frozenset[str] = frozenset()  # folders
    callers: frozenset[str] = frozenset()  # other functions in the stacks, with receiver types
    caller_packages: frozenset[str] = frozenset()  # folders of the callers
    causes: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()


@dataclass(slots=True)
class SimilarFix:
    """A past fix and what it has in common with a race."""

    fix: RaceFix
    tier: int = 0
    points: float = 0.0
    why: list[str] = field(default_factory=list)

    def add_reason(self, tier: int, points: float, why: str) -> None:
        self.tier = max(self.tier, tier)
        self.points += points
        self.why.append(why)


def build_query(
    report: Report, variables: Iterable[str] = (), owner: str | None = None, cause: str | None = None
) -> SimilarityQuery:
    sites = [access.site for access in report.accesses if access.site]
    callers = _caller_frames(report, sites)
    variable_names = [*variables]
    if report.location and report.location.name:
        variable_names.append(report.location.name)
    return SimilarityQuery(
        frozenset(name.rpartition(".")[2] for name in variable_names),
        frozenset(t for t in (owner, *map(_receiver_type, sites)) if t),
        frozenset(_method_name(site) for site in sites),
        frozenset(posixpath.basename(site.file) for site in sites),
        frozenset(_package_folder(site.file) for site in sites),
        frozenset(_method_name(frame) for frame in callers),
        frozenset(_package_folder(frame.file) for frame in callers),
        frozenset((cause,) if cause else ()),
        frozenset(_race_features(report, sites)),
    )


def _caller_frames(report: Report, sites: Sequence[Frame]) -> list[Frame]:
    """The callers of the accesses: a race in a library is fixed in its callers."""
    stacks = [a.stack for a in report.accesses] + [a.created_at for a in report.actors]
    frames = dict.fromkeys(frame for stack in stacks for frame in stack)
    callers = [frame for frame in frames if frame.origin == Origin.USER and not frame.stale and frame not in sites]
    # many tests share the same helpers
    return [frame for frame in callers if not is_test_path(frame.file)][:_MAX_CALLERS]


def _package_folder(file: str) -> str:
    """The folder of a file; of a vendored file, that in its own repository."""
    return posixpath.dirname(file.rpartition("vendor/")[2])


def _receiver_type(site: Frame) -> str:
    """`executor.(*HashJoinExec).Close.func1` is a method of HashJoinExec."""
    parts = go.source_function(site.function).split(".")
    return parts[-2].strip("(*)") if len(parts) > 2 else ""


def _method_name(site: Frame) -> str:
    """`executor.(*HashJoinExec).Close.func1` as `(*HashJoinExec).Close`."""
    return go.source_function(site.function).partition(".")[2]


def _race_features(report: Report, sites: Sequence[Frame]) -> Iterable[str]:
    if sites and all(is_test_path(site.file) for site in sites):
        yield "both accesses are in tests"
    elif any(is_test_path(site.file) for site in sites):
        yield "one access is in a test"
    elif report.test or any(is_test_path(f.file) for a in report.accesses for f in a.stack):
        yield "a test found it"
    if any(is_teardown_function(go.source_function(site.function).rpartition(".")[2]) for site in sites):
        yield "one access is in a teardown function"
    if any(op.startswith("atomic") for op in (access.op for access in report.accesses)):
        yield "one access is atomic"
    if any(f.function.startswith("runtime.map") for a in report.accesses for f in a.stack[:2]):
        yield "it is a map access"
    if len(sites) > 1 and len({_method_name(site) for site in sites}) == 1:
        yield "both accesses are in one function"
    elif len(sites) > 1 and _receiver_type(sites[0]) and _receiver_type(sites[0]) == _receiver_type(sites[1]):
        yield "both accesses are in methods of one type"


def find_similar(query: SimilarityQuery, fixes: Sequence[RaceFix], excluded: Collection[str] = ()) -> list[SimilarFix]:
    """The past fixes most similar to a race, without those in `excluded`: its own fixes."""
    usable = [f for f in fixes if f.commit not in excluded and not f.reverted_by and not f.brings]
    name_rarity = _NameRarity(usable)
    newest = max((fix.time for fix in usable), default=0)
    similar_fixes = []
    for fix in usable:
        similar_fix = SimilarFix(fix)
        _compare_names(similar_fix, query, name_rarity)
        _compare_location(similar_fix, query)
        _compare_features(similar_fix, query)
        if similar_fix.tier:
            age = (newest - fix.time) / _HALF_YEAR_SECONDS
            similar_fix.points += 0.5 / (1 + max(age, 0))  # newer fixes are more relevant
            similar_fixes.append(similar_fix)
    similar_fixes.sort(key=lambda each: (-each.tier, -each.points, -each.fix.time, each.fix.commit))
    return _diversify_strategies(similar_fixes)


class _NameRarity:
    """Weights names: the fewer fixes contain a name, the higher."""

    def __init__(self, fixes: Sequence[RaceFix]) -> None:
        self._counts = Counter(name for f in fixes for name in {*f.variables, *f.types, *f.functions})
        self._fix_count = max(len(fixes), 1)

    def __call__(self, name: str) -> float:
        """From 0 for a name without meaning up to 2."""
        share = self._counts[name] / self._fix_count
        if len(name) < 3 or (share > _MAX_NAME_SHARE and self._counts[name] > 3):
            return 0.0
        return min(2.0, 0.5 + math.log10(1 / max(share, 0.001)) / 2)


def _compare_names(similar_fix: SimilarFix, query: SimilarityQuery, name_rarity: _NameRarity) -> None:
    fix = similar_fix.fix
    for own_names, fix_names, what, points in (
        (query.variables, set(fix.variables), "is about the same variable", 3.0),
        (query.types, set(fix.types), "changes the same type", 2.0),
        (query.functions, set(fix.functions), "changes the same function", 1.5),
    ):
        for name in sorted(own_names & fix_names, key=lambda n: (-name_rarity(n), n))[:2]:
            if rarity := name_rarity(name):
                tier = _NAME_TIER if what != "changes the same function" else _CAUSE_TIER
                similar_fix.add_reason(tier, points * rarity, f"{what}, {name}")


def _compare_location(similar_fix: SimilarFix, query: SimilarityQuery) -> None:
    files = {posixpath.basename(path) for path in similar_fix.fix.files}
    folders = {_package_folder(path) for path in similar_fix.fix.files}
    if shared_names := sorted(query.files & files):
        similar_fix.add_reason(_CAUSE_TIER, 1.5, f"changes the same file, {shared_names[0]}")
    elif shared_names := sorted(query.callers & set(similar_fix.fix.functions)):
        similar_fix.add_reason(_CAUSE_TIER, 1.0, f"changes a caller, {shared_names[0]}")
    near_folders = _common_folders(query.packages, folders)
    common_causes = sorted(query.causes & set(similar_fix.fix.causes))
    if near_folders and common_causes:
        why = f"fixes the same cause in the same package: {common_causes[0]} in {near_folders[0]}"
        similar_fix.add_reason(_CAUSE_TIER, 2.5, why)
    elif near_folders:
        similar_fix.add_reason(_FEATURE_TIER, 1.0, f"is in the same package, {near_folders[0]}")
    elif common_causes:
        similar_fix.add_reason(_FEATURE_TIER, 1.0, f"fixes the same cause, {common_causes[0]}")
    elif caller_folders := _common_folders(query.caller_packages, folders):
        similar_fix.add_reason(_FEATURE_TIER, 0.5, f"is in the package of a caller, {caller_folders[0]}")


def _common_folders(own_folders: Collection[str], fix_folders: Collection[str]) -> list[str]:
    """Packages may move: `executor` may be `pkg/executor` now."""
    pairs = [(f"/{own}", f"/{fix}") for own in own_folders for fix in fix_folders if own and fix]
    return sorted(fix[1:] for own, fix in pairs if own.endswith(fix) or fix.endswith(own))


def _compare_features(similar_fix: SimilarFix, query: SimilarityQuery) -> None:
    fix = similar_fix.fix
    is_test_fix = fix.strategy == TEST_ONLY
    if is_test_fix and not any("test" in what for what in query.features):
        similar_fix.points -= 1.0
    for what, points, matches in (
        ("both accesses are in tests", 1.5, is_test_fix),
        ("one access is in a test", 0.5, is_test_fix),
        ("a test found it", 0.2, is_test_fix),
        ("one access is in a teardown function", 1.0, any(map(is_teardown_function, fix.functions))),
        ("one access is atomic", 1.0, MADE_ATOMIC in fix.strategies),
        ("it is a map access", 1.0, "concurrent-map" in fix.causes),
        ("both accesses are in methods of one type", 0.4, _share_receiver(fix.functions)),
        ("both accesses are in one function", 0.4, len(fix.functions) == 1),
    ):
        if matches and what in query.features:
            similar_fix.add_reason(_FEATURE_TIER, points, f"similar: {what}")


def _share_receiver(functions: Collection[str]) -> bool:
    owners = [function.rpartition(".")[0] for function in functions]
    return any(owner and owners.count(owner) > 1 for owner in owners)


def _diversify_strategies(similar_fixes: list[SimilarFix]) -> list[SimilarFix]:
    """The most similar fix of each strategy, then the most similar of the rest."""
    first_by_strategy: dict[str, SimilarFix] = {}
    for similar_fix in similar_fixes:
        first_by_strategy.setdefault(similar_fix.fix.strategy, similar_fix)
    chosen = list(first_by_strategy.values())[:MAX_SIMILAR]
    chosen += [similar_fix for similar_fix in similar_fixes if similar_fix not in chosen][: MAX_SIMILAR - len(chosen)]
    return sorted(chosen, key=similar_fixes.index)

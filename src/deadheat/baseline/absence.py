"""Whether known races that were not found are gone: the runs of tests, and the judgement by them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.baseline import KnownRace
    from deadheat.baseline.test_runs import RunEvent


class AbsenceState(StrEnum):
    """What the logs say about a known race that was not found."""

    GONE = "gone"  # its test ran to its end
    NOT_RUN = "not run"  # its test did not run, or not to its end
    NOT_KNOWN = "not known"  # the logs or the baseline do not tell


class Absence(NamedTuple):
    """The state of a known race that was not found, and why."""

    state: AbsenceState
    why: str
    is_assumable: bool = False  # if the run was complete, the race is gone


@dataclass(slots=True)
class PackageRun:
    """One run of the tests of a package.

    `result` is `pass`, `fail`, `skip` (no test files), `broken` (not built), `cached`, `none` (no test ran) or `cut`.
    """

    result: str = "cut"
    is_verbose: bool = False  # every test that ended is named
    is_partial: bool = False  # perhaps not all tests were asked for
    tests: dict[str, set[str]] = field(default_factory=dict)  # the results of tests of known races


class RaceOrigin(NamedTuple):
    """Where a known race was seen, as far as the baseline tells."""

    package: str
    folders: tuple[str, ...]  # of its test files, if the package is not known
    tests: tuple[str, ...]

    @property
    def package_name(self) -> str:
        return self.package or " and ".join(self.folders)


def origin_of(entry: KnownRace) -> RaceOrigin:
    """Where a known race was seen. Test files are only used by the tests of their own package."""
    files = [site.rpartition(" ")[2] for site in entry.sites]
    folders = {file.rpartition("/")[0] for file in files if file.endswith("_test.go")} - {""}
    return RaceOrigin(entry.package, tuple(sorted(folders)), tuple(filter(None, (entry.test, entry.other_test))))


class TestRunEvidence:
    """The runs of packages in all documents, and the judgement of races that were not found."""

    __test__ = False  # not a test case

    def __init__(self) -> None:
        self._runs: dict[str, list[PackageRun]] = {}
        self._text_run = PackageRun()  # of the package whose closing line comes next
        self._json_runs: dict[str, PackageRun] = {}
        self._reversed_names: list[str] | None = None  # of the packages, sorted
        self._is_partial = False
        self._package_ends: dict[str, tuple[list[int], list[str]]] = {}  # by document
        self._uri = ""
        self._why_nothing = ""
        self.has_text = False

    def add_events(self, events: Iterable[RunEvent]) -> None:
        """Adds the events of the next part of a document, or of the next documents."""
        for event in events:
            if event.kind == "document":
                self.finish()
                self._uri = event.test
            elif event.kind == "text":
                self.has_text = True
            elif event.kind == "selected":
                self._is_partial = True
            elif event.kind == "end":
                self._text_run.result = event.result
                self._end_run(event.package, self._text_run)
                self._text_run = PackageRun()
                offsets, packages = self._package_ends.setdefault(self._uri, ([], []))
                if packages[-1:] == [event.package]:
                    offsets[-1] = event.offset
                else:
                    offsets.append(event.offset)
                    packages.append(event.package)
            elif event.kind == "json-end":
                run = self._json_runs.pop(event.package, None) or PackageRun(is_verbose=True)
                run.result = event.result
                self._end_run(event.package, run)
            else:
                self._add_to_run(event)

    def _add_to_run(self, event: RunEvent) -> None:
        run = self._text_run
        if event.package:
            run = self._json_runs.setdefault(event.package, PackageRun(is_verbose=True))
        if event.kind == "test":
            run.tests.setdefault(event.test, set()).add(event.result)
        elif event.kind == "verbose":
            run.is_verbose = True
        else:
            run.is_partial = True

    def _end_run(self, package: str, run: PackageRun) -> None:
        run.is_partial = run.is_partial or self._is_partial
        self._reversed_names = None
        runs = self._runs.setdefault(package, [])
        if runs[-1:] != [run]:
            runs.append(run)

    def finish(self) -> None:
        """Ends a document. Tests in text without a closing line belong to no package."""
        for package, run in self._json_runs.items():
            self._end_run(package, run)
        self._json_runs, self._text_run, self._is_partial = {}, PackageRun(), False

    def mark_partial(self) -> None:
        """Notes that the command selects tests."""
        for runs in self._runs.values():
            for run in runs:
                run.is_partial = True

    def discard(self, why: str) -> None:
        """Notes why the runs tell nothing about races."""
        self._why_nothing = why

    def package_of(self, uri: str, offset: int, stream: str | None) -> str:
        """The package in whose output this place is; empty if that is not known."""
        named = [package for package in self._runs if stream and stream.endswith(package)]
        if named:
            return max(named, key=len)
        offsets, packages = self._package_ends.get(uri, ([], []))
        index = bisect_right(offsets, offset)
        return packages[index] if index < len(packages) else ""

    def _packages_of(self, origin: RaceOrigin) -> Iterable[str]:
        """The packages with a run in which a race may have been seen."""
        if origin.package:
            return (origin.package,)
        found = {folder for folder in origin.folders if folder in self._runs}
        if self._reversed_names is None:
            self._reversed_names = sorted(package[::-1] for package in self._runs)
        for folder in origin.folders:
            start = f"/{folder}"[::-1]
            for at in range(bisect_left(self._reversed_names, start), len(self._reversed_names)):
                if not self._reversed_names[at].startswith(start):
                    break
                found.add(self._reversed_names[at][::-1])
        return sorted(found)

    def judge_absence(self, entry: KnownRace, assume_complete: bool = False) -> Absence:
        """Whether a known race that was not found is gone."""
        if self._why_nothing:
            return Absence(AbsenceState.NOT_KNOWN, self._why_nothing)
        origin = origin_of(entry)
        runs = [run for package in self._packages_of(origin) for run in self._runs.get(package, ())]
        absence = _judge_runs(origin, runs)
        if not absence.is_assumable or not assume_complete:
            return absence
        if not self.has_text:
            return Absence(AbsenceState.NOT_RUN, "the logs are empty")
        if any(run.result == "broken" for runs in self._runs.values() for run in runs):
            return Absence(AbsenceState.NOT_RUN, "a package was not built")
        return Absence(AbsenceState.GONE, "the run was complete")


# results of a package, the first of which decides
_WHY_NO_RUN: Final = (
    ("broken", "was not built"),
    ("cached", "is from the cache"),
    ("none", "ran no tests"),
    ("skip", "has no test files"),
)


def _judge_runs(origin: RaceOrigin, runs: list[PackageRun]) -> Absence:
    """The judgement by the runs of the package in which a race was seen."""
    package = origin.package_name
    if not package:
        return Absence(AbsenceState.NOT_KNOWN, "the baseline names no Go package", is_assumable=True)
    if not runs:
        return Absence(AbsenceState.NOT_KNOWN, f"no result of {package}", is_assumable=True)
    for result, why in _WHY_NO_RUN:
        if any(run.result == result for run in runs) and (result == "broken" or all(r.result == result for r in runs)):
            return Absence(AbsenceState.NOT_RUN, f"{package} {why}")
    # without the names of tests, a run tells about all tests or none
    has_passed = {*(run.result for run in runs)} <= {"pass", "cached", "none", "skip"} and any(
        run.result == "pass" and not run.is_partial and not (origin.tests and run.is_verbose) for run in runs
    )
    if has_passed:
        return Absence(AbsenceState.GONE, f"{package} passed")
    for test in origin.tests:
        results = {result for run in runs if run.result != "cached" for result in run.tests.get(test, ())}
        if "pass" not in results:
            return _judge_missing_test(test, results, package, runs)
    if origin.tests:
        return Absence(AbsenceState.GONE, f"{' and '.join(origin.tests)} passed")
    return _judge_unfinished(package, runs)


def _judge_missing_test(test: str, results: set[str], package: str, runs: list[PackageRun]) -> Absence:
    if results:
        return Absence(AbsenceState.NOT_RUN, f"{test} {'failed' if 'fail' in results else 'was skipped'}")
    if any(run.result in ("fail", "cut") for run in runs):
        return _judge_unfinished(package, runs)
    if any(run.is_verbose and run.result == "pass" for run in runs):
        return Absence(AbsenceState.NOT_RUN, f"no result of {test} in {package}", is_assumable=True)
    return _judge_unfinished(package, runs)


def _judge_unfinished(package: str, runs: list[PackageRun]) -> Absence:
    for result, why in (("fail", "failed"), ("cut", "has no closing line")):
        if any(run.result == result for run in runs):
            return Absence(AbsenceState.NOT_RUN, f"{package} {why}")
    return Absence(AbsenceState.NOT_RUN, f"perhaps only some tests of {package} were run", is_assumable=True)

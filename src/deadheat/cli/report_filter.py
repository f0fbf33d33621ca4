"""The options of `scan` that choose reports and races: by detector, package and test, and by a baseline."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from deadheat import plugins

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from deadheat.grouping.races import GroupingFacts
    from deadheat.model import Report


def add_filter_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("which races")
    group.add_argument(
        "--detector", action="append", default=[], metavar="NAME", choices=[d.name for d in plugins.all_detectors()],
        help="only reports of this detector; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--package", action="append", default=[], metavar="PATTERN",
        help="only reports with a racing line in this package or folder: executor, acme/*, src/net; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--test", action="append", default=[], metavar="PATTERN",
        help="only reports in this test or its sub-tests: TestTake, 'Test*Cart'; may repeat",
    )  # fmt: skip
    group.add_argument("--new-since", metavar="FILE", help="only races that are not in this baseline of `gate`")


def report_filter(args: argparse.Namespace) -> Callable[[Report], bool] | None:
    """A test for the reports that the options choose; None if they choose all."""
    if not (args.detector or args.package or args.test):
        return None

    def is_wanted(report: Report) -> bool:
        return (
            (not args.detector or report.detector in args.detector)
            and (not args.package or any(matches_package(report, pattern) for pattern in args.package))
            and (not args.test or any(matches_test(report.test or "", pattern) for pattern in args.test))
        )

    return is_wanted


def matches_package(report: Report, pattern: str) -> bool:
    """Whether a racing line is in a package or folder with this path, or whose path ends with it."""
    sites = [access.site for access in report.accesses if access.site is not None]
    paths = {path for site in sites for path in (site.package, site.file.rpartition("/")[0]) if path}
    pattern = pattern.rstrip("/")
    return any(fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}") for path in paths)


def matches_test(test: str, pattern: str) -> bool:
    return fnmatchcase(test, pattern) or fnmatchcase(test, f"{pattern}/*")


class NewRaces:
    """The races of a run that are not in a baseline."""

    def __init__(self, baseline_file: str, quiet: bool) -> None:
        from deadheat.cli.gate import load_baseline  # not needed by most scans

        self._baseline = load_baseline(baseline_file, quiet)

    def compare(self, facts: GroupingFacts) -> None:
        """Compares all races of a run with the baseline."""
        from datetime import date

        from deadheat.baseline.judgement import BaselineGate

        self.gate = BaselineGate(self._baseline, facts, date.today().isoformat())

"""`deadheat bisect`: runs commits until it is known which one introduced or fixed a race."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat import cli
from deadheat.cli import kept_verifications, race_runs
from deadheat.cli.progress import show_progress
from deadheat.cli.spark_and_lake import run_with_spark_errors
from deadheat.cli.trial_hosts import add_trial_spark_options, open_trial_hosts
from deadheat.cli.verify import parse_confidence
from deadheat.errors import DeadheatError
from deadheat.printable import format_json

if TYPE_CHECKING:
    import argparse

    from deadheat.cli.progress import ProgressLine
    from deadheat.cli.race_runs import RaceUnderTest
    from deadheat.cli.trial_hosts import TrialHosts
    from deadheat.verification.bisection import Change
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.commit_search import CommitSearch, SearchVerdict, SwitchedTree
    from deadheat.verification.commit_search_report import SearchContext
    from deadheat.verification.search_records import SearchRecords
    from deadheat.verification.trials import Configuration

    JsonDict = dict[str, Any]

EXIT_FOUND, EXIT_OUTSIDE, EXIT_NOT_KNOWN = 0, 1, 4
# to choose the configuration: this share of the time at most, and so many sightings
_SHARE_TO_CHOOSE, _SIGHTINGS_TO_CHOOSE = 0.2, 20
_SECONDS_BETWEEN_ESTIMATES = 0.5
_MAX_SILENT = 2  # commits that fit the report and do not show the race

_EXAMPLES = """examples:
  deadheat bisect ci.log --repo . --introduced
  deadheat bisect 47d9f89a --lake races-lake --repo . --fixed --to v2.1.0 --time 1h
  deadheat bisect tsan.log --repo . --from v1.0 --build 'make -C src' -- ./src/tests

exit status: 0 found, 1 no commit of the range, 4 not enough time or information, 2 wrong usage,
3 the environment failed
"""


def add_bisect_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "bisect",
        help="run commits, and say which one introduced or fixed a race",
        description="Builds and runs commits, in the order that tells most per second, until the probability that one"
        " of them introduced (or fixed) the race is high enough. Skips commits that do not build or do not have the"
        " test. Results are kept: the same command goes on where it was interrupted.",
        epilog=_EXAMPLES,
    )
    race_runs.add_race_arguments(command)
    which = command.add_mutually_exclusive_group()
    which.add_argument("--introduced", action="store_true", help="search the commit that introduced it (default)")
    which.add_argument("--fixed", action="store_true", help="search the commit that fixed it")
    command.add_argument(
        "--from", dest="oldest", metavar="COMMIT",
        help="the oldest commit; default: before the functions of the report; with --fixed, one that fits the report",
    )  # fmt: skip
    command.add_argument(
        "--to", dest="newest", metavar="COMMIT",
        help="the newest commit; default: one that fits the report; with --fixed, HEAD",
    )  # fmt: skip
    command.add_argument(
        "--confidence", type=parse_confidence, default=0.95, metavar="P",
        help="that the answer must have, such as 0.99; default: 0.95",
    )  # fmt: skip
    command.add_argument("--no-cache", action="store_true", help="neither use nor keep results")
    race_runs.add_trial_options(command)
    add_trial_spark_options(command)
    command.set_defaults(run=run_bisect)


def run_bisect(args: argparse.Namespace) -> int:
    return race_runs.run_interruptibly(lambda: run_with_spark_errors(args, lambda: _bisect(args)))


def _bisect(args: argparse.Namespace) -> int:
    from deadheat.verification import record
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.commit_search import SwitchedTree
    from deadheat.verification.worktrees import WorkTrees

    with ExitStack() as stack, show_progress(args.quiet, "reading the clone") as progress:
        race = race_runs.open_race(args, stack, progress)
        plan = race_runs.choose_race_plan(args, race)
        ends = _find_ends(args, race)
        with progress.paused():
            if not race_runs.ask_to_run(plan, ends.racing[0], args):
                return cli.EXIT_INTERRUPTED
        trees = stack.enter_context(WorkTrees(race.clone.git))
        builder = CodeBuilder(trees, plan, race.sought.report)
        source = stack.enter_context(SwitchedTree(builder, race.clone, race.dossier))
        hosts = open_trial_hosts(args, builder, stack, progress)
        session = _Session(args, race, ends, builder, source, progress, hosts)
        search = session.search(stack)
        result = session.write_result(search)
        versions = kept_verifications.code_versions(race.clone, search.commits.racing_commit)
    if args.lake:
        kept_verifications.keep_result(args, result, record.row_of_search, versions)
    return exit_status(search.conclude().verdict)


def exit_status(verdict: SearchVerdict) -> int:
    from deadheat.verification.commit_search import SearchVerdict

    statuses = {SearchVerdict.FOUND: EXIT_FOUND, SearchVerdict.OUTSIDE: EXIT_OUTSIDE}
    return statuses.get(verdict, EXIT_NOT_KNOWN)


class _Ends(NamedTuple):
    """The ends of the range."""

    change: Change
    racing: list[str]  # commits that may show the race, the best first
    racing_note: str
    other: str | None  # None: to be found


def _find_ends(args: argparse.Namespace, race: RaceUnderTest) -> _Ends:
    from deadheat.verification.bisection import Change
    from deadheat.verification.commit_range import find_commit_range, fitting_commits

    old, new = (
        race_runs.resolve_commit(race.clone, name, option) if name else None
        for name, option in ((args.oldest, "--from"), (args.newest, "--to"))
    )
    change = Change.FIXED if args.fixed else Change.INTRODUCED
    racing, other = (old, new) if args.fixed else (new, old)
    note = race.commit_note
    if racing:
        wanted, note = [racing], f"given with --from {args.oldest}" if args.fixed else f"given with --to {args.newest}"
    elif args.at or race.dossier.pin is None:
        wanted = [race.commit]
    else:
        window = race.dossier.pin.best_window
        wanted = fitting_commits(race.clone, window.first, window.last)
    while True:
        try:
            find_commit_range(race.clone, race.dossier, change, wanted[0], other)
        except DeadheatError:  # no commit comes after the newest one that fits: an older one may show the race, too
            if len(wanted) == 1:
                raise
            wanted = wanted[1:]
        else:
            return _Ends(change, wanted, note, other)


class _RacingCommit(NamedTuple):
    """A commit that shows the race, and the configuration that shows it best."""

    commit: str
    configuration: Configuration
    was_interrupted: bool = False


@dataclass
class _Session:
    """One bisection with its temporary trees."""

    args: argparse.Namespace
    race: RaceUnderTest
    ends: _Ends
    builder: CodeBuilder
    source: SwitchedTree
    progress: ProgressLine
    hosts: TrialHosts
    _started: float = field(default_factory=time.monotonic)
    _doing: str = ""
    _shown_at: float = 0.0

    def search(self, stack: ExitStack) -> CommitSearch:
        """Choose the configuration, unless it is known, and search."""
        from deadheat.verification.commit_range import find_commit_range
        from deadheat.verification.commit_search import CommitSearch

        args, race = self.args, self.race
        records = stack.enter_context(self._open_records())
        racing = self._find_racing(records)
        commits = find_commit_range(race.clone, race.dossier, self.ends.change, racing.commit, self.ends.other)
        configuration = racing.configuration
        executor = stack.enter_context(self.hosts.start_executor(configuration.processes_per_core))
        seconds = max(1.0, args.time - self._elapsed)
        search = CommitSearch(
            race.sought, commits, self.source, configuration, executor, records, seconds, args.confidence, self._show,
            was_interrupted=racing.was_interrupted,
        )  # fmt: skip
        if not racing.was_interrupted:
            search.run()
        search.elapsed = self._elapsed
        return search

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _show(self, search: CommitSearch, doing: str) -> None:
        from deadheat.verification.commit_search_report import running_estimate

        if not self._shown_at:
            self.progress.start_phase("bisecting", search.seconds, race_runs.format_seconds)
        now = time.monotonic()
        if doing != self._doing or now - self._shown_at > _SECONDS_BETWEEN_ESTIMATES:
            self._doing, self._shown_at = doing, now
            self.progress.prefix = f"{running_estimate(search)}, {doing}  "
        self.progress.show_done(search.elapsed)

    def _open_records(self) -> SearchRecords:
        from deadheat.verification.search_records import SearchKey, SearchRecords, records_path

        if self.args.no_cache:
            return SearchRecords()
        tree = self.source.check_out(self.ends.racing[0])
        if self.builder.plan.go_test is not None:
            self.builder.go_build("toolchain", tree)
        key = SearchKey(self.race.sought.id, self.builder.plan, self._toolchain, self.args.master or "")
        return SearchRecords(records_path(key))

    @property
    def _toolchain(self) -> str:
        return self.builder.toolchain.version_text if self.builder.toolchain else ""

    def _find_racing(self, records: SearchRecords) -> _RacingCommit:
        """A commit that shows the race, and the configuration that shows it most often per second.

        These trials count for nothing else: the rate of the best of several is too high.
        """
        from deadheat.verification.campaign import Budget
        from deadheat.verification.go_tests import BuildError

        possible = race_runs.possible_configurations(self.builder.plan, self.hosts.cores)
        names = {each.name: each for each in possible}
        wanted = self.ends.racing
        if records.configuration in names and (records.racing in wanted or len(wanted) == 1):
            commit = records.racing if records.racing in wanted else wanted[0]
            return _RacingCommit(commit, names[records.configuration])
        waiting = [*wanted]
        silent: list[str] = []
        fault: BuildError | None = None
        while waiting and len(silent) < _MAX_SILENT:
            commit = waiting.pop(-1 if silent else 0)  # the oldest one, if the newest does not show it
            try:
                version = self.source.open(commit)
            except BuildError as error:
                fault = fault or error
                continue
            records.add_build(commit, version.build_seconds)
            budget = Budget(self.args.time * _SHARE_TO_CHOOSE, sightings=_SIGHTINGS_TO_CHOOSE)
            campaign = race_runs.run_campaign(self.race, self.builder, version.code, budget, self.progress, self.hosts)
            best = campaign.best if campaign.counts.sightings else None
            if best is not None and not campaign.was_interrupted:
                records.choose_configuration(best.arm.name, campaign.seed, commit)
            if best is not None or campaign.was_interrupted:
                configuration = names[best.arm.name] if best else possible[0]
                return _RacingCommit(commit, configuration, campaign.was_interrupted)
            silent.append(commit)
        if not silent:
            assert fault is not None
            raise fault
        return _RacingCommit(silent[0], possible[0])

    def write_result(self, search: CommitSearch) -> JsonDict:
        """Print the result; returns it as JSON."""
        from deadheat.verification import commit_search_report

        context = self._context()
        result = commit_search_report.search_to_json(search, context)
        if self.args.format == "json":
            print(format_json(result, indent=1))
        elif self.args.format == "markdown":
            print(commit_search_report.search_markdown(search, context), end="")
        else:
            print("\n".join(commit_search_report.search_lines(search, context)))
        return result

    def _context(self) -> SearchContext:
        from deadheat.verification.commit_search_report import SearchContext

        builder, place = self.builder, self.hosts.place()
        return SearchContext(
            self.race.clone,
            builder.plan,
            self.ends.racing_note,
            self._toolchain,
            place,
            (*builder.plan.notes, *dict.fromkeys(builder.trees.notes), *place.notes),
        )

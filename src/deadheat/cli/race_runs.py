"""What `reproduce`, `verify` and `bisect` share: the race that is sought, its dossier, consent to run, and options."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deadheat import cli
from deadheat.cli import kept_verifications
from deadheat.errors import DeadheatError, UnreadableError
from deadheat.printable import visible_text
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import ExitStack
    from types import FrameType

    from deadheat.cli.progress import ProgressLine
    from deadheat.cli.trial_hosts import TrialHosts
    from deadheat.model import Sighting
    from deadheat.repo.clone import Clone
    from deadheat.repo.dossier import Dossier
    from deadheat.verification.campaign import Budget, Campaign
    from deadheat.verification.code_under_test import CodeBuilder, RunPlan
    from deadheat.verification.sought_race import SoughtRace
    from deadheat.verification.trials import Configuration, TrialCode, TrialLimits

DEFAULT_SECONDS, DEFAULT_TRIAL_SECONDS = 600.0, 60.0
# "90", "90s", "10m", "1h", "1h30m"
_DURATION = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,6})m(?:in)?)?(?:(\d{1,8}(?:\.\d{1,3})?)s?)?")
_MAX_SHOWN_RACES = 20
_SECONDS_TO_CLEAN_UP = 5.0
# "v1.2", "HEAD^", "main~3^2"
_REVISION = re.compile(r"([^~^]{1,300})((?:[~^]\d{0,6}){0,20})")


def parse_duration(text: str) -> float:
    """`10m` as 600.0."""
    match = _DURATION.fullmatch(text.replace(" ", "")) if text else None
    hours, minutes, seconds = match.groups() if match else (None, None, None)
    total = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 10m or 1h30m")
    return total


def add_race_arguments(command: argparse.ArgumentParser) -> None:
    assert isinstance(command, cli.CommandParser)
    command.words_dest = "argv"
    command.usage = "%(prog)s [OPTION]... --repo DIR RACE|REPORT [-- COMMAND...]"
    command.add_argument("race", metavar="RACE|REPORT", help="a race id of the lake, a file with its report, or - ")
    command.add_argument(
        "--repo", action="append", required=True, metavar="DIR", help="a clone of the code; only read; may repeat"
    )
    command.add_argument("--lake", metavar="DIR", help="the lake of a race id; it keeps the result")
    command.add_argument("--race", dest="chosen", metavar="ID", help="which race of a REPORT with several")
    command.add_argument("--at", metavar="COMMIT", help="run this commit, not the one that fits the report")


def add_trial_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--time", type=parse_duration, default=DEFAULT_SECONDS, metavar="DURATION",
        help="stop after this time, such as 90s, 10m, 1h; default: 10m",
    )  # fmt: skip
    command.add_argument(
        "--jobs", type=cli.integer_at_least(1), metavar="N", help="trials at once; default: one per core"
    )
    command.add_argument(
        "--timeout", type=parse_duration, default=DEFAULT_TRIAL_SECONDS, metavar="DURATION",
        help="kill a trial after this time; default: 60s",
    )  # fmt: skip
    command.add_argument("--memory", type=cli.integer_at_least(16), metavar="MIB", help="limit of one trial, in MiB")
    command.add_argument(
        "--tests-from", metavar="COMMIT",
        help="take the test files (*_test.go, testdata) of the package from this commit, such as the fix",
    )  # fmt: skip
    command.add_argument(
        "--tests-path", action="append", default=[], metavar="GLOB",
        help="with --tests-from: take these files too, such as 'tests/**'; may repeat",
    )  # fmt: skip
    command.add_argument("--build", metavar="COMMAND", help="a shell command that builds the code for COMMAND")
    command.add_argument("--yes", action="store_true", help="do not ask before the first command runs")
    command.add_argument("--format", choices=("json", "markdown", "text"), default="text", help="default: text")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")


def core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def trial_limits(args: argparse.Namespace, processes: int) -> TrialLimits:
    """The limits of one trial if so many run at once."""
    from deadheat.verification.processes import default_memory_limit
    from deadheat.verification.trials import TrialLimits

    memory = args.memory << 20 if args.memory else default_memory_limit(processes)
    return TrialLimits(min(args.timeout, max(1.0, args.time)), memory)


def run_interruptibly(work: Callable[[], int]) -> int:
    """Run a command that SIGTERM and SIGHUP end as Ctrl-C does: with its result so far, and nothing left behind."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    interrupted_at = -_SECONDS_TO_CLEAN_UP

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted_at
        # a second Ctrl-C soon after the first one would disturb the cleaning up
        if time.monotonic() - interrupted_at >= _SECONDS_TO_CLEAN_UP:
            interrupted_at = time.monotonic()
            raise KeyboardInterrupt

    numbers = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if _is_handled(number)]
    handlers = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        return work()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _is_handled(number: signal.Signals) -> bool:
    """Whether a signal has an effect: `nohup` and shells without job control switch some off."""
    return signal.getsignal(number) not in (signal.SIG_IGN, None)


class RaceUnderTest(NamedTuple):
    """The race that is sought, with its dossier and the commit that shows it."""

    sought: SoughtRace
    dossier: Dossier
    clone: Clone
    commit: str
    commit_note: str


def open_race(args: argparse.Namespace, stack: ExitStack, progress: ProgressLine) -> RaceUnderTest:
    """Find the race, and its version in the clone."""
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import DocumentHints, hints_from_document
    from deadheat.repo.dossier import build_dossier
    from deadheat.verification.sought_race import SoughtRace

    kept_verifications.check_lake(args)
    sightings = _find_sightings(args)
    clones = [stack.enter_context(Clone(path, progress.show_count)) for path in args.repo]
    # a revision that the user gives is checked first
    hints = DocumentHints(revisions=_likely_revisions(args, clones))
    hints = hints.merge_with(hints_from_document(sightings[0].document))
    dossier = build_dossier(sightings[0].report, clones, hints)
    clone = next((each for each in clones if each.git.clone_path == dossier.repo_path), clones[0])
    commit, note = _choose_commit(args, dossier, clone)
    return RaceUnderTest(SoughtRace(sightings), dossier, clone, commit, note)


def _likely_revisions(args: argparse.Namespace, clones: Sequence[Clone]) -> tuple[str, ...]:
    """Revisions that the report probably comes from. The parent of a fix is one: the fix itself may fit as well."""
    if args.at:
        return (args.at,)
    fixes = [clone.resolve_revision(args.fix) for clone in clones] if getattr(args, "fix", None) else []
    parents = [clone.git.object_ids([f"{fix}^"])[0] for clone, fix in zip(clones, fixes, strict=False) if fix]
    return tuple(filter(None, parents))


def resolve_commit(clone: Clone, name: str, option: str) -> str:
    match = _REVISION.fullmatch(name)
    base, ancestor = match.groups() if match else (name, "")
    commit = clone.resolve_revision(base)
    if commit and ancestor:
        commit = clone.git.object_ids([f"{commit}{ancestor}"])[0]
    if commit is None:
        raise DeadheatError(f"{option} {name}: no such revision", clone.git.clone_path, "fetch it into the clone")
    return commit


def choose_race_plan(args: argparse.Namespace, race: RaceUnderTest) -> RunPlan:
    """What to run: the command of the user or the dossier, with the tests of the code or of another commit."""
    from deadheat.verification.code_under_test import TestsOfCommit, choose_plan

    if args.tests_path and not args.tests_from:
        raise DeadheatError("--tests-path needs a commit", " ".join(args.tests_path), "give it with --tests-from")
    tests = None
    if args.tests_from:
        commit = resolve_commit(race.clone, args.tests_from, "--tests-from")
        tests = TestsOfCommit(commit, tuple(args.tests_path))
    return choose_plan(race.dossier, args.argv, args.build or "", tests)


def _choose_commit(args: argparse.Namespace, dossier: Dossier, clone: Clone) -> tuple[str, str]:
    if args.at:
        return resolve_commit(clone, args.at, "--at"), f"given with --at {args.at}"
    if dossier.pin is not None:
        commit = dossier.pin.best_window.last
        how = "fits the report" if dossier.pin.is_exact else "fits the report best"
        return commit, f"{how}: {dossier.pin.fitting_count} of {dossier.pin.frame_count} frames"
    commit = clone.resolve_revision("HEAD") or ""
    if not commit:
        where = clone.git.clone_path
        raise DeadheatError("no commit fits the report, and HEAD is not known", where, "give one with --at")
    return commit, "HEAD, because no commit fits the report"


def _find_sightings(args: argparse.Namespace) -> list[Sighting]:
    """The sightings of the race in a report, or the example in a lake."""
    if args.race == "-" or Path(args.race).exists():
        return _sightings_of_report(args)
    if not args.lake:
        raise DeadheatError("no such file", args.race, "for a race id, give its --lake")
    from deadheat.cli import spark_and_lake

    lake = spark_and_lake.open_lake(args.lake).require()
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries
    return [queries.example_sighting(lake, queries.find_race(lake, args.race))]


def _sightings_of_report(args: argparse.Namespace) -> list[Sighting]:
    from deadheat.api import read_opened_documents
    from deadheat.grouping.race_assignment import assign_races
    from deadheat.model import Sighting
    from deadheat.sources import files

    sightings: list[Sighting] = []
    faults: list[UnreadableError] = []
    for entry in file_listing.list_entries([args.race]):
        documents = [entry] if isinstance(entry, UnreadableError) else files.open_documents(files.FileRange(entry))
        for item in read_opened_documents(documents):
            if isinstance(item, UnreadableError):
                faults.append(item)
            elif isinstance(item, Sighting):
                sightings.append(item)
    if faults and not args.quiet:
        for fault in faults:
            cli.print_to_stderr(str(fault))
    return _choose_race(assign_races(sightings), args)


def _choose_race(sightings: list[Sighting], args: argparse.Namespace) -> list[Sighting]:
    by_race: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_race.setdefault(sighting.verdict.race, []).append(sighting)
    if args.chosen:
        by_race = {race: found for race, found in by_race.items() if race.startswith(args.chosen)}
    if not by_race:
        raise DeadheatError("no race is in it", visible_text(args.race), "`deadheat scan` shows what is read")
    if len(by_race) > 1:
        for race, found in list(by_race.items())[:_MAX_SHOWN_RACES]:
            cli.print_to_stderr(f"{race}  {found[0].verdict.title}")
        what = f"{len(by_race)} races are in it"
        raise DeadheatError(what, visible_text(args.race), "choose one with --race ID")
    (found,) = by_race.values()
    # a report with both sides and all frames comes first: the dossier is made from it
    return sorted(found, key=lambda each: (-len(each.report.accesses), len(each.report.damage)))


def ask_to_run(plan: RunPlan, commit: str, args: argparse.Namespace) -> bool:
    """Show what will run, and ask on a terminal unless the user gave the command or `--yes`."""
    needs_consent = not plan.is_from_user and not args.yes
    if not args.quiet or needs_consent:
        origin = "" if plan.is_from_user else " (from the report and the repository)"
        build = f"{plan.build} && " if plan.build else ""
        cli.print_to_stderr(visible_text(f"runs at {commit[:12]}{origin}: {build}{plan.command}"))
    if not needs_consent or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    sys.stderr.write("Build and run this code? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def possible_configurations(plan: RunPlan, cores: int) -> list[Configuration]:
    from deadheat.verification import campaign as campaigns

    return campaigns.go_configurations(cores) if plan.go_test else campaigns.command_configurations()


def run_campaign(
    race: RaceUnderTest,
    builder: CodeBuilder,
    code: TrialCode,
    budget: Budget,
    progress: ProgressLine,
    hosts: TrialHosts,
) -> Campaign:
    """Run the code in the configurations that may show the race, with the estimate in the line of progress."""
    from deadheat.verification import campaign as campaigns
    from deadheat.verification.campaign_report import running_estimate

    configurations = possible_configurations(builder.plan, hosts.cores)
    progress.start_phase("running", budget.seconds, format_seconds)

    def show(campaign: Campaign) -> None:
        progress.prefix = f"{running_estimate(campaign)}  "
        progress.show_done(campaign.elapsed)

    with hosts.start_executor(campaigns.OVERSUBSCRIPTION) as executor:
        campaign = campaigns.Campaign(race.sought, code, configurations, executor, budget, show, secrets.randbits(32))
        campaign.run()
    progress.prefix = ""
    return campaign


def format_seconds(seconds: float) -> str:
    return f"{seconds:.0f} s"

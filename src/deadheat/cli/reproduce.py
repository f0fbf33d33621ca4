"""`deadheat reproduce`: runs the code of a race until it shows, and says how often it does."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import kept_verifications, race_runs
from deadheat.cli.progress import show_progress
from deadheat.cli.spark_and_lake import run_with_spark_errors
from deadheat.cli.trial_hosts import add_trial_spark_options, open_trial_hosts
from deadheat.printable import format_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from deadheat.cli.race_runs import RaceUnderTest
    from deadheat.cli.trial_hosts import TrialHosts
    from deadheat.verification.campaign import Campaign
    from deadheat.verification.campaign_report import CampaignContext
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.worktrees import WorkTrees

    JsonDict = dict[str, Any]

EXIT_SEEN, EXIT_NOT_SEEN = 0, 1

_EXAMPLES = """examples:
  deadheat reproduce issue.md --repo ~/src/tidb
  deadheat reproduce 47d9f89a --lake races-lake --repo . --time 5m
  deadheat reproduce ci.log --repo . -- go test -race ./cart -run '^TestCheckout$'
  deadheat reproduce tsan.log --repo . --build 'cmake -B build && make -C build' -- ./build/tests

exit status: 0 the race was seen, 1 not seen in the budget, 2 wrong usage, 3 the environment failed
"""


def add_reproduce_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "reproduce",
        help="run the code of a race, and say how often it shows",
        description="Checks out the commit that a report fits, into a folder of its own, builds the test once, and runs"
        " it in many processes, without network and with limits. Says how often this race was seen, and how it shows"
        " best; other races and failures are told apart.",
        epilog=_EXAMPLES,
    )
    race_runs.add_race_arguments(command)
    command.add_argument("--runs", type=cli.integer_at_least(1), metavar="N", help="stop after N trials")
    race_runs.add_trial_options(command)
    add_trial_spark_options(command)
    command.set_defaults(run=run_reproduce)


def run_reproduce(args: argparse.Namespace) -> int:
    return race_runs.run_interruptibly(lambda: run_with_spark_errors(args, lambda: _reproduce(args)))


def _reproduce(args: argparse.Namespace) -> int:
    from deadheat.verification import campaign_report, record
    from deadheat.verification.campaign import Budget
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.worktrees import WorkTrees

    with ExitStack() as stack, show_progress(args.quiet, "reading the clone") as progress:
        race = race_runs.open_race(args, stack, progress)
        plan = race_runs.choose_race_plan(args, race)
        with progress.paused():
            if not race_runs.ask_to_run(plan, race.commit, args):
                return cli.EXIT_INTERRUPTED
        trees = stack.enter_context(WorkTrees(race.clone.git))
        builder = CodeBuilder(trees, plan, race.sought.report)
        progress.start_phase("building")
        code = builder.build("old", trees.check_out(race.commit, "old"), f"commit {race.commit[:12]}")
        hosts = open_trial_hosts(args, builder, stack, progress)
        budget = Budget(args.time, args.runs)
        campaign = race_runs.run_campaign(race, builder, code, budget, progress, hosts)
        context = _context(race, builder, trees, hosts)
        versions = kept_verifications.code_versions(race.clone, race.commit)
    result = campaign_report.campaign_to_json(campaign, context)
    _write_result(campaign, context, result, args.format)
    if args.lake:
        kept_verifications.keep_result(args, result, record.row_of_campaign, versions)
    return EXIT_SEEN if campaign.counts.sightings else EXIT_NOT_SEEN


def _context(race: RaceUnderTest, builder: CodeBuilder, trees: WorkTrees, hosts: TrialHosts) -> CampaignContext:
    from deadheat.verification.campaign_report import CampaignContext

    place = hosts.place()
    return CampaignContext(
        race.commit,
        race.commit_note,
        builder.plan,
        builder.toolchain.version_text if builder.toolchain else "",
        place,
        (*builder.plan.notes, *trees.notes, *place.notes),
    )


def _write_result(campaign: Campaign, context: CampaignContext, result: JsonDict, output_format: str) -> None:
    from deadheat.verification import campaign_report

    if output_format == "json":
        print(format_json(result, indent=1))
    elif output_format == "markdown":
        print(campaign_report.campaign_markdown(campaign, context), end="")
    else:
        print("\n".join(campaign_report.campaign_lines(campaign, context)))

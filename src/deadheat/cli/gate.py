"""`deadheat gate`: fails on races that are not in the baseline."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import gating
from deadheat.feeds import walk

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat gate --baseline races.jsonl test.log           fail if test.log has a new race
  deadheat gate --baseline races.jsonl --update --reason 'TICKET-12' --owner @storage test.log
  deadheat gate --baseline races.jsonl --update --prune logs/
  deadheat gate --baseline races.jsonl --suppressions tsan.supp --write sarif=races.sarif logs/
  deadheat gate --baseline races.jsonl --format github test.log

exit status: 0 no new race, 1 new races, 2 wrong usage, 3 the baseline or every PATH was unreadable
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "gate",
        help="fail on new races only",
        description="Fails on races that are not in the baseline. Known races are recognised when"
        " lines move, closures are renumbered or callers change.",
        epilog=_EXAMPLES,
    )
    cli.add_paths(command)
    gating.add_options(command, baseline=True)
    command.set_defaults(run=run, parser=command)


def run(args: argparse.Namespace) -> int:
    gating.check(args, args.parser)
    inspection = gating.Inspection(args, True, sys.stdout)
    inspection.of(walk.entries(args.paths))
    if inspection.failed:
        return cli.ENVIRONMENT
    inspection.tell(sys.stdout)
    if args.update:
        inspection.update()
        return cli.NOTHING
    return inspection.status

"""`deadheat explain`: prints the dossier of each race in the given documents."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.identify import resolved
from deadheat.model import Sighting

if TYPE_CHECKING:
    import argparse

    from deadheat.code.clone import Clone
    from deadheat.code.dossier import Dossier
    from deadheat.code.mining.judge import Fix
    from deadheat.errors import UnreadableError
    from deadheat.wire import Plain

_EXAMPLES = """examples:
  deadheat explain issue.md --repo ~/src/tidb
  deadheat explain ci.log --repo . --repo ~/src/grpc-go    a race in a dependency, with its code
  deadheat explain issue.md --repo . --at v5.2.2 --issue 30468 --format json

exit status: 0 no race, 1 races found, 2 wrong usage, 3 nothing could be read
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "explain",
        help="print the dossier of each race in files or a pipe",
        description="Prints what is known about each race: variable, version, fix, owners, command.",
        epilog=_EXAMPLES,
    )
    cli.add_paths(command)
    command.add_argument(
        "--repo", action="append", default=[], metavar="DIR", help="a clone of the code; may repeat"
    )
    command.add_argument(
        "--at", action="append", default=[], metavar="REV", help="a revision or date to check first"
    )
    command.add_argument(
        "--issue",
        action="append",
        default=[],
        metavar="N",
        help="number of the race in the issue tracker",
    )
    command.add_argument(
        "--lake", metavar="DIR", help="a lake with past fixes from `deadheat mine`"
    )
    command.add_argument(
        "--format", choices=("html", "json", "markdown", "text"), default="text",
        help="default: text",
    )  # fmt: skip
    cli.add_frames(command)
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no warnings")
    command.set_defaults(run=run, brief=False)


def run(args: argparse.Namespace) -> int:
    # slow imports that only this command needs
    from deadheat.code.clone import Clone
    from deadheat.code.dossier import dossier
    from deadheat.code.hints import Hints, told

    sightings, faults = _read(args.paths)
    if not args.quiet:
        for fault in faults:
            cli.complain(str(fault))
    hints = Hints(tuple(args.at), tuple(args.issue))
    with ExitStack() as stack:
        clones = [stack.enter_context(Clone(where)) for where in args.repo]
        if not args.quiet:
            _doubt(args.at, clones)
        repos = [clone.main.commits[0] for clone in clones if clone.main.tip]
        past = _past(args.lake, repos, args.quiet)
        found = [
            (s, _with_past(dossier(s.report, clones, hints.before(told(s.document))), past))
            for s in _best(sightings)
        ]
    _write(args, found)
    if found:
        return cli.RACES
    return cli.ENVIRONMENT if faults else cli.NOTHING


def _doubt(revisions: list[str], clones: list[Clone]) -> None:
    """Warns about revisions that no clone has."""
    from deadheat.gate.baseline import is_date

    for name in revisions:
        if not is_date(name) and not any(clone.resolve(name) for clone in clones):
            cli.complain(f"--at {name}: not a date and not a revision in a --repo; ignored")


def _past(where: str | None, repos: list[str], quiet: bool) -> list[Fix]:
    """The fixes in a lake; if clones are given, only those of the same repositories."""
    if where is None:
        return []
    from deadheat.cli import spark
    from deadheat.code.mining.plain import fix_from_row

    lake = spark.lake(where).expect("mine REPO")
    rows = spark.room("lake.lookup").fixes(lake)
    if not rows and not quiet:
        cli.complain(f"{lake.uri}: has no past fixes; run `deadheat mine REPO --lake DIR` first")
    return [fix_from_row(row) for row in rows if not repos or row["repo"] in repos]


def _with_past(told: Dossier, past: list[Fix]) -> Dossier:
    from dataclasses import replace

    from deadheat.code import similar

    if not past:
        return told
    named = told.variable
    asked = similar.query(
        told.report,
        [named.name] if named else [],
        named.owner if named else None,
        told.causes[0].cause if told.causes else None,
    )
    own = [fix.commit for fix in told.fixed_by if fix.is_convincing]
    return replace(told, similar=tuple(similar.similar(asked, past, own)))


def _write(args: argparse.Namespace, found: list[tuple[Sighting, Dossier]]) -> None:
    from deadheat.cli.scan import style_of
    from deadheat.code.wire import dossier_to_wire
    from deadheat.render.bug_report import BugReport
    from deadheat.render.dossier_page import Page
    from deadheat.render.dossiers import DossierText

    family = _families(found)
    told = [
        (
            _marked(sighting, dossier),
            dossier_to_wire(dossier, family.get(sighting.verdict.race, ())),
        )
        for sighting, dossier in found
    ]
    if args.format == "json":
        json.dump([_plain(*pair) for pair in told], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
        return
    if args.format == "html":
        sys.stdout.write(Page()(told))
        return
    way = BugReport() if args.format == "markdown" else DossierText(style_of(args))
    for number, pair in enumerate(told, 1):
        sys.stdout.write(way(number, *pair))


def _families(found: list[tuple[Sighting, Dossier]]) -> dict[str, list[str]]:
    """The other races in the family of each race, by race id."""
    from deadheat.identity.families import families, keys

    races = {sighting.verdict.race: list(keys(dossier.report)) for sighting, dossier in found}
    return {
        race: [other for other in family.races if other != race]
        for family in families(races)
        for race in family.races
    }


def _read(paths: list[str]) -> tuple[list[Sighting], list[UnreadableError]]:
    from deadheat.errors import UnreadableError
    from deadheat.feeds import files, walk

    sightings: list[Sighting] = []
    faults: list[UnreadableError] = []
    for entry in walk.entries(paths):
        if isinstance(entry, UnreadableError):
            faults.append(entry)
            continue
        for one in files.sightings(files.Unit(entry), wish=files.Wish(full=True)):
            if isinstance(one, UnreadableError):
                faults.append(one)
            elif isinstance(one, Sighting):
                sightings.append(one)
    return resolved(sightings), faults


def _best(sightings: list[Sighting]) -> list[Sighting]:
    """One sighting of each race: the least damaged, with the most frames."""
    races: dict[str, Sighting] = {}
    for sighting in sightings:
        known = races.get(sighting.verdict.race)
        if known is None or _worth(sighting) > _worth(known):
            races[sighting.verdict.race] = sighting
    return list(races.values())


def _worth(sighting: Sighting) -> tuple[int, int]:
    report = sighting.report
    return -len(report.damage), sum(len(access.stack) for access in report.accesses)


def _marked(sighting: Sighting, told: Dossier) -> Sighting:
    """The sighting with the report of the dossier, in which stale frames are marked."""
    return Sighting(told.report, sighting.verdict, sighting.uri, sighting.span, sighting.document)


def _plain(sighting: Sighting, told: Plain) -> Plain:
    from deadheat import wire

    return wire.sighting_to_wire(sighting) | told

"""`deadheat races`: lists the races of a lake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark

if TYPE_CHECKING:
    import argparse

FORMATS = ("text", "json", "jsonl")
# dossier columns, from `deadheat place`
_PLACED = ("variable", "pin", "fixed_by", "still_present")
_STATES = ("new", "recurring", "quiet", "returned")


_EXAMPLES = """examples:
  deadheat races --lake races-lake --status new
  deadheat races --lake races-lake --test TestCheckout --limit 5
  deadheat races --lake races-lake --format jsonl

exit status: 0 no race, 1 races, 2 wrong usage, 3 the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "races",
        help="list the races in a lake",
        description="Lists the races in a lake, the most recently seen first.",
        epilog=_EXAMPLES,
    )
    spark.add_lake(command)
    command.add_argument(
        "--status", choices=_STATES, action="append", help="only races with this status; may repeat"
    )
    command.add_argument("--detector", metavar="NAME", help="only races of this detector")
    command.add_argument("--repo", metavar="REPO", help="only races seen in this repository")
    command.add_argument(
        "--test", metavar="TEST", help="only races seen in this test or its sub-tests"
    )
    command.add_argument("--limit", type=cli.at_least(1), metavar="N", help="at most N races")
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.set_defaults(run=run)


@spark.without_pandas()
def run(args: argparse.Namespace) -> int:
    lookup = spark.room("lake.lookup")
    lake = spark.lake(args.lake).expect()
    found = [race for race in lookup.races(lake) if _is_wanted(race, args)][: args.limit]
    known = lookup.dossiers(lake, _PLACED) if found else {}
    for race in found:
        placed = lookup.dossier_of(race, known)
        race |= {key: placed[key] if placed else None for key in _PLACED}
    show(found, args.format, _line)
    return cli.RACES if found else cli.NOTHING


def _is_wanted(race: dict[str, Any], args: argparse.Namespace) -> bool:
    return (
        (not args.status or race["status"] in args.status)
        and args.detector in (None, race["detector"])
        and (args.repo is None or args.repo in race["repos"])
        and (args.test is None or _was_in(args.test, race["tests"]))
    )


def show(rows: list[dict[str, Any]], form: str, line: Any) -> None:
    """Prints rows as a JSON array, as JSON lines, or as text."""
    if form == "json":
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for row in rows:
        said = json.dumps(row, ensure_ascii=False) if form == "jsonl" else cli.printable(line(row))
        print(said)


def _line(race: dict[str, Any]) -> str:
    day = race["last_seen"][:10]
    told = found_out(race)
    more = f"  [{told}]" if told else ""
    return (
        f"{race['race']}  {race['status']:9}  {race['sightings']:7}x  {day}  {race['title']}{more}"
    )


def found_out(row: dict[str, Any]) -> str:
    """Variable, version and fix of a race on one line."""
    pin, variable, fixes = row["pin"], row["variable"], row["fixed_by"]
    told = []
    if variable:
        owner = f" of {variable['owner']}" if variable["owner"] else ""
        told.append(f"{variable['name']}{owner}")
    if pin:
        told.append(f"{pin['first'][:11]} … {pin['last'][:11]} ({pin['commits']} commits)")
    if fixes:
        told.append(f"fixed by {fixes[0]['commit'][:11]}? {fixes[0]['subject']}")
    elif row["still_present"]:
        told.append("still present")
    return "; ".join(told)


def _was_in(wanted: str, tests: list[str]) -> bool:
    return any(test == wanted or test.startswith(f"{wanted}/") for test in tests)

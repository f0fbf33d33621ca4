"""`deadheat show`: prints one race of a lake with its history and latest sightings."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark

if TYPE_CHECKING:
    import argparse

_SHOWN = 5


_EXAMPLES = """examples:
  deadheat show 47d9f89a --lake races-lake
  deadheat show 47d9f89a --lake races-lake --format json

exit status: 1 shown, 2 wrong usage, 3 no such race, or the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "show",
        help="show one race in a lake",
        description="Shows a race: its accesses, history, number of sightings and latest sightings.",
        epilog=_EXAMPLES,
    )
    command.add_argument(
        "race",
        metavar="RACE",
        help="race id, alias, or at least the first four characters of one",
    )
    spark.add_lake(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument(
        "--sightings",
        type=cli.at_least(0),
        default=_SHOWN,
        metavar="N",
        help="number of sightings to list (default: 5)",
    )
    command.set_defaults(run=run)


@spark.without_pandas()
def run(args: argparse.Namespace) -> int:
    lookup = spark.room("lake.lookup")
    lake = spark.lake(args.lake).expect()
    race = lookup.race(lake, args.race)
    seen = lookup.sightings(lake, race, args.sightings)
    example = lookup.example(lake, race)
    placed = lookup.dossier_of(race, lookup.dossiers(lake))
    if args.format == "json":
        _print_json(lookup.told(race), seen, example, placed)
    else:
        _print_text(lookup.told(race) | _placed(placed), seen, example)
    return cli.RACES


def _placed(row: dict[str, Any] | None) -> dict[str, str]:
    """Variable, version, fix and command from the dossier, by label."""
    if row is None:
        return {}
    pin, variable, command = row["pin"], row["variable"], row["reproduce"]
    told = {}
    if variable:
        owner = f" of {variable['owner']}" if variable["owner"] else ""
        where = f" ({variable['file']}:{variable['line']})" if variable["file"] else ""
        told["variable"] = f"{variable['name']}{owner}{where}"
    if pin:
        told["version"] = (
            f"{pin['first'][:11]} … {pin['last'][:11]} ({pin['commits']} commits, {pin['first_day']}"
            f" to {pin['last_day']}), {pin['frames_fit']} of {pin['frames']} frames fit"
        )
    if row["fixed_by"]:
        fix = row["fixed_by"][0]
        told["fixed by"] = f"{fix['commit'][:11]} {fix['subject']} (score {fix['score']})"
    elif row["still_present"]:
        told["fixed by"] = f"no commit yet: both accesses are still present at {row['tip'][:11]}"
    if command:
        told["repeat"] = command["command"]
    return told


def _print_json(
    race: dict[str, Any], seen: list[dict[str, Any]], example: Any, placed: dict[str, Any] | None
) -> None:
    from deadheat.wire import sighting_to_wire

    places = [
        {k: v for k, v in row.items() if k not in ("names", "observed_at")}
        | {"observed_at": row["observed_at"].isoformat()}
        for row in seen
    ]
    print(
        json.dumps(
            {
                **race,
                "report": sighting_to_wire(example),
                "latest": places,
                "dossier": json.loads(placed["dossier"]) if placed else None,
            },
            indent=1,
            ensure_ascii=False,
        )
    )


def _cause(race: dict[str, Any]) -> str:
    """The cause of the race, and the causes of its reports if they differ."""
    said = [
        f"{one['cause']} {one['confidence']:.2f} ({one['sightings']}x)" for one in race["causes"]
    ]
    told = f"; by report: {', '.join(said)}" if len(said) > 1 else ""
    return f"{race['cause'] or ''}{told}"


def _print_text(race: dict[str, Any], seen: list[dict[str, Any]], example: Any) -> None:
    from deadheat.render import Style
    from deadheat.render.text import RaceText

    title, body = RaceText(Style())(example)
    states = ", ".join(f"{state['status']} {state['day']}" for state in race["history"])
    told = {
        "status": f"{race['status']} ({states})",
        "seen": f"{race['sightings']} times, {race['first_seen'][:10]} to {race['last_seen'][:10]}",
        "runs": str(len(race["runs"])),
        "tests": ", ".join(race["tests"][:_SHOWN]),
        "aliases": ", ".join(race["aliases"]),
        "family": race["family"] or "",
        "cause": _cause(race),
        **{name: race.get(name, "") for name in ("variable", "version", "fixed by", "repeat")},
    }
    print(f"{title}\n{body}\n")
    for name, value in told.items():
        if value:
            print(cli.printable(f"   {name:8} {value}"))
    for row in seen:
        where = " ".join(row[key] for key in ("repo", "branch", "job", "run") if row[key])
        place = (
            f"{row['observed_at']:%Y-%m-%d %H:%M}  {row['uri']} at byte {row['offset']}  {where}"
        )
        print(cli.printable(f"   {place.rstrip()}"))
    sys.stdout.flush()

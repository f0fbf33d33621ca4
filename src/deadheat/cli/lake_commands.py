"""The commands `races`, `show` and `families`: they read a lake without Spark."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import decisions, spark_and_lake
from deadheat.cli.race_standing import add_standings
from deadheat.cli.scan import style_from_options
from deadheat.output.lake_race_text import LakeRaceText, race_lines
from deadheat.path_maps import map_sighting
from deadheat.printable import format_json, visible_text
from deadheat.sources.line_numbers import LineNumbers

if TYPE_CHECKING:
    import argparse

    from deadheat.lake.tables import Lake


ROW_FORMATS = ("text", "json", "jsonl")
# dossier columns, from `deadheat place`
_DOSSIER_COLUMNS = ("variable", "pin", "fixed_by", "still_present")
_STATUSES = ("new", "recurring", "quiet", "returned")


_RACES_EXAMPLES = """examples:
  deadheat races --lake races-lake --status new
  deadheat races --lake races-lake --test TestCheckout --limit 5
  deadheat races --lake races-lake --format jsonl

exit status: 0 done, with races or without, 2 wrong usage, 3 the environment failed
"""


def add_races_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "races",
        help="list the races in a lake",
        description="Lists the races in a lake, the most recently seen first.",
        epilog=_RACES_EXAMPLES,
    )
    spark_and_lake.add_lake_option(command)
    decisions.add_decisions_option(command)
    command.add_argument("--status", choices=_STATUSES, action="append", help="only races with this status; may repeat")
    command.add_argument("--detector", metavar="NAME", help="only races of this detector")
    command.add_argument("--repo", metavar="REPO", help="only races seen in this repository")
    command.add_argument("--test", metavar="TEST", help="only races seen in this test or its sub-tests")
    command.add_argument("--limit", type=cli.integer_at_least(1), metavar="N", help="at most N races")
    command.add_argument("--format", choices=ROW_FORMATS, default="text", help="default: text")
    command.set_defaults(run=run_races)


def run_races(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries
    lake = spark_and_lake.open_lake(args.lake).require()
    races = [race for race in queries.list_races(lake) if _matches_filters(race, args)][: args.limit]
    dossiers = queries.best_dossiers(lake, _DOSSIER_COLUMNS) if races else {}
    for race in races:
        dossier = queries.dossier_of(race, dossiers)
        race |= {key: dossier[key] if dossier else None for key in _DOSSIER_COLUMNS}
    _add_verifications(lake, races)
    _add_decisions(races, args)
    style = style_from_options(args)
    print_rows(races, args.format, lambda race: "\n".join(race_lines(race, style)))
    return cli.EXIT_NOTHING


def _add_verifications(lake: Lake, races: list[dict[str, Any]]) -> None:
    """Add the verification of each race that says most, if there is one, and what the runs say about the race."""
    from deadheat.lake import verifications
    from deadheat.verification import record

    known = verifications.verifications_by_name(lake) if races else {}
    verified = {race["race"]: verifications.verifications_of(race, known) for race in races} if known else {}
    verified = {race: rows for race, rows in verified.items() if rows}
    for race in races:
        main = record.main_record(verified.get(race["race"], ()))
        race["verification"] = main and record.record_to_json(main, has_result=False)
    add_standings(lake, races, verified)


def _add_decisions(races: list[dict[str, Any]], args: argparse.Namespace) -> None:
    """Adds what people have decided, if they have decided anything about this lake."""
    if (known := decisions.load_decisions(args)) is not None:
        for race in races:
            race["triage"] = decisions.state_summary(known.state_of([race["race"], *race["aliases"]]))


def _matches_filters(race: dict[str, Any], args: argparse.Namespace) -> bool:
    return (
        (not args.status or race["status"] in args.status)
        and args.detector in (None, race["detector"])
        and (args.repo is None or args.repo in race["repos"])
        and (args.test is None or _ran_in_test(args.test, race["tests"]))
    )


def print_rows(rows: list[dict[str, Any]], format_name: str, format_line: Any) -> None:
    """Prints rows as a JSON array, as JSON lines, or as text, which `format_line` escapes."""
    if format_name == "json":
        print(format_json(rows, indent=1))
        return
    for row in rows:
        print(format_json(row) if format_name == "jsonl" else format_line(row))


def _ran_in_test(wanted: str, tests: list[str]) -> bool:
    return any(test == wanted or test.startswith(f"{wanted}/") for test in tests)


_DEFAULT_SHOWN = 5


_SHOW_EXAMPLES = """examples:
  deadheat show 47d9f89a --lake races-lake
  deadheat show 47d9f89a --lake races-lake --format json

exit status: 0 shown, 2 wrong usage, 3 no such race, or the environment failed
"""


def add_show_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "show",
        help="show one race in a lake",
        description="Shows a race: its accesses, history, number of sightings and latest sightings.",
        epilog=_SHOW_EXAMPLES,
    )
    command.add_argument("race", metavar="RACE", help="race id, alias, or at least the first four characters of one")
    spark_and_lake.add_lake_option(command)
    decisions.add_decisions_option(command)
    cli.add_map_option(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument(
        "--sightings",
        type=cli.integer_at_least(0),
        default=_DEFAULT_SHOWN,
        metavar="N",
        help="number of sightings to list (default: 5)",
    )
    command.set_defaults(run=run_show)


def run_show(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries, verifications
    from deadheat.verification import record

    lake = spark_and_lake.open_lake(args.lake).require()
    race = queries.find_race(lake, args.race)
    sightings = queries.latest_sightings(lake, race, args.sightings)
    example = map_sighting(queries.example_sighting(lake, race), tuple(args.map))
    dossier_row = queries.dossier_of(race, queries.best_dossiers(lake))
    rows = verifications.read_verifications(lake, race)
    summary = queries.race_summary(race)
    add_standings(lake, [summary], {summary["race"]: rows} if rows else {})
    summary["verifications"] = [record.record_to_json(row, has_result=True) for row in rows]
    _add_decisions([summary], args)
    if args.format == "json":
        _print_race_json(summary, sightings, example, dossier_row)
    else:
        lines = LineNumbers({row["uri"]: row["uri"] for row in sightings})
        style = replace(style_from_options(args), line_of=lines.line_of)
        for line in LakeRaceText(style).lines(summary, dossier_row, sightings, example):
            print(line)
    return cli.EXIT_NOTHING


def _print_race_json(
    race: dict[str, Any], sightings: list[dict[str, Any]], example: Any, dossier_row: dict[str, Any] | None
) -> None:
    from deadheat.api import diagnose_sighting
    from deadheat.serialization import sighting_to_wire

    latest = [
        {key: value for key, value in row.items() if key not in ("names", "observed_at")}
        | {"observed_at": row["observed_at"].isoformat()}
        for row in sightings
    ]
    print(
        format_json(
            {
                **race,
                "report": sighting_to_wire(diagnose_sighting(example)),
                "latest": latest,
                "dossier": json.loads(dossier_row["dossier"]) if dossier_row else None,
            },
            indent=1,
        )
    )


_MAX_REASONS_SHOWN = 3


_FAMILIES_EXAMPLES = """examples:
  deadheat families --lake races-lake
  deadheat families --lake races-lake --format jsonl

exit status: 0 done, with families or without, 2 wrong usage, 3 the environment failed
"""


def add_families_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "families",
        help="list the families of races in a lake",
        description="Lists the groups of races that probably have one fix, and why, the largest first.",
        epilog=_FAMILIES_EXAMPLES,
    )
    spark_and_lake.add_lake_option(command)
    command.add_argument("--format", choices=ROW_FORMATS, default="text", help="default: text")
    command.set_defaults(run=run_families)


def run_families(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries
    families = queries.list_families(spark_and_lake.open_lake(args.lake).require())
    print_rows(families, args.format, _family_line)
    return cli.EXIT_NOTHING


def _family_line(family: dict[str, Any]) -> str:
    why = "; ".join(family["why"][:_MAX_REASONS_SHOWN])
    races = cli.format_count(len(family["races"]), "race")
    return visible_text(f"{family['family']}  {races:>10}  {why}")

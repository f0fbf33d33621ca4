"""Writes the results of `reproduce`, `verify` and `bisect` into a lake, and reads them for other commands."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark_and_lake
from deadheat.cli.options import was_given

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from deadheat.lake.tables import Lake
    from deadheat.repo.clone import Clone
    from deadheat.verification.record import CodeVersions

    JsonDict = dict[str, Any]
    MakeRow = Callable[[JsonDict, str, CodeVersions, datetime], JsonDict]


def code_versions(
    clone: Clone, old_commit: str, new_commit: str | None = None, change: str | None = None, patch: str | None = None
) -> CodeVersions:
    from deadheat.verification.record import CodeVersions

    repo = clone.main.commits[0] if clone.main.tip else ""
    return CodeVersions(repo, old_commit, new_commit or None, change, patch)


def patch_digest(path: str) -> str:
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake.documents import bytes_digest
    return bytes_digest(Path(path).read_bytes())


def check_lake(args: argparse.Namespace) -> None:
    """Fail before anything runs if the given lake is missing. The lake of a configuration file need not exist."""
    if args.lake:
        lake = spark_and_lake.open_lake(args.lake)
        if was_given(args, "lake"):
            lake.require()
        elif not lake.is_there:
            args.lake = None


def keep_result(args: argparse.Namespace, result: JsonDict, make_row: MakeRow, code: CodeVersions) -> None:
    """Append a result to the lake of `--lake`. A race that is not in it is reported."""
    lake = spark_and_lake.open_lake(args.lake)
    from deadheat.lake import verifications

    race = verifications.race_names(lake.require()).get(result["race"])
    if race is None:
        if not args.quiet:
            cli.print_to_stderr(f"{lake.uri}: race {result['race']} is not in the lake, so the result is not kept")
        return
    verifications.add_verification(lake, make_row(result, race, code, datetime.now(UTC)))


def add_failed_fixes(lake: Lake, clone_path: str) -> list[str]:
    """Look for verified fixes that did not hold: a run of a commit that contains the fix showed the race.

    Appends a row for each, and returns its sentence with the id of the race.
    """
    from deadheat.lake import queries, verifications
    from deadheat.repo.clone import Clone
    from deadheat.verification import record

    known = verifications.verifications_by_name(lake)
    found: list[str] = []
    if not known:
        return found
    with Clone(clone_path) as clone:
        repo = clone.main.commits[0] if clone.main.tip else ""
        for race in queries.races_with_commits(lake) if repo else ():
            fix = record.fix_to_check(verifications.verifications_of(race, known), repo)
            names = [commit["name"] for commit in race["latest_commits"] or ()] if fix else []
            if fix and (commit := next((name for name in names if _contains_fix(clone, name, fix)), None)):
                row = record.row_of_sighting(race["race"], repo, fix, commit, datetime.now(UTC))
                verifications.add_verification(lake, row)
                found.append(f"{race['race']}: {record.describe_record(row)}")
    return found


def _contains_fix(clone: Clone, name: str, fix: str) -> bool:
    commit, known_fix = clone.resolve_revision(name), clone.resolve_revision(fix)
    if commit is None or known_fix != fix:
        return False
    return [*clone.git.output_lines("merge-base", fix, commit)] == [fix]


def verifications_by_race(lake_path: str, races: Iterable[str]) -> dict[str, list[JsonDict]]:
    """The verifications of those races that are in a lake, the newest first, as JSON."""
    lake = spark_and_lake.open_lake(lake_path)
    from deadheat.lake import verifications
    from deadheat.verification.record import record_to_json

    if not lake.is_there or not (known := verifications.verifications_by_name(lake)):
        return {}
    current = verifications.race_names(lake)
    by_race: dict[str, list[JsonDict]] = {}
    for name, rows in known.items():
        by_race.setdefault(current.get(name, name), []).extend(rows)
    found = {race: by_race.get(current.get(race, race), []) for race in races}
    return {
        race: [record_to_json(row, has_result=False) for row in sorted(rows, key=lambda row: row["at"], reverse=True)]
        for race, rows in found.items()
        if rows
    }

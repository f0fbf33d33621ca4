"""Verifications in a lake: they are appended atomically, follow their race, and are shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.cli import main
from deadheat.cli.kept_verifications import add_failed_fixes
from deadheat.lake import derivation, maintenance, queries, verifications
from deadheat.lake.integrity.check import DAMAGED_FOLDER
from deadheat.lake.rewrites import migration
from deadheat.lake.run_history import LakeRun, RepositoryRuns
from deadheat.lake.tables import Lake
from deadheat.sources.ci_metadata import PathPattern
from deadheat.verification.record import (
    CodeVersions,
    describe_record,
    failed_fix,
    row_of_campaign,
    row_of_fix,
    row_of_search,
)
from tests.lake_facts import DocumentFacts, change_facts, race_report
from tests.lakes import taken
from tests.repositories import Repository

OLD_LAKE = Path(__file__).parent / "data" / "compatibility" / "lake-v2.tar.gz"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
OLD, FIX = "a" * 40, "96a90c08a61b" + "f" * 28
STAGES = ("decided", "verifications", "recorded", "done")
Capture = pytest.CaptureFixture[str]


class KilledError(Exception):
    pass


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    change_facts(
        made, "first", [DocumentFacts("ci.log", race_report()), DocumentFacts("b.log", race_report(method="X"))]
    )
    derivation.derive_races(made, "derived")
    return made


def race_of(lake: Lake, title: str = "Add") -> str:
    return next(str(row["race"]) for row in queries.list_races(lake) if title in row["title"])


def fix_result(verdict: str = "fixed", new_sightings: int = 0) -> dict[str, Any]:
    return {
        "verdict": verdict, "reason": "it is proven", "confidence": 0.99, "configuration": "default",
        "command": "go test -race", "seconds": 12.5, "is_interrupted": False,
        "old": {"runs": 200, "sightings": 34}, "new": {"runs": 300, "sightings": new_sightings},
        "statistics": {"error": 0.01, "remaining_bound": 0.09},
    }  # fmt: skip


def fix_row(race: str, verdict: str = "fixed", hours: int = 0, new_sightings: int = 0) -> dict[str, Any]:
    code = CodeVersions("root", OLD, FIX, "commit")
    return row_of_fix(fix_result(verdict, new_sightings), race, code, NOW + timedelta(hours=hours))


def campaign_row(race: str, sightings: int = 34, hours: int = 0) -> dict[str, Any]:
    result = {
        "best": None, "is_seen": sightings > 0, "runs": 200, "sightings": sightings, "command": "go test -race",
        "seconds": 9.0, "is_interrupted": False,
    }  # fmt: skip
    return row_of_campaign(result, race, CodeVersions("root", OLD), NOW + timedelta(hours=hours))


def search_row(verdict: str, commits: list[str], reason: str = "") -> dict[str, Any]:
    result = {
        "verdict": verdict, "reason": reason, "change": "fixed", "configuration": "default", "command": "go test -race",
        "answer": {"commits": [{"commit": commit} for commit in commits], "probability": 0.981}, "seconds": 9.0,
        "is_interrupted": False,
    }  # fmt: skip
    return row_of_search(result, "r", CodeVersions("root", OLD), NOW)


def kept(lake: Lake) -> list[str]:
    fresh = Lake(lake.uri)
    return sorted(describe_record(row) for rows in verifications.verifications_by_name(fresh).values() for row in rows)


def faults(lake: Lake) -> list[str]:
    return list(maintenance.find_faults(Lake(lake.uri)))


# -- sentences -------------------------------------------------------------------------------------


def test_a_row_is_one_sentence() -> None:
    assert describe_record(fix_row("r")) == (
        "verified fixed by 96a90c08a61b: at most 9.0 % of the old rate is left (99 %)"
    )
    assert describe_record(fix_row("r", "still races", new_sightings=5)) == (
        "fix did not hold: 96a90c08a61b still shows it in 5 of 300 runs"
    )
    assert describe_record(fix_row("r", "vacuous")) == "not verified for 96a90c08a61b: vacuous, it is proven"
    assert describe_record(campaign_row("r")) == f"reproduced at {OLD[:12]}: 34 of 200 runs, 12 to 23 %"
    assert "not reproduced" in describe_record(campaign_row("r", 0))
    patch = {**fix_row("r"), "new_commit": None, "patch": "1a2b\x1b[31m", "change": "patch"}
    assert describe_record(patch).startswith(r"verified fixed by patch 1a2b\x1b[31m:")
    assert describe_record(search_row("found", [FIX])) == "bisected: fixed by 96a90c08a61b (98 %)"
    assert describe_record(search_row("found", [OLD, FIX])) == (
        f"bisected: fixed by one of 2 commits, {OLD[:12]} to 96a90c08a61b (98 %)"
    )
    assert describe_record(search_row("not enough", [FIX], "the time is over")) == (
        "bisected without an answer: not enough, the time is over"
    )
    assert [search_row(verdict, [FIX])["new_commit"] for verdict in ("found", "not enough")] == [FIX, None]


def test_a_fix_that_did_not_hold_is_found() -> None:
    fixed, racing = fix_row("r"), fix_row("r", "still races", 1, 4)
    assert failed_fix([fixed], []) is None
    assert failed_fix([fixed], [OLD, FIX[:6], ""]) is None
    assert failed_fix([fixed], [OLD, FIX[:9]]) == (FIX, "a run of this commit showed the race")
    assert failed_fix([racing, fixed], []) == (FIX, "a verification still shows the race")
    assert failed_fix([campaign_row("r")], [OLD]) is None


# -- storage ---------------------------------------------------------------------------------------


def test_rows_are_appended_and_shown(lake: Lake, capsys: Capture) -> None:
    race = race_of(lake)
    assert verifications.read_verifications(lake, queries.find_race(lake, race)) == []
    for row in (campaign_row(race), fix_row(race, hours=1), fix_row(race, "inconclusive", hours=2)):
        verifications.add_verification(lake, row)
    assert faults(lake) == []
    assert main(["show", race, "--lake", lake.uri]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.index("not verified for") < text.index("verified fixed by 96a90c08a61b") < text.index("34 of 200 runs")
    assert main(["show", race, "--lake", lake.uri, "--format", "json"]) == 0
    newest, fixed, reproduced = json.loads(capsys.readouterr().out)["verifications"]
    assert (newest["verdict"], fixed["new_commit"], reproduced["old_sightings"]) == ("inconclusive", FIX, 34)
    assert fixed["result"] == fix_result()
    assert (round(reproduced["rate_low"], 2), round(reproduced["rate_high"], 2)) == (0.12, 0.23)
    assert main(["races", "--lake", lake.uri]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "verified fixed by 96a90c08a61b" in lines[race]
    assert "verified" not in lines[race_of(lake, "X")]
    assert main(["races", "--lake", lake.uri, "--format", "json"]) == 0
    found = {row["race"]: row["verification"] for row in json.loads(capsys.readouterr().out)}
    assert (found[race]["verdict"], found[race_of(lake, "X")]) == ("fixed", None)


def test_verifications_are_in_the_dossier(lake: Lake, tmp_path: Path, capsys: Capture) -> None:
    verifications.add_verification(lake, fix_row(race_of(lake)))
    (tmp_path / "ci.log").write_text(race_report())
    explain = ["explain", str(tmp_path / "ci.log"), "--lake", lake.uri, "--quiet", "--format"]
    for output_format in ("text", "markdown", "html", "json"):
        assert main([*explain, output_format]) == 0
        assert "verified fixed by 96a90c08a61b" in " ".join(capsys.readouterr().out.split()), output_format


def test_a_verification_follows_its_race_when_races_are_joined(lake: Lake) -> None:
    race = race_of(lake)
    former = queries.find_race(lake, race)["aliases"]
    assert former, "an alias is needed"
    verifications.add_verification(lake, fix_row(former[0]))
    found = queries.find_race(lake, race)
    assert [row["race"] for row in verifications.read_verifications(lake, found)] == [former[0]]
    assert len(verifications.verifications_of(found, verifications.verifications_by_name(lake))) == 1


@pytest.mark.parametrize("stage", STAGES)
def test_an_append_killed_at_any_stage_is_complete_or_did_not_happen(lake: Lake, stage: str) -> None:
    def kill(reached: str) -> None:
        if reached == stage:
            raise KilledError

    verifications.add_verification(lake, campaign_row("a"))
    with pytest.raises(KilledError):
        verifications.add_verification(lake, campaign_row("b"), kill)
    verifications.add_verification(Lake(lake.uri), campaign_row("c"))
    assert len(kept(lake)) == (2 if stage == "decided" else 3)
    assert faults(lake) == []


WRITER = """
import sys
from deadheat.lake import verifications
from deadheat.lake.tables import Lake
from tests.test_lake_verifications import campaign_row
for number in range(6):
    verifications.add_verification(Lake(sys.argv[1]), campaign_row(f"{sys.argv[2]}-{number}"))
"""


def test_two_processes_that_append_at_once_lose_nothing(lake: Lake) -> None:
    root = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", WRITER, lake.uri]
    writers = [subprocess.Popen([*command, name], cwd=root, env={"PYTHONPATH": f"{root}/src:{root}"}) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert len(kept(lake)) == 12
    assert faults(lake) == []
    # small files are merged by the writers
    assert len(Lake(lake.uri).data_files("verifications")) < 10


def test_compaction_and_forgetting_know_the_table(lake: Lake) -> None:
    race, other = race_of(lake), race_of(lake, "X")
    for name in (race, other):
        verifications.add_verification(lake, fix_row(name))
    assert maintenance.compact_lake(lake)["verifications"] == (2, 1)
    assert main(["lake", "forget", "--lake", lake.uri, "--file", "ci.log"]) == 0
    assert {*verifications.verifications_by_name(Lake(lake.uri))} == {other}
    assert faults(lake) == []


def test_damage_of_the_table_is_found_and_its_rows_are_not_moved_away(lake: Lake, capsys: Capture) -> None:
    verifications.add_verification(lake, fix_row(race_of(lake)))
    (file,) = Path(lake.uri, "verifications").glob("*.parquet")
    content = file.read_bytes()
    file.write_bytes(content[:-9] + b"x" * 9)
    assert main(["lake", "check", "--lake", lake.uri, "--repair"]) == 3
    assert "cannot be derived" in capsys.readouterr().err
    assert not Path(lake.uri, DAMAGED_FOLDER).exists()
    file.write_bytes(content)
    assert faults(lake) == []


def test_a_lake_of_an_earlier_version_keeps_verifications(tmp_path: Path) -> None:
    with tarfile.open(OLD_LAKE) as archive:
        archive.extractall(tmp_path, filter="data")
    old = Lake(str(tmp_path / "lake"))
    race = queries.list_races(old)[0]["race"]
    verifications.add_verification(old, fix_row(race))
    assert main(["show", race, "--lake", old.uri]) == 0
    fresh = Lake(old.uri)
    assert fresh.is_older
    migration.migrate_lake(fresh)
    derivation.derive_races(fresh, "derived")
    assert len(kept(fresh)) == 1
    assert faults(fresh) == []


# -- regression statistics -------------------------------------------------------------------------


def add_runs(lake: Lake, first: int, pattern: str, job: str | None = None) -> None:
    """Runs in one change: `x` showed the race, `.` did not."""
    documents = []
    for number, outcome in enumerate(pattern, first):
        text = race_report() if outcome == "x" else "ok\n"
        documents.append(DocumentFacts(f"{number}-{job}.log", text, number % 20, str(number), "shop", job=job))
    change_facts(lake, f"runs-{first}-{job}", documents)
    derivation.derive_races(lake, f"derived-{first}-{job}")


def standing_of(lake: Lake, capsys: Capture) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["races", "--lake", lake.uri, "--format", "json"]) == 0
    (race,) = json.loads(capsys.readouterr().out)
    assert main(["show", race["race"], "--lake", lake.uri, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["standing"] == race["standing"]
    return dict(race["standing"])


@pytest.fixture
def empty_lake(tmp_path: Path) -> Lake:
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    return made


def test_a_race_goes_quiet_and_comes_back(empty_lake: Lake, capsys: Capture) -> None:
    lake = empty_lake
    add_runs(lake, 98, "..x.x..xx.x.")
    active = standing_of(lake, capsys)
    assert (active["state"], active["sighted_runs"], active["runs"]) == ("active", 5, 10)
    assert (active["since_run"], active["clean_runs"], active["rate"]) == ("100", 1, 4 / 8)
    add_runs(lake, 110, "." * 60)
    quiet = standing_of(lake, capsys)
    assert (quiet["state"], quiet["since_run"], quiet["clean_runs"]) == ("quiet", "109", 61)
    assert quiet["probability"] < quiet["quiet_below"] == 0.001
    assert main(["races", "--lake", lake.uri]) == 0
    assert "quiet since run 109: 61 clean runs, p = " in capsys.readouterr().out
    add_runs(lake, 170, "..x.")
    back = standing_of(lake, capsys)
    assert (back["state"], back["since_run"], back["clean_runs"]) == ("back", "172", 1)
    assert main(["show", queries.list_races(lake)[0]["race"], "--lake", lake.uri]) == 0
    assert "back since run 172" in capsys.readouterr().out


def test_only_runs_of_the_jobs_that_showed_it_count(empty_lake: Lake, capsys: Capture) -> None:
    lake = empty_lake
    add_runs(lake, 100, "x.xx.x", "race")
    add_runs(lake, 100, "......", "unit")
    add_runs(lake, 106, "." * 60, "unit")
    standing = standing_of(lake, capsys)
    assert (standing["state"], standing["runs"], standing["jobs"], standing["repo"]) == ("active", 6, ["race"], "shop")


def test_of_a_race_without_runs_nothing_is_said(lake: Lake, capsys: Capture) -> None:
    assert main(["races", "--lake", lake.uri, "--format", "json"]) == 0
    assert [row["standing"] for row in json.loads(capsys.readouterr().out)] == [None, None]


def test_a_fix_that_did_not_hold_is_shown(empty_lake: Lake, capsys: Capture) -> None:
    lake = empty_lake
    add_runs(lake, 100, "x.xx.x")
    race = race_of(lake)
    verifications.add_verification(lake, fix_row(race))
    assert standing_of(lake, capsys)["state"] == "active"
    change_facts(lake, "fixed", [DocumentFacts("new.log", race_report(), 9, "106", "shop", commit=FIX[:12])])
    derivation.derive_races(lake, "derived-fixed")
    standing = standing_of(lake, capsys)
    assert (standing["state"], standing["fix"]["commit"]) == ("fix did not hold", FIX)
    assert main(["races", "--lake", lake.uri]) == 0
    text = capsys.readouterr().out
    assert "fix 96a90c08a61b did not hold: a run of this commit showed the race" in text
    assert "verified fixed" not in text


JOBS = st.frozensets(st.sampled_from(["race", "unit", "soak"]), min_size=1)


@given(st.lists(st.tuples(JOBS, JOBS, st.booleans()), min_size=1, max_size=30), st.randoms())
def test_runs_that_could_have_shown_a_race_have_the_jobs_of_a_run_that_did(
    drawn: list[tuple[frozenset[str], frozenset[str], bool]], random: Random
) -> None:
    runs = {}
    for number, (jobs, reporting, _) in enumerate(drawn):
        run = runs[str(98 + number)] = LakeRun(random.randrange(10))  # the times of copied files
        run.jobs |= jobs | reporting
        run.reporting |= reporting
    names = [*runs]
    random.shuffle(names)
    repository = RepositoryRuns({name: runs[name] for name in names})
    assert [name for name, _ in repository.names] == [*runs]
    sighted = [number for number, (_, _, is_sighted) in enumerate(drawn) if is_sighted]
    possible, needed = repository.positions_for(sighted)
    assert possible == [
        number
        for number, (jobs, reporting, _) in enumerate(drawn)
        if any(drawn[other][1] <= jobs | reporting for other in sighted)
    ]
    assert {*sighted} <= {*possible}
    assert needed == frozenset().union(*(drawn[other][1] for other in sighted))


def test_runs_without_numbers_are_ordered_by_time() -> None:
    runs = {name: LakeRun(time) for name, time in (("nightly", 3), ("a-1", 2), ("7", 1))}
    assert [name for name, _ in RepositoryRuns(runs).names] == ["7", "a-1", "nightly"]


def test_unchanged_races_of_a_lake_are_not_called_quiet(empty_lake: Lake, capsys: Capture) -> None:
    """Each of 60 races shows in one of ten runs."""
    lake, random, documents = empty_lake, Random(4), []
    for number in range(120):
        text = "\n".join(
            race_report(f"0x00c0000{race:05x}", method=f"Add{race}") for race in range(60) if random.random() < 0.1
        )
        documents.append(DocumentFacts(f"{number}.log", text, 0, str(number), "shop"))
    change_facts(lake, "all", documents)
    derivation.derive_races(lake, "derived")
    assert main(["races", "--lake", lake.uri, "--format", "json"]) == 0
    standings = [row["standing"] for row in json.loads(capsys.readouterr().out)]
    assert len(standings) == 60
    assert {standing["state"] for standing in standings} == {"active"}
    assert min(standing["quiet_below"] for standing in standings) == 0.001 / 60
    assert 0.05 < sum(standing["rate"] for standing in standings) / 60 < 0.16


def test_place_finds_a_run_that_contains_a_verified_fix(empty_lake: Lake, tmp_path: Path, capsys: Capture) -> None:
    lake, repository = empty_lake, Repository(tmp_path / "shop")
    before, fix, after = (repository.put(subject, {"a.go": subject}) for subject in ("begin", "fix", "after"))
    git = repository.git
    git("checkout", "-q", "-b", "old", before)
    beside = repository.put("beside", {"b.go": "b"})
    for number, commit in enumerate((before, beside[:10], "unknown")):
        change_facts(
            lake, f"run-{number}", [DocumentFacts(f"{number}.log", race_report(), 0, None, None, commit=commit)]
        )
    derivation.derive_races(lake, "derived")
    race = race_of(lake)
    verifications.add_verification(lake, {**fix_row(race), "new_commit": fix, "repo": before})
    assert add_failed_fixes(Lake(lake.uri), str(repository.path)) == []
    change_facts(lake, "later", [DocumentFacts("later.log", race_report(), 1, commit=after[:12])])
    derivation.derive_races(lake, "derived-later")
    reason = f"a run of {after[:12]}, which contains it, showed the race"
    assert add_failed_fixes(Lake(lake.uri), str(repository.path)) == [f"{race}: fix did not hold: {fix[:12]}: {reason}"]
    assert add_failed_fixes(Lake(lake.uri), str(repository.path)) == []
    standing = standing_of(Lake(lake.uri), capsys)
    assert (standing["state"], standing["fix"]) == ("fix did not hold", {"commit": fix, "why": reason})


@pytest.mark.soak
def test_a_race_goes_quiet_and_comes_back_in_ingested_logs(spark: Any, tmp_path: Path, capsys: Capture) -> None:
    """Logs of CI, with the run in their path; those of one ingest have the same time."""
    lake, number = Lake(str(tmp_path / "lake")), 95
    states = []
    for batch, pattern in enumerate(("x..xx.x.x", "." * 40, "x.")):
        root = tmp_path / f"batch-{batch}"
        for outcome in pattern:
            log = root / "shop" / str(number) / "race.log"
            log.parent.mkdir(parents=True)
            log.write_text(race_report() if outcome == "x" else f"ok  \texample.com/shop\t0.{number}s\n")
            os.utime(log, (1_780_000_000, 1_780_000_000))
            number += 1
        taken(spark, Path(lake.uri), [root], run_of=PathPattern("{repo}/{run}/{job}.log"))
        standing = standing_of(Lake(lake.uri), capsys)
        states.append((standing["state"], standing["since_run"], standing["sighted_runs"], standing["runs"]))
    assert states == [("active", "95", 5, 9), ("quiet", "104", 5, 49), ("back", "144", 6, 51)]

"""A race has the same id whatever else is scanned with it, and unrelated programs share no id."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat import cli
from deadheat.grouping import races
from deadheat.grouping.race_assignment import GroupedSightings, group_sightings
from tests.cases import all_cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = {case.name: case for case in all_cases()}
# documents that contain evidence about the races of others, see docs/explanation/identity.md
SAME_ADDRESS = "two races of another document are one object"
OMITTED_FRAME = "a frame is omitted that another document has"
SAME_LINES = "a lambda without its function is on the lines of another document"
DEPENDENT = {
    "go/reports-back-to-back": SAME_ADDRESS,
    "go/reports-that-share-one-bar": SAME_ADDRESS,
    "go/reports-without-any-bar-between-them": SAME_ADDRESS,
    "go/modelled-waitgroup-access-of-go-1-27": OMITTED_FRAME,
    "tsan/several-reports-in-a-log": SAME_LINES,
}


@cache
def grouped(name: str) -> GroupedSightings:
    return group_sightings(CASES[name].sightings())


def ids_together(names: list[str]) -> dict[str, list[str]]:
    """The race id of every report of these documents, scanned together."""
    facts = races.empty_facts()
    for name in names:
        facts.add(grouped(name).facts)
    race_ids = races.race_ids(facts)
    return {name: [race_ids[sighting.verdict.race] for sighting in grouped(name).sightings] for name in names}


def test_documents_that_depend_on_others_are_known() -> None:
    together = ids_together([*CASES])
    assert {name for name, ids in together.items() if ids != ids_together([name])[name]} == {*DEPENDENT}


@given(st.sets(st.sampled_from(sorted(CASES)), min_size=1, max_size=40))
def test_ids_do_not_depend_on_the_documents_scanned_together(names: set[str]) -> None:
    for name, ids in ids_together(sorted(names)).items():
        assert name in DEPENDENT or ids == ids_together([name])[name], name


# -- programs and files ------------------------------------------------------------------------------

TSAN = """\
==================
WARNING: ThreadSanitizer: data race (pid=1234)
  Write of size 4 at 0x7b0400000010 by thread T1:
    #0 Cache::put(int) {put} ({program}+0xd4764)
    #1 worker() {folder}/main.cc:20:5 ({program}+0xd4700)

  Previous read of size 4 at 0x7b0400000010 by thread T2:
    #0 Cache::get(int) {get} ({program}+0xd4388)
    #1 worker() {folder}/main.cc:21:5 ({program}+0xd4710)

SUMMARY: ThreadSanitizer: data race {put} in Cache::put(int)
==================
"""
HELGRIND = """\
==1234== Possible data race during write of size 4 at 0x52A5040 by thread #3
==1234== Locks held: none
==1234==    at 0x109A23: Cache::put(int) ({file}:31)
==1234==    by 0x109B00: worker() (main.cc:20)
==1234==
==1234== This conflicts with a previous read of size 4 by thread #2
==1234== Locks held: none
==1234==    at 0x109A77: Cache::get(int) ({file}:40)
==1234==    by 0x109B10: worker() (main.cc:21)
==1234==
"""


def tsan_report(program: str = "shop", folder: str = "/src/shop", file: str = "cache.cc", lines: int = 30) -> str:
    put, get = f"{folder}/{file}:{lines}:9", f"{folder}/{file}:{lines + 9}:9"
    values = {"program": program, "folder": folder, "put": put, "get": get}
    text = TSAN
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def race_of(text: str) -> str:
    [sighting] = deadheat.scan(text, diagnose=False)
    assert sighting.verdict.race == sighting.verdict.fingerprint
    return sighting.verdict.race


def test_functions_of_two_programs_are_two_races() -> None:
    race = race_of(tsan_report())
    assert race_of(tsan_report(program="mail")) != race
    assert race_of(tsan_report(file="pages.cc")) != race
    assert race_of(HELGRIND.replace("{file}", "cache.cc")) != race_of(HELGRIND.replace("{file}", "pages.cc"))


def test_the_folder_of_a_checkout_and_the_lines_of_a_file_do_not_matter() -> None:
    race = race_of(tsan_report())
    assert race_of(tsan_report(folder="/home/ci/build-7/shop/src")) == race
    assert race_of(tsan_report(folder="../src", lines=77)) == race
    assert race_of(tsan_report(program="/opt/build/bin/shop")) == race


# written by version 2, in which both programs of both detectors had one id
PREVIOUS = {
    "race": "d5b6468ecbaae47a",
    "title": "read/write race in Cache: get / put",
    "reason": "known before",
    "sites": ["Cache::put(int) cache.cc", "Cache::get(int) cache.cc"],
    "names": ["v2/d5b6468ecbaae47a/893ca3cadfba20f6/0"],
    "aliases": ["d5b6468e893ca3ca !~5fa6cb3d1a644772", "d5b6468e893ca3ca !~6aa53f130838d3b7"],
}


@pytest.mark.parametrize("text", [tsan_report(), HELGRIND.replace("{file}", "cache.cc")], ids=["tsan", "helgrind"])
def test_a_baseline_of_version_2_knows_the_race(tmp_path: Path, text: str) -> None:
    baseline, log = tmp_path / "races.jsonl", tmp_path / "log.txt"
    baseline.write_text(json.dumps(PREVIOUS) + "\n")
    log.write_text(text)
    arguments = ["gate", "--baseline", str(baseline), str(log)]
    assert cli.main(arguments) == 0
    log.write_text(text.replace("Cache::put", "Cache::drop"))
    assert cli.main(arguments) == 1


def test_an_updated_baseline_still_knows_what_version_2_knew(tmp_path: Path) -> None:
    baseline, log = tmp_path / "races.jsonl", tmp_path / "log.txt"
    baseline.write_text(json.dumps(PREVIOUS) + "\n")
    log.write_text("no report\n")
    assert cli.main(["gate", "--baseline", str(baseline), "--update", str(log)]) == 0
    log.write_text(tsan_report())
    assert cli.main(["gate", "--baseline", str(baseline), "--update", str(log)]) == 0
    [entry] = map(json.loads, baseline.read_text().splitlines())
    assert entry["race"] == PREVIOUS["race"]
    assert [name.partition("/")[0] for name in entry["names"]] == ["v2", "v3"]

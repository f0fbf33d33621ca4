"""Real races: labels are known causes, and quoted reports are found by number."""

from __future__ import annotations

from deadheat import plugins
from eval.real_races import SAMPLE, RaceResult, cause_table, list_inexact, quoted_report, read_sample, variable_summary

MESSAGE = b"""store: take the lock

It raced twice:

    WARNING: DATA RACE
    Write at 0x00c000012340 by goroutine 7:
      example.com/shop.(*Store).Put()
          /src/shop/store.go:14 +0x45

    Previous read at 0x00c000012340 by goroutine 8:
      example.com/shop.(*Store).Get()
          /src/shop/store.go:20 +0x45

    WARNING: DATA RACE
    Write at 0x00c000012348 by goroutine 7:
      example.com/shop.(*Store).Drop()
          /src/shop/store.go:30 +0x45

    Previous write at 0x00c000012348 by goroutine 8:
      example.com/shop.(*Store).Put()
          /src/shop/store.go:15 +0x45

Signed-off-by: A Tester <tester@example.com>
"""


def test_every_label_is_a_known_cause() -> None:
    causes = {*plugins.causes_by_name()}
    races = read_sample()
    assert {cause for race in races for cause in (race.cause, *race.also)} <= causes
    assert len({(race.commit, race.report) for race in races}) == len(races)
    assert all(race.cause not in race.truth.also for race in races)


def test_every_label_of_the_unseen_races_is_a_known_cause() -> None:
    causes = {*plugins.causes_by_name()}
    unseen, known = read_sample(SAMPLE.with_name("unseen_races.jsonl")), read_sample()
    assert {cause for race in unseen for cause in (race.cause, *race.also)} <= causes
    assert {race.repo for race in unseen}.isdisjoint(race.repo for race in known)


def test_a_quoted_report_is_found_by_its_number() -> None:
    found = [quoted_report(MESSAGE, number) for number in (1, 2)]
    sites = [[access.site and access.site.line for access in one.accesses] for one in found if one]
    assert sites == [[14, 20], [30, 15]]


def test_a_report_that_is_not_found_is_counted() -> None:
    race = read_sample()[0]
    results = [RaceResult(race, "the report alone"), RaceResult(race, "with source")]
    assert [row.endswith("| 1 |") for row in cause_table(results)][2:] == [True, True]
    assert "pinned 0" in variable_summary(results)
    assert all("not found" in row for row in list_inexact(results))

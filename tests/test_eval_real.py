"""Real races: labels that name causes which there are, and reports found by their number."""

from __future__ import annotations

from deadheat import plugins
from eval.real import Told, listed, reported, sample, table, variables

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


def test_every_label_is_a_cause_that_there_is() -> None:
    causes = {rule.cause for rule in plugins.all_rules()}
    races = sample()
    assert {cause for race in races for cause in (race.cause, *race.also)} <= causes
    assert len({(race.commit, race.report) for race in races}) == len(races)
    assert all(race.cause not in race.truth.also for race in races)


def test_a_report_by_its_number() -> None:
    found = [reported(MESSAGE, number) for number in (1, 2)]
    sites = [[access.site and access.site.line for access in one.accesses] for one in found if one]
    assert sites == [[14, 20], [30, 15]]


def test_what_was_not_found_is_counted() -> None:
    race = sample()[0]
    told = [Told(race, "the report alone"), Told(race, "with source")]
    assert [row.endswith("| 1 |") for row in table(told)][2:] == [True, True]
    assert "pinned 0" in variables(told)
    assert all("not found" in row for row in listed(told))

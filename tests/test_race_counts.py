"""Counts per race are the same in memory, in a file, and in a simple reference implementation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deadheat.api import scan_text
from deadheat.grouping.fingerprint import title_rank
from deadheat.lake import race_rows as lake_races
from deadheat.output.race_counts import CountedRace, PackedCount, RaceCountCollector, RaceCounter, ReportPlace
from tests.cases import ROOT

VARIANTS = ["a1", "a2", "b1", "c1", "ü9"]
IDS = {"a1": "a", "a2": "a", "ü9": "ü"}

counts = st.fixed_dictionaries(
    {},
    optional={
        variant: st.tuples(
            st.integers(1, 9),
            st.lists(st.sampled_from(["7 x.log", "8 y z.log"]), min_size=1, max_size=3),
            st.integers(0, 2),
            st.sampled_from([f"{variant} is", "write/write race", "read/write race"]),
            st.text(min_size=1, max_size=20).map(lambda text: text.encode("utf-8", "replace")),
        )
        for variant in VARIANTS
    },
)


def count_races(batches: list[dict[str, PackedCount]], max_in_memory: int) -> tuple[tuple[int, int], list[CountedRace]]:
    counter = RaceCounter(max_in_memory)
    for batch in batches:
        counter.merge_counts(batch)
    counter.assign_races(IDS)
    return counter.count_totals(), list(counter.iter_races())


def expected_counts(batches: list[dict[str, PackedCount]]) -> list[CountedRace]:
    """The reference implementation, with everything in memory."""
    counts_by_race: dict[str, list[tuple[int, tuple[bool, str], int, PackedCount]]] = {}
    order = 0
    for batch in batches:
        for variant, count in batch.items():
            order += 1
            counts_by_race.setdefault(IDS.get(variant, variant), []).append(
                (count[2], title_rank(count[3]), order, count)
            )
    ranked = []
    for race, known in counts_by_race.items():
        damage, _, first, (_, _, _, title, example) = min(known)
        assert example is not None
        times = sum(count[0] for *_, count in known)
        ranked.append((-times, damage, first, CountedRace(title, example, times, [], race)))
    return [counted for *_, counted in sorted(ranked)]


@given(st.lists(counts, max_size=6), st.sampled_from([0, 1, 3, 99]))
def test_races_are_counted_alike_in_memory_and_in_a_file(
    batches: list[dict[str, PackedCount]], max_in_memory: int
) -> None:
    totals, races = count_races(batches, max_in_memory)
    expected = expected_counts(batches)
    assert [race._replace(places=[]) for race in races] == expected
    assert totals == (len(expected), sum(race.sighting_count for race in expected))
    for race in races:
        places = {p for b in batches for n, c in b.items() if IDS.get(n, n) == race.race for p in c[1]}
        assert {f"{place.offset} {place.uri}" for place in race.places} <= places
        assert 1 <= len(race.places) <= 3


def test_example_sent_before_is_kept() -> None:
    first: dict[str, PackedCount] = {"c1": (1, ["1 x.log"], 0, "c1 races", b"body")}
    again: dict[str, PackedCount] = {"c1": (4, ["9 x.log"], 0, "c1 races", None)}
    for max_in_memory in 0, 9:
        totals, (race,) = count_races([first, again], max_in_memory)
        assert totals == (1, 5)
        assert race == CountedRace("c1 races", b"body", 5, [ReportPlace("x.log", 1), ReportPlace("x.log", 9)], "c1")


def test_two_sided_report_is_the_example_of_its_race() -> None:
    two = scan_text((ROOT / "go" / "two-goroutines.txt").read_bytes(), diagnose=False)[0]
    one = two.with_report(two.report._replace(accesses=two.report.accesses[:1]))
    for order in ([one, two], [two, one]):
        collector = RaceCountCollector(lambda sighting: b"%d" % len(sighting.report.accesses))
        for sighting in order:
            collector.add_sighting(sighting)
        assert [count[4] for count in collector.pack_batch().values()] == [b"2"]


def test_two_sided_report_represents_its_race_in_the_lake() -> None:
    def variant(report: str, sites: list[str]) -> dict[str, Any]:
        lists = (
            *("repos", "tests", "days", "keys", "links", "aliases", "causes"),
            *("latest_runs", "latest_commits", "run_sample"),
        )
        now = datetime(2026, 1, 1, tzinfo=UTC)
        return {
            **{name: [] for name in lists}, "node": "n", "base": "n", "split": False, "damage": 0,
            "report": report, "title": report, "detector": "drd", "kind": "data-race", "sites": sites,
            "sightings": 1, "first_seen": now, "last_seen": now, "example": None,
        }  # fmt: skip

    one, two = variant("a", ["f"]), variant("b", ["f", "g"])
    assert [row["report"] for row in lake_races.variant_rows([one, two])] == ["b"]
    assert [row["report"] for row in lake_races.variant_rows([two, one])] == ["b"]

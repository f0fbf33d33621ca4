"""Two maps behind one helper, whose reader Go 1.27 omits from the stack."""

from __future__ import annotations

from itertools import permutations

from tests.test_grouping import TITLE, make_report, race_count, race_ids_of, with_callers, with_runtime_frames

RUNTIME_FRAMES = "mapaccess2_faststr", "mapaccess1_faststr"


def map_access(line: int, at: int) -> str:
    """Both helpers are called on this line, for one of two maps."""
    return with_callers(make_report(at), "users.Put", "users.Get").replace("x.go:9 ", f"x.go:{line} ")


def complete_report(line: int, at: int) -> str:
    return with_runtime_frames(map_access(line, at), RUNTIME_FRAMES[1])


def report_without_reader(line: int, at: int) -> str:
    """The helper and its caller are omitted."""
    text = with_runtime_frames(map_access(line, at).replace(TITLE, ""), *RUNTIME_FRAMES)
    head, reader, tail = text.split("\n\n", 2)
    return "\n\n".join([head, reader.partition("  example.com/shop/users.Get")[0].rstrip(), tail])


BEFORE = complete_report(25, 0xC000) + complete_report(26, 0xC030)


def test_element_identifies_its_map() -> None:
    now = report_without_reader(25, 0xD000) + report_without_reader(26, 0xD030) + map_access(26, 0x9D000)
    race_ids = race_ids_of(BEFORE, now)
    assert race_ids[0] == race_ids[2] != race_ids[1] == race_ids[3] == race_ids[4]
    assert len(set(race_ids)) == 2


def test_reports_without_reader_are_matched_by_ordinal() -> None:
    now = report_without_reader(25, 0xD000) + report_without_reader(26, 0xD030)
    race_ids = race_ids_of(BEFORE, now)
    assert race_ids[:2] == race_ids[2:]
    # one alone is ambiguous
    assert race_count(BEFORE, report_without_reader(26, 0xD030)) == 3


def test_reads_of_other_goroutines_are_no_evidence() -> None:
    # the element is read by other goroutines than the map
    element = map_access(26, 0x9D000).replace("oroutine 8", "oroutine 9")
    race_ids = race_ids_of(BEFORE, report_without_reader(25, 0xD000) + element)
    assert race_ids[2] not in race_ids[:2]


def test_order_of_documents_does_not_matter() -> None:
    texts = [
        BEFORE,
        report_without_reader(25, 0xD000) + map_access(26, 0x9D000) + report_without_reader(26, 0xD030),
        map_access(25, 0xE000),
    ]
    groups = set()
    for order in permutations(range(3)):
        race_ids = race_ids_of(*(texts[n] for n in order))
        sizes = [0, *(texts[n].count("WARNING") for n in order)]
        at = {n: sum(sizes[: place + 1]) for place, n in enumerate(order)}
        each = [race_ids[at[n] : at[n] + texts[n].count("WARNING")] for n in range(3)]
        groups.add(tuple(map(tuple, each)))
    assert len(groups) == 1


def test_maps_with_different_readers_are_not_mixed_up() -> None:
    def by_count(text: str) -> str:
        return text.replace("(*Cart).Total", "(*Cart).Count")

    before = complete_report(25, 0xC000) + by_count(complete_report(26, 0xC030))
    now = report_without_reader(25, 0xD000) + report_without_reader(26, 0xD030) + by_count(map_access(26, 0x9D000))
    lent_race, due_race, first, second, element = race_ids_of(before, now)
    assert second == element != lent_race
    assert first not in (due_race, second)

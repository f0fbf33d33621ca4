"""Races are derived incrementally. The result is that of a rebuild, whatever was added and removed before."""

from __future__ import annotations

from functools import cache
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deadheat.lake import derivation, maintenance, transactions
from deadheat.lake.tables import Lake
from tests.cases import all_cases
from tests.lake_facts import DocumentFacts, change_facts, derived_rows, race_report

if TYPE_CHECKING:
    from pathlib import Path

CASES = [case for case in all_cases() if case.expected]
# documents with several races each, so that races and families of documents overlap
_CASES_PER_DOCUMENT = 3
_DOCUMENTS = 24
# days on which statuses change
_DAYS = (0, 1, 9, 25, 60)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    return made


@cache
def document(number: int, day: int) -> DocumentFacts:
    """A document with the texts of some cases. Neighbouring documents have cases in common."""
    first = number * len(CASES) // _DOCUMENTS
    cases = CASES[first : first + _CASES_PER_DOCUMENT] + CASES[first // 2 : first // 2 + 1]
    text = b"\n\n".join(case.raw for case in cases)
    return DocumentFacts(f"logs/{number}.log", text, day, f"run-{number}-{day}", f"repo-{number % 3}")


def rebuilt_rows(lake: Lake) -> dict[str, list[dict[str, Any]]]:
    variants = derivation.sum_sightings(lake, pc.scalar(True), lake.data_files("sightings"))
    return {name: sorted(rows.to_pylist(), key=str) for name, rows in derivation.rebuilt_rows(variants).items()}


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "replace", "remove", "derive", "derive"]),
        st.integers(0, _DOCUMENTS - 1),
        st.sampled_from(_DAYS),
    ),
    min_size=3,
    max_size=9,
)


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(_STEPS)
def test_incremental_derivation_equals_a_rebuild(steps: list[tuple[str, int, int]]) -> None:
    present: dict[str, DocumentFacts] = {}
    with TemporaryDirectory() as folder:
        lake = Lake(f"{folder}/lake")
        lake.create_tables()
        for number, (step, index, day) in enumerate(steps):
            if step == "derive":
                derivation.derive_races(lake, f"d{number}")
                continue
            new = document(index, day)
            old = [] if step == "add" else [*present.values()][index % len(present) :][:1] if present else []
            is_kept = new.name in present.keys() - {one.name for one in old}
            added = [] if step == "remove" or is_kept else [new]
            for one in old:
                del present[one.name]
            present |= {one.name: one for one in added}
            change_facts(lake, f"b{number}", added, old)
        derivation.derive_races(lake, "last")
        assert derived_rows(lake) == rebuilt_rows(lake)
        assert [*maintenance.find_faults(lake)] == []


def test_cases_of_all_detectors_in_batches_equal_a_rebuild(lake: Lake) -> None:
    documents = [DocumentFacts(case.name, case.raw, day=index % 40) for index, case in enumerate(CASES[::4])]
    for start in range(0, len(documents), 40):
        change_facts(lake, f"b{start}", documents[start : start + 40])
        derivation.derive_races(lake, f"d{start}")
    assert lake.row_count("sightings") == sum(len(document.rows) for document in documents)
    assert derived_rows(lake) == rebuilt_rows(lake)
    change_facts(lake, "removed", [], documents[::3])
    derivation.derive_races(lake, "after")
    assert derived_rows(lake) == rebuilt_rows(lake)


def test_the_change_that_rebuilds_makes_the_same_tables(lake: Lake) -> None:
    change_facts(lake, "one", [document(1, 0), document(2, 9)])
    derivation.derive_races(lake, "derived")
    before = derived_rows(lake)

    def rebuild(state: int) -> transactions.Intent:
        changes = derivation.rebuilt_changes(lake, f"rebuilt-{state}")
        return transactions.derived_intent("rebuilt", state, changes, lake.state_number)

    transactions.commit(lake, rebuild, decider="nodes")
    assert derived_rows(lake) == before


def test_new_races_are_those_without_a_known_variant(lake: Lake) -> None:
    one, two = race_report(method="Add"), race_report("0x00c000024068", method="Remove")
    change_facts(lake, "one", [DocumentFacts("a.log", one)])
    ((first, title),) = derivation.derive_races(lake, "d1")
    assert "Add" in title
    change_facts(lake, "two", [DocumentFacts("b.log", one + two)])
    ((second, title),) = derivation.derive_races(lake, "d2")
    assert "Remove" in title
    assert second != first
    assert derivation.derive_races(lake, "d3") == []


def test_only_data_files_of_touched_races_are_written_again(lake: Lake) -> None:
    for number in range(3):
        change_facts(lake, f"b{number}", [DocumentFacts(f"{number}.log", race_report(method=f"Add{number}"))])
        derivation.derive_races(lake, f"d{number}")
    before = {name: {file.path for file in lake.data_files(name)} for name in ("nodes", "races")}
    state = lake.table_state("nodes")
    derivation.derive_races(lake, "nothing")
    assert lake.table_state("nodes") == state
    change_facts(lake, "again", [DocumentFacts("again.log", race_report(method="Add1"))])
    derivation.derive_races(lake, "d-again")
    for name, paths in before.items():
        assert len(paths - {file.path for file in lake.data_files(name)}) == 1


def test_a_race_vanishes_with_its_last_sighting(lake: Lake) -> None:
    documents = [DocumentFacts(f"{n}.log", race_report(method=f"Add{n}")) for n in range(2)]
    change_facts(lake, "one", documents)
    derivation.derive_races(lake, "d1")
    change_facts(lake, "two", [], documents[:1])
    derivation.derive_races(lake, "d2")
    (race,) = lake.read_rows("races", ["title", "sightings"]).to_pylist()
    assert "Add1" in race["title"]
    change_facts(lake, "three", [], documents[1:])
    derivation.derive_races(lake, "d3")
    assert [lake.row_count(name) for name in ("nodes", "races", "families")] == [0, 0, 0]


def test_statuses_change_when_the_newest_sightings_are_removed(lake: Lake) -> None:
    documents = [DocumentFacts(f"{n}.log", race_report(method=f"Add{n}"), day) for n, day in enumerate((0, 1, 9, 60))]
    again = DocumentFacts("again.log", race_report(method="Add0"), day=1)
    change_facts(lake, "one", [*documents, again])
    derivation.derive_races(lake, "d1")
    for number, removed in enumerate([documents[3:], documents[2:3]]):
        change_facts(lake, f"removed-{number}", [], removed)
        derivation.derive_races(lake, f"d-removed-{number}")
        assert derived_rows(lake) == rebuilt_rows(lake)

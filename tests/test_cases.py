"""Every golden case."""

from __future__ import annotations

import json

import pytest

import deadheat
from deadheat import api
from tests.cases import ROOT, Case, all_cases, assert_same_after_round_trip, summarise_sighting

pytestmark = pytest.mark.compiled_too
CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, rewrite: bool) -> None:
    """The sightings are as expected, and survive a serialization round trip."""
    sightings = case.sightings()
    rows = [summarise_sighting(sighting) for sighting in sightings]
    if rewrite:
        case.expected_path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    assert rows == case.expected
    wire = json.loads(json.dumps([deadheat.sighting_to_wire(sighting) for sighting in sightings]))
    assert [deadheat.sighting_from_wire(row) for row in wire] == sightings
    for sighting in map(api.diagnose_sighting, sightings):
        assert_same_after_round_trip(sighting)


def test_enough_cases_exist() -> None:
    enough = {"go/": 40, "kcsan/": 30, "miri/": 20}
    counts = {folder: sum(case.name.startswith(folder) for case in CASES) for folder in enough}
    assert all(counts[folder] >= least for folder, least in enough.items()), counts
    assert {case.path.parent.name for case in CASES} >= {"go", "go_fatal", "near_misses"}


def test_every_expected_file_has_its_case() -> None:
    assert [path for path in ROOT.glob("*/*.json") if not path.with_suffix(".txt").exists()] == []

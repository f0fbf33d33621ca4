"""Every golden case, down every road that a report can take."""

from __future__ import annotations

import json

import pytest

import deadheat
from tests.cases import Case, all_cases, brief

pytestmark = pytest.mark.twice
CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, rewrite: bool) -> None:
    found = [brief(sighting) for sighting in case.sightings()]
    if rewrite:
        case.expected_path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    assert found == case.expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_wire_gives_back_what_it_took(case: Case) -> None:
    for sighting in case.sightings():
        plain = deadheat.sighting_to_wire(sighting)
        assert deadheat.sighting_from_wire(json.loads(json.dumps(plain))) == sighting


def test_there_are_enough_cases() -> None:
    enough = {"go/": 40, "kcsan/": 30, "miri/": 20}
    counts = {folder: sum(case.name.startswith(folder) for case in CASES) for folder in enough}
    assert all(counts[folder] >= least for folder, least in enough.items()), counts
    assert {case.path.parent.name for case in CASES} >= {"go", "go_fatal", "near_misses"}


def test_every_expected_file_has_its_case() -> None:
    orphans = [p for p in CASES[0].path.parent.parent.glob("*/*.json") if not _has_text(p)]
    assert orphans == []


def _has_text(path: object) -> bool:
    from pathlib import Path

    assert isinstance(path, Path)
    return path.with_suffix(".txt").exists()

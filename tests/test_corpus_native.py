"""Every ThreadSanitizer report in the corpus is parsed as its truth.json says."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from corpus import store
from corpus.truth_c import expected_reports
from deadheat.detectors import find_site
from deadheat.model import Op
from deadheat.symbols import native

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Frame, Report

CORPUS = store.unpacked_set("main")
# truth.json does not distinguish these kinds
COARSE = {"use-after-free-on-vptr": "use-after-free", "data-race-on-swift-object": "race-on-external-object"}
TOOLS = ("gcc", "clang", "clang19", "rustc")


def recordings() -> list[Path]:
    paths = sorted([*CORPUS.glob("c/*/recorded/*.txt"), *CORPUS.glob("rust/*/recorded/*.txt")])
    return [path for path in paths if path.stem.partition("-")[0] in TOOLS]


@cache
def truth_of(program: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((program / "truth.json").read_text())
    return truth


@pytest.mark.parametrize("path", recordings(), ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_every_recorded_report_matches_its_truth(path: Path) -> None:
    truth, raw = truth_of(path.parent.parent), path.read_bytes()
    wanted = expected_reports(truth, path.stem) or []
    bare = path.stem in truth.get("no_lines", [])
    nameless = path.stem in truth.get("no_names", [])
    found = [sighting.report for sighting in deadheat.scan(raw, diagnose=False)]
    assert len(found) == raw.count(b"WARNING: ThreadSanitizer: ")
    for report in found:
        assert report.detector == "tsan"
        assert not {*report.damage} - {deadheat.Damage.NO_STACK}
        assert any(matches_truth(report, expected_report, bare, nameless) for expected_report in wanted), report
    for expected_report in wanted:
        if not expected_report.get("optional"):
            assert any(matches_truth(report, expected_report, bare, nameless) for report in found), expected_report


def matches_truth(report: Report, expected_report: dict[str, Any], bare: bool, nameless: bool) -> bool:
    if COARSE.get(report.kind, report.kind) != expected_report["kind"]:
        return False
    pairs = expected_report.get("pairs", [expected_report["sites"]])
    if not nameless and not any(
        has_sites(report, pair, expected_report.get("shown", len(pair)), bare) for pair in pairs
    ):
        return False
    if expected_report.get("sleep") and "as if synchronized via sleep" not in dict(report.facts):
        return False
    if {*expected_report.get("actors", ())} - {*dict(report.facts).values()}:
        return False
    return has_locks(report, expected_report) and (
        nameless or has_location(report, expected_report.get("location"), bare)
    )


def has_sites(report: Report, sites: list[dict[str, Any]], shown: int, bare: bool) -> bool:
    """Whether the accesses have exactly `shown` of these sites, in any order, and no other."""
    rest = [access.site for access in report.accesses if access.site is not None]
    found = 0
    for wanted in sites:
        hit = next((f for f in rest if is_at(f, wanted, bare)), None)
        if hit is not None:
            rest.remove(hit)
            found += 1
    return not rest and found == shown


def is_at(frame: Frame, wanted: dict[str, Any], bare: bool) -> bool:
    name = native.source_function(wanted["function"]).rpartition("::")[2]
    if native.source_function(frame.function).rpartition("::")[2] not in (name, "operator()"):
        return False
    place = (frame.file.rpartition("/")[2], frame.line)
    return bare or place == (str(wanted["file"]).rpartition("/")[2], wanted["line"])


def has_locks(report: Report, expected_report: dict[str, Any]) -> bool:
    if "locks" not in expected_report:
        return True
    modes = sorted(sorted(lock.partition(" ")[0] for lock in a.locks) for a in report.accesses)
    return modes == sorted(sorted(modes) for modes in expected_report["locks"])


def has_location(report: Report, expected_location: dict[str, Any] | None, bare: bool) -> bool:
    found = report.location
    if expected_location is None:
        return True
    if found is None or found.kind != {"fd": "descriptor"}.get(expected_location["kind"], expected_location["kind"]):
        return False
    if expected_location.get("name") and found.name != native.readable_name(expected_location["name"]):
        return False
    if expected_location.get("size") and found.size not in (expected_location["size"], None):
        return False
    if not expected_location.get("allocated"):
        return True
    maker = find_site(found.stack)
    return maker is not None and is_at(maker, expected_location["allocated"], bare)


def test_there_are_enough_recordings() -> None:
    assert len(recordings()) >= 60


def test_operations_are_those_that_were_recorded() -> None:
    for path in recordings():
        truth = truth_of(path.parent.parent)
        expected_list = expected_reports(truth, path.stem) or []
        pairs = [pair for one in expected_list for pair in one.get("pairs", [one["sites"]])]
        ops: dict[int, set[str]] = {}
        for wanted in (wanted for pair in pairs for wanted in pair):
            ops.setdefault(wanted["line"], set()).add(wanted.get("op", "any"))
        for sighting in deadheat.scan(path.read_bytes(), diagnose=False):
            for access in sighting.report.accesses:
                known = ops.get(access.site.line or 0, {"any"}) if access.site else {"any"}
                assert access.op is Op.UNKNOWN or {"any", access.op} & known, (path, access)


NEGATIVES = sorted(CORPUS.glob("c/negatives/*/recorded/*.txt"))


@pytest.mark.parametrize("path", NEGATIVES, ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_negatives_have_no_tsan_report(path: Path) -> None:
    assert "tsan" not in {sighting.report.detector for sighting in deadheat.scan(path.read_bytes(), diagnose=False)}

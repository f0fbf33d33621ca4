"""Every report of ThreadSanitizer in the corpus is read as its truth says."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from corpus import store
from deadheat.detectors.site import find_site
from deadheat.model import Op
from deadheat.symbols import native

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Frame, Report

CORPUS = store.unpacked_set("main")
# the truth knows no difference between these
COARSE = {"use-after-free-on-vptr": "use-after-free", "data-race-on-swift-object": "race-on-external-object"}
TOOLS = ("gcc", "clang", "clang19", "rustc")


def recordings() -> list[Path]:
    paths = sorted([*CORPUS.glob("c/*/recorded/*.txt"), *CORPUS.glob("rust/*/recorded/*.txt")])
    return [path for path in paths if path.stem.partition("-")[0] in TOOLS]


@cache
def truth_of(program: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((program / "truth.json").read_text())
    return truth


def expected(truth: dict[str, Any], label: str) -> list[dict[str, Any]]:
    """The reports of a recording's own label, of a shorter one, or of every compiler."""
    words = label.split("-")
    labels = ["-".join(words[:size]) for size in range(len(words), 0, -1)]
    return next((truth["reports"][x] for x in [*labels, "tsan"] if x in truth["reports"]), [])


@pytest.mark.parametrize("path", recordings(), ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_every_recorded_report_is_read_as_its_truth_says(path: Path) -> None:
    truth, raw = truth_of(path.parent.parent), path.read_bytes()
    wanted = expected(truth, path.stem)
    bare = path.stem in truth.get("no_lines", [])
    nameless = path.stem in truth.get("no_names", [])
    found = [sighting.report for sighting in deadheat.scan(raw, diagnose=False)]
    assert len(found) == raw.count(b"WARNING: ThreadSanitizer: ")
    for report in found:
        assert report.detector == "tsan"
        assert not {*report.damage} - {deadheat.Damage.NO_STACK}
        assert any(is_told(report, told, bare, nameless) for told in wanted), report
    for told in wanted:
        if not told.get("optional"):
            assert any(is_told(report, told, bare, nameless) for report in found), told


def is_told(report: Report, told: dict[str, Any], bare: bool, nameless: bool) -> bool:
    if COARSE.get(report.kind, report.kind) != told["kind"]:
        return False
    pairs = told.get("pairs", [told["sites"]])
    if not nameless and not any(has_sites(report, pair, told.get("shown", len(pair)), bare) for pair in pairs):
        return False
    if told.get("sleep") and "as if synchronized via sleep" not in dict(report.facts):
        return False
    if {*told.get("actors", ())} - {*dict(report.facts).values()}:
        return False
    return has_locks(report, told) and (nameless or has_location(report, told.get("location"), bare))


def has_sites(report: Report, sites: list[dict[str, Any]], shown: int, bare: bool) -> bool:
    """Are the sites of the accesses exactly these, in either order, or as many as are shown?"""
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


def has_locks(report: Report, told: dict[str, Any]) -> bool:
    if "locks" not in told:
        return True
    modes = sorted(sorted(lock.partition(" ")[0] for lock in a.locks) for a in report.accesses)
    return modes == sorted(sorted(modes) for modes in told["locks"])


def has_location(report: Report, told: dict[str, Any] | None, bare: bool) -> bool:
    found = report.location
    if told is None:
        return True
    if found is None or found.kind != {"fd": "descriptor"}.get(told["kind"], told["kind"]):
        return False
    if told.get("name") and found.name != native.readable_name(told["name"]):
        return False
    if told.get("size") and found.size not in (told["size"], None):
        return False
    if not told.get("allocated"):
        return True
    maker = find_site(found.stack)
    return maker is not None and is_at(maker, told["allocated"], bare)


def test_there_are_enough_recordings() -> None:
    assert len(recordings()) >= 60


def test_operations_are_those_that_were_recorded() -> None:
    for path in recordings():
        truth = truth_of(path.parent.parent)
        told = expected(truth, path.stem)
        pairs = [pair for one in told for pair in one.get("pairs", [one["sites"]])]
        ops: dict[int, set[str]] = {}
        for wanted in (wanted for pair in pairs for wanted in pair):
            ops.setdefault(wanted["line"], set()).add(wanted.get("op", "any"))
        for sighting in deadheat.scan(path.read_bytes(), diagnose=False):
            for access in sighting.report.accesses:
                known = ops.get(access.site.line or 0, {"any"}) if access.site else {"any"}
                assert access.op is Op.UNKNOWN or {"any", access.op} & known, (path, access)


NEGATIVES = sorted(CORPUS.glob("c/negatives/*/recorded/*.txt"))


@pytest.mark.parametrize("path", NEGATIVES, ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_what_is_no_race_is_none_of_its_reports(path: Path) -> None:
    assert "tsan" not in {sighting.report.detector for sighting in deadheat.scan(path.read_bytes(), diagnose=False)}

"""Every Helgrind and DRD report in the corpus is parsed as its truth.json says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from corpus import store
from corpus.truth_c import expected_reports
from deadheat.model import Damage

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Access, Frame, Location, Report

RECORDED = sorted(store.unpacked_set("main").glob("c/*/recorded/*.txt"))
VALGRIND = [path for path in RECORDED if path.stem.split("-")[0] in ("helgrind", "drd")]


def truth_of(path: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((path.parent.parent / "truth.json").read_text())
    return truth


def printed_errors(path: Path) -> int | None:
    """The number of errors in Valgrind's summary, if there is one."""
    summaries = path.read_text("utf-8", "replace").split("ERROR SUMMARY: ")[1:]
    counts = [int(summary.split(" errors from ")[1].split()[0]) for summary in summaries]
    return sum(counts) if counts else None


def is_at(frame: Frame | None, site: dict[str, Any]) -> bool:
    return frame is not None and (
        frame.file.rpartition("/")[2] == site["file"].rpartition("/")[2]
        and frame.line == site["line"]
        and site["function"].rpartition("::")[2] in frame.function
    )


def has_sites(accesses: tuple[Access, ...], sites: list[dict[str, Any]], shown: int) -> bool:
    left = list(accesses)
    for site in sites:
        hit = next((a for a in left if is_at(a.site, site)), None)
        if hit is not None:
            left.remove(hit)
    return len(accesses) - len(left) >= min(shown, len(accesses)) and len(accesses) >= shown


def is_named(name: str, printed: str) -> bool:
    """Helgrind prints a variable of C++ mangled: `_ZN6searchL5indexE` is `search::index`."""
    return name == printed or (
        printed.startswith("_Z") and all(f"{len(part)}{part}" in printed for part in name.split("::") if part[0] != "(")
    )


def is_located(location: Location | None, truth: dict[str, Any] | None) -> bool:
    if truth is None:
        return True
    if location is None or location.kind != truth["kind"]:
        return False
    named = not truth.get("name") or is_named(location.name or "", truth["name"])
    sized = not truth.get("size") or location.size in (None, truth["size"])
    made = truth.get("allocated")
    return named and sized and (not made or any(is_at(frame, made) for frame in location.stack))


def fits(report: Report, truth: dict[str, Any], lineless: bool) -> bool:
    if report.kind != truth["kind"]:
        return False
    pairs = truth.get("pairs") or [truth["sites"]]
    if lineless:
        return True
    sited = any(has_sites(report.accesses, pair, truth.get("shown", len(pair))) for pair in pairs)
    return sited and is_located(report.location, truth.get("location"))


@pytest.mark.skipif(not VALGRIND, reason="the programs in C are not recorded here")
@pytest.mark.parametrize("path", VALGRIND, ids=lambda p: f"{p.parent.parent.name}/{p.stem}")
def test_every_recorded_report_matches_its_truth(path: Path) -> None:
    truths = expected_reports(truth_of(path), path.stem) or []
    lineless = path.stem in truth_of(path).get("no_lines", [])
    found = [s.report for s in deadheat.scan(path.read_bytes(), diagnose=False)]
    assert len(found) == (printed_errors(path) or len(found))
    assert {report.detector for report in found} <= {path.stem.split("-")[0]}
    # with --read-var-info Valgrind prints warnings between the lines
    allowed = {Damage.INTERLEAVED} if "varinfo" in path.stem else set()
    assert [r.damage for r in found if not allowed.issuperset(r.damage)] == []
    for report in found:
        assert any(fits(report, truth, lineless) for truth in truths), report
    for truth in truths:
        assert truth.get("optional") or any(fits(r, truth, lineless) for r in found), truth

"""Recordings of gcc, clang, rustc and Valgrind agree with their truth.json, checked without deadheat's parsers."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from corpus import store
from corpus.record_c import native_programs, program_tasks
from corpus.truth_c import expected_reports, missing_content, split_reports

if TYPE_CHECKING:
    from pathlib import Path

# the other held-out sets are checked by `python -m corpus.record_c --check`
ROOTS = [store.unpacked_set(name) for name in ("main", store.HELD_OUT[0], store.HELD_OUT[-1])]
PROGRAMS = {path.name: path for root in ROOTS for path in native_programs(root)}
# /home/somebody, /root, /tmp/corpus-x1y2: a path of the machine that recorded
MACHINE = re.compile(r"/(?:home/\w|root\b|tmp\b|work\b|Users/)")


@pytest.mark.parametrize("path", PROGRAMS.values(), ids=PROGRAMS)
def test_recordings_agree_with_their_truth(path: Path) -> None:
    for task in program_tasks(path):
        text = task.output.read_text(encoding="utf-8")
        assert missing_content(text, task.truth, task.label) == [], task.label
        assert not MACHINE.search(text), task.label


@pytest.mark.parametrize("path", PROGRAMS.values(), ids=PROGRAMS)
def test_sites_are_lines_of_the_program(path: Path) -> None:
    for task in program_tasks(path):
        for report in expected_reports(task.truth, task.label) or []:
            for site in [*report["sites"], *chain.from_iterable(report.get("pairs", []))]:
                lines = (path / site["file"]).read_text(encoding="utf-8").splitlines()
                assert 0 < site["line"] <= len(lines), task.label


def test_no_recording_without_a_truth() -> None:
    known = {task.output for path in PROGRAMS.values() for task in program_tasks(path)}
    assert {text for path in PROGRAMS.values() for text in path.glob("recorded/*.txt")} == known


def test_a_wrong_truth_is_noticed() -> None:
    task = next(one for one in program_tasks(PROGRAMS["cart-global"]) if one.label == "gcc")
    text = task.output.read_text(encoding="utf-8")
    assert missing_content(text.replace("cart.c:9 ", "cart.c:8 "), task.truth, task.label)
    assert missing_content(text.replace("'cart_total'", "'total'"), task.truth, task.label)
    assert missing_content(text.replace("data race (", "thread leak ("), task.truth, task.label)
    assert missing_content(text + text, task.truth, task.label) == []
    assert missing_content("", task.truth, task.label)


def test_negatives_hold_no_report() -> None:
    for path in PROGRAMS.values():
        if path.parent.name == "negatives":
            for task in program_tasks(path):
                assert split_reports(task.output.read_text(encoding="utf-8"), task.label) == []

"""What gcc, clang, rustc and Valgrind printed is what truth.json beside it says, line by line."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from corpus import store
from corpus.record_c import native_programs, tasks_of
from corpus.truth_c import blocks, expected, missing

if TYPE_CHECKING:
    from pathlib import Path

# the held-out sets between the first and the last are left to `python -m corpus.record_c --check`
ROOTS = [store.unpacked_set(name) for name in ("main", store.HELD_OUT[0], store.HELD_OUT[-1])]
PROGRAMS = {path.name: path for root in ROOTS for path in native_programs(root)}
# /home/somebody, /root, /tmp/corpus-x1y2: a path of the machine that recorded
MACHINE = re.compile(r"/(?:home/\w|root\b|tmp\b|work\b|Users/)")


@pytest.mark.parametrize("path", PROGRAMS.values(), ids=PROGRAMS)
def test_recordings_show_what_truth_says(path: Path) -> None:
    for task in tasks_of(path):
        text = task.output.read_text(encoding="utf-8")
        assert missing(text, task.truth, task.label) == [], task.label
        assert not MACHINE.search(text), task.label


@pytest.mark.parametrize("path", PROGRAMS.values(), ids=PROGRAMS)
def test_sites_are_lines_of_the_program(path: Path) -> None:
    for task in tasks_of(path):
        for report in expected(task.truth, task.label) or []:
            for site in [*report["sites"], *chain.from_iterable(report.get("pairs", []))]:
                lines = (path / site["file"]).read_text(encoding="utf-8").splitlines()
                assert 0 < site["line"] <= len(lines), task.label


def test_no_recording_without_a_truth() -> None:
    known = {task.output for path in PROGRAMS.values() for task in tasks_of(path)}
    assert {text for path in PROGRAMS.values() for text in path.glob("recorded/*.txt")} == known


def test_a_wrong_truth_is_noticed() -> None:
    task = next(one for one in tasks_of(PROGRAMS["cart-global"]) if one.label == "gcc")
    text = task.output.read_text(encoding="utf-8")
    assert missing(text.replace("cart.c:9 ", "cart.c:8 "), task.truth, task.label)
    assert missing(text.replace("'cart_total'", "'total'"), task.truth, task.label)
    assert missing(text.replace("data race (", "thread leak ("), task.truth, task.label)
    assert missing(text + text, task.truth, task.label) == []
    assert missing("", task.truth, task.label)


def test_negatives_hold_no_report() -> None:
    for path in PROGRAMS.values():
        if path.parent.name == "negatives":
            for task in tasks_of(path):
                assert blocks(task.output.read_text(encoding="utf-8"), task.label) == []

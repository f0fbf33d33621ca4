"""Measures of answers: right, wrong, withheld, calibrated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.diagnosis.finding import UNKNOWN
from eval.baseline_rules import baseline_cause
from eval.real_races import read_sample
from eval.reliability import (
    Answer,
    answered_and_right,
    bootstrap_interval,
    calibration_error,
    reliability_table,
    right_share,
    right_within_two_share,
    wrong_share,
    wrong_share_of_confident,
)
from tests.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RIGHT, OTHER = "missing-lock", "close-vs-send"


def answer(cause: str, confidence: float, *more: str, repo: str = "a/b") -> Answer:
    causes = ((cause, confidence), *((one, 0.1) for one in more))
    return Answer(repo, "go", causes, frozenset((RIGHT, "partial-lock")))


ANSWERS = [
    answer(RIGHT, 0.9),
    answer("partial-lock", 0.9, repo="c/d"),
    answer(OTHER, 0.9, RIGHT),
    answer(OTHER, 0.4, "local-captured", RIGHT),
    answer(UNKNOWN, 0.7, RIGHT),
]


def test_an_unknown_cause_is_neither_right_nor_wrong() -> None:
    assert (right_share(ANSWERS), wrong_share(ANSWERS)) == (0.4, 0.4)
    assert right_within_two_share(ANSWERS) == 0.8
    assert wrong_share_of_confident(ANSWERS) == pytest.approx(1 / 3)


def test_calibration_is_the_distance_of_confidence_and_right_answers() -> None:
    assert calibration_error([answer(RIGHT, 1.0), answer(OTHER, 0.0)]) == 0
    assert calibration_error([answer(RIGHT, 0.9), answer(OTHER, 0.9)]) == pytest.approx(0.4)
    assert calibration_error(ANSWERS) == pytest.approx((0.7 + 0.4) / 4)


def test_answers_below_a_confidence_are_withheld() -> None:
    rows = [answer(RIGHT, 0.9), answer(RIGHT, 0.8), answer(OTHER, 0.7), answer(RIGHT, 0.6), answer(OTHER, 0.5)]
    assert answered_and_right(rows, 0.0) == (0.4, 0.4)
    assert answered_and_right(rows, 0.2) == (0.8, 0.6)
    assert answered_and_right(ANSWERS, 0.1) == (0, 0), "equal confidences are not separated"


def test_the_interval_comes_from_repositories() -> None:
    alike = [answer(RIGHT, 0.9)] * 50
    assert bootstrap_interval(alike, right_share) == (1, 1)
    mixed = [*alike, *[answer(OTHER, 0.9, repo="c/d")] * 50]
    assert bootstrap_interval(mixed, right_share) == (0, 1)


def test_the_table_has_a_row_for_each_set_and_none_fails() -> None:
    rows = list(reliability_table([("rules", ANSWERS), ("none", [])]))
    assert [row.count("|") for row in rows] == [11] * 4
    assert rows[2].startswith("| rules | 5 | 2 | 40 % (")


def test_the_baseline_names_a_cause_of_any_report() -> None:
    for path in sorted((ROOT / "go").glob("*.txt"))[:40]:
        for sighting in deadheat.scan(path.read_bytes(), diagnose=False):
            ((cause, confidence),) = baseline_cause(sighting.report, None)
            assert cause == UNKNOWN or "-" in cause
            assert 0 < confidence < 1


def test_another_sample_may_name_files_and_commits(tmp_path: Path) -> None:
    row = {"repo": "a/b", "commit": "c" * 40, "report": 1, "cause": RIGHT, "also": [], "variable": None, "remark": ""}
    more = {"report_file": "reports/a.txt", "base": "d" * 40, "locks": None}
    (tmp_path / "races.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(row | more)}\n")
    plain, other = read_sample(tmp_path / "races.jsonl")
    assert (plain.report_file, plain.base) == (None, None)
    assert (other.report_file, other.base) == (str(tmp_path / "reports/a.txt"), "d" * 40)

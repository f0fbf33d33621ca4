"""Scores, grouping rules and diagnosis tables of the evaluation."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deadheat
from corpus import store
from deadheat import plugins
from deadheat.diagnosis.finding import Finding
from eval import cause_breakdowns, causes
from eval import grouping_rules as rules
from eval.labelled_reports import LabelledReport, Recording, damage_reports
from eval.score import Score, largest_losses, report_scores, score_rule
from tests.damage import damage_named

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from deadheat.model import Sighting

TEXT = """==================
WARNING: DATA RACE
Write at 0x00c0000{address} by goroutine 7:
  example.com/shop.(*Cart).{first}()
      /src/shop.go:{line} +0x12
  example.com/shop.{caller}()
      /src/shop.go:99 +0x12

Previous read at 0x00c0000{address} by goroutine 6:
  example.com/shop.(*Cart).{second}()
      /src/shop.go:20 +0x12
  example.com/shop.reader()
      /src/shop.go:90 +0x12

Goroutine 7 (running) created at:
  example.com/shop.main()
      /src/shop.go:80 +0x12
==================
"""


def report(
    first: str = "Add", second: str = "Sum", line: int = 10, caller: str = "run", address: str = "a0010"
) -> Sighting:
    text = TEXT.format(first=first, second=second, line=line, caller=caller, address=address)
    (sighting,) = deadheat.scan(text, f"{first} {second} {line} {caller} {address}", diagnose=False)
    return sighting


def _item(race: str, kind: str = "version") -> LabelledReport:
    return LabelledReport(race, kind, race, None)


def test_b_cubed_of_a_small_grouping() -> None:
    items = [_item(race) for race in "aaab"]
    # one report of race a is alone, and two are in a group with race b
    assert report_scores(items, [1, 1, 2, 1]) == [(2 / 3, 2 / 3), (2 / 3, 2 / 3), (1, 1 / 3), (1 / 3, 1)]


def test_the_score_is_the_mean_over_the_selected_kinds() -> None:
    items = [_item("a"), _item("a", "lines"), _item("b", "lines")]
    assert score_rule(items, rules.both_chains, {"lines"}) == Score(1.0, 0.75, 2)
    assert score_rule(items, rules.both_chains, {"lines"}).f1 == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("rule", "same", "other"),
    [
        (rules.both_chains, report(line=11), report(caller="walk")),
        (rules.top_function, report(second="Max", line=12), report("Take")),
        (rules.two_top_functions, report(caller="walk"), report(second="Max")),
        (rules.three_functions, report(second="Max"), report(caller="walk")),
        (rules.file_and_line, report("Put"), report(line=11)),
        (rules.either_stack, report(second="Max", caller="run"), report("Take", "Max2")),
        (rules.stack_distance, report(line=40), report("Take", "Max", caller="walk")),
        (rules.deadheat_races, report(line=11), report("Take")),
    ],
)
def test_a_rule_joins_and_separates_reports(rule: rules.Rule, same: Sighting, other: Sighting) -> None:
    groups = rule([report(), same, other])
    assert groups[0] == groups[1] != groups[2]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_the_order_of_reports_changes_no_group(rule: rules.Rule) -> None:
    names = ("Add", "Take", "Put", "Drop")
    reports = [report(a, b, caller=c) for a in names for b in names for c in ("run", "walk")]
    mixed = random.Random(7).sample(range(len(reports)), len(reports))
    straight, other = rule(reports), rule([reports[at] for at in mixed])
    assert _partition(straight) == _partition([other[mixed.index(at)] for at in range(len(reports))])


def _partition(groups: Sequence[Hashable]) -> set[frozenset[int]]:
    return {frozenset(at for at, g in enumerate(groups) if g == group) for group in groups}


def test_a_damaged_report_keeps_its_label_and_a_lost_report_is_counted() -> None:
    two = [("a", report()), ("b", report("Take", "Max", address="a0020"))]
    text = TEXT.format(first="Add", second="Sum", line=10, caller="run", address="a0010")
    items = tuple(LabelledReport(r, "version", "u", s) for r, s in two)
    recording = Recording(Path(), "u", "version", text, items)
    hurt = damage_reports([recording], [damage_named("github-actions")], 1)
    assert [(item.race, item.kind, item.sighting is None) for item in hurt] == [
        ("a", "github-actions", False),
        ("b", "github-actions", True),
    ]


def test_the_largest_losses_are_described() -> None:
    items = [_item("a"), _item("a", "lines"), _item("b")]
    rows = largest_losses(items, [1, 2, 1])
    assert rows[0] == ("| `a` | 1.5 | together with `b` (1); in 2 groups (1 + 1), apart from the first: lines 1 |")


# -- causes ----------------------------------------------------------------------------------------


def test_a_cause_is_graded_by_its_label() -> None:
    truth = causes.Truth("double-checked-locking", frozenset({"lazy-initialisation"}))
    causes_found = ("double-checked-locking", "lazy-initialisation", "missing-lock", "unknown", "timer-after-stop")
    grades = [causes.grade_cause(one, truth) for one in causes_found]
    assert grades == ["exact", "as true", "general", "unknown", "wrong"]


def test_a_label_is_for_the_program_or_for_a_variable() -> None:
    program_truth = {"cause": {"a": "missing-lock", "b": "partial-lock"}, "also": {"b": ["concurrent-map"]}}
    assert causes.truth_of_variable(program_truth, "a") == causes.Truth("missing-lock")
    assert causes.truth_of_variable(program_truth, "b") == causes.Truth("partial-lock", frozenset({"concurrent-map"}))
    assert causes.truth_of_variable(program_truth, "c") is None
    assert causes.truth_of_variable({"cause": "lazy-initialisation"}, "x") == causes.Truth("lazy-initialisation")


def test_every_race_has_the_same_weight() -> None:
    unknown = (Finding("unknown", 1.0),)
    found = [causes.DiagnosedReport("many", "go", "", causes.Truth("x"), unknown)] * 9
    found.append(causes.DiagnosedReport("one", "go", "", causes.Truth("x"), (Finding("x", 0.9),)))
    assert causes.race_shares(found, lambda case: case.grade) == {"unknown": pytest.approx(0.5), "exact": 0.5}


def test_the_cause_of_a_race_from_one_recording_and_from_all() -> None:
    def case(recording: str, cause: str, confidence: float = 0.55) -> causes.DiagnosedReport:
        truth = causes.Truth("partial-lock")
        return causes.DiagnosedReport("a", "go", "", truth, (Finding(cause, confidence),), recording)

    found = [
        case("one", "partial-lock"),
        case("one", "partial-lock"),
        case("two", "mixed-atomic", 0.9),
        case("two", "unknown", 1.0),
    ]
    _, _, *rows = cause_breakdowns.table_by_race(found, [""], causes.grade_cause)
    wrong, right, mixed = (
        f"{exact} | 0.0 % | 0.0 % | {unknown} | {other} |"
        for exact, unknown, other in (
            ("0.0 %", "0.0 %", "100.0 %"),
            ("100.0 %", "0.0 %", "0.0 %"),
            ("50.0 %", "0.0 %", "50.0 %"),
        )
    )
    assert f"|  | one recording | deadheat's choice | 2 | {mixed}" in rows
    assert f"|  | all recordings | highest confidence | 1 | {wrong}" in rows
    assert f"|  | all recordings | deadheat's choice | 1 | {right}" in rows


def test_every_label_of_the_corpus_is_a_cause() -> None:
    known = {*plugins.causes_by_name()}
    for program in (one for name in store.SETS for one in store.read_programs(name)):
        truth = program.truth
        for key in ("cause", "also"):
            values = truth.get(key, [])
            flat = values.values() if isinstance(values, dict) else [values]
            names = {n for v in flat for n in ([v] if isinstance(v, str) else v)}
            assert names <= known, program.name

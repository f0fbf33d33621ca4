"""`deadheat run` on a real Go module: a known race passes with a baseline, a new one fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat import cli
from tests.toolchain import go_environment

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = Path(deadheat.__file__).parents[1]
STOCK = """package shop

type Shelf struct{ n, spare int }

func (s *Shelf) Add() {
	s.n++
}

func (s *Shelf) Refill() {
	s.n = 12
}
"""
TESTS = """package shop

import (
	"sync"
	"testing"
)

func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); a() }()
	go func() { defer wg.Done(); b() }()
	wg.Wait()
}

func TestCalm(t *testing.T) {}

func TestShelf(t *testing.T) {
	t.Run("calm", func(t *testing.T) {})
	t.Run("busy", func(t *testing.T) {
		s := &Shelf{}
		both(s.Add, func() { s.Refill() })
	})
}
"""
SECOND_STOCK = """
func (s *Shelf) Spare() int {
	return s.spare
}

func (s *Shelf) Hoard() {
	s.spare++
}
"""
SECOND_TEST = """
func TestHoard(t *testing.T) {
	s := &Shelf{}
	both(s.Hoard, func() { s.Spare() })
}
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "go.mod").write_text("module example.com/shop\n\ngo 1.21\n")
    (tmp_path / "stock.go").write_text(STOCK)
    (tmp_path / "stock_test.go").write_text(TESTS)
    return tmp_path


@pytest.fixture
def run_gate(module: Path) -> Callable[[], tuple[int, list[dict[str, Any]], str]]:
    environment = go_environment() | {"PYTHONPATH": str(SOURCES)}
    base = [sys.executable, "-m", "deadheat", "run", "--gate", "--baseline", "races.jsonl"]

    def run() -> tuple[int, list[dict[str, Any]], str]:
        """Exit status, races, and the output of the command."""
        done = subprocess.run(
            [*base, "--output", "races.json", "--format", "jsonl",
             "--", "go", "test", "-race", "-vet=off", "./..."],
            cwd=module, env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        races = (module / "races.json").read_text().splitlines()
        return done.returncode, [json.loads(race) for race in races], done.stdout

    return run


def with_moved_lines(text: str) -> str:
    """The same code further down, in closures with other numbers."""
    text = text.replace("type Shelf", "// moved\n\n\nvar _ = func() int { return 1 }\n\ntype Shelf")
    return text.replace("\ts := &Shelf{}\n", "\tnone := func() {}\n\tnone()\n\ts := &Shelf{}\n", 1)


def test_known_race_passes_and_next_race_fails(
    module: Path, run_gate: Callable[[], tuple[int, list[dict[str, Any]], str]]
) -> None:
    status, races, printed = run_gate()
    assert (status, [race["standing"] for race in races]) == (1, ["new"])
    assert "WARNING: DATA RACE" in printed
    assert "--- FAIL: TestShelf/busy" in printed
    assert races[0]["test"] == "TestShelf/busy"
    first = races[0]["race"]

    (module / "test.log").write_text(printed)
    accepted = ["--update", "--reason", "SHOP-12", "--owner", "@stock", str(module / "test.log")]
    assert cli.main(["gate", "--baseline", str(module / "races.jsonl"), *accepted]) == 0
    [line] = (module / "races.jsonl").read_text().splitlines()
    assert json.loads(line)["reason"] == "SHOP-12"

    status, races, _ = run_gate()
    assert (status, [race["standing"] for race in races]) == (0, ["known"])

    (module / "stock.go").write_text(with_moved_lines(STOCK))
    (module / "stock_test.go").write_text(with_moved_lines(TESTS))
    status, races, _ = run_gate()
    assert (status, [(race["race"], race["standing"]) for race in races]) == (0, [(first, "known")])

    (module / "stock.go").write_text(with_moved_lines(STOCK) + SECOND_STOCK)
    (module / "stock_test.go").write_text(with_moved_lines(TESTS) + SECOND_TEST)
    status, races, _ = run_gate()
    assert status == 1
    assert {race["standing"]: race["test"] for race in races} == {"known": "TestShelf/busy", "new": "TestHoard"}
    new = next(race for race in races if race["standing"] == "new")
    assert {a["site"]["function"] for a in new["accesses"]} == {
        "shop.(*Shelf).Spare", "shop.(*Shelf).Hoard",
    }  # fmt: skip


@pytest.mark.parametrize(
    "options", [[], pytest.param(["-v"], marks=pytest.mark.soak), ["-json"]], ids=["plain", "-v", "-json"]
)
def test_race_is_gone_when_it_is_fixed_and_not_when_the_build_fails(module: Path, options: list[str]) -> None:
    environment = go_environment() | {"PYTHONPATH": str(SOURCES)}
    base = [sys.executable, "-m", "deadheat", "run", "--gate", "--baseline", "races.jsonl", "--update", "--prune"]

    def counts(*more: str) -> dict[str, int]:
        subprocess.run(
            [*base, "--output", "races.json", "--format", "json",
             "--", "go", "test", "-race", "-vet=off", *options, *more, "./..."],
            cwd=module, env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        result: dict[str, dict[str, int]] = json.loads((module / "races.json").read_text())
        return {state: number for state, number in result["counts"].items() if number}

    assert counts() == {"new": 1}
    [row] = map(json.loads, (module / "races.jsonl").read_text().splitlines())
    assert (row["package"], row["test"]) == ("example.com/shop", "TestShelf/busy")
    (module / "stock.go").write_text(STOCK + "func broken() { undefined() }\n")
    assert counts() == {"not_run": 1}
    (module / "stock.go").write_text(STOCK)
    assert counts("-run", "TestCalm") == {"not_run": 1}
    fixed = TESTS.replace("both(s.Add, func() { s.Refill() })", "s.Add()\n\t\ts.Refill()")
    (module / "stock_test.go").write_text(f"{fixed}\nfunc TestPanics(t *testing.T) {{ panic(0) }}\n")
    (module / "a_test.go").write_text('package shop\n\nimport "testing"\n\nfunc TestA(t *testing.T) { panic(0) }\n')
    assert counts() == {"not_run": 1}
    (module / "a_test.go").unlink()
    (module / "stock_test.go").write_text(fixed)
    assert counts() == {"gone": 1}
    assert (module / "races.jsonl").read_text() == ""

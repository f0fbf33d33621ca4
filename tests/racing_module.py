"""A small Go module with a race that shows at a known rate, its history, and commands that run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat
from deadheat.lake import derivation
from deadheat.lake.tables import Lake
from tests.lake_facts import DocumentFacts, change_facts
from tests.repositories import Repository
from tests.toolchain import go_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

MODULE = "module example.com/shop\n\ngo 1.20\n"
PACKAGE_ROOT = str(Path(deadheat.__file__).parents[1])

CART = """package cart

type Cart struct {
	total int
}

func (c *Cart) Add(n int) {
	c.total += n
}

func (c *Cart) Total() int {
	return c.total
}
"""

LOCKED_CART = """package cart

import "sync"

type Cart struct {
	mu    sync.Mutex
	total int
}

func (c *Cart) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += n
}

func (c *Cart) Total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}
"""

# the accesses are ordered by a channel, except with the probability `chance`
TEST = """package cart

import (
	"math/rand"
	"testing"
)

const chance = {chance}

func TestCheckout(t *testing.T) {{
{start}	c := &Cart{{}}
	added, done := make(chan bool, 1), make(chan bool)
	go func() {{
		c.Add(1)
		added <- true
		close(done)
	}}()
	if rand.Float64() >= chance {{
		<-added
	}}
	c.Total()
	<-done
}}
"""


def cart_test(chance: float, start: str = "") -> str:
    return TEST.format(chance=chance, start=f"\t{start}\n" if start else "")


class RacingModule:
    """A repository with the module, and the report of a run of its first commit."""

    def __init__(self, folder: Path, chance: float, files: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.environment = go_environment()
        self.repository = Repository(folder / "shop")
        sources = {"go.mod": MODULE, "cart/cart.go": CART, "cart/cart_test.go": cart_test(chance)}
        self.racy = self.repository.put("cart: count", {**sources, **(files or {})})

    def write_report(self) -> Path:
        """Run the test as CI would until it reports the race."""
        command = ["go", "test", "-race", "-count=100", "-failfast", "./cart"]
        done = subprocess.run(
            command, cwd=self.repository.path, env=self.environment, capture_output=True, text=True, check=False
        )
        assert "DATA RACE" in done.stdout, done.stdout + done.stderr
        report = self.folder / "ci.log"
        report.write_text(done.stdout)
        return report

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run deadheat."""
        command = [sys.executable, "-m", "deadheat", *map(str, words)]
        environment = {**os.environ, **self.environment, **variables, "PYTHONPATH": PACKAGE_ROOT}
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=self.folder)

    def run_json(self, *words: str | Path) -> tuple[int, Any]:
        """The exit status and the result of a command."""
        command, report, *options = words
        where = "--repo", self.repository.path, "--format", "json"
        done = self.run(command, report, *where, *options)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


def lake_with_report(module: RacingModule, folder: Path) -> Lake:
    """A lake with the report of the module."""
    lake = Lake(str(folder / "lake"))
    lake.create_tables()
    change_facts(lake, "first", [DocumentFacts("ci.log", (module.folder / "ci.log").read_text())])
    derivation.derive_races(lake, "derived")
    return lake

"""The seeds against a real history: needs a clone of pingcap/tidb, named by DEADHEAT_TIDB."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

import deadheat
from deadheat.repo.clone import Clone
from deadheat.repo.dossier import build_dossier
from tests.cases import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator

TIDB = os.environ.get("DEADHEAT_TIDB", "")
SEEDS = SHARED / "seeds"

pytestmark = pytest.mark.skipif(not TIDB or not SEEDS.is_dir(), reason="no clone, or no seeds")


class Truth(NamedTuple):
    """What was checked by hand."""

    seed: str
    commits: tuple[str, str]
    width: int
    variable: tuple[str, str]
    fix: str | None
    command: str


TRUTH = (
    Truth(
        "000", ("3dce612f046", "950a274afc8"), 26, ("cancelFunc", "IndexNestedLoopHashJoin"),
        "6c0fcea070a",
        "go test -race ./executor -run '^TestT$' -check.f 'testSerialSuite.TestIssue28650$'",
    ),
    Truth(
        "001", ("975d1772865", "191503599a3"), 15, ("RuntimeStatsColl", "StatementContext"), None,
        "//executor/fktest:fktest_test",
    ),
    Truth(
        "002", ("2e1cff73f3b", "76a9eeae185"), 35, ("cached.data", "SessionVars"), "e604fdcf7b5",
        "go test -race ./sessionctx/stmtctx -run '^TestWeakConsistencyRead$'",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def clone() -> Iterator[Clone]:
    with Clone(TIDB) as opened:
        yield opened


@pytest.mark.parametrize("truth", TRUTH, ids=lambda truth: truth.seed)
def test_a_seed(clone: Clone, truth: Truth) -> None:
    (path,) = SEEDS.glob(f"{truth.seed}_*")
    report = deadheat.scan(path.read_bytes(), diagnose=False)[0].report
    told = build_dossier(report, [clone])
    assert told.pin is not None
    window = told.pin.window
    assert (window.first[:11], window.last[:11]) == truth.commits
    assert window.commit_count == truth.width
    assert told.pin.is_exact
    assert told.variable is not None
    assert (told.variable.name, told.variable.owner) == truth.variable
    if truth.fix:
        assert told.fixed_by[0].commit.startswith(truth.fix)
    assert told.reproduction is not None
    assert truth.command in (told.reproduction.command or "")


CAUSES = (
    ("000", 0, "teardown-vs-worker", "recovery path of a panic"),
    ("001", 0, "worker-outlives-owner", "`session.(*session).ExecuteStmt` started the worker"),
    ("002", 0, "test-leaves-resource-open", "leaves the result of `Execute` (`recordSets"),
    ("002", 1, "test-leaves-resource-open", "leads to `(*SessionVars).InitStatementContext`"),
    ("003", 0, "waitgroup-add-in-goroutine", "Add is called by the goroutine that Wait waits for"),
    ("004", 0, "check-then-act", "`s.txn.changePendingToValid` changes that state"),
)


@pytest.mark.parametrize(("seed", "number", "cause", "evidence"), CAUSES)
def test_why_a_seed_races(clone: Clone, seed: str, number: int, cause: str, evidence: str) -> None:
    (path,) = SEEDS.glob(f"{seed}_*")
    report = deadheat.scan(path.read_bytes(), path.name, opt_in=True, diagnose=False)[number].report
    first = build_dossier(report, [clone]).causes[0]
    assert first.cause == cause
    assert evidence in " ".join(map(str, first.evidence))
    assert first.test_only == (seed == "002")
    assert first.remedy is not None
    assert first.remedy.where


def test_a_report_from_a_branch(clone: Clone) -> None:
    (path,) = SEEDS.glob("003_*")
    told = build_dossier(deadheat.scan(path.read_bytes(), diagnose=False)[0].report, [clone])
    assert told.pin is not None
    assert not told.pin.is_exact
    assert {frame.file for frame in told.pin.misfits} == {"testkit/testkit.go"}
    assert told.fixed_by[0].commit.startswith("f681af5b11a")
    assert told.variable is not None
    assert (told.variable.name, told.variable.owner) == ("wg", "mppIterator")
    assert {b.caller.function for b in told.refuted_calls} == {"domain.(*Domain).LoadSysVarCacheLoop"}

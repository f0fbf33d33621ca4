"""Trials as tasks of a local Spark session: the same verdict, lost and repeated trials, limits, an interruption."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.api import scan_text
from deadheat.errors import DeadheatError
from deadheat.grouping.race_assignment import assign_races
from deadheat.spark.trials import SparkExecutor, TrialCluster
from deadheat.verification.comparison import Comparison, VersionUnderTest
from deadheat.verification.sequential import FixVerdict, Rule, Verification, Version
from deadheat.verification.sought_race import SoughtRace
from deadheat.verification.trials import CommandCode, Configuration, LocalExecutor, TrialLimits, TrialRequest
from tests.cases import ROOT
from tests.racing_module import LOCKED_CART, RacingModule
from tests.standalone_cluster import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deadheat.verification.remote_trials import BatchResult, TrialBatch

REPORT = ROOT / "go" / "two-goroutines.txt"
LIMITS = TrialLimits(20, 0)
DEFAULT = Configuration("default")


@pytest.fixture
def cluster(spark: Any, tmp_path: Path) -> TrialCluster:
    return TrialCluster(spark, tmp_path / "packages", 2)


@pytest.fixture
def make_code(tmp_path: Path) -> Callable[[str], CommandCode]:
    """Makes code that runs a script in a folder with a report of a race."""

    def make(script: str) -> CommandCode:
        tree = tmp_path / f"tree-{len([*tmp_path.iterdir()])}"
        tree.mkdir()
        (tree / "report").write_bytes(REPORT.read_bytes())
        return CommandCode(("sh", "-c", script), tree, dict(os.environ))

    return make


RACES_OFTEN = "if [ $(($(od -An -N1 -tu1 /dev/urandom) % 3)) -gt 0 ]; then cat report; exit 66; fi"


def compare(executor: Any, old: CommandCode, new: CommandCode) -> Comparison:
    sought = SoughtRace(assign_races([*scan_text(REPORT.read_bytes(), diagnose=False)]))
    versions = {Version.OLD: VersionUnderTest(old, lambda: None), Version.NEW: VersionUnderTest(new, lambda: None)}
    verification = Verification(Rule(0.99), 7)
    comparison = Comparison(sought, versions, DEFAULT, executor, verification, 20, lambda _: None)
    comparison.run()
    return comparison


def test_verdict_is_that_of_this_computer(
    cluster: TrialCluster, make_code: Callable[[str], CommandCode], tmp_path: Path
) -> None:
    old, right, wrong = make_code(RACES_OFTEN), make_code("true"), make_code(RACES_OFTEN)
    verdicts = {}
    for name, new in (("right", right), ("wrong", wrong)):
        with SparkExecutor(cluster, LIMITS) as executor:
            found = compare(executor, old, new)
        with LocalExecutor(tmp_path / "trials", 2, TrialLimits(20, 1 << 30)) as local:
            verdicts[name] = (found.verification.judge(), compare(local, old, new).verification.judge())
        assert sum(runs for runs, _ in found.counts[Version.OLD].hosts.values()) == found.counts[Version.OLD].runs
    assert verdicts["right"][0] == verdicts["right"][1]
    assert verdicts["wrong"][0] == verdicts["wrong"][1]
    assert [verdicts[name][0][0] for name in verdicts] == [FixVerdict.FIXED, FixVerdict.STILL_RACES]
    assert (cluster.executors, bool(cluster.isolation)) == (1, True)


class _UnreliableCluster(TrialCluster):
    """A cluster on which the Python process of some tasks is killed, once or as often as Spark repeats the task."""

    def __init__(self, spark: Any, folder: Path, is_killed: Callable[[int], bool], attempts: int) -> None:
        super().__init__(spark, folder, 2)
        self._is_killed, self._attempts, self._number = is_killed, attempts, 0

    def run(self, batch: TrialBatch) -> BatchResult:
        self._number += 1
        if self._is_killed(self._number):
            attempts = self._attempts

            def kill_process(rows: Any) -> Any:
                from pyspark import TaskContext

                context = TaskContext.get()
                assert context is not None
                if context.attemptNumber() < attempts:
                    os.kill(os.getpid(), signal.SIGKILL)
                return rows

            self.context.parallelize([0], 1).mapPartitions(kill_process).collect()
        return super().run(batch)


def test_task_that_spark_repeats_is_one_trial(
    spark: Any, make_code: Callable[[str], CommandCode], tmp_path: Path
) -> None:
    cluster = _UnreliableCluster(spark, tmp_path / "packages", lambda number: number == 2, attempts=1)
    code = make_code("true")
    observed: Counter[Any] = Counter()
    with SparkExecutor(cluster, LIMITS) as executor:
        for key in range(4):
            while not executor.has_room(DEFAULT):
                observed.update(request.key for request, _ in executor.wait(30))
            executor.start(TrialRequest(key, code, DEFAULT))
        while len(executor):
            observed.update(request.key for request, _ in executor.wait(30))
    assert observed == Counter(range(4))


def test_slot_of_a_lost_trial_is_repeated_by_the_same_version(
    spark: Any, make_code: Callable[[str], CommandCode], tmp_path: Path
) -> None:
    cluster = _UnreliableCluster(spark, tmp_path / "packages", lambda number: number == 3, attempts=9)
    with SparkExecutor(cluster, LIMITS) as executor:
        found = compare(executor, make_code(RACES_OFTEN), make_code("true"))
    # a slot that were counted twice would raise an error, one that were not repeated would end the evidence
    assert found.verification.judge()[0] is FixVerdict.FIXED
    old, new = found.counts[Version.OLD], found.counts[Version.NEW]
    assert old.incomplete + new.incomplete == 1
    assert all(failure.startswith("lost with its executor: ") for failure in {**old.failures, **new.failures})


@pytest.mark.soak
def test_cluster_that_loses_every_trial_ends_with_one_line(
    spark: Any, make_code: Callable[[str], CommandCode], tmp_path: Path
) -> None:
    cluster = _UnreliableCluster(spark, tmp_path / "packages", lambda _: True, attempts=9)
    with (
        pytest.raises(DeadheatError, match=r"^Spark failed .*Python worker exited unexpectedly"),
        SparkExecutor(cluster, LIMITS) as executor,
    ):
        compare(executor, make_code("true"), make_code("true"))


def test_processes_per_core_run_in_one_task_with_the_environment_of_the_configuration(
    cluster: TrialCluster, make_code: Callable[[str], CommandCode]
) -> None:
    # each waits until four have started
    code = make_code('mktemp -p "$DIR" > /dev/null; while [ $(ls "$DIR" | wc -l) -lt 4 ]; do sleep 0.05; done')
    folder = code.folder.parent / "started"
    folder.mkdir()
    four = Configuration("four", (("DIR", str(folder)),), processes_per_core=4)
    with SparkExecutor(cluster, LIMITS) as executor:
        while executor.has_room(four):
            executor.start(TrialRequest(len(executor), code, four))
        assert (len(executor), executor.has_room(DEFAULT)) == (8, False)
        observations = [observation for _ in range(2) for _, observation in executor.wait(30)]
    assert len(observations) >= 4
    assert {observation.failure for observation in observations} == {""}


def test_only_trials_that_may_be_needed_run(
    spark: Any, make_code: Callable[[str], CommandCode], tmp_path: Path
) -> None:
    cluster = TrialCluster(spark, tmp_path / "packages", 200)
    most = 0
    with SparkExecutor(cluster, LIMITS) as executor:
        start = executor.start

        def start_and_count(request: TrialRequest) -> None:
            nonlocal most
            start(request)
            most = max(most, len(executor))

        executor.start = start_and_count  # type: ignore[method-assign]
        found = compare(executor, make_code("cat report; exit 66"), make_code("true"))
    assert found.verification.judge()[0] is FixVerdict.FIXED
    assert 15 <= most <= 100  # of 200


def test_close_ends_what_runs(cluster: TrialCluster, make_code: Callable[[str], CommandCode]) -> None:
    code = make_code("echo $$ > started; sleep 60")
    with SparkExecutor(cluster, TrialLimits(100, 0)) as executor:
        executor.start(TrialRequest(0, code, DEFAULT))
        assert [*executor.wait(1.5)] == []
        started = time.monotonic()
    assert time.monotonic() - started < 10
    assert not cluster.context.statusTracker().getActiveJobsIds()


@pytest.mark.soak
def test_commands_on_a_local_session(tmp_path: Path) -> None:
    module = RacingModule(tmp_path, 0.9)
    module.write_report()
    options = ["--master", "local[2,4]", *(word for pair in SETTINGS.items() for word in ("--conf", "=".join(pair)))]
    status, result = module.run_json("reproduce", tmp_path / "ci.log", "--runs", "10", *options)
    assert (status, result["is_seen"], result["master"], result["executors"]) == (0, True, "local[2,4]", 1), result
    assert sum(host["runs"] for host in result["hosts"]) == result["runs"]
    fix = module.repository.put("cart: fix", {"cart/cart.go": LOCKED_CART})
    status, result = module.run_json("verify", tmp_path / "ci.log", "--fix", fix, "--time", "60s", *options)
    assert (status, result["verdict"], result["new"]["sightings"]) == (0, "fixed", 0), result
    repository = module.repository
    for number in range(6):
        repository.put("docs", {"README": f"{number}\n"})
    status, result = module.run_json(
        "bisect", tmp_path / "ci.log", "--fixed", "--from", module.racy, "--time", "120s", "--no-cache", *options
    )
    assert (status, [each["commit"] for each in result["answer"]["commits"]]) == (0, [fix]), result
    assert (result["master"], result["executors"]) == ("local[2,4]", 1)

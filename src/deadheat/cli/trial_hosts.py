"""Where the trials of `reproduce`, `verify` and `bisect` run: on this computer, or on a cluster with `--master`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from deadheat.cli import spark_and_lake
from deadheat.cli.race_runs import core_count, trial_limits

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager, ExitStack

    from deadheat.cli.progress import ProgressLine
    from deadheat.spark.trials import TrialCluster
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.trials import TrialExecutor, TrialPlace


class TrialHosts(Protocol):
    """The computers that run trials."""

    @property
    def jobs(self) -> int:
        """How many cores run trials at once."""

    @property
    def cores(self) -> int:
        """The cores that one trial sees; 0 if they are not known."""

    def start_executor(self, processes_per_core: int) -> AbstractContextManager[TrialExecutor]:
        """An executor for trials of configurations with at most so many processes per core."""

    def place(self) -> TrialPlace:
        """Where trials have run."""


def add_trial_spark_options(command: argparse.ArgumentParser) -> None:
    spark_and_lake.add_spark_options(command, "run the trials on this Spark cluster (default: on this machine)")


def open_trial_hosts(
    args: argparse.Namespace, builder: CodeBuilder, stack: ExitStack, progress: ProgressLine
) -> TrialHosts:
    """This computer, or the cluster of `--master`, which is left when the stack is closed."""
    if not args.master:
        return _ThisComputer(args, builder)
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark.trials import SETTINGS, TrialCluster
    spark = spark_and_lake.session_starter(args, progress, SETTINGS)(True)
    cluster = TrialCluster(spark, builder.trees.folder / "packages", args.jobs)
    stack.callback(cluster.close)
    return _Cluster(args, cluster)


@dataclass(frozen=True, slots=True)
class _ThisComputer:
    args: argparse.Namespace
    builder: CodeBuilder

    @property
    def jobs(self) -> int:
        return self.args.jobs or core_count()

    @property
    def cores(self) -> int:
        return core_count()

    def start_executor(self, processes_per_core: int) -> AbstractContextManager[TrialExecutor]:
        from deadheat.verification.trials import LocalExecutor

        limits = trial_limits(self.args, self.jobs * processes_per_core)
        return LocalExecutor(self.builder.trees.folder / "trials", self.jobs, limits, self.builder.isolation)

    def place(self) -> TrialPlace:
        from deadheat.verification.trials import TrialPlace

        return TrialPlace(self.jobs, self.builder.isolation.description)


@dataclass(frozen=True, slots=True)
class _Cluster:
    args: argparse.Namespace
    cluster: TrialCluster
    cores: int = 0

    @property
    def jobs(self) -> int:
        return self.cluster.jobs

    def start_executor(self, processes_per_core: int) -> AbstractContextManager[TrialExecutor]:
        from deadheat.spark.trials import SparkExecutor

        # an executor knows the memory of its computer
        limits = trial_limits(self.args, 1) if self.args.memory else trial_limits(self.args, 1)._replace(memory_bytes=0)
        return SparkExecutor(self.cluster, limits)

    def place(self) -> TrialPlace:
        from deadheat.verification.trials import TrialPlace

        cluster = self.cluster
        return TrialPlace(cluster.jobs, cluster.isolation, cluster.master, cluster.executors, tuple(cluster.notes))

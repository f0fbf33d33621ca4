"""How many tasks read a batch, whatever executors there are when it starts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deadheat.model import CiRun
from deadheat.sources.file_listing import ListedFile
from deadheat.spark import input_files, session, tasks


def task_sizes(files: int, size: int, slots: int) -> list[int]:
    """The numbers of units of the tasks."""
    work_list = [input_files.FileWork(ListedFile(f"{n}.log", f"{n}.log", size, 0.0), CiRun()) for n in range(files)]
    return [len(tasks.unpack_units(portion)) for portion in input_files.pack_units(work_list, slots)]


@pytest.mark.parametrize(
    ("files", "size", "slots", "count"),
    [
        (3, 1000, 400, 1),  # tiny files on a large cluster
        (400, 1000, 400, 26),
        (40, 10_000, 2, 2),
        (20_000, 1000, 2, 10),  # at most 2,048 files in a task
        (20_000, 1000, 200, 200),
        (1, 1 << 34, 2, 32),  # a file of 16 GiB in ranges of 512 MiB
        (1, 1 << 34, 200, 200),
        (1000, 1 << 24, 200, 400),
    ],
)
def test_tasks_are_planned_by_files_and_bytes(files: int, size: int, slots: int, count: int) -> None:
    sizes = task_sizes(files, size, slots)
    assert len(sizes) == count
    assert max(sizes) <= min(sizes) + 1


@pytest.mark.parametrize(
    ("settings", "slots"),
    [
        ({}, 2),  # what Spark says
        ({"enabled": "true"}, 200),
        ({"enabled": "true", "maxExecutors": "30"}, 120),
        ({"enabled": "true", "maxExecutors": "2147483647"}, 200),
        ({"enabled": "false", "maxExecutors": "30"}, 2),
    ],
)
def test_tasks_are_planned_for_executors_that_spark_may_add(settings: dict[str, str], slots: int) -> None:
    conf = {f"spark.dynamicAllocation.{name}": value for name, value in settings.items()}
    conf["spark.executor.cores"] = "4"
    spark: Any = SimpleNamespace(conf=conf, sparkContext=SimpleNamespace(defaultParallelism=2))
    assert session.task_slots(spark) == slots

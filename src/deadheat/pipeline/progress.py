"""Reports the progress of Spark by its completed tasks."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

_EVERY = 0.5


@contextmanager
def told(spark: SparkSession | None, size: int, tick: Callable[[int], None]) -> Iterator[None]:
    """Call `tick` with the number of further bytes read, and with the remaining ones at the end."""
    if spark is None:
        yield
        return
    over = threading.Event()
    teller = _Teller(spark, size, tick, over)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
    teller.reach(size)


class _Teller(threading.Thread):
    def __init__(
        self, spark: SparkSession, size: int, tick: Callable[[int], None], over: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self._tracker = spark.sparkContext.statusTracker()
        self._size, self._tick, self._over = size, tick, over
        self._told = 0

    def run(self) -> None:
        while not self._over.wait(_EVERY):
            # units are spread evenly, so the share of tasks is the share of bytes
            stages = [self._tracker.getStageInfo(s) for s in self._tracker.getActiveStageIds()]
            done = [s.numCompletedTasks / max(1, s.numTasks) for s in stages if s is not None]
            self.reach(int(self._size * max(done, default=0.0)))

    def reach(self, count: int) -> None:
        if count > self._told:
            self._tick(count - self._told)
            self._told = count

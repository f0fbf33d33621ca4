"""Limits on how often somebody may do something, in bounded memory."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from deadheat.web.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_KEYS = 20_000


class RateLimit:
    """A token bucket per key: `burst` at once, then `per_second`. Keys that were used longest ago are dropped first."""

    def __init__(
        self, per_second: float, burst: int, max_keys: int = _MAX_KEYS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._max_keys, self._clock = per_second, burst, max_keys, clock
        # how much of the burst was left, and when
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, key: str) -> float:
        """0 if one more is allowed now."""
        left, _ = self._left(key)
        return max(0.0, (1 - left) / self._rate)

    def take(self, key: str) -> bool:
        """Counts one more; False if it is one too many."""
        left, now = self._left(key)
        is_allowed = left >= 1
        self._buckets[key] = (left - is_allowed, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._max_keys:
            self._buckets.popitem(last=False)
        return is_allowed

    def require(self, key: str) -> None:
        """Counts one more; raises a problem with status 429 if it is one too many."""
        if not self.take(key):
            raise self.problem(key)

    def problem(self, key: str) -> ProblemError:
        seconds = max(1, math.ceil(self.seconds_to_wait(key)))
        unit = "second" if seconds == 1 else "seconds"
        return ProblemError(
            429,
            "There were too many requests.",
            f"Try again in {seconds} {unit}.",
            headers={"retry-after": str(seconds)},
        )

    def _left(self, key: str) -> tuple[float, float]:
        now = self._clock()
        left, at = self._buckets.get(key, (float(self._burst), now))
        return min(float(self._burst), left + (now - at) * self._rate), now

    def __len__(self) -> int:
        return len(self._buckets)

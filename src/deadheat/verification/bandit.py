"""Which configuration shows the race most often per second: Thompson sampling with costs.

A configuration is what the caller says: GOMAXPROCS, -cpu, oversubscription, options of a sanitizer. The rate of the
chosen one is overstated, because it was chosen for its luck too. So the trials of the bandit never count for a
verdict: a `Verification` starts with trials of its own, after the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deadheat.verification.rates import JEFFREYS, Interval, clopper_pearson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_DRAWS = 500  # from the posterior, to say how probably a configuration is the best


@dataclass(slots=True)
class Arm:
    """The trials of one configuration."""

    name: str
    runs: int = 0
    sightings: int = 0
    seconds: float = 0.0

    @property
    def seconds_per_run(self) -> float:
        return self.seconds / self.runs if self.runs else 0.0


class Choice(NamedTuple):
    """The configuration that showed the race most often per second."""

    arm: Arm
    rate: Interval  # per run; holds for all configurations together, so that the choice does not invalidate it
    per_second: Interval
    probability: float  # that no other configuration is better


class Bandit:
    """Asks for a configuration, records its trial, and spends its time where the race shows.

    Trials may run at the same time. To resume, record the former trials again.
    """

    def __init__(self, names: Sequence[str], random: Random) -> None:
        if not names or len({*names}) < len(names):
            raise ValueError("configurations must have different names, and there must be one")
        self.arms = {name: Arm(name) for name in names}
        self._random = random
        self._waiting = list(names)

    def choose(self) -> str:
        """The configuration of the next trial: each once, in the order given, then by their draws."""
        if self._waiting:
            return self._waiting.pop(0)
        draws = self._draw()
        return max(draws, key=lambda name: draws[name])

    def record(self, name: str, *, is_sighting: bool, seconds: float) -> None:
        """Count a trial. Do not record a vacuous one, but do record a failing one: it costs time too."""
        arm = self.arms[name]
        arm.runs += 1
        arm.sightings += is_sighting
        arm.seconds += seconds
        if name in self._waiting:
            self._waiting.remove(name)

    def best(self, confidence: float = 0.95) -> Choice | None:
        """The best configuration so far; None if no trial showed the race."""
        arms = [arm for arm in self.arms.values() if arm.sightings]
        if not arms:
            return None
        arm = max(arms, key=lambda arm: (arm.sightings / self._cost(arm), -arm.runs))
        rate = clopper_pearson_interval(arm.sightings, arm.runs, 1 - (1 - confidence) / len(self.arms))
        cost = self._cost(arm)
        wins = 0
        for _ in range(_DRAWS):
            draws = self._draw()
            wins += max(draws, key=lambda name: draws[name]) == arm.name
        return Choice(arm, rate, Interval(rate.low / cost, rate.high / cost), wins / _DRAWS)

    def _draw(self) -> dict[str, float]:
        """Sightings per second, drawn from what is known about each configuration."""
        draws = {}
        for arm in self.arms.values():
            known = JEFFREYS.update(arm.sightings, arm.runs)
            draws[arm.name] = self._random.betavariate(known.a, known.b) / self._cost(arm)
        return draws

    def _cost(self, arm: Arm) -> float:
        """Seconds of a run; of all configurations while this one has not run."""
        if arm.runs and arm.seconds:
            return arm.seconds_per_run
        runs = sum(other.runs for other in self.arms.values())
        seconds = sum(other.seconds for other in self.arms.values())
        return seconds / runs if seconds else 1.0

"""`reproduce`: spends a budget of trials on the configurations that show a race most often, and counts.

The bandit decides what runs next. What was learnt is kept when the budget ends or the user interrupts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from deadheat.verification.bandit import Bandit
from deadheat.verification.sequential import TrialOutcome
from deadheat.verification.trials import Configuration, TrialRequest, TrialResult, judge_observation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.model import Sighting
    from deadheat.verification.bandit import Choice
    from deadheat.verification.sought_race import SoughtRace
    from deadheat.verification.trials import TrialCode, TrialExecutor

_MAX_NAMED = 50  # other races and failures that are kept by name
OVERSUBSCRIPTION = 4


def go_configurations(cores: int) -> list[Configuration]:
    """What makes races of Go tests show: other numbers of threads, more processes than cores, repetition."""
    threads = [n for n in (1, 2, 4) if n != cores]
    return [
        Configuration("default"),
        # a test binary sleeps for a second at its end, so that the detector may report what goes on then
        Configuration("no sleep at exit", (("GORACE", "atexit_sleep_ms=0"),)),
        Configuration(f"{OVERSUBSCRIPTION} processes per core", processes_per_core=OVERSUBSCRIPTION),
        *(Configuration(f"GOMAXPROCS={n}", (("GOMAXPROCS", str(n)),)) for n in threads),
        Configuration("-test.cpu=1,2,4", arguments=("-test.cpu=1,2,4",)),
        Configuration("-test.count=5", arguments=("-test.count=5",)),
    ]


def command_configurations() -> list[Configuration]:
    """What makes races of any program show."""
    return [
        Configuration("default"),
        Configuration(f"{OVERSUBSCRIPTION} processes per core", processes_per_core=OVERSUBSCRIPTION),
        # LLVM 23 and newer; older runtimes warn about an unknown option, and go on
        Configuration("enable_adaptive_delay=1", (("TSAN_OPTIONS", "enable_adaptive_delay=1"),)),
    ]


class Budget(NamedTuple):
    """When to stop: after so many trials or seconds, or, if given, sightings."""

    seconds: float
    runs: int | None = None
    sightings: int | None = None


@dataclass
class Counts:
    """The trials so far."""

    runs: int = 0  # that ran to their end, or showed the race
    sightings: int = 0
    vacuous: int = 0
    incomplete: int = 0  # killed, crashed or failed before their end
    seconds: float = 0.0  # of all processes together
    other_races: dict[str, tuple[str, int]] = field(default_factory=dict)  # title and number of trials, by id
    failures: dict[str, int] = field(default_factory=dict)
    renamings: dict[str, int] = field(default_factory=dict)
    hosts: dict[str, tuple[int, int]] = field(default_factory=dict)  # runs and sightings on other computers
    example: Sighting | None = None

    def add(self, result: TrialResult) -> None:
        self.seconds += result.seconds
        is_sighting = result.outcome is TrialOutcome.THIS_RACE
        self.sightings += is_sighting
        self.vacuous += result.outcome is TrialOutcome.VACUOUS
        if result.is_run:
            self.runs += 1
            if result.host:
                runs, sightings = self.hosts.get(result.host, (0, 0))
                self.hosts[result.host] = (runs + 1, sightings + is_sighting)
        elif not result.is_complete:
            self.incomplete += 1
        for race, title in result.races.others.items():
            if race in self.other_races or len(self.other_races) < _MAX_NAMED:
                self.other_races[race] = (title, self.other_races.get(race, ("", 0))[1] + 1)
        if result.failure and (result.failure in self.failures or len(self.failures) < _MAX_NAMED):
            self.failures[result.failure] = self.failures.get(result.failure, 0) + 1
        if is_sighting:
            self.renamings[result.races.how] = self.renamings.get(result.races.how, 0) + 1
            self.example = self.example or result.races.example

    @property
    def trials(self) -> int:
        return self.runs + self.vacuous + self.incomplete


@dataclass
class Campaign:
    """The trials of one race, spread over configurations."""

    sought: SoughtRace
    code: TrialCode
    configurations: Sequence[Configuration]
    executor: TrialExecutor
    budget: Budget
    on_trial: Callable[[Campaign], None]
    seed: int = 0
    counts: Counts = field(default_factory=Counts)
    elapsed: float = 0.0
    was_interrupted: bool = False

    def __post_init__(self) -> None:
        self.bandit = Bandit([each.name for each in self.configurations], Random(self.seed))
        self._by_name = {each.name: each for each in self.configurations}
        self._next: Configuration | None = None
        self._repeats = 0

    def run(self) -> None:
        """Run until the budget is spent. An interruption ends it early."""
        started = time.monotonic()
        deadline = started + self.budget.seconds
        try:
            while not self._is_done(len(self.executor)) and time.monotonic() < deadline:
                self._fill()
                self._collect(max(0.0, deadline - time.monotonic()))
                self.elapsed = time.monotonic() - started
        except KeyboardInterrupt:
            self.was_interrupted = True
        self.elapsed = time.monotonic() - started

    def _is_done(self, running: int) -> bool:
        """Whether the number of runs or sightings is reached; what runs is waited for."""
        budget, counts = self.budget, self.counts
        if budget.sightings is not None and counts.sightings >= budget.sightings:
            return True
        return budget.runs is not None and counts.trials >= budget.runs and not running

    def _fill(self) -> None:
        """Start trials while there is room and they are wanted."""
        while self.budget.runs is None or self.counts.trials + len(self.executor) < self.budget.runs:
            configuration = self._next or self._choose()
            if not self.executor.has_room(configuration):
                self._next = configuration
                return
            self._next = configuration if self._repeats > 1 else None
            self._repeats -= 1
            self.executor.start(TrialRequest(configuration.name, self.code, configuration))

    def _choose(self) -> Configuration:
        configuration = self._by_name[self.bandit.choose()]
        # alone, a process does not show what many processes at once do
        self._repeats = (
            self.executor.jobs * configuration.processes_per_core if configuration.processes_per_core > 1 else 1
        )
        return configuration

    def _collect(self, seconds: float) -> None:
        for request, observation in self.executor.wait(seconds):
            result = judge_observation(observation, self.sought)
            self.counts.add(result)
            if result.outcome is not TrialOutcome.VACUOUS:
                cost = result.seconds / request.configuration.processes_per_core
                is_sighting = result.outcome is TrialOutcome.THIS_RACE
                self.bandit.record(request.configuration.name, is_sighting=is_sighting, seconds=cost)
            self.on_trial(self)

    @property
    def best(self) -> Choice | None:
        return self.bandit.best()

    def configuration_named(self, name: str) -> Configuration:
        return self._by_name[name]

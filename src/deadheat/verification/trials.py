"""Trials: one new process each, of a Go test binary or of a command, and what it showed.

`TrialExecutor` is where trials run: on this computer, `LocalExecutor`; on a cluster, `deadheat.spark.trials`.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.api import scan_text
from deadheat.errors import DeadheatError
from deadheat.verification.go_output import read_go_output
from deadheat.verification.processes import Limits, ProcessPool, ProcessTask, remove_folder
from deadheat.verification.sequential import TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from pathlib import Path

    from deadheat.model import Sighting
    from deadheat.verification.go_tests import GoTest, GoTestBinary
    from deadheat.verification.processes import Isolation, ProcessResult
    from deadheat.verification.sought_race import RecognisedRaces, RenamedSearch, SoughtRace

_MAX_LOG_BYTES = 1 << 24  # of all logs of a trial
_MAX_LOG_FILES = 200
_RACE_STATUS = 66
_NOT_FOUND_STATUS = 127
# options of a sanitizer: `halt_on_error=0:log_path="/tmp/a b"`
_OPTION = re.compile(r"""(?<![^\s:,])([^\s:,="']+)=("[^"]*"|'[^']*'|[^\s:,]*)""")
_SECONDS_TO_FINISH = 5  # after the test binary's own timeout, which prints the goroutines


class Configuration(NamedTuple):
    """How a trial runs. The environment and the arguments are added to those of the test."""

    name: str
    environment: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()  # of a Go test binary
    processes_per_core: int = 1


class TrialLimits(NamedTuple):
    """Limits of each trial."""

    seconds: float
    memory_bytes: int


class TrialPlace(NamedTuple):
    """Where trials ran."""

    jobs: int  # trials at once, one per core
    isolation: str
    master: str = ""  # of a Spark cluster; empty: on this computer
    executors: int = 0
    notes: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Of a cluster; empty for this computer."""
        return f"{self.executors} executor{'s' * (self.executors != 1)} of {self.master}" if self.master else ""


class TrialObservation(NamedTuple):
    """What a trial showed, before races are told apart."""

    sightings: list[Sighting]
    failure: str  # that no race explains; empty if there is none
    is_vacuous: bool
    is_complete: bool  # it ran to its end
    seconds: float
    host: str = ""  # where it ran, if that was another computer


class TrialCode(Protocol):
    """Code that a trial can run."""

    def task(self, configuration: Configuration, limits: TrialLimits, scratch: Path) -> ProcessTask:
        """The process of a trial."""

    def observe(self, result: ProcessResult, scratch: Path) -> TrialObservation:
        """What the process showed."""


@dataclass(frozen=True, slots=True)
class GoTestCode:
    """A Go test binary with the race detector."""

    binary: GoTestBinary
    test: GoTest

    def task(self, configuration: Configuration, limits: TrialLimits, scratch: Path) -> ProcessTask:
        arguments = ["-test.v", f"-test.timeout={limits.seconds:.3f}s"]
        if self.binary.toolchain.has_panic_on_exit:
            arguments.append("-test.paniconexit0")
        if not any(argument.startswith("-test.count") for argument in configuration.arguments):
            arguments.append("-test.count=1")
        command = [str(self.binary.path), *self.test.binary_arguments(), *arguments, *configuration.arguments]
        environment = self.binary.toolchain.environment | dict(configuration.environment)
        environment["GORACE"] = merge_options(
            environment.get("GORACE", ""), f"{_log_option(scratch)} halt_on_error=0 exitcode={_RACE_STATUS}"
        )
        environment |= _private_folders(scratch)
        process_limits = Limits(limits.seconds + _SECONDS_TO_FINISH, limits.memory_bytes)
        return ProcessTask(command, self.binary.package_folder, environment, process_limits, scratch)

    def observe(self, result: ProcessResult, scratch: Path) -> TrialObservation:
        output = read_go_output(result.output)
        sightings = _read_sightings(result, scratch)
        is_vacuous = not result.exit_code and output.is_vacuous(self.test.pattern)
        failure = _failure_of(result, output.failure, bool(sightings))
        if output.blames_race and not sightings:
            failure = failure or "a race was detected, but its report could not be read"
        is_complete = not result.stopped and not failure and result.exit_code in (0, 1, _RACE_STATUS)
        return TrialObservation(sightings, failure, is_vacuous and not sightings, is_complete, result.seconds)


@dataclass(frozen=True, slots=True)
class CommandCode:
    """A command that runs a program or a test with any detector."""

    command: Sequence[str]
    folder: Path
    environment: dict[str, str]

    def task(self, configuration: Configuration, limits: TrialLimits, scratch: Path) -> ProcessTask:
        more = dict(configuration.environment)
        environment = self.environment | more
        for name in ("TSAN_OPTIONS", "GORACE"):
            options = merge_options(self.environment.get(name, ""), more.get(name, ""))
            log_options = f"{_log_option(scratch)} halt_on_error=0 exitcode={_RACE_STATUS}"
            environment[name] = merge_options(options, log_options)
        flags = environment.get("MIRIFLAGS", "")
        if "-seed" not in flags:  # Miri does the same in each run with the same seed, so such runs are no trials
            environment["MIRIFLAGS"] = f"{flags} -Zmiri-seed={secrets.randbits(32)}".strip()
        environment["TMPDIR"] = _private_folders(scratch)["TMPDIR"]  # HOME stays: toolchains are there
        process_limits = Limits(limits.seconds, limits.memory_bytes)
        return ProcessTask(self.command, self.folder, environment, process_limits, scratch)

    def observe(self, result: ProcessResult, scratch: Path) -> TrialObservation:
        sightings = _read_sightings(result, scratch)
        failure = _failure_of(result, "", bool(sightings))
        is_complete = not result.stopped and (not result.exit_code or bool(sightings))
        return TrialObservation(sightings, failure, False, is_complete, result.seconds)


def merge_options(first: str, second: str) -> str:
    """Options of a sanitizer; those of the second replace those of the first."""
    options = {match[1]: match[2] for text in (first, second) for match in _OPTION.finditer(text)}
    return " ".join(f"{name}={value}" for name, value in options.items())


def _log_option(scratch: Path) -> str:
    """The option that names the logs; a value with a separator in it has to be quoted."""
    path = f"{scratch}/race"
    if '"' in path and "'" in path:
        raise DeadheatError("its name contains both kinds of quotation marks", path, "set TMPDIR to another folder")
    quote = "'" if '"' in path else '"'
    return f"log_path={quote}{path}{quote}"


def _private_folders(scratch: Path) -> dict[str, str]:
    """Folders of a trial for its temporary files and its home."""
    folders = {"TMPDIR": scratch / "tmp", "HOME": scratch / "home"}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return {name: str(folder) for name, folder in folders.items()}


def _read_sightings(result: ProcessResult, scratch: Path) -> list[Sighting]:
    """The reports in the log files of the detector, and in the output."""
    texts, left = [], _MAX_LOG_BYTES
    for log in sorted(scratch.glob("race.*"))[:_MAX_LOG_FILES]:
        texts.append(_read_log(log, left))
        left -= len(texts[-1])
    return [sighting for text in [*texts, result.output] for sighting in scan_text(text, diagnose=False)]


def _read_log(log: Path, size: int) -> bytes:
    """The beginning of a log; empty if the test put something else in its place: a named pipe would block."""
    with suppress(OSError), open(log, "rb", opener=_open_without_waiting) as file:
        return file.read(size)
    return b""


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file, but no link, pipe or device."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    return descriptor


def _failure_of(result: ProcessResult, failure: str, has_race: bool) -> str:
    """Why a process failed, if no race explains it."""
    if result.stopped:
        return result.stopped
    if failure:
        return failure
    if result.exit_code < 0:
        return f"signal {-result.exit_code} ended it"
    if result.exit_code == _NOT_FOUND_STATUS and not has_race:
        return f"it ended with status {_NOT_FOUND_STATUS}: the command, or one that it runs, was not found"
    return f"it ended with status {result.exit_code}" if result.exit_code and not has_race else ""


class TrialResult(NamedTuple):
    """A trial with its races told apart."""

    outcome: TrialOutcome
    seconds: float
    is_complete: bool
    races: RecognisedRaces
    failure: str
    host: str = ""

    @property
    def is_run(self) -> bool:
        """Whether the trial counts: it showed the race, or could have."""
        is_sighting = self.outcome is TrialOutcome.THIS_RACE
        return is_sighting or (self.is_complete and self.outcome is not TrialOutcome.VACUOUS)


def judge_observation(
    observation: TrialObservation, sought: SoughtRace, renamed: RenamedSearch | None = None
) -> TrialResult:
    """Tell whether a trial showed the race that is sought."""
    races = sought.recognise(observation.sightings, renamed)
    if races.is_this:
        outcome = TrialOutcome.THIS_RACE
    elif races.others:
        outcome = TrialOutcome.ANOTHER_RACE
    elif observation.failure:
        outcome = TrialOutcome.OTHER_FAILURE
    else:
        outcome = TrialOutcome.VACUOUS if observation.is_vacuous else TrialOutcome.CLEAN
    is_complete, failure = observation.is_complete, observation.failure
    return TrialResult(outcome, observation.seconds, is_complete, races, failure, observation.host)


class TrialRequest(NamedTuple):
    """A trial to run; `key` is what the caller knows it by."""

    key: Hashable
    code: TrialCode
    configuration: Configuration


class TrialExecutor(Protocol):
    """Runs trials, several at once."""

    @property
    def jobs(self) -> int:
        """How many cores run trials at once."""

    @property
    def is_shared(self) -> bool:
        """Whether others may use its cores, so that trials which cannot change the verdict should not start."""

    def has_room(self, configuration: Configuration) -> bool:
        """Whether a trial of this configuration may start now."""

    def start(self, request: TrialRequest) -> None:
        """Start a trial."""

    def wait(self, seconds: float) -> Iterator[tuple[TrialRequest, TrialObservation]]:
        """Yield the trials that have ended; wait for the first one, at most this time."""

    def __len__(self) -> int:
        """The number of trials that run."""


@dataclass
class LocalExecutor:
    """Runs trials on this computer: one process per job, or several with a configuration that asks for it."""

    folder: Path
    jobs: int
    limits: TrialLimits
    isolation: Isolation | None = None
    is_shared: bool = False  # with fewer trials at once, the load would change, and so the rates
    _pool: ProcessPool = field(init=False)
    _requests: dict[Path, TrialRequest] = field(init=False, default_factory=dict)
    _number: int = field(init=False, default=0)
    _density: int = field(init=False, default=1)  # processes per core of what runs

    def __post_init__(self) -> None:
        self._pool = ProcessPool(self.isolation)

    def __len__(self) -> int:
        return len(self._pool)

    def has_room(self, configuration: Configuration) -> bool:
        # trials with different densities would disturb each other
        if len(self._pool) and configuration.processes_per_core != self._density:
            return False
        return len(self._pool) < self.jobs * configuration.processes_per_core

    def start(self, request: TrialRequest) -> None:
        self._number += 1
        scratch = self.folder / f"trial-{self._number}"
        scratch.mkdir(parents=True)
        self._density = request.configuration.processes_per_core
        self._pool.start(request.code.task(request.configuration, self.limits, scratch))
        self._requests[scratch] = request

    def wait(self, seconds: float) -> Iterator[tuple[TrialRequest, TrialObservation]]:
        for task, result in self._pool.wait_any(seconds):
            request = self._requests.pop(task.scratch)
            observation = request.code.observe(result, task.scratch)
            remove_folder(task.scratch)
            yield request, observation

    def close(self) -> None:
        """Kill what still runs, and remove the folder."""
        self._pool.stop_all()
        remove_folder(self.folder)

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

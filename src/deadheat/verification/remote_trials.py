"""Trials on another computer: what an executor runs, and the compact form of what its trials showed.

It imports nothing but the core and the runner: an executor needs no repository, no toolchain and no library.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.serialization import sighting_from_wire, sighting_to_wire
from deadheat.verification.code_packages import find_code_in, unpack_archive
from deadheat.verification.processes import ProcessPool, default_memory_limit, find_isolation, remove_folder
from deadheat.verification.trials import TrialLimits, TrialObservation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.verification.trials import Configuration, TrialCode


class PackedTrial(NamedTuple):
    """A trial of a packed version."""

    archive: str  # name of the file
    code: TrialCode
    configuration: Configuration


class TrialBatch(NamedTuple):
    """Trials that run at the same time on one core."""

    trials: tuple[PackedTrial, ...]
    limits: TrialLimits  # a memory of 0: that of the computer, divided among all trials that its cores can run
    machine: str = platform.machine()  # that the code was built for


class BatchResult(NamedTuple):
    """What the trials of a batch showed, in their order, and where they ran."""

    observations: bytes
    host: str
    executor: str
    isolation: str


def run_batch(batch: TrialBatch, executor: str, unpack_folder: Path, find_file: Callable[[str], str]) -> BatchResult:
    """Run the trials of a batch."""
    if batch.machine != platform.machine():
        what = f"the executor is {platform.machine()}, and the code was built for {batch.machine}"
        raise DeadheatError(what, socket.gethostname(), "use executors of one architecture")
    isolation = find_isolation()
    observations: dict[Path, tuple[int, TrialCode]] = {}
    rows: list[Any] = [None] * len(batch.trials)
    with ProcessPool(isolation) as pool:
        for number, trial in enumerate(batch.trials):
            root = unpack_archive(Path(find_file(trial.archive)), unpack_folder)
            code = find_code_in(trial.code, root)
            scratch = _scratch_folder().path / str(number)
            remove_folder(scratch)
            scratch.mkdir()
            observations[scratch] = (number, code)
            pool.start(code.task(trial.configuration, _limits_here(batch), scratch))
        while len(pool):
            for task, result in pool.wait_any():
                number, code = observations[task.scratch]
                rows[number] = _observation_to_row(code.observe(result, task.scratch))
                remove_folder(task.scratch)
    return BatchResult(pack_rows(rows), socket.gethostname(), executor, isolation.description)


def _limits_here(batch: TrialBatch) -> TrialLimits:
    if batch.limits.memory_bytes:
        return batch.limits
    processes = len(batch.trials) * (os.cpu_count() or 1)
    return TrialLimits(batch.limits.seconds, default_memory_limit(processes))


class _TemporaryFolder:
    """A folder that is removed when this process ends, even if it is killed: executors kill their processes."""

    def __init__(self) -> None:
        # short, because a test may make sockets in it, whose paths are limited to about 100 characters
        self.path = Path(tempfile.mkdtemp(prefix="deadheat-"))
        command = ["/bin/sh", "-c", 'read -r _; rm -rf -- "$1"', "sh", str(self.path)]
        # it reads until the system closes our end of the pipe
        self._remover = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


@cache
def _scratch_folder() -> _TemporaryFolder:
    return _TemporaryFolder()


def _observation_to_row(observation: TrialObservation) -> list[Any]:
    return [[sighting_to_wire(each) for each in observation.sightings], *observation[1:-1]]


def pack_rows(rows: list[Any]) -> bytes:
    return zlib.compress(json.dumps(rows).encode(), 1)


def unpack_observations(result: BatchResult) -> Sequence[TrialObservation]:
    """What the trials of a batch showed."""
    rows = json.loads(zlib.decompress(result.observations))
    return [
        TrialObservation([sighting_from_wire(each) for each in sightings], *fields)._replace(host=result.host)
        for sightings, *fields in rows
    ]


def lost_observation(reason: str) -> TrialObservation:
    """Of a trial whose computer was lost: it does not count, and is repeated."""
    return TrialObservation([], reason, is_vacuous=False, is_complete=False, seconds=0.0)

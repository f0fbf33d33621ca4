"""The trials of a bisection in a file, so that an interrupted search goes on where it was.

The file has one JSON object per line and only grows. Lines that are damaged, such as the last one of a process that was
killed, are skipped. Several processes may append to it.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import astuple, dataclass
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from deadheat.printable import visible_text
from deadheat.repo.disk_cache import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.verification.code_under_test import RunPlan

FORMAT_VERSION = 1
_MAX_FILE_BYTES = 1 << 28
_MAX_COUNT = 1 << 40
_SECONDS_BETWEEN_WRITES = 0.5
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}")


class SearchKey(NamedTuple):
    """What trials must have in common to be counted together."""

    race: str
    plan: RunPlan
    toolchain: str  # at the commit that is known to show the race
    master: str = ""  # of the Spark cluster; a race does not show everywhere with the same rate

    @property
    def file_name(self) -> str:
        plan = self.plan
        parts = (
            FORMAT_VERSION,
            self.race,
            plan.command,
            plan.words,
            plan.build,
            self.toolchain,
            plan.tests,
            self.master,
        )
        text = json.dumps([str(part) for part in parts])
        return f"{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}.jsonl"


@dataclass
class TrialCounts:
    """The trials of one commit in one configuration."""

    runs: int = 0  # that count
    sightings: int = 0
    vacuous: int = 0
    incomplete: int = 0
    seconds: float = 0.0  # of all processes together

    def add(self, other: TrialCounts) -> None:
        self.runs += other.runs
        self.sightings += other.sightings
        self.vacuous += other.vacuous
        self.incomplete += other.incomplete
        self.seconds += other.seconds

    @property
    def trials(self) -> int:
        return self.runs + self.vacuous + self.incomplete

    @property
    def is_plausible(self) -> bool:
        counts = (self.sightings, self.runs, self.vacuous, self.incomplete)
        are_numbers = all(type(count) is int and 0 <= count < _MAX_COUNT for count in counts)
        return are_numbers and self.sightings <= self.runs and _is_duration(self.seconds)


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _MAX_COUNT


class SearchRecords:
    """What was learnt about commits, by commit and configuration; kept in a file if one is given."""

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.fault = path, ""
        # the chosen configuration, the seed with which it was chosen, and the commit on which
        self.configuration, self.seed, self.racing = "", 0, ""
        self.unusable: dict[str, str] = {}  # reasons by commit
        self.build_seconds: list[float] = []
        self.known_trials = 0  # read from the file
        self._counts: dict[tuple[str, str], TrialCounts] = {}
        self._unwritten: dict[tuple[str, str], TrialCounts] = {}
        self._written_at = time.monotonic()
        self._file: IO[bytes] | None = None
        if path is not None:
            self._open(path)

    def counts(self, commit: str, configuration: str) -> TrialCounts:
        return self._counts.setdefault((commit, configuration), TrialCounts())

    def add_trial(self, commit: str, configuration: str, trial: TrialCounts) -> None:
        """Count a trial. It is written at once if it is a sighting, else with others that end soon."""
        self.counts(commit, configuration).add(trial)
        self._unwritten.setdefault((commit, configuration), TrialCounts()).add(trial)
        if trial.sightings or time.monotonic() - self._written_at > _SECONDS_BETWEEN_WRITES:
            self.write_trials()

    def write_trials(self) -> None:
        """Write the trials that were counted since the last time."""
        for (commit, configuration), counts in self._unwritten.items():
            runs, sightings, vacuous, incomplete, seconds = astuple(counts)
            record = {"kind": "trials", "commit": commit, "configuration": configuration, "runs": runs,
                      "sightings": sightings, "vacuous": vacuous, "incomplete": incomplete,
                      "seconds": round(seconds, 6)}  # fmt: skip
            self._append(record)
        self._unwritten.clear()
        self._written_at = time.monotonic()

    def add_build(self, commit: str, seconds: float) -> None:
        self.build_seconds.append(seconds)
        self._append({"kind": "build", "commit": commit, "seconds": round(seconds, 6)})

    def add_unusable(self, commit: str, reason: str, *, is_lasting: bool) -> None:
        """A commit that cannot be tried; if only this computer lacks something, it is tried again another time."""
        self.unusable[commit] = reason
        if is_lasting:
            self._append({"kind": "unusable", "commit": commit, "reason": reason})

    def choose_configuration(self, name: str, seed: int, racing: str) -> None:
        self.configuration, self.seed, self.racing = name, seed, racing
        self._append({"kind": "configuration", "configuration": name, "seed": seed, "commit": racing})

    def close(self) -> None:
        self.write_trials()
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> SearchRecords:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "a+b")  # noqa: SIM115, closed by `close`
            size = self._file.seek(0, os.SEEK_END)
            if size > _MAX_FILE_BYTES:
                raise OSError(f"it is larger than {_MAX_FILE_BYTES >> 20} MiB")
            self._file.seek(0)
            content = self._file.read()
        except OSError as error:
            self._give_up(error)
            return
        for line in content.splitlines():
            self._read_line(line)
        if content and not content.endswith(b"\n"):
            self._append_line(b"\n")  # ends the line of a process that was killed

    def _read_line(self, line: bytes) -> None:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return
        commit = record.get("commit", "") if isinstance(record, dict) else None
        if not isinstance(commit, str) or (commit and not _COMMIT_ID.fullmatch(commit)):
            return
        kind, configuration, reason = (record.get(name) for name in ("kind", "configuration", "reason"))
        if kind == "configuration" and isinstance(configuration, str) and type(record.get("seed")) is int:
            self.configuration, self.seed, self.racing = configuration, record["seed"], commit
        elif kind == "unusable" and commit and isinstance(reason, str):
            self.unusable[commit] = reason
        elif kind == "build" and _is_duration(record.get("seconds")):
            self.build_seconds.append(record["seconds"])
        elif kind == "trials" and commit and isinstance(configuration, str):
            fields = ("runs", "sightings", "vacuous", "incomplete", "seconds")
            counts = TrialCounts(*(record.get(name, 0) for name in fields))
            if counts.is_plausible:
                self.counts(commit, configuration).add(counts)
                self.known_trials += counts.trials

    def _append(self, record: dict[str, Any]) -> None:
        self._append_line(json.dumps(record).encode() + b"\n")

    def _append_line(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Go on without the file."""
        self.fault = visible_text(f"{self.path} cannot be used ({error.strerror or error}): nothing is kept")
        if self._file is not None:
            self._file.close()
            self._file = None


def records_path(key: SearchKey) -> Path:
    """The file in the user's cache folder."""
    return cache_folder() / "bisect" / key.file_name

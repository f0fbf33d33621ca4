"""Runs untrusted processes: with limits, without network where the system allows it, several at once.

A process runs in a session of its own and, where the system allows it, in new network and process namespaces: then it
sees no process but its own, and all that it started ends with it. Its output goes to a file. The memory, the number of
processes and the size of the output are looked at while it runs; beyond a limit it is killed.
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from inspect import getsource
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat.verification import launcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_PROBE = 10
_MAX_FILE_BYTES, _ULIMIT_BLOCK = 1 << 30, 512
_MAX_PROCESSES = 1_000  # of one trial
# what a program may need to know; no token or password of the environment is passed on
_PASSED_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "LD_LIBRARY_PATH", "CC", "CXX", "TMPDIR"),
    *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "MIRIFLAGS"),
    *("GORACE", "TSAN_OPTIONS", "ASAN_OPTIONS"),
)
_PASSED_PREFIXES = ("LC_", "CGO_", "GO")
# variables that are about one computer: those of another one mean nothing there
_COMPUTER_VARIABLES = (
    *(
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LD_LIBRARY_PATH",
        "CC",
        "CXX",
        "TMPDIR",
        "CARGO_HOME",
        "RUSTUP_HOME",
    ),
    *("GOROOT", "GOPATH", "GOBIN", "GOCACHE", "GOMODCACHE", "GOENV", "GOTMPDIR"),
)
_NEVER_PASSED = ("GOAUTH", "GOOGLE")  # `GOOGLE_APPLICATION_CREDENTIALS` begins as Go's variables do


def passed_environment() -> dict[str, str]:
    """The environment of an untrusted process: what programs need, and nothing secret."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_VARIABLES or (name.startswith(_PASSED_PREFIXES) and not name.startswith(_NEVER_PASSED))
    }


def portable_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that mean the same on another computer."""
    return {name: value for name, value in environment.items() if name not in _COMPUTER_VARIABLES}


def adapted_environment(portable: Mapping[str, str]) -> dict[str, str]:
    """An environment of another computer with the variables that are about this one."""
    here = {name: value for name, value in passed_environment().items() if name in _COMPUTER_VARIABLES}
    return {**portable, **here}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process with all that it starts may use."""

    seconds: float
    memory_bytes: int
    output_bytes: int = 1 << 26
    processes: int = _MAX_PROCESSES


def default_memory_limit(jobs: int) -> int:
    """Three quarters of the memory of this computer for all jobs together."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        total = 8 << 30
    return max(1 << 29, total * 3 // 4 // max(1, jobs))


NOT_ISOLATED = "network was not taken away: the system does not allow it"


class Isolation:
    """The command in front of a process that takes the network and other processes away from it."""

    def __init__(self, words: Sequence[str], description: str) -> None:
        self.words, self.description = tuple(words), description

    @property
    def has_network(self) -> bool:
        return "unshare" not in self.words


# kills the process if we are killed, as Spark does with what runs in a task that it cancels
_DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")
# "--map-root-user" is for users who are not root: a new user namespace allows the others
_NAMESPACES = (
    ("unshare", "--net", "--pid", "--fork", "--kill-child"),
    ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"),
    ("unshare", "--map-root-user", "--net"),
)
_ATTEMPTS = (*((*_DIES_WITH_US, *words) for words in _NAMESPACES), *_NAMESPACES, _DIES_WITH_US)


@cache
def find_isolation() -> Isolation:
    """The strongest isolation that works here."""
    for words in _ATTEMPTS:
        has_network = "unshare" not in words
        probe = [*words, *_launcher_words(needs_loopback=not has_network), "true"]
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(probe, capture_output=True, timeout=_SECONDS_TO_PROBE, check=False)
            if done.returncode == 0:
                what = "no network, no other processes" if "--pid" in words else "no network"
                return Isolation(words, NOT_ISOLATED if has_network else what)
    return Isolation((), NOT_ISOLATED)


@cache
def _launcher_words(needs_loopback: bool) -> tuple[str, ...]:
    """The command that sets limits and runs another one: a shell, or Python where there is no `ip`."""
    # the loopback of a new network namespace is off at first
    ip = shutil.which("ip", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") if needs_loopback else None
    if needs_loopback and ip is None:
        # as text, because an executor of Spark has this package as a zip file
        return (sys.executable, "-I", "-S", "-c", getsource(launcher), f"core=0,fsize={_MAX_FILE_BYTES},lo")
    enable = f"{shlex.quote(ip)} link set lo up && " if ip else ""
    script = f'ulimit -c 0; ulimit -f {_MAX_FILE_BYTES // _ULIMIT_BLOCK}; {enable}exec "$@"'
    return ("/bin/sh", "-c", script, "sh")


@dataclass(frozen=True, slots=True)
class ProcessTask:
    """A process to run. `scratch` is a folder of its own: for its output and its temporary files."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    limits: Limits
    scratch: Path


@dataclass(slots=True)
class ProcessResult:
    """A process that has ended. `stopped` says which limit ended it."""

    exit_code: int  # negative: the signal that ended it
    seconds: float
    output: bytes  # its beginning and end, if it is long
    output_bytes: int
    stopped: str = ""


_KEPT_OUTPUT = 1 << 20
_MAX_KILL_ROUNDS = 10


@dataclass(slots=True)
class _RunningProcess:
    task: ProcessTask
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    started: float
    stopped: str = ""
    pidfd: int = -1
    looked_at: float = field(default=0.0)


class ProcessPool:
    """Processes that run at the same time, in one thread."""

    def __init__(self, isolation: Isolation | None = None) -> None:
        self.isolation = isolation or find_isolation()
        self._running: list[_RunningProcess] = []

    def __len__(self) -> int:
        return len(self._running)

    def start(self, task: ProcessTask) -> None:
        """Start a process."""
        task.scratch.mkdir(parents=True, exist_ok=True)
        launch = _launcher_words(needs_loopback=not self.isolation.has_network)
        output = open(task.scratch / "output", "w+b")  # noqa: SIM115, closed when the process has ended
        try:
            process = subprocess.Popen(
                [*self.isolation.words, *launch, *task.command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=task.folder,
                env=dict(task.environment),
                start_new_session=True,
            )
        except OSError:
            output.close()
            raise
        now = time.monotonic()
        running = _RunningProcess(task, process, output, now, looked_at=now)
        if hasattr(os, "pidfd_open"):
            with suppress(OSError):
                running.pidfd = os.pidfd_open(process.pid)
        self._running.append(running)

    def wait_any(self, seconds: float | None = None) -> Iterator[tuple[ProcessTask, ProcessResult]]:
        """Yield the processes that have ended, after at least one has, or after this time."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self._running:
            ended = [each for each in self._running if _has_ended(each)]
            for each in ended:
                self._running.remove(each)
                yield each.task, _finish(each)
            if ended or (deadline is not None and time.monotonic() >= deadline):
                return
            self._enforce_limits()
            self._sleep()

    def _sleep(self) -> None:
        """Sleep until a process ends, or it is time to look at their limits."""
        if any(each.pidfd < 0 for each in self._running):
            time.sleep(0.01)
            return
        poll = select.poll()
        for each in self._running:
            poll.register(each.pidfd, select.POLLIN)
        poll.poll(_SECONDS_BETWEEN_LOOKS * 1000)

    def _enforce_limits(self) -> None:
        now = time.monotonic()
        due = [each for each in self._running if now - each.looked_at >= _SECONDS_BETWEEN_LOOKS]
        table = _ProcessTable.read() if due else _ProcessTable({}, {})
        for each in due:
            each.looked_at = now
            memory, count = table.usage(each.process.pid)
            if not each.stopped and (reason := _exceeded_limit(each, now - each.started, memory, count)):
                each.stopped = reason
                _kill_tree(each.process)

    def stop_all(self) -> None:
        """Kill what still runs."""
        for each in self._running:
            _kill_tree(each.process)
        for each in self._running:
            _finish(each)
        self._running.clear()

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_all()


def run_process(task: ProcessTask, isolation: Isolation | None = None) -> ProcessResult:
    """Run one process and wait for it."""
    with ProcessPool(isolation) as pool:
        pool.start(task)
        ((_, result),) = pool.wait_any()
        return result


def _exceeded_limit(running: _RunningProcess, seconds: float, memory: int, count: int) -> str:
    limits = running.task.limits
    if seconds > limits.seconds:
        return f"it ran longer than {limits.seconds:.0f} s"
    if memory > limits.memory_bytes:
        return f"it used more than {limits.memory_bytes >> 20} MiB of memory"
    if count > limits.processes:
        return f"it started more than {limits.processes} processes"
    if os.fstat(running.output.fileno()).st_size > limits.output_bytes:
        return f"it printed more than {limits.output_bytes >> 20} MiB"
    return ""


def _has_ended(running: _RunningProcess) -> bool:
    return running.process.poll() is not None


def _finish(running: _RunningProcess) -> ProcessResult:
    process = running.process
    exit_code = process.wait()
    seconds = time.monotonic() - running.started
    if running.pidfd >= 0:
        os.close(running.pidfd)
    _kill(process)  # what it left behind in its session
    with running.output as file:
        size = os.fstat(file.fileno()).st_size
        output = _read_ends(file, size)
    return ProcessResult(exit_code, seconds, output, size, running.stopped)


def _read_ends(file: IO[bytes], size: int) -> bytes:
    file.seek(0)
    start = file.read(_KEPT_OUTPUT)
    if size <= _KEPT_OUTPUT:
        return start
    file.seek(max(_KEPT_OUTPUT, size - _KEPT_OUTPUT))
    return start + file.read(_KEPT_OUTPUT)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it has started, also what has a session of its own."""
    killed: set[int] = set()
    for _ in range(_MAX_KILL_ROUNDS):  # a process may start another one before it is killed
        found = _ProcessTable.read().tree(process.pid) - killed
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _kill(process)
        killed |= found
        if found <= {process.pid}:
            return


class _ProcessTable(NamedTuple):
    """The processes of this computer; empty where there is no /proc."""

    memory: dict[int, int]  # in bytes
    children: dict[int, list[int]]  # by parent, and by session

    @staticmethod
    def read() -> _ProcessTable:
        table = _ProcessTable({}, {})
        page_size = os.sysconf("SC_PAGE_SIZE")
        with suppress(OSError), os.scandir("/proc") as entries:
            for entry in entries:
                if entry.name.isdigit() and (fields := _stat_fields(entry.name)):
                    pid = int(entry.name)
                    table.memory[pid] = int(fields[21]) * page_size
                    for above in {int(fields[1]), int(fields[3])}:
                        table.children.setdefault(above, []).append(pid)
        return table

    def tree(self, root: int) -> set[int]:
        """A process with its descendants and its session.

        A descendant may have a session of its own. One whose parent ended is found by its session, or, in a process
        namespace, below the first process of it.
        """
        found, waiting = {root}, [root]
        while waiting:
            new = [pid for pid in self.children.get(waiting.pop(), ()) if pid not in found]
            found.update(new)
            waiting += new
        return found

    def usage(self, root: int) -> tuple[int, int]:
        """The memory in bytes and the number of processes of a tree."""
        found = self.tree(root)
        return sum(self.memory.get(pid, 0) for pid in found), sum(pid in self.memory for pid in found)


def _stat_fields(pid: str) -> list[bytes]:
    """The fields of /proc/PID/stat behind the name: state, parent, group, session…"""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read(4096).rpartition(b")")[2].split()
    except OSError:
        return []


def make_temporary_folder(scratch: Path) -> str:
    """A folder for the temporary files of a process, for its variable TMPDIR."""
    folder = scratch / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder that a test may have made unwritable."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)

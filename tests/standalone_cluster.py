"""A Spark standalone cluster on loopback: a master and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from tests import conftest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

HOST = "127.0.0.1"
WORKERS = 2
_START_SECONDS, _WAIT_SECONDS = 120.0, 120.0
_SPARK_HOME = Path(pyspark.__file__).parent
# "Starting Spark master at spark://127.0.0.1:40123", "MasterWebUI to 127.0.0.1, and started at http://127.0.0.1:40124"
_MASTER_ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
_PAGE_ADDRESS = re.compile(r"MasterWebUI .*started at (http://\S+)")
_EXECUTOR_CLASS = "CoarseGrainedExecutorBackend"
# runs a command that the system kills when we end, even if we are killed: prctl(PR_SET_PDEATHSIG, SIGKILL)
_RUN_WITH_PARENT = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
SETTINGS = {**conftest.SETTINGS, "spark.driver.host": HOST, "spark.executor.memory": "512m"}

# The Python of an executor has neither a Delta library nor pandas, and only the deadheat that was sent to it. A file
# says where that was imported from.
_SITECUSTOMIZE = """
import os, sys
from importlib.machinery import PathFinder

class Restriction:
    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package in ("deltalake", "pandas"):
            raise ModuleNotFoundError(f"{{name}} is not for executors", name=name)
        if name != "deadheat":
            return None
        spec = PathFinder.find_spec(name, [entry for entry in sys.path if entry.endswith(".zip")])
        if spec is None:
            raise ModuleNotFoundError("No module named 'deadheat'", name=name)
        with open(os.path.join({folder!r}, f"imported-{{os.getpid()}}"), "w") as file:
            file.write(spec.origin)
        return spec

sys.meta_path.insert(0, Restriction())
"""


class StandaloneCluster:
    """A running cluster. Its executors run in an environment of their own."""

    def __init__(self, folder: Path, master: str, page: str, processes: list[subprocess.Popen[bytes]]) -> None:
        self.folder, self.master, self._page, self._processes = folder, master, page, processes

    def state(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self._page}/json/", timeout=10) as answer:
            return dict(json.load(answer))

    @property
    def imported_packages(self) -> set[str]:
        """The files that executors have imported deadheat from."""
        return {path.read_text() for path in self.folder.glob("imported-*")}

    def executor_pids(self) -> list[int]:
        """The Java processes of the executors."""
        parents = {process.pid for process in self._processes}
        return [pid for pid in _children_of(parents) if _EXECUTOR_CLASS in _command_line(pid)]

    def await_reader(self, folder: Path) -> int:
        """Wait until an executor has a file of this folder open."""
        found: list[int] = []
        workers: dict[int, list[int]] = {}

        def find_executor() -> bool:
            # looking at every process takes longer than a file is open
            for pid, descendants in workers.items():
                if any(_has_open_file(worker, folder) for worker in descendants):
                    found.append(pid)
            workers.update({pid: _descendants_of(pid) for pid in self.executor_pids()} if not found else {})
            return bool(found)

        await_condition(find_executor, "an executor that reads", 0.0)
        return found[0]

    def await_idle(self) -> None:
        """Wait until the applications before have gone, and their cores are free."""
        await_condition(lambda: not self.state()["activeapps"] and not self.executor_pids(), "an idle cluster", 0.1)


def await_condition(is_reached: Callable[[], bool], what: str, pause: float = 0.02) -> None:
    until = time.monotonic() + _WAIT_SECONDS
    while not is_reached():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(pause)


def _has_open_file(pid: int, folder: Path) -> bool:
    """Whether a process has a file of this folder open."""
    prefix = f"{folder}{os.sep}"
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if os.readlink(link).startswith(prefix):  # noqa: PTH115, faster than a Path
                return True
        except OSError:
            continue
    return False


def _descendants_of(pid: int) -> list[int]:
    children = _children_of({pid})
    return [*children, *(below for child in children for below in _descendants_of(child))]


def _children_of(parents: set[int]) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # "123 (java) S 100 ...": the fields after the name, which may have blanks
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) in parents:
            found.append(int(status.parts[2]))
    return found


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _send_signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def write_restriction(folder: Path) -> Path:
    """Write what restricts Python on executors. Returns the folder for PYTHONPATH."""
    python_folder = folder / "python"
    python_folder.mkdir(parents=True)
    (python_folder / "sitecustomize.py").write_text(_SITECUSTOMIZE.format(folder=str(folder)))
    return python_folder


@contextmanager
def started_cluster(folder: Path, variables: Mapping[str, str] | None = None) -> Iterator[StandaloneCluster]:
    """Start a cluster that keeps its files in a folder, and stop it at the end."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))},
        "SPARK_HOME": str(_SPARK_HOME),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "128m",
        "SPARK_DAEMON_JAVA_OPTS": conftest.JAVA_OPTIONS,
        "PYTHONPATH": str(write_restriction(folder)),
        "PYSPARK_PYTHON": sys.executable,
        **(variables or {}),
    }
    with ExitStack() as stack:
        processes: list[subprocess.Popen[bytes]] = []

        def start(name: str, *arguments: str) -> Path:
            log = folder / f"{name}.log"
            command = [sys.executable, "-c", _RUN_WITH_PARENT, str(_SPARK_HOME / "bin" / "spark-class"), *arguments]
            with log.open("wb") as sink:
                process = subprocess.Popen(command, env=environment, stdout=sink, stderr=sink, start_new_session=True)
            processes.append(process)
            stack.callback(_stop, process)
            return log

        log = start(
            "master", "org.apache.spark.deploy.master.Master", "--host", HOST, "--port", "0", "--webui-port", "0"
        )
        master, page = _await_match(log, _MASTER_ADDRESS), _await_match(log, _PAGE_ADDRESS)
        for number in range(WORKERS):
            start(
                f"worker-{number}", "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--port", "0",
                "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{number}"),
                master,
            )  # fmt: skip
        cluster = StandaloneCluster(folder, master, page, processes)
        await_condition(lambda: cluster.state()["aliveworkers"] == WORKERS, "the workers of the cluster")
        yield cluster
    shutil.rmtree(folder / "local", ignore_errors=True)


def _await_match(log: Path, pattern: re.Pattern[str]) -> str:
    until = time.monotonic() + _START_SECONDS
    while not (match := pattern.search(log.read_text())):
        if time.monotonic() > until:
            raise TimeoutError(f"Spark does not start: {log.read_text()[-2000:]}")
        time.sleep(0.05)
    return match[1]


def kill_executor(pid: int) -> None:
    """Kill an executor with its Python processes, so that nothing is cleaned up."""
    pids = [pid, *_descendants_of(pid)]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for one in pids:
            _send_signal(one, number)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all below it: executors, and their Python processes."""
    for pid in [*_descendants_of(process.pid), process.pid]:
        _send_signal(pid, signal.SIGKILL)
    process.wait()

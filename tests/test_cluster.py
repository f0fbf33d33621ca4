"""Ingests on a Spark standalone cluster: code that is sent to executors, executors and drivers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from bench import logs
from deadheat.errors import DeadheatError
from deadheat.lake import maintenance
from deadheat.lake.tables import Lake
from deadheat.spark import session
from tests import standalone_cluster
from tests.lakes import content
from tests.standalone_cluster import SETTINGS, StandaloneCluster, kill_executor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# the cluster is started once
pytestmark = [
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds processes in /proc"),
]

FILES, REPORTS_PER_FILE, DISTINCT_REPORTS = 4, 500, 20
_CONF = [argument for name, value in SETTINGS.items() for argument in ("--conf", f"{name}={value}")]

# an ingest that kills itself after a stage, and that tells when executors derive races
_INGEST = """
import os, signal, sys, threading, time
from deadheat.lake.tables import Lake
from deadheat.spark import ingest, session

master, lake, documents, last_stage, max_local_rows, *settings = sys.argv[1:]

def report_stage(stage):
    print(stage, flush=True)
    if stage == last_stage:
        os.killpg(0, signal.SIGKILL)
    if stage == "facts" and sessions:
        threading.Thread(target=report_jobs, args=(sessions[0].sparkContext.statusTracker(),), daemon=True).start()

def report_jobs(tracker):
    before = len(tracker.getJobIdsForGroup())
    while len(tracker.getJobIdsForGroup()) < before + 3:
        time.sleep(0.01)
    print("deriving", flush=True)

def start(small):
    sessions[:] = [session.start_session(master, dict(setting.split("=", 1) for setting in settings), small=True)]
    return sessions[0]

sessions = []

# with many variants, all derived tables are computed on executors
ingest.MAX_LOCAL_VARIANTS = int(max_local_rows)
options = ingest.IngestOptions(max_local_rows=int(max_local_rows), on_stage=report_stage)
ingest.ingest_files(start, Lake(lake), [documents], options)
"""


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for number in range(FILES):
        reports = (logs.generate_report((number + n) % DISTINCT_REPORTS) for n in range(REPORTS_PER_FILE))
        (folder / f"{number}.log").write_bytes(b"".join(reports))
    return folder


@pytest.fixture(scope="module")
def expected(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a lake contains after an ingest on this machine."""
    try:
        session.check_java()
    except DeadheatError as error:
        pytest.skip(str(error))
    lake = tmp_path_factory.mktemp("local") / "lake"
    subprocess.run(_ingest_command("local[2]", documents, lake), check=True, env=_environment())
    found = content(lake)
    assert len(found["sightings"]) == FILES * REPORTS_PER_FILE
    return found


@pytest.fixture(scope="module")
def cluster(expected: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    with standalone_cluster.started_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def _ingest_command(master: str, documents: Path, lake: Path) -> list[str]:
    options = ["--lake", str(lake), "--master", master, "--quiet", *_CONF]
    return [sys.executable, "-m", "deadheat", "ingest", str(documents), *options]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": standalone_cluster.HOST}


def _start_ingest(
    master: str, documents: Path, lake: Path, last_stage: str = "", max_local_rows: int = 1 << 20
) -> subprocess.Popen[str]:
    settings = [f"{name}={value}" for name, value in SETTINGS.items()]
    arguments = [master, str(lake), str(documents), last_stage, str(max_local_rows), *settings]
    return subprocess.Popen(
        [sys.executable, "-c", _INGEST, *arguments], env=_environment(), stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def _run_command(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _assert_complete(lake: Path, expected: dict[str, list[str]]) -> None:
    assert content(lake) == expected
    assert list(maintenance.find_faults(Lake(str(lake)))) == []


def test_spark_submit_ships_the_code_to_executors_that_have_no_lake_library(
    cluster: StandaloneCluster, documents: Path, expected: dict[str, list[str]], tmp_path: Path
) -> None:
    script = tmp_path / "run_deadheat.py"
    script.write_text("import sys\nfrom deadheat.cli import main\nsys.exit(main())\n")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    ingest: list[str | Path] = ["ingest", documents, "--lake", tmp_path / "lake", "--quiet"]
    _run_command([submit, "--master", cluster.master, *_CONF, script, *ingest])
    _assert_complete(tmp_path / "lake", expected)
    # a local session would not have used executors
    assert cluster.imported_packages == {"./deadheat.zip/deadheat/__init__.py"}


def test_a_killed_executor_is_replaced_while_documents_are_read_and_while_races_are_derived(
    cluster: StandaloneCluster, documents: Path, expected: dict[str, list[str]], tmp_path: Path
) -> None:
    cluster.await_idle()
    stages = []
    with _start_ingest(cluster.master, documents, tmp_path / "lake", max_local_rows=1) as process:
        kill_executor(cluster.await_reader(documents))
        for line in process.stdout or ():
            stages.append(line.strip())
            if stages[-1] == "deriving":
                kill_executor(cluster.executor_pids()[0])
    assert process.returncode == 0
    assert (stages[0], stages[-1]) == ("read", "done")
    assert stages.index("facts") < stages.index("deriving") < stages.index("races")
    assert cluster.state()["completedapps"][0]["state"] == "FINISHED"
    _assert_complete(tmp_path / "lake", expected)


# a kill while executors read, after the facts were decided and half of them committed, and in the middle of the
# derived tables; each takes a start of a driver and of its executors
@pytest.mark.parametrize(
    "stages", [["sightings"], pytest.param(["read", "sightings", "races"], marks=pytest.mark.soak)]
)
def test_an_ingest_whose_driver_was_killed_at_several_stages_is_completed_once(
    cluster: StandaloneCluster, documents: Path, expected: dict[str, list[str]], stages: list[str], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    command = _ingest_command(cluster.master, documents, lake)
    if "read" in stages:
        cluster.await_idle()
        with subprocess.Popen(command, env=_environment(), start_new_session=True) as reading:
            cluster.await_reader(documents)
            os.killpg(reading.pid, signal.SIGKILL)
    for stage in (stage for stage in stages if stage != "read"):
        cluster.await_idle()
        process = _start_ingest(cluster.master, documents, lake, stage)
        assert process.communicate()[0].split()[-1] == stage
        assert process.returncode == -signal.SIGKILL
    _run_command(command)
    _assert_complete(lake, expected)

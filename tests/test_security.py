"""What `docs/security.md` promises, where no other test proves it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cases import ROOT
from tests.hostile_inputs import HOSTILE_INPUTS
from tools import docs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.repositories import Repository

PAGE = docs.DOCS / "security.md"
# "`tests/test_escape.py::test_xml_is_well_formed`"
TEST_NAME = re.compile(r"`(tests/\w+\.py)(?:::(\w+))?`")
DOCUMENTS = ROOT.parent / "documents"
SAMPLES = ROOT.parent.parent / "samples"
# the files that take longest to read are not needed
SLOW = ("empty-members.tar.gz", "overlapping-members.zip", "zeros-of-4-GiB.gz")

# runs deadheat and prints what it did to the system
AUDIT = """
import json, os, sys
from deadheat import cli
events = []
WATCHED = ("socket.", "subprocess.", "os.", "shutil.", "ctypes.", "marshal.", "urllib.", "tempfile.")
READ_ONLY = ("os.listdir", "os.scandir", "os.walk", "os.fwalk")
def record(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        events.append(("write", os.fsdecode(arguments[0]) if isinstance(arguments[0], bytes) else str(arguments[0])))
    elif event.startswith(WATCHED) and event not in READ_ONLY:
        events.append((event, str(arguments[:2])))
sys.addaudithook(record)
status = cli.main(sys.argv[1:])
events.append(("status", str(status)))
print(json.dumps(events), file=sys.stderr)
"""


def audit(*args: str | Path, **variables: str) -> list[tuple[str, str]]:
    """What a command did to the system. The last event is its exit status."""
    command = [sys.executable, "-c", AUDIT, *map(str, args)]
    done = subprocess.run(command, capture_output=True, env={**os.environ, **variables}, timeout=120, check=False)
    events: list[tuple[str, str]] = [tuple(event) for event in json.loads(done.stderr.splitlines()[-1])]
    # Python writes byte code, and reads its own with `marshal`
    return [event for event in events if "__pycache__" not in event[1] and event[0] != "marshal.loads"]


def test_scan_starts_no_process_opens_no_connection_and_writes_no_file(tmp_path: Path) -> None:
    folder, temporary = tmp_path / "logs", tmp_path / "temporary"
    for path in (folder, temporary):
        path.mkdir()
    for name, hostile in HOSTILE_INPUTS.items():
        if name not in SLOW:
            (folder / name).write_bytes(hostile.build())
    command = ("scan", "--jobs", "1", "--format", "html", folder, ROOT, DOCUMENTS, SAMPLES)
    *events, status = audit(*command, TMPDIR=str(temporary))
    assert status == ("status", "1")
    # a zip in an archive is copied to a temporary file
    unexpected = [event for event in events if str(temporary) not in event[1] or event[0].startswith(("socket", "sub"))]
    assert unexpected == []
    assert any(str(temporary) in event[1] for event in events)
    assert list(temporary.iterdir()) == []


def test_explain_starts_only_git_and_writes_only_the_cache(repo: Repository, tmp_path: Path) -> None:
    temporary, cache = tmp_path / "temporary", tmp_path / "cache"
    temporary.mkdir()
    repo.put("cart: add", {"cart/cart.go": "package cart\n"})
    before = sorted(path.stat().st_mtime_ns for path in repo.path.rglob("*"))
    command = ("explain", "--format", "json", "--repo", repo.path, SAMPLES / "ci", ROOT / "tsan")
    *events, status = audit(*command, TMPDIR=str(temporary), DEADHEAT_CACHE=str(cache))
    assert status[1] in ("0", "1")
    started = {argument for event, argument in events if event == "subprocess.Popen"}
    assert started
    assert all(re.match(r"\('(?:\S*/)?git', ", argument) for argument in started), started
    # git is killed; the temporary folder is removed with names relative to it
    expected = ("subprocess.Popen", "os.kill", "os.remove", "os.rmdir")
    others = [argument for event, argument in events if event not in expected]
    places = ("/dev/null", str(temporary), str(cache))
    assert [a for a in others if not a.isdigit() and not any(place in a for place in places)] == []
    assert sorted(path.stat().st_mtime_ns for path in repo.path.rglob("*")) == before
    assert list(temporary.iterdir()) == []


def test_every_promise_names_a_test_that_exists() -> None:
    tests = TEST_NAME.findall(PAGE.read_text())
    assert len(tests) > 20
    for file, function in tests:
        text = (docs.ROOT / file).read_text()
        assert not function or f"def {function}(" in text, (file, function)


def test_no_module_unpickles_what_a_lake_contains() -> None:
    """Only bytes that a process of the same command has sent are unpickled."""
    users = {
        str(path.relative_to(docs.ROOT))
        for path in (docs.ROOT / "src").rglob("*.py")
        if re.search(r"\b(?:pickle|marshal|shelve|dill|cloudpickle)\b|\b(?:eval|exec)\(", path.read_text())
    }
    assert users == {
        "src/deadheat/cli/worker_pool.py",  # results of forked workers
        "src/deadheat/output/race_counts.py",  # the same
        *(
            f"src/deadheat/spark/{name}.py"
            for name in ("input_files", "reduce_spark", "retriage", "task_output", "tasks")
        ),
    }

"""Changes a lake once for each of its writes, which fails or ends the process, and once more after it.

Run with `failing_writes.c` preloaded: `python -m tests.failing_writes FOLDER`. Prints what is wrong as JSON."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deltalake  # noqa: F401, so that the processes below need not import it
import pyarrow.dataset  # noqa: F401

from deadheat.errors import DeadheatError
from deadheat.lake import derivation, maintenance, transactions
from deadheat.lake.integrity.check import LakeCheck
from deadheat.lake.tables import Lake
from tests.lake_facts import DocumentFacts, all_rows, change_facts, race_report

if TYPE_CHECKING:
    from collections.abc import Callable

OFF, FULL, KILL = range(3)
_KILLED = 9
_SHIM = ctypes.CDLL(None)
# columns that differ from run to run
_VOLATILE = ("ingest", "state", "committed_at")


def log_of(number: int) -> DocumentFacts:
    return DocumentFacts(f"logs/{number}.log", race_report(method=f"Add{number}"))


def ingest(root: Path) -> None:
    """Read the logs that the lake does not have, as `ingest` does."""
    lake = Lake(str(root))
    lake.create_tables()
    transactions.refresh_lake(lake)
    known = {*lake.read_rows("files", ["uri"])["uri"].to_pylist()}
    if "logs/9.log" not in known:
        change_facts(lake, "new", [log_of(9)], [log_of(1)] if "logs/1.log" in known else [])
    derivation.derive_races(lake, "new-derived")
    with lake.storage.disk_errors():
        maintenance.remove_unused_files(lake)


def in_process(root: Path, number: int, mode: int, work: Callable[[], Any]) -> tuple[int, Any]:
    """Exit status and result of a function in a process whose k-th write fails."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what the Delta library prints
        _SHIM.failing_writes_set(os.fsencode(root), number, mode)
        try:
            result = work()
        except DeadheatError as error:
            result = {"error": str(error)}
        except BaseException as error:  # noqa: BLE001, told by the test
            result = {"unexpected": f"{type(error).__name__}: {error}"}
        if result is None:
            result = {"writes": _SHIM.failing_writes_count()}
        _SHIM.failing_writes_set(b"/nowhere", 0, OFF)
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), json.loads(data) if data else None


def content(root: Path) -> dict[str, Any]:
    lake = Lake(str(root))
    rows = {
        table: sorted(str({name: value for name, value in row.items() if name not in _VOLATILE}) for row in found)
        for table, found in all_rows(lake).items()
        if table != "ingests"
    }
    return {"rows": rows, "faults": [*map(str, LakeCheck(lake).run().faults)]}


def content_after_ingest(root: Path) -> dict[str, Any]:
    ingest(root)
    return content(root)


def wrong_after(root: Path, template: Path | None, number: int, mode: int, expected: Any) -> str:
    """What is wrong after the k-th write failed and the ingest was started again, or ""."""
    shutil.rmtree(root, ignore_errors=True)
    if template:
        shutil.copytree(template, root)
    status, result = in_process(root, number, mode, lambda: ingest(root))
    error = (result or {}).get("error", "")
    if status != (_KILLED if mode == KILL else 0):
        return f"exit status {status}"
    if mode == FULL and "writes" not in result and not ("no space left" in error and str(root) in error):
        return f"full disk: {result}"
    _, found = in_process(root, 0, OFF, lambda: content_after_ingest(root))
    return "" if found == expected else f"next run: {found.get('faults', found)}"


def main(folder: Path, step: int) -> None:
    template, root = folder / "template", folder / "lake"

    def prepare() -> None:
        lake = Lake(str(template))
        lake.create_tables()
        for number in range(3):
            change_facts(lake, f"b{number}", [log_of(number)])
            derivation.derive_races(lake, f"d{number}")

    in_process(template, 0, OFF, prepare)
    wrong, counts = [], {}
    for start in (template, None):
        shutil.rmtree(root, ignore_errors=True)
        if start:
            shutil.copytree(start, root)
        _, result = in_process(root, 0, OFF, lambda: ingest(root))
        _, expected = in_process(root, 0, OFF, lambda: content(root))
        counts["old lake" if start else "new lake"] = result["writes"]
        for number in range(1, result["writes"] + 1, step):
            for mode in (FULL, KILL):
                if problem := wrong_after(root, start, number, mode, expected):
                    wrong.append(f"{'old' if start else 'new'} lake, write {number}, mode {mode}: {problem}")
    print(json.dumps({"writes": counts, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

"""Reading takes steps in proportion to the size of the text, whatever it repeats.

A sample of the inputs runs here, with each literal, damage and shape of a document at least once. With
`DEADHEAT_ALL_INPUTS=1` all inputs run in larger sizes, which takes hours.
"""

from __future__ import annotations

import io
import json
import os
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import pytest

from tests.growing_inputs import GROUPS, GrowingInput
from tests.steps import STEP, StepCounter, clear_caches, counted_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.long  # counts steps in a copy of src/, whichever package the other tests run
FACTOR = 8
# Steps per byte may grow so much: a cost of the square of the size that is 10 % of all exceeds it. Less would count
# what looks at up to 16 KiB ahead, which a small text does not have.
MAX_GROWTH = 1.6
# A log of reports takes about 1 step per byte, and the most expensive text that is known 27. A step takes about 100 ns.
MAX_STEPS_PER_BYTE = 40
CHEAP = 1
# of each group: every how many-th input runs here, and the smaller size
KIBIBYTE = 1 << 10
PLANS = {
    "literals": (2, KIBIBYTE),  # of two texts per literal
    "lines": (400, 4 * KIBIBYTE),
    "pairs": (800, 4 * KIBIBYTE),
    "sections": (41, 4 * KIBIBYTE),
    "cuts": (260, 4 * KIBIBYTE),
    "damages": (5, 2 * KIBIBYTE),  # of four texts per damage, so that each damage and each text occur
    "documents": (1, 4 * KIBIBYTE),
    "passages": (2, 2 * KIBIBYTE),
}
# a cost of the square of the number of items is small in a small text
LARGE = {
    "mbox, a thread in which each answers the one before": 8,
    "threads of ThreadSanitizer": 8,
    "tar with many members": 32,
    "gz with many members": 32,
}
ALL_INPUTS = "DEADHEAT_ALL_INPUTS"
# costs that are limited, but not within these sizes: only the number of steps per byte is checked
LIMITED = {"tests that never end, results behind each report": "the events within 128 KiB of a report count"}


def sampled_inputs() -> Iterator[tuple[GrowingInput, int]]:
    for group, (step, size) in PLANS.items():
        inputs = [*GROUPS[group]()]
        if os.environ.get(ALL_INPUTS):
            step, size = 1, 16 * KIBIBYTE
        for at, one in enumerate(inputs):
            if at % step == 0 or one.name in LARGE:
                yield one, size * LARGE.get(one.name, 1)


SAMPLE = [*sampled_inputs()]


@pytest.fixture(scope="module")
def counter() -> Iterator[StepCounter]:
    with counted_package() as step_counter, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield step_counter


def count_steps(counter: StepCounter, run: Callable[[bytes], object], growing: GrowingInput, data: bytes) -> float:
    """The steps of reading data when what every text needs is loaded."""
    clear_caches()
    run(growing.make(1))
    counter.total = 0
    run(data)
    return counter.total / STEP


def scan(data: bytes, uri: str) -> None:
    """Read a document, or the members of an archive, and group its reports."""
    from deadheat import api
    from deadheat.errors import DocumentFaults, UnreadableError
    from deadheat.grouping.race_assignment import assign_races
    from deadheat.model import Sighting
    from deadheat.sources.archives import iter_members
    from deadheat.text.window import OpenedDocument

    if uri.endswith((".zip", ".tar", ".gz")):
        for member in iter_members(io.BytesIO(data), uri):
            while not isinstance(member, UnreadableError) and member.read(1 << 16):
                pass
        return
    document = OpenedDocument(uri, data[:4096], io.BytesIO(data[4096:]).read)
    items = api.read_document(document, api.ReadOptions(), DocumentFaults(uri))
    assign_races([item for item in items if isinstance(item, Sighting)])


@pytest.mark.parametrize(("growing", "size"), SAMPLE, ids=[one.name for one, _ in SAMPLE])
def test_steps_grow_with_the_size(counter: StepCounter, growing: GrowingInput, size: int) -> None:
    def steps_per_byte(size: int) -> float:
        data = growing.make(size)
        return count_steps(counter, lambda data: scan(data, growing.uri), growing, data) / len(data)

    small, large = steps_per_byte(size), steps_per_byte(FACTOR * size)
    assert large < MAX_STEPS_PER_BYTE
    if large > MAX_GROWTH * small and large > CHEAP and growing.name not in LIMITED:
        # a cost that begins at a size between the two does not grow any more
        assert steps_per_byte(FACTOR * FACTOR * size) <= MAX_GROWTH * large


def run_command(*args: str) -> None:
    from deadheat import cli

    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(out):
        cli.main([*args, "--quiet", "--jobs", "1"])


SERIES = [*GROUPS["series"]()]
FORMATS = ("text", "json", "jsonl", "html", "sarif", "github", "gitlab", "junit", "markdown")
ONE_SIDED = "one-sided, each with its writer, thread"
DISTINCT = "two-sided, each with its address, writer, reader"


def check_command(counter: StepCounter, growing: GrowingInput, size: int, run: Callable[[bytes], object]) -> None:
    small, large = growing.make(size), growing.make(FACTOR * size)
    small_steps, large_steps = (count_steps(counter, run, growing, data) for data in (small, large))
    assert large_steps * len(small) < MAX_GROWTH * small_steps * len(large)


@pytest.mark.parametrize("growing", SERIES[:: 1 if os.environ.get(ALL_INPUTS) else 9], ids=lambda one: one.name)
def test_grouping_grows_with_the_number_of_reports(counter: StepCounter, growing: GrowingInput, tmp_path: Path) -> None:
    check_command(counter, growing, 8 * KIBIBYTE, lambda data: _scan_file(tmp_path, data, "jsonl"))


@pytest.mark.parametrize("format_", FORMATS)
def test_output_grows_with_the_number_of_races(counter: StepCounter, format_: str, tmp_path: Path) -> None:
    growing = next(one for one in SERIES if one.name == DISTINCT)
    check_command(counter, growing, 4 * KIBIBYTE, lambda data: _scan_file(tmp_path, data, format_))


def _scan_file(folder: Path, data: bytes, format_: str) -> None:
    path = folder / "input.log"
    path.write_bytes(data)
    run_command("scan", "--format", format_, str(path))


@pytest.mark.parametrize("name", [DISTINCT, ONE_SIDED])
def test_gate_grows_with_the_number_of_races(counter: StepCounter, name: str, tmp_path: Path) -> None:
    growing, path, baseline = (
        next(one for one in SERIES if one.name == name),
        tmp_path / "input.log",
        tmp_path / "baseline",
    )

    def gate(data: bytes) -> None:
        path.write_bytes(data)
        baseline.unlink(missing_ok=True)
        for options in (["--update"], []):
            run_command("gate", "--baseline", str(baseline), *options, str(path))
        path.write_bytes(b"")  # all of them are gone
        run_command("gate", "--baseline", str(baseline), str(path))

    check_command(counter, growing, 4 * KIBIBYTE, gate)


@pytest.mark.parametrize("origin", ["package", "sites"])
def test_absence_grows_with_the_number_of_known_races(counter: StepCounter, origin: str, tmp_path: Path) -> None:
    log, baseline = tmp_path / "ci.log", tmp_path / "races.jsonl"
    growing = GrowingInput(
        "packages", lambda size: b"".join(b"ok  \texample.com/p%d\t1s\n" % number for number in range(size // 24 + 1))
    )

    def gate(data: bytes) -> None:
        log.write_bytes(data)
        rows = [
            {"race": f"{number:016x}"}
            | ({"package": f"example.com/p{number}"} if origin == "package" else {"sites": [f"f p{number}/x_test.go"]})
            for number in range(data.count(b"\n"))
        ]
        baseline.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run_command("gate", "--baseline", str(baseline), str(log))

    check_command(counter, growing, 4 * KIBIBYTE, gate)

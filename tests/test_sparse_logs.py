"""Logs in the shapes that CI systems and services print: little is read besides the reports, with equal results."""

from __future__ import annotations

import random
import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from bench import log_shapes
from bench.logs import DAY, MINUTE
from deadheat.api import read_opened_documents, read_sightings
from deadheat.model import Sighting
from deadheat.parsing import report_reader, test_attribution
from deadheat.parsing.damaged_region import DamagedRegion
from deadheat.parsing.test_events import RACE_PHRASE, GoTestEventParser
from deadheat.sources import files
from deadheat.text.window import StreamSource

if TYPE_CHECKING:
    from pathlib import Path

SIZE, EVERY = 1_500_000, 400_000
GO_SHAPES = [name for name in log_shapes.SHAPES if not name.startswith(("tsan", "helgrind"))]
# the forms of prefixes, with the stream that each names
PREFIXES = [
    ("2024-05-01T12:00:{:02}.1234567Z ", None),
    ("[2024-05-01T12:00:{:02}.123Z] ", None),
    ("2018/07/31 10:47:{:02} ", None),
    ("11:05:{:02} ", None),
    ("Oct  4 20:17:{:02} node-3 api[4711]: ", "node-3 api[4711]"),
    ("2024-05-01T12:00:{:02}.123456789Z stderr F ", "stderr"),
    ("2024-05-01T12:00:{:02}.123456789Z stderr F 11:05:{:02} ", "stderr"),
    ("api-1  | ", "api-1"),
    ("[pod/web-1/app] ", "pod/web-1/app"),
]


@pytest.fixture
def make_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(log_shapes, "BLOCKS", 3)
    return tmp_path / "test.log"


def read_log(path: Path) -> list[Sighting]:
    """The sightings as `ingest` and a scan of a large file read them, in ranges."""
    with path.open("rb", buffering=0) as raw:
        found = read_opened_documents([files.open_range(raw, "test.log", 0, None)])
        return [sighting for sighting in found if isinstance(sighting, Sighting)]


def use_line_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read all lines around a report, as for damaged ones."""
    monkeypatch.setattr(report_reader, "unwrap_report", lambda *_: None)
    monkeypatch.setattr(test_attribution, "_MAX_NEARBY_RANGE", 0)


@pytest.mark.parametrize("name", GO_SHAPES)
def test_results_are_those_of_the_line_readers(make_log: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    count = log_shapes.write_shape(make_log, name, SIZE, EVERY, races=2)
    found = read_log(make_log)
    assert len(found) == count > 2
    use_line_readers(monkeypatch)
    assert found == read_log(make_log)


@pytest.mark.parametrize("name", [name for name in GO_SHAPES if name in log_shapes.CI_SHAPES])
def test_few_bytes_around_a_report_are_searched_for_its_test(
    make_log: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    sizes: list[int] = []
    feed = GoTestEventParser.feed

    def count_bytes(self: GoTestEventParser, block: bytes) -> object:
        sizes.append(len(block))
        return feed(self, block)

    monkeypatch.setattr(GoTestEventParser, "feed", count_bytes)
    count = log_shapes.write_shape(make_log, name, SIZE, EVERY)
    tests = [sighting.report.test for sighting in read_log(make_log)]
    assert len(tests) == count
    assert all(test and test.startswith("Test") for test in tests)
    assert sum(sizes) < count * 40_000


@pytest.mark.parametrize("name", GO_SHAPES)
def test_undamaged_reports_with_a_prefix_are_not_read_line_by_line(
    make_log: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(DamagedRegion, "read_reports", fail)
    count = log_shapes.write_shape(make_log, name, SIZE, EVERY)
    assert len(read_log(make_log)) == count


@pytest.mark.parametrize(("prefix", "stream"), PREFIXES)
def test_prefixes_of_any_form(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prefix: str, stream: str | None) -> None:
    def write_lines(lines: list[str]) -> Path:
        path = tmp_path / "test.log"
        path.write_text("".join(f"{prefix.format(i % 60, i % 60)}{line}\n" for i, line in enumerate(lines)))
        return path

    report = log_shapes._go_report(random.Random(1), 1)
    [found] = read_log(write_lines(["starting", *report, "done"]))
    assert found.span.stream == stream
    damaged = [*report[:9], "progress: 45 %", *report[9:]]
    [interrupted] = read_log(write_lines(["starting", *damaged, "done"]))
    assert "interleaved" in interrupted.report.damage
    use_line_readers(monkeypatch)
    assert [found] == read_log(write_lines(["starting", *report, "done"]))
    assert [interrupted] == read_log(write_lines(["starting", *damaged, "done"]))


def test_lines_of_another_writer_are_not_taken_for_the_report(tmp_path: Path) -> None:
    report = log_shapes._go_report(random.Random(1), 1)
    lines = [f"Oct  4 20:17:35 node-3 api[4711]: {line}" for line in report]
    lines.insert(9, lines[9].replace("4711", "4712"))
    path = tmp_path / "test.log"
    path.write_text("\n".join([*lines, ""]))
    [found] = read_log(path)
    assert found.span.stream == "node-3 api[4711]"
    assert found.report.accesses[0].stack[-1].function == "testing.(*T).Run.gowrap1"


def make_events(seed: int) -> str:
    """Reports among events of tests and packages in any order, some without a test in their stacks."""
    rng = random.Random(seed)
    names = [f"Test{name}{part}" for name in ("Koki", "Lumo", "Pata") for part in ("", "/a", "/b")]
    lines: list[str] = []
    for _ in range(rng.randrange(20, 300)):
        choice, name = rng.random(), rng.choice(names)
        if choice < 0.3:
            lines.append(f"=== {rng.choice(('RUN  ', 'PAUSE', 'CONT ', 'NAME '))} {name}")
        elif choice < 0.5:
            lines.append(f"--- {rng.choice(('PASS', 'FAIL', 'SKIP'))}: {name} (0.01s)")
        elif choice < 0.6:
            lines.append(
                rng.choice(("ok  \texample.com/a\t0.1s", "FAIL\texample.com/b\t0.1s", "FAIL", log_shapes.RACED))
            )
        elif choice < 0.64:
            report = "\n".join(log_shapes._go_report(rng, rng.randrange(5)))
            lines += re.sub(r"  \S*[Tt]est\S*\n .*\n", "", report).split("\n") if seed % 2 else report.split("\n")
        else:
            lines += [log_shapes._log_line(rng)] * rng.choice((1, 1, 1, 50, 800))
    shape = log_shapes.SHAPES[rng.choice(("go-verbose", "go-json", "go-github"))]
    half = rng.choice((0, 0, len(lines) // 2))
    texts = [
        log_shapes._print_lines(log_shapes.SHAPES["go-json"], rng, log_shapes._Clock(), lines[:half]),
        log_shapes._print_lines(shape, rng, log_shapes._Clock(), lines[half:]),
    ]
    return "".join(texts).replace(DAY, "02").replace(MINUTE, "10:10")


def expected_tests(text: bytes, sighting: Sighting) -> tuple[str | None, ...]:
    """The tests of a report, from every event near it."""
    span, distance = sighting.span, test_attribution.EVENT_DISTANCE
    known = test_attribution.tests_by_access(sighting.source.original)
    low, high = max(0, span.offset - distance), span.offset + span.length + distance
    start = text.find(b"\n", low - 1) + 1 if low else 0
    if RACE_PHRASE not in text[low:high]:
        return known
    parser = GoTestEventParser(start)
    events = [event for event in parser.feed(text[start:high]) if event.named_at >= low]
    package_events = test_attribution._events_of_package(events, span.offset, span.stream)
    activity = test_attribution._test_activity(package_events, span.offset)
    return tuple(test_attribution._refine_test(test, activity) for test in known)


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_tests_are_those_of_all_events_around(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "test.log"
    path.write_text("".join(map(make_events, range(seed, seed + 4))))
    text, found = path.read_bytes(), read_log(path)
    assert found
    for sighting, unattributed in zip(found, read_sightings(StreamSource(BytesIO(text).read), "test.log"), strict=True):
        assert test_attribution.tests_by_access(sighting.report) == expected_tests(text, unattributed)


def test_a_package_may_be_known_only_from_later_events(tmp_path: Path) -> None:
    lines = "\n".join(log_shapes._go_report(random.Random(1), 1))
    report = re.sub(r"  \S*[Tt]est\S*\n .*\n", "", lines).split("\n")
    package = '"Package":"example.com/shop"'
    output = [f'{{"Time":"t","Action":"output",{package},"Output":"{line}\\n"}}' for line in report]
    later = [f'{{"Time":"t","Action":"run",{package},"Test":"TestLater"}}']
    path = tmp_path / "test.log"
    path.write_text("\n".join(["=== RUN   TestOther", log_shapes.RACED, *output, *later, ""]))
    [found] = read_log(path)
    assert found.report.test is None
